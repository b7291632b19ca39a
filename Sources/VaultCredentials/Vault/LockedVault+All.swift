extension LockedVault {
  /// Ends the sessions of all vaults of this user, in every process.
  ///
  /// No file is read.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: What the kernel's key service says.
  package static func lockAll() throws -> Bool { try Session.endAll() }
}
