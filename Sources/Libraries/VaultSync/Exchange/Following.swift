import VaultCredentials
import VaultSealing

/// A vault that follows a feed: it has what the space has, and says nothing to anybody.
///
/// It has a stream in its own log alone, of one record that names its subscription; no store ever gets
/// it. What came is judged as on each machine; beside that, the feed has to be signed by a machine that
/// is in the space, and never to be older than one that was believed.
///
/// Documentation/design/sync-format.md, section 11; decision 21.
struct Following: Exchanging {
  let exchange: Exchange

  static let onlyReads = SyncError(
    .notAllowed, "this vault follows a feed: it reads the space, and changes nothing in it",
    hint: "do it on a machine of the space")

  /// How far the clock of who publishes may be ahead of this machine's, in milliseconds.
  static let mostAhead: Int64 = 3_600_000

  // MARK: - Beginning

  /// Makes a vault follow a feed; see ``SyncedVault/follow(_:in:at:subscription:label:)``.
  func begin(with code: SubscriptionCode, at store: String, label: String) throws {
    try files.locked {
      try Joining(exchange).checkIsFree()
      guard let mirror, let found = try mirror.feed(unless: nil) else { throw Self.noFeed }
      let feed = found.feed
      guard feed.space == code.space else {
        throw SyncError(
          .invitation, "that feed is of another space than the code",
          hint: "check the address and the code; if both are right, somebody else answers there")
      }
      try checkTime(feed)
      let content = try Self.content(of: feed, for: code.code.keys, in: code.space, mirror)
      mirror.limit(to: tuning.mostBegun)
      defer { mirror.limit(to: nil) }
      let seed = try SecretBytes.random(count: 32)
      let keys = try KeyPairs(seed: seed)
      let stream = try StreamID(of: keys.publicKeys, in: code.space)
      var empty = Space(
        code.space, epochs: content.epochs, openers: [keys.sealing, code.code.keys.sealing])
      let vault = vault
      empty.progress = { vault.blocking.tell(.opening, $0, of: $1) }
      var (history, forks, records) = try FoundSpace.read(
        empty, from: engine, tuning, own: stream
      ) { vault.blocking.tell($0, $1, of: $2) }
      let roster = history.roster()
      let signer = try author(of: feed, roster)
      try checkIsWhole(feed, history, roster)
      let subscription = try subscription(of: code, roster)
      var state = SyncState(
        space: code.space, stream: stream, machine: try replica.homeIdentity().bytes,
        label: label, store: store, invitationSeed: code.code.seed, epochs: history.epochs)
      // No vault has such a mark: what it has is merged without an ancestor.
      state.applied.mark = "-"
      // What was believed is not gone back behind; the first run takes it in.
      state.feed = SyncState.Feed(
        time: feed.time, interval: feed.interval, author: feed.author, key: signer, tag: [])
      history.viewer = stream
      let claim = Operation.claim(
        keys: keys.publicKeys, invitation: subscription.id, label: label,
        signature: code.code.keys.signing.signature(
          of: Operation.claimed(by: stream, in: code.space)))
      var writer = RecordWriter(keys: keys, stream: stream, time: now())
      try writer.write([claim], to: &history)
      try vault.blocking.setKey(seed, for: Replica.purpose)
      try files.remove()
      if !forks.entries.isEmpty { try files.replace(forks) }
      try files.append(records + writer.written, at: 0)
      try files.replaceState(state.sealed(keys.own))
      files.setReader(true, byFeed: true)
    }
  }

  private static let noFeed = SyncError(
    .unavailable, "there is no feed", hint: "check the address")

