import VaultCredentials
import VaultSealing

extension SyncedVault {
  /// Brings the vault and its space together: what changed here goes to the store, what others
  /// changed comes into the vault.
  ///
  /// It can be ended at any moment and called again: nothing is lost, and nothing is done twice.
  ///
  /// - Parameter acceptingRollback: Goes on writing to a store that shows an older state, or less,
  ///   than it did before.
  /// - Returns: What was done, and what is wrong with the store, if anything.
  /// - Throws: ``SyncError`` with code `.unavailable`, `.removed`, `.copied`, `.notJoined`; what
  ///   reading and writing the vault throws. The vault is whole in any case.
  @discardableResult
  public func synchronize(acceptingRollback: Bool = false) throws -> SyncReport {
    try files.locked {
      var (state, keys) = try loadState()
      return try noting(acceptingRollback) { notes in
        let heads = try engine.heads(in: state.space)
        if !acceptingRollback, !isTimeToMend(state), try isAtRest(state, heads) {
          state.lastContact = now()
          try files.replaceState(state.sealed(keys.own))
          return SyncReport(changes: .unchanged)
        }
        var loaded = try load((state, keys))
        return try bringTogether(&loaded, heads, &notes, acceptingRollback) { _, _ in [] }
      }
    }
  }

  /// Whether the store and the vault are as they were when there was nothing left to do.
  private func isAtRest(_ state: SyncState, _ heads: [StreamHead]) throws -> Bool {
    guard let rest = state.rest, state.pending == nil, rest.until > now(),
      rest.heads == heads.sorted(by: { $0.stream < $1.stream }), try homeIdentity().wrote(state)
    else { return false }
    return try vault.blocking.fileMark().bytes == rest.vault
      && Self.areAtRest(state.preferences, preferences)
  }

  /// The same with what was read; `also` writes further operations of an admin at the end.
  func synchronize(
    _ loaded: inout Loaded, acceptingRollback: Bool = false,
    also further: (inout Loaded, Roster) throws -> [Operation] = { _, _ in [] }
  ) throws -> SyncReport {
    try noting(acceptingRollback) { notes in
      let heads = try engine.heads(in: loaded.state.space)
      return try bringTogether(&loaded, heads, &notes, acceptingRollback, further)
    }
  }

  /// Notes how a run ended, for who asks later.
  private func noting(
    _ acceptingRollback: Bool, _ run: (inout SyncNotes) throws -> SyncReport
  ) throws -> SyncReport {
    let before = files.notes()
    var notes = before
    defer { if notes != before { files.replace(notes) } }
    do {
      let report = try run(&notes)
      notes.note(
        failure: acceptingRollback ? nil : report.problems.first?.code.rawValue, now: now())
      return report
    } catch {
      notes.note(failure: (error as? SyncError)?.code.rawValue ?? "sync-failed", now: now())
      throw error
    }
  }

