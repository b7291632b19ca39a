package import VaultSealing

/// A space as its records have it: who belongs to it, its items and its preferences.
///
/// It has no clock, no file and no engine: ``RecordHistory`` verifies the records, ``Roster`` says
/// whose count, ``FoldedSpace`` and ``FoldedPreferences`` are what they come to. A ``SpaceBase``
/// stands in for the first records, so that they need not be opened.
package struct Space: Sendable {
  /// The records.
  package private(set) var records: RecordHistory
  /// What the first of the records come to, so that they need not be opened.
  let base: SpaceBase?
  /// The rosters that were made last.
  private let rosters = KnownRosters()

  /// Begins with nothing.
  ///
  /// - Parameters:
  ///   - space: The space.
  ///   - epochs: Keys that are known.
  ///   - openers: The keys to which further epochs' keys may be sealed.
  package init(_ space: SpaceID, epochs: [EpochKey], openers: [SealingKeyPair]) {
    self.init(space, epochs: epochs, openers: openers, base: nil)
  }

  /// Begins with nothing, or with what is known of the first records.
  init(_ space: SpaceID, epochs: [EpochKey], openers: [SealingKeyPair], base: SpaceBase?) {
    self.base = base
    records = RecordHistory(space, epochs: epochs, openers: openers, first: base?.records ?? [])
  }

  /// Whether all that records say is known here; else a newer version has written some of it.
  ///
  /// What a reader says in it, or somebody behind the end of his right to write, nobody counts, also
  /// no newer version: else any of them could end the snapshots of everybody.
  func isWhole(upTo frontier: Frontier) -> Bool {
    guard base?.isWhole ?? true else { return false }
    let unknown = all.dropFirst(base?.records.count ?? 0).filter {
      !$0.content.isWhole && $0.sequence <= frontier[$0.stream, default: 0]
    }
    guard !unknown.isEmpty else { return true }
    let roster = roster(upTo: frontier)
    return !unknown.contains(where: roster.counts)
  }

  /// Who belongs to the space after some of the records.
  ///
  /// - Parameter frontier: How far each stream counts; `nil` for all records.
  /// - Returns: The roster, perhaps one that was made before.
  package func roster(upTo frontier: Frontier? = nil) -> Roster {
    let frontier = frontier ?? self.frontier
    var ends: [StreamID: [UInt8]] = [:]
    for (stream, sequence) in frontier {
      guard let records = streams[stream], !records.isEmpty, sequence > 0 else { continue }
      ends[stream] = records[min(Int(clamping: sequence), records.count) - 1].hash
    }
    return rosters.roster(KnownRosters.Key(ends: ends, keys: epochs.count, viewer: viewer)) {
      Roster(records, upTo: frontier)
    }
  }

  /// How far the streams go of those who belong to the space, with all that they know: what a
  /// record of this machine may know.
  ///
  /// What somebody wrote whom nobody has let in is not among it. It does not count yet; a record
  /// that knew it would replace it, if it ever does. Nor is what somebody wrote after he was
  /// removed: he may have sealed it with a key that not everybody has, who would then wait for it.
  var known: Frontier {
    let roster = roster()
    let frontier = frontier
    guard !frontier.keys.allSatisfy({ roster.isPresent($0) }) else { return frontier }
    var known: Frontier = [:]
    for (stream, sequence) in frontier {
      guard let member = roster.members[stream] else { continue }
      known[stream] = min(sequence, max(member.last ?? .max, roster.retired[stream, default: 0]))
    }
    for stream in frontier.keys where roster.isPresent(stream) {
      for (other, sequence) in last(stream)?.past ?? [:] where !roster.isPresent(other) {
        known[other] = max(known[other] ?? 0, sequence)
      }
    }
    return known
  }

  /// The records behind the base that count: what the base covers is folded into it already.
  ///
  /// - Parameters:
  ///   - roster: Whose records count.
  ///   - frontier: How far each stream counts.
  /// - Returns: The records, in the history's order.
  /// - Throws: ``SpaceBase/Outdated`` if some of the records that the base covers count no longer.
  func counted(
    by roster: Roster, upTo frontier: Frontier
  ) throws(SpaceBase.Outdated) -> [OpenedRecord] {
    if let base, !base.holds(roster, upTo: frontier) { throw SpaceBase.Outdated() }
    return all.dropFirst(base?.records.count ?? 0).filter {
      $0.sequence <= frontier[$0.stream, default: 0] && roster.counts($0)
    }
  }

  /// The items as some of the records have them.
  func folded(
    upTo frontier: Frontier, only wanted: Set<[UInt8]>? = nil
  ) throws(SpaceBase.Outdated) -> FoldedSpace {
    try FoldedSpace(self, roster(upTo: frontier), upTo: frontier, only: wanted)
  }

  /// The preferences as some of the records have them.
  func preferences(upTo frontier: Frontier) throws(SpaceBase.Outdated) -> FoldedPreferences {
    try FoldedPreferences(self, roster(upTo: frontier), upTo: frontier)
  }
}

// MARK: - The records

extension Space {
  package var space: SpaceID { records.space }
  /// Verified records of each stream, from number 1.
  package var streams: [StreamID: [OpenedRecord]] { records.streams }
  /// The records in the order in which they were opened.
  package var all: [OpenedRecord] { records.all }
  /// Those of them that say something of the space itself.
  var ofSpace: [OpenedRecord] { records.ofSpace }
  package var keys: [StreamID: PublicKeys] { records.keys }
  package var epochs: [EpochKey] { records.epochs }
  /// Why streams do not go on that are not to be believed.
  package var stops: [RecordHistory.Stop] { records.stops }
  /// Two histories of a stream that were found.
  var forks: [RecordHistory.Fork] { records.forks }
  package var waits: [StreamID: RecordHistory.Wait] { records.waits }
  /// What is wrong with the streams that were stopped.
  package var problems: [SyncError] { records.problems }
  /// How far each stream was opened.
  package var frontier: Frontier { records.frontier }

