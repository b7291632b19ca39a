public import FoundationEssentials
import VaultCredentials
import VaultSealing

extension SyncedVault {
  /// What a machine changed since a moment that still stands: what taking it back would do.
  ///
  /// The machine may be in or out. The store is not asked: bring the two together first. Of each
  /// record the time is that which its machine wrote into it; but what knows a record from after the
  /// moment, of whatever machine, is from after it, too.
  ///
  /// ```swift
  /// let found = try laptop.changes(by: "desktop", since: .now.addingTimeInterval(-86_400))
  /// for item in found.items { print(item.name, item.outcome.rawValue) }
  /// ```
  ///
  /// - Parameters:
  ///   - device: The machine's label, or the beginning of its id.
  ///   - copies: Whether those that go on from copies of its home are meant, too.
  ///   - time: The moment.
  /// - Returns: What would be taken back. Nothing is changed.
  /// - Throws: ``SyncError`` with code `.deviceNotFound`, `.notJoined`, `.copied`, `.tampered`;
  ///   `.unavailable`, `.withheld` where first records are in the store alone; what reading the
  ///   vault throws.
  public func changes(
    by device: String, copies: Bool = false, since time: Date
  ) throws -> SyncReversion {
    try Reverting(exchange).changes(by: device, withCopies: copies, since: time)
  }

  /// Takes the records that the store has, and tells nothing: the vault stays as it is.
  ///
  /// What was changed here goes out with the removal, so that the one who is removed cannot read it.
  ///
  /// - Throws: As ``synchronize(acceptingRollback:)``, also what is wrong with the store.
  package func fetch(acceptingRollback: Bool = false) throws {
    try Reverting(exchange).fetch(acceptingRollback: acceptingRollback)
  }

  /// Removes a machine, and takes back what it changed since a moment and that still stands.
  ///
  /// A machine that is out already stays out. What was there before comes back property by property;
  /// what others changed since stays. The values that the machine wrote become earlier versions, and
  /// what it made goes into the trash: nothing is lost, and an undo takes it back.
  ///
  /// - Parameters:
  ///   - device: The machine's label, or the beginning of its id.
  ///   - copies: Whether those that go on from copies of its home are removed, too.
  ///   - time: The moment; ``changes(by:copies:since:)`` says what is changed.
  /// - Returns: What was taken back.
  /// - Throws: As ``remove(_:copies:)`` and ``changes(by:copies:since:)``; `.notAllowed` also for this
  ///   machine.
  @discardableResult
  public func remove(
    _ device: String, copies: Bool = false, revertingSince time: Date
  ) throws -> SyncReversion {
    try Reverting(exchange).remove(device, withCopies: copies, revertingSince: time)
  }

  /// Checks that this machine may remove another one, or has nothing to remove since that is out.
  ///
  /// - Parameters:
  ///   - device: The machine's label, or the beginning of its id.
  ///   - copies: Whether those that go on from copies of its home are removed, too.
  /// - Throws: ``SyncError`` with code `.deviceNotFound`, `.notAllowed`, as far as this machine knows.
  package func checkRemoval(of device: String, copies: Bool = false) throws {
    try Reverting(exchange).checkRemoval(of: device, withCopies: copies)
  }
}
