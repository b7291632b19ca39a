public import VaultCredentials
import VaultSealing

extension SyncedVault {
  /// Settles what two machines changed without knowing of each other; with the next
  /// ``synchronize(acceptingRollback:)`` it is settled on all of them.
  ///
  /// - Of two values of a secret the one that is current stays, or the machine's becomes current;
  ///   the other one is an earlier version.
  /// - Of two items that had one name both stay, or the machine's has the name and the secrets of
  ///   the other are an earlier version of it.
  /// - An item that was changed while it was removed for good stays in the trash, or comes out of
  ///   it where the machine is the one that changed it, or goes for good.
  ///
  /// The store is not asked.
  ///
  /// ```swift
  /// for item in try vault.blocking.items() where !item.conflicts.isEmpty {
  ///   try laptop.resolve(item.name, taking: "desktop")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The item; for two that had one name, either of them.
  ///   - machine: The label of the machine whose change is taken, or the beginning of its id; `nil`
  ///     leaves everything as it is.
  /// - Returns: The item as it is now.
  /// - Throws: `CredentialError` with code `.itemNotFound`; `.versionNotFound` if there is nothing
  ///   to settle; `.itemExists`, `.damaged`. ``SyncError`` with code `.deviceNotFound` for a
  ///   machine that made none of the changes, `.notJoined`, `.copied`, `.tampered`.
  @discardableResult
  public func resolve(_ name: ItemName, taking machine: String? = nil) throws -> Item {
    try Settling(exchange).resolve(name, taking: machine)
  }
}
