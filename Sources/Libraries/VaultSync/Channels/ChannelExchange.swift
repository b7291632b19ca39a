import VaultSealing

/// Brings a channel and its records in the store together.
///
/// The run of the space comes first: who belongs to it, and the keys, are as this machine knows them
/// then. Documentation/design/sync-format.md, section 10.
struct ChannelExchange: Exchanging {
  let exchange: Exchange

  /// What a run has found.
  private struct Found {
    var report = ChannelReport()
    /// This machine's stream.
    let own: StreamID
    /// The newest record of every stream, as the store shows it.
    var heads: [StreamID: StreamHead] = [:]
    var frontier: Frontier = [:]
    var pending: [StreamID: [ChannelRecord]] = [:]
    var stopped: Set<StreamID> = []
    /// What was opened and is not kept yet.
    var new: [ChannelEntry] = []
    /// What a writer who is in has seen of others.
    var vouched: Frontier = [:]
    var newest: [StreamID: ChannelEntry] = [:]
    /// What records of such writers have seen that wait for it.
    var wanted: Frontier = [:]
  }

  /// Fetches what others wrote, has it met, and sends what was written here.
  ///
  /// It can be ended at any moment and called again.
  func exchange(_ channel: ChannelID, _ part: some SyncedChannel) throws -> ChannelReport {
    try files.locked {
      var loaded = try replica.load()
      let roster = loaded.history.roster()
      try replica.checkMembership(roster, &loaded)
      let heads = try engine.heads(in: channel.place).sorted { $0.stream < $1.stream }
      var found = Found(own: loaded.state.stream)
      for head in heads { found.heads[head.stream] = head }
      found.frontier = try part.frontier()
      for (stream, sequence) in found.frontier {
        found.newest[stream] = try part.entry(stream, sequence)
      }
      try fetch(heads, channel, loaded, roster, part, &found)
      var limits: [StreamID: UInt64] = [:]
      for stream in found.frontier.keys { limits[stream] = limit(stream, roster, found) }
      let own = loaded.state.stream
      let kept = kept(in: channel, of: part, roster)
      try restore(kept, roster, part, &found)
      limits[own] = .max
      // What this machine wrote before it took other keys is its own still; it says so for the others.
      let former = roster.line(of: own).dropFirst()
      let last = try part.lastWritten(own)
      let labels = roster.members.mapValues { roster.shownLabel(of: $0.stream) }
      var turn = ChannelTurn(
        loaded, channel, limits: limits, former: Set(former), labels: labels,
        mayWrite: roster.limit(own) == .max,
        time: now(), last: last == 0 ? nil : try part.entry(own, last)
      ) { try part.entry($0, $1)?.hash }
      try part.meet(&turn)
      for stream in former { try sendRest(kept(stream), part, &found) }
      let looks = try mendIfDue(former.map(kept) + [kept(own)], part, &found)
      let written = try kept(own)
      try send(written, part, &found)
      let (count, there) = (written.numbers.end, found.heads[own]?.sequence ?? 0)
      if looks || count / tuning.packStep != there / tuning.packStep {
        written.pack(upTo: count, step: tuning.packStep)
      }
      return found.report
    }
  }

  /// Once a day, writes again what the store has lost of this machine's records.
  ///
  /// - Returns: Whether it has looked.
  private func mendIfDue(
    _ streams: [KeptStream], _ part: some SyncedChannel, _ found: inout Found
  ) throws -> Bool {
    guard try Sending(exchange).isTimeToMend(lastLook: part.lastMended()) else { return false }
    for kept in streams {
      try? engine.removeLeftovers(of: kept.stream, in: kept.place, everywhere: true)
      do {
        found.report.mended += try kept.mend(
          after: 0, upTo: min(found.heads[kept.stream]?.sequence ?? 0, kept.numbers.end),
          &found.report.problems)
      } catch let error as SyncError where error.code == .copied && kept.stream != found.own {
        // A copy of this home went on with a stream that this machine has left.
        continue
      }
    }
    try part.setLastMended(now())
    return true
  }

