public import FoundationEssentials
import VaultCredentials
import VaultSealing

extension SyncedVault {
  /// What a machine changed since a moment that still stands: what taking it back would do.
  ///
  /// The machine may be in or out. The store is not asked: bring the two together first. Of each
  /// record the time is that which its machine wrote into it; but what knows a record from after the
  /// moment, of whatever machine, is from after it, too.
  ///
  /// ```swift
  /// let found = try laptop.changes(by: "desktop", since: .now.addingTimeInterval(-86_400))
  /// for item in found.items { print(item.name, item.outcome.rawValue) }
  /// ```
  ///
  /// - Parameters:
  ///   - device: The machine's label, or the beginning of its id.
  ///   - time: The moment.
  /// - Returns: What would be taken back. Nothing is changed.
  /// - Throws: ``SyncError`` with code `.deviceNotFound`, `.notJoined`, `.copied`, `.tampered`;
  ///   `.unavailable`, `.withheld` where first records are in the store alone; what reading the
  ///   vault throws.
  public func changes(by device: String, since time: Date) throws -> SyncReversion {
    try files.locked {
      var loaded = try load(usesBase: false)
      let stream = try member(device, loaded.history.roster()).stream
      return try reverting(stream, since: time.milliseconds, &loaded).told
    }
  }

  /// Removes a machine, and takes back what it changed since a moment and that still stands.
  ///
  /// A machine that is out already stays out. What was there before comes back property by property;
  /// what others changed since stays. The values that the machine wrote become earlier versions, and
  /// what it made goes into the trash: nothing is lost, and an undo takes it back.
  ///
  /// - Parameters:
  ///   - device: The machine's label, or the beginning of its id.
  ///   - time: The moment; ``changes(by:since:)`` says what is changed.
  /// - Returns: What was taken back.
  /// - Throws: As ``remove(_:)`` and ``changes(by:since:)``; `.notAllowed` also for this machine.
  @discardableResult
  public func remove(_ device: String, revertingSince time: Date) throws -> SyncReversion {
    try files.locked {
      var loaded = try load()
      var found: StreamID?
      let report = try synchronize(&loaded) { loaded, roster in
        let member = try member(device, roster)
        found = member.stream
        guard member.last == nil else {
          try checkAdmin(roster, loaded)
          return []
        }
        return try removal(of: device, roster, loaded).operations
      }
      try report.checkIsDone()
      guard let stream = found else { throw Self.copied }
      loaded = try load(usesBase: false)
      let reversion = try reverting(stream, since: time.milliseconds, &loaded)
      guard !reversion.told.isEmpty else { return reversion.told }
      try vault.blocking.shared { shared in
        try shared.takeBack(
          Array(reversion.reverted.keys) + reversion.trashed, to: reversion.items)
      }
      let last = try synchronize(&loaded) { _, _ in reversion.preferences }
      try last.checkIsDone()
      return reversion.told
    }
  }

  /// Checks that this machine may remove another one, or has nothing to remove since that is out.
  ///
  /// - Parameter device: The machine's label, or the beginning of its id.
  /// - Throws: ``SyncError`` with code `.deviceNotFound`, `.notAllowed`, as far as this machine knows.
  package func checkRemoval(of device: String) throws {
    let loaded = try files.locked { try load() }
    let roster = loaded.history.roster()
    guard try member(device, roster).last == nil else { return try checkAdmin(roster, loaded) }
    _ = try removal(of: device, roster, loaded)
  }

  /// A machine that is in, or else one that is out.
  private func member(_ device: String, _ roster: Roster) throws -> Roster.Member {
    do {
      return try find(device, among: roster.present)
    } catch let error as SyncError where error.code == .deviceNotFound {
      return try find(device, among: roster.members.values.filter { $0.successor == nil })
    }
  }

  private func reverting(
    _ stream: StreamID, since moment: Int64, _ loaded: inout Loaded
  ) throws -> Reversion {
    do {
      return try Reversion(loaded.history, of: stream, since: moment, now: now())
    } catch is SpaceBase.Outdated {
      try readFromTheStart(&loaded)
      return try Reversion(loaded.history, of: stream, since: moment, now: now())
    }
  }
}

extension Date {
  /// Since 1970; no number of a record is smaller or larger than this gives.
  fileprivate var milliseconds: Int64 {
    Int64(max(-9e15, min(9e15, timeIntervalSince1970 * 1000)))
  }
}

/// A space beside what it would be without what one machine wrote since a moment.
private struct Reversion {
  private(set) var told: SyncReversion
  /// The space's items as they shall be: also those for which this vault has no room.
  private(set) var items: [SharedItem] = []
  /// Those of them that are other than they were, by id.
  private(set) var reverted: [[UInt8]: SharedItem] = [:]
  /// Items that are not there without it.
  private(set) var trashed: [[UInt8]] = []
  /// What gives preferences their values before.
  private(set) var preferences: [Operation] = []

