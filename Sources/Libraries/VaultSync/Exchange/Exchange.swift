package import VaultCredentials
import VaultSealing

/// What moves between a replica, its space and a store.
package struct Exchange: Sendable {
  let replica: Replica
  var engine: any SyncEngine
  var preferences: (any SyncedPreferences)?
  package var tuning = ExchangeTuning()

  init(_ vault: UnlockedVault, _ engine: any SyncEngine) {
    replica = Replica(vault)
    self.engine = PartedEngine(engine)
  }
}

/// How much is worth what in an exchange; only tests have other numbers, and other merges.
package struct ExchangeTuning: Sendable {
  /// The least bytes of records, behind those that the base covers, that are worth another base.
  package var baseStep: UInt64 = 64 << 10
  /// The least bytes of records, behind those of the newest snapshot, that are worth another one.
  package var snapshotStep: UInt64 = 1 << 20
  /// How many records lie in a smaller pack, in a store that puts records together; at least 2.
  package var packStep: UInt64 = RecordPack.step
  /// The fewest records that go from the store at once.
  package var retirementStep: UInt64 = RecordPack.step
  /// How many bytes of records a machine keeps of another one that only reads: it says what it has
  /// seen, and what it lacks.
  package var mostOfReader = 32 << 20
  /// The same of one that writes, until its records have gone behind a snapshot.
  package var mostOfWriter = 512 << 20
  /// The same of all machines together.
  ///
  /// Behind it each machine still has its share of an eighth of this, and what somebody has seen goes
  /// on to a quarter more: so that all of it stays below ``SyncFiles/mostOfLog``.
  package var mostOfAll = 512 << 20
  /// The bytes of the log from which a snapshot takes the place of its first records, once everybody
  /// has found that right: what nobody can follow by a feed any more (``SyncFeed/mostUnsigned``).
  package var logStep: UInt64 = UInt64(SyncFeed.mostUnsigned)
  /// Most bytes of records that somebody takes who begins to follow a feed.
  package var mostBegun = SyncFeed.mostUnsigned
  /// The same of the first record of somebody who is not in: it says whose stream it is, and little
  /// more.
  package var mostOfFirst = 64 << 10
  /// Whether a run looks only at items that somebody has changed, where it knows which these are.
  package var looksAtChangesAlone = true
  /// How a state of the space comes into the vault; only tests have another merge.
  package var merging: Merge = { vault, state, base in
    let removals = try base == nil ? state.removals(toldTo: vault) : state.removals
    return try vault.merge(state.items, removals: removals, base: base)
  }

  /// How preferences and those of the space come together; only tests have another merge.
  package var mergingPreferences: PreferencesMerge = { try PreferenceMerge($0, changed: $1) }

  /// Merges a preference domain; asks when its keys were changed here if that matters.
  package typealias PreferencesMerge =
    @Sendable (
      _ sides: PreferenceMerge.Sides, _ changed: () throws -> [String: Int64]
    ) throws -> PreferenceMerge

  /// Merges a state of the space into the items of the vault, which stood at `base` before.
  package typealias Merge =
    @Sendable (
      _ vault: inout SharedVault, _ state: FoldedSpace, _ base: [SharedItem]?
    ) throws -> MergeReport
}

/// Something that works with an exchange.
protocol Exchanging {
  var exchange: Exchange { get }
  init(exchange: Exchange)
}

extension Exchanging {
  init(_ exchange: Exchange) { self.init(exchange: exchange) }

  var replica: Replica { exchange.replica }
  var vault: UnlockedVault { exchange.replica.vault }
  var files: SyncFiles { exchange.replica.files }
  var engine: any SyncEngine { exchange.engine }
  var preferences: (any SyncedPreferences)? { exchange.preferences }
  var tuning: ExchangeTuning { exchange.tuning }

  /// The time, in milliseconds since 1970.
  func now() -> Int64 { exchange.replica.now() }

  /// Whether the store shows a part of a snapshot as it was written.
  ///
  /// - Parameters:
  ///   - part: The part.
  ///   - space: The space.
  /// - Returns: False for one that is lost, or altered.
  /// - Throws: ``SyncError`` with code `.unavailable`.
  func shows(_ part: SnapshotOperation.Chunk, in space: SpaceID) throws -> Bool {
    guard let bytes = try engine.object(part.name, in: space) else { return false }
    return try Hash.blake2b(bytes) == part.name
  }

  /// Writes operations of the space itself into this machine's stream, which know all that is known
  /// here.
  ///
  /// - Parameters:
  ///   - operations: What is told.
  ///   - epoch: The key to seal with; `nil` for the current one.
  ///   - loaded: Gets the records.
  /// - Throws: ``SyncError`` with code `.inputOutput`, `.removed`; `SealingError`.
  func tell(
    _ operations: [Operation], with epoch: EpochKey? = nil, _ loaded: inout LoadedReplica
  ) throws {
    let own = loaded.state.stream
    // What this machine told, and its vault does not show, stays to be found.
    let isApplied = loaded.state.applied.frontier[own] == loaded.history.frontier[own]
    var writer = RecordWriter(keys: loaded.keys.current, stream: own, time: now())
    try writer.write(
      operations, to: &loaded.history, knowing: loaded.history.known, with: epoch)
    try replica.keep(writer, &loaded, isApplied: isApplied)
  }
}
