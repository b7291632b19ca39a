import VaultSealing

/// The rules by which records say who belongs to a space.
///
/// Whoever gives a role, takes one or removes somebody must come before the other one in the order
/// of ``Seniority``, which nobody can change afterwards. So what somebody says is judged when all
/// is judged that can touch it, and one pass, from the founder down, decides everything: it does
/// not depend on the order in which records came, and it always ends.
///
/// Documentation/design/sync-format.md, section 5; decision 11 has each rule's reason.
struct RosterRules {
  /// What the first record of a space says of its rules.
  static let version: UInt8 = 2

  /// What was found.
  struct Verdict {
    var tenures: [StreamID: [Tenure]] = [:]
    var invitations: [[UInt8]: Roster.Invitation] = [:]
  }

  /// A record that may give a role.
  private struct Candidate {
    enum Reason {
      case founding
      case admission(RosterFacts.Admission, RosterFacts.Invite)
      case change(RosterFacts.RoleChange)
    }

    let claim: RosterFacts.Claim
    let role: SyncRole
    let since: OpenedRecord
    let reason: Reason
    let key: Seniority

    init(_ claim: RosterFacts.Claim, _ role: SyncRole, since: OpenedRecord, _ reason: Reason) {
      self.claim = claim
      self.role = role
      self.since = since
      self.reason = reason
      key = Seniority(role, since: since, of: claim.record)
    }
  }

  /// An invitation as one record makes it.
  private struct InviteID: Hashable {
    let id: [UInt8]
    let record: [UInt8]

    init(_ invite: RosterFacts.Invite) {
      id = invite.id
      record = invite.record.hash
    }
  }

  private let facts: RosterFacts
  /// The roles of each machine, in the order of their places: so they are decided.
  private var tenures: [StreamID: [Tenure]] = [:]
  /// The latest end of the first of them, and of the first two, and so on.
  private var ends: [StreamID: [UInt64]] = [:]
  /// Those of admins and owners.
  private var rights: [StreamID: [Tenure]] = [:]
  private var takings: [StreamID: Takings] = [:]
  private var accepted: [InviteID: [StreamID]] = [:]
  /// Who claims an invitation by its key: of a thousand machines that came by one, found once.
  private var claimants: [InviteID: Set<StreamID>] = [:]

  /// Judges what records say.
  static func judge(_ facts: RosterFacts) -> Verdict {
    var rules = RosterRules(facts: facts)
    for candidate in rules.candidates { rules.judge(candidate) }
    return Verdict(tenures: rules.tenures, invitations: rules.invitations)
  }

  private init(facts: RosterFacts) { self.facts = facts }

  /// All that may give a role, who comes before first.
  private var candidates: [Candidate] {
    var all: [Candidate] = []
    if let founder = facts.founder {
      all.append(Candidate(founder, .owner, since: founder.record, .founding))
    }
    for admission in facts.admissions {
      for stream in Set(admission.streams) {
        guard let claim = facts.claims[stream], claim.invitation == admission.invitation else {
          continue
        }
        for invite in facts.invites[admission.invitation] ?? []
        where !invite.isRecovery && admission.record.knows(invite.record)
          && admission.record.knows(claim.record)
        {
          all.append(
            Candidate(
              claim, invite.role, since: admission.record, .admission(admission, invite)))
        }
      }
    }
    for change in facts.roles.values.joined() {
      guard let claim = facts.claims[change.stream] else { continue }
      all.append(Candidate(claim, change.role, since: change.record, .change(change)))
    }
    return all.sorted { $0.key < $1.key }
  }

  // MARK: - One at a time

  private mutating func judge(_ candidate: Candidate) {
    let stream = candidate.claim.stream
    var start: UInt64 = 0
    switch candidate.reason {
    case .founding: break
    case .admission(let admission, let invite):
      guard lets(candidate.claim, in: admission, by: invite) else { return }
      accepted[InviteID(invite), default: []].append(stream)
    case .change(let change):
      guard let author = authority(of: change.record), author.role >= change.role, change.end > 0,
        outranks(author.key, stream, after: change.end)
      else { return }
      start = change.end
    }
    let tenure = Tenure(
      role: candidate.role, key: candidate.key, since: candidate.since, start: start)
    add(tenure, to: stream)
  }

