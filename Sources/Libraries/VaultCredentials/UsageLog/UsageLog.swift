import Glibc
import VaultSealing
import VaultStorage

/// The log of uses of one vault's secrets on this machine.
///
/// A file that is only appended to, of records that are sealed and chained by hashes, and beside it
/// the head: the number and hash of the last record. Documentation/design/file-format.md, section
/// 6.
struct UsageLog {
  let folder: String
  let vaultID: [UInt8]
  /// K_blind of the vault, and of its former epochs, the latest first.
  let blinds: [SecretBytes]
  var limits = UsageLogLimits()

  static func logName(_ vaultID: [UInt8]) -> String { Hexadecimal.text(vaultID) + ".uses" }
  static func headName(_ vaultID: [UInt8]) -> String { Hexadecimal.text(vaultID) + ".uses-head" }

  private var logName: String { Self.logName(vaultID) }
  private var headName: String { Self.headName(vaultID) }

  // MARK: Writing

  /// Appends a record for each use.
  ///
  /// One write(2) under the lock of the head, which follows it. Nothing waits for the disk.
  ///
  /// - Parameters:
  ///   - uses: The uses, at least one.
  ///   - caller: Who it was.
  ///   - time: When, in milliseconds since 1970.
  /// - Throws: `StorageError`, `System.Failure`, `SealingError` or `FormatError`; then none of the
  ///   uses is recorded.
  func append(_ uses: [Usage], by caller: UsageCaller, at time: Int64) throws {
    let keys = try UsageKeys(blind: blinds[0])
    let directory = try Directory(folder, create: true)
    let lock = try FileLock(headName, in: directory, timeout: limits.patience)
    defer { withExtendedLifetime(lock) {} }
    let (file, status) = try open(in: directory)
    defer { System.close(file) }
    let known = try readHead(lock.descriptor)
    var head: UsageHead
    var bytes: [UInt8] = []
    var size = status.size
    if case .valid(let valid) = known, valid.size == size, size > 0 {
      head = valid
    } else {
      (head, bytes, size) = try begin(
        after: known, file, size: size, lock.descriptor, keys, directory, at: time)
    }
    let encodedCaller = try UsageEntry.encoded(caller)
    for use in uses {
      let record = try UsageEntry.sealed(
        .use, sequence: head.count + 1,
        place: use.itemID == .zero ? UsageEntry.noPlace : keys.place(of: use.itemID),
        previous: head.hash,
        contents: UsageEntry.contents(use, at: time, by: encodedCaller), keys: keys,
        vaultID: vaultID)
      head.count += 1
      head.hash = try Hash.blake2b(record)
      bytes += record
    }
    do {
      try bytes.withRawSpan { span throws(System.Failure) in try System.writeAll(file, span) }
    } catch {
      // Half a record would only be in the way.
      try? System.truncate(file, to: size)
      throw error
    }
    head.size = size + bytes.count
    try write(head, to: lock.descriptor, keys)
    if head.size > limits.size || time - head.oldest > limits.age + limits.age / 10 {
      do {
        try prune(file, head, lock.descriptor, keys, directory, at: time)
      } catch {
        // The uses are recorded; a log that is too long for now is pruned with the next one.
      }
    }
  }

  /// The log, open for appending; made if there is none.
  private func open(in directory: Directory) throws -> (Int32, System.FileStatus) {
    let file = try System.openNoLinks(
      logName, in: directory.descriptor,
      flags: O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY, mode: 0o600)
    do {
      return (file, try directory.checkFile(file, logName))
    } catch {
      System.close(file)
      throw error
    }
  }

  private enum KnownHead {
    case valid(UsageHead)
    /// The file is empty: no use was recorded yet.
    case none
    /// The bytes are not of this vault.
    case unreadable
  }

  private func readHead(_ descriptor: Int32) throws -> KnownHead {
    let bytes = try System.readAll(descriptor, expected: UsageHead.length, limit: 4096) ?? [0]
    guard !bytes.isEmpty else { return .none }
    for blind in blinds {
      if let head = try UsageHead(bytes, UsageKeys(blind: blind), vaultID: vaultID) {
        return .valid(head)
      }
    }
    return .unreadable
  }

  private func write(_ head: UsageHead, to descriptor: Int32, _ keys: UsageKeys) throws {
    let bytes = try head.encoded(keys, vaultID: vaultID)
    try bytes.withRawSpan { span throws(System.Failure) in
      try System.writeAll(descriptor, span, at: 0)
    }
  }