  /// Compares.
  ///
  /// - Parameters:
  ///   - history: The records, without a base but for that of a machine that joined.
  ///   - stream: The machine's.
  ///   - moment: Milliseconds since 1970.
  ///   - now: The same of this moment.
  /// - Throws: ``SpaceBase/Outdated`` if the history begins behind records of the machine.
  init(_ history: SpaceHistory, of stream: StreamID, since moment: Int64, now: Int64) throws {
    let roster = history.roster()
    told = SyncReversion(label: roster.shownLabel(of: stream))
    let line = roster.line(of: stream)
    let ends = Self.ends(of: line, before: moment, history)
    let known = history.known
    var without = known
    for stream in line {
      let end = min(known[stream] ?? 0, ends[stream] ?? 0)
      guard end < known[stream] ?? 0 else { continue }
      // What a snapshot stands in for says nothing of its items.
      if history.base?.frontier[stream] ?? 0 > end { throw SpaceBase.Outdated() }
      without[stream] = end
    }
    try compare(
      FoldedSpace(history, roster, upTo: known), FoldedSpace(history, roster, upTo: without),
      isTheirs: { record in ends[record.stream].map { record.sequence > $0 } ?? false }, now: now)
    compare(
      try FoldedPreferences(history, roster, upTo: known),
      try FoldedPreferences(history, roster, upTo: without), now: now)
    told.unseenRecords = Self.unseen(of: line, upTo: ends, before: moment, history)
  }

  /// The number of the last record of each stream that is from before a moment.
  private static func ends(
    of line: [StreamID], before moment: Int64, _ history: SpaceHistory
  ) -> Frontier {
    var first: Frontier = [:]
    for (stream, records) in history.streams {
      first[stream] = records.first { $0.content.time >= moment }?.sequence
    }
    return line.reduce(into: [:]) { ends, stream in
      let records = history.streams[stream] ?? []
      let since = records.first { record in
        record.past.contains { other, sequence in first[other].map { $0 <= sequence } ?? false }
      }
      ends[stream] = (since?.sequence ?? UInt64(records.count) + 1) - 1
    }
  }

  private static func unseen(
    of line: [StreamID], upTo ends: Frontier, before moment: Int64, _ history: SpaceHistory
  ) -> Int {
    var seen: Frontier = [:]
    for (stream, records) in history.streams where !line.contains(stream) {
      // Each record knows what the one before knew.
      guard let last = records.last(where: { $0.content.time < moment }) else { continue }
      for stream in line { seen[stream] = max(seen[stream] ?? 0, last.past[stream] ?? 0) }
    }
    return line.reduce(0) { count, stream in
      let records = (history.streams[stream] ?? []).prefix(Int(clamping: ends[stream] ?? 0))
      return count
        + records.dropFirst(Int(clamping: seen[stream] ?? 0)).count {
          $0.content.operations.contains { !$0.isOfSpace }
        }
    }
  }

  private mutating func compare(
    _ space: FoldedSpace, _ without: FoldedSpace, isTheirs: (OpenedRecord) -> Bool, now: Int64
  ) {
    var properties: [[UInt8]: [String]] = [:]
    // What is gone without it is looked at below.
    let changes = space.changes(to: without.told, unreadable: [], removed: [], now: now)
    for case .item(let change) in changes where !change.changes.isEmpty {
      guard properties[change.id] == nil else { continue }
      properties[change.id] = change.changes.compactMap(\.key.words)
    }
    for (id, properties) in properties {
      guard let item = without.told[id] else { continue }
      reverted[id] = item
      let isRestored = space.told[id] == nil
      told.items.append(
        SyncReversion.Item(
          name: space.told[id]?.name ?? item.name, outcome: isRestored ? .restored : .reverted,
          properties: isRestored ? [] : properties))
    }
    for (id, item) in space.told where without.told[id] == nil && item.trashed == 0 {
      let heads = (space.folded[id]?.heads ?? [:]).values.joined()
      let isTheirsAlone = heads.allSatisfy { isTheirs($0.record) }
      if isTheirsAlone { trashed.append(id) }
      told.items.append(
        SyncReversion.Item(
          name: item.name, outcome: isTheirsAlone ? .trashed : .kept, properties: []))
    }
    var items = Dictionary(space.items.map { ($0.id, $0) }) { one, _ in one }
    for (id, item) in reverted where items[id] != nil || space.told[id] == nil {
      // One that has become one with another of its name is not there twice again.
      items[id] = item
    }
    for id in trashed { items[id] = nil }
    self.items = Array(items.values)
    told.items.sort { ($0.name, $0.outcome.rawValue) < ($1.name, $1.outcome.rawValue) }
  }

  private mutating func compare(
    _ space: FoldedPreferences, _ without: FoldedPreferences, now: Int64
  ) {
    for (name, domain) in space.domains.sorted(by: { $0.key < $1.key }) {
      let before = without.domains[name] ?? FoldedPreferences.Domain()
      var changes: [PreferencesOperation.Change] = []
      for key in domain.heads.keys.sorted() {
        guard let head = domain.winner(key), head.value != before.winner(key)?.value else {
          continue
        }
        // A clock that is ahead does not make it the later one.
        let least = head.modified == .max ? .max : head.modified + 1
        changes.append(
          PreferencesOperation.Change(
            key: key, modified: max(now, least), value: before.winner(key)?.value))
        told.preferences.append(SyncReversion.Preference(domain: name, key: key))
      }
      preferences +=
        PreferencesOperation.operations(
          name, isProtected: domain.isProtected, changes
        ).operations
    }
  }
}