  /// Opens the keys of the space.
  ///
  /// - Parameters:
  ///   - feed: The feed, of which nothing is believed.
  ///   - keys: Those of the subscription.
  ///   - space: The space.
  ///   - mirror: Where the feed is.
  /// - Returns: The keys of the space.
  /// - Throws: ``SyncError`` with code `.invitation`, `.withheld`, `.tampered`, `.unavailable`.
  static func content(
    of feed: SyncFeed, for keys: KeyPairs, in space: SpaceID, _ mirror: any FeedEngine
  ) throws -> InvitationContent {
    let tag = try SyncFeed.tag(of: keys.publicKeys.sealing)
    guard let box = feed.boxes.first(where: { $0.tag == tag }) else {
      throw SyncError(
        .invitation, "the feed has nothing for this subscription: it was ended, or the feed is old",
        hint: "ask for another one where this code came from")
    }
    guard let bytes = try mirror.file(box.name) else {
      throw SyncError(
        .withheld, "the mirror does not show the keys that its feed names", hint: "try again later")
    }
    do {
      let content = try InvitationContent(encoded: keys.sealing.open(bytes))
      guard content.space == space else { throw MalformedRecord() }
      return content
    } catch {
      throw SyncError(
        .tampered, "what the feed has for this subscription is not sealed to it",
        hint: "somebody has altered the mirror")
    }
  }

  private func subscription(
    of code: SubscriptionCode, _ roster: Roster
  ) throws -> Roster.Invitation {
    let sealing = code.code.keys.publicKeys.sealing
    guard let found = roster.subscriptions.first(where: { $0.keys.sealing == sealing }) else {
      throw SyncError(
        .invitation, "the space has no such subscription",
        hint: "ask for another one where this code came from")
    }
    guard !found.isSettled, found.expires >= now() else { throw Self.ended }
    return found
  }

  private static let ended = SyncError(
    .removed, "the subscription was ended: nothing comes by it any more; the vault stays as it is",
    hint: "ask for another code, leave the space here, and follow with that",
    remedy: .followByAnotherCode)

  /// Checks that the mirror shows all that its feed names of machines that are in.
  private func checkIsWhole(_ feed: SyncFeed, _ history: Space, _ roster: Roster) throws {
    let altered = history.stops.first { !$0.isSigned && roster.isPresent($0.stream) }
    if let altered { throw altered.problem }
    // A reader can write more than anybody keeps: what he says is nothing that items need.
    for head in feed.heads
    where roster.isPresent(head.stream) && roster.limit(head.stream) == .max {
      guard let record = history.record(head.stream, head.sequence) else {
        // What a member has signed wrongly costs his own stream.
        if history.stops.contains(where: { $0.stream == head.stream }) { continue }
        throw SyncError(
          .withheld, "the mirror does not show all records that its feed names",
          hint: "try again later; or see what is wrong on the machine that publishes it")
      }
      guard record.hash == head.hash else {
        throw SyncError(
          .forked, "the mirror shows other records than those that its feed names")
      }
    }
  }

  private static let ofAnotherSpace = SyncError(
    .tampered, "the feed is of another space than this vault",
    hint: "check the address; if it is right, somebody else answers there")

  // MARK: - Another address

  /// Has the next run take all of a feed that lies at another address, whatever is known of the one
  /// before; see ``SyncedVault/followed(to:at:acceptingRollback:)``.
  ///
  /// What the place says of its feed is not compared with what the former place said: it could say
  /// that nothing is new.
  func beginAgain(at mirror: any FeedEngine, acceptingRollback: Bool) throws {
    try files.locked {
      let loaded = try replica.load()
      guard let found = try mirror.feed(unless: nil) else { throw Self.noFeed }
      guard found.feed.space == loaded.state.space else { throw Self.ofAnotherSpace }
      if let before = loaded.state.feed, found.feed.time < before.time, !acceptingRollback {
        throw SyncError(
          .rolledBack, "the feed there is older than the one that this vault has followed so far",
          hint: "publish there first; if it was put back on purpose, accept that once",
          remedy: .acceptLessThere)
      }
      var state = loaded.state
      state.rest = nil
      try files.replaceState(state.sealed(loaded.keys.own))
    }
  }

  /// Remembers where the feed is, once a run there was whole.
  func remember(_ store: String, at mirror: any FeedEngine, acceptingRollback: Bool) throws {
    try files.locked {
      let loaded = try replica.load()
      if !acceptingRollback {
        guard let found = try mirror.feed(unless: nil) else { throw Self.noFeed }
        try checkIsWhole(found.feed, loaded.history, loaded.history.roster())
      }
      var state = loaded.state
      state.store = store
      try files.replaceState(state.sealed(loaded.keys.own))
    }
  }

  // MARK: - Each run

