extension LockedVault {
  /// Ends the sessions of all vaults of this user, in every process, and what serves vaults of a home
  /// forgets their keys.
  ///
  /// No file is read.
  ///
  /// - Parameter state: The state folder of the home; `nil` for none.
  /// - Returns: Whether there was one.
  /// - Throws: What the kernel's key service says.
  package static func lockAll(state: String?) throws -> Bool {
    // Before the sessions: whatever the kernel says of those, nobody serves a vault any more.
    let wasServed = state.map { ServingPermit.withdrawAll(inState: $0) } ?? false
    let hadSession = try Session.endAll()
    return hadSession || wasServed
  }
}
