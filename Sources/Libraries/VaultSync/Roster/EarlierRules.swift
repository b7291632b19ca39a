import VaultSealing

/// The rules of spaces that were made before ``RosterRules``: each admin may remove each other one,
/// and whoever claims an invitation first is in.
///
/// Such a space stays readable. What its records say of claims and founders is bound to their
/// streams, as in all others.
///
/// Documentation/design/sync-format.md, section 5, "Spaces of earlier versions".
struct EarlierRules {
  private struct Member {
    let claim: RosterFacts.Claim
    let role: SyncRole
    let since: OpenedRecord
    var last: UInt64?
  }

  private let facts: RosterFacts
  private var members: [StreamID: Member] = [:]
  private var invitations: [[UInt8]: Roster.Invitation] = [:]

  private init(facts: RosterFacts) { self.facts = facts }

  /// Judges what records say.
  static func judge(_ facts: RosterFacts) -> RosterRules.Verdict {
    guard let founder = facts.founder else { return RosterRules.Verdict() }
    var rules = EarlierRules(facts: facts)
    rules.judge(founder)
    var verdict = RosterRules.Verdict(invitations: rules.invitations)
    for (stream, member) in rules.members {
      verdict.tenures[stream] = [
        Tenure(
          role: member.role,
          key: Seniority(member.role, since: member.since, of: member.claim.record),
          since: member.claim.record, start: 0, end: member.last ?? .max)
      ]
    }
    return verdict
  }

  private mutating func judge(_ founder: RosterFacts.Claim) {
    let invites = facts.invites.values.joined()
      .sorted { RosterFacts.precedes($0.record, $1.record) }
    let removals = facts.removals.values.joined()
      .sorted { RosterFacts.precedes($0.record, $1.record) }
    let first = Member(claim: founder, role: .admin, since: founder.record)
    members = [founder.stream: first]
    // Whoever is in may let others in: until nobody is added. Chains are as long as there are
    // invitations.
    for _ in 0...invites.count + removals.count {
      let before = members.mapValues(\.last)
      let last = validRemovals(removals)
      invitations = [:]
      var next = [founder.stream: first]
      for invite in invites where isAdmin(invite.record, last) {
        guard invitations[invite.id] == nil else { continue }
        let invitation = judged(invite, last)
        for stream in invitation.accepted {
          guard let claim = facts.claims[stream] else { continue }
          next[stream] = Member(claim: claim, role: invite.role, since: invite.record)
        }
        invitations[invite.id] = invitation
      }
      for (stream, end) in last { next[stream]?.last = end }
      members = next
      if before == next.mapValues(\.last) { break }
    }
  }

  private func judged(
    _ invite: RosterFacts.Invite, _ last: [StreamID: UInt64]
  ) -> Roster.Invitation {
    var invitation = invite.invitation
    let valid = facts.claims(of: invite).filter {
      $0.record.content.time <= invite.expires
    }.map(\.stream)
    let told = (facts.closings[invite.id] ?? []).filter { isAdmin($0.record, last) }
    let chosen = Set(told.flatMap(\.streams))
    invitation.isSettled = !told.isEmpty
    invitation.accepted =
      told.isEmpty ? Array(valid.prefix(invite.uses)) : valid.filter { chosen.contains($0) }
    invitation.refused = valid.filter { !invitation.accepted.contains($0) }
    return invitation
  }

  /// The last record of each stream that was removed.
  ///
  /// A removal counts unless its author knew that he had been removed: two admins who remove each
  /// other are both out.
  private func validRemovals(_ removals: [RosterFacts.Removal]) -> [StreamID: UInt64] {
    var valid: [RosterFacts.Removal] = []
    for removal in removals {
      let author = removal.record.stream
      // Everybody may go by himself.
      guard members[author].map({ $0.role >= .admin }) ?? false || author == removal.stream,
        !valid.contains(where: { $0.stream == author && removal.record.knows($0.record) })
      else { continue }
      valid.append(removal)
    }
    return valid.reduce(into: [:]) { last, removal in
      last[removal.stream] = min(last[removal.stream] ?? .max, removal.last)
    }
  }

  private func isAdmin(_ record: OpenedRecord, _ last: [StreamID: UInt64]) -> Bool {
    members[record.stream].map { $0.role >= .admin } ?? false
      && record.sequence <= last[record.stream] ?? .max
  }
}
