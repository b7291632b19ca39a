/// Takes the records of streams from a store, and of each no more than may count.
///
/// Anybody who ever had a code can put a stream into a store, and a machine that was removed can
/// still write there. Neither fills the homes of the others: of who is not in, that is taken which
/// counts, and what somebody has seen whose own records are taken. Of who is in, no more than
/// ``ExchangeTuning/mostOfReader`` or ``ExchangeTuning/mostOfWriter`` is kept, in all streams in which
/// he went on; then these stop. Where that of all is more than ``ExchangeTuning/mostOfAll``, those
/// stop that have most of it: the others still have their share.
struct StreamTaking {
  let engine: any SyncEngine
  /// This machine's own stream, which is never taken further; `nil` for one that joins.
  let own: StreamID?
  var progress: FetchingProgress
  /// How much is kept of one machine.
  let tuning: ExchangeTuning
  /// Says how many bytes of each stream are here already.
  var weigh: () throws -> [StreamID: Int] = { [:] }
  /// What that was.
  private var weights: [StreamID: Int]?
  /// What came of each stream, in order.
  private(set) var records: [StreamID: [[UInt8]]] = [:]
  /// The number of the last record of each stream that came, or was there.
  private(set) var ends: Frontier = [:]
  /// Streams whose head names a record that is not there.
  private(set) var incomplete: Set<StreamID> = []
  /// Streams of which more was written than this machine keeps.
  private(set) var overweight: [StreamID: Excess] = [:]
  /// The bytes that came.
  private var taken = 0

  /// What there is too much of.
  enum Excess {
    /// Of the machine itself.
    case ofOne
    /// Of all together, and of the machine more than its share.
    case ofAll
  }

  init(_ exchange: Exchange, own: StreamID?, progress: FetchingProgress) {
    self.init(exchange.engine, exchange.tuning, own: own, progress: progress)
  }

  init(
    _ engine: any SyncEngine, _ tuning: ExchangeTuning, own: StreamID?, progress: FetchingProgress
  ) {
    self.engine = engine
    self.tuning = tuning
    self.own = own
    self.progress = progress
  }

  /// Takes what is behind the known records of a stream; of one that begins its first record, which
  /// says whether there is more to ask for.
  ///
  /// - Parameters:
  ///   - head: What the store shows of it.
  ///   - history: Gets the records, which are to be opened then.
  ///   - roster: Who belongs to the space, as far as is known.
  ///   - counting: Leaves out what does not count of a stream that forked.
  /// - Returns: Whether there were any.
  /// - Throws: ``SyncError`` with code `.unavailable`.
  @discardableResult
  mutating func take(
    _ head: StreamHead, into history: inout Space, _ roster: Roster,
    counting: ([[UInt8]]) -> [[UInt8]] = { $0 }
  ) throws -> Bool {
    let stream = head.stream
    let base = max(ends[stream] ?? 0, UInt64(history.streams[stream]?.count ?? 0))
    var end = min(head.sequence, Self.end(of: stream, history, roster))
    guard end > base, !incomplete.contains(stream) else { return false }
    if history.streams[stream] == nil, ends[stream] == nil {
      return try begin(head, in: &history, roster, counting)
    }
    let weight = try weight(of: stream, roster)
    let (ofOne, ofAll) = (
      tuning.most(of: role(of: stream, roster)) - weight, try roomOfAll(beside: weight, roster)
    )
    let excess: Excess = ofOne <= ofAll ? .ofOne : .ofAll
    var room = min(ofOne, ofAll)
    if room <= 0 || overweight[stream] != nil {
      overweight[stream] = overweight[stream] ?? excess
      // It stops nobody who has seen more of it.
      end = min(end, Self.seen(of: stream, history))
      room = min(tuning.mostOfWriter - weight, try tuning.mostOfAll / 4 * 5 - total())
      guard end > base, room > 0 else { return false }
    }
    let (found, isCut) = try engine.all(
      StreamHead(stream: stream, sequence: end, hash: head.hash), in: history.space, after: base,
      within: room, &progress)
    if isCut {
      overweight[stream] = overweight[stream] ?? excess
    } else if base + UInt64(found.count) < end {
      incomplete.insert(stream)
    }
    ends[stream] = base + UInt64(found.count)
    let counted = counting(found)
    keep(counted, of: stream)
    history.add(counted, of: stream, mayBeHalf: engine.isEventual)
    return !found.isEmpty
  }

  /// Takes the first record of a stream, which says whose it is, unless it is too large for that, or
  /// there is too much already of the machine that it goes on for.
  private mutating func begin(
    _ head: StreamHead, in history: inout Space, _ roster: Roster,
    _ counting: ([[UInt8]]) -> [[UInt8]]
  ) throws -> Bool {
    let stream = head.stream
    // It stops nobody who has seen it.
    let isWanted = Self.seen(of: stream, history) > 0
    guard isWanted || overweight[stream] == nil else { return false }
    let (found, isCut) = try engine.all(
      StreamHead(stream: stream, sequence: min(1, head.sequence), hash: head.hash),
      in: history.space, after: 0, within: tuning.mostOfReader, &progress)
    guard let first = found.first else {
      if isCut { overweight[stream] = .ofOne } else { incomplete.insert(stream) }
      return false
    }
    let former = history.predecessor(in: first)
    let weight = try former.map { try self.weight(of: $0, roster) } ?? 0
    let most = former.map { tuning.most(of: role(of: $0, roster)) } ?? .max
    if !isWanted, weight >= most || first.count > tuning.mostOfFirst {
      overweight[stream] = .ofOne
      return false
    }
    ends[stream] = 1
    let counted = counting(found)
    keep(counted, of: stream)
    history.add(counted, of: stream, mayBeHalf: engine.isEventual)
    return true
  }