  /// This machine's stream, which counts for itself while no admin has let it in; `nil` for nobody.
  package var viewer: StreamID? {
    get { records.viewer }
    set { records.viewer = newValue }
  }

  /// Hears how many of the records are opened that were to be; `nil` for nobody.
  var progress: (@Sendable (_ done: Int, _ total: Int) -> Void)? {
    get { records.progress }
    set { records.progress = newValue }
  }

  package func record(_ stream: StreamID, _ sequence: UInt64) -> OpenedRecord? {
    records.record(stream, sequence)
  }

  /// The machine that the first record of a stream says it goes on for, as far as it opens.
  func predecessor(in bytes: [UInt8]) -> StreamID? { records.predecessor(in: bytes) }

  /// The newest record of a stream.
  package func last(_ stream: StreamID) -> OpenedRecord? { records.last(stream) }

  /// What a machine calls itself in its first record.
  ///
  /// Of one that is in, or was, the name by which it is listed; of another one what it calls itself.
  func label(of stream: StreamID) -> String? {
    roster().members[stream] != nil
      ? roster().shownLabel(of: stream) : records.label(of: stream)
  }

  /// Adds records; see ``RecordHistory/add(_:of:mayBeHalf:)``.
  package mutating func add(
    _ records: [[UInt8]], of stream: StreamID, mayBeHalf: Bool = false
  ) {
    self.records.add(records, of: stream, mayBeHalf: mayBeHalf)
  }

  /// Opens what can be opened; see ``RecordHistory/open(areVerified:)``.
  package mutating func open(areVerified: Bool) throws {
    try records.open(areVerified: areVerified)
  }

  /// Says which record counts of a stream; see ``RecordHistory/settle(_:)``.
  package mutating func settle(_ fork: SettledFork) { records.settle(fork) }

  /// Whether it was said which record counts of a stream under a number.
  func isSettled(_ stream: StreamID, _ number: UInt64) -> Bool {
    records.isSettled(stream, number)
  }

  /// Records of streams that forked, as members have them; see ``RecordHistory/heldRecords()``.
  func heldRecords() -> [HeldRecord] { records.heldRecords() }

  /// Opens what is sealed to a further key of this machine from now on.
  mutating func add(_ opener: SealingKeyPair) { records.add(opener) }

  /// Opens with further keys from now on.
  mutating func learn(_ epochs: [EpochKey]) { records.learn(epochs) }

  /// Learns the keys that records tell which do not follow those that are known.
  mutating func learnKeys(from records: [SyncRecord], signedBy signer: [UInt8]) {
    self.records.learnKeys(from: records, signedBy: signer)
  }

  /// The records of others that are new to a stream's writer; see
  /// ``RecordHistory/sightings(_:by:)``.
  func sightings(_ known: Frontier, by stream: StreamID?) -> [Sighting] {
    records.sightings(known, by: stream)
  }
}

// MARK: - Snapshots

extension Space {
  /// The snapshot that a record tells of, in the form that is written now.
  func snapshot(_ stream: StreamID, _ sequence: UInt64) -> RecordHistory.Snapshot? {
    records.snapshot(stream, sequence)
  }

  /// The machines that vouch for a snapshot; see
  /// ``RecordHistory/streamsVouching(for:upTo:)``.
  func streamsVouching(
    for snapshot: RecordHistory.Snapshot, upTo frontier: Frontier
  ) -> Set<StreamID> {
    records.streamsVouching(for: snapshot, upTo: frontier)
  }

  /// The snapshots that somebody wrote who may, the newest first.
  func snapshots(counting roster: Roster) -> [RecordHistory.Snapshot] {
    let found = all.flatMap { record in
      record.content.operations.compactMap { operation -> RecordHistory.Snapshot? in
        guard case .snapshot(let snapshot) = operation, roster.counts(record) else { return nil }
        return RecordHistory.Snapshot(record: record, operation: snapshot)
      }
    }
    return found.sorted { Self.isOlder($1, $0) }
  }

  private static func isOlder(_ left: RecordHistory.Snapshot, _ right: RecordHistory.Snapshot)
    -> Bool
  {
    left.record.depth == right.record.depth
      ? right.record.hash.lexicographicallyPrecedes(left.record.hash)
      : left.record.depth < right.record.depth
  }

  /// Whether a machine found that a snapshot is what its records come to.
  func isConfirmed(_ snapshot: RecordHistory.Snapshot, by stream: StreamID) -> Bool {
    (streams[stream] ?? []).contains { $0.confirms(snapshot.record) }
  }

  /// The newest snapshot that a machine wrote or confirmed, all of which still counts, and that stands
  /// in for all that may have gone from the store.
  func ownSnapshot(of stream: StreamID, _ roster: Roster) -> RecordHistory.Snapshot? {
    snapshots(counting: roster).first { snapshot in
      let frontier = snapshot.operation.frontier
      return (snapshot.record.stream == stream || isConfirmed(snapshot, by: stream))
        && frontier.covers(roster.retired)
        && roster.limits(frontier)
          == self.roster(upTo: frontier).limits(frontier)
    }
  }
}