  /// The streams of a channel, as this machine has them.
  private func kept(
    in channel: ChannelID, of part: some SyncedChannel, _ roster: Roster
  ) -> (StreamID) throws -> KeptStream {
    { stream in
      let signer = roster.members[stream]?.keys.signing
      return KeptStream(
        stream: stream, place: channel.place, engine: engine,
        numbers: (0, try part.lastWritten(stream)),
        records: { try part.records(of: stream, after: $0, limit: $1) },
        lengths: { try part.lengths(of: stream, $0) },
        isSigned: { bytes, number in
          guard let signer, let record = try? ChannelRecord(bytes: bytes) else { return false }
          return record.channel == channel.place && record.stream == stream
            && record.sequence == number && record.isSigned(by: signer)
        })
    }
  }

  // MARK: Whose records count

  /// How far a stream counts: all of it while its machine may write; of one that may not any more
  /// what a machine that may has seen.
  private func limit(_ stream: StreamID, _ roster: Roster, _ found: Found) -> UInt64 {
    roster.limit(stream) == .max ? .max : found.vouched[stream, default: 0]
  }

  private func vouch(_ roster: Roster, _ found: inout Found) {
    for (stream, entry) in found.newest where roster.limit(stream) == .max {
      found.vouched.formMaximum(with: entry.past)
    }
  }

  // MARK: Fetching

  private func fetch(
    _ heads: [StreamHead], _ channel: ChannelID, _ loaded: LoadedReplica, _ roster: Roster,
    _ part: some SyncedChannel, _ found: inout Found
  ) throws {
    let own = loaded.state.stream
    // What this machine wrote before it took other keys it sends itself.
    let line = roster.line(of: own)
    let written = try part.lastWritten(own)
    for head in heads {
      let known = found.frontier[head.stream, default: 0]
      if head.sequence < known, !line.contains(head.stream) {
        found.report.rollbacks.append(head.stream)
      }
      guard head.sequence <= known, head.sequence > 0, head.stream != own || written > 0,
        let entry = try part.entry(head.stream, head.sequence), entry.hash != head.hash
      else { continue }
      found.stopped.insert(head.stream)
      found.report.problems.append(
        SyncError(
          .forked,
          "the store shows another record \(head.sequence) of \(roster.shownLabel(of: head.stream))"
            + " than this machine has",
          hint: "have that machine removed, or ask who runs the store"))
    }
    // Who may not write any more counts as far as the others have seen him: so these come first.
    // What could be opened is kept at once: a channel may have more than memory, and a run that is cut
    // off goes on from there.
    var before: (Frontier, Frontier)?
    while before?.0 != found.frontier || before?.1 != found.wanted {
      before = (found.frontier, found.wanted)
      vouch(roster, &found)
      for head in heads where roster.members[head.stream] != nil {
        let counted = self.limit(head.stream, roster, found)
        let limit = min(head.sequence, max(counted, found.wanted[head.stream, default: 0]))
        try take(head.stream, upTo: limit, channel, roster, &found)
      }
      try open(loaded, roster, part, &found)
      try part.keep(found.new)
      found.report.received += found.new.count
      found.new = []
    }
    for (stream, records) in found.pending where !records.isEmpty && !found.stopped.contains(stream)
    {
      found.report.waiting.append(roster.shownLabel(of: stream))
    }
    found.report.rollbacks += found.frontier.keys.filter {
      found.heads[$0] == nil && !line.contains($0) && roster.members[$0] != nil
    }.sorted()
  }

  /// How many records of a stream are held before one of them can be opened: what waits is fetched
  /// again by the next run.
  private static let mostPending = 1000

