package import VaultSealing

/// All records of a space, each verified and in an order in which nothing comes before what it has
/// seen.
///
/// Documentation/design/sync-format.md, section 4. What does not verify ends its stream, and no
/// other.
package struct RecordHistory: Sendable {
  /// Why a stream does not go on.
  package enum Wait: Sendable, Equatable {
    /// A record of another stream was seen by its writer, and is not here.
    case record(StreamID, UInt64)
    /// The same, and the store shows another one in its place, which nothing opens.
    case replaced(StreamID, UInt64)
    /// The epoch's key is not known here.
    case key(UInt32)
    /// The store has only the beginning of the record.
    case rest
  }

  /// Why a stream does not go on that is not to be believed.
  package struct Stop: Sendable {
    package let stream: StreamID
    package let problem: SyncError
    /// Whether its machine has signed what is wrong: then it is the machine's, and not the store's.
    package let isSigned: Bool
  }

  /// A snapshot, and the record that tells of it.
  struct Snapshot: Sendable {
    let record: OpenedRecord
    let operation: SnapshotOperation
  }

  /// A stream that has another record than the one that is known here.
  struct Fork {
    let stream: StreamID
    /// The number of the record.
    let sequence: UInt64
    /// A record that is signed by its machine and says so.
    let other: [UInt8]
  }

  package let space: SpaceID
  /// Verified records of each stream, from number 1.
  package private(set) var streams: [StreamID: [OpenedRecord]] = [:]
  /// The records in the order in which they were opened.
  package private(set) var all: [OpenedRecord] = []
  /// Those of them that say something of the space itself.
  private(set) var ofSpace: [OpenedRecord] = []
  /// This machine's stream, which counts for itself while no admin has let it in; `nil` for nobody.
  package var viewer: StreamID?
  /// Hears how many of the records are opened that were to be; `nil` for nobody.
  var progress: (@Sendable (_ done: Int, _ total: Int) -> Void)?
  package private(set) var keys: [StreamID: PublicKeys] = [:]
  package private(set) var epochs: [EpochKey]
  /// Why streams do not go on that are not to be believed.
  package private(set) var stops: [Stop] = []
  /// Two histories of a stream that were found.
  private(set) var forks: [Fork] = []
  package private(set) var waits: [StreamID: Wait] = [:]

  /// Which records count of streams whose machines have signed two of one number; by their numbers.
  private var settled: [StreamID: [SettledFork]] = [:]
  /// Records of streams that were stopped since they contradict what is known here.
  private var contradicting: [StreamID: [SyncRecord]] = [:]
  /// What is not opened yet, in order.
  private var pending: [StreamID: [SyncRecord]] = [:]
  private var stopped: Set<StreamID> = []
  /// With how many keys the first record of a stream did not open.
  private var closed: [StreamID: Int] = [:]
  private var openers: [SealingKeyPair]
  /// The keys of each invitation, and the first record of each stream that has it.
  private var invitations: [[UInt8]: (keys: PublicKeys, first: Frontier)] = [:]
  /// Claims of members whose signatures were checked, for every roster of these records.
  let claims = CheckedClaims()
  private let waitingContents = WaitingContents()
  /// Retirements that were judged.
  let judgedRetirements = JudgedRetirements()
  /// Begins with nothing, or with records that were verified before.
  ///
  /// - Parameters:
  ///   - space: The space.
  ///   - epochs: Keys that are known.
  ///   - openers: The keys to which further epochs' keys may be sealed.
  ///   - first: Records that are not opened anew, each after those that it knows.
  init(
    _ space: SpaceID, epochs: [EpochKey], openers: [SealingKeyPair], first: [OpenedRecord] = []
  ) {
    self.space = space
    self.epochs = epochs
    self.openers = openers
    all = first
    for record in first where record.isOfSpace { takeOfSpace(record) }
    for record in first { streams[record.stream, default: []].append(record) }
    keys = streams.compactMapValues { $0.first?.content.keys }
  }

  /// What is wrong with the streams that were stopped.
  package var problems: [SyncError] { stops.map(\.problem) }

  /// How far each stream was opened.
  package var frontier: Frontier { streams.mapValues { UInt64($0.count) } }

  package func record(_ stream: StreamID, _ sequence: UInt64) -> OpenedRecord? {
    guard let records = streams[stream], sequence >= 1, sequence <= records.count else {
      return nil
    }
    return records[Int(sequence) - 1]
  }

  /// The newest record of a stream.
  package func last(_ stream: StreamID) -> OpenedRecord? { streams[stream]?.last }

  /// Adds records that follow those of a stream that were added before.
  ///
  /// - Parameters:
  ///   - records: As they lie in a store.
  ///   - stream: The stream that they are said to belong to.
  ///   - mayBeHalf: Whether a file syncer may have brought the beginning of one, which then waits
  ///     for
  ///     its rest.
  package mutating func add(
    _ records: [[UInt8]], of stream: StreamID, mayBeHalf: Bool = false
  ) {
    for bytes in records where !stopped.contains(stream) {
      if mayBeHalf, SyncRecord.isHalf(bytes) {
        waits[stream] = .rest
        return
      }
      // What came before it may still be taken.
      do {
        let record = try SyncRecord(bytes: bytes)
        guard record.space == space, record.stream == stream else { throw MalformedRecord() }
        pending[stream, default: []].append(record)
      } catch let error as SyncError {
        stops.append(Stop(stream: stream, problem: error, isSigned: false))
        stopped.insert(stream)
      } catch {
        let number = (streams[stream]?.count ?? 0) + (pending[stream]?.count ?? 0) + 1
        stops.append(
          Stop(
            stream: stream, problem: Self.tampered(UInt64(number), "is malformed"),
            isSigned: false))
        stopped.insert(stream)
      }
    }
  }

  /// Says which record counts of a stream whose machine has signed two of one number: before any of
  /// them is added.
  package mutating func settle(_ fork: SettledFork) {
    settled[fork.record.stream, default: []].append(fork)
    settled[fork.record.stream]?.sort { $0.record.sequence < $1.record.sequence }
  }

  /// Whether it was said which record counts of a stream under a number.
  func isSettled(_ stream: StreamID, _ number: UInt64) -> Bool {
    settled[stream]?.contains { $0.record.sequence == number } ?? false
  }

  /// How many records of forks one machine can show.
  private static let mostHeld = 1024

  /// Records of streams that forked, as members have them who say so.
  ///
  /// - Returns: Also what stands in records that cannot be taken in yet, or contradict what is known
  ///   here.
  package func heldRecords() -> [HeldRecord] {
    var found: [HeldRecord] = []
    var heard: [StreamID: Set<[UInt8]>] = [:]
    func take(_ content: RecordContent, _ author: StreamID) {
      for case .held(let bytes) in content.operations {
        // To look at one costs more than to write it.
        guard heard[author, default: []].count < Self.mostHeld,
          heard[author, default: []].insert(bytes).inserted,
          let record = try? SyncRecord(bytes: bytes), record.space == space,
          record.stream != author, let signer = keys[record.stream]?.signing,
          record.isSigned(by: signer)
        else { continue }
        found.append(HeldRecord(author: author, record: record))
      }
    }
    for record in ofSpace { take(record.content, record.stream) }
    for (stream, records) in pending.merging(contradicting, uniquingKeysWith: { $1 }) {
      guard let signer = keys[stream]?.signing else { continue }
      for record in records {
        guard case .opened(let content, let epoch) = open(record) else { continue }
        waitingContents.note(record, (content, epoch))
        guard content.operations.contains(where: \.isHeld), record.isSigned(by: signer) else {
          continue
        }
        take(content, stream)
      }
    }
    return found
  }

  /// Opens what can be opened.
  ///
  /// - Parameter areVerified: Whether the records come from this machine's own log, where they were
  ///   verified before: their chain and their seal are checked, not their signatures.
  /// - Throws: `SealingError`; a record that does not verify is one of ``problems``.
  package mutating func open(areVerified: Bool) throws {
    let before = all.count
    let total = pending.values.reduce(0) { $0 + $1.count }
    var goesOn = true
    while goesOn {
      goesOn = false
      let stops = stops.count
      for stream in pending.keys.sorted() {
        while let next = pending[stream]?.first {
          guard try open(next, isVerified: areVerified) else { break }
          goesOn = true
          progress?(all.count - before, total)
        }
      }
      // What is behind a record that does not count is waited for by nobody.
      if !settled.isEmpty, self.stops.count > stops { goesOn = true }
      if !goesOn, learnKeysAhead() { goesOn = true }
    }
    noteReplaced()
  }

  /// Opens one record; false if it has to wait, or its stream was stopped.
  private mutating func open(_ record: SyncRecord, isVerified: Bool) throws -> Bool {
    let stream = record.stream
    let known = streams[stream] ?? []
    let number = UInt64(known.count) + 1
    let previous = known.last?.hash ?? [UInt8](repeating: 0, count: 32)
    guard record.sequence == number, record.previous == previous else {
      if record.sequence == number, number > 1, let keys = keys[stream],
        record.isSigned(by: keys.signing)
      {
        forks.append(Fork(stream: stream, sequence: number - 1, other: record.bytes))
        stop(stream, Self.forked(number - 1), isSigned: true)
        return false
      }
      stop(stream, Self.tampered(number, "does not follow the one before"), isSigned: false)
      return false
    }
    if let fork = settled[stream]?.first(where: { $0.record.sequence == number }),
      fork.record.hash != record.hash
    {
      stop(stream, Self.forked(number), isSigned: true)
      return false
    }
    // None of the keys opened it, and there is no further one.
    guard closed[stream] != epochs.count else { return false }
    let content: RecordContent
    let epoch: [UInt8]
    switch open(record) {
    case .opened(let opened, let key): (content, epoch) = (opened, key)
    case .noKey:
      waits[stream] = .key(record.epoch)
      return false
    case .closed:
      closed[stream] = epochs.count
      return false
    case .malformed:
      let isSigned = keys[stream].map { record.isSigned(by: $0.signing) } ?? false
      stop(stream, Self.tampered(number, "does not open"), isSigned: isSigned)
      return false
    }
    guard let keys = self.keys[stream] ?? firstKeys(content, stream),
      isVerified || record.isSigned(by: keys.signing)
    else {
      stop(stream, Self.tampered(number, "is not signed by its machine"), isSigned: false)
      return false
    }
    // Whose stream it is stands at the beginning of the first record, once.
    guard
      isVerified
        || content.operations.dropFirst(number == 1 ? 1 : 0).allSatisfy({ !$0.isBeginning })
    else {
      stop(stream, Self.tampered(number, "begins another stream"), isSigned: true)
      return false
    }
    var past = known.last?.past ?? [:]
    for sighting in content.seen {
      if let forks = settled[sighting.stream], let first = forks.first,
        sighting.stream != stream, isVoid(sighting, forks)
      {
        // It says no more than that its writer has seen what was before.
        let before = first.record.sequence - 1
        guard before > 0 else { continue }
        guard let other = self.record(sighting.stream, before) else {
          waits[stream] = .record(sighting.stream, before)
          waitingContents.note(record, (content, epoch))
          return false
        }
        past.formMaximum(with: other.past)
        continue
      }
      guard let other = self.record(sighting.stream, sighting.sequence) else {
        if sighting.stream == stream {
          stop(stream, Self.tampered(number, "says that it has seen itself"), isSigned: true)
        } else {
          waits[stream] = .record(sighting.stream, sighting.sequence)
          waitingContents.note(record, (content, epoch))
        }
        return false
      }
      guard other.hash.starts(with: sighting.hash) else {
        self.keys[stream] = keys
        contradicting[stream] = pending[stream]
        forks.append(
          Fork(stream: sighting.stream, sequence: sighting.sequence, other: record.bytes))
        // A word alone is no evidence against another machine.
        stop(
          stream,
          Self.tampered(
            number, "says that it has seen another record \(sighting.sequence) than is here"),
          isSigned: true)
        return false
      }
      past.formMaximum(with: other.past)
    }
    past[stream] = number
    guard isVerified || number > 1 || isInvited(content, stream, past) else {
      stop(stream, Self.tampered(number, "claims no invitation"), isSigned: true)
      return false
    }
    self.keys[stream] = keys
    let opened = OpenedRecord(
      stream: stream, sequence: number, hash: record.hash, content: content, epoch: epoch,
      past: past)
    streams[stream, default: []].append(opened)
    all.append(opened)
    if opened.isOfSpace { takeOfSpace(opened) }
    pending[stream]?.removeFirst()
    waits[stream] = nil
    learnKeys(content)
    return true
  }

  /// Finds who waits for the first record of a stream that nothing opens, and has seen another one.
  private mutating func noteReplaced() {
    for case (let stream, .record(let other, let sequence)) in waits where closed[other] != nil {
      guard let first = pending[other]?.first, first.sequence == sequence,
        let record = pending[stream]?.first, let opened = waitingContents.content(of: record),
        opened.content.seen.contains(where: {
          $0.stream == other && $0.sequence == sequence && !first.hash.starts(with: $0.hash)
        })
      else { continue }
      waits[stream] = .replaced(other, sequence)
    }
  }

  /// Whether what somebody has seen of a stream does not count.
  private func isVoid(_ sighting: Sighting, _ forks: [SettledFork]) -> Bool {
    guard let first = forks.first?.record.sequence, sighting.sequence >= first else { return false }
    if forks.contains(where: { $0.contradicts(sighting) }) { return true }
    if let here = record(sighting.stream, sighting.sequence) {
      return !here.hash.starts(with: sighting.hash)
    }
    // One that is to be opened yet says itself which it is. What is nowhere follows a record that
    // does not count, or comes later: then what knows it is judged anew with the log.
    let next = pending[sighting.stream]?.first { $0.sequence == sighting.sequence }
    return next.map { !$0.hash.starts(with: sighting.hash) } ?? (sighting.sequence > first)
  }

  /// Whether the first record of a stream claims an invitation that its writer knew, by its key; or
  /// to go on for a machine that he knew, by that one's key.
  ///
  /// Who made the invitation, and whether he might, is the roster's to say. But what claims none is
  /// junk, which anybody can put into a store who ever had a key: it is not kept.
  private func isInvited(
    _ content: RecordContent, _ stream: StreamID, _ past: Frontier
  ) -> Bool {
    switch content.operations.first {
    case .claim(_, let invitation, _, let signature)?:
      invitations[invitation].map { invited in
        invited.first.contains { past[$0.key, default: 0] >= $0.value }
          && claims.isSigned(signature, by: stream, in: space, with: invited.keys.signing)
      } ?? false
    case .succeed(_, let predecessor, _, let signature)?:
      past[predecessor, default: 0] >= 1
        && (keys[predecessor].map {
          claims.isSigned(signature, toSucceedBy: stream, in: space, with: $0.signing)
        } ?? false)
    default: true
    }
  }

  /// Keeps a record that says something of the space itself.
  private mutating func takeOfSpace(_ record: OpenedRecord) {
    ofSpace.append(record)
    for case .invite(let id, let keys, _, _, _) in record.content.operations
    where claims.isInvitation(id, of: keys) {
      var invited = invitations[id] ?? (keys, [:])
      let first = invited.first[record.stream] ?? record.sequence
      invited.first[record.stream] = min(first, record.sequence)
      invitations[id] = invited
    }
  }

  private enum Opening {
    case opened(RecordContent, epoch: [UInt8])
    case noKey
    /// It is of nobody who is known, and none of its epoch's keys opens it: it is junk, or the key comes
    /// yet. Nobody waits for it but who has seen it.
    case closed
    case malformed
  }

  /// Opens a record with one of the keys that its epoch may have.
  private func open(_ record: SyncRecord) -> Opening {
    if let known = waitingContents.content(of: record) {
      return .opened(known.content, epoch: known.epoch)
    }
    var hasKey = false
    for epoch in epochs where epoch.number == record.epoch {
      do {
        return .opened(try record.open(epoch.key), epoch: epoch.id)
      } catch is MalformedRecord {
        return .malformed
      } catch {
        hasKey = true
      }
    }
    // Two admins may have begun an epoch of one number: the other's key may come yet. A record that
    // is signed waits for it; another one was altered.
    guard hasKey else { return .noKey }
    guard let keys = keys[record.stream] else { return .closed }
    return record.isSigned(by: keys.signing) ? .noKey : .malformed
  }

  /// The machine that the first record of a stream says it goes on for, as far as it opens.
  func predecessor(in bytes: [UInt8]) -> StreamID? {
    guard let record = try? SyncRecord(bytes: bytes), case .opened(let content, _) = open(record),
      case .succeed(_, let predecessor, _, _)? = content.operations.first
    else { return nil }
    return predecessor
  }

  /// The keys that the first record of a stream tells, if they are the stream's own.
  private func firstKeys(_ content: RecordContent, _ stream: StreamID) -> PublicKeys? {
    if case .create(let own, let nonce, _, _)? = content.operations.first,
      !claims.isFounder(own, nonce, of: space)
    {
      return nil
    }
    guard let keys = content.keys, claims.canSeal(to: keys.sealing) else { return nil }
    return claims.isStream(stream, of: keys, in: space) ? keys : nil
  }

  /// Takes the keys of epochs that a record tells this machine.
  private mutating func learnKeys(_ content: RecordContent) {
    for operation in content.operations {
      guard case .epoch(let number, let id, let sealed) = operation,
        !epochs.contains(where: { $0.number == number && $0.id == id })
      else { continue }
      for opener in openers {
        for entry in sealed {
          guard let key = Self.open(entry.key, number, space, opener), key.id == id else {
            continue
          }
          epochs.append(key)
          break
        }
      }
    }
  }

  /// Opens what is sealed to a further key of this machine from now on.
  mutating func add(_ opener: SealingKeyPair) { openers.append(opener) }

  /// Opens with further keys from now on.
  mutating func learn(_ epochs: [EpochKey]) { self.epochs += epochs }

  /// Learns the keys that records tell which do not follow those that are known.
  ///
  /// - Parameters:
  ///   - records: The records; of what can be opened of them.
  ///   - signer: By whom they must be signed.
  mutating func learnKeys(from records: [SyncRecord], signedBy signer: [UInt8]) {
    for record in records {
      guard case .opened(let content, _) = open(record), record.isSigned(by: signer) else {
        continue
      }
      learnKeys(content)
    }
  }

  /// Looks for a key in records that cannot be taken in yet; true if one was found.
  private mutating func learnKeysAhead() -> Bool {
    let before = epochs.count
    // A stream that contradicts what is here may tell keys by which it is found to be right.
    let ahead = pending.merging(contradicting, uniquingKeysWith: { $0 + $1 })
    for (stream, records) in ahead.sorted(by: { $0.key < $1.key }) {
      guard let signer = keys[stream] else { continue }
      for record in records {
        guard case .opened(let content, _) = open(record), record.isSigned(by: signer.signing)
        else {
          continue
        }
        learnKeys(content)
      }
    }
    return epochs.count > before
  }

  private mutating func stop(_ stream: StreamID, _ problem: SyncError, isSigned: Bool) {
    stops.append(Stop(stream: stream, problem: problem, isSigned: isSigned))
    pending[stream] = nil
    waits[stream] = nil
    stopped.insert(stream)
  }

  /// What it means that a machine has signed two records with one number.
  static func forked(_ number: UInt64) -> SyncError {
    SyncError(
      .forked, "a machine has written two records with the number \(number)",
      hint: "it was copied or put back: remove it, and let it join again")
  }

  private static func tampered(_ number: UInt64, _ what: String) -> SyncError {
    SyncError(
      .tampered, "record \(number) of a stream \(what)",
      hint: "that stream stops there; put the store back from a copy")
  }
}

extension RecordContent {
  /// The keys that the first record of a stream tells.
  var keys: PublicKeys? {
    switch operations.first {
    case .create(let keys, _, _, _)?, .claim(let keys, _, _, _)?, .succeed(let keys, _, _, _)?:
      keys
    default: nil
    }
  }
}
