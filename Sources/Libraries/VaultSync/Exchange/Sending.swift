import VaultCredentials
import VaultSealing

/// Writes what this machine has to tell into the store.
///
/// A store that has lost a record of this machine, or has half of it, gets it again: nobody else has
/// all of them for certain, and the others wait for it. So it gets what it has lost of other machines
/// and this one has: theirs may be gone, and what this one has seen the others wait for, too.
struct Sending: Exchanging {
  let exchange: Exchange

  /// How long this machine trusts that the store has what it put there, in milliseconds: a day.
  static let mendingInterval: Int64 = 24 * 3_600_000

  /// Whether it is time to look.
  ///
  /// - Parameter last: When this machine looked last, in milliseconds since 1970.
  /// - Returns: True after a day.
  func isTimeToMend(lastLook last: Int64) -> Bool {
    // A clock that went back does not keep anybody from looking.
    now() - last >= Self.mendingInterval || last > now()
  }

  /// Compares this machine's records in the store with its log, and writes those again that are
  /// missing or altered; also those of the streams that it wrote before.
  ///
  /// - Parameters:
  ///   - loaded: What this machine remembers.
  ///   - count: How many records of its stream the store should have.
  ///   - problems: Gets the records that the store has otherwise and does not replace.
  /// - Returns: How many were written again.
  /// - Throws: ``SyncError`` with code `.copied` where the store has another record that this machine
  ///   has signed; `.unavailable`, `.inputOutput`.
  func mend(
    _ loaded: inout LoadedReplica, _ count: UInt64, _ problems: inout [SyncError]
  ) throws -> Int {
    defer { loaded.state.mended = now() }
    let log = try files.records()
    try? engine.removeLeftovers(
      of: loaded.state.stream, in: loaded.state.space, everywhere: true)
    var written = try mend(
      loaded.state.stream, count, log, loaded, loaded.keys.current, &problems)
    Packing(exchange).pack(loaded.state.stream, count, loaded)
    Retiring(exchange).removeRetired(loaded)
    for keys in loaded.keys.former {
      let stream = try StreamID(of: keys.publicKeys, in: loaded.state.space)
      written += try mend(
        stream, loaded.history.frontier[stream, default: 0], log, loaded, keys, &problems)
      Packing(exchange).pack(stream, loaded.history.frontier[stream, default: 0], loaded)
    }
    return written
  }

  private func mend(
    _ own: StreamID, _ count: UInt64, _ log: [[UInt8]], _ loaded: LoadedReplica, _ keys: KeyPairs,
    _ problems: inout [SyncError]
  ) throws -> Int {
    guard count > 0 else { return 0 }
    let kept = KeptStream(
      own, in: log, signedBy: keys.signing.publicKey, of: loaded.state.space, in: engine)
    // What a snapshot stands in for is not missing.
    let retired = loaded.history.roster().retired[own, default: 0]
    return try kept.mend(after: retired, upTo: count, &problems)
  }

  // MARK: - Records of others

  /// Writes again what the store has lost of other machines, as far as this one has it.
  ///
  /// - Parameters:
  ///   - streams: Of which the store shows less than is known here.
  ///   - heads: What it shows.
  ///   - loaded: What this machine remembers.
  /// - Returns: The streams that the store has whole again, and how many records were written. A
  ///   store that lets nobody but a machine itself write its records keeps its loss.
  /// - Throws: ``SyncError`` with code `.inputOutput`.
  func restore(
    _ streams: Set<StreamID>, _ heads: [StreamHead], _ loaded: LoadedReplica
  ) throws -> (streams: Set<StreamID>, count: Int) {
    guard !streams.isEmpty else { return ([], 0) }
    let (log, roster) = (try files.records(), loaded.history.roster())
    let forks = try files.forks().settled
    var restored: (streams: Set<StreamID>, count: Int) = ([], 0)
    for stream in streams.sorted()
    where stream != loaded.state.stream && roster.members[stream] != nil {
      guard let last = loaded.history.last(stream),
        let signer = loaded.history.keys[stream]?.signing
      else { continue }
      let kept = KeptStream(
        stream, in: log, forks, signedBy: signer, of: loaded.state.space, in: engine)
      let shown = heads.first { $0.stream == stream }
      let start = max(
        shown?.sequence ?? 0, roster.retired[stream, default: 0], kept.numbers.start)
      guard start < last.sequence, kept.numbers.end == last.sequence,
        // What it still shows has to be what is known here.
        shown.map({ loaded.history.record(stream, $0.sequence)?.hash == $0.hash }) ?? true
      else { continue }
      do {
        guard let count = try kept.restore(after: start) else { continue }
        restored.streams.insert(stream)
        restored.count += count
      } catch is SyncError {
        continue
      }
    }
    return restored
  }

  // MARK: - New records

  /// Writes the records that the store has not, and its head.
  ///
  /// - Parameters:
  ///   - there: What the store has.
  ///   - loaded: Gets how many records were sent.
  ///   - report: Gets the same.
  /// - Throws: ``SyncError`` with code `.copied` where the store has another record of this machine;
  ///   `.unavailable`, `.inputOutput`.
  func push(
    _ there: OwnStream, _ loaded: inout LoadedReplica, _ report: inout SyncReport
  ) throws {
    let own = loaded.state.stream
    let count = UInt64(loaded.history.streams[own]?.count ?? 0)
    if there.count < count || there.isHeadAltered, let last = loaded.history.last(own) {
      let covered = loaded.history.base?.frontier[own] ?? 0
      // A store that was emptied gets what the base covers, too.
      let log = there.count < covered ? try files.records() : loaded.log
      let kept = KeptStream(
        own, in: log, signedBy: loaded.keys.current.signing.publicKey, of: loaded.state.space,
        in: engine)
      try? engine.removeLeftovers(of: own, in: loaded.state.space, everywhere: false)
      do {
        report.sent += try kept.send(
          after: there.count,
          newest: StreamHead(stream: own, sequence: last.sequence, hash: last.hash))
      } catch let error as SyncError where error.code == .taken {
        // Not signed by this machine, so nobody copied it.
        report.problems.append(KeptStream.otherBytes(there.count + 1))
        return
      }
    }
    loaded.state.sent = count
  }
}
