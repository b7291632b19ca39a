import VaultCredentials
import VaultSealing

/// Brings the vault to what the records come to, and writes what the vault has and they lack.
struct Applying: Exchanging {
  let exchange: Exchange

  /// Brings the vault to the records, from the start if some of them count no longer.
  func applyAll(
    _ loaded: inout LoadedReplica, _ report: inout SyncReport
  ) throws -> VaultFileMark? {
    do {
      return try apply(loaded.history.roster(), &loaded, &report)
    } catch is SpaceBase.Outdated {
      // A machine was removed, or let in, and with it some of what the base has.
      try files.removeBase()
      loaded = try replica.load(usesBase: false)
      do {
        return try apply(loaded.history.roster(), &loaded, &report)
      } catch is SpaceBase.Outdated {
        try Resuming(exchange).readAnew(&loaded)
        return try apply(loaded.history.roster(), &loaded, &report)
      }
    }
  }

  /// A name of an item that was looked at is that of another one.
  private struct MeetsOthers: Error {}

  private func apply(
    _ roster: Roster, _ loaded: inout LoadedReplica, _ report: inout SyncReport
  ) throws -> VaultFileMark? {
    let before = report
    do {
      return try apply(roster, &loaded, &report, changesAlone: tuning.looksAtChangesAlone)
    } catch is MeetsOthers {
      report = before
      return try apply(roster, &loaded, &report, changesAlone: false)
    }
  }

  private func apply(
    _ roster: Roster, _ loaded: inout LoadedReplica, _ report: inout SyncReport, changesAlone: Bool
  ) throws -> VaultFileMark? {
    let canWrite = roster.members[loaded.state.stream].map { $0.role >= .writer } ?? false
    var next = loaded
    let former = loaded.state.applied
    var writer = RecordWriter(keys: loaded.keys.current, stream: loaded.state.stream, time: now())
    let told = vault
    writer.progress = { told.blocking.tell(.writing, $0, of: $1) }
    var before: VaultFileMark?
    var isWritten = false
    report.changes = try vault.blocking.shared { shared in
      before = shared.fileMark
      // Nobody's undo takes back what other machines changed.
      shared.origin = .others
      // Own changes that the state does not know: it was put back with the vault, without the log.
      let own = next.history.streams[next.state.stream] ?? []
      let isPutBack = own.dropFirst(Int(former.frontier[next.state.stream] ?? 0)).contains {
        $0.content.operations.contains(where: \.isOfItems)
      }
      // A vault file that was put back lacks what was told from a later one.
      let isCurrent =
        (shared.mark ?? "") == former.mark && !isPutBack
        && (former.file.map { shared.descends(from: $0) } ?? true)
      // A reader's own changes stay here, and so are new in each run.
      let scope =
        changesAlone && isCurrent && canWrite
        ? try changedItems(next.history, after: former.frontier, next.state.rest, shared) : nil
      report.itemsLookedAt = scope?.count
      let (local, unreadable) = try shared.items(scope)
      var base: FoldedSpace?
      if isCurrent {
        var known = next.state.applied.frontier
        // What this machine said before it heard that it may not is its own change again, as any
        // other one of a reader: nobody takes it away.
        var common = known
        let stream = next.state.stream
        common[stream] = common[stream].map { min($0, roster.contentLimit(stream)) }
        var state = try next.history.folded(upTo: common, only: scope)
        if canWrite {
          shared.keepGivenBack(
            state.items.filter { item in
              local[item.id].map { $0.modified != item.modified } ?? false
            })
          let changes = state.changes(
            to: local, unreadable: unreadable, removed: shared.certainRemovals, now: shared.now)
          if !changes.isEmpty {
            try writer.write(changes, to: &next.history, knowing: known)
            known[next.state.stream] = next.history.frontier[next.state.stream]
            state = try next.history.folded(upTo: known, only: scope)
            try check(state, meetsNoneBut: scope, in: shared)
            try shared.align(state.items(of: changes))
          }
        }
        try alignDoubles(of: local, to: state, in: &shared)
        if canWrite { shared.forgetSettled(state.items) }
        base = state
        let frontier = next.history.known
        guard known != frontier else {
          next.state.applied.frontier = known
          if shared.isChanged { shared.mark = Hexadecimal.text(RandomBytes.bytes(count: 8)) }
          next.state.applied.file = shared.isChanged ? nil : shared.fileMark.bytes
          try prepare(&next, writer, mark: shared.mark, after: former)
          isWritten = shared.isChanged
          return MergeReport.unchanged
        }
      }
      // One that was away for long begins with such a mark as well; it has told what it had.
      let isJoining = canWrite && former.mark == "-" && next.state.sent == 0
      let joined = isJoining ? try join(local, shared.left, &next, &writer) : nil
      var state = try next.history.folded(upTo: next.history.known, only: scope)
      if joined != nil { try state.meet(shared) }
      try check(state, meetsNoneBut: scope, in: shared)
      if canWrite, let base { shared.follow(removed(by: state, unchangedIn: local, since: base)) }
      var changes = try tuning.merging(&shared, state, base?.items ?? joined)
      if joined != nil {
        changes.relation = .apart
        shared.left = nil
      }
      report.noteRefusals(of: state, after: former.frontier, next.state.stream, roster)
      try alignDoubles(of: shared.items(scope).items, to: state, in: &shared)
      if canWrite {
        let (after, unreadable) = try shared.items(scope)
        let told = state.changes(
          to: after, unreadable: unreadable, removed: shared.certainRemovals, now: shared.now)
        try writer.write(told, to: &next.history)
        if !told.isEmpty {
          let after = try next.history.folded(upTo: next.history.known, only: scope)
          try shared.align(after.items(of: told))
        }
      }
      next.state.applied.frontier = next.history.known
      if shared.isChanged || !isCurrent {
        shared.mark = Hexadecimal.text(RandomBytes.bytes(count: 8))
      }
      next.state.applied.file = shared.isChanged ? nil : shared.fileMark.bytes
      try prepare(&next, writer, mark: shared.mark, after: former)
      isWritten = shared.isChanged
      return changes
    }
    try files.append(writer.written, at: next.logEnd)
    next.log += writer.written
    next.state.pending = nil
    try files.replaceState(next.state.sealed(next.keys.own))
    loaded = next
    // Nobody else has written it since: then the generation is the next one.
    let after = isWritten ? try vault.blocking.fileMark() : before
    return after?.generation == before.map { $0.generation + (isWritten ? 1 : 0) } ? after : nil
  }

