import VaultSealing

/// What records say of who belongs to a space, sorted out and not judged.
///
/// Documentation/design/sync-format.md, section 5. Of each stream it has at most one claim: what
/// its first record says first, under the stream's own keys.
struct RosterFacts {
  /// What a stream says of itself in its first record.
  struct Claim {
    let record: OpenedRecord
    let keys: PublicKeys
    let label: String
    /// The invitation, and what its key has signed; `nil` for the machine that made the space, and
    /// for one that goes on for another one.
    let invitation: [UInt8]?
    let signature: [UInt8]
    /// The stream that this one goes on for, as the key of that one has signed; else `nil`.
    let predecessor: StreamID?
    /// The rules that the space was made with; 0 but for the one that made it.
    let rules: UInt8
    var stream: StreamID { record.stream }
  }

  struct Invite {
    let id: [UInt8]
    let keys: PublicKeys
    let role: SyncRole
    let uses: Int
    let expires: Int64
    let record: OpenedRecord
    var isRecovery: Bool { expires == .max && role == .admin }

    var invitation: Roster.Invitation {
      Roster.Invitation(
        id: id, keys: keys, role: role, uses: uses, expires: expires, record: record,
        records: [record])
    }
  }

  /// Machines that a record lets in by an invitation, perhaps as the last ones.
  struct Admission {
    let record: OpenedRecord
    let invitation: [UInt8]
    let streams: [StreamID]
    let closes: Bool
  }

  struct Removal {
    let record: OpenedRecord
    let stream: StreamID
    /// The last record that counts, as its author says; rules after the first ones do not ask.
    let last: UInt64

    /// The last record of the removed machine that counts: all that its author had seen, and of
    /// somebody who leaves, the record that says so.
    var end: UInt64 { record.past[stream, default: 0] }
  }

  struct RoleChange {
    let record: OpenedRecord
    let stream: StreamID
    let role: SyncRole
    /// The last record that is written in the role before.
    var end: UInt64 { record.past[stream, default: 0] }
  }

  struct EpochTold {
    let record: OpenedRecord
    let number: UInt32
    let id: [UInt8]
    let recipients: [[UInt8]]
  }

  private(set) var founder: Claim?
  private(set) var claims: [StreamID: Claim] = [:]
  /// By their ids; of several with one id the first one, in an order that is the same everywhere.
  private(set) var invites: [[UInt8]: [Invite]] = [:]
  private(set) var admissions: [Admission] = []
  /// Those that close an invitation or a recovery code, by its id.
  private(set) var closings: [[UInt8]: [Admission]] = [:]
  private(set) var removals: [StreamID: [Removal]] = [:]
  private(set) var roles: [StreamID: [RoleChange]] = [:]
  private(set) var epochs: [EpochTold] = []
  /// The newest records in which a machine says that it cannot open what was sealed to it as the key
  /// of an epoch, by the ids of these.
  private(set) var lacks: [StreamID: [[UInt8]: OpenedRecord]] = [:]
  private(set) var retirements: [Retirement] = []
  /// Those that go on for a machine, in the order of how much they know.
  private(set) var successors: [StreamID: [Claim]] = [:]
  /// Recovery codes by the machine that invites them, in the order of its records.
  private(set) var recoveryCodes: [StreamID: [Invite]] = [:]
  /// The first machine of each line, and how many went on for it before a machine.
  private var places: [StreamID: (first: StreamID, number: Int)] = [:]
  /// By their invitations, in the order of their hashes.
  private var byInvitation: [[UInt8]: [Claim]] = [:]
  /// Which snapshots were said to be found right, by whom.
  private var retired: Set<Retirement.Name> = []
  private let space: SpaceID
  private let checked: CheckedClaims
  private let streams: [StreamID: [OpenedRecord]]
  private let frontier: Frontier

