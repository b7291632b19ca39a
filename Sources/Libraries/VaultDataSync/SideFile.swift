import VaultSealing
import VaultStorage
import VaultSync

/// The records of a store's channel, beside the store: `default.store.sync`.
///
/// They are sealed and signed as they came. The file can be made again from the channel.
struct SideFile {
  private let connection: SQLiteConnection

  /// "VLTY", as `PRAGMA application_id`.
  private static let fileMark: Int64 = 0x564c_5459

  /// Opens the file, or makes it.
  ///
  /// - Parameters:
  ///   - store: The store's path.
  ///   - channel: The channel; a file of another one is made anew.
  /// - Throws: `StorageError`.
  init(of store: String, channel: ChannelID) throws {
    let location = FileLocation(path: store + ".sync")
    let directory = try location.directory(create: false)
    do {
      connection = try Self.open(location, directory)
    } catch let error as StorageError where error.code == .damaged || error.code == .unknownStore {
      // Every record in it is in the channel, or in the store until it is.
      try directory.remove(location.name)
      try directory.remove(location.name + "-journal")
      connection = try Self.open(location, directory)
    }
    let found = try connection.string("SELECT value FROM meta WHERE key='channel'")
    guard found != channel.text else { return }
    try connection.transaction {
      try connection.executeScript("DELETE FROM records; DELETE FROM meta")
      try connection.execute(
        "INSERT OR REPLACE INTO meta VALUES ('channel', ?)", [.text(channel.text)])
    }
  }

  private static func open(
    _ location: FileLocation, _ directory: Directory
  ) throws -> SQLiteConnection {
    if try !location.exists() { try StoreFile.create(location.name, in: directory) }
    let connection = try SQLiteConnection(path: location.path, mode: .readWrite)
    let mark = try connection.int64("PRAGMA application_id") ?? 0
    let isNew = try connection.int64("SELECT count(*) FROM sqlite_schema") == 0
    guard mark == fileMark || isNew else {
      throw StorageError(.unknownStore, "\(location.path) is no file of records")
    }
    try connection.executeScript("PRAGMA synchronous=FULL")
    guard mark != fileMark else { return connection }
    try connection.transaction(.exclusive) {
      try connection.executeScript(
        """
        PRAGMA application_id=\(fileMark);
        CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL)
          STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS records(
          place INTEGER PRIMARY KEY AUTOINCREMENT,
          stream BLOB NOT NULL,
          number INTEGER NOT NULL,
          hash BLOB NOT NULL,
          past BLOB NOT NULL,
          bytes BLOB NOT NULL,
          UNIQUE(stream, number)
        ) STRICT;
        """)
    }
    return connection
  }

  func close() { connection.close() }

  func frontier() throws -> Frontier {
    var frontier: Frontier = [:]
    try connection.forEachRow("SELECT stream, max(number) FROM records GROUP BY stream") { row in
      guard let stream = StreamID(row.bytes(at: 0)) else { return }
      frontier[stream] = UInt64(row.int64(at: 1))
    }
    return frontier
  }

  func entry(_ stream: StreamID, _ sequence: UInt64) throws -> ChannelEntry? {
    guard let number = Int64(exactly: sequence) else { return nil }
    return try connection.first(
      "SELECT hash, past FROM records WHERE stream=? AND number=?",
      [.blob(stream.bytes), .integer(number)]
    ) { row in
      ChannelEntry(
        stream: stream, sequence: sequence, hash: row.bytes(at: 0),
        past: Self.past(row.bytes(at: 1)))
    }
  }

  /// Keeps records; those that are here are left as they are.
  func keep(_ records: [ChannelEntry]) throws {
    guard !records.isEmpty else { return }
    try keeping { keep in for record in records { try keep(record) } }
  }

  /// Keeps what `body` hands over, all of it or nothing: one at a time, since a channel may have more
  /// than memory.
  func keeping(_ body: (_ keep: (ChannelEntry) throws -> Void) throws -> Void) throws {
    try connection.transaction {
      try body { record in
        try connection.execute(
          "INSERT OR IGNORE INTO records(stream, number, hash, past, bytes) VALUES (?, ?, ?, ?, ?)",
          [
            .blob(record.stream.bytes), .integer(Int64(record.sequence)), .blob(record.hash),
            .blob(Self.bytes(record.past)), .blob(record.bytes),
          ])
      }
    }
  }

