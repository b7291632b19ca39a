package import VaultCredentials
import VaultSealing

extension SyncedVault {
  /// Makes a vault follow the feed of a mirror: it gets what the space has, and changes nothing in it.
  ///
  /// Items come with the next ``synchronize(acceptingRollback:)``.
  ///
  /// - Parameters:
  ///   - vault: The vault; what it has stays on this machine.
  ///   - engine: The mirror.
  ///   - store: Where that is, to be kept for ``store(of:)``; no passwords.
  ///   - subscription: The code that ``subscribe(_:seconds:)`` gave.
  ///   - label: What this machine calls itself; nobody hears it.
  /// - Returns: The vault.
  /// - Throws: ``SyncError`` with code `.invitation` for a wrong code or one that has ended,
  ///   `.tampered`, `.withheld` and `.forked` for a mirror that was altered, `.alreadyJoined`,
  ///   `.unavailable`.
  package static func follow(
    _ vault: UnlockedVault, in engine: any FeedEngine, at store: String,
    subscription: SubscriptionCode, label: String
  ) throws -> SyncedVault {
    let exchange = Exchange(vault, engine)
    try Following(exchange).begin(with: subscription, at: store, label: label)
    return SyncedVault(exchange: exchange)
  }

  /// Follows the feed to another address, once a run there was whole: it has to be one of this vault's
  /// space, signed by a machine that is in, and no older than the one before.
  ///
  /// - Parameters:
  ///   - engine: The mirror at its new address.
  ///   - store: Where that is, to be kept for ``store(of:)``; no passwords.
  ///   - acceptingRollback: Takes an older feed, too.
  /// - Returns: The vault with its mirror, and what the run did.
  /// - Throws: ``SyncError`` with code `.notAllowed` for a machine of the space, `.tampered`,
  ///   `.withheld`, `.rolledBack`, `.unavailable`, `.removed`; the address is the one before then.
  package func followed(
    to engine: any FeedEngine, at store: String, acceptingRollback: Bool = false
  ) throws -> (vault: SyncedVault, report: SyncReport) {
    guard Following(exchange).mirror != nil else {
      throw SyncError(
        .notAllowed, "a machine of the space follows no feed", hint: "name the store of records")
    }
    var moved = self
    moved.exchange.engine = PartedEngine(engine)
    try Following(moved.exchange).beginAgain(at: engine, acceptingRollback: acceptingRollback)
    let report = try moved.synchronize(acceptingRollback: acceptingRollback)
    if !acceptingRollback, report.isBlocked, let problem = report.problems.first { throw problem }
    try Following(moved.exchange).remember(store, at: engine, acceptingRollback: acceptingRollback)
    return (moved, report)
  }

  /// Looks whether a feed has something for the code of a subscription, before a vault is made for it.
  ///
  /// - Parameters:
  ///   - code: The code.
  ///   - feed: The feed, of which nothing else is believed.
  ///   - engine: The mirror.
  /// - Throws: ``SyncError`` with code `.invitation`, `.withheld`, `.tampered`, `.unavailable`.
  package static func checkIsOpen(
    _ code: SubscriptionCode, by feed: SyncFeed, in engine: any FeedEngine
  ) throws {
    _ = try Following.content(of: feed, for: code.code.keys, in: code.space, engine)
  }

  /// Checks that this machine can publish its space, before a place for that is made.
  ///
  /// - Throws: ``SyncError`` with code `.notAllowed` where it cannot; `.notJoined`, `.tampered`.
  package func checkCanMirror() throws { try Mirroring(exchange).checkCanPublish() }

  /// Publishes what this machine knows of the space, for those who follow it by a subscription.
  ///
  /// Nothing is fetched: synchronize before. What is published is sealed; who hands it out learns what
  /// a store learns.
  ///
  /// - Parameters:
  ///   - place: Where.
  ///   - interval: How often that is done, in seconds: what those who follow are told.
  /// - Returns: What was done.
  /// - Throws: ``SyncError`` with code `.notAllowed` where this machine cannot, or the place is none;
  ///   `.notJoined`, `.tampered`, `.inputOutput`.
  package func mirror(to place: some MirrorPlace, every interval: UInt32) throws -> MirrorReport {
    try Mirroring(exchange).publish(to: place, every: interval)
  }
}
