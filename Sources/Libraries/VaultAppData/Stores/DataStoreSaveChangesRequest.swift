/// What a context saves.
public struct DataStoreSaveChangesRequest<SnapshotType: DataStoreSnapshot> {
  /// New models, with temporary identifiers.
  public let inserted: [SnapshotType]
  /// Models with changes; a snapshot has all of its model's values.
  public let updated: [SnapshotType]
  /// Models to be deleted, with their last values.
  public let deleted: [SnapshotType]
  /// Which context saves, and who its author is.
  public let editingState: EditingState

  init(
    inserted: [SnapshotType], updated: [SnapshotType], deleted: [SnapshotType],
    editingState: EditingState
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
    self.editingState = editingState
  }
}
