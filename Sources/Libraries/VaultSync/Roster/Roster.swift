package import VaultSealing

/// Who belongs to a space, and what each of them may do: a function of its records.
///
/// It has no clock, no file and no engine: ``RosterFacts`` sorts out what the records say, and
/// ``RosterRules`` judges it (in a space of an earlier version, ``EarlierRules``).
///
/// Documentation/design/sync-format.md, section 5; decision 11.
package struct Roster: Sendable {
  package struct Member: Sendable {
    package let stream: StreamID
    /// What it is called: as it says, with a number behind that if somebody was in and called so
    /// when it was let in.
    package fileprivate(set) var label: String
    /// What it may do now; what it could do last, if it was removed.
    package let role: SyncRole
    package let keys: PublicKeys
    /// When it joined, by its own clock.
    package let joined: Int64
    /// The invitation by which it came; `nil` for the one that made the space.
    package let invitation: [UInt8]?
    /// The machine whose record let it in; `nil` for the one that made the space.
    package let admittedBy: StreamID?
    /// The last record that counts, if it was removed.
    package var last: UInt64?
    /// Whether another machine removed it: not one that goes on for it, or that it goes on for.
    package fileprivate(set) var isPutOut = false
    /// False for this machine itself while no admin has let it in.
    package var isAdmitted = true
    /// The stream that this one goes on for; `nil` for most.
    package var predecessor: StreamID?
    /// The stream in which this machine goes on, as far as is known; `nil` for most.
    ///
    /// It has written nothing since it could know of that one.
    package fileprivate(set) var successor: StreamID?
  }

  package struct Invitation: Sendable {
    package let id: [UInt8]
    package let keys: PublicKeys
    package let role: SyncRole
    package let uses: Int
    package let expires: Int64
    let record: OpenedRecord
    /// The stream of the admin who invites.
    package var inviter: StreamID { record.stream }
    /// Whether its code is a recovery code, which lets an admin in at any time.
    package var isRecovery: Bool { expires == .max && role == .admin }
    /// What it is called, if it is a subscription, which nobody can claim; `nil` for an invitation.
    package var subscription: String? { role == .reader ? keys.subscriptionName : nil }
    /// Whether it is closed: nobody comes by it any more.
    package var isSettled = false
    /// The records that invite, of the machine and of those that it goes on for.
    var records: [OpenedRecord]
    package var accepted: [StreamID] = []
    /// Those that claim it and are not in.
    package var refused: [StreamID] = []

    /// Whether its code lets nobody in any more: it was settled, used up, or its time is over.
    func hasEnded(at time: Int64) -> Bool {
      isSettled || !isRecovery && (accepted.count >= uses || expires < time)
    }
  }

  /// An epoch's key, and who was told it.
  package struct Epoch: Sendable {
    package let key: EpochKey
    /// Streams and invitations, of many only how their names begin.
    var recipients: Set<[UInt8]>
    /// Who told it whom.
    var tellings: [Telling]

    /// A record that tells the key.
    struct Telling: Sendable {
      let record: OpenedRecord
      let recipients: [[UInt8]]
    }

    /// Whether it was sealed to a stream or an invitation.
    func isTold(to id: [UInt8]) -> Bool {
      recipients.contains(id)
        || recipients.contains(Array(id.prefix(Operation.shortRecipientLength)))
    }

    /// Whether it was sealed to a stream in one of some records, or that stream told it itself.
    func isTold(to stream: StreamID, where isMeant: (OpenedRecord) -> Bool) -> Bool {
      let (id, short) = (
        stream.bytes, Array(stream.bytes.prefix(Operation.shortRecipientLength))
      )
      return tellings.contains { telling in
        isMeant(telling.record)
          && (telling.record.stream == stream
            || telling.recipients.contains { $0 == id || $0 == short })
      }
    }
  }

  /// All that ever were members.
  package private(set) var members: [StreamID: Member] = [:]
  package private(set) var invitations: [[UInt8]: Invitation] = [:]
  package private(set) var epochs: [Epoch] = []
  /// The stream of the machine that made the space.
  package let creator: StreamID?
  /// Whether the space was made by a version that had other rules.
  package let hasEarlierRules: Bool
  /// The snapshots whose records may go from the store, the newest last.
  package let retirements: [Retirement]
  /// How far each stream counts in the items whatever ends the rights of its machine: what everybody
  /// had who was in.
  let retired: Frontier
  private var tenures: [StreamID: [Tenure]] = [:]
  /// The first records of those that go on for a machine.
  private let successions: [StreamID: [OpenedRecord]]
  /// The stream that has the name of the one for which it goes on: whatever ends its rights, or
  /// those of others.
  private var heirs: [StreamID: StreamID] = [:]
  /// The streams that go on for one, directly or not, by that one, which is the first of them.
  private let families: [StreamID: [StreamID]]
  /// The newest record of each machine.
  private var newest: [StreamID: OpenedRecord] = [:]
  /// The records in which machines say which keys they cannot open, by the ids of these.
  let lacks: [StreamID: [[UInt8]: OpenedRecord]]

  /// Who belongs to the space after some records.
  ///
  /// - Parameters:
  ///   - history: The records.
  ///   - frontier: How far each stream counts.
  package init(_ history: RecordHistory, upTo frontier: Frontier) {
    let facts = RosterFacts(history, upTo: frontier)
    creator = facts.founder?.stream
    hasEarlierRules = facts.founder.map { $0.rules < RosterRules.version } ?? false
    successions = facts.successors.mapValues { $0.map(\.record) }
    lacks = facts.lacks
    families = facts.families
    var retired: Frontier = [:]
    let counted = history.counted(facts.retirements)
    retirements = counted.map(\.retirement)
    for (_, frontier) in counted { retired.formMaximum(with: frontier) }
    self.retired = retired
    guard facts.founder != nil else { return }
    let verdict = hasEarlierRules ? EarlierRules.judge(facts) : RosterRules.judge(facts)
    tenures = verdict.tenures
    invitations = verdict.invitations
    for (stream, tenures) in tenures {
      guard let member = Self.member(stream, tenures, facts) else { continue }
      members[stream] = member
    }
    for (stream, removals) in facts.removals where members[stream]?.last != nil {
      let isByAnother = removals.contains { !isOfOneLine($0.record.stream, stream) }
      members[stream]?.isPutOut = isByAnother
    }
    askIn(history.viewer, facts)
    findSuccessors(facts, history, upTo: frontier)
    numberLabels(facts)
    for stream in members.keys {
      newest[stream] = history.record(stream, frontier[stream, default: 0])
    }
    epochs = EpochTelling.epochs(facts, known: history.epochs) { authority(of: $0) != nil }
  }

  private static func member(
    _ stream: StreamID, _ tenures: [Tenure], _ facts: RosterFacts
  ) -> Member? {
    let line = facts.line(of: stream)
    guard let claim = line.first, let origin = line.last,
      let first = tenures.min(by: { $0.key < $1.key })
    else { return nil }
    let current = tenures.filter { $0.end == .max }
    let last = tenures.map(\.end).max() ?? 0
    let role = (current.isEmpty ? tenures.filter { $0.end == last } : current).map(\.role).max()
    let isFounder = origin.invitation == nil
    return Member(
      stream: claim.stream, label: Operation.label(claim.label, of: claim.stream),
      role: role ?? .reader, keys: claim.keys,
      joined: claim.record.content.time, invitation: origin.invitation,
      admittedBy: isFounder ? nil : first.since.stream, last: current.isEmpty ? last : nil,
      predecessor: claim.predecessor)
  }

  /// Finds the machines that go on in another stream: a home that was put back, and also the
  /// machine that it is a copy of, until that one writes again.
  private mutating func findSuccessors(
    _ facts: RosterFacts, _ history: RecordHistory, upTo frontier: Frontier
  ) {
    for (stream, claims) in facts.successors {
      guard let newest = history.record(stream, frontier[stream, default: 0]) else { continue }
      let unknown = claims.filter { members[$0.stream] != nil && !newest.knows($0.record) }
      heirs[stream] = unknown.first?.stream
      let present = unknown.first { members[$0.stream]?.last == nil }
      // Of a machine that is out, the part in which it went on last is what it was.
      let isOut = members[stream].map { $0.last != nil } ?? false
      members[stream]?.successor = (present ?? (isOut ? unknown.last : nil))?.stream
    }
  }

  /// The stream in which a machine goes on, or went on last.
  func end(of stream: StreamID) -> StreamID {
    var last = stream
    while let next = members[last]?.successor { last = next }
    return last
  }

  /// A machine, and those before it that it goes on for and that have written nothing since.
  ///
  /// - Parameter stream: The machine.
  /// - Returns: The streams, its own first; each is in, or was.
  func line(of stream: StreamID) -> [StreamID] {
    var line = [stream]
    while let last = line.last, let before = members[last]?.predecessor,
      members[before]?.successor == last
    {
      line.append(before)
    }
    return line
  }

  /// This machine counts for itself from its first record on.
  private mutating func askIn(_ viewer: StreamID?, _ facts: RosterFacts) {
    guard let viewer, members[viewer] == nil, let claim = facts.claims[viewer],
      let origin = facts.line(of: viewer).last,
      let invitation = origin.invitation.flatMap({ invitations[$0] }), !invitation.isSettled,
      invitation.refused.contains(origin.stream) || invitation.subscription != nil
    else { return }
    members[viewer] = Member(
      stream: viewer, label: Operation.label(claim.label, of: viewer), role: invitation.role,
      keys: claim.keys,
      joined: claim.record.content.time, invitation: origin.invitation, admittedBy: nil,
      // Whoever follows a feed has a stream on this machine alone, and waits for nobody.
      isAdmitted: invitation.subscription != nil, predecessor: claim.predecessor)
  }

  /// Gives each machine a name that none had that was in when it was let in: so nobody takes one
  /// from somebody else, and a name stays with its machine when another one goes.
  private mutating func numberLabels(_ facts: RosterFacts) {
    // Mostly there is nothing to do.
    guard Set(members.values.map(\.label)).count < members.count else { return }
    let grants = members.values.map { member in
      let line = facts.line(of: member.stream)
      let granted = (tenures[member.stream] ?? []).map(\.since).min(by: RosterFacts.precedes)
      return (stream: member.stream, record: granted, line: line)
    }
    let ordered = grants.sorted { left, right in
      // This machine itself may not have been let in yet.
      guard let one = left.record else { return false }
      guard let other = right.record else { return true }
      if one.hash != other.hash { return RosterFacts.precedes(one, other) }
      // Whoever goes on for another one has the right of that one, and comes after it.
      if left.line.count != right.line.count { return left.line.count < right.line.count }
      guard let claim = left.line.first, let another = right.line.first else { return false }
      return RosterFacts.precedes(claim.record, another.record)
    }
    // Who has a name, of those that came before.
    var holders: [String: [StreamID]] = [:]
    var numbers: [String: Int] = [:]
    for (stream, grant, claims) in ordered {
      guard let label = members[stream]?.label else { continue }
      // Whoever goes on keeps the name, also where a copy of the same home was seen before.
      if let before = members[stream]?.predecessor, let former = members[before],
        heirs[before] == stream, claims.first?.label == facts.claims[before]?.label
      {
        members[stream]?.label = former.label
        holders[former.label, default: []].append(stream)
        continue
      }
      func isTaken(_ name: String) -> Bool {
        (holders[name] ?? []).contains { other in
          let last = end(of: other)
          let hadGone = (facts.removals[last] ?? []).contains { removal in
            grant?.knows(removal.record) ?? true
          }
          return members[last]?.last == nil || !hadGone
        }
      }
      func isHeld(_ name: String) -> Bool {
        (holders[name] ?? []).contains { members[end(of: $0)]?.last == nil }
      }
      func name(_ number: Int) -> String { number == 1 ? label : "\(label)-\(number)" }
      // Names whose machines are in stay theirs: of a thousand nobody looks at all before his own.
      var number = numbers[label, default: 1]
      while isHeld(name(number)) { number += 1 }
      numbers[label] = number
      while isTaken(name(number)) { number += 1 }
      members[stream]?.label = name(number)
      holders[name(number), default: []].append(stream)
    }
  }

  /// Whether a machine goes on for another one, perhaps for one that goes on for it.
  func goesOn(_ stream: StreamID, for other: StreamID) -> Bool {
    sequence(first: stream) { members[$0]?.predecessor }.dropFirst().contains(other)
  }

  /// All streams in which a machine went on, and those of which they are copies.
  ///
  /// - Parameter stream: One of them.
  /// - Returns: Mostly it alone.
  func family(of stream: StreamID) -> [StreamID] {
    let first = sequence(first: stream) { members[$0]?.predecessor }.reduce(stream) { $1 }
    return families[first] ?? [stream]
  }

  /// Whether one of two machines goes on for the other one, or both are one.
  func isOfOneLine(_ one: StreamID, _ other: StreamID) -> Bool {
    one == other || goesOn(one, for: other) || goesOn(other, for: one)
  }

  /// A name that no machine has that is in.
  ///
  /// - Parameter label: The name that is wanted.
  /// - Returns: It, or it with a number behind it.
  func freeLabel(_ label: String) -> String {
    let taken = Set(present.map(\.label))
    var (name, number) = (label, 2)
    while taken.contains(name) {
      // A name has at most 64 letters.
      name = "\(label.prefix(58))-\(number)"
      number += 1
    }
    return name
  }

  /// Who is in now, each once: not a stream for which another one goes on.
  package var present: [Member] {
    members.values.filter { $0.last == nil && $0.successor == nil }.sorted {
      ($0.joined, $0.stream) < ($1.joined, $1.stream)
    }
  }

  /// All that are in or were: a stream for which another one goes on is that machine, once.
  var listed: [Member] { members.values.filter { $0.successor == nil } }

  /// Who is in now, with machines for which others go on, and which have written what those did not
  /// know: these are there, too.
  ///
  /// They hear of the others only if they can open what has come since.
  var expected: [Member] { present + returned }

  private var returned: [Member] {
    members.values.filter { member in
      guard member.last == nil, let successor = member.successor,
        let newest = newest[member.stream],
        let claim = successions[member.stream]?.first(where: { $0.stream == successor })
      else { return false }
      return !claim.knows(newest)
    }
    .sorted { $0.stream < $1.stream }
  }

  /// Whether a machine is in now, or another one goes on for it.
  func isPresent(_ stream: StreamID) -> Bool { members[stream].map { $0.last == nil } ?? false }

  /// Those who claim an invitation that is open, and whom no admin has let in yet.
  ///
  /// - Parameter invitation: The invitation.
  /// - Returns: Their streams, in the order of their hashes.
  func asking(_ invitation: Invitation) -> [StreamID] {
    invitation.isRecovery || invitation.isSettled ? [] : invitation.refused
  }

  /// What a machine is called; `other` where that is not known.
  func shownLabel(of stream: StreamID?) -> String {
    stream.flatMap { members[$0]?.label } ?? "other"
  }

  // MARK: - What counts

  /// Whether what a record says of items counts.
  package func counts(_ record: OpenedRecord) -> Bool {
    record.sequence <= contentLimit(record.stream)
  }

  /// The last record of a stream that says something of items.
  func contentLimit(_ stream: StreamID) -> UInt64 {
    max(limit(stream), retired[stream, default: 0])
  }

  /// The last record that lies in a right to say something of items, as far as that is decided.
  package func limit(_ stream: StreamID) -> UInt64 {
    let ends = tenures[stream]?.filter { $0.role >= .writer }.map(\.end) ?? []
    if let end = ends.max() { return end }
    guard let member = members[stream], !member.isAdmitted, member.role >= .writer else { return 0 }
    return .max
  }

  /// The right by which a record of an admin or an owner says who belongs to the space; `nil` if it
  /// has none.
  func authority(of record: OpenedRecord) -> Tenure? {
    tenures[record.stream]?.filter { $0.role >= .admin && $0.covers(record) }
      .min { $0.key < $1.key }
  }

  /// The right that a machine has now, as its other machines know it.
  func standing(_ stream: StreamID) -> Tenure? {
    tenures[stream]?.filter { $0.role >= .admin && $0.end == .max }.min { $0.key < $1.key }
  }

  /// All rights that a machine has, or had.
  func tenures(of stream: StreamID) -> [Tenure] { tenures[stream] ?? [] }

  /// Whether a machine may say who belongs to the space.
  package func isAdmin(_ stream: StreamID) -> Bool { standing(stream) != nil }

  /// Whether a machine may do anything that an owner may.
  package func isOwner(_ stream: StreamID) -> Bool { standing(stream)?.role == .owner }

  /// Whether a machine may remove another one, or give it another role.
  ///
  /// - Parameters:
  ///   - author: The machine that wants to.
  ///   - stream: The other one.
  /// - Returns: True for an admin or owner who comes before the other one.
  package func outranks(_ author: StreamID, _ stream: StreamID) -> Bool {
    guard let standing = standing(author) else { return false }
    if hasEarlierRules { return true }
    return (tenures[stream] ?? []).allSatisfy { $0.end < .max || standing.key < $0.key }
  }

  /// The owners who are in, who come first first; in a space of an earlier version its admins.
  package var owners: [Member] {
    let least: SyncRole = hasEarlierRules ? .admin : .owner
    return present.filter { standing($0.stream)?.role ?? .reader >= least }.sorted { left, right in
      guard let left = standing(left.stream), let right = standing(right.stream) else {
        return false
      }
      return left.key < right.key
    }
  }

  // MARK: - Epochs

  /// Whether a member can have the key of an epoch.
  ///
  /// - Parameters:
  ///   - member: The member.
  ///   - epoch: The epoch.
  ///   - isAlone: Whether what it has by the keys of a machine that is in, or by a code that is open,
  ///     does not count: each new key is told to those, too, until the machine takes other keys, or
  ///     somebody closes the code.
  /// - Returns: Whether it can.
  private func has(_ member: Member, _ epoch: Epoch, isAlone: Bool = false) -> Bool {
    if epoch.isTold(to: member.stream.bytes) { return true }
    if let before = member.predecessor.flatMap({ members[$0] }),
      !isAlone || before.last != nil, has(before, epoch, isAlone: isAlone)
    {
      return true
    }
    guard let invitation = member.invitation.flatMap({ invitations[$0] }),
      !isAlone || invitation.isSettled
    else { return false }
    return has(invitation, epoch)
  }

  /// Whether the code of an invitation opens the key of an epoch.
  private func has(_ invitation: Invitation, _ epoch: Epoch) -> Bool {
    epoch.isTold(to: invitation.id) || isWithin(invitation, epoch)
  }

  /// Whether what lies in the store for the code of an invitation has the key of an epoch.
  private func isWithin(_ invitation: Invitation, _ epoch: Epoch) -> Bool {
    epoch.tellings.contains { telling in
      invitation.records.contains { $0.knows(telling.record) }
    }
  }

  /// The ids of the keys that a member can have.
  func keys(knownTo member: Member) -> Set<[UInt8]> {
    Set(epochs.filter { has(member, $0) }.map(\.key.id))
  }

  /// The ids of the keys that whoever has the code of a subscription can have: a mirror gives it all
  /// that there are, up to the newest one that was sealed to it.
  func keys(knownTo subscription: Invitation) -> Set<[UInt8]> {
    let newest = epochs.filter { has(subscription, $0) }.map(\.key.number).max() ?? 0
    return Set(epochs.map(\.key).filter { $0.number <= newest }.map(\.id))
  }

  /// The key that new records are sealed with: of the newest epoch, if possible one that nobody has
  /// who was removed.
  package var current: EpochKey? {
    let newest = epochs.map(\.key.number).max()
    return epochs.filter { $0.key.number == newest }.min { left, right in
      let (a, b) = (isKnownOutside(left), isKnownOutside(right))
      if a != b { return !a }
      return left.key.id.lexicographicallyPrecedes(right.key.id)
    }?.key
  }

  private func isKnownOutside(_ epoch: Epoch) -> Bool {
    members.values.contains { $0.last != nil && has($0, epoch, isAlone: true) }
  }

  /// Whether a machine was removed that goes on from a copy of this one's home, and so has its keys.
  func isKnownToACopyThatIsOut(_ stream: StreamID) -> Bool {
    members.values.contains { $0.predecessor == stream && $0.last != nil }
  }

  /// The machine that is in and whose keys a machine has that is out: that one is a copy of its home.
  ///
  /// - Parameter stream: The machine that is out.
  /// - Returns: The other one, as it goes on; `nil` for most.
  func sharesKeys(_ stream: StreamID) -> Member? {
    sequence(first: stream) { members[$0]?.predecessor }.dropFirst()
      .first { isPresent($0) && members[$0]?.successor != stream }
      .flatMap { members[end(of: $0)] }
  }

  /// Whether somebody can read what is written now who was removed, or has the code of an
  /// invitation that has ended.
  package var needsNewEpoch: Bool {
    guard let current, let epoch = epochs.first(where: { $0.key.id == current.id })
    else { return false }
    return isKnownOutside(epoch)
      || invitations.values.contains { $0.isSettled && has($0, epoch) }
  }

  /// The epochs whose keys a member has for certain, or can read who tells them.
  ///
  /// A home that was put back or copied may be from before: what told it a key may be gone from the
  /// store, or be sealed with a key that it lacks. And what was sealed to it may be no key, as its
  /// machine says.
  private func epochs(knownFor member: Member) -> Set<[UInt8]> {
    let newest = newest[member.stream]
    let lacks = lacks[member.stream] ?? [:]
    func hasRead(_ record: OpenedRecord) -> Bool { newest?.knows(record) == true }
    func isThere(_ record: OpenedRecord) -> Bool {
      hasRead(record) || record.sequence > retired[record.stream, default: 0]
    }
    if lacks.isEmpty, epochs.allSatisfy({ $0.tellings.allSatisfy { isThere($0.record) } }) {
      return keys(knownTo: member)
    }
    var known: Set<[UInt8]> = []
    var isNew = true
    while isNew {
      isNew = false
      for epoch in epochs where !known.contains(epoch.key.id) {
        func isReadable(_ record: OpenedRecord) -> Bool {
          hasRead(record) || isThere(record) && known.contains(record.epoch)
        }
        if let lack = lacks[epoch.key.id] {
          // Only what its machine had not seen then can be the key.
          let isKnown = epoch.isTold(to: member.stream) {
            isReadable($0) && !lack.knows($0)
          }
          if isKnown {
            known.insert(epoch.key.id)
            isNew = true
          }
          continue
        }
        let isKnown =
          epoch.isTold(to: member.stream, where: isReadable)
          || member.predecessor.map { epoch.isTold(to: $0, where: isReadable) } ?? false
          || member.invitation.flatMap { invitations[$0] }.map { isWithin($0, epoch) } ?? false
        if isKnown {
          known.insert(epoch.key.id)
          isNew = true
        }
      }
    }
    return known
  }

  /// Members who lack the key of an epoch, since they were let in while it began, or go on from a
  /// home that was put back from before.
  package var missingKeys: [(epoch: EpochKey, members: [Member])] {
    let members = expected.map { (member: $0, known: epochs(knownFor: $0)) }
    return epochs.compactMap { epoch in
      let missing = members.filter { !$0.known.contains(epoch.key.id) }.map(\.member)
      return missing.isEmpty ? nil : (epoch.key, missing)
    }
  }

  /// Whether a recovery code is told by a machine for itself: not only by one that it goes on for,
  /// and again since it knows that another one goes on for it, or has another role.
  ///
  /// - Parameters:
  ///   - id: The code's id.
  ///   - stream: The machine.
  /// - Returns: False as well for a code of somebody else.
  func isTold(_ id: [UInt8], by stream: StreamID) -> Bool {
    invitations[id]?.records.contains { record in
      record.stream == stream && (successions[stream] ?? []).allSatisfy { record.knows($0) }
        && (standing(stream)?.covers(record) ?? true)
    } ?? false
  }

  /// Recovery codes and subscriptions that lack the key of an epoch, since their admin and the one
  /// who began it did not know of each other.
  package var missingRecoveryKeys: [(epoch: EpochKey, codes: [Invitation])] {
    let codes = openCodes { $0.isRecovery || $0.subscription != nil }
    return epochs.compactMap { epoch in
      let missing = codes.filter { !has($0, epoch) }
      return missing.isEmpty ? nil : (epoch.key, missing)
    }
  }
}
