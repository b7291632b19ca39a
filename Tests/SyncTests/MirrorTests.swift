import Foundation
import Synchronization
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultSync
import VaultSyncEngines

/// A vault that follows a feed has what the space has, and says nothing.
struct FollowingTests {
  let space: FollowedSpace

  init() throws { space = try FollowedSpace() }

  private func expect(
    _ code: SyncError.Code, _ body: () throws -> Void,
    _ location: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: SyncError.self, sourceLocation: location, performing: body)
    #expect(error?.code == code, sourceLocation: location)
  }

  @Test func itHasWhatTheSpaceHas() throws {
    let synced = try space.follow()
    #expect(try space.follower.get("token") == "1")
    for value in ["2", "3"] {
      try space.laptop.set("token", value)
      try space.laptop.set("new-\(value)", value)
      try space.publish()
      try synced.synchronize()
      #expect(try space.follower.get("token") == value)
      #expect(try space.follower.get("new-\(value)") == value)
    }
    // Another process goes on where this one was.
    try space.laptop.set("token", "4")
    try space.publish()
    try space.opened(FolderFeedFiles(path: "\(space.folder)/feed")).synchronize()
    #expect(try space.follower.get("token") == "4")
    let status = try synced.status()
    #expect(status.subscription == "shops" && status.devices == 1 && status.role == .reader)
    #expect(status.feedAge?.isStale == false)
  }

  @Test func theSpaceKnowsNothingOfIt() throws {
    let before = space.engine.all
    let synced = try space.follow()
    try space.follower.set("own", "kept")
    try space.follower.set("token", "changed")
    try synced.synchronize()
    #expect(try synced.status().changedItems == 2)
    #expect(space.engine.all.records == before.records)
    try space.publish()
    #expect(try space.first.devices().map(\.label) == ["laptop"])
    #expect(try space.laptop.contents()["own"] == nil)
    #expect(try space.laptop.get("token") == "1")
    #expect(try space.follower.get("own") == "kept")
  }

  /// Each thing that only a machine of the space can do.
  @Test func itChangesNothingInTheSpace() throws {
    let synced = try space.follow()
    let files = try FileManager.default.subpathsOfDirectory(atPath: space.folder).sorted()
    expect(.notAllowed) { _ = try synced.invite() }
    expect(.notAllowed) { _ = try synced.subscribe("mine") }
    expect(.notAllowed) { _ = try synced.endSubscription("shops") }
    expect(.notAllowed) { _ = try synced.remove("laptop") }
    expect(.notAllowed) { _ = try synced.rotate() }
    expect(.notAllowed) { _ = try synced.setRole(.owner, of: "follower") }
    expect(.notAllowed) { _ = try synced.admit("follower") }
    expect(.notAllowed) { try space.publish(by: synced) }
    expect(.notAllowed) { _ = try synced.moved(to: space.engine, at: "memory") }
    #expect(try FileManager.default.subpathsOfDirectory(atPath: space.folder).sorted() == files)
    #expect(try SyncedVault.leave(space.follower.vault, in: space.mirror))
    #expect(try SyncedVault.store(of: space.follower.vault) == nil)
    #expect(try space.follower.get("token") == "1")
    // And again.
    _ = try space.follow()
  }

  @Test func itReadsOnAfterANewKey() throws {
    let synced = try space.follow()
    for value in ["2", "3", "4"] {
      try space.first.rotate()
      try space.laptop.set("token", value)
      try space.publish()
      if value != "3" { try synced.synchronize() }
    }
    #expect(try space.follower.get("token") == "4")
    // Who comes now reads what was written with each of them.
    let other = try SyncMachine("other", space.laptop.time)
    let another = try SyncedVault.follow(
      other.vault, in: space.mirror, at: "feed",
      subscription: SubscriptionCode(typed: space.code.text),
      label: "other")
    try another.begin()
    #expect(try other.get("token") == "4")
  }

  @Test func whoIsPutOutReadsNothingMore() throws {
    let synced = try space.follow()
    try space.first.endSubscription("shops")
    try space.laptop.set("token", "2")
    try space.laptop.set("later", "2")
    try space.publish()
    #expect(try !synced.status().isSubscriptionEnded)
    expect(.removed) { try synced.synchronize() }
    #expect(try synced.status().isSubscriptionEnded)
    expect(.removed) { try synced.synchronize() }
    #expect(try space.follower.get("token") == "1")
    #expect(try space.follower.contents()["later"] == nil)
    // The code opens nothing of the feed, also for somebody new.
    let other = try SyncMachine("other", space.laptop.time)
    expect(.invitation) {
      _ = try SyncedVault.follow(
        other.vault, in: space.mirror, at: "feed",
        subscription: SubscriptionCode(typed: space.code.text), label: "other")
    }
    #expect(try SyncedVault.store(of: other.vault) == nil)
  }

  @Test func whatBelongsToOthersIsNoRollback() throws {
    let desktop = try SyncMachine("desktop", space.laptop.time)
    let second = try desktop.joining(space.first, space.engine)
    try desktop.set("of-desktop", "1")
    try second.synchronize()
    try space.publish()
    let synced = try space.follow()
    #expect(try space.follower.get("of-desktop") == "1")
    try space.first.remove("desktop")
    try space.publish()
    #expect(try synced.synchronize().problems.isEmpty)
    try space.laptop.set("token", "2")
    try space.publish()
    try synced.synchronize()
    #expect(try space.follower.get("token") == "2")
  }

  @Test func anyMachineOfTheSpacePublishes() throws {
    let desktop = try SyncMachine("desktop", space.laptop.time)
    let second = try desktop.joining(space.first, space.engine, role: .reader)
    try space.first.synchronize()
    let synced = try space.follow()
    try space.laptop.set("token", "2")
    try space.first.synchronize()
    try second.synchronize()
    try space.publish(by: second)
    try synced.synchronize()
    #expect(try space.follower.get("token") == "2")
    // One whose removal is in the feed that it signs is none, whatever it publishes.
    try space.first.remove("desktop")
    try space.publish()
    let known = try KnownSpace(desktop)
    try space.forge(by: known.stream, known.keys.signing)
    expect(.tampered) { try synced.synchronize() }
  }

  // MARK: - What a web server may do

  @Test func anOlderFeedIsRefused() throws {
    let old = try space.bytes("feed")
    let synced = try space.follow()
    try space.laptop.set("token", "2")
    try space.publish()
    try synced.synchronize()
    try space.write(old, "feed")
    expect(.rolledBack) { try synced.synchronize() }
    #expect(try space.follower.get("token") == "2")
    // And by the next process.
    expect(.rolledBack) {
      try space.opened(FolderFeedFiles(path: "\(space.folder)/feed")).synchronize()
    }
    try space.publish()
    try synced.synchronize()
    #expect(try space.follower.get("token") == "2")
  }

  /// A member who publishes less than was there, with a new time.
  @Test func aFeedWithLessIsRefused() throws {
    let old = try space.feed
    let synced = try space.follow()
    try space.laptop.set("token", "2")
    try space.publish()
    try synced.synchronize()
    let keys = try KnownSpace(space.laptop).keys
    let less = SyncFeed(
      old.space, by: old.author, signedWith: keys.signing, at: try space.feed.time + 1, every: 60,
      old.streams, old.boxes)
    try space.write(less.bytes, "feed")
    expect(.rolledBack) { try synced.synchronize() }
    let none = SyncFeed(
      old.space, by: old.author, signedWith: keys.signing, at: try space.feed.time + 1, every: 60,
      [], [])
    try space.write(none.bytes, "feed")
    expect(.rolledBack) { try synced.synchronize() }
    #expect(try space.follower.get("token") == "2")
  }

  @Test func anAlteredFeedIsRefused() throws {
    let synced = try space.follow()
    try space.laptop.set("token", "2")
    try space.publish()
    let bytes = try space.bytes("feed")
    for place in stride(from: 0, to: bytes.count, by: 7) {
      var other = bytes
      other[place] ^= 1
      try space.write(other, "feed")
      #expect(throws: SyncError.self) { try synced.synchronize() }
    }
    for length in [0, 1, 63, 64, 65, bytes.count / 2, bytes.count - 1] {
      try space.write(Array(bytes.prefix(length)), "feed")
      expect(.tampered) { try synced.synchronize() }
    }
    try space.write(bytes + [0], "feed")
    expect(.tampered) { try synced.synchronize() }
    #expect(try space.follower.get("token") == "1")
    try space.write(bytes, "feed")
    try synced.synchronize()
    #expect(try space.follower.get("token") == "2")
  }

  @Test func aStrangerSignsNothing() throws {
    let synced = try space.follow()
    let keys = try KeyPairs(seed: SecretBytes.random(count: 32))
    let stream = try StreamID(of: keys.publicKeys, in: try space.feed.space)
    let feed = try space.feed
    // By himself, as the member, and as the follower.
    let follower = try KnownSpace(space.follower)
    for (stream, key) in [
      (stream, keys.signing), (feed.author, keys.signing),
      (follower.stream, follower.keys.signing),
    ] {
      try space.forge(by: stream, key)
      expect(.tampered) { try synced.synchronize() }
      let other = try SyncMachine("other", space.laptop.time)
      expect(.tampered) {
        _ = try SyncedVault.follow(
          other.vault, in: space.mirror, at: "feed",
          subscription: SubscriptionCode(typed: space.code.text), label: "other")
      }
      try space.write(feed.bytes, "feed")
    }
  }

  @Test func aFeedOfTheFutureKeepsNothingAway() throws {
    let synced = try space.follow()
    let keys = try KnownSpace(space.laptop).keys
    try space.forge(by: try space.feed.author, keys.signing, later: 1 << 40)
    expect(.unavailable) { try synced.synchronize() }
  }

  @Test func anotherSpaceIsRefused() throws {
    let synced = try space.follow()
    let other = try FollowedSpace(token: "of another one")
    let feed = try space.bytes("feed")
    try space.write(try other.bytes("feed"), "feed")
    expect(.tampered) { try synced.synchronize() }
    let machine = try SyncMachine("other", space.laptop.time)
    expect(.invitation) {
      _ = try SyncedVault.follow(
        machine.vault, in: space.mirror, at: "feed",
        subscription: SubscriptionCode(typed: space.code.text), label: "other")
    }
    #expect(try space.follower.get("token") == "1")
    try space.write(feed, "feed")
    try synced.synchronize()
  }

  @Test(arguments: ["missing", "swapped", "cut", "link", "folder", "huge"])
  func aFileThatIsWrongIsToldAndMended(_ way: String) throws {
    let synced = try space.follow()
    try space.laptop.set("token", "2")
    try space.publish()
    let stream = try #require(try space.feed.streams.first)
    let name = "o/\(Hexadecimal.text(try #require(stream.packs.last).name))"
    let path = "\(space.folder)/\(name)"
    let bytes = try space.bytes(name)
    try FileManager.default.removeItem(atPath: path)
    switch way {
    case "swapped": try space.write(try space.bytes("feed"), name)
    case "cut": try space.write(Array(bytes.dropLast()), name)
    case "link":
      let secret = try space.home.privateFile("elsewhere", "x")
      try Data(bytes).write(to: URL(fileURLWithPath: secret))
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: secret)
    case "folder":
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    case "huge":
      #expect(FileManager.default.createFile(atPath: path, contents: nil))
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      try file.truncate(atOffset: 1 << 30)
      try file.close()
    default: break
    }
    var codes: Set<SyncError.Code> = []
    do {
      codes = Set(try synced.synchronize().problems.map(\.code))
    } catch let error as SyncError {
      codes = [error.code]
    }
    #expect(!codes.isDisjoint(with: [.withheld, .tampered, .unavailable]))
    #expect(try space.follower.get("token") == "1")
    if way != "missing" { try FileManager.default.removeItem(atPath: path) }
    try space.write(bytes, name)
    try synced.synchronize()
    #expect(try space.follower.get("token") == "2")
  }

  @Test func anOldFeedIsTold() throws {
    let synced = try space.follow()
    #expect(try synced.synchronize().feedAge?.isStale == false)
    space.laptop.time.advance(170_000)
    #expect(try synced.synchronize().feedAge?.isStale == false)
    space.laptop.time.advance(20_000)
    #expect(try synced.synchronize().feedAge?.isStale == true)
    #expect(try synced.status().feedAge?.isStale == true)
    // Three times what its machine says.
    try space.publish(every: 600)
    #expect(try synced.synchronize().feedAge?.isStale == false)
    space.laptop.time.advance(1_700_000)
    #expect(try synced.status().feedAge?.isStale == false)
    space.laptop.time.advance(200_000)
    #expect(try synced.status().feedAge?.isStale == true)
  }

  /// What is as it was costs one look at the feed, and a new time no more.
  @Test func nothingNewIsOneRequest() throws {
    let synced = try space.follow()
    try synced.synchronize()
    let counting = CountingFiles(FolderFeedFiles(path: "\(space.folder)/feed"))
    let again = try space.opened(counting)
    try again.synchronize()
    #expect(counting.asked == ["same"])
    try space.publish()
    try again.synchronize()
    #expect(counting.asked == ["same", "feed"])
    try again.synchronize()
    #expect(counting.asked == ["same", "feed", "same"])
    // A change is the feed and one file.
    try space.laptop.set("token", "2")
    try space.publish()
    try again.synchronize()
    #expect(counting.asked == ["same", "feed", "same", "feed", "file"])
    #expect(try space.follower.get("token") == "2")
  }
}

