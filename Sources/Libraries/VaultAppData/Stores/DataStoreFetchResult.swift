/// The models that a store has found.
public struct DataStoreFetchResult<T: PersistentModel, SnapshotType: DataStoreSnapshot> {
  /// What was asked for.
  public let descriptor: FetchDescriptor<T>
  /// The models, in their order.
  public let fetchedSnapshots: [SnapshotType]
  /// Other models that they lead to, which the context need not ask for any more.
  public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

  /// Makes the answer to a request.
  ///
  /// - Parameters:
  ///   - descriptor: What was asked for.
  ///   - fetchedSnapshots: The models, in their order.
  ///   - relatedSnapshots: Other models that they lead to.
  public init(
    descriptor: FetchDescriptor<T>, fetchedSnapshots: [SnapshotType],
    relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}
