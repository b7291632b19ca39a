import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// What the records of an item come to is the same in whatever order they come.
struct FoldedItemTests {
  private static func version(_ secret: String, _ written: Int64, _ number: UInt64) throws
    -> SharedItem.Version
  {
    SharedItem.Version(
      version: number, kind: 0, written: written,
      main: try SecretBytes(copying: Array(secret.utf8)), fields: [:])
  }

  /// A secret that comes back after ten others have pushed it out, under a lower number.
  @Test func theEarlierVersionsDoNotDependOnTheOrder() throws {
    let engine = MemoryEngine()
    let laptop = try SyncMachine("laptop")
    _ = try laptop.founding(engine)
    let space = try #require(engine.all.records.keys.first)
    let seed = try #require(try laptop.vault.blocking.key(for: "sync-device"))
    let files = SyncFiles(vault: laptop.vault.blocking.path)
    let state = try SyncState(sealed: #require(try files.state()), key: KeyPairs(seed: seed).own)
    var history = Space(space, epochs: state.epochs, openers: [])
    for bytes in try files.records() { history.add([bytes], of: state.stream) }
    try history.open(areVerified: true)
    let record = try #require(history.all.first)

    let parts = [
      [try Self.version("again", 5, 20)],
      try (0..<10).map { try Self.version("other \($0)", 6 + Int64($0), UInt64($0)) },
      [try Self.version("again", 9, 1), try Self.version("other 3", 7, 30)],
    ]
    func folded(_ order: [Int]) -> [String] {
      var item = FoldedItem(id: [UInt8](repeating: 1, count: 16))
      for part in order {
        var operation = ItemOperation(id: item.id, created: 1, modified: 1, version: 1)
        operation.earlier = parts[part]
        item.take(operation, of: record)
      }
      return item.history.map { version in
        let text = version.main.withBytes { $0.text(0..<$0.byteCount) } ?? ""
        return "\(text) \(version.written) \(version.version)"
      }
    }
    let first = folded([0, 1, 2])
    #expect(first.count == FoldedItem.historyLimit)
    #expect(first.contains("again 9 1"))
    for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [2, 1, 0, 1, 2]] {
      #expect(folded(order) == first)
    }
  }
}
