import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync
import VaultSyncEngines

/// Another program reads what this one writes, by Documentation/design/sync-format.md alone.
struct FormatTests {
  static let hasPython: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c", "import ctypes.util,sys; sys.exit(not ctypes.util.find_library('sodium'))",
    ]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitOrKill()
    return process.terminationStatus == 0
  }()

  struct Read: Decodable {
    struct Item: Decodable {
      let changes: [String: Value?]
      let earlier: [String]
    }
    enum Value: Decodable, Equatable {
      case text(String)
      case number(Int64)
      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int64.self) {
          self = .number(number)
        } else {
          self = .text(try container.decode(String.self))
        }
      }
    }
    let space: String
    let streams: [String: Int]
    let labels: [String]
    let epochs: [Int]
    let items: [String: Item]
    struct Domain: Decodable {
      let protected: Bool
      let values: [String: String]
    }
    let purged: [String]
    let preferences: [String: Domain]
    struct Snapshot: Decodable {
      let items: [String: [String: Value?]]
      let purged: [String]
      let preferences: [String: [String: String]]
    }
    let snapshots: [Snapshot]
    let confirms: Int
    let unseen: Int
  }

  @Test(.enabled(if: hasPython, "python3 and libsodium's shared library are needed"))
  func anIndependentReaderReadsASpace() throws {
    let store = try TemporaryHome()
    let engine = FolderEngine(path: store.path)
    let laptop = try SyncMachine("laptop")
    let desktop = try SyncMachine("desktop")
    let old = try SyncMachine("old")
    try laptop.set("api-token", "one")
    try laptop.vault.blocking.edit { edit in
      var changes = ItemChanges()
      changes.note = "Zürich"
      changes.tags = ["work"]
      changes.attributes = ["service": "example.org"]
      try edit.set(ItemName("db"), to: Secret("me"), field: "user", changes: changes)
    }
    var first = try laptop.founding(engine)
    let second = try desktop.joining(first, engine)
    _ = try old.joining(first, engine)
    try desktop.set("api-token", "two")
    try desktop.vault.blocking.edit { edit in
      _ = try edit.set(ItemName("gone"), to: Secret("x"))
    }
    try second.synchronize()
    try desktop.vault.blocking.edit { try $0.purge(ItemName("gone")) }
    try second.synchronize()
    try first.synchronize()
    // A change that goes out behind a removal, which knows more than it.
    try desktop.set("meanwhile", "1")
    try second.synchronize()
    try laptop.set("beside", "2")
    try first.remove("old")
    try laptop.set("after", "3")
    let preferences = MemoryPreferences()
    preferences.all.domains["com.example.tool"] = SyncedDomain(
      values: ["count": Self.three, "name": Self.city, "gone": Self.three])
    first.preferences = preferences
    try first.addDomain("com.example.tool")
    try first.synchronize()
    preferences.set("gone", nil, at: 1, in: "com.example.tool")
    try first.synchronize()
    first.exchange.tuning.snapshotStep = 0
    for value in ["4", "5"] {
      try laptop.set("after", value)
      try first.synchronize()
    }

    for machine in [laptop, desktop] {
      _ = try? (machine.label == "laptop" ? first : second).synchronize()
      let read = try Self.read(store.path, machine)
      #expect(read.space == (try first.status().space))
      #expect(read.streams.count == 3)
      #expect(read.labels == ["desktop", "laptop", "old"])
      // One for each code that was used, and one for the machine that is out.
      #expect(read.epochs == [1, 2, 3, 4])
      #expect(Set(read.items.keys) == ["api-token", "db", "gone", "after", "meanwhile", "beside"])
      #expect(read.unseen == 1)
      #expect(read.items["api-token"]?.changes["secret"] == .text("two"))
      #expect(read.items["api-token"]?.earlier == ["one"])
      #expect(read.items["db"]?.changes["secret user"] == .text("me"))
      #expect(read.items["db"]?.changes["note"] == .text("Zürich"))
      #expect(read.items["db"]?.changes["tag work"] == .number(1))
      #expect(read.items["db"]?.changes["attribute service"] == .text("example.org"))
      #expect(read.purged.count == 1)
      #expect(Array(read.preferences.keys) == ["com.example.tool"])
      #expect(read.preferences["com.example.tool"]?.protected == false)
      #expect(
        read.preferences["com.example.tool"]?.values == ["count": "int 3", "name": "str Zürich"])
      // The newest state has what the records come to.
      #expect(read.snapshots.count == 2)
      let newest = try #require(read.snapshots.last)
      #expect(Set(newest.items.keys) == Set(read.items.keys))
      for (name, item) in read.items {
        #expect(newest.items[name] == item.changes, "\(name)")
      }
      #expect(newest.purged == read.purged)
      #expect(newest.preferences == read.preferences.mapValues(\.values))
      #expect(read.confirms == (machine.label == "laptop" ? 0 : 1))
    }
  }

  /// `3` and `Zürich` as binary property lists.
  private static let three = list([0x10, 3])
  private static let city = list(
    [0x66] + "Zürich".utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] })

  private static func list(_ object: [UInt8]) -> [UInt8] {
    var list = Array("bplist00".utf8) + object
    let table = list.count
    list += [8] + [0, 0, 0, 0, 0, 0, 1, 1]
    for number in [1, 0, table] { list += [0, 0, 0, 0, 0, 0, 0, UInt8(number)] }
    return list
  }

  private static func read(_ folder: String, _ machine: SyncMachine) throws -> Read {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Vectors/read_space.py").path
    let seed = try #require(try machine.vault.blocking.key(for: "sync-device"))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", script, folder]
    process.environment = ProcessInfo.processInfo.environment.merging([
      "STATE": machine.vault.blocking.path + ".sync"
    ]) { $1 }
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let digits = Hexadecimal.text(seed.withBytes { $0.array(0..<32) })
    try input.fileHandleForWriting.write(contentsOf: Data(digits.utf8))
    try input.fileHandleForWriting.close()
    let data = process.output(of: output)
    #expect(process.terminationStatus == 0)
    return try JSONDecoder().decode(Read.self, from: data)
  }

  /// The bytes of a record with everything in it given: what another implementation has to make.
  @Test func aRecordHasTheBytesThatTheFormatSays() throws {
    let keys = try KeyPairs(seed: SecretBytes(copying: Array(0..<32)))
    let space = try SpaceID(creator: keys.publicKeys, nonce: [UInt8](repeating: 9, count: 16))
    let stream = try StreamID(of: keys.publicKeys, in: space)
    #expect(
      Hexadecimal.text(keys.signing.publicKey) == Self.expected("signing"))
    #expect(Hexadecimal.text(keys.sealing.publicKey) == Self.expected("sealing"))
    #expect(space.text == Self.expected("space"))
    #expect(stream.text == Self.expected("stream"))
    let epoch = try EpochKey(
      number: 1, key: SecretBytes(copying: [UInt8](repeating: 5, count: 32)))
    #expect(Hexadecimal.text(epoch.id) == Self.expected("epoch"))
    let record = try SyncRecord(
      bytes: #require(Hexadecimal.bytes(Self.expected("record"))))
    #expect(record.space == space && record.stream == stream && record.sequence == 1)
    #expect(record.isSigned(by: keys.signing.publicKey))
    let content = try record.open(epoch.key)
    #expect(content.time == 1_790_000_000_000)
    #expect(content.operations.count == 4)
    // One of them is of a newer version: it is passed over, and that is known.
    #expect(!content.isWhole)
    if case .preferences(let told) = content.operations[2] {
      #expect(told.domain == "com.example.tool" && told.isProtected)
      #expect(told.changes.map(\.key) == ["count", "gone"])
      #expect(told.changes.map(\.modified) == [4, 5])
      #expect(told.changes.map(\.value) == [Self.three, nil])
    } else {
      Issue.record("the third operation is another one")
    }
    if case .create(let told, _, let label, 1)? = content.operations.first {
      #expect(told == keys.publicKeys && label == "laptop")
    } else {
      Issue.record("the first operation is another one")
    }
    if case .item(let item)? = content.operations.last,
      case .secret(let secret)? = item.changes.last?.value
    {
      #expect(item.changes.count == 2)
      #expect(secret.isEqual(to: try SecretBytes(copying: Array("s3cr3t".utf8))))
    } else {
      Issue.record("the last operation is another one")
    }
  }

  /// The bytes of the state that this record alone comes to, as a store gets it.
  @Test func aSnapshotHasTheBytesThatTheFormatSays() throws {
    let space = try #require(SpaceID(text: Self.expected("space")))
    let epoch = try EpochKey(
      number: 1, key: SecretBytes(copying: [UInt8](repeating: 5, count: 32)))
    var history = Space(space, epochs: [epoch], openers: [])
    history.add(
      [try #require(Hexadecimal.bytes(Self.expected("record")))],
      of: try #require(StreamID(text: Self.expected("stream"))))
    try history.open(areVerified: false)
    let snapshot = try SpaceSnapshot(SpaceBase(history), of: space, with: epoch.key)
    #expect(snapshot.objects.map { Hexadecimal.text($0.bytes) } == [Self.expected("part")])
    #expect(snapshot.objects.map { Hexadecimal.text($0.name) } == [Self.expected("name")])
    var builder = SecretBuilder()
    try Operation.snapshot(snapshot.operation).encode(into: &builder)
    let bytes = try builder.joined()
    #expect(
      Hexadecimal.text(bytes.withBytes { $0.array(0..<bytes.count) }) == Self.expected("snapshot"))
  }

  /// A state that an earlier version wrote down can be begun with, and is written down anew otherwise.
  @Test func aSnapshotOfTheEarlierFormIsRead() throws {
    let space = try #require(SpaceID(text: Self.expected("space")))
    let epoch = try SecretBytes(copying: [UInt8](repeating: 5, count: 32))
    var reader = SecretReader(
      try SecretBytes(copying: try #require(Hexadecimal.bytes(Self.expected("earlier-snapshot")))))
    var told: SnapshotOperation?
    if case .snapshot(let operation) = try VaultSync.Operation(from: &reader) { told = operation }
    let operation = try #require(told)
    let part = try #require(Hexadecimal.bytes(Self.expected("earlier-part")))
    let base = try #require(
      try SpaceSnapshot.open(operation, of: space, with: epoch) { _ in part })
    #expect(try base.items.all().count == 1)
    #expect(base.records.map(\.past) == [base.frontier])
    let again = try SpaceSnapshot(base, of: space, with: epoch)
    #expect(again.objects.map { Hexadecimal.text($0.bytes) } == [Self.expected("part")])
  }

  /// A key for hundreds of machines: each entry is shorter, and each recipient opens it.
  @Test(arguments: [256, 257]) func anEpochIsToldToMany(_ count: Int) throws {
    let space = try SpaceID(
      creator: KeyPairs(seed: SecretBytes(copying: [UInt8](repeating: 1, count: 32))).publicKeys,
      nonce: [UInt8](repeating: 9, count: 16))
    let founder = try KeyPairs(seed: SecretBytes(copying: [UInt8](repeating: 1, count: 32)))
    let stream = try StreamID(of: founder.publicKeys, in: space)
    let first = try EpochKey(number: 1, key: SecretBytes.random(count: 32))
    let second = try EpochKey(number: 2, key: SecretBytes.random(count: 32))
    let others = try (0..<count).map { _ in
      try KeyPairs(seed: SecretBytes.random(count: 32))
    }
    let told = try VaultSync.Operation.epoch(
      second, of: space,
      for: others.map { keys in
        (try StreamID(of: keys.publicKeys, in: space).bytes, keys.sealing.publicKey)
      })
    var builder = SecretBuilder()
    try told.encode(into: &builder)
    #expect(builder.count == 5 + 4 + 16 + 2 + count * (count > 256 ? 92 : 116))
    let create = VaultSync.Operation.create(
      keys: founder.publicKeys, nonce: [UInt8](repeating: 9, count: 16), label: "a", rules: 2)
    let record = try SyncRecord(
      RecordContent(time: 1, seen: [], operations: [create, told]), space: space, stream: stream,
      sequence: 1, previous: [UInt8](repeating: 0, count: 32), epoch: first,
      signer: founder.signing)
    for reader in [others[0], others[count - 1]] {
      var history = Space(space, epochs: [first], openers: [reader.sealing])
      history.add([record.bytes], of: stream)
      try history.open(areVerified: false)
      #expect(history.epochs.map(\.id) == [first.id, second.id])
    }
    let stranger = try KeyPairs(seed: SecretBytes.random(count: 32))
    var history = Space(space, epochs: [first], openers: [stranger.sealing])
    history.add([record.bytes], of: stream)
    try history.open(areVerified: false)
    #expect(history.epochs.map(\.id) == [first.id])
  }

  /// The vector's lines are `name hex`.
  private static func expected(_ name: String) -> String {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Vectors/record.txt")
    let lines = ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n")
    return lines.first { $0.hasPrefix("\(name) ") }.map { String($0.dropFirst(name.count + 1)) }
      ?? "missing"
  }
}
