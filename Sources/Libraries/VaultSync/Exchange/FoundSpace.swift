import FoundationEssentials
import VaultCredentials
import VaultSealing
import VaultStorage

/// A space as the code for it opens it, before anything is made for joining it.
///
/// Nothing is written, neither here nor in the store.
package struct FoundSpace {
  /// The code, and what its invitation says.
  let code: InvitationCode
  let content: InvitationContent
  /// The keys of the machine that is to join, and the stream that it will have.
  let seed: SecretBytes
  let keys: KeyPairs
  let stream: StreamID
  /// The snapshot that the invitation names.
  let root: SpaceBase?
  /// What the store shows, and its records in order.
  let history: Space
  let records: [[UInt8]]
  /// What the others have decided about streams that forked.
  let forks: SyncForks

  /// Reads a space by a code, and checks that the code can be used.
  ///
  /// - Parameters:
  ///   - invitation: The code that was typed.
  ///   - engine: The store.
  ///   - tuning: How much is kept of one machine.
  ///   - now: The time, in milliseconds since 1970.
  ///   - tell: Hears how far the work is.
  /// - Throws: ``SyncError`` with code `.invitation` for a wrong, old or used code, `.withheld` and
  ///   `.forked` for a store that does not show what the admin saw, `.tampered`, `.unavailable`.
  init(
    _ invitation: SecretBytes, in engine: any SyncEngine, _ tuning: ExchangeTuning, now: Int64,
    tell: @escaping FetchingProgress.Telling
  ) throws {
    code = try InvitationCode(typed: invitation)
    content = try Self.content(of: code, in: engine)
    guard content.expires >= now else { throw Self.expired(content.expires, now) }
    seed = try SecretBytes.random(count: 32)
    keys = try KeyPairs(seed: seed)
    stream = try StreamID(of: keys.publicKeys, in: content.space)
    root = try content.snapshot.map { [content] in
      try SnapshotExchange.root($0, of: content, in: engine)
    }
    var empty = Space(
      content.space, epochs: content.epochs, openers: [keys.sealing, code.keys.sealing],
      base: root)
    empty.viewer = stream
    empty.progress = { tell(.opening, $0, $1) }
    (history, forks, records) = try Self.read(empty, from: engine, tuning, own: stream, tell: tell)
    try check(isEventual: engine.isEventual)
    try checkIsOpen(at: now)
  }

  /// Reads all that a store shows of a space.
  ///
  /// - Parameters:
  ///   - empty: What is known: keys, and perhaps a snapshot.
  ///   - engine: The store.
  ///   - tuning: How much is kept of one machine.
  ///   - stream: The stream of the machine that reads.
  ///   - tell: Hears how far the work is.
  /// - Returns: The space, what was decided about streams that forked, and the records in order.
  /// - Throws: ``SyncError`` with code `.unavailable`, and what the engine throws.
  static func read(
    _ empty: Space, from engine: any SyncEngine, _ tuning: ExchangeTuning, own stream: StreamID,
    tell: @escaping FetchingProgress.Telling
  ) throws -> (history: Space, forks: SyncForks, records: [[UInt8]]) {
    var (history, forks) = (empty, SyncForks())
    var fetched = try fetchAll(from: engine, tuning, into: &history, tell: tell)
    // Of streams that forked the others have decided what counts.
    for _ in 0..<8 {
      let decided = try SettlingForks.decide(history, &forks, own: stream) { stream, number, _ in
        fetched.first {
          SyncRecord.stream(of: $0) == stream && SyncRecord.sequence(of: $0) == number
        }
      }
      guard decided != nil else { break }
      history = empty
      for fork in forks.settled { history.settle(fork) }
      fetched = try fetchAll(from: engine, tuning, into: &history, forks.settled, tell: tell)
    }
    return (history, forks, fetched)
  }

  /// Checks that nobody has used up, replaced or withdrawn the code, and that its time is not over.
  ///
  /// - Parameter now: The time, in milliseconds since 1970.
  /// - Throws: ``SyncError`` with code `.invitation`.
  func checkIsOpen(at now: Int64) throws {
    let roster = history.roster()
    guard let invitation = roster.invitations[code.id], invitation.keys == code.keys.publicKeys
    else {
      throw SyncError(.invitation, "the invitation was taken back", hint: "ask for another one")
    }
    guard invitation.expires >= now else { throw Self.expired(invitation.expires, now) }
    if invitation.isRecovery, invitation.isSettled {
      throw SyncError(
        .invitation, "that recovery code was replaced by another one, or withdrawn",
        hint: "use the new one, or ask for an invitation")
    }
    let waiting = roster.asking(invitation).count
    guard !invitation.isSettled, invitation.accepted.count + waiting < invitation.uses else {
      throw SyncError(
        .invitation, "the invitation was used already",
        hint: "ask for another one; if it was not you who used it, have that machine removed")
    }
  }

  /// Checks that the store shows what the admin saw.
  private func check(isEventual: Bool) throws {
    let roster = history.roster()
    // What a member has signed wrongly costs its own stream; what is altered is the store's.
    let altered = history.stops.first { stop in
      !stop.isSigned && roster.members[stop.stream].map { $0.last == nil } ?? false
    }
    if let altered { throw altered.problem }
    for sighting in content.seen + [content.snapshot].compactMap(\.self) {
      guard let record = history.record(sighting.stream, sighting.sequence) else {
        throw SyncError(
          .withheld, "the store does not show all that was there when you were invited",
          hint: isEventual
            ? "try again when the file syncer is done" : "the store may have been put back")
      }
      guard record.hash.starts(with: sighting.hash) else {
        throw SyncError(
          .forked, "the store shows other records than those that were there when you were invited")
      }
    }
  }

  private static func content(
    of code: InvitationCode, in engine: any SyncEngine
  ) throws -> InvitationContent {
    for space in try engine.spaces() {
      guard let bytes = try engine.invitation(code.id, in: space) else { continue }
      let content = try InvitationContent(sealed: bytes, code: code)
      guard content.space == space else { break }
      return content
    }
    throw noInvitation(in: engine)
  }

  /// What is said of a store without the invitation.
  static func noInvitation(in engine: any SyncEngine) -> SyncError {
    SyncError(
      .invitation, "the store has no such invitation",
      hint: engine.isEventual
        ? "check the code and the place; a file syncer may need a moment more"
        : "check the code and the place")
  }

  /// An invitation whose time is over, by this machine's clock, which may be wrong.
  private static func expired(_ end: Int64, _ now: Int64) -> SyncError {
    let (end, now) = (Timestamp.text(seconds: end / 1000), Timestamp.text(seconds: now / 1000))
    return SyncError(
      .invitation, "the invitation was open until \(end), and the clock here says \(now)",
      hint: "ask for another one; if it was just made, look at the clocks of both machines")
  }

  /// Fetches all records of all streams that the history does not begin with; returns those that
  /// were opened, in order.
  private static func fetchAll(
    from engine: any SyncEngine, _ tuning: ExchangeTuning, into history: inout Space,
    _ forks: [SettledFork] = [], tell: @escaping FetchingProgress.Telling
  ) throws -> [[UInt8]] {
    let (known, count) = (history.frontier, history.all.count)
    let start = history
    let heads = try engine.heads(in: history.space)
    var taking = StreamTaking(
      engine, tuning, own: nil, progress: FetchingProgress(heads, known: known, tell: tell))
    let roster = history.roster()
    for head in heads where known[head.stream, default: 0] < head.sequence {
      try taking.take(head, into: &history, roster) { forks.counted($0, of: head.stream) }
    }
    try history.open(areVerified: false)
    while try taking.takeFurther(heads, into: &history, counting: { forks.counted($1, of: $0) }) {
      try history.open(areVerified: false)
    }
    let fetched = taking.records
    let bounds = taking.bounds(in: history)
    let kept = history.all.dropFirst(count).filter { $0.sequence <= bounds?[$0.stream] ?? .max }
    let records = kept.compactMap {
      fetched[$0.stream]?[Int($0.sequence - known[$0.stream, default: 0]) - 1]
    }
    guard bounds != nil else { return records }
    history = start
    for record in records {
      SyncRecord.stream(of: record).map { history.add([record], of: $0) }
    }
    try history.open(areVerified: false)
    return records
  }
}
