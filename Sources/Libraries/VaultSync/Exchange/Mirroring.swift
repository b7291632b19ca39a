import VaultCredentials
import VaultSealing

/// Publishes what a space has, for those who follow it and are no machines of it.
///
/// Documentation/design/sync-format.md, section 11; decision 21.
struct Mirroring: Exchanging {
  let exchange: Exchange

  /// Publishes what this machine knows.
  ///
  /// - Parameters:
  ///   - place: Where.
  ///   - interval: How often that is done, in seconds.
  /// - Returns: What was published.
  /// - Throws: ``SyncError`` with code `.notAllowed` where this machine cannot, `.inputOutput`.
  func publish(to place: some MirrorPlace, every interval: UInt32) throws -> MirrorReport {
    try files.locked {
      let loaded = try replica.load()
      let (roster, own) = (loaded.history.roster(), loaded.state.stream)
      try check(roster, loaded)
      let former = try formerFeed(place, in: loaded.state.space)
      // What nobody of the space has signed says nothing.
      let signed = former.flatMap { feed in
        loaded.history.keys[feed.author].map { feed.isSigned(by: $0.signing) } ?? false
          ? feed : nil
      }
      try checkIsNotBehind(signed, roster, loaded)
      var report = MirrorReport()
      report.isClosed = loaded.logEnd > UInt64(tuning.mostBegun)
      report.stores = try files.addedStores(loaded.keys.own).map(\.name)
      // Whoever can write there names no files and boxes for this machine.
      let kept = signed.flatMap { $0.author == own ? $0 : nil }
      let streams = try streams(roster, loaded, place, kept, &report)
      guard streams.count <= SyncFeed.mostStreams else { throw Self.tooMany }
      let boxes = try boxes(roster, loaded, place, kept, &report)
      // Nobody who follows is to take a clock that was put right for an older state.
      let time = max(now(), (signed?.time ?? 0) + 1)
      guard time <= now() + Following.mostAhead else {
        throw SyncError(
          .notAllowed, "the feed that lies there is of a later time than the clock of this machine",
          hint: "set the clock right; or publish to another folder")
      }
      let feed = SyncFeed(
        loaded.state.space, by: own, signedWith: loaded.keys.current.signing, at: time,
        every: interval, streams, boxes)
      guard feed.bytes.count <= SyncFeed.maximumLength else {
        throw Self.tooMany
      }
      try place.publish(feed, after: former?.names ?? [])
      report.streams = streams.count
      report.subscriptions = boxes.count
      return report
    }
  }

  private static let tooMany = SyncError(
    .notAllowed, "the space has more than a feed can name",
    hint: "make another space for those who follow")

  /// Checks that a feed of another machine that lies there has nothing that this machine lacks: who
  /// follows would take what it publishes for an older state.
  private func checkIsNotBehind(
    _ former: SyncFeed?, _ roster: Roster, _ loaded: LoadedReplica
  ) throws {
    guard let former, former.author != loaded.state.stream else { return }
    let isBehind = former.heads.contains { head in
      roster.isPresent(head.stream)
        && head.sequence > loaded.history.frontier[head.stream, default: 0]
    }
    guard !isBehind else {
      throw SyncError(
        .notAllowed, "another machine publishes there, and is ahead",
        hint: "try later, or publish to another folder")
    }
  }

  /// Checks that this machine can publish: see ``SyncedVault/checkCanMirror()``.
  func checkCanPublish() throws {
    let loaded = try files.reading { try replica.look() }
    try check(loaded.history.roster(), loaded)
  }

  private func check(_ roster: Roster, _ loaded: LoadedReplica) throws {
    guard mirror == nil else { throw Following.onlyReads }
    guard let member = roster.members[loaded.state.stream], member.last == nil, member.isAdmitted
    else {
      throw SyncError(
        .notAllowed, "only a machine that is in the space publishes it",
        hint: "synchronize, or do it on another machine")
    }
    // Whoever follows knows no machine that could vouch for a snapshot: he reads all records.
    guard try files.root() == nil else {
      throw SyncError(
        .notAllowed,
        "this machine began with a snapshot, and has not all records that a mirror needs",
        hint: "do it on a machine that has been in the space for longer, or that made it")
    }
  }

  private func formerFeed(_ place: some MirrorPlace, in space: SpaceID) throws -> SyncFeed? {
    guard let bytes = try place.feed() else { return nil }
    guard let feed = try? SyncFeed(bytes: bytes), feed.space == space else {
      throw SyncError(
        .notAllowed, "a file called feed lies there that is none of this space",
        hint: "publish to another folder, or remove what lies there")
    }
    return feed
  }

  // MARK: - Records

