extension LockedVault {
  /// Ends the sessions of all vaults of this user, in every process, and what serves vaults of a home
  /// forgets their keys.
  ///
  /// No file is read.
  ///
  /// - Parameter state: The state folder of the home; `nil` for none.
  /// - Returns: Whether there was one.
  /// - Throws: What the kernel's key service says; ``CredentialError`` with code `.permissionDenied`
  ///   if a process that serves a vault cannot be reached.
  package static func lockAll(state: String?) throws -> Bool {
    // Before the sessions: whatever the kernel says of those, nobody serves a vault any more.
    let served = Result {
      try state.map { try ServingPermit.withdraw(vaultID: nil, inState: $0) } ?? false
    }
    let hadSession = try Session.endAll()
    return try served.get() || hadSession
  }
}