  private func take(
    _ stream: StreamID, upTo end: UInt64, _ channel: ChannelID, _ roster: Roster,
    _ found: inout Found
  ) throws {
    guard !found.stopped.contains(stream) else { return }
    var next = found.frontier[stream, default: 0] + UInt64(found.pending[stream]?.count ?? 0)
    while next < end, let room = room(for: stream, found) {
      let limit = Int(min(end - next, UInt64(room)))
      let records = try engine.records(of: stream, in: channel.place, after: next, limit: limit)
      guard !records.isEmpty else { break }
      for bytes in records {
        if engine.isEventual, ChannelRecord.isHalf(bytes) { return }
        do {
          let record = try ChannelRecord(bytes: bytes)
          guard record.channel == channel.place, record.stream == stream,
            record.sequence == next + 1
          else { throw MalformedRecord() }
          found.pending[stream, default: []].append(record)
          next += 1
        } catch let error as SyncError {
          return stop(stream, error, &found)
        } catch {
          return stop(stream, Self.tampered(roster, stream, next + 1, "is malformed"), &found)
        }
      }
    }
  }

  private func room(for stream: StreamID, _ found: Found) -> Int? {
    let pending = found.pending[stream] ?? []
    let bytes = pending.reduce(0) { $0 + $1.bytes.count }
    guard pending.count < Self.mostPending, bytes < SyncRecord.maximumLength else { return nil }
    return min(Self.mostPending - pending.count, 100)
  }

  private func stop(_ stream: StreamID, _ problem: SyncError, _ found: inout Found) {
    found.stopped.insert(stream)
    // What lies in the place of this machine's next record it replaces, or says what it is.
    if stream != found.own { found.report.problems.append(problem) }
  }

  private static func tampered(
    _ roster: Roster, _ stream: StreamID, _ number: UInt64, _ reason: String
  ) -> SyncError {
    SyncError(
      .tampered, "record \(number) of \(roster.shownLabel(of: stream)) in a channel \(reason)",
      hint: "the others go on; have that machine removed, or ask who runs the store")
  }

  // MARK: Opening

  /// Opens what can be opened: nothing before what its writer had seen.
  private func open(
    _ loaded: LoadedReplica, _ roster: Roster, _ part: some SyncedChannel, _ found: inout Found
  ) throws {
    var goesOn = true
    while goesOn {
      goesOn = false
      for stream in found.pending.keys.sorted() {
        while let record = found.pending[stream]?.first, !found.stopped.contains(stream) {
          do {
            guard let entry = try opened(record, loaded, roster, part, &found) else { break }
            found.new.append(entry)
            found.frontier[stream] = entry.sequence
            found.newest[stream] = entry
            found.pending[stream]?.removeFirst()
            goesOn = true
          } catch let error as SyncError {
            stop(stream, error, &found)
          } catch is MalformedRecord {
            let problem = Self.tampered(roster, stream, record.sequence, "is malformed")
            stop(stream, problem, &found)
          }
        }
      }
    }
  }

  /// The record, verified; `nil` while something that it needs is not here.
  private func opened(
    _ record: ChannelRecord, _ loaded: LoadedReplica, _ roster: Roster, _ part: some SyncedChannel,
    _ found: inout Found
  ) throws -> ChannelEntry? {
    let (stream, sequence) = (record.stream, record.sequence)
    func wrong(_ reason: String) -> SyncError { Self.tampered(roster, stream, sequence, reason) }
    let before = found.newest[stream]
    guard record.previous == before?.hash ?? [UInt8](repeating: 0, count: 32) else {
      throw wrong("does not follow the one before")
    }
    guard let keys = roster.members[stream]?.keys, record.isSigned(by: keys.signing) else {
      throw wrong("is not signed by its machine")
    }
    // Its key may come with the next run of the space: two epochs may share one number.
    guard let content = try record.open(loaded.history.epochs) else { return nil }
    var past = before?.past ?? [:]
    for sighting in content.seen {
      let (other, number) = (sighting.stream, sighting.sequence)
      guard other != stream, number > 0 else { throw wrong("has seen what cannot be") }
      guard number <= found.frontier[other, default: 0] else {
        // Its writer is in, or one who is in knows it: what it knows counts, whoever wrote that.
        if roster.members[other] != nil {
          found.wanted[other] = max(number, found.wanted[other, default: 0])
        }
        return nil
      }
      let entry =
        try found.newest[other]?.sequence == number
        ? found.newest[other]
        : found.new.first { $0.stream == other && $0.sequence == number }
          ?? part.entry(other, number)
      guard let entry, Array(entry.hash.prefix(16)) == sighting.hash else {
        throw wrong("has seen another record than there is")
      }
      past.formMaximum(with: entry.past)
    }
    guard past[stream, default: 0] < sequence else { throw wrong("has seen what cannot be") }
    past[stream] = sequence
    return ChannelEntry(
      stream: stream, sequence: sequence, hash: record.hash, past: past, bytes: record.bytes)
  }