  private func streams(
    _ roster: Roster, _ loaded: LoadedReplica, _ place: some MirrorPlace, _ former: SyncFeed?,
    _ report: inout MirrorReport
  ) throws -> [SyncFeed.Stream] {
    let history = loaded.history
    var ends = history.known
    // What was published of a machine that was removed since stays: it never goes back.
    for stream in roster.members.keys {
      ends.formMaximum(with: [stream: history.frontier[stream, default: 0]])
    }
    // What the store does not have may never come there.
    ends[loaded.state.stream] = min(
      ends[loaded.state.stream, default: 0], loaded.state.sent)
    var known: [StreamID: SyncFeed.Stream] = [:]
    for stream in former?.streams ?? [] { known[stream.head.stream] = stream }
    var streams: [SyncFeed.Stream] = []
    var log: [StreamID: [[UInt8]]]?
    for (stream, end) in ends.sorted(by: { $0.key < $1.key }) where end > 0 {
      guard let hash = history.record(stream, end)?.hash else { throw Self.lost }
      let head = StreamHead(stream: stream, sequence: end, hash: hash)
      if let there = known[stream], there.head == head,
        try there.packs.allSatisfy({ try place.has($0.name) })
      {
        streams.append(there)
        continue
      }
      if log == nil {
        let forks = try files.forks().settled.filter { $0.record.stream != loaded.state.stream }
        log = Replica.counted(try files.records(), forks)
      }
      guard let records = log?[stream], records.count >= Int(clamping: end),
        try Hash.blake2b(records[Int(clamping: end) - 1]) == hash
      else { throw Self.lost }
      let packs = try MirrorPacks.blocks(of: records.prefix(Int(clamping: end)).map(\.count)).map {
        range in
        let bytes = RecordPack.bytes(of: Array(records[range]))
        return SyncFeed.Pack(
          first: UInt64(range.lowerBound) + 1, count: UInt32(range.count),
          name: try put(bytes, place, &report))
      }
      streams.append(SyncFeed.Stream(head: head, packs: packs))
    }
    return streams
  }

  private static let lost = SyncError(
    .inputOutput, "this machine has not all records that it has read",
    hint: "do it on another machine")

  private func put(
    _ bytes: [UInt8], _ place: some MirrorPlace, _ report: inout MirrorReport
  ) throws -> [UInt8] {
    let name = try Hash.blake2b(bytes)
    if try !place.has(name) {
      try place.put(bytes, name)
      report.files += 1
    }
    return name
  }

  // MARK: - Subscriptions

  /// Seals the keys to each subscription that is open: who begins to follow opens with them what was
  /// written before.
  private func boxes(
    _ roster: Roster, _ loaded: LoadedReplica, _ place: some MirrorPlace, _ former: SyncFeed?,
    _ report: inout MirrorReport
  ) throws -> [SyncFeed.Box] {
    let content = InvitationContent(
      space: loaded.state.space, role: .reader, expires: .max, epochs: loaded.history.epochs,
      seen: [])
    let encoded = try content.encoded()
    var boxes: [SyncFeed.Box] = []
    for subscription in roster.openInvitations(at: now()) where subscription.subscription != nil {
      let sealing = subscription.keys.sealing
      guard SealingKeyPair.canSeal(to: sealing) else { continue }
      let tag = try SyncFeed.tag(of: sealing)
      var message = SecretBuilder()
      message.put(Array("VSM1/box".utf8) + tag)
      message.put(encoded)
      let digest = try message.joined().withBytes { try Hash.blake2b($0) }
      let stamp = try KeyDerivation.key(from: loaded.keys.own, message: digest).withBytes {
        $0.array(0..<16)
      }
      if let there = former?.boxes.first(where: { $0.tag == tag && $0.stamp == stamp }),
        try place.has(there.name)
      {
        boxes.append(there)
        continue
      }
      let box = try SealingKeyPair.seal(encoded, to: sealing)
      boxes.append(SyncFeed.Box(tag: tag, stamp: stamp, name: try put(box, place, &report)))
    }
    return boxes
  }
}

/// What a run that publishes has done.
package struct MirrorReport: Sendable {
  /// How many files were written beside the feed.
  package var files = 0
  /// Of how many machines there are records.
  package var streams = 0
  /// How many subscriptions can read it.
  package var subscriptions = 0
  /// Whether there is more than anybody takes who begins to follow: those who follow go on.
  package var isClosed = false
  /// The stores of applications that this machine has added to the space: a feed has none of them.
  package var stores: [String] = []
}

/// Which records lie in one file of a mirror: a function of their lengths, so that a file that is
/// there stays.
package enum MirrorPacks {
  private static let sizes = [4096, 256, 16, 1]
  /// Most bytes of records that lie together.
  private static let most = 256 << 10

  /// The places of records that lie together.
  ///
  /// - Parameter lengths: The bytes of a stream's records, from the first one on.
  /// - Returns: Ranges of places from 0, in order, without a gap: whole blocks of 4,096, 256 or 16
  ///   records that are short enough and have as many behind them, and what is left one by one.
  package static func blocks(of lengths: [Int]) -> [Range<Int>] {
    var (ranges, place): ([Range<Int>], Int) = ([], 0)
    while place < lengths.count {
      let size = sizes.first { size in
        // The newest ones lie alone: who has followed so far fetches nothing again.
        size == 1
          || place.isMultiple(of: size) && place + 2 * size <= lengths.count
            && lengths[place..<place + size].reduce(0) { $0 + $1 + 4 } <= most
      }
      ranges.append(place..<place + (size ?? 1))
      place += size ?? 1
    }
    return ranges
  }
}