  /// Tells what the vault of a machine that has just joined has otherwise than the space.
  ///
  /// - Parameters:
  ///   - local: Its items.
  ///   - left: The stream in which this vault left the space before; `nil` if it never did.
  ///   - next: Gets the records.
  ///   - writer: Gets them, too.
  /// - Returns: The items that the space has, too, as the vault has them: all of it is told now.
  /// - Throws: ``SpaceBase/Outdated``; as ``RecordWriter/write(_:to:knowing:with:)``.
  private func join(
    _ local: [[UInt8]: SharedItem], _ left: String?, _ next: inout LoadedReplica,
    _ writer: inout RecordWriter
  ) throws -> [SharedItem] {
    let frontier = next.history.known
    let changes = try JoiningChanges(
      local, joining: next.history.folded(upTo: frontier),
      next.history.counted(by: next.history.roster(upTo: frontier), upTo: frontier))
    // What it knew when it left it has seen.
    let last = left.flatMap { StreamID(text: $0) }.flatMap { next.history.last($0) }
    try writer.write(changes.unseen, to: &next.history, knowing: last?.past ?? [:])
    try writer.write(changes.seen, to: &next.history)
    return changes.items
  }

  /// The items that others removed for good, and of which nothing was told here: what was put into the
  /// trash and taken out again has another time, and no other value.
  private func removed(
    by state: FoldedSpace, unchangedIn local: [[UInt8]: SharedItem], since base: FoldedSpace
  ) -> [SharedItem] {
    base.items.filter { item in
      state.removals[item.id] != nil && (local[item.id].map { base.has($0) } ?? false)
    }
  }

