import VaultCredentials
import VaultSealing

/// One run that brings a vault and its space together.
struct SyncRun: Exchanging {
  let exchange: Exchange

  /// Brings the two together; see ``SyncedVault/synchronize(acceptingRollback:)``.
  func synchronize(acceptingRollback: Bool = false) throws -> SyncReport {
    try files.locked {
      var (state, keys) = try replica.loadState()
      return try noting(acceptingRollback) { notes in
        if let mirror {
          return try Following(exchange).run(
            (state, keys), mirror, &notes, acceptingRollback: acceptingRollback)
        }
        let heads = try engine.heads(in: state.space)
        if !acceptingRollback, !Sending(exchange).isTimeToMend(lastLook: state.mended),
          try isAtRest(state, heads)
        {
          state.lastContact = now()
          try files.replaceState(state.sealed(keys.own))
          return SyncReport(changes: .unchanged)
        }
        var loaded = try replica.load((state, keys))
        return try bringTogether(&loaded, heads, &notes, acceptingRollback) { _, _ in
          []
        } further: { _, _ in
          []
        }
      }
    }
  }

  /// Whether the store and the vault are as they were when there was nothing left to do.
  private func isAtRest(_ state: SyncState, _ heads: [StreamHead]) throws -> Bool {
    guard let rest = state.rest, state.pending == nil, rest.until > now(),
      rest.heads == heads.sorted(by: { $0.stream < $1.stream }),
      // A run that ended before it had sent what it wrote leaves something to do.
      state.applied.frontier[state.stream, default: 0] <= state.sent,
      try replica.homeIdentity().wrote(state)
    else { return false }
    return try vault.blocking.fileMark().bytes == rest.vault
      && PreferencesExchange.areAtRest(state.preferences, preferences)
  }

  /// The same with what was read.
  ///
  /// - Parameters:
  ///   - loaded: What was read; gets what is known afterwards.
  ///   - acceptingRollback: Whether a store that was put back is written to.
  ///   - further: Gives further operations of an admin.
  /// - Returns: What was done.
  /// - Throws: As ``SyncedVault/synchronize(acceptingRollback:)``; what `further` throws.
  func synchronize(
    _ loaded: inout LoadedReplica, acceptingRollback: Bool = false,
    also further: (inout LoadedReplica, Roster) throws -> [Operation] = { _, _ in [] }
  ) throws -> SyncReport {
    try run(&loaded, acceptingRollback, first: { _, _ in [] }, further: further)
  }

  /// The same with operations of an admin that put somebody out, close codes or begin an epoch.
  ///
  /// They go before what was changed here, so that nobody reads that by a key of before; where that
  /// cannot be done they go behind it.
  ///
  /// - Parameters:
  ///   - loaded: What was read; gets what is known afterwards.
  ///   - first: Gives the operations.
  ///   - further: Gives operations that go behind what was changed here; `nil` for those of `first`
  ///     that could not go before.
  /// - Returns: What was done.
  /// - Throws: As ``SyncedVault/synchronize(acceptingRollback:)``; what the two throw.
  func synchronizeClosing(
    _ loaded: inout LoadedReplica,
    with first: @escaping (inout LoadedReplica, Roster) throws -> [Operation],
    then further: ((inout LoadedReplica, Roster) throws -> [Operation])? = nil
  ) throws -> SyncReport {
    try run(&loaded, false, first: first, further: further ?? first)
  }

  private func run(
    _ loaded: inout LoadedReplica, _ acceptingRollback: Bool,
    first: (inout LoadedReplica, Roster) throws -> [Operation],
    further: (inout LoadedReplica, Roster) throws -> [Operation]
  ) throws -> SyncReport {
    // Whoever follows a feed says nothing to anybody.
    guard mirror == nil else { throw Following.onlyReads }
    return try noting(acceptingRollback) { notes in
      let heads = try engine.heads(in: loaded.state.space)
      return try bringTogether(&loaded, heads, &notes, acceptingRollback) { loaded, roster in
        do { return try first(&loaded, roster) } catch { throw Refusal(error: error) }
      } further: { loaded, roster in
        do { return try further(&loaded, roster) } catch { throw Refusal(error: error) }
      }
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
    } catch let refusal as Refusal {
      throw refusal.error
    } catch {
      notes.note(failure: (error as? SyncError)?.code.rawValue ?? "sync-failed", now: now())
      throw error
    }
  }

  /// That a person asked for what cannot be done: nothing is wrong with the synchronizing.
  private struct Refusal: Error {
    let error: any Error
  }

