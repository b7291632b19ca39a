import Synchronization

/// The rosters that were made last: several parts of a run ask who is in after the same records.
final class KnownRosters: Sendable {
  struct Key: Hashable {
    /// The hash of the last record of each stream that counts, which names all that are before it.
    let ends: [StreamID: [UInt8]]
    /// How many keys of epochs are known.
    let keys: Int
    let viewer: StreamID?
  }

  private static let limit = 4
  private let known = Mutex<[(key: Key, roster: Roster)]>([])

  func roster(_ key: Key, _ make: () -> Roster) -> Roster {
    if let roster = known.withLock({ $0.first { $0.key == key }?.roster }) { return roster }
    let roster = make()
    known.withLock { known in
      known.append((key, roster))
      if known.count > Self.limit { known.removeFirst() }
    }
    return roster
  }
}
