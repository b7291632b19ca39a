/// Following commits, our own and others': the cache is updated key by key, observers are notified.
extension PreferenceCore {
  /// Updates the cache with everything that was committed since the last call.
  ///
  /// - Parameter retries: Whether to retry domains that could not be read, such as locked ones.
  ///   That may prompt for a key, so it is not done at every change.
  func refresh(retries: Bool) {
    defer { tellListeners() }
    source.withLock { source in
      let unread = retries ? withState { $0.unread } : []
      if !unread.isEmpty { reload(unread, &source) }
      report(&source)
    }
  }

  /// Reads new journal entries, updates the keys that changed, and notifies their observers.
  ///
  /// The journal only names the keys; their values are read from the store. So reading an entry
  /// twice does no harm.
  func report(_ source: inout Source) {
    let hasObservers = withState { !$0.observers.isEmpty }
    guard let database = source.database,
      let news = try? database.news(after: source.sequence, readingChanges: hasObservers)
    else { return }
    let own = database.latestCommit
    let isExplained =
      news.dataVersion == source.dataVersion
      || news.touched.contains { own?.contains($0.sequence) != true }
    (source.sequence, source.dataVersion) = (news.latest, news.dataVersion)
    if news.isComplete, isExplained {
      renew(news.touched, &source)
    } else {
      // The journal does not explain every commit: entries were pruned, or somebody wrote with the
      // sqlite3 shell. The next reader loads everything again; doing it here would cost even if
      // nobody reads.
      withState { state in
        state.isOutdated = !state.cached.isEmpty
        state.partly = [:]
        state.found = [:]
      }
    }
    tell(news.changes)
  }

  private func renew(_ touched: [JournalNews.Touch], _ source: inout Source) {
    var names: [PreferenceDomain: Set<String>] = [:]
    var whole: Set<PreferenceDomain> = []
    withState { $0.forgetPartly(touched) }
    let sizes = withState { $0.cached.mapValues(\.count) }
    for entry in touched where sizes[entry.domain] != nil {
      if let name = entry.name {
        names[entry.domain, default: []].insert(name)
      } else if entry.isOfProtection {
        whole.insert(entry.domain)
      }
    }
    for (domain, names) in names where !whole.contains(domain) {
      // Many keys, such as of an import, are found sooner in one go.
      guard names.count < max(64, (sizes[domain] ?? 0) / 4),
        let values = try? source.database?.values(named: names, in: domain),
        withState({ $0.take(values, in: domain) })
      else {
        whole.insert(domain)
        continue
      }
    }
    if !whole.isEmpty { reload(whole, &source) }
  }

  func tell(_ changes: [PreferenceChange]) {
    guard !changes.isEmpty else { return }
    let (observers, searched) = withState { state in
      (Array(state.observers.values), Set(state.steps.compactMap(\.domain)))
    }
    var transactions: [[PreferenceChange]] = []
    for change in changes {
      if transactions.last?.last?.transaction == change.transaction {
        transactions[transactions.count - 1].append(change)
      } else {
        transactions.append([change])
      }
    }
    for observer in observers {
      for transaction in transactions {
        let own = transaction.filter { change in
          (observer.domains ?? searched).contains(change.domain)
            && observer.isInterested(in: change.key) && change.kind != .makeDomain
        }
        if !own.isEmpty { observer.continuation.yield(own) }
      }
    }
  }

  /// A stream of future changes, one element for each transaction.
  func observe(
    domains: Set<PreferenceDomain>?, keys: Set<String>?
  ) -> AsyncStream<[PreferenceChange]> {
    let (stream, continuation) = AsyncStream.makeStream(of: [PreferenceChange].self)
    let id = withState { state in
      state.nextObserver += 1
      state.observers[state.nextObserver] = Observer(
        domains: domains, keys: keys, continuation: continuation)
      return state.nextObserver
    }
    continuation.onTermination = { [weak self] _ in
      self?.withState { $0.observers[id] = nil }
    }
    return stream
  }

  /// Calls `body` after changes of any values, by this process or another, until the returned
  /// function is called.
  ///
  /// It is called without a lock, on the thread that made or found the change, and it may be called
  /// where nothing changed that the caller can see.
  func listen(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let id = withState { state in
      state.nextObserver += 1
      state.listeners[state.nextObserver] = body
      return state.nextObserver
    }
    return { [weak self] in self?.withState { $0.listeners[id] = nil } }
  }

  func tellListeners() {
    let listeners = withState { $0.listeners.isEmpty ? [] : Array($0.listeners.values) }
    for listener in listeners { listener() }
  }
}

extension PreferenceCore.Observer {
  /// A change of the domain itself, or of a key that cannot be read, is nobody's key.
  fileprivate func isInterested(in key: String?) -> Bool {
    guard let keys else { return true }
    return key.map(keys.contains) ?? false
  }
}

extension PreferenceCore.State {
  /// Forgets what was read by key and has changed; it is read again when it is needed.
  fileprivate mutating func forgetPartly(_ touched: [JournalNews.Touch]) {
    guard !partly.isEmpty else { return }
    for entry in touched where partly[entry.domain] != nil {
      if let name = entry.name {
        partly[entry.domain]?.values.removeValue(forKey: name)
        found.removeValue(forKey: name)
      } else if entry.isOfProtection {
        partly[entry.domain] = nil
        found = [:]
      }
    }
  }

  /// Takes over the stored values of some keys, except keys with a change that is still to be
  /// written.
  ///
  /// - Returns: `false` if the whole domain must be read, because Swift may treat two of the keys
  ///   as equal.
  fileprivate mutating func take(
    _ values: [String: PreferenceValue?], in domain: PreferenceDomain
  ) -> Bool {
    let isPlain = values.allSatisfy { key, value in
      value != nil || key.utf8.allSatisfy { $0 < 0x80 }
    }
    guard isPlain else { return false }
    let waiting =
      pending.isEmpty ? [] : Set(pending.lazy.filter { $0.domain == domain }.map(\.key))
    for (key, value) in values where !waiting.contains(key) {
      cached[domain]?[key] = value
      renew(key)
    }
    return true
  }
}