  /// Sorts out records.
  ///
  /// - Parameters:
  ///   - history: The records.
  ///   - frontier: How far each stream counts.
  init(_ history: RecordHistory, upTo frontier: Frontier) {
    space = history.space
    checked = history.claims
    (streams, self.frontier) = (history.streams, frontier)
    for record in history.ofSpace where record.sequence <= frontier[record.stream, default: 0] {
      if record.sequence == 1 { takeClaim(record) }
      var said: Set<Said> = []
      for operation in record.content.operations {
        // What a record says again it says once: a million times about one machine is no more.
        if let what = Said(operation), !said.insert(what).inserted { continue }
        take(operation, record)
      }
    }
    for claim in claims.values {
      if let id = claim.invitation { byInvitation[id, default: []].append(claim) }
      if let stream = claim.predecessor { successors[stream, default: []].append(claim) }
    }
    for id in byInvitation.keys {
      byInvitation[id]?.sort { $0.record.hash.lexicographicallyPrecedes($1.record.hash) }
    }
    for stream in successors.keys {
      successors[stream]?.sort { Self.precedes($0.record, $1.record) }
    }
    leaveOutWhatIsNotHeard()
    for id in invites.keys { invites[id]?.sort { Self.precedes($0.record, $1.record) } }
    admissions.sort { Self.precedes($0.record, $1.record) }
    for id in closings.keys { closings[id]?.sort { Self.precedes($0.record, $1.record) } }
    epochs.sort { Self.precedes($0.record, $1.record) }
    for invite in invites.values.joined() where invite.isRecovery {
      recoveryCodes[invite.record.stream, default: []].append(invite)
    }
    for stream in recoveryCodes.keys {
      recoveryCodes[stream]?.sort {
        $0.record.sequence == $1.record.sequence
          ? $0.id.lexicographicallyPrecedes($1.id) : $0.record.sequence < $1.record.sequence
      }
    }
  }

  /// What a record says of a machine, without what nobody asks for.
  private enum Said: Hashable {
    case role(StreamID, SyncRole)
    case removal(StreamID)

    init?(_ operation: Operation) {
      switch operation {
      case .role(let stream, let role): self = .role(stream, role)
      case .remove(let stream, _): self = .removal(stream)
      default: return nil
      }
    }
  }

  private mutating func takeClaim(_ record: OpenedRecord) {
    let claim: Claim
    switch record.content.operations.first {
    case .create(let keys, let nonce, let label, let rules)?:
      guard checked.isFounder(keys, nonce, of: space) else { return }
      claim = Claim(
        record: record, keys: keys, label: label, invitation: nil, signature: [],
        predecessor: nil, rules: rules)
    case .claim(let keys, let invitation, let label, let signature)?:
      claim = Claim(
        record: record, keys: keys, label: label, invitation: invitation, signature: signature,
        predecessor: nil, rules: 0)
    case .succeed(let keys, let predecessor, let label, let signature)?:
      // What a record knows was read before it.
      guard record.past[predecessor, default: 0] >= 1,
        let signing = claims[predecessor]?.keys.signing,
        checked.isSigned(signature, toSucceedBy: record.stream, in: space, with: signing)
      else { return }
      claim = Claim(
        record: record, keys: keys, label: label, invitation: nil, signature: signature,
        predecessor: predecessor, rules: 0)
    default: return
    }
    // Nothing is let in that keys cannot be sealed to: it could never be told one.
    guard checked.isStream(record.stream, of: claim.keys, in: space),
      checked.canSeal(to: claim.keys.sealing)
    else { return }
    if let predecessor = claim.predecessor {
      let place = places[predecessor] ?? (predecessor, 0)
      guard place.number < Heard.longestLine else { return }
      places[record.stream] = (place.first, place.number + 1)
    } else {
      places[record.stream] = (record.stream, 0)
    }
    claims[record.stream] = claim
    if case .create? = record.content.operations.first { founder = claim }
  }