/// Counts what is asked of the files of a mirror.
private final class CountingFiles: FeedFiles {
  private let files: any FeedFiles
  private let calls = Mutex<[String]>([])

  init(_ files: any FeedFiles) { self.files = files }

  var asked: [String] { calls.withLock { $0 } }

  func feed(unless tag: [UInt8]?) throws -> (bytes: [UInt8], tag: [UInt8])? {
    let found = try files.feed(unless: tag)
    calls.withLock { $0.append(found == nil ? "same" : "feed") }
    return found
  }

  func file(_ name: String) throws -> [UInt8]? {
    calls.withLock { $0.append("file") }
    return try files.file(name)
  }
}

/// What is put into the folder of a mirror.
struct MirrorTests {
  let space: FollowedSpace

  init() throws { space = try FollowedSpace() }

  private func mode(_ name: String) throws -> UInt32 {
    let attributes = try FileManager.default.attributesOfItem(atPath: "\(space.folder)/\(name)")
    return (attributes[.posixPermissions] as? NSNumber)?.uint32Value ?? 0
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(space.folder)/o").sorted()
  }

  @Test func everybodyMayReadIt() throws {
    let folder = URL(fileURLWithPath: space.folder).lastPathComponent
    #expect(try mode("../\(folder)") == 0o755)
    #expect(try mode("o") == 0o755)
    #expect(try mode("feed") == 0o644)
    for name in try names() {
      #expect(try mode("o/\(name)") == 0o644)
      #expect(try Hexadecimal.text(Hash.blake2b(space.bytes("o/\(name)"))) == name)
    }
    #expect(try space.feed.names.map { Hexadecimal.text($0) }.sorted() == names())
  }

