/// What has become of what a context saved.
public final class DataStoreSaveChangesResult<T: DataStoreSnapshot> {
  /// The identifier of the store.
  public let storeIdentifier: String
  /// The permanent identifiers of new models, by their temporary ones.
  ///
  /// The identifier of a model that was there before makes the new one that model, as an upsert by
  /// a unique value does.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// Values that the store has changed while it saved, for the context to take over.
  public let snapshotsToReregister: [PersistentIdentifier: T]
  /// The place in the store's history right after the save; `nil` where none is kept.
  public let historyToken: (any HistoryToken)?

  /// Makes the answer to a request.
  ///
  /// - Parameters:
  ///   - storeIdentifier: The identifier of the store.
  ///   - remappedIdentifiers: The permanent identifiers of new models.
  ///   - snapshotsToReregister: Values that the store has changed.
  public convenience init(
    for storeIdentifier: String,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: T] = [:]
  ) {
    self.init(
      for: storeIdentifier, remappedIdentifiers: remappedIdentifiers,
      snapshotsToReregister: snapshotsToReregister, historyToken: nil)
  }

  /// Makes the answer to a request, of a store with a history.
  ///
  /// - Parameters:
  ///   - storeIdentifier: The identifier of the store.
  ///   - remappedIdentifiers: The permanent identifiers of new models.
  ///   - snapshotsToReregister: Values that the store has changed.
  ///   - historyToken: The place in the history right after the save.
  public init(
    for storeIdentifier: String,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: T] = [:], historyToken: (any HistoryToken)?
  ) {
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
    self.historyToken = historyToken
  }
}
