import VaultSealing

/// Puts records together in a store that is a folder, which gets a file for each record.
///
/// So that years of changes are some hundred files, a machine puts its own older records together:
/// 64 of them, and 16 of these again.
///
/// Documentation/design/sync-format.md, section 8.
struct Packing: Exchanging {
  let exchange: Exchange

  /// Puts this machine's older records in the store together, if that is due.
  ///
  /// What fails is left for the next time, as what is wrong with a store is told by the run itself:
  /// all records can be read in either form.
  ///
  /// - Parameters:
  ///   - loaded: What this machine remembers; all its records are in the store.
  ///   - before: How many of them were there before this run.
  func packIfDue(_ loaded: LoadedReplica, after before: UInt64) {
    guard loaded.state.sent / tuning.packStep != before / tuning.packStep else { return }
    pack(loaded.state.stream, loaded.state.sent, loaded)
  }

  /// Puts a stream's older records together.
  ///
  /// - Parameters:
  ///   - stream: This machine's, or one that it wrote before.
  ///   - count: How many of its records the store has.
  ///   - loaded: What this machine remembers.
  func pack(_ stream: StreamID, _ count: UInt64, _ loaded: LoadedReplica) {
    // Nothing is read for a stream that is too short.
    guard !RecordPack.ranges(upTo: count, step: tuning.packStep).isEmpty,
      let log = try? files.records()
    else { return }
    let kept = KeptStream(
      stream, in: log, signedBy: loaded.history.keys[stream]?.signing ?? [],
      of: loaded.state.space, in: engine)
    kept.pack(
      upTo: count, behind: loaded.history.roster().retired[stream, default: 0],
      step: tuning.packStep)
  }
}
