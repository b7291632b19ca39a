/// A store that deletes the models that a predicate finds by itself.
///
/// ``ModelContext/delete(model:where:includeSubclasses:)`` asks it for classes without
/// relationships; others, and those of stores that are not this, are fetched and deleted one by
/// one.
public protocol DataStoreBatching: DataStore {
  /// Deletes models.
  ///
  /// - Parameter request: Which ones.
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` or ``DataStoreError/unsupportedFeature``,
  ///   for the context to delete them one by one; any other error is that of the context's call.
  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws
}

/// Which models of a class a store is to delete.
public struct DataStoreBatchDeleteRequest<T: PersistentModel> {
  /// Which context asks, and who its author is.
  public let editingState: EditingState
  /// Which models; `nil` for all.
  public let predicate: Predicate<T>?
  /// As it was given; the classes of a store of the program's own have no subclasses.
  public let includeSubclasses: Bool

  init(editingState: EditingState, predicate: Predicate<T>?, includeSubclasses: Bool) {
    self.editingState = editingState
    self.predicate = predicate
    self.includeSubclasses = includeSubclasses
  }
}
