package import VaultSealing

/// Who belongs to a space, and what each of them may do: a function of its records.
///
/// Documentation/sync-format.md, section 5.
package struct Roster: Sendable {
  package struct Member: Sendable {
    package let stream: StreamID
    package let label: String
    package let role: SyncRole
    package let keys: PublicKeys
    /// When it joined, by its own clock.
    package let joined: Int64
    /// The invitation by which it came; `nil` for the one that made the space.
    package let invitation: [UInt8]?
    /// The last record that counts, if it was removed.
    package var last: UInt64?
  }

  package struct Invitation: Sendable {
    package let id: [UInt8]
    package let keys: PublicKeys
    package let role: SyncRole
    package let uses: Int
    package let expires: Int64
    fileprivate let record: OpenedRecord
    /// The stream of the admin who invites.
    package var inviter: StreamID { record.stream }
    /// Whether its code is a recovery code, which lets an admin in at any time.
    package var isRecovery: Bool { expires == .max && role == .admin }
    /// Whether an admin has said who is in.
    package fileprivate(set) var isSettled = false
    package fileprivate(set) var accepted: [StreamID] = []
    package fileprivate(set) var refused: [StreamID] = []

    /// When an admin says who is in, if there is still room: a machine that joined in time may be
    /// on its way for a day.
    var settled: Int64 {
      let (time, overflow) = expires.addingReportingOverflow(86_400_000)
      return overflow ? .max : time
    }
  }

  /// An epoch's key, and who was told it.
  package struct Epoch: Sendable {
    package let key: EpochKey
    /// Streams and invitations.
    package fileprivate(set) var recipients: Set<[UInt8]>
    fileprivate var records: [OpenedRecord]
  }

  /// All that ever were members.
  package private(set) var members: [StreamID: Member] = [:]
  package private(set) var invitations: [[UInt8]: Invitation] = [:]
  package private(set) var epochs: [Epoch] = []
  /// The stream of the machine that made the space.
  package let creator: StreamID?

  private struct Told<Value> {
    let record: OpenedRecord
    let value: Value
  }

  private struct Claim {
    let keys: PublicKeys
    let label: String
    let signature: [UInt8]
  }

  /// Who belongs to the space after some records.
  ///
  /// - Parameters:
  ///   - history: The records.
  ///   - frontier: How far each stream counts.
  package init(_ history: SpaceHistory, upTo frontier: Frontier) {
    var claims: [[UInt8]: [Told<Claim>]] = [:]
    var invites: [Told<Invitation>] = []
    var settles: [Told<(invitation: [UInt8], accepted: [StreamID])>] = []
    var removals: [Told<(stream: StreamID, last: UInt64)>] = []
    var founder: Member?
    for record in history.all where record.sequence <= frontier[record.stream, default: 0] {
      for operation in record.content.operations {
        switch operation {
        case .create(let keys, _, let label) where record.sequence == 1:
          founder = Member(
            stream: record.stream, label: label, role: .admin, keys: keys,
            joined: record.content.time, invitation: nil)
        case .claim(let keys, let invitation, let label, let signature)
        where record.sequence == 1:
          claims[invitation, default: []].append(
            Told(record: record, value: Claim(keys: keys, label: label, signature: signature)))
        case .invite(let id, let keys, let role, let uses, let expires):
          invites.append(
            Told(
              record: record,
              value: Invitation(
                id: id, keys: keys, role: role, uses: Int(uses), expires: expires, record: record)))
        case .settle(let invitation, let accepted):
          settles.append(Told(record: record, value: (invitation, accepted)))
        case .remove(let stream, let last):
          removals.append(Told(record: record, value: (stream, last)))
        default: break
        }
      }
    }
    creator = founder?.stream
    guard let founder else { return }
    // Of two that have one id the same counts everywhere, in whatever order they came.
    invites.sort { Self.precedes($0.record, $1.record) }
    removals.sort { Self.precedes($0.record, $1.record) }
    members = [founder.stream: founder]
    // Whoever is in may let others in: until nobody is added. Chains are as long as there are
    // invitations.
    for _ in 0...invites.count + removals.count {
      let before = members
      let last = validRemovals(removals)
      invitations = [:]
      var next = [founder.stream: founder]
      for invite in invites where isAdmin(invite.record, last) {
        guard invitations[invite.value.id] == nil else { continue }
        var invitation = invite.value
        let valid = claims[invitation.id, default: []]
          .filter { Self.isValid($0, invitation, history) }
          .sorted { $0.record.hash.lexicographicallyPrecedes($1.record.hash) }
        let told = settles.filter {
          $0.value.invitation == invitation.id && isAdmin($0.record, last)
        }
        invitation.isSettled = !told.isEmpty
        let chosen = Set(told.flatMap(\.value.accepted))
        let accepted =
          told.isEmpty
          ? Array(valid.prefix(invitation.uses))
          : valid.filter { chosen.contains($0.record.stream) }
        invitation.accepted = accepted.map(\.record.stream)
        invitation.refused = valid.map(\.record.stream).filter {
          !invitation.accepted.contains($0)
        }
        for claim in accepted {
          next[claim.record.stream] = Member(
            stream: claim.record.stream, label: claim.value.label, role: invitation.role,
            keys: claim.value.keys, joined: claim.record.content.time, invitation: invitation.id)
        }
        invitations[invitation.id] = invitation
      }
      for (stream, end) in last { next[stream]?.last = end }
      members = next
      if Set(before.keys) == Set(next.keys), before.mapValues(\.last) == next.mapValues(\.last) {
        break
      }
    }
    takeEpochs(history, frontier)
  }

  /// Who is in now.
  package var present: [Member] {
    members.values.filter { $0.last == nil }.sorted {
      ($0.joined, $0.stream) < ($1.joined, $1.stream)
    }
  }

  /// What a machine is called; `other` where that is not known, or no word for a name.
  func shownLabel(of stream: StreamID?) -> String {
    let label = stream.flatMap { members[$0]?.label } ?? ""
    return SyncedVault.isLabel(label) ? label : "other"
  }

  /// Whether what a record says of items counts.
  package func counts(_ record: OpenedRecord) -> Bool { record.sequence <= limit(record.stream) }

  /// The last record of a stream that says something of items, as far as that is decided.
  func limit(_ stream: StreamID) -> UInt64 {
    guard let member = members[stream], member.role >= .writer else { return 0 }
    return member.last ?? .max
  }

  /// A record that another one knows comes before it.
  private static func precedes(_ left: OpenedRecord, _ right: OpenedRecord) -> Bool {
    left.depth == right.depth
      ? left.hash.lexicographicallyPrecedes(right.hash) : left.depth < right.depth
  }

  /// The last record of each stream that was removed.
  ///
  /// A removal counts unless its author knew that he had been removed: two admins who remove each
  /// other are both out.
  private func validRemovals(
    _ removals: [Told<(stream: StreamID, last: UInt64)>]
  ) -> [StreamID: UInt64] {
    var valid: [Told<(stream: StreamID, last: UInt64)>] = []
    for removal in removals {
      let author = removal.record.stream
      // Everybody may go by himself.
      guard members[author]?.role == .admin || author == removal.value.stream,
        !valid.contains(where: { $0.value.stream == author && removal.record.knows($0.record) })
      else { continue }
      valid.append(removal)
    }
    return valid.reduce(into: [:]) { last, removal in
      last[removal.value.stream] = min(
        last[removal.value.stream] ?? .max, removal.value.last)
    }
  }

  private func isAdmin(_ record: OpenedRecord, _ last: [StreamID: UInt64]) -> Bool {
    members[record.stream]?.role == .admin
      && record.sequence <= last[record.stream] ?? .max
  }

  private static func isValid(
    _ claim: Told<Claim>, _ invitation: Invitation, _ history: SpaceHistory
  ) -> Bool {
    claim.record.content.time <= invitation.expires && claim.record.knows(invitation.record)
      && history.claims.isSigned(
        claim.value.signature, by: claim.record.stream, in: history.space,
        with: invitation.keys.signing)
  }

  /// What the key of an invitation signs, to let a machine in.
  package static func claimed(by stream: StreamID, in space: SpaceID) -> [UInt8] {
    Array("VSR1/claim".utf8) + space.bytes + stream.bytes
  }

  // MARK: - Epochs

  private mutating func takeEpochs(_ history: SpaceHistory, _ frontier: Frontier) {
    let last = members.compactMapValues(\.last)
    epochs = history.epochs.map { Epoch(key: $0, recipients: [], records: []) }
    for record in history.all
    where record.sequence <= frontier[record.stream, default: 0] && isAdmin(record, last) {
      for operation in record.content.operations {
        guard case .epoch(let number, let id, let sealed) = operation,
          let position = epochs.firstIndex(where: { $0.key.number == number && $0.key.id == id })
        else { continue }
        epochs[position].records.append(record)
        epochs[position].recipients.insert(record.stream.bytes)
        for entry in sealed { epochs[position].recipients.insert(entry.recipient) }
      }
    }
    // A key that no admin told is none to write with.
    epochs.removeAll { $0.records.isEmpty }
  }

  /// Whether a member can have the key of an epoch.
  private func has(_ member: Member, _ epoch: Epoch) -> Bool {
    if epoch.recipients.contains(member.stream.bytes) { return true }
    guard let id = member.invitation else { return false }
    if epoch.recipients.contains(id) { return true }
    guard let invitation = invitations[id] else { return false }
    return epoch.records.contains { invitation.record.knows($0) }
  }

  /// The ids of the keys that a member can have.
  func keys(knownTo member: Member) -> Set<[UInt8]> {
    Set(epochs.filter { has(member, $0) }.map(\.key.id))
  }

  /// The key that new records are sealed with: of the newest epoch, if possible one that nobody has
  /// who was removed.
  package var current: EpochKey? {
    let newest = epochs.map(\.key.number).max()
    return epochs.filter { $0.key.number == newest }.min { left, right in
      let (a, b) = (isKnownToRemoved(left), isKnownToRemoved(right))
      if a != b { return !a }
      return left.key.id.lexicographicallyPrecedes(right.key.id)
    }?.key
  }

  private func isKnownToRemoved(_ epoch: Epoch) -> Bool {
    members.values.contains { $0.last != nil && has($0, epoch) }
  }

  /// Whether somebody who was removed can read what is written now.
  package var needsNewEpoch: Bool {
    guard let current, let epoch = epochs.first(where: { $0.key.id == current.id })
    else { return false }
    return isKnownToRemoved(epoch)
  }

  /// Members who lack the key of an epoch, since they were let in while it began.
  package var missingKeys: [(epoch: EpochKey, members: [Member])] {
    epochs.compactMap { epoch in
      let missing = present.filter { !has($0, epoch) }
      return missing.isEmpty ? nil : (epoch.key, missing)
    }
  }

  /// The recovery codes that open the space.
  ///
  /// - Parameter stream: Only those of this machine's vault; `nil` for all.
  /// - Returns: The codes, sorted by id.
  func recoveryCodes(of stream: StreamID? = nil) -> [Invitation] {
    invitations.values.filter {
      $0.isRecovery && !$0.isSettled && (stream == nil || $0.inviter == stream)
    }
    .sorted { $0.id.lexicographicallyPrecedes($1.id) }
  }

  /// Recovery codes that lack the key of an epoch, since their admin and the one who began it did
  /// not know of each other.
  package var missingRecoveryKeys: [(epoch: EpochKey, codes: [Invitation])] {
    epochs.compactMap { epoch in
      let missing = recoveryCodes().filter { code in
        !epoch.recipients.contains(code.id) && !epoch.records.contains { code.record.knows($0) }
      }
      return missing.isEmpty ? nil : (epoch.key, missing)
    }
  }

  /// Invitations that somebody can still use.
  package func openInvitations(at time: Int64) -> [Invitation] {
    invitations.values.filter {
      !$0.isSettled && $0.accepted.count < $0.uses && $0.expires >= time
    }
    .sorted { $0.id.lexicographicallyPrecedes($1.id) }
  }
}