  private func bringTogether(
    _ loaded: inout Loaded, _ heads: [StreamHead], _ notes: inout SyncNotes,
    _ acceptingRollback: Bool, _ further: (inout Loaded, Roster) throws -> [Operation]
  ) throws -> SyncReport {
    var report = SyncReport(changes: MergeReport.unchanged)
    let before = loaded.history.frontier
    let retirements = loaded.history.roster().retirements.count
    var own = try fetch(heads, orBeginAgain: &loaded, &report)
    for stream in notes.note(waiting: report.waitingStreams, now: now()).sorted() {
      report.problems.append(SyncError.missingForLong(loaded.history.label(of: stream)))
    }
    try goOn(&own, &loaded, &report, acceptingRollback: acceptingRollback)
    try writeSignsOfLife(&loaded)
    let roster = loaded.history.roster()
    try checkMembership(roster, &loaded)
    var vault = try applyAll(&loaded, &report)
    try exchangePreferences(&loaded, &report)
    let known = loaded.history.frontier[loaded.state.stream, default: 0]
    if try attend(&loaded, further) {
      // Somebody was let in: what that machine wrote counts from now on.
      let changes = report.changes
      vault = try applyAll(&loaded, &report)
      report.changes.add(changes)
      try exchangePreferences(&loaded, &report)
    } else if loaded.history.tellsPreferences(loaded.state.stream, after: known) {
      try exchangePreferences(&loaded, &report)
    }
    try writeSignsOfLife(&loaded)
    tellCopies(after: before, loaded, &report)
    // What a machine that was removed has written does not count: the others go on.
    let after = loaded.history.roster()
    report.asking = late(after, loaded)
    // Told once: what is to be done about it is a person's to say.
    let refused = after.invitations.values.filter { $0.isSettled && $0.accepted.count >= $0.uses }
    report.refused = notes.note(refused: Set(refused.flatMap(\.refused))).compactMap {
      loaded.history.label(of: $0)
    }
    .sorted()
    report.tellStops(after)
    // One machine never stops the others: only a store that lost what this one wrote does.
    report.isBlocked = report.rollbacks.contains(loaded.state.stream) && !acceptingRollback
    var isPushed = false
    if !report.isBlocked {
      if report.problems.isEmpty { try exchangeSnapshots(&loaded, &report) }
      if acceptingRollback || isTimeToMend(loaded.state) {
        report.mended = try mend(
          &loaded, min(own.count, loaded.state.sent), &report.problems)
      }
      let sent = loaded.state.sent
      // Whoever hears that this machine found a snapshot right may remove what an older one needs.
      try putRecoveryInvitations(&loaded)
      try push(own, &loaded, &report)
      packIfDue(loaded, after: sent)
      try putRecoveryInvitations(&loaded)
      if loaded.history.roster().retirements.count > retirements { removeRetired(loaded) }
      isPushed = true
    }
    loaded.state.lastContact = now()
    files.setReader(after.members[loaded.state.stream]?.role == .reader)
    loaded.state.epochs = loaded.history.epochs
    loaded.state.rest = isPushed ? rest(heads, loaded, report, vault) : nil
    report.tellRefusals()
    try files.replaceState(loaded.state.sealed(loaded.keys.own))
    try renewBase(loaded)
    return report
  }

  /// Brings the vault to the records, from the start if some of them count no longer.
  private func applyAll(
    _ loaded: inout Loaded, _ report: inout SyncReport
  ) throws -> VaultFileMark? {
    do {
      return try apply(loaded.history.roster(), &loaded, &report)
    } catch is SpaceBase.Outdated {
      // A machine was removed, or let in, and with it some of what the base has.
      try files.removeBase()
      loaded = try load(usesBase: false)
      do {
        return try apply(loaded.history.roster(), &loaded, &report)
      } catch is SpaceBase.Outdated {
        try readAnew(&loaded)
        return try apply(loaded.history.roster(), &loaded, &report)
      }
    }
  }

  /// Machines that ask to be let in by an invitation whose time is over.
  private func late(_ roster: Roster, _ loaded: Loaded) -> [String] {
    roster.invitations.values.filter {
      !$0.isRecovery && $0.isSettled && $0.accepted.count < $0.uses
    }
    .flatMap(\.refused).compactMap { loaded.history.label(of: $0) }.sorted()
  }

  /// What the store and the vault show now, if nothing is left to do.
  private func rest(
    _ heads: [StreamHead], _ loaded: Loaded, _ report: SyncReport, _ vault: VaultFileMark?
  ) -> SyncState.Rest? {
    guard let vault, report.problems.isEmpty, report.waiting.isEmpty else { return nil }
    let own = loaded.state.stream
    // What the store showed, with what went there: streams that are not taken do not wake it.
    var shown = heads.filter { $0.stream != own }
    if let last = loaded.history.last(own) {
      shown.append(StreamHead(stream: own, sequence: last.sequence, hash: last.hash))
    }
    let roster = loaded.history.roster()
    return SyncState.Rest(
      heads: shown.sorted { $0.stream < $1.stream }, vault: vault.bytes,
      until: roster.isAdmin(own)
        ? roster.invitations.values.filter { !$0.isSettled }.map(\.expires).min() ?? .max : .max)
  }

  func checkMembership(_ roster: Roster, _ loaded: inout Loaded) throws {
    if let member = roster.members[loaded.state.stream] {
      guard member.last != nil else { return }
      try files.replaceState(loaded.state.sealed(loaded.keys.own))
      throw SyncError(
        .removed, "this machine was removed from the space; its vault stays as it is",
        hint: "to come back, leave the space here and ask for an invitation")
    }
    throw SyncError(
      .removed,
      "this machine is not in the space: its invitation was used by another one, or had ended "
        + "before an admin's machine saw that it joined",
      hint: "leave the space here and ask for another invitation; have the other machine removed "
        + "if nobody knows it")
  }

  // MARK: - Into the vault

  /// A name of an item that was looked at is that of another one.
  private struct MeetsOthers: Error {}

