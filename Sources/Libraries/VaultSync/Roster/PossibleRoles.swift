import VaultSealing

/// The most that each machine may ever have been, found without judging what counts.
///
/// It is never less than what ``RosterRules`` find. What it costs grows with what was written, and no
/// faster: so what somebody says who never could say it is left out before anything is judged, and a
/// reader's million words cost what it takes to read them.
///
/// Documentation/design/sync-format.md, section 5, "What is not heard".
struct PossibleRoles {
  private let facts: RosterFacts
  private var most: [StreamID: SyncRole] = [:]

  /// What an invitation comes to, whoever of its author's records has it.
  private struct Offer: Hashable {
    let id: [UInt8]
    let keys: PublicKeys
    let role: SyncRole
    let isRecovery: Bool
  }

  private struct Change: Hashable {
    let stream: StreamID
    let role: SyncRole
  }

  /// Finds what each machine may have been.
  ///
  /// - Parameter facts: What the records say, with their claims sorted.
  init(_ facts: RosterFacts) {
    self.facts = facts
    guard let founder = facts.founder else { return }
    var offers: [StreamID: [Offer: RosterFacts.Invite]] = [:]
    for invite in facts.invites.values.joined() {
      let offer = Offer(
        id: invite.id, keys: invite.keys, role: invite.role, isRecovery: invite.isRecovery)
      offers[invite.record.stream, default: [:]][offer] = invite
    }
    var changes: [StreamID: Set<Change>] = [:]
    for change in facts.roles.values.joined() where facts.claims[change.stream] != nil {
      changes[change.record.stream, default: []].insert(
        Change(stream: change.stream, role: change.role))
    }
    var waiting: [(stream: StreamID, role: SyncRole)] = [(founder.stream, .owner)]
    while let (stream, role) = waiting.popLast() {
      if let known = most[stream], known >= role { continue }
      most[stream] = role
      for successor in facts.successors[stream] ?? [] { waiting.append((successor.stream, role)) }
      guard role >= .admin else { continue }
      for (offer, invite) in offers[stream] ?? [:] {
        // Who comes by a machine's recovery code is what that machine is.
        let given = offer.isRecovery ? max(offer.role, role) : offer.role
        for claim in facts.signedClaims(of: invite) { waiting.append((claim.stream, given)) }
      }
      for change in changes[stream] ?? [] { waiting.append((change.stream, change.role)) }
    }
  }

  /// Whether a record's writer may have been an admin or an owner.
  func rules(_ record: OpenedRecord) -> Bool { most[record.stream].map { $0 >= .admin } ?? false }

  /// Whether a record's writer may have been more than a reader.
  func writes(_ record: OpenedRecord) -> Bool {
    most[record.stream].map { $0 >= .writer } ?? false
  }
}