  private func bringTogether(
    _ loaded: inout LoadedReplica, _ heads: [StreamHead], _ notes: inout SyncNotes,
    _ acceptingRollback: Bool,
    first: (inout LoadedReplica, Roster) throws -> [Operation],
    further: (inout LoadedReplica, Roster) throws -> [Operation]
  ) throws -> SyncReport {
    var report = SyncReport(changes: MergeReport.unchanged)
    let (before, former) = (loaded.history.frontier, loaded.history.roster())
    let codes = former.recoveryCodes(of: loaded.state.stream)
    let retirements = loaded.history.roster().retirements.count
    var own = try fetch(heads, &loaded, &report)
    for stream in notes.note(waiting: report.waitingStreams, now: now()).sorted() {
      report.problems.append(SyncError.missingForLong(loaded.history.label(of: stream)))
    }
    try Succession(exchange).goOn(&own, &loaded, &report, acceptingRollback: acceptingRollback)
    try Succession(exchange).writeSignsOfLife(&loaded)
    let roster = loaded.history.roster()
    try replica.checkMembership(roster, &loaded)
    report.hasNewKeys = try Succession(exchange).endFormer(&loaded)
    let written = loaded.history.frontier[loaded.state.stream]
    try Admitting(exchange).attendFirst(&loaded, first)
    if loaded.history.frontier[loaded.state.stream] != written {
      try sendFirst(&own, &loaded, &report, acceptingRollback: acceptingRollback)
    }
    var vault = try Applying(exchange).applyAll(&loaded, &report)
    try PreferencesExchange(exchange).exchangePreferences(&loaded, &report)
    let known = loaded.history.frontier[loaded.state.stream, default: 0]
    if try Admitting(exchange).attend(&loaded, further) {
      // Somebody was let in: what that machine wrote counts from now on.
      let changes = report.changes
      vault = try Applying(exchange).applyAll(&loaded, &report)
      report.changes.add(changes)
      try PreferencesExchange(exchange).exchangePreferences(&loaded, &report)
    } else if loaded.history.tellsPreferences(loaded.state.stream, after: known) {
      try PreferencesExchange(exchange).exchangePreferences(&loaded, &report)
    }
    try Succession(exchange).writeSignsOfLife(&loaded)
    try RecoveryCodes(exchange).witnessWithdrawals(&loaded)
    try SettlingForks(exchange).tell(&loaded)
    try LackingKeys(exchange).tell(&loaded)
    try LackingKeys(exchange).answer(&loaded)
    // What a machine that was removed has written does not count: the others go on.
    let after = loaded.history.roster()
    Succession(exchange).tellCopies(after: before, former, loaded, &report)
    report.closedRecoveryCodes = try RecoveryCodes(exchange).closed(since: codes, after)
    report.asking = loaded.asking(after)
    report.cameByCode = after.comersByCode(since: former, loaded.state.stream)
    // Told once: what is to be done about it is a person's to say.
    let refused = after.invitations.values.filter {
      $0.isSettled && ($0.isRecovery || $0.accepted.count >= $0.uses)
    }
    report.refused = notes.note(refused: Set(refused.flatMap(\.refused))).compactMap {
      after.distinctLabel(of: $0, loaded.history.label(of: $0))
    }
    .sorted()
    // A store that went back as a whole is written to when a person says so.
    var restored = 0
    if acceptingRollback || !report.rollbacks.contains(loaded.state.stream) {
      let others = try Sending(exchange).restore(report.rollbacks, heads, loaded)
      report.rollbacks.subtract(others.streams)
      restored = others.count
    }
    report.tellStops(after)
    notes.note(stopped: Set(report.stops.map(\.stream).filter(after.isPresent)), now: now())
    // One machine never stops the others: only a store that lost what this one wrote does.
    report.isBlocked = report.rollbacks.contains(loaded.state.stream) && !acceptingRollback
    var (isPushed, looksAtLog) = (false, false)
    if !report.isBlocked {
      if report.problems.isEmpty {
        try SnapshotExchange(exchange).exchangeSnapshots(&loaded, &report)
      }
      let looks = acceptingRollback || Sending(exchange).isTimeToMend(lastLook: loaded.state.mended)
      let writes = loaded.history.frontier[loaded.state.stream, default: 0] > loaded.state.sent
      if looks {
        report.mended = try Sending(exchange).mend(
          &loaded, min(own.count, loaded.state.sent), &report.problems)
        report.mended += SnapshotExchange(exchange).mendParts(loaded)
      }
      report.mended += restored
      try SettlingForks(exchange).restore(loaded)
      let sent = loaded.state.sent
      // Whoever hears that this machine found a snapshot right may remove what an older one needs.
      report.mended += try RecoveryCodes(exchange).putRecoveryInvitations(
        &loaded, comparing: looks || writes)
      try Sending(exchange).push(own, &loaded, &report)
      Packing(exchange).packIfDue(loaded, after: sent)
      try RecoveryCodes(exchange).putRecoveryInvitations(&loaded)
      let isRetired = loaded.history.roster().retirements.count > retirements
      if isRetired { Retiring(exchange).removeRetired(loaded) }
      (isPushed, looksAtLog) = (true, looks || isRetired)
    }
    loaded.state.lastContact = now()
    if let label = after.members[loaded.state.stream]?.label, label != loaded.state.label {
      loaded.state.label = label
      if report.successor == nil { report.renamed = label }
    }
    let role = after.members[loaded.state.stream]?.role
    if let role, let before = former.members[loaded.state.stream]?.role, before != role {
      report.newRole = role
    }
    files.setReader(role == .reader)
    loaded.state.epochs = loaded.history.epochs
    loaded.state.rest = isPushed ? rest(heads, loaded, report, vault) : nil
    try tellLeftOut(&report, loaded, &notes)
    report.tellRefusals()
    try files.replaceState(loaded.state.sealed(loaded.keys.own))
    if looksAtLog { try LogShortening(exchange).shortenIfDue(&loaded) }
    try replica.renewBase(loaded, step: tuning.baseStep)
    return report
  }