  func records(of stream: StreamID, after sequence: UInt64, limit: Int) throws -> [[UInt8]] {
    var records: [[UInt8]] = []
    try connection.forEachRow(
      "SELECT bytes, number FROM records WHERE stream=? AND number>? ORDER BY number LIMIT ?",
      [
        .blob(stream.bytes), .integer(Int64(clamping: sequence)), .integer(Int64(clamping: limit)),
      ]
    ) { row in
      // Behind one that is missing another number would be written in its place.
      guard UInt64(row.int64(at: 1)) == sequence + UInt64(records.count) + 1 else { return }
      records.append(row.bytes(at: 0))
    }
    return records
  }

  func lengths(of stream: StreamID, _ numbers: ClosedRange<UInt64>) throws -> [Int] {
    var lengths: [Int] = []
    try connection.forEachRow(
      "SELECT length(bytes) FROM records WHERE stream=? AND number BETWEEN ? AND ?",
      [
        .blob(stream.bytes), .integer(Int64(clamping: numbers.lowerBound)),
        .integer(Int64(clamping: numbers.upperBound)),
      ]
    ) { lengths.append(Int($0.int64(at: 0))) }
    return lengths
  }

  /// When this machine's records were last compared with those of the channel.
  func lastMended() throws -> Int64 {
    try connection.int64("SELECT CAST(value AS INTEGER) FROM meta WHERE key='mended'") ?? 0
  }

  func setLastMended(_ time: Int64) throws {
    try connection.execute(
      "INSERT OR REPLACE INTO meta VALUES ('mended', ?)", [.text("\(time)")])
  }

  /// Calls `body` for each record that some streams go on with, none before what it has seen.
  func forEach(
    behind known: Frontier, _ body: (_ entry: ChannelEntry, _ place: Int64) throws -> Void
  ) throws {
    guard var place = try firstPlace(behind: known) else { return }
    while let (entry, next) = try first("place>=?", [.integer(place)]) {
      place = next + 1
      guard entry.sequence > known[entry.stream, default: 0] else { continue }
      try body(entry, next)
    }
  }

  /// The place of the first record that some streams go on with: a stream's records have places in
  /// their order.
  private func firstPlace(behind known: Frontier) throws -> Int64? {
    var first: Int64?
    for stream in try frontier().keys {
      let place = try connection.int64(
        "SELECT place FROM records WHERE stream=? AND number>? ORDER BY number LIMIT 1",
        [.blob(stream.bytes), .integer(Int64(clamping: known[stream, default: 0]))])
      if let place { first = min(first ?? place, place) }
    }
    return first
  }

  /// The record at a place.
  func entry(at place: Int64) throws -> ChannelEntry? {
    try first("place=?", [.integer(place)])?.entry
  }

  private func first(
    _ condition: String, _ values: [SQLiteValue]
  ) throws -> (entry: ChannelEntry, place: Int64)? {
    let found = try connection.first(
      "SELECT place, stream, number, hash, past, bytes FROM records WHERE \(condition) "
        + "ORDER BY place LIMIT 1", values
    ) { row -> (ChannelEntry, Int64)? in
      guard let stream = StreamID(row.bytes(at: 1)) else { return nil }
      return (
        ChannelEntry(
          stream: stream, sequence: UInt64(row.int64(at: 2)), hash: row.bytes(at: 3),
          past: Self.past(row.bytes(at: 4)), bytes: row.bytes(at: 5)), row.int64(at: 0)
      )
    }
    return found ?? nil
  }

  /// A frontier: each stream's 16 bytes and number.
  static func bytes(_ frontier: Frontier) -> [UInt8] {
    var bytes: [UInt8] = []
    for (stream, sequence) in frontier.sorted(by: { $0.key < $1.key }) {
      bytes += stream.bytes
      bytes.append(littleEndian: sequence)
    }
    return bytes
  }

  static func past(_ bytes: [UInt8]) -> Frontier {
    var frontier: Frontier = [:]
    for start in stride(from: 0, to: bytes.count - 23, by: 24) {
      guard let stream = StreamID(Array(bytes[start..<start + 16])) else { continue }
      frontier[stream] = bytes.withRawSpan { $0.littleEndian(UInt64.self, at: start + 16) }
    }
    return frontier
  }
}

extension SideFile {
  /// Removes the file of a store.
  static func remove(of store: String) throws {
    let location = FileLocation(path: store + ".sync")
    guard try location.exists() else { return }
    let directory = try location.directory(create: false)
    for suffix in ["", "-journal"] { try directory.remove(location.name + suffix) }
  }
}