  /// Whether an admin's record lets a machine in.
  private mutating func lets(
    _ claim: RosterFacts.Claim, in admission: RosterFacts.Admission,
    by invite: RosterFacts.Invite
  ) -> Bool {
    let others = accepted[InviteID(invite)] ?? []
    guard others.count < invite.uses, !others.contains(claim.stream),
      let inviter = authority(of: invite.record), inviter.role >= invite.role,
      let author = authority(of: admission.record), author.role >= invite.role
    else { return false }
    let id = InviteID(invite)
    let all = claimants[id] ?? Set(facts.claims(of: invite).map(\.stream))
    claimants[id] = all
    return all.contains(claim.stream)
  }

  /// Adds a role of a machine, behind those of who stands for it: who came by the recovery codes of
  /// its vault, and who goes on with its home.
  private mutating func add(_ tenure: Tenure, to stream: StreamID) {
    var tenure = tenure
    tenure.end = end(of: tenure, stream)
    let codes = tenure.role >= .admin ? facts.recoveryCodes[stream] ?? [] : []
    var word: CodesWord?
    for code in codes where tenure.covers(code.record) {
      let claims = facts.claims(of: code).sorted { RosterFacts.precedes($0.record, $1.record) }
      for claim in claims where !isPassedOn(code, for: claim, tenure) {
        if word?.tenure.end != tenure.end { word = CodesWord(tenure, of: stream, facts) }
        guard let word, !isWithdrawn(code, for: claim, word) else { continue }
        accepted[InviteID(code), default: []].append(claim.stream)
        // It stands for the machine in whose vault the code is, which may be lost: it comes right
        // before that one.
        let key = tenure.key.before(code.record, claim.record)
        add(Tenure(role: tenure.role, key: key, since: code.record, start: 0), to: claim.stream)
        tenure.end = end(of: tenure, stream)
      }
    }
    for successor in facts.successors[stream] ?? [] {
      // What ended a right of the machine ends that of its successor, if who did it did not know
      // of him. So it does not matter here how long this one lasts.
      let key = tenure.key.before(successor: successor.record)
      add(Tenure(role: tenure.role, key: key, since: tenure.since, start: 0), to: successor.stream)
      tenure.end = end(of: tenure, stream)
    }
    tenures[stream, default: []].append(tenure)
    ends[stream, default: []].append(max(ends[stream]?.last ?? 0, tenure.end))
    if tenure.role >= .admin { rights[stream, default: []].append(tenure) }
  }

  /// What a machine's word on its own recovery codes is worth.
  private struct CodesWord {
    /// The machine's role.
    let tenure: Tenure
    /// The same, until somebody who came by one of its codes removed it, or took its role, and had
    /// not seen what it says then.
    let own: Tenure

    init(_ tenure: Tenure, of stream: StreamID, _ facts: RosterFacts) {
      let others = Set(
        (facts.recoveryCodes[stream] ?? []).filter { tenure.covers($0.record) }
          .flatMap { facts.claims(of: $0).map(\.stream) })
      var own = tenure
      for removal in facts.removals[stream] ?? [] where others.contains(removal.record.stream) {
        own.end = min(own.end, removal.end)
      }
      for change in facts.roles[stream] ?? []
      where others.contains(change.record.stream) && change.role < tenure.role {
        own.end = min(own.end, change.end)
      }
      (self.tenure, self.own) = (tenure, own)
    }
  }

