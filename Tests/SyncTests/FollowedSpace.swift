import Foundation
import TestSupport
import VaultCredentials
import VaultSealing
import VaultSync
import VaultSyncEngines

/// A machine that publishes its space, and a vault that follows it.
struct FollowedSpace {
  let engine = MemoryEngine()
  let laptop: SyncMachine
  let first: SyncedVault
  let home: TemporaryHome
  let follower: SyncMachine
  let code: SyncSubscriptionCode

  /// - Parameter token: The value of `token`, which the laptop has before.
  /// - Throws: What none of this should throw.
  init(token: String = "1") throws {
    laptop = try SyncMachine("laptop")
    try laptop.set("token", token)
    first = try laptop.founding(engine)
    home = try TemporaryHome()
    follower = try SyncMachine("follower", laptop.time)
    code = try first.subscribe("shops")
    try publish()
  }

  var folder: String { "\(home.path)/www" }
  var mirror: FeedStore { FeedStore(FolderFeedFiles(path: "\(folder)/feed")) }

  /// Synchronizes the laptop, and publishes.
  @discardableResult
  func publish(every interval: UInt32 = 60) throws -> MirrorReport {
    try first.synchronize()
    return try publish(by: first, every: interval)
  }

  /// Publishes what a machine knows.
  @discardableResult
  func publish(
    by space: SyncedVault, every interval: UInt32 = 60, grace: Duration = .seconds(3600)
  ) throws -> MirrorReport {
    try space.mirror(to: MirrorFolder(path: folder, grace: grace), every: interval)
  }

  /// Makes the follower's vault follow, and takes what is there.
  func follow() throws -> SyncedVault {
    let synced = try SyncedVault.follow(
      follower.vault, in: mirror, at: "feed+file://\(folder)/feed",
      subscription: SubscriptionCode(typed: code.text), label: "follower")
    try synced.begin()
    return synced
  }

  /// The follower's vault as another process opens it.
  func opened(_ files: any FeedFiles) throws -> SyncedVault {
    try SyncedVault(follower.vault, engine: FeedStore(files))
  }

  var feed: SyncFeed {
    get throws { try SyncFeed(bytes: bytes("feed")) }
  }

  func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")))
  }

  func write(_ bytes: [UInt8], _ name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
  }

  /// The feed's contents signed by somebody else, a little later.
  func forge(
    by stream: StreamID, _ key: SigningKey, later: Int64 = 1, in space: SpaceID? = nil
  ) throws {
    let feed = try feed
    let forged = SyncFeed(
      space ?? feed.space, by: stream, signedWith: key, at: feed.time + later, every: 60,
      feed.streams, feed.boxes)
    try write(forged.bytes, "feed")
  }
}