  /// Takes what the feed has that is new.
  ///
  /// - Parameters:
  ///   - known: The state and the keys.
  ///   - mirror: The mirror.
  ///   - notes: Gets what is wrong.
  ///   - acceptingRollback: Takes an older feed, too.
  /// - Returns: What was done.
  /// - Throws: ``SyncError`` with code `.unavailable`, `.rolledBack`, `.tampered`, `.removed`.
  func run(
    _ known: (state: SyncState, keys: MachineKeys), _ mirror: any FeedEngine,
    _ notes: inout SyncNotes, acceptingRollback: Bool
  ) throws -> SyncReport {
    var state = known.state
    let isAtRest = try isAtRest(state)
    guard let found = try mirror.feed(unless: isAtRest ? state.feed?.tag : nil) else {
      return try rest(&state, known.keys)
    }
    let feed = found.feed
    guard feed.space == state.space else { throw Self.ofAnotherSpace }
    try checkTime(feed)
    if let before = state.feed, feed.time < before.time, !acceptingRollback {
      throw SyncError(
        .rolledBack, "the mirror shows an older feed than before",
        hint: "if it was put back on purpose, accept that once", remedy: .acceptLess)
    }
    if isAtRest, let before = state.feed, before.author == feed.author,
      feed.isSigned(by: before.key),
      state.rest?.heads == feed.heads.sorted(by: { $0.stream < $1.stream })
    {
      note(feed, before.key, found.tag, &state)
      return try rest(&state, known.keys)
    }
    var loaded = try replica.load((state, known.keys))
    // A machine that is known has to have signed it before anything of it is fetched.
    if let keys = loaded.history.keys[feed.author], !feed.isSigned(by: keys.signing) {
      throw Self.forged
    }
    mirror.limit(to: loaded.history.keys[feed.author] == nil ? tuning.mostBegun : nil)
    defer { mirror.limit(to: nil) }
    return try take(found, mirror, &loaded, &notes, acceptingRollback)
  }

  /// Fetches; where records wait for a key that no record tells this subscription, once more with
  /// those of its box: a machine of an earlier version begins a key without it.
  private func fetch(
    _ feed: SyncFeed, _ mirror: any FeedEngine, _ loaded: inout LoadedReplica,
    _ report: inout SyncReport
  ) throws {
    let before = report
    _ = try SyncRun(exchange).fetch(feed.heads, &loaded, &report)
    let waits = loaded.history.waits.values.contains { if case .key = $0 { true } else { false } }
    guard waits, let seed = loaded.state.invitationSeed else { return }
    let keys = try KeyPairs(seed: seed)
    guard
      let content = try? Self.content(of: feed, for: keys, in: loaded.state.space, mirror)
    else { return }
    let known = Set(loaded.history.epochs.map(\.id))
    let new = content.epochs.filter { !known.contains($0.id) }
    guard !new.isEmpty else { return }
    // What is kept of a box is the word of whoever signs the feed.
    var history = loaded.history
    history.learn(new)
    try history.open(areVerified: false)
    _ = try author(of: feed, history.roster())
    loaded.state.epochs = loaded.history.epochs + new
    loaded.state.rest = nil
    try files.replaceState(loaded.state.sealed(loaded.keys.own))
    loaded = try replica.load()
    report = before
    _ = try SyncRun(exchange).fetch(feed.heads, &loaded, &report)
  }

  /// When the subscription of this vault's own record is over, milliseconds since 1970.
  private func end(_ loaded: LoadedReplica, _ roster: Roster) -> Int64 {
    let first = loaded.history.record(loaded.state.stream, 1)?.content.operations.first
    guard case .claim(_, let id, _, _)? = first else { return .max }
    return roster.invitations[id]?.expires ?? .max
  }

