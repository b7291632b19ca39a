import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultSync
import VaultSyncEngines

/// A vault follows its feed to another address, if that is the feed.
struct MovedFeedTests {
  let space: FollowedSpace

  init() throws { space = try FollowedSpace() }

  private var other: String { "\(space.home.path)/other" }
  private var address: String { "feed+file://\(other)/feed" }
  private var there: FeedStore { FeedStore(FolderFeedFiles(path: "\(other)/feed")) }

  private func publishThere() throws {
    try space.first.synchronize()
    _ = try space.first.mirror(to: MirrorFolder(path: other, grace: .seconds(3600)), every: 60)
  }

  @Test func itGoesOnAtTheOtherAddress() throws {
    let synced = try space.follow()
    try space.laptop.set("token", "2")
    try publishThere()
    let (moved, report) = try synced.followed(to: there, at: address)
    #expect(report.received > 0)
    #expect(try space.follower.get("token") == "2")
    #expect(try moved.status().store == address)
    // The one before is of no interest any more, also for the next process.
    try FileManager.default.removeItem(atPath: space.folder)
    try space.laptop.set("token", "3")
    try publishThere()
    try space.opened(FolderFeedFiles(path: "\(other)/feed")).synchronize()
    #expect(try space.follower.get("token") == "3")
  }

  /// A server that says of everything that nothing is new.
  private struct Silent: FeedFiles {
    let files: FolderFeedFiles
    func feed(unless tag: [UInt8]?) throws -> (bytes: [UInt8], tag: [UInt8])? {
      tag == nil ? try files.feed(unless: nil) : nil
    }
    func file(_ name: String) throws -> [UInt8]? { nil }
  }

  @Test(arguments: ["nothing", "another space", "a stranger", "an older one", "a silent one"])
  func whatIsNotTheFeedIsNotFollowed(_ kind: String) throws {
    let synced = try space.follow()
    let before = try synced.status().store
    var engine = there
    var code = SyncError.Code.tampered
    switch kind {
    case "nothing": code = .unavailable
    case "another space":
      let others = try FollowedSpace(token: "theirs")
      try FileManager.default.copyItem(atPath: others.folder, toPath: other)
    case "a stranger":
      try FileManager.default.copyItem(atPath: space.folder, toPath: other)
      let keys = try KeyPairs(seed: SecretBytes.random(count: 32))
      let feed = try space.feed
      let forged = SyncFeed(
        feed.space, by: feed.author, signedWith: keys.signing, at: feed.time + 1, every: 60,
        feed.streams, feed.boxes)
      try Data(forged.bytes).write(to: URL(fileURLWithPath: "\(other)/feed"))
    case "an older one":
      try FileManager.default.copyItem(atPath: space.folder, toPath: other)
      try space.laptop.set("token", "2")
      try space.publish()
      try synced.synchronize()
      code = .rolledBack
    default:
      try publishThere()
      try space.laptop.set("token", "2")
      try publishThere()
      engine = FeedStore(Silent(files: FolderFeedFiles(path: "\(other)/feed")))
      code = .withheld
    }
    let value = try space.follower.get("token")
    let error = #expect(throws: SyncError.self) {
      try synced.followed(to: engine, at: address)
    }
    #expect(error?.code == code, "\(String(describing: error))")
    #expect(try synced.status().store == before)
    #expect(try space.follower.get("token") == value)
    // And goes on there.
    try space.laptop.set("token", "9")
    try space.publish()
    try synced.synchronize()
    #expect(try space.follower.get("token") == "9")
  }

  @Test func aMachineOfTheSpaceFollowsNone() throws {
    let error = #expect(throws: SyncError.self) {
      try space.first.followed(to: space.mirror, at: address)
    }
    #expect(error?.code == .notAllowed)
  }

  /// Those who begin take no more than so much; those who follow go on.
  @Test func aSpaceThatIsTooLargeToBeginWithIsSaid() throws {
    let synced = try space.follow()
    #expect(try !space.publish().isClosed)
    var first = space.first
    first.exchange.tuning.mostBegun = 256
    try space.laptop.set("token", "2")
    try first.synchronize()
    #expect(try space.publish(by: first).isClosed)
    try synced.synchronize()
    #expect(try space.follower.get("token") == "2")
  }

  @Test func theLogNamesSubscriptions() throws {
    try space.first.endSubscription("shops")
    _ = try space.first.invite()
    let log = try space.first.log().map { ($0.action, $0.subject) }
    #expect(log.contains { $0 == (.subscribed, "shops") }, "\(log)")
    #expect(log.contains { $0 == (.unsubscribed, "shops") }, "\(log)")
    #expect(log.count { $0.0 == .invited } == 1, "\(log)")
  }

  @Test(arguments: [
    ("/srv/x", false), ("file:///srv/x.git", false), ("git@example.org:me/x.git", true),
    ("https://example.org/x.git", true), ("etcd://example.org/vault", true),
    ("postgresql://me@example.org/vault", true), ("rclone:remote:vault", false),
    ("exec:/bin/engine", false),
  ])
  func anAddressOfTheNetworkIsTheSameElsewhere(_ text: String, _ isOfNetwork: Bool) {
    #expect(StoreAddress(remembered: text).isOfNetwork == isOfNetwork)
  }
}
