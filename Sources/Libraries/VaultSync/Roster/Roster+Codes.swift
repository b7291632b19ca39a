/// The invitations and recovery codes of a space.
extension Roster {
  /// Invitations and recovery codes that nobody has closed.
  ///
  /// - Parameter isMeant: Which of them.
  /// - Returns: The codes, sorted by id.
  func openCodes(where isMeant: (Invitation) -> Bool = { _ in true }) -> [Invitation] {
    invitations.values.filter { !$0.isSettled && isMeant($0) }
      .sorted { $0.id.lexicographicallyPrecedes($1.id) }
  }

  /// Whether somebody was put out who came by a recovery code, and so knows it.
  func isKnownToSomebodyPutOut(_ code: Invitation) -> Bool {
    members.values.contains { $0.invitation == code.id && $0.isPutOut }
  }

  /// Invitations and recovery codes that a machine has made, and nobody beside it: one that a copy
  /// of its home has told, too, is that one's as well.
  ///
  /// - Parameter stream: The machine.
  /// - Returns: The codes that are open, sorted by id.
  func codes(ofOnly stream: StreamID) -> [Invitation] {
    let line = line(of: stream)
    return openCodes { $0.records.allSatisfy { line.contains($0.stream) } }
  }

  /// The recovery codes that open the space.
  ///
  /// - Parameter stream: Only those of this machine's vault; `nil` for all.
  /// - Returns: The codes, sorted by id.
  func recoveryCodes(of stream: StreamID? = nil) -> [Invitation] {
    let line = stream.map(line(of:))
    return openCodes { $0.isRecovery && (line?.contains($0.inviter) ?? true) }
  }

  /// Invitations that somebody can still use.
  package func openInvitations(at time: Int64) -> [Invitation] {
    invitations.values.filter { !$0.hasEnded(at: time) }
      .sorted { $0.id.lexicographicallyPrecedes($1.id) }
  }
}