  /// What is to be written before the next record where the log does not end as its head says.
  ///
  /// That is so for the first record of all, after a writer was killed, and where somebody took
  /// something away. A tail that is no whole record goes; what is missing stays told.
  ///
  /// - Returns: The head to go on from, the bytes to write first, and the size of the file.
  private func begin(
    after known: KnownHead, _ file: Int32, size: Int, _ headFile: Int32, _ keys: UsageKeys,
    _ directory: Directory, at time: Int64
  ) throws -> (UsageHead, [UInt8], Int) {
    // What is beyond is none of ours, or of a log that could not be pruned: no log keeps anybody
    // from a secret by its size.
    let bytes = try contents(of: file, size: min(size, limits.readSize))
    guard bytes.starts(with: UsageScan.header(vaultID: vaultID)) else {
      // Whatever it is, it is no log of this vault.
      try System.truncate(file, to: 0)
      return try start(known, wasEmpty: bytes.isEmpty, headFile, keys, at: time)
    }
    var last: (sequence: UInt64, hash: [UInt8])?
    var atHead: [UInt8]?
    var oldest = time
    var end = bytes.count
    let counted: UInt64? = if case .valid(let head) = known { head.count } else { nil }
    let scan = UsageScan(vaultID: vaultID, keys: try blinds.map(UsageKeys.init(blind:)))
    try bytes.withRawSpan { span in
      try scan.walk(span) { piece, offset in
        switch piece {
        case .record(let entry, let contents?, _):
          let follows = try entry.hashForNext(span, at: offset)
          if last == nil { oldest = try Self.time(of: entry, contents) }
          last = (entry.sequence, follows)
          if entry.sequence == counted { atHead = follows }
        case .record, .garbage: break
        case .tail: end = offset
        }
      }
    }
    if end < size { try System.truncate(file, to: end) }
    guard let last else {
      try System.truncate(file, to: 0)
      return try start(known, wasEmpty: false, headFile, keys, at: time)
    }
    var head = UsageHead(count: last.sequence, hash: last.hash, size: end, oldest: oldest)
    switch known {
    case .valid(let valid) where valid.count <= last.sequence && atHead == valid.hash:
      // A writer was killed between its record and the head.
      return (head, [], end)
    case .valid(let valid): head.count = max(last.sequence, valid.count)
    case .none, .unreadable: break
    }
    var hasHead = false
    if case .valid = known { hasHead = true }
    let gap = try UsageEntry.sealed(
      .gap, sequence: head.count + 1, place: UsageEntry.noPlace, previous: last.hash,
      contents: UsageEntry.Gap(time: time, hasHead: hasHead).encoded, keys: keys,
      vaultID: vaultID)
    head.count += 1
    head.hash = try Hash.blake2b(gap)
    return (head, gap, end)
  }

  /// Begins an empty file.
  private func start(
    _ known: KnownHead, wasEmpty: Bool, _ headFile: Int32, _ keys: UsageKeys, at time: Int64
  ) throws -> (UsageHead, [UInt8], Int) {
    var head = UsageHead(
      count: 0, hash: RandomBytes.bytes(count: 32), size: 0, oldest: time)
    let reason: UsageEntry.Start.Reason
    switch known {
    case .valid(let valid):
      (head.count, head.hash) = (valid.count, valid.hash)
      reason = valid.count == 0 ? .first : .lost
    case .none: reason = wasEmpty ? .first : .unknown
    case .unreadable: reason = .unknown
    }
    // The head comes first here: a writer that is killed before its first record leaves a head
    // that knows of none, and nothing seems lost.
    if reason == .first { try write(head, to: headFile, keys) }
    let record = try UsageEntry.sealed(
      .start, sequence: head.count, place: UsageEntry.noPlace, previous: head.hash,
      contents: UsageEntry.Start(time: time, reason: reason).encoded, keys: keys,
      vaultID: vaultID)
    return (head, UsageScan.header(vaultID: vaultID) + record, 0)
  }

  static func time(of entry: UsageEntry, _ contents: SecretBytes) throws -> Int64 {
    switch entry.kind {
    case .use: try UsageEntry.record(sequence: entry.sequence, contents: contents).time.milliseconds
    case .start: try UsageEntry.Start(contents).time
    case .gap: try UsageEntry.Gap(contents).time
    }
  }

  // MARK: Pruning

