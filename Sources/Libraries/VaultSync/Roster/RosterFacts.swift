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

  /// A machine that cannot open what was sealed to it as the key of an epoch.
  struct Lack {
    let record: OpenedRecord
    let epoch: [UInt8]
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
  /// The newest of each epoch that a machine lacks.
  private(set) var lacks: [StreamID: [Lack]] = [:]
  private(set) var retirements: [Retirement] = []
  /// Those that go on for a machine, in the order of how much they know.
  private(set) var successors: [StreamID: [Claim]] = [:]
  /// Recovery codes by the machine that invites them, in the order of its records.
  private(set) var recoveryCodes: [StreamID: [Invite]] = [:]
  /// By their invitations, in the order of their hashes.
  private var byInvitation: [[UInt8]: [Claim]] = [:]
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
    for id in invites.keys { invites[id]?.sort { Self.precedes($0.record, $1.record) } }
    admissions.sort { Self.precedes($0.record, $1.record) }
    closings = Dictionary(grouping: admissions.filter(\.closes), by: \.invitation)
    epochs.sort { Self.precedes($0.record, $1.record) }
    for claim in claims.values {
      if let id = claim.invitation { byInvitation[id, default: []].append(claim) }
      if let stream = claim.predecessor { successors[stream, default: []].append(claim) }
    }
    for stream in successors.keys {
      successors[stream]?.sort { Self.precedes($0.record, $1.record) }
    }
    for invite in invites.values.joined() where invite.isRecovery {
      recoveryCodes[invite.record.stream, default: []].append(invite)
    }
    for stream in recoveryCodes.keys {
      recoveryCodes[stream]?.sort {
        $0.record.sequence == $1.record.sequence
          ? $0.id.lexicographicallyPrecedes($1.id) : $0.record.sequence < $1.record.sequence
      }
    }
    for id in byInvitation.keys {
      byInvitation[id]?.sort { $0.record.hash.lexicographicallyPrecedes($1.record.hash) }
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
    claims[record.stream] = claim
    if case .create? = record.content.operations.first { founder = claim }
  }

  private mutating func take(_ operation: Operation, _ record: OpenedRecord) {
    switch operation {
    case .invite(let id, let keys, let role, let uses, let expires):
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
      guard !retirements.contains(where: { $0.isAgain(retirement) }) else { return }
      retirements.append(retirement)
    case .epoch(let number, let id, let sealed):
      epochs.append(
        EpochTold(record: record, number: number, id: id, recipients: sealed.map(\.recipient)))
    case .lacks(let epoch):
      // A later one knows all that this one did.
      lacks[record.stream]?.removeAll { $0.epoch == epoch }
      lacks[record.stream, default: []].append(Lack(record: record, epoch: epoch))
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
    return records.first { $0.knows(record) }.map { !$0.knows(other) } ?? false
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
    (byInvitation[invite.id] ?? []).filter {
      $0.record.knows(invite.record)
        && checked.isSigned($0.signature, by: $0.stream, in: space, with: invite.keys.signing)
    }
  }
}