  /// The items that may not be what the records and the vault had in common when nothing was left
  /// to do, with those that have one of their names.
  ///
  /// - Parameters:
  ///   - history: The records.
  ///   - former: How far the vault was brought.
  ///   - rest: When there was nothing left to do.
  ///   - shared: The vault.
  /// - Returns: Their ids; `nil` where that may be any item.
  /// - Throws: ``SpaceBase/Outdated``.
  private func changedItems(
    _ history: Space, after former: Frontier, _ rest: SyncState.Rest?, _ shared: SharedVault
  ) throws -> Set<[UInt8]>? {
    guard let rest, !shared.hasLooseEnds, var ids = shared.itemsChanged(since: rest.vault) else {
      return nil
    }
    let known = history.known
    let (before, after) = (history.roster(upTo: former), history.roster(upTo: known))
    // What it changed while it could only read stayed here, and was left out of what was at rest.
    if let viewer = history.viewer, before.members[viewer].map({ $0.role < .writer }) ?? false {
      return nil
    }
    // What lost names its machine.
    let isRenamed = after.members.contains { stream, member in
      before.members[stream].map { $0.label != member.label } ?? false
    }
    if isRenamed { return nil }
    for record in history.all.dropFirst(history.base?.records.count ?? 0) {
      let counted = record.sequence <= former[record.stream, default: 0] && before.counts(record)
      let counts = record.sequence <= known[record.stream, default: 0] && after.counts(record)
      // Also a record that counts no longer, since its machine was removed.
      if counted != counts { ids.formUnion(record.content.operations.compactMap(\.item)) }
    }
    while true {
      var others: Set<[UInt8]> = []
      for frontier in [former, known] {
        others.formUnion(try strangers(history.folded(upTo: frontier, only: ids), ids, in: shared))
      }
      if others.isEmpty { return ids }
      ids.formUnion(others)
    }
  }

  /// Items of the vault that are not among some, and have a name that one of a state has.
  private func strangers(
    _ state: FoldedSpace, _ ids: Set<[UInt8]>, in shared: SharedVault
  ) -> Set<[UInt8]> {
    Set(state.liveNames.compactMap { shared.id(ofLive: $0) }).subtracting(ids)
  }

  private func check(
    _ state: FoldedSpace, meetsNoneBut scope: Set<[UInt8]>?, in shared: SharedVault
  ) throws {
    guard let scope else { return }
    guard strangers(state, scope, in: shared).isEmpty else { throw MeetsOthers() }
  }

  /// Brings earlier versions to those of the space where a value is there twice, since somebody here
  /// set it once more: that is no change that others hear of.
  private func alignDoubles(
    of local: [[UInt8]: SharedItem], to state: FoldedSpace, in shared: inout SharedVault
  ) throws {
    let doubled = Set(local.values.filter(\.hasDoubles).map(\.id))
    guard !doubled.isEmpty else { return }
    try shared.align(state.items.filter { doubled.contains($0.id) })
  }

  /// Remembers what is about to happen, before the vault file is written.
  ///
  /// Until it is, what was applied before holds: a crash in between is as if nothing had begun.
  private func prepare(
    _ next: inout LoadedReplica, _ writer: RecordWriter, mark: String?,
    after former: SyncState.Applied
  ) throws {
    next.state.applied.mark = mark ?? ""
    var before = next.state
    before.applied = former
    before.pending = SyncState.Pending(applied: next.state.applied, records: writer.written)
    try files.replaceState(before.sealed(next.keys.own))
  }
}

extension SharedItem {
  /// Whether a value is among the earlier ones that is current, or is there twice.
  fileprivate var hasDoubles: Bool {
    earlier.indices.contains { place in
      earlier[place].hasSameSecrets(as: head)
        || earlier[..<place].contains { $0.hasSameSecrets(as: earlier[place]) }
    }
  }
}
