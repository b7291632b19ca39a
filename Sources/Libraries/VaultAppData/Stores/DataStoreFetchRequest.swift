/// The models that a context asks a store for.
public struct DataStoreFetchRequest<T: PersistentModel> {
  /// Which models, in which order.
  public let descriptor: FetchDescriptor<T>
  /// Which context asks, and who its author is.
  public let editingState: EditingState

  /// Whether a model is of a class that is asked for.
  ///
  /// The request's own or, unless the description leaves them out, one that inherits from it. Not
  /// part of SwiftData.
  ///
  /// - Parameter identifier: The model's.
  /// - Returns: Whether it is; the predicate is another matter.
  public func includes(_ identifier: PersistentIdentifier) -> Bool {
    descriptor.includes(identifier)
  }

  init(descriptor: FetchDescriptor<T>, editingState: EditingState) {
    self.descriptor = descriptor
    self.editingState = editingState
  }
}

extension FetchDescriptor {
  /// Whether a model of a program's own store is of the class, or of one below it that counts.
  func includes(_ identifier: PersistentIdentifier) -> Bool {
    let name = Schema.entityName(for: T.self)
    if identifier.entityName == name { return true }
    // By name: another version of a schema may have classes that are called the same.
    return includeSubclasses
      && SnapshotClasses[identifier.entityName]?.inherits(fromClassCalled: name) == true
  }
}