  /// Notes that records of a stream up to a number are here, and perhaps not opened yet.
  mutating func skip(to number: UInt64, of stream: StreamID) {
    ends[stream] = max(ends[stream] ?? 0, number)
  }

  /// How much is here of a machine: of its stream, and of all others of its home, of which it can
  /// make as many as it wants.
  private mutating func weight(of stream: StreamID, _ roster: Roster) throws -> Int {
    let known = try knownWeights()
    return roster.family(of: stream).reduce(0) { sum, one in
      let taken = records[one, default: []].reduce(0) { $0 + $1.count }
      return sum + known[one, default: 0] + taken
    }
  }

  /// How much is here of all.
  private mutating func total() throws -> Int {
    try knownWeights().values.reduce(taken, +)
  }

  /// How much room there is for a machine of which so much is here, beside all others, who leave it
  /// its share.
  private mutating func roomOfAll(beside weight: Int, _ roster: Roster) throws -> Int {
    let (room, shares) = (try tuning.mostOfAll - total(), tuning.mostOfAll / 8)
    // Mostly there is room for everybody's.
    guard room < shares else { return room }
    return max(room, shares / max(1, roster.present.count) - weight)
  }

  private mutating func keep(_ new: [[UInt8]], of stream: StreamID) {
    records[stream, default: []] += new
    taken += new.reduce(0) { $0 + $1.count }
  }

  private mutating func knownWeights() throws -> [StreamID: Int] {
    let known = try weights ?? weigh()
    weights = known
    return known
  }

  /// By which role it is decided how much is kept of a stream.
  ///
  /// Of one that is out, an admin has said where it ends.
  private func role(of stream: StreamID, _ roster: Roster) -> SyncRole {
    guard let member = roster.members[stream] else { return .reader }
    return member.last == nil ? member.role : .writer
  }

  /// Takes what is to be taken of some streams, now that more is known.
  ///
  /// - Returns: Whether there was any.
  mutating func takeFurther(
    _ heads: [StreamHead], into history: inout Space,
    counting: (StreamID, [[UInt8]]) -> [[UInt8]] = { $1 }
  ) throws -> Bool {
    let roster = history.roster()
    var goesOn = false
    for head in heads
    where head.stream != own
      && (history.streams[head.stream] != nil || overweight[head.stream] != nil)
    {
      let found = try take(head, into: &history, roster) { counting(head.stream, $0) }
      goesOn = goesOn || found
    }
    return goesOn
  }

  /// The last record of a stream that is of use here, as far as is known.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - history: What is known.
  ///   - roster: Who belongs to the space, after that.
  /// - Returns: Its number.
  static func end(of stream: StreamID, _ history: Space, _ roster: Roster) -> UInt64 {
    guard history.streams[stream] != nil else { return 1 }
    let isBelonging = stream == history.viewer || roster.isPresent(stream)
    if isBelonging || roster.isToBeAdmitted(stream, by: history.viewer) { return .max }
    let counting = max(roster.members[stream]?.last ?? 1, roster.contentLimit(stream))
    return max(counting, seen(of: stream, history))
  }

  /// How far streams are kept of which more came than is of use: who was removed may have gone on,
  /// and his records came before those that say so.
  ///
  /// - Parameter history: What is known, with all that came.
  /// - Returns: The last record of each stream that is kept; `nil` where all are.
  func bounds(in history: Space) -> Frontier? {
    let roster = history.roster()
    let known = history.frontier
    let counting = known.reduce(into: Frontier()) { ends, stream in
      ends[stream.key] = min(stream.value, Self.end(of: stream.key, history, roster))
    }
    guard records.keys.contains(where: { counting[$0, default: 0] < known[$0, default: 0] }) else {
      return nil
    }
    // What is kept is kept with all that it knows.
    return counting.reduce(into: counting) { ends, end in
      ends.formMaximum(with: history.record(end.key, end.value)?.past ?? [:])
    }
  }

  /// The last record of a stream for which somebody waits who has seen it; 0 for none.
  private static func seen(of stream: StreamID, _ history: Space) -> UInt64 {
    history.waits.values.reduce(0) { end, wait in
      if case .record(stream, let number) = wait { max(end, number) } else { end }
    }
  }
}

extension ExchangeTuning {
  /// How many bytes of records are kept of a machine of a role.
  func most(of role: SyncRole) -> Int { role == .reader ? mostOfReader : mostOfWriter }
}

extension Roster {
  /// Whether a machine lets a stream in, in a run that has seen its first record.
  fileprivate func isToBeAdmitted(_ stream: StreamID, by admin: StreamID?) -> Bool {
    guard let admin, isAdmin(admin) else { return false }
    return invitations.values.contains { invitation in
      asking(invitation).prefix(max(0, invitation.uses - invitation.accepted.count))
        .contains(stream)
    }
  }
}
