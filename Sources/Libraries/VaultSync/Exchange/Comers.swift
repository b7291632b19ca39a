/// Machines that came by a recovery code: nobody had to let them in.
extension Roster {
  /// The recovery code by which a machine came; `nil` for most.
  func recoveryCode(of member: Member) -> Invitation? {
    member.invitation.flatMap { invitations[$0] }.flatMap { $0.isRecovery ? $0 : nil }
  }

  /// Machines that are in by a recovery code and were not before, for an admin.
  ///
  /// - Parameters:
  ///   - former: Who was in before.
  ///   - own: This machine.
  /// - Returns: Their names, with those in whose vaults the codes are.
  func comersByCode(since former: Roster, _ own: StreamID) -> [SyncReport.CameByCode] {
    guard isAdmin(own), former.isAdmin(own) else { return [] }
    return present.compactMap { member in
      guard member.stream != own, member.predecessor == nil,
        former.members[member.stream] == nil, let code = recoveryCode(of: member)
      else { return nil }
      return SyncReport.CameByCode(
        label: shownLabel(of: member.stream), owner: shownLabel(of: code.inviter))
    }
  }
}