  private mutating func take(_ operation: Operation, _ record: OpenedRecord) {
    switch operation {
    case .invite(let id, let keys, let role, let uses, let expires):
      guard checked.isInvitation(id, of: keys) else { return }
      invites[id, default: []].append(
        Invite(
          id: id, keys: keys, role: role, uses: Int(uses), expires: expires, record: record))
    case .settle(let invitation, let streams):
      admissions.append(
        Admission(record: record, invitation: invitation, streams: streams, closes: true))
    case .admit(let invitation, let streams):
      admissions.append(
        Admission(record: record, invitation: invitation, streams: streams, closes: false))
    case .remove(let stream, let last):
      removals[stream, default: []].append(Removal(record: record, stream: stream, last: last))
    case .role(let stream, let role):
      roles[stream, default: []].append(RoleChange(record: record, stream: stream, role: role))
    case .retire(let stream, let sequence):
      let retirement = Retirement(record: record, stream: stream, sequence: sequence)
      // Each is judged by all that it knows: so of a machine the first one of a snapshot counts.
      guard retired.insert(retirement.name).inserted else { return }
      retirements.append(retirement)
    case .epoch(let number, let id, let sealed):
      epochs.append(
        EpochTold(record: record, number: number, id: id, recipients: sealed.map(\.recipient)))
    case .lacks(let epoch):
      // A later one knows all that this one did.
      lacks[record.stream, default: [:]][epoch] = record
    default: break
    }
  }

  /// Whether a machine has written that it had seen a record when it had not seen another one.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - stream: The machine.
  ///   - other: The other record.
  /// - Returns: Whether one of its records says so.
  func hasSeen(_ record: OpenedRecord, _ stream: StreamID, without other: OpenedRecord) -> Bool {
    let records = (streams[stream] ?? []).prefix(Int(clamping: frontier[stream, default: 0]))
    // What one of them knows all that follow know.
    let first = records.firstIndex(ofMonotonic: { $0.knows(record) })
    return first < records.endIndex && !records[first].knows(other)
  }

  /// A record that another one knows comes before it.
  static func precedes(_ left: OpenedRecord, _ right: OpenedRecord) -> Bool {
    left.depth == right.depth
      ? left.hash.lexicographicallyPrecedes(right.hash) : left.depth < right.depth
  }

  /// A machine's claim, that of the one that it goes on for, and so on.
  ///
  /// - Parameter stream: The machine.
  /// - Returns: The claims, its own first.
  func line(of stream: StreamID) -> [Claim] {
    guard let own = claims[stream] else { return [] }
    // A claim knows that of its predecessor: it has an end.
    return Array(sequence(first: own) { $0.predecessor.flatMap { claims[$0] } })
  }

  /// The claims of an invitation that its key has signed, and whose writers knew it.
  ///
  /// - Parameter invite: The invitation.
  /// - Returns: The claims, in the order of their hashes.
  func claims(of invite: Invite) -> [Claim] {
    signedClaims(of: invite).filter { $0.record.knows(invite.record) }
  }

  /// The claims of an invitation that its key has signed; of a subscription none.
  func signedClaims(of invite: Invite) -> [Claim] {
    // A subscription is nobody's to claim: text stands where others have a signing key.
    guard invite.keys.subscriptionName == nil else { return [] }
    return (byInvitation[invite.id] ?? []).filter {
      checked.isSigned($0.signature, by: $0.stream, in: space, with: invite.keys.signing)
    }
  }

  /// Whether a machine goes on for another one, perhaps by way of others, as their keys have signed.
  func goesOn(_ stream: StreamID, for other: StreamID) -> Bool {
    guard let place = places[stream], let before = places[other], place.first == before.first,
      before.number < place.number
    else { return false }
    var line = stream
    for _ in before.number..<place.number { line = claims[line]?.predecessor ?? line }
    return line == other
  }

  /// The streams that go on for one, directly or not, by that one, which is the first of them.
  var families: [StreamID: [StreamID]] {
    var families: [StreamID: [StreamID]] = [:]
    for (stream, place) in places where place.number > 0 {
      families[place.first, default: [place.first]].append(stream)
    }
    return families
  }

  /// How many machines went on one after the other before a machine; 0 for most.
  func generation(of stream: StreamID) -> Int { places[stream]?.number ?? 0 }
}

// MARK: - What is not heard

