import Glibc
import VaultSealing
import VaultStorage

/// The files of a space beside a vault file, and the lock of who works on them.
package struct SyncFiles: Sendable {
  let folder: String
  let name: String

  /// The files of a vault.
  ///
  /// - Parameter path: The vault file's, from the root.
  package init(vault path: String) {
    let vault = FileLocation(path: path)
    folder = vault.directoryPath
    name = vault.name + ".sync"
  }

  /// Most bytes of the log that are read.
  package static let mostOfLog = 1 << 30

  private var lockName: String { name + ".lock" }
  private var logName: String { name + ".log" }
  private var baseName: String { name + ".base" }
  private var rootName: String { name + ".root" }
  private var credentialName: String { name + ".password" }

  package func locked<Result>(
    timeout: Duration = .seconds(60), _ body: () throws -> Result
  ) throws -> Result {
    let lock = try Self.reached {
      do {
        return try FileLock(lockName, in: Directory(folder, create: true), timeout: timeout)
      } catch let error as StorageError where error.code == .busy {
        // It ends by itself when its store has kept silent for too long.
        throw SyncError(
          .busy, "another run is at work with this vault and its store",
          hint:
            "wait until it is done, or end it; 'fuser \(Quoting.shell("\(folder)/\(lockName)"))' "
            + "says which it is")
      }
    }
    return try withExtendedLifetime(lock) { try body() }
  }

  /// Reads what is remembered, and changes nothing.
  ///
  /// A run holds the lock while it waits for its store. Whoever only reads waits a moment, and reads
  /// then what is there: a crash at any time leaves it readable, and so does a run that goes on.
  ///
  /// - Parameter body: Reads; it may be called again where a run has replaced what it was reading.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  func reading<Result>(_ body: () throws -> Result) throws -> Result {
    let lock = try? FileLock(
      lockName, in: Directory(folder, create: true), timeout: .seconds(1))
    guard lock == nil else { return try withExtendedLifetime(lock) { try body() } }
    for _ in 0..<5 {
      do {
        return try body()
      } catch let error as SyncError where error.code == .tampered {
        usleep(100_000)
      }
    }
    return try body()
  }

  /// The state's bytes; `nil` if there are none.
  package func state() throws -> [UInt8]? { try read(name, limit: SyncState.maximumLength) }

  package func replaceState(_ bytes: [UInt8]) throws {
    try Self.reached {
      let directory = try Directory(folder)
      try AtomicFile.replace(name, in: directory, with: bytes)
      // Who writes these holds the lock: what lies there of others was left by a killed run.
      let own = [name, logName, baseName, rootName]
      try? AtomicFile.removeStale(in: directory) { own.contains($0) }
    }
  }

  /// The records that this machine has verified, in the order in which it did; what a crash left
  /// half written at the end is cut off.
  ///
  /// - Parameter start: How many bytes of the log are passed over, and not read.
  /// - Returns: The records behind them; `nil` if there are fewer bytes.
  /// - Throws: ``SyncError`` with code `.inputOutput`.
  package func records(from start: UInt64) throws -> [[UInt8]]? {
    guard let bytes = try logBytes(from: start) else { return nil }
    var records: [[UInt8]] = []
    var offset = 0
    while offset + 4 <= bytes.count {
      let length = Int(bytes.withRawSpan { $0.littleEndian(UInt32.self, at: offset) })
      guard length <= bytes.count - offset - 4 else { break }
      records.append(Array(bytes[offset + 4..<offset + 4 + length]))
      offset += 4 + length
    }
    return records
  }

  /// The log from a byte on; `nil` if it has fewer bytes.
  private func logBytes(from start: UInt64) throws -> [UInt8]? {
    try Self.reached {
      let directory = try Directory(folder)
      let (file, status): (Int32, System.FileStatus)
      do throws(StorageError) {
        (file, status) = try directory.openForReading(logName)
      } catch  where error.code == .notFound {
        return start == 0 ? [] : nil
      }
      defer { System.close(file) }
      guard let start = Int(exactly: start), start <= status.size else { return nil }
      guard status.size - start <= Self.mostOfLog else {
        throw SyncError(
          .inputOutput, "the file of records beside the vault is too large",
          hint: "leave the space here and join it again: who joins begins with a snapshot")
      }
      return try System.read(file, from: start, count: status.size - start)
    }
  }

  /// All records of the log.
  ///
  /// - Throws: ``SyncError`` with code `.inputOutput`.
  package func records() throws -> [[UInt8]] { try records(from: 0) ?? [] }

  /// How many bytes of records of each stream the log has.
  ///
  /// - Parameter retired: How far each stream went when everybody found a snapshot right: that was
  ///   settled, and does not count.
  /// - Returns: The bytes of each.
  /// - Throws: ``SyncError`` with code `.inputOutput`.
  func weights(behind retired: Frontier) throws -> [StreamID: Int] {
    try records().reduce(into: [:]) { weights, record in
      guard let stream = SyncRecord.stream(of: record),
        SyncRecord.sequence(of: record) > retired[stream, default: 0]
      else { return }
      weights[stream, default: 0] += record.count
    }
  }

  /// Adds records behind those that are whole.
  ///
  /// - Parameters:
  ///   - records: The records.
  ///   - end: The bytes of those that are whole.
  /// - Throws: ``SyncError`` with code `.inputOutput`.
  package func append(_ records: [[UInt8]], at end: UInt64) throws {
    guard !records.isEmpty else { return }
    try Self.reached {
      let directory = try Directory(folder)
      let file = try System.openNoLinks(
        logName, in: directory.descriptor, flags: LogFlags.appending, mode: 0o600)
      defer { System.close(file) }
      try System.truncate(file, to: Int(end))
      let bytes = Self.log(of: records)
      try bytes.withRawSpan { span throws(System.Failure) in try System.writeAll(file, span) }
      try System.sync(file)
      if end == 0 { try directory.sync() }
    }
  }

  /// What the first records of the log come to; `nil` if there is no such file.
  package func base() throws -> [UInt8]? { try read(baseName, limit: 1 << 30) }

  package func replaceBase(_ bytes: [UInt8]) throws {
    try Self.reached { try AtomicFile.replace(baseName, in: Directory(folder), with: bytes) }
  }

  package func removeBase() throws {
    try Self.reached { try Directory(folder).remove(baseName) }
  }

  /// What the log begins with on a machine that joined from a snapshot; `nil` if it begins with the
  /// first records.
  package func root() throws -> [UInt8]? { try read(rootName, limit: 1 << 30) }

  package func replaceRoot(_ bytes: [UInt8]) throws {
    try Self.reached { try AtomicFile.replace(rootName, in: Directory(folder), with: bytes) }
  }

  /// Puts all records in the place of a root and what came behind it.
  ///
  /// A crash in between leaves both: what the root covers is passed over in the log then.
  package func replaceRootAndRecords(with records: [[UInt8]]) throws {
    try removeBase()
    try Self.reached {
      let directory = try Directory(folder)
      try AtomicFile.replace(logName, in: directory, with: Self.log(of: records))
      try directory.remove(rootName)
    }
  }

  /// Puts some of the records in the place of all: those that come behind a root.
  ///
  /// - Parameter records: The records.
  /// - Throws: ``SyncError`` with code `.inputOutput`.
  package func replaceRecords(with records: [[UInt8]]) throws {
    try removeBase()
    try Self.reached {
      try AtomicFile.replace(logName, in: Directory(folder), with: Self.log(of: records))
    }
  }

  private static func log(of records: [[UInt8]]) -> [UInt8] {
    var bytes: [UInt8] = []
    for record in records {
      bytes.append(littleEndian: UInt32(record.count))
      bytes += record
    }
    return bytes
  }

  /// Forgets the records: the store has them.
  package func removeRecords() throws {
    try removeBase()
    try Self.reached {
      let directory = try Directory(folder)
      try directory.remove(logName)
      try directory.remove(rootName)
    }
  }

  /// What opens the store, sealed; `nil` if there is none.
  package func credential() throws -> [UInt8]? { try read(credentialName, limit: 8192) }

  package func replaceCredential(_ bytes: [UInt8]?) throws {
    try Self.reached {
      let directory = try Directory(folder)
      guard let bytes else { return try directory.remove(credentialName) }
      try AtomicFile.replace(credentialName, in: directory, with: bytes)
    }
  }

  /// Removes everything but the locks.
  package func remove() throws {
    try removeNotes()
    try removeForks()
    try removeAddedStores()
    setReader(false)
    try replaceCredential(nil)
    try Self.reached { try Directory(folder).remove(name) }
    try removeRecords()
  }

  func read(_ name: String, limit: Int) throws -> [UInt8]? {
    do {
      return try Directory(folder).read(name, limit: limit)
    } catch  where error.code == .notFound {
      return nil
    } catch {
      throw SyncError(.inputOutput, error.message)
    }
  }

  static func reached<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as StorageError {
      throw SyncError(.inputOutput, error.message)
    } catch let error as System.Failure {
      throw SyncError(.inputOutput, "cannot write beside the vault: \(error.reason)")
    }
  }
}
