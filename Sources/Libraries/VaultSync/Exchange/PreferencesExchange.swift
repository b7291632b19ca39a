import VaultCredentials
import VaultSealing

/// Brings the preferences of this machine and those of its space together.
struct PreferencesExchange: Exchanging {
  let exchange: Exchange

  /// Most bytes of a domain's name.
  static let longestDomain = 1000

  /// Changes which domains are brought together.
  func changeDomains(_ change: (inout SyncState.Preferences) -> Bool) throws -> Bool {
    try files.locked {
      var (state, keys) = try replica.loadState()
      let result = change(&state.preferences)
      state.rest = nil
      try files.replaceState(state.sealed(keys.own))
      if files.isAutomatic { try files.setAutomatic(state.preferences.domains.keys.sorted()) }
      return result
    }
  }

  /// Whether the preferences are as they were when they were brought together last.
  static func areAtRest(
    _ state: SyncState.Preferences, _ preferences: (any SyncedPreferences)?
  ) -> Bool {
    guard let preferences, !state.domains.isEmpty else { return true }
    let mark = try? mark(
      of: state.domains.keys.reduce(into: [:]) { domains, name in
        domains[name] = try preferences.contents(of: name) ?? SyncedDomain(values: [:])
      })
    return mark == state.mark
  }

  private static func mark(of domains: [String: SyncedDomain]) throws -> [UInt8] {
    var builder = SecretBuilder()
    for (name, domain) in domains.sorted(by: { $0.key < $1.key }) {
      try builder.text(name)
      for (key, value) in domain.values.sorted(by: { $0.key < $1.key }) {
        builder.put(value: Array(key.utf8))
        builder.put(value: value)
      }
      builder.put(value: nil)
      for key in domain.fixed.sorted() { builder.put(value: Array(key.utf8)) }
      builder.put(value: nil)
    }
    return try builder.joined().withBytes { try Hash.blake2b($0, count: 16) }
  }

  /// Brings the preferences and their space together: what others changed comes here first, then
  /// what changed here is told.
  ///
  /// A crash in between only has the same done again. What goes wrong with the preferences is told
  /// in the report, and nothing else waits for it.
  func exchangePreferences(_ loaded: inout LoadedReplica, _ report: inout SyncReport) throws {
    guard preferences != nil, !loaded.state.preferences.domains.isEmpty else { return }
    do {
      do {
        try exchange(&loaded, &report)
      } catch is SpaceBase.Outdated {
        // They were brought together before the base was made, or a machine was removed since.
        loaded = try replica.load(usesBase: false)
        try exchange(&loaded, &report)
      }
    } catch let error as SyncError {
      throw error
    } catch {
      report.problems.append(
        SyncError(
          .inputOutput, "the preferences cannot be brought together: \(error)",
          hint: "the secrets are synchronized all the same"))
    }
  }

  /// What the preferences of a space are, were, and were being brought to.
  private struct Folded {
    var target: [String: FoldedPreferences.Domain]
    var base: [String: FoldedPreferences.Domain] = [:]
    var attempt: [String: FoldedPreferences.Domain] = [:]

    /// What a domain of this machine is merged with.
    func sides(
      _ found: SyncedDomain?, of name: String, isNew: Bool, own: StreamID, now: Int64
    ) -> PreferenceMerge.Sides {
      PreferenceMerge.Sides(
        local: found ?? SyncedDomain(values: [:]),
        // Preferences that were lost were not removed.
        base: isNew || found == nil ? nil : base[name] ?? FoldedPreferences.Domain(),
        attempt: attempt[name], target: target[name] ?? FoldedPreferences.Domain(), own: own,
        now: now)
    }
  }

  private func folded(_ loaded: LoadedReplica, _ roster: Roster) throws(SpaceBase.Outdated)
    -> Folded
  {
    let (history, state) = (loaded.history, loaded.state.preferences)
    var folded = Folded(
      target: try FoldedPreferences(history, roster, upTo: history.known).domains)
    if state.domains.values.contains(false) {
      folded.base = try history.preferences(upTo: state.frontier).domains
    }
    if !state.attempt.isEmpty {
      folded.attempt = try history.preferences(upTo: state.attempt).domains
    }
    return folded
  }

