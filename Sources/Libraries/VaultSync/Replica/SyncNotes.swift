import VaultStorage

/// What the runs before met: `secrets.vault.sync.notes`, text beside the vault.
///
/// Nothing of it is secret: a code, times, and streams, which the store shows, too. Where it is
/// lost, alarms begin to wait anew.
package struct SyncNotes: Sendable, Equatable {
  /// Why the last run failed, and since when runs have failed so.
  package struct Failure: Sendable, Equatable {
    /// Milliseconds since 1970.
    package var since: Int64
    package var code: String
  }

  /// `nil` if the last run did all that there was.
  package var failure: Failure?
  /// Since when records of a stream have been on their way.
  package var waiting: [StreamID: Int64] = [:]
  /// Since when records of a stream have not been taken.
  package var stopped: [StreamID: Int64] = [:]
  /// Machines of which a person was told that their invitation had been used by another one.
  package var refused: Set<StreamID> = []

  /// What says which items the vault has no room for, as far as a person was told.
  package var leftOut: Set<String> = []

  package init() {}

  /// How long records may be on their way before that is an alarm, in milliseconds.
  package static let patience: Int64 = 24 * 3_600_000

  /// Reads the file; a line that says nothing is passed over.
  package init(text: String) {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 3 else { continue }
      if words[0] == "failed", let since = Int64(words[1]) {
        failure = Failure(since: since, code: String(words[2]))
      } else if words[0] == "waiting", let since = Int64(words[1]),
        let stream = StreamID(text: String(words[2]))
      {
        waiting[stream] = since
      } else if words[0] == "stopped", let since = Int64(words[1]),
        let stream = StreamID(text: String(words[2]))
      {
        stopped[stream] = since
      } else if words[0] == "refused", let stream = StreamID(text: String(words[2])) {
        refused.insert(stream)
      } else if words[0] == "left-out" {
        leftOut.insert(String(words[2]))
      }
    }
  }

  /// The file's text.
  package var text: String {
    var lines: [String] = []
    if let failure { lines.append("failed \(failure.since) \(failure.code)") }
    for (stream, since) in waiting.sorted(by: { $0.key < $1.key }) {
      lines.append("waiting \(since) \(stream.text)")
    }
    for (stream, since) in stopped.sorted(by: { $0.key < $1.key }) {
      lines.append("stopped \(since) \(stream.text)")
    }
    for stream in refused.sorted() { lines.append("refused 0 \(stream.text)") }
    for item in leftOut.sorted() { lines.append("left-out 0 \(item)") }
    return lines.map { $0 + "\n" }.joined()
  }

  /// Notes how a run ended.
  ///
  /// - Parameters:
  ///   - code: Why it failed; `nil` if it did not.
  ///   - now: Milliseconds since 1970.
  package mutating func note(failure code: String?, now: Int64) {
    guard let code else { return failure = nil }
    guard failure?.code != code else { return }
    failure = Failure(since: now, code: code)
  }

  /// Notes whose invitation had been used by another one.
  ///
  /// - Returns: Those of which nobody was told yet.
  package mutating func note(refused streams: Set<StreamID>) -> Set<StreamID> {
    defer { refused = streams }
    return streams.subtracting(refused)
  }

  /// Notes which items the vault has no room for.
  ///
  /// - Returns: Those of which nobody was told yet.
  package mutating func note(leftOut items: Set<String>) -> Set<String> {
    defer { leftOut.formUnion(items) }
    return items.subtracting(leftOut)
  }

  /// Notes whose records are not taken.
  package mutating func note(stopped streams: Set<StreamID>, now: Int64) {
    let known = stopped
    stopped = [:]
    for stream in streams { stopped[stream] = min(known[stream] ?? now, now) }
  }

  /// Notes whose records are on their way.
  ///
  /// - Returns: Those for which that is so for a day.
  package mutating func note(waiting streams: Set<StreamID>, now: Int64) -> Set<StreamID> {
    let known = waiting
    // A clock that went back begins anew.
    waiting = [:]
    for stream in streams { waiting[stream] = min(known[stream] ?? now, now) }
    return streams.filter { now - waiting[$0, default: now] > Self.patience }
  }
}
