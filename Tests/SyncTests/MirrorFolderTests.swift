import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync
import VaultSyncEngines

/// What lies in the folder of a mirror that a run of it did not put there.
struct MirrorFolderTests {
  let space: FollowedSpace

  init() throws { space = try FollowedSpace() }

  private func refuses(
    _ folder: String, _ location: SourceLocation = #_sourceLocation
  ) -> SyncError? {
    let error = #expect(throws: SyncError.self, sourceLocation: location) {
      try space.first.mirror(to: MirrorFolder(path: folder, grace: .zero), every: 60)
    }
    #expect(error?.code == .notAllowed, sourceLocation: location)
    return error
  }

  private func age(_ path: String) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -72_000)], ofItemAtPath: path)
  }

  private func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  // MARK: - A person's files

  @Test(arguments: [
    "notes.txt", ".vault.notes", ".vault.0123456789abcdeF", String(repeating: "A", count: 64),
    String(repeating: "a", count: 63), String(repeating: "é", count: 32),
  ])
  func aPersonsOldFilesStay(_ name: String) throws {
    let folder = "\(space.home.path)/other"
    for place in ["\(folder)/o", folder] {
      try FileManager.default.createDirectory(
        atPath: "\(folder)/o", withIntermediateDirectories: true)
      for made in [folder, "\(folder)/o"] {
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: made)
      }
      let path = "\(place)/\(name)"
      try Data([1]).write(to: URL(fileURLWithPath: path))
      try age(path)
      #expect(refuses(folder)?.message.contains("something else") == true)
      #expect(isThere(path) && !isThere("\(folder)/feed"))
      try FileManager.default.removeItem(atPath: folder)
    }
  }

  /// One that comes while it is being written.
  @Test func whatComesMeanwhileStays() throws {
    let place = try MirrorFolder(path: space.folder, grace: .zero)
    let path = "\(space.folder)/o/notes.txt"
    try Data([1]).write(to: URL(fileURLWithPath: path))
    try age(path)
    _ = try space.first.mirror(to: place, every: 60)
    #expect(isThere(path))
  }

  @Test func whatARunLeftIsTidied() throws {
    let left = [".vault.0123456789abcdef", "o/.vault.fedcba9876543210"].map {
      "\(space.folder)/\($0)"
    }
    for path in left { try Data([1]).write(to: URL(fileURLWithPath: path)) }
    try space.publish()
    #expect(left.allSatisfy(isThere))
    for path in left { try age(path) }
    try space.publish()
    #expect(!left.contains(where: isThere))
  }

  @Test func filesThatOthersMayWriteAreRefused() throws {
    for mode in [0o777, 0o775, 0o757] {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode], ofItemAtPath: "\(space.folder)/o")
      let error = refuses(space.folder)
      #expect(error?.hint?.contains("chmod go-w '\(space.folder)/o'") == true)
    }
  }

  // MARK: - Files and feeds that are wrong

  /// A disk that was full, a copy that failed: also where the same process looks again.
  @Test(arguments: ["empty", "cut", "altered", "longer", "gone"], [true, false])
  func aFileThatIsWrongIsWrittenAnew(_ way: String, isSameProcess: Bool) throws {
    let kept = MirrorChecks()
    func publish() throws {
      _ = try space.first.mirror(
        to: MirrorFolder(
          path: space.folder, grace: .seconds(3600), checks: isSameProcess ? kept : MirrorChecks()),
        every: 60)
    }
    try publish()
    let feed = try space.feed
    let names = [feed.streams[0].packs[0].name, feed.boxes[0].name]
    for name in names.map({ "o/\(Hexadecimal.text($0))" }) {
      let bytes = try space.bytes(name)
      switch way {
      case "empty": try space.write([], name)
      case "cut": try space.write(Array(bytes.dropLast()), name)
      case "altered": try space.write(bytes.map { $0 ^ 1 }, name)
      case "longer": try space.write(bytes + [0], name)
      default: try FileManager.default.removeItem(atPath: "\(space.folder)/\(name)")
      }
    }
    try publish()
    for name in try space.feed.names {
      #expect(try Hash.blake2b(space.bytes("o/\(Hexadecimal.text(name))")) == name)
    }
    _ = try space.follow()
    #expect(try space.follower.get("token") == "1")
  }

  /// Whoever can write to the folder, but cannot sign, names another file as a box.
  @Test func aFeedThatNobodySignedNamesNothing() throws {
    let feed = try space.feed
    var bytes = feed.bytes
    let end = bytes.count - 64
    bytes.replaceSubrange(end - 32..<end, with: feed.streams[0].packs[0].name)
    let key = try KnownSpace(space.laptop).keys.signing.publicKey
    #expect(try feed.isSigned(by: key) && !SyncFeed(bytes: bytes).isSigned(by: key))
    try space.write(bytes, "feed")
    try space.publish()
    #expect(try space.feed.boxes.map(\.name) != [feed.streams[0].packs[0].name])
    _ = try space.follow()
    #expect(try space.follower.get("token") == "1")
  }

  // MARK: - Two machines

  @Test func whoIsBehindAnotherMachineWaits() throws {
    let desktop = try SyncMachine("desktop", space.laptop.time)
    let second = try desktop.joining(space.first, space.engine)
    try space.publish()
    let synced = try space.follow()
    try desktop.set("token", "2")
    try second.synchronize()
    try space.publish(by: second)
    let error = #expect(throws: SyncError.self) { try space.publish(by: space.first) }
    #expect(error?.code == .notAllowed && error?.message.contains("ahead") == true)
    try synced.synchronize()
    #expect(try space.follower.get("token") == "2")
    try space.publish()
    try synced.synchronize()
    #expect(try space.follower.get("token") == "2")
  }

  // MARK: - Feeds

  /// A feed of streams that are nobody's, as anybody can write one.
  private func feed(streams: Int) -> [UInt8] {
    var bytes = SyncFeed.magic + [UInt8](repeating: 7, count: 32)
    bytes += [1, 0, 0, 0, 0, 0, 0, 0] + [60, 0, 0, 0]
    func four(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (8 * $0) & 0xFF) } }
    bytes += four(streams)
    for number in 0..<streams {
      bytes += [UInt8](repeating: 0, count: 13) + four(number).dropLast().reversed()
      bytes += [1, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 9, count: 32)
      bytes += four(1) + four(1) + [UInt8](repeating: 9, count: 32)
    }
    return bytes + four(0) + [UInt8](repeating: 0, count: 64)
  }

  @Test func aFeedOfTooManyStreamsIsNone() throws {
    #expect(try SyncFeed(bytes: feed(streams: SyncFeed.mostStreams)).streams.count == 10_000)
    #expect(throws: MalformedRecord.self) {
      try SyncFeed(bytes: feed(streams: SyncFeed.mostStreams + 1))
    }
  }

  @Test func noMoreIsTakenThanIsAllowed() throws {
    let mirror = space.mirror
    let names = try Array(space.feed.names)
    let sizes = try names.map { try space.bytes("o/\(Hexadecimal.text($0))").count }
    mirror.limit(to: sizes.reduce(0, +) - 1)
    let error = #expect(throws: SyncError.self) {
      for name in names { _ = try mirror.file(name) }
    }
    #expect(error?.code == .tampered)
    mirror.limit(to: nil)
    for name in names { #expect(try mirror.file(name) != nil) }
  }

  /// From each place of a stream of many files.
  @Test func recordsAreFoundFromEachPlace() throws {
    for value in 0..<40 {
      try space.laptop.set("token", "\(value)")
      try space.first.synchronize()
    }
    try space.publish()
    let (mirror, feed) = (space.mirror, try space.feed)
    let stream = feed.streams[0]
    #expect(stream.packs.count > 2 && stream.packs.contains { $0.count > 1 })
    let all = try mirror.records(
      of: stream.head.stream, in: feed.space, after: 0, limit: .max)
    #expect(all.count == Int(stream.head.sequence))
    for place in 0...all.count {
      let behind = try mirror.records(
        of: stream.head.stream, in: feed.space, after: UInt64(place), limit: .max)
      #expect(behind == Array(all.dropFirst(place)))
    }
    #expect(
      try mirror.records(of: stream.head.stream, in: feed.space, after: .max, limit: 9).isEmpty)
  }

  // MARK: - Keys and ends

  /// A machine of the earlier version begins a key, and seals it to no subscription.
  @Test func aKeyThatIsNotToldIsInTheBox() throws {
    let desktop = try SyncMachine("desktop", space.laptop.time)
    let second = try desktop.joining(space.first, space.engine)
    let server = try SyncMachine("server", space.laptop.time)
    let third = try server.joining(space.first, space.engine)
    try space.first.synchronize()
    try space.first.setRole(.admin, of: "desktop")
    try second.synchronize()
    // What it writes then knows that it is an admin.
    try desktop.set("of-desktop", "1")
    try second.synchronize()
    try space.publish()
    let synced = try space.follow()
    let to = try KnownSpace(server)
    try HostileMember(desktop, space.engine).write { known in
      let next = try EpochKey(number: known.key.number + 1, key: SecretBytes.random(count: 32))
      return [
        .epoch(next, of: known.space, for: [(to.stream.bytes, to.keys.publicKeys.sealing)])
      ]
    }
    try third.synchronize()
    try server.set("token", "2")
    try third.synchronize()
    try space.publish(by: third)
    #expect(try synced.synchronize().problems.isEmpty)
    #expect(try space.follower.get("token") == "2")
    // And what comes then, in another process.
    try server.set("token", "3")
    try third.synchronize()
    try space.publish(by: third)
    try space.opened(FolderFeedFiles(path: "\(space.folder)/feed")).synchronize()
    #expect(try space.follower.get("token") == "3")
  }

  /// The clock of who follows ends it, also where nobody publishes that it is over.
  @Test func itEndsAtItsTime() throws {
    let code = try space.first.subscribe("short", seconds: 3600)
    try space.publish()
    func follow(_ machine: SyncMachine) throws -> SyncedVault {
      let synced = try SyncedVault.follow(
        machine.vault, in: space.mirror, at: "feed",
        subscription: SubscriptionCode(typed: code.text), label: "reader")
      try synced.begin()
      return synced
    }
    let one = try SyncMachine("one", space.laptop.time)
    let two = try SyncMachine("two", space.laptop.time)
    let synced = try follow(one)
    try synced.synchronize()
    space.laptop.time.advance(3_700_000)
    let error = #expect(throws: SyncError.self) { try synced.synchronize() }
    #expect(error?.code == .removed)
    let status = try synced.status()
    #expect(status.subscription == "short" && status.isSubscriptionEnded)
    #expect(throws: SyncError.self) { try follow(two) }
    withExtendedLifetime((one, two)) {}
  }
}
