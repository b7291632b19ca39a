import VaultCredentials
import VaultSealing

extension SyncedVault {
  /// Brings a preference domain together with the space from now on, too.
  ///
  /// The next ``synchronize(acceptingRollback:)`` tells the others what this machine has in it, and
  /// takes what they have: of two values the one that was changed later. It needs ``preferences``.
  /// Other machines take nothing of the domain unless they add it, too.
  ///
  /// - Parameter domain: The domain's name, for all hosts.
  /// - Returns: Whether it was not there before.
  /// - Throws: ``SyncError`` with code `.notAllowed` for a name that cannot be used; `.notJoined`,
  ///   `.copied`, `.tampered`, `.inputOutput`.
  @discardableResult
  public func addDomain(_ domain: String) throws -> Bool {
    guard (1...Self.longestDomain).contains(domain.utf8.count),
      !domain.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f })
    else {
      throw SyncError(
        .notAllowed, "a preference domain's name has 1 to \(Self.longestDomain) characters",
        hint: "name it as programs do, such as com.example.tool")
    }
    return try changeDomains {
      // What was added already was brought together already.
      guard $0.domains[domain] == nil else { return false }
      $0.domains[domain] = true
      return true
    }
  }

  /// Leaves a preference domain out from now on: it stays as it is, here and on the others.
  ///
  /// - Parameter domain: The domain's name.
  /// - Returns: Whether it was there.
  /// - Throws: ``SyncError`` with code `.notJoined`, `.copied`, `.tampered`, `.inputOutput`.
  @discardableResult
  public func dropDomain(_ domain: String) throws -> Bool {
    try changeDomains { $0.domains.removeValue(forKey: domain) != nil }
  }

  private static let longestDomain = 1000

  private func changeDomains(_ change: (inout SyncState.Preferences) -> Bool) throws -> Bool {
    try files.locked {
      var (state, keys) = try loadState()
      let result = change(&state.preferences)
      state.rest = nil
      try files.replaceState(state.sealed(keys.own))
      return result
    }
  }

  /// Whether the preferences are as they were when they were brought together last.
  func areAtRest(_ state: SyncState.Preferences) -> Bool {
    guard let preferences, !state.domains.isEmpty else { return true }
    let mark = try? Self.mark(
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
  func exchangePreferences(_ loaded: inout Loaded, _ report: inout SyncReport) throws {
    guard preferences != nil, !loaded.state.preferences.domains.isEmpty else { return }
    do {
      do {
        try exchange(&loaded, &report)
      } catch is SpaceBase.Outdated {
        // They were brought together before the base was made, or a machine was removed since.
        loaded = try load(usesBase: false)
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

  private func exchange(_ loaded: inout Loaded, _ report: inout SyncReport) throws {
    guard let preferences else { return }
    let (frontier, own) = (loaded.history.frontier, loaded.state.stream)
    let roster = Roster(loaded.history, upTo: frontier)
    let target = try FoldedPreferences(loaded.history, roster, upTo: frontier)
    let former = loaded.state.preferences
    let base =
      former.domains.values.contains(false)
      ? try loaded.history.preferences(upTo: former.frontier).domains : [:]
    let attempt =
      former.attempt.isEmpty
      ? [:] : try loaded.history.preferences(upTo: former.attempt).domains
    let canWrite = roster.members[own].map { $0.role >= .writer } ?? false
    var (after, operations) = ([String: SyncedDomain](), [Operation]())
    for (name, isNew) in former.domains.sorted(by: { $0.key < $1.key }) {
      let found = try preferences.contents(of: name)
      var local = found ?? SyncedDomain(values: [:])
      // Preferences that were lost were not removed.
      let sides = PreferenceMerge.Sides(
        local: local,
        base: isNew || found == nil ? nil : base[name] ?? FoldedPreferences.Domain(),
        attempt: attempt[name], target: target.domains[name] ?? FoldedPreferences.Domain(),
        own: own, now: now())
      let merge = try mergingPreferences(sides) { try preferences.changes(in: name) }
      let isProtected = local.isProtected || target.domains[name]?.isProtected == true
      if !merge.taken.isEmpty, loaded.state.preferences.attempt != frontier {
        loaded.state.preferences.attempt = frontier
        try files.replaceState(loaded.state.sealed(loaded.keys.own))
      }
      for (stream, changes) in merge.taken {
        try preferences.apply(
          changes, to: name, isProtected: isProtected,
          from: stream.flatMap { loaded.history.label(of: $0) } ?? "the space")
      }
      if !merge.taken.isEmpty { report.domains.append(name) }
      let told = PreferencesOperation.operations(
        name, isProtected: isProtected, canWrite ? merge.told : [])
      operations += told.operations
      report.tooLong += told.tooLong.map { "\(name) \($0)" }
      local.values = merge.values
      after[name] = local
    }
    var writer = RecordWriter(keys: loaded.keys, stream: own, time: now())
    try writer.write(operations, to: &loaded.history)
    loaded.state.preferences.domains = former.domains.mapValues { _ in false }
    loaded.state.preferences.frontier = loaded.history.frontier
    loaded.state.preferences.attempt = [:]
    loaded.state.preferences.mark = try Self.mark(of: after)
    try keep(writer, &loaded)
    if operations.isEmpty, former != loaded.state.preferences {
      try files.replaceState(loaded.state.sealed(loaded.keys.own))
    }
  }
}