  private func take(
    _ found: (feed: SyncFeed, tag: [UInt8]), _ mirror: any FeedEngine,
    _ loaded: inout LoadedReplica, _ notes: inout SyncNotes, _ acceptingRollback: Bool
  ) throws -> SyncReport {
    let feed = found.feed
    var report = SyncReport(changes: MergeReport.unchanged)
    try fetch(feed, mirror, &loaded, &report)
    for stream in notes.note(waiting: report.waitingStreams, now: now()).sorted() {
      report.problems.append(SyncError.missingForLong(loaded.history.label(of: stream)))
    }
    let roster = loaded.history.roster()
    let end = end(loaded, roster)
    guard roster.members[loaded.state.stream] != nil, end >= now() else {
      try files.replaceState(loaded.state.sealed(loaded.keys.own))
      throw Self.ended
    }
    let key = try author(of: feed, roster)
    if !acceptingRollback,
      let less = report.rollbacks.sorted().first(where: { roster.members[$0] != nil })
    {
      throw SyncError(
        .rolledBack,
        "the mirror shows an older state than before ('\(roster.shownLabel(of: less))')",
        hint: "if it was put back on purpose, accept that once", remedy: .acceptLess)
    }
    let vault = try Applying(exchange).applyAll(&loaded, &report)
    try PreferencesExchange(exchange).exchangePreferences(&loaded, &report)
    let after = loaded.history.roster()
    report.tellStops(after)
    notes.note(stopped: Set(report.stops.map(\.stream).filter(after.isPresent)), now: now())
    note(feed, key, found.tag, &loaded.state)
    loaded.state.lastContact = now()
    loaded.state.epochs = loaded.history.epochs
    loaded.state.rest =
      report.problems.isEmpty && report.waiting.isEmpty
      ? vault.map {
        SyncState.Rest(
          heads: feed.heads.sorted { $0.stream < $1.stream }, vault: $0.bytes, until: end)
      } : nil
    files.setReader(true, byFeed: true)
    report.feedAge = age(of: loaded.state)
    try SyncRun(exchange).tellLeftOut(&report, loaded, &notes)
    report.tellRefusals()
    try files.replaceState(loaded.state.sealed(loaded.keys.own))
    try replica.renewBase(loaded, step: tuning.baseStep)
    return report
  }

  /// Whether the vault is as it was when there was nothing left to do.
  private func isAtRest(_ state: SyncState) throws -> Bool {
    guard let rest = state.rest, state.pending == nil, state.feed != nil, rest.until >= now()
    else { return false }
    return try vault.blocking.fileMark().bytes == rest.vault
      && PreferencesExchange.areAtRest(state.preferences, preferences)
  }

  private func rest(_ state: inout SyncState, _ keys: MachineKeys) throws -> SyncReport {
    state.lastContact = now()
    try files.replaceState(state.sealed(keys.own))
    var report = SyncReport(changes: MergeReport.unchanged)
    report.feedAge = age(of: state)
    return report
  }

  private func note(
    _ feed: SyncFeed, _ key: [UInt8], _ tag: [UInt8], _ state: inout SyncState
  ) {
    state.feed = SyncState.Feed(
      time: feed.time, interval: feed.interval, author: feed.author, key: key,
      tag: tag.count <= 256 ? tag : [])
  }

  private func age(of state: SyncState) -> FeedAge? {
    state.feed.map { FeedAge(written: $0.time, every: $0.interval, at: now()) }
  }

  // MARK: - Who signs

  /// The key of the machine that has signed a feed, if it is in the space.
  private func author(of feed: SyncFeed, _ roster: Roster) throws -> [UInt8] {
    // This vault's own stream is no machine of the space.
    guard let member = roster.members[feed.author], !roster.tenures(of: feed.author).isEmpty else {
      throw SyncError(
        .tampered, "the feed is signed by somebody who is not in the space",
        hint: "somebody has altered the mirror, or publishes another one at that address")
    }
    guard member.last == nil else {
      throw SyncError(
        .tampered,
        "the feed is signed by '\(roster.shownLabel(of: feed.author))', which is in the space no longer",
        hint: "a machine that is in has to publish the space")
    }
    guard feed.isSigned(by: member.keys.signing) else { throw Self.forged }
    return member.keys.signing
  }

  private static let forged = SyncError(
    .tampered, "the feed was altered: its signature is wrong",
    hint: "somebody has altered the mirror")

  /// Nobody can keep what comes later away by a feed of the far future.
  private func checkTime(_ feed: SyncFeed) throws {
    guard feed.time <= now() + Self.mostAhead else {
      throw SyncError(
        .unavailable, "the feed is of a later time than this machine's clock",
        hint: "set the clocks right, here or where the feed is written")
    }
  }
}

extension Exchanging {
  /// The mirror that this vault follows; `nil` for a machine of the space.
  var mirror: (any FeedEngine)? { (engine as? PartedEngine)?.engine as? any FeedEngine }
}
