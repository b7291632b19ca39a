import VaultCredentials
import VaultSealing

/// A space beside what it would be without what one machine wrote since a moment.
struct Reversion {
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
  ///   - line: The machine's streams, its own first: as they were before it was removed.
  ///   - moment: Milliseconds since 1970.
  ///   - now: The same of this moment.
  /// - Throws: ``SpaceBase/Outdated`` if the history begins behind records of the machine.
  init(
    _ history: Space, of line: [StreamID], since moment: Int64, now: Int64
  ) throws {
    let roster = history.roster()
    told = SyncReversion(label: roster.shownLabel(of: line.first))
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
    of line: [StreamID], before moment: Int64, _ history: Space
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
    of line: [StreamID], upTo ends: Frontier, before moment: Int64, _ history: Space
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
    // One that only the machine has named stays as it is, if somebody else has typed into it.
    let isThere = { (id: [UInt8]) in without.folded[id]?.name != nil && without.told[id] != nil }
    // What is gone without it is looked at below.
    let changes = space.changes(to: without.told, unreadable: [], removed: [], now: now)
    for case .item(let change) in changes where !change.changes.isEmpty {
      guard properties[change.id] == nil else { continue }
      properties[change.id] = change.changes.compactMap(\.key.words)
    }
    for (id, properties) in properties {
      guard isThere(id), let item = without.told[id] else { continue }
      reverted[id] = item
      let isRestored = space.told[id] == nil
      told.items.append(
        SyncReversion.Item(
          name: space.told[id]?.name ?? item.name, outcome: isRestored ? .restored : .reverted,
          properties: isRestored ? [] : properties))
    }
    for (id, item) in space.told where !isThere(id) && item.trashed == 0 {
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