  /// Whether a recovery code was withdrawn before somebody came by it.
  ///
  /// The machine that has the code says who is in by it, unless somebody who came by one of its
  /// codes has removed it, or taken its role, and had not seen this: that machine may have been
  /// stolen, and say so afterwards. Not if others had seen it who were in already and did not know
  /// of the claim, more than those who saw the claim first: then it is of an old copy of the store.
  /// Those who come before the machine
  /// close the code to all whom they had not seen.
  private func isWithdrawn(
    _ code: RosterFacts.Invite, for claim: RosterFacts.Claim, _ word: CodesWord
  ) -> Bool {
    let owner = code.record.stream
    return (facts.closings[code.id] ?? []).contains { settling in
      guard !settling.streams.contains(claim.stream) else { return false }
      if settling.record.stream == owner {
        return word.own.covers(settling.record)
          || word.tenure.covers(settling.record)
            && isWitnessed(settling.record, against: claim, owner)
      }
      guard let author = authority(of: settling.record), author.key < word.tenure.key else {
        return false
      }
      return !settling.record.knows(claim.record)
    }
  }

  /// Whether somebody has seen that a recovery code was withdrawn, and not who claims it.
  ///
  /// Only machines count of which the claim itself knew that they were in, so that a thief of the
  /// code's machine brings no witnesses of his own; and none of that machine's homes, nor who came
  /// by its codes. Their rights are judged later, so this asks only who had let them in: the machine
  /// itself, or one of the others. Without the machine's word none of them closes anything.
  private func isWitnessed(
    _ settling: OpenedRecord, against claim: RosterFacts.Claim, _ owner: StreamID
  ) -> Bool {
    let known = Dictionary(
      grouping: facts.admissions.filter { claim.record.knows($0.record) }, by: \.record.stream)
    let removed = Set(
      facts.removals.filter { _, removals in
        removals.contains { $0.record.stream == owner && claim.record.knows($0.record) }
      }.keys)
    var witnesses: Set<StreamID> = []
    var letting = [owner]
    while let author = letting.popLast() {
      for stream in (known[author] ?? []).flatMap(\.streams)
      where stream != owner && !witnesses.contains(stream) && !removed.contains(stream)
        && isOfAnother(stream, than: owner, knownTo: claim.record)
      {
        witnesses.insert(stream)
        letting.append(stream)
      }
    }
    // Of those who saw one of the two first, more decide: a single one may lie.
    let closed = witnesses.count { facts.hasSeen(settling, $0, without: claim.record) }
    return closed > witnesses.count { facts.hasSeen(claim.record, $0, without: settling) }
  }

  /// Whether a machine came by an invitation of its own, as a claim knew.
  private func isOfAnother(
    _ stream: StreamID, than owner: StreamID, knownTo claim: OpenedRecord
  ) -> Bool {
    guard let own = facts.claims[stream], claim.knows(own.record), let id = own.invitation else {
      return false
    }
    return !(facts.recoveryCodes[owner] ?? []).contains { $0.id == id }
  }

  /// Whether a recovery code is that of a successor for who comes by it: he knew that the successor
  /// has told it again, and the machine before has not told it again since.
  private mutating func isPassedOn(
    _ code: RosterFacts.Invite, for claim: RosterFacts.Claim, _ tenure: Tenure
  ) -> Bool {
    (facts.successors[code.record.stream] ?? []).contains { successor in
      (facts.recoveryCodes[successor.stream] ?? []).contains { again in
        again.id == code.id && again.keys == code.keys && claim.record.knows(again.record)
          && !code.record.knows(again.record)
          && end(of: tenure, successor.stream) >= again.record.sequence
      }
    }
  }

  /// When a role ends: with the first record that takes it and counts.
  private mutating func end(of tenure: Tenure, _ stream: StreamID) -> UInt64 {
    var known: [StreamID: UInt64] = [:]
    return end(of: tenure, stream, &known)
  }

  /// The same, with when it would end if it were that of other machines of the line, as far as known.
  private mutating func end(
    of tenure: Tenure, _ stream: StreamID, _ known: inout [StreamID: UInt64]
  ) -> UInt64 {
    if let end = known[stream] { return end }
    var end = UInt64.max
    for sayings in learned(of: stream).all {
      let first = sayings.first(against: tenure, without: nil) {
        isTaken(tenure, stream, by: $0, &known)
      }
      end = first.reduce(end) { min($0, $1.end) }
    }
    if isTakenWithPredecessor(tenure, stream, &known) { end = 0 }
    known[stream] = end
    return end
  }