extension RosterFacts {
  /// How much one machine can say of one thing.
  ///
  /// What goes beyond is not heard: it could only cost everybody time, and no honest machine comes near.
  ///
  /// Documentation/design/sync-format.md, section 5.
  enum Heard {
    /// Invitations with one id; of recovery codes, which are told again.
    static let (invites, codes) = (1, 64)
    /// Admissions of one machine by one invitation.
    static let admissions = 4
    static let closings = 64
    static let removals = 64
    /// Roles given to one machine: two a day for five years.
    static let roles = 4096
    /// Machines that go on one after the other.
    static let longestLine = 256
    /// Retirements that count for nothing, of one machine.
    static let vainRetirements = 64
  }

  /// What one machine says of one thing.
  private enum Topic: Hashable {
    case invite([UInt8])
    case admission([UInt8], StreamID)
    case closing([UInt8])
    case removal(StreamID)
    case role(StreamID)
  }

  private struct Topics {
    private struct Key: Hashable {
      let author: StreamID
      let topic: Topic
    }

    private var counts: [Key: Int] = [:]

    /// Whether a record is heard on something, of which its author has perhaps said enough.
    mutating func hears(_ record: OpenedRecord, _ topic: Topic, atMost limit: Int) -> Bool {
      let count = counts[Key(author: record.stream, topic: topic), default: 0]
      guard count < limit else { return false }
      counts[Key(author: record.stream, topic: topic)] = count + 1
      return true
    }
  }

  /// Leaves out what cannot count, whatever else was written: what somebody says of others who never
  /// could be an admin, and what one says too often.
  private mutating func leaveOutWhatIsNotHeard() {
    let possible = PossibleRoles(self)
    var topics = Topics()
    for id in invites.keys {
      invites[id]?.removeAll { invite in
        !possible.rules(invite.record)
          || !topics.hears(
            invite.record, .invite(id), atMost: invite.isRecovery ? Heard.codes : Heard.invites)
      }
    }
    admissions = admissions.compactMap { admission in
      let (record, id) = (admission.record, admission.invitation)
      guard possible.rules(record) else { return nil }
      if admission.closes, topics.hears(record, .closing(id), atMost: Heard.closings) {
        closings[id, default: []].append(admission)
      }
      let streams = admission.streams.filter {
        topics.hears(record, .admission(id, $0), atMost: Heard.admissions)
      }
      guard !streams.isEmpty else { return nil }
      return Admission(
        record: record, invitation: id, streams: streams, closes: admission.closes)
    }
    let places = places
    func isHeard(_ record: OpenedRecord, of stream: StreamID) -> Bool {
      // Of itself everybody may say something, and of whom it goes on for.
      possible.rules(record) || record.stream == stream
        || places[record.stream].map { $0.first == places[stream]?.first } ?? false
    }
    for stream in removals.keys {
      removals[stream]?.removeAll {
        !isHeard($0.record, of: stream)
          || !topics.hears($0.record, .removal(stream), atMost: Heard.removals)
      }
    }
    for stream in roles.keys {
      roles[stream]?.removeAll {
        !isHeard($0.record, of: stream)
          || !topics.hears($0.record, .role(stream), atMost: Heard.roles)
      }
    }
    epochs.removeAll { !possible.rules($0.record) }
    retirements.removeAll { !possible.writes($0.record) }
    // A key that nobody told nobody lacks.
    let told = Set(epochs.map(\.id))
    lacks = lacks.mapValues { $0.filter { told.contains($0.key) } }.filter { !$0.value.isEmpty }
  }
}

extension RandomAccessCollection {
  /// The first element for which something holds that holds for all behind it; the end if for none.
  func firstIndex(ofMonotonic holds: (Element) -> Bool) -> Index {
    var (low, count) = (startIndex, count)
    while count > 0 {
      let middle = index(low, offsetBy: count / 2)
      if holds(self[middle]) {
        count /= 2
      } else {
        low = index(after: middle)
        count -= count / 2 + 1
      }
    }
    return low
  }
}