  /// Sends what puts somebody out, closes codes or begins a key, before items are looked at: they may be
  /// of somebody who makes that last.
  private func sendFirst(
    _ own: inout OwnStream, _ loaded: inout LoadedReplica, _ report: inout SyncReport,
    acceptingRollback: Bool
  ) throws {
    let stream = loaded.state.stream
    // Who joins has told nothing yet: what its vault has otherwise is to meet the space first.
    guard loaded.state.sent > 0, acceptingRollback || !report.rollbacks.contains(stream) else {
      return
    }
    try RecoveryCodes(exchange).putRecoveryInvitations(&loaded)
    try Sending(exchange).push(own, &loaded, &report)
    if loaded.state.sent == loaded.history.frontier[stream] {
      own = OwnStream(count: loaded.state.sent, isAhead: own.isAhead)
    }
  }

  /// Leaves out of the report which items the vault has no room for, where that was told before.
  func tellLeftOut(
    _ report: inout SyncReport, _ loaded: LoadedReplica, _ notes: inout SyncNotes
  ) throws {
    guard !report.changes.leftOut.isEmpty else { return }
    // The notes lie there in the open: no name can be guessed from them.
    let marks = try report.changes.leftOut.map { name in
      let mark = try KeyDerivation.key(
        from: loaded.keys.own, message: Array("VSS1/left-out".utf8) + Array(name.text.utf8))
      return mark.withBytes { Hexadecimal.text($0.array(0..<16)) }
    }
    let new = notes.note(leftOut: Set(marks))
    report.changes.leftOut = zip(report.changes.leftOut, marks)
      .filter { new.contains($0.1) }.map(\.0)
  }

  /// Fetches; where others decide which record of a stream counts, once more by that.
  func fetch(
    _ heads: [StreamHead], _ loaded: inout LoadedReplica, _ report: inout SyncReport
  ) throws -> OwnStream {
    let before = report
    var own = try Resuming(exchange).fetch(heads, orBeginAgain: &loaded, &report)
    // Each time more of the streams can be read, which may decide of others.
    for _ in 0..<8 where try SettlingForks(exchange).take(&loaded) {
      loaded = try replica.load()
      report = before
      own = try Resuming(exchange).fetch(heads, orBeginAgain: &loaded, &report)
    }
    return own
  }

  /// What the store and the vault show now, if nothing is left to do.
  private func rest(
    _ heads: [StreamHead], _ loaded: LoadedReplica, _ report: SyncReport, _ vault: VaultFileMark?
  ) -> SyncState.Rest? {
    guard let vault, report.problems.isEmpty, report.waiting.isEmpty else { return nil }
    let (own, roster) = (loaded.state.stream, loaded.history.roster())
    // What somebody wrote who was let in only now is taken in the next run.
    let isLeft = heads.contains { head in
      guard head.stream != own, !report.stops.contains(where: { $0.stream == head.stream }) else {
        return false
      }
      let have = UInt64(loaded.history.streams[head.stream]?.count ?? 0)
      let end = StreamTaking.end(of: head.stream, loaded.history, roster)
      return min(head.sequence, end) > max(have, report.taken[head.stream, default: 0])
    }
    guard !isLeft else { return nil }
    // What the store showed, with what went there: streams that are not taken do not wake it.
    var shown = heads.filter { $0.stream != own }
    if let last = loaded.history.last(own) {
      shown.append(StreamHead(stream: own, sequence: last.sequence, hash: last.hash))
    }
    return SyncState.Rest(
      heads: shown.sorted { $0.stream < $1.stream }, vault: vault.bytes,
      until: roster.isAdmin(own)
        ? roster.invitations.values.filter { !$0.isSettled }.map(\.expires).min() ?? .max : .max)
  }
}

extension MergeReport {
  /// Nothing changed.
  static var unchanged: MergeReport { MergeReport(unchangedBy: .newer) }

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

extension Space {
  /// Whether records of a stream change preferences.
  fileprivate func tellsPreferences(_ stream: StreamID, after sequence: UInt64) -> Bool {
    (streams[stream] ?? []).dropFirst(Int(clamping: sequence)).contains { record in
      record.content.operations.contains {
        if case .preferences = $0 { true } else { false }
      }
    }
  }
}