  /// What takes roles from a machine, with whose word it is as far as is decided.
  private mutating func learned(of stream: StreamID) -> Takings {
    var known = takings.removeValue(forKey: stream) ?? Takings(facts, of: stream)
    known.learn({ rights[$0] ?? [] }, outranks: { outranks($0, stream, after: $1) })
    takings[stream] = known
    return known
  }

  /// Whether a right was taken from the machine that one goes on for, by a record whose writer did
  /// not know of this one.
  private mutating func isTakenWithPredecessor(
    _ tenure: Tenure, _ stream: StreamID, _ known: inout [StreamID: UInt64]
  ) -> Bool {
    let line = facts.line(of: stream)
    for (successor, predecessor) in zip(line, line.dropFirst()) {
      let own = predecessor.stream
      for sayings in learned(of: own).all {
        let first = sayings.first(against: tenure, without: successor.record) {
          isTaken(tenure, own, by: $0, &known)
            // What a machine says of itself when it is out already does not count.
            && ($0.record.stream != own || end(of: tenure, own, &known) >= $0.record.sequence)
        }
        guard first.isEmpty else { return true }
      }
    }
    return false
  }

  /// Whether a record takes a role from a machine: its own, that of one that goes on for it or that
  /// it goes on for, or one of somebody who comes before.
  private mutating func isTaken(
    _ tenure: Tenure, _ stream: StreamID, by taking: Takings.Taking,
    _ known: inout [StreamID: UInt64]
  ) -> Bool {
    let record = taking.record
    if record.stream == stream { return true }
    if facts.goesOn(record.stream, for: stream),
      tenures[record.stream]?.contains(where: { $0.covers(record) }) ?? false
    {
      return true
    }
    if facts.goesOn(stream, for: record.stream) {
      // A copy is of who has the original, unless that one knew that it was out by a successor.
      let isOut = (facts.removals[record.stream] ?? []).contains { removal in
        facts.goesOn(removal.record.stream, for: record.stream) && record.knows(removal.record)
      }
      return !isOut && end(of: tenure, record.stream, &known) >= record.sequence
    }
    return taking.outranks && (taking.authority.map { $0 < tenure.key } ?? false)
  }

  /// Whether a place comes before all that a machine has after one of its records.
  private func outranks(_ place: Seniority, _ stream: StreamID, after number: UInt64) -> Bool {
    let count = (tenures[stream] ?? []).firstIndex(ofMonotonic: { place < $0.key })
    return count == 0 || (ends[stream]?[count - 1] ?? 0) <= number
  }

  /// The right of an admin or owner by which a record was written; the first one of several.
  private func authority(of record: OpenedRecord) -> Tenure? {
    rights[record.stream]?.first { $0.covers(record) }
  }

  // MARK: - Invitations

  private var invitations: [[UInt8]: Roster.Invitation] {
    var all: [[UInt8]: Roster.Invitation] = [:]
    for (id, invites) in facts.invites {
      let counted = invites.filter { invite in
        authority(of: invite.record).map { $0.role >= invite.role } ?? false
      }
      guard let first = counted.first else { continue }
      // A machine that goes on for another one invites the codes of its vault again.
      let line = counted.filter { invite in
        let (own, other) = (invite.record.stream, first.record.stream)
        return own == other || facts.goesOn(own, for: other)
      }
      let last = line.max {
        facts.generation(of: $0.record.stream) < facts.generation(of: $1.record.stream)
      }
      guard let invite = last, let inviter = authority(of: invite.record) else { continue }
      var invitation = invite.invitation
      invitation.records = line.map(\.record)
      invitation.accepted = line.flatMap { accepted[InviteID($0)] ?? [] }
      let belonging = Set(invitation.accepted)
      invitation.refused = facts.claims(of: first).map(\.stream).filter { !belonging.contains($0) }
      invitation.isSettled = (facts.closings[id] ?? []).contains { settling in
        guard let author = authority(of: settling.record) else { return false }
        guard invite.isRecovery else { return author.role >= invite.role }
        return settling.record.stream == invite.record.stream || author.key < inviter.key
      }
      all[id] = invitation
    }
    return all
  }
}
