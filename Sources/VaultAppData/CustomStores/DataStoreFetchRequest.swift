/// The models that a context asks a store for.
public struct DataStoreFetchRequest<T: PersistentModel> {
  /// Which models, in which order.
  public let descriptor: FetchDescriptor<T>
  /// Which context asks, and who its author is.
  public let editingState: EditingState

  init(descriptor: FetchDescriptor<T>, editingState: EditingState) {
    self.descriptor = descriptor
    self.editingState = editingState
  }
}
