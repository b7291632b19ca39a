/// The state of the copies in the keyring.
public struct CopyReport: Sendable, Equatable {
  /// Copies that hold what the vault holds.
  public internal(set) var current = 0
  /// Copies that are still to be made, brought up to date or removed.
  public internal(set) var pending = 0
  /// Names of items whose copy another program changed.
  public internal(set) var changedByOthers: [ItemName] = []
  /// Names of items whose copy is gone from the keyring.
  public internal(set) var missing: [ItemName] = []
  /// Names under which another program keeps an item, beside a copy or where one would be.
  public internal(set) var foreign: [String] = []
  /// Names of copies that a vault left in the keyring, of items that this vault does not publish.
  public internal(set) var leftovers: [String] = []
  /// Names of copies that a keyring which has lost its password cannot keep; they are among
  /// ``pending``.
  package internal(set) var breaking: [String] = []
}
