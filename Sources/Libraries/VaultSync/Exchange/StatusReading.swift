import FoundationEssentials
import VaultCredentials
import VaultSealing

/// How a vault stands to its space, by what this machine remembers.
struct StatusReading: Exchanging {
  let exchange: Exchange

  /// How the two stand; see ``SyncedVault/status()``.
  func status() throws -> SyncStatus {
    let (loaded, preferences, changes) = try files.reading {
      do {
        let loaded = try replica.look()
        return (loaded, Optional(try folded(loaded)), try untold(loaded))
      } catch is SpaceBase.Outdated {
        let loaded = try replica.look(usesBase: false)
        do {
          return (loaded, try folded(loaded), try untold(loaded))
        } catch is SpaceBase.Outdated {
          // Without the first records it is not known before the next run, which fetches them.
          return (loaded, nil, (0, 0))
        }
      }
    }
    let roster = loaded.history.roster()
    let domains = loaded.state.preferences.domains
    let others = (preferences?.domains ?? [:]).filter {
      domains[$0.key] == nil && !$0.value.values.isEmpty
    }
    let own = roster.members[loaded.state.stream]
    let notes = files.notes()
    func labels(_ streams: Dictionary<StreamID, Int64>.Keys) -> [String] {
      Set(streams.map { loaded.history.label(of: $0) ?? "a new machine" }).sorted()
    }
    let follows = loaded.state.feed != nil
    let records = follows ? 0 : loaded.history.streams[loaded.state.stream]?.count ?? 0
    return SyncStatus(
      store: loaded.state.store, space: loaded.state.space.text,
      label: own?.label ?? loaded.state.label,
      role: own.flatMap { $0.last == nil ? $0.role : nil },
      // Who follows a feed is no machine of the space.
      devices: roster.present.count { !follows || $0.stream != loaded.state.stream },
      owners: roster.owners.map { roster.shownLabel(of: $0.stream) },
      admins: roster.present.filter { roster.isAdmin($0.stream) }.map(\.stream)
        .filter { stream in !roster.owners.contains { $0.stream == stream } }
        .map { roster.shownLabel(of: $0) },
      recoveryCodes: roster.recoveryCodes().count,
      subscriptions: roster.subscriptions.count { !$0.isSettled },
      subscription: follows ? subscription(loaded)?.subscription : nil,
      isSubscriptionEnded: follows
        && subscription(loaded).map { $0.isSettled || $0.expires < now() } ?? true,
      feedAge: loaded.state.feed.map {
        FeedAge(written: $0.time, every: $0.interval, at: now())
      },
      unsent: max(0, records - Int(loaded.state.sent)), changedItems: changes.items,
      changedPreferences: changes.preferences, domains: domains.keys.sorted(),
      otherDomains: others.keys.sorted(),
      forks: try files.forks().entries.compactMap {
        $0.fork(in: loaded.state.space, label: loaded.history.label)
      },
      waiting: labels(notes.waiting.keys), stopped: labels(notes.stopped.keys),
      lastContact: loaded.state.lastContact == 0
        ? nil : Date(timeIntervalSince1970: Double(loaded.state.lastContact) / 1000))
  }

  /// The subscription that this vault's own record names.
  private func subscription(_ loaded: LoadedReplica) -> Roster.Invitation? {
    let first = loaded.history.record(loaded.state.stream, 1)?.content.operations.first
    guard case .claim(_, let id, _, _)? = first else { return nil }
    return loaded.history.roster().invitations[id]
  }

  private func folded(_ loaded: LoadedReplica) throws(SpaceBase.Outdated) -> FoldedPreferences {
    try loaded.history.preferences(upTo: loaded.history.known)
  }

  /// How much was changed here that is in no record yet.
  private func untold(_ loaded: LoadedReplica) throws -> (items: Int, preferences: Int) {
    let (applied, preferences) = (
      loaded.state.applied, try PreferencesExchange(exchange).untoldPreferences(loaded)
    )
    let roster = loaded.history.roster()
    // Of a reader it is what stays here.
    guard let member = roster.members[loaded.state.stream], member.last == nil,
      try member.role == .reader
        || vault.blocking.fileMark().bytes != (applied.file ?? loaded.state.rest?.vault)
    else { return (0, preferences) }
    let state = try loaded.history.folded(upTo: applied.frontier)
    let items = try vault.blocking.shared { shared in
      let (local, unreadable) = try shared.items()
      let removed = shared.certainRemovals
      let changes =
        member.role == .reader
        ? state.ownChanges(in: local, unreadable: unreadable, removed: removed, now: shared.now)
        : state.changes(to: local, unreadable: unreadable, removed: removed, now: shared.now)
      return changes.count
    }
    return (items, preferences)
  }
}