  /// The number of keys that were changed here and are not told yet; of a machine that only reads,
  /// those that stay here.
  ///
  /// - Parameter loaded: What this machine remembers.
  /// - Returns: The number; 0 where the preferences cannot be read.
  /// - Throws: ``SpaceBase/Outdated``.
  func untoldPreferences(_ loaded: LoadedReplica) throws(SpaceBase.Outdated) -> Int {
    let roster = loaded.history.roster()
    guard let preferences, let role = roster.members[loaded.state.stream]?.role,
      role == .reader || !Self.areAtRest(loaded.state.preferences, preferences)
    else { return 0 }
    let folded = try folded(loaded, roster)
    return loaded.state.preferences.domains.keys.reduce(0) { count, name in
      count + ((try? changes(in: name, folded, loaded, preferences).count) ?? 0)
    }
  }

  /// Gives the keys that were changed on a machine that only reads the values of the space.
  ///
  /// - Parameter loaded: What this machine remembers.
  /// - Returns: How many were changed back.
  /// - Throws: What reading and writing preferences throw; ``SpaceBase/Outdated``.
  func discardChanges(_ loaded: LoadedReplica) throws -> Int {
    guard let preferences else { return 0 }
    let folded = try folded(loaded, loaded.history.roster())
    return try loaded.state.preferences.domains.keys.sorted().reduce(0) { count, name in
      let changes = try changes(in: name, folded, loaded, preferences)
      guard !changes.isEmpty else { return count }
      let isProtected =
        try preferences.contents(of: name)?.isProtected == true
        || folded.target[name]?.isProtected == true
      try preferences.apply(changes, to: name, isProtected: isProtected, from: "the space")
      return count + changes.count
    }
  }

  /// What was changed in a domain here and is not told: each key with its value, and that of the
  /// space.
  private func changes(
    in name: String, _ folded: Folded, _ loaded: LoadedReplica,
    _ preferences: any SyncedPreferences
  ) throws -> [SyncedPreferenceChange] {
    let sides = folded.sides(
      try preferences.contents(of: name), of: name,
      isNew: loaded.state.preferences.domains[name] ?? true, own: loaded.state.stream, now: now())
    let merge = try tuning.mergingPreferences(sides) { try preferences.changes(in: name) }
    return merge.told.map { change in
      SyncedPreferenceChange(
        key: change.key, old: change.value, new: folded.target[name]?.winner(change.key)?.value)
    }
  }

  private func exchange(_ loaded: inout LoadedReplica, _ report: inout SyncReport) throws {
    guard let preferences else { return }
    let (frontier, own) = (loaded.history.known, loaded.state.stream)
    let roster = loaded.history.roster(upTo: frontier)
    let folded = try folded(loaded, roster)
    let (target, former) = (folded.target, loaded.state.preferences)
    let canWrite = roster.members[own].map { $0.role >= .writer } ?? false
    var (after, operations) = ([String: SyncedDomain](), [Operation]())
    for (name, isNew) in former.domains.sorted(by: { $0.key < $1.key }) {
      let found = try preferences.contents(of: name)
      let sides = folded.sides(found, of: name, isNew: isNew, own: own, now: now())
      let merge = try tuning.mergingPreferences(sides) { try preferences.changes(in: name) }
      let isProtected = sides.local.isProtected || target[name]?.isProtected == true
      if !merge.taken.isEmpty, loaded.state.preferences.attempt != frontier {
        loaded.state.preferences.attempt = frontier
        try files.replaceState(loaded.state.sealed(loaded.keys.own))
      }
      for (stream, changes) in merge.taken {
        try preferences.apply(
          changes, to: name, isProtected: isProtected,
          from: stream.flatMap { loaded.history.label(of: $0) } ?? "the space")
      }
      // A value that is none cannot be applied, and is no change.
      if !merge.taken.isEmpty, try preferences.contents(of: name)?.values != found?.values {
        report.domains.append(name)
      }
      let told = PreferencesOperation.operations(
        name, isProtected: isProtected, canWrite ? merge.told : [])
      operations += told.operations
      // It may be the second look of one run.
      for key in told.tooLong.map({ "\(name) \($0)" }) where !report.tooLong.contains(key) {
        report.tooLong.append(key)
      }
      after[name] = sides.local
      after[name]?.values = merge.values
    }
    var writer = RecordWriter(keys: loaded.keys.current, stream: own, time: now())
    try writer.write(operations, to: &loaded.history)
    loaded.state.preferences.domains = former.domains.mapValues { _ in false }
    loaded.state.preferences.frontier = loaded.history.known
    loaded.state.preferences.attempt = [:]
    loaded.state.preferences.mark = try Self.mark(of: after)
    try replica.keep(writer, &loaded)
    if operations.isEmpty, former != loaded.state.preferences {
      try files.replaceState(loaded.state.sealed(loaded.keys.own))
    }
  }
}