  // MARK: Sending

  /// Puts the records of this machine that the store has not.
  private func send(
    _ kept: KeptStream, _ part: some SyncedChannel, _ found: inout Found
  ) throws {
    let (own, count) = (kept.stream, kept.numbers.end)
    guard count > 0 else { return }
    let head = found.heads[own]
    var there = min(head?.sequence ?? 0, count)
    if let head, head.sequence > 0, head.sequence <= count,
      try part.entry(own, head.sequence)?.hash != head.hash
    {
      // A head that says something else is written anew; another record in its place is refused.
      there = head.sequence - 1
    }
    if there < count {
      try? engine.removeLeftovers(of: own, in: kept.place, everywhere: false)
      do {
        found.report.sent += try send(kept, after: there, part)
      } catch let error as SyncError where error.code == .taken {
        // Not signed by this machine, so nobody copied it.
        found.report.problems.append(KeptStream.otherBytes(there + 1))
        return
      }
    }
    try part.sent(upTo: count, of: own)
  }

  /// Puts what this machine had not sent yet when it took other keys, where the store has nothing else
  /// in its place.
  private func sendRest(
    _ kept: KeptStream, _ part: some SyncedChannel, _ found: inout Found
  ) throws {
    let head = found.heads[kept.stream]
    let there = head?.sequence ?? 0
    guard there < kept.numbers.end else { return }
    if let head, there > 0, try part.entry(kept.stream, there)?.hash != head.hash { return }
    do {
      found.report.sent += try send(kept, after: there, part)
    } catch let error as SyncError where error.code == .taken || error.code == .copied {
      return
    }
  }

  /// Puts the records of a stream that are behind a number.
  ///
  /// - Returns: How many these are.
  /// - Throws: ``SyncError``, as ``KeptStream/send(after:newest:)`` does.
  private func send(
    _ kept: KeptStream, after there: UInt64, _ part: some SyncedChannel
  ) throws -> Int {
    let end = kept.numbers.end
    guard there < end, let last = try part.entry(kept.stream, end) else { return 0 }
    let sent = try kept.send(
      after: there, newest: StreamHead(stream: kept.stream, sequence: end, hash: last.hash))
    guard UInt64(sent) == end - there else {
      throw SyncError(
        .inputOutput, "some of the records beside the application's store are missing",
        hint: "move the file beside the store that ends in .sync away: they are fetched again")
    }
    return sent
  }

  /// Writes again what the store has lost of other machines, as far as this one has it.
  ///
  /// A store that lets nobody but a machine itself write its records keeps its loss until that one
  /// comes.
  private func restore(
    _ kept: (StreamID) throws -> KeptStream, _ roster: Roster, _ part: some SyncedChannel,
    _ found: inout Found
  ) throws {
    for stream in found.report.rollbacks where !found.stopped.contains(stream) {
      do {
        let there = found.heads[stream]?.sequence ?? 0
        if let count = try kept(stream).restore(after: there) {
          found.report.mended += count
          continue
        }
      } catch is SyncError {
        // It stays as it is.
      }
      found.report.problems.append(
        SyncError(
          .rolledBack,
          "the store shows less of \(roster.shownLabel(of: stream)) than this machine has",
          hint: "that machine brings it there again with its next run"))
    }
  }
}

/// What a run of a channel did.
package struct ChannelReport: Sendable {
  /// Records that came.
  package var received = 0
  /// Records that went to the store.
  package var sent = 0
  /// Records that the store had lost, and has again.
  package var mended = 0
  /// Machines of which records are on their way, by their labels.
  package var waiting: [String] = []
  /// What is wrong; everything else was done.
  package var problems: [SyncError] = []
  var rollbacks: [StreamID] = []

  package init() {}
}
