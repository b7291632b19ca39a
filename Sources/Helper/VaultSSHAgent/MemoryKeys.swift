import VaultSSHKeys

/// The keys that clients have added, which end with the agent.
struct MemoryKeys {
  /// A key that was added.
  struct Entry {
    let key: SSHPrivateKey
    let comment: String
    let constraints: AgentConstraints
    let end: ContinuousClock.Instant?
  }

  /// More are not taken.
  private static let maximum = 1000

  private(set) var entries: [Entry] = []

  /// When the next one ends.
  var nextEnd: ContinuousClock.Instant? { entries.compactMap(\.end).min() }

  /// Adds a key, in the place of the same one.
  ///
  /// - Returns: Whether there was room.
  mutating func add(_ key: SSHPrivateKey, _ comment: String, _ constraints: AgentConstraints)
    -> Bool
  {
    let end = constraints.lifetime.map { ContinuousClock.now + .seconds(Int($0)) }
    let entry = Entry(key: key, comment: comment, constraints: constraints, end: end)
    if let index = entries.firstIndex(where: { $0.key.publicKey == key.publicKey }) {
      entries[index] = entry
      return true
    }
    guard entries.count < Self.maximum else { return false }
    entries.append(entry)
    return true
  }

  subscript(blob: [UInt8]) -> Entry? { entries.first { $0.key.publicKey.blob == blob } }

  mutating func remove(_ blob: [UInt8]) { entries.removeAll { $0.key.publicKey.blob == blob } }

  mutating func removeAll() { entries = [] }

  /// Removes those whose time is over.
  mutating func removeEnded() {
    let now = ContinuousClock.now
    entries.removeAll { $0.end.map { $0 <= now } ?? false }
  }
}
