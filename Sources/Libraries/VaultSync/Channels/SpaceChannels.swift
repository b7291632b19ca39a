package import VaultSealing

/// The channels of a vault's space, for who knows what they are about.
package struct SpaceChannels: Sendable {
  private let exchange: Exchange

  /// The channels of a space.
  package init(_ space: SyncedVault) { exchange = space.exchange }

  /// The spaces in a store, without the channels that lie beside them.
  package static func spaces(in engine: any SyncEngine) throws -> [SpaceID] {
    let engine = PartedEngine(engine)
    return try engine.spaces().filter { space in
      guard let head = try engine.heads(in: space).first else { return true }
      let first = try engine.records(of: head.stream, in: space, after: 0, limit: 1).first
      return first.map { !ChannelRecord.isRecord($0) } ?? true
    }
  }

  /// The time, in milliseconds since 1970.
  package var time: Int64 { exchange.replica.now() }

  /// The channel of an application's store in the space.
  ///
  /// - Throws: ``SyncError`` with code `.notJoined`, `.tampered`.
  package func channel(application: String, store: String) throws -> ChannelID {
    try ChannelID(
      space: exchange.replica.loadState().state.space, application: application, store: store)
  }

  /// Brings a channel and its records together: what others wrote there comes, what changed here
  /// goes.
  ///
  /// Call ``SyncedVault/synchronize(acceptingRollback:)`` before it.
  ///
  /// - Parameters:
  ///   - part: What this machine has of it.
  ///   - channel: Which one.
  /// - Returns: What was done.
  /// - Throws: ``SyncError`` with code `.unavailable`, `.removed`, `.copied`, `.notJoined`; what
  ///   the part throws.
  package func exchange(
    _ part: some SyncedChannel, of channel: ChannelID
  ) throws -> ChannelReport {
    try ChannelExchange(exchange).exchange(channel, part)
  }

  /// Begins to listen for changes of a channel, if the store can tell: see
  /// ``SyncEngine/changes(in:)``.
  ///
  /// - Parameter channel: Which one.
  /// - Returns: The signal; `nil` from a store that cannot tell.
  /// - Throws: ``SyncError``.
  package func changes(of channel: ChannelID) throws -> (any StoreSignal)? {
    try exchange.engine.changes(in: channel.place)
  }

  /// What opens the records of the space's channels, with the keys that this machine knows.
  ///
  /// - Throws: ``SyncError`` with code `.notJoined`, `.tampered`.
  package func reader() throws -> ChannelReader {
    ChannelReader(epochs: try exchange.replica.loadState().state.epochs)
  }

  /// The key that seals what only this machine reads of a channel.
  ///
  /// - Throws: ``SyncError`` with code `.notJoined`, `.tampered`.
  package func ownKey(of channel: ChannelID) throws -> SecretBytes {
    try KeyDerivation.key(
      from: exchange.replica.loadState().keys.own,
      message: Array("VSC1/own".utf8) + channel.place.bytes)
  }

  /// The stores of applications that this machine has added.
  ///
  /// - Throws: ``SyncError`` with code `.notJoined`, `.tampered`, `.inputOutput`.
  package func addedStores() throws -> [AddedStore] {
    let own = try exchange.replica.loadState().keys.own
    return try exchange.replica.files.addedStores(own)
  }

  /// Changes which stores are added.
  ///
  /// - Throws: ``SyncError`` with code `.notJoined`, `.tampered`, `.inputOutput`.
  package func changeAddedStores(_ change: (inout [AddedStore]) throws -> Void) throws {
    let files = exchange.replica.files
    try files.locked {
      let own = try exchange.replica.loadState().keys.own
      var stores = try files.addedStores(own)
      try change(&stores)
      try files.replace(stores, own)
    }
  }
}
