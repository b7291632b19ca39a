import Synchronization
import VaultStorage

/// The changes to the items of a vault between two reads, by any process.
public struct VaultChange: Sendable, Equatable {
  /// Items that are new, or came out of the trash, or have a name that they had not.
  public var added: [ItemName] = []
  /// Items whose secret, or whatever is known of them, is another.
  public var changed: [ItemName] = []
  /// Names that are gone: removed, or renamed.
  public var removed: [ItemName] = []

  init(from old: [String: ItemRecord], to new: [String: ItemRecord]) {
    for (name, record) in new {
      guard let before = old[name] else {
        added.append(ItemName(stored: name))
        continue
      }
      if before.id != record.id || before.version != record.version
        || before.modified != record.modified || before.hash != record.hash
      {
        changed.append(ItemName(stored: name))
      }
    }
    removed = old.keys.filter { new[$0] == nil }.map(ItemName.init(stored:)).sorted()
    added.sort()
    changed.sort()
  }

  var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }
}