  @Test func nothingOfItIsReadable() throws {
    try space.laptop.set("very-secret-name", "very-secret-value")
    try space.publish()
    for name in try ["feed"] + names().map({ "o/\($0)" }) {
      let text = String(decoding: try space.bytes(name), as: UTF8.self)
      for word in ["very-secret", "token", "laptop", "shops"] { #expect(!text.contains(word)) }
    }
  }

  @Test func nothingNewIsNoNewFile() throws {
    let before = try names()
    #expect(try space.publish().files == 0)
    #expect(try names() == before)
    try space.laptop.set("token", "2")
    #expect(try space.publish().files == 1)
  }

  @Test func filesGoOnceNoFeedHasNamedThemForSomeTime() throws {
    for value in 0..<40 {
      try space.laptop.set("token", "\(value)")
      try space.first.synchronize()
      try space.publish(by: space.first)
    }
    let named = try Set(space.feed.names.map { Hexadecimal.text($0) })
    let left = try Set(names()).subtracting(named)
    #expect(!left.isEmpty)
    // Whoever has the feed before finds its files.
    try space.publish(by: space.first, grace: .seconds(3600))
    #expect(try Set(names()).isSuperset(of: left))
    for name in left {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -7200)],
        ofItemAtPath: "\(space.folder)/o/\(name)")
    }
    try space.publish(by: space.first, grace: .seconds(3600))
    #expect(try Set(names()) == named)
    _ = try space.follow()
    #expect(try space.follower.get("token") == "39")
  }

  @Test(arguments: ["file", "hidden", "feed of another", "no feed", "link as o", "link as feed"])
  func aFolderThatHoldsSomethingElseIsRefused(_ way: String) throws {
    let folder = "\(space.home.path)/other"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let aside = "\(space.home.path)/aside"
    try FileManager.default.createDirectory(atPath: aside, withIntermediateDirectories: false)
    func write(_ bytes: [UInt8], _ name: String) throws {
      try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }
    switch way {
    case "file": try write([1], "notes.txt")
    case "hidden": try write([1], ".git")
    case "feed of another": try write(try FollowedSpace().bytes("feed"), "feed")
    case "no feed": try write(Array("my notes".utf8), "feed")
    case "link as o":
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder)/o", withDestinationPath: aside)
    default:
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder)/feed", withDestinationPath: "\(aside)/feed")
    }
    let before = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(throws: SyncError.self) {
      try space.first.mirror(
        to: MirrorFolder(path: folder, grace: .seconds(1)), every: 60)
    }
    let after = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(after.filter { $0 != "o" }.sorted() == before.filter { $0 != "o" })
    #expect(try FileManager.default.contentsOfDirectory(atPath: aside).isEmpty)
  }

  @Test func nothingIsWrittenThroughALink() throws {
    let outside = try space.home.privateFile("outside", "mine")
    try space.laptop.set("token", "2")
    try space.publish()
    let name = try #require(try space.feed.streams.first?.packs.last).name
    let path = "\(space.folder)/o/\(Hexadecimal.text(name))"
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: outside)
    try space.publish()
    #expect(try String(contentsOfFile: outside, encoding: .utf8) == "mine")
    #expect(try mode("o/\(Hexadecimal.text(name))") == 0o644)
    _ = try space.follow()
    #expect(try space.follower.get("token") == "2")
  }

  @Test func filesOfRecordsStayWhereMoreComes() {
    let lengths = (0..<10_000).map { 300 + $0 % 700 }
    var before: [Range<Int>] = []
    for count in [0, 1, 2, 15, 16, 31, 32, 33, 47, 48, 511, 512, 8191, 8192, 8193, 10_000] {
      let ranges = MirrorPacks.blocks(of: Array(lengths.prefix(count)))
      #expect(ranges.flatMap { Array($0) } == Array(0..<count))
      // Whoever had all fetches no record again but those behind.
      let known = before.last?.upperBound ?? 0
      let again = ranges.filter { $0.contains(known) || $0.lowerBound >= known }
        .reduce(0) { $0 + $1.clamped(to: 0..<known).count }
      if count - known <= 16 { #expect(again == 0) }
      before = ranges
    }
    // What is long lies alone.
    #expect(MirrorPacks.blocks(of: [Int](repeating: 1 << 20, count: 40)).count == 40)
  }
}