  /// Replaces the file by one without its older records; the lock is held.
  ///
  /// The new beginning is a sealed record that says how many went, and what the chain goes on from.
  private func prune(
    _ file: Int32, _ head: UsageHead, _ headFile: Int32, _ keys: UsageKeys,
    _ directory: Directory, at time: Int64
  ) throws {
    let bytes = try contents(of: file, size: head.size)
    let scan = UsageScan(vaultID: vaultID, keys: try blinds.map(UsageKeys.init(blind:)))
    let isTooLong = bytes.count > limits.size
    let now = try isTooLong ? time : min(time, usualTime(in: bytes, scan))
    guard isTooLong || now - head.oldest > limits.age else { return }
    var cut: (offset: Int, entry: UsageEntry, oldest: Int64)?
    var prunedUntil: Int64 = 0
    try bytes.withRawSpan { span in
      // Of a file that is too long, only what is on both sides of the cut is opened.
      func isWanted(_ entry: UsageEntry, _ offset: Int) -> Bool {
        cut == nil && (!isTooLong || bytes.count - offset - entry.length <= limits.size / 2)
      }
      try scan.walk(span, opening: isWanted) { piece, offset in
        guard cut == nil, case .record(let entry, let contents?, _) = piece else { return }
        let written = try Self.time(of: entry, contents)
        let isKept =
          entry.kind != .start
          && (isTooLong
            ? bytes.count - offset <= limits.size / 2 : written >= now - limits.age)
        if isKept { cut = (offset, entry, written) } else { prunedUntil = written }
      }
    }
    // The last record is never pruned: the chain goes on from it.
    guard let cut else { return }
    let start = try UsageEntry.sealed(
      .start, sequence: cut.entry.sequence - 1, place: UsageEntry.noPlace,
      previous: cut.entry.previous,
      contents: UsageEntry.Start(time: time, reason: .pruned, prunedUntil: prunedUntil).encoded,
      keys: keys, vaultID: vaultID)
    let kept = UsageScan.header(vaultID: vaultID) + start + bytes[cut.offset...]
    try AtomicFile.removeStale(of: logName, in: directory)
    try AtomicFile.replace(logName, in: directory, isDurable: false, with: kept)
    var head = head
    head.size = kept.count
    head.oldest = cut.oldest
    try write(head, to: headFile, keys)
  }

  /// The time in the middle of those of the last records: one use while the clock is wrong, by
  /// years perhaps, must not make all others old.
  private func usualTime(in bytes: [UInt8], _ scan: UsageScan) throws -> Int64 {
    var count = 0
    var times: [Int64] = []
    try bytes.withRawSpan { span in
      scan.walk(span, opening: { _, _ in false }) { piece, _ in
        if case .record = piece { count += 1 }
      }
      var place = 0
      func isOneOfTheLast(_ entry: UsageEntry, _ offset: Int) -> Bool {
        place += 1
        return place > count - limits.recordsForTime
      }
      try scan.walk(span, opening: isOneOfTheLast) { piece, _ in
        guard case .record(let entry, let contents?, _) = piece else { return }
        times.append(try Self.time(of: entry, contents))
      }
    }
    return times.isEmpty ? .min : times.sorted()[times.count / 2]
  }

  private func contents(of file: Int32, size: Int) throws -> [UInt8] {
    try [UInt8](count: size) { output in
      var count = 0
      while count < size {
        let read = try System.read(file, from: count, into: &output, at: count..<size)
        guard read > 0 else { throw System.Failure(errno: EIO) }
        count += read
      }
    }
  }

  // MARK: Reading

  /// The bytes of the log and of its head, as they are at one moment; `nil` for what is not there.
  func read(isLocked: Bool) throws -> (log: [UInt8]?, head: [UInt8]?) {
    let directory: Directory
    do {
      directory = try Directory(folder)
    } catch {
      if error.code == .notFound { return (nil, nil) }
      throw error
    }
    // A reader that cannot write there reads without the lock.
    let hasLock = isLocked ? try directory.contains(headName) : false
    let lock =
      hasLock ? try? FileLock(headName, in: directory, timeout: limits.patience) : nil
    defer { withExtendedLifetime(lock) {} }
    // The head first: a log that grows meanwhile is longer than it says, never shorter.
    let head = try Self.read(headName, in: directory, limit: 4096)
    return (try Self.read(logName, in: directory, limit: 256 << 20), head)
  }

  private static func read(_ name: String, in directory: Directory, limit: Int) throws -> [UInt8]? {
    do {
      return try directory.read(name, limit: limit)
    } catch  where error.code == .notFound {
      return nil
    }
  }
}