  private func apply(
    _ roster: Roster, _ loaded: inout Loaded, _ report: inout SyncReport
  ) throws -> VaultFileMark? {
    let before = report
    do {
      return try apply(roster, &loaded, &report, changesAlone: looksAtChangesAlone)
    } catch is MeetsOthers {
      report = before
      return try apply(roster, &loaded, &report, changesAlone: false)
    }
  }

  private func apply(
    _ roster: Roster, _ loaded: inout Loaded, _ report: inout SyncReport, changesAlone: Bool
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
        var state = try next.history.folded(upTo: known, only: scope)
        if canWrite {
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
      let state = try next.history.folded(upTo: next.history.known, only: scope)
      try check(state, meetsNoneBut: scope, in: shared)
      if canWrite, let base { shared.follow(removed(by: state, unchangedIn: local, since: base)) }
      let changes = try merging(&shared, state, base?.items)
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
    _ history: SpaceHistory, after former: Frontier, _ rest: SyncState.Rest?, _ shared: SharedVault
  ) throws -> Set<[UInt8]>? {
    guard let rest, !shared.hasLooseEnds, var ids = shared.itemsChanged(since: rest.vault) else {
      return nil
    }
    let known = history.known
    let (before, after) = (history.roster(upTo: former), history.roster(upTo: known))
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
    _ next: inout Loaded, _ writer: RecordWriter, mark: String?, after former: SyncState.Applied
  ) throws {
    next.state.applied.mark = mark ?? ""
    var before = next.state
    before.applied = former
    before.pending = SyncState.Pending(applied: next.state.applied, records: writer.written)
    try files.replaceState(before.sealed(next.keys.own))
  }

  // MARK: - To the store

  func push(
    _ there: OwnStream, _ loaded: inout Loaded, _ report: inout SyncReport
  ) throws {
    let own = loaded.state.stream
    let count = UInt64(loaded.history.streams[own]?.count ?? 0)
    var unsent: ArraySlice<[UInt8]> = []
    if there.count < count || there.isHeadAltered, let last = loaded.history.last(own) {
      let covered = loaded.history.base?.frontier[own] ?? 0
      // A store that was emptied gets what the base covers, too.
      let log = there.count < covered ? try files.records() : loaded.log
      unsent = LoggedStream(own, in: log).records(after: there.count)
      do {
        try engine.append(
          Array(unsent),
          head: StreamHead(stream: own, sequence: last.sequence, hash: last.hash),
          in: loaded.state.space)
      } catch let error as SyncError where error.code == .taken {
        throw Self.copied
      }
    }
    report.sent = unsent.count
    loaded.state.sent = count
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

extension MergeReport {
  /// Nothing changed.
  fileprivate static var unchanged: MergeReport { MergeReport(unchangedBy: .newer) }

  /// Takes in what was changed before, in the same run.
  fileprivate mutating func add(_ before: MergeReport) {
    // A machine that began again had no state in common with the others.
    if before.relation == .apart { relation = .apart }
    added = before.added + added.filter { !before.added.contains($0) }
    changed = before.changed + changed.filter { !before.changed.contains($0) }
    removed = before.removed + removed.filter { !before.removed.contains($0) }
    conflicts = before.conflicts + conflicts.filter { !before.conflicts.contains($0) }
    damaged = before.damaged + damaged.filter { !before.damaged.contains($0) }
    leftOut = before.leftOut + leftOut.filter { !before.leftOut.contains($0) }
    missingVersions = max(missingVersions, before.missingVersions)
  }
}

extension SpaceHistory {
  /// Whether records of a stream change preferences.
  fileprivate func tellsPreferences(_ stream: StreamID, after sequence: UInt64) -> Bool {
    (streams[stream] ?? []).dropFirst(Int(clamping: sequence)).contains { record in
      record.content.operations.contains {
        if case .preferences = $0 { true } else { false }
      }
    }
  }

  /// The items as some of the records have them.
  func folded(
    upTo frontier: Frontier, only wanted: Set<[UInt8]>? = nil
  ) throws(SpaceBase.Outdated) -> FoldedSpace {
    try FoldedSpace(self, roster(upTo: frontier), upTo: frontier, only: wanted)
  }

  /// What a machine calls itself in its first record.
  func label(of stream: StreamID) -> String? {
    switch streams[stream]?.first?.content.operations.first {
    case .create(_, _, let label, _)?, .claim(_, _, let label, _)?,
      .succeed(_, _, let label, _)?:
      label
    default: nil
    }
  }
}
