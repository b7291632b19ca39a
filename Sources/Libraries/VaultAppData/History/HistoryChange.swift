/// A change of one object.
public enum HistoryChange: Sendable {
  /// The object was inserted.
  case insert(any HistoryInsert)
  /// The object was changed.
  case update(any HistoryUpdate)
  /// The object was deleted.
  case delete(any HistoryDelete)

  /// The object's identifier.
  public var changedPersistentIdentifier: PersistentIdentifier {
    switch self {
    case .insert(let change): change.changedPersistentIdentifier
    case .update(let change): change.changedPersistentIdentifier
    case .delete(let change): change.changedPersistentIdentifier
    }
  }
}
