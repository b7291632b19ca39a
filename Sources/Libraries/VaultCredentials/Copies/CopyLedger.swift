import VaultSealing
import VaultStorage

/// The record, in `store.sqlite`, of what the keyring holds of one vault.
///
/// The vault file says which items are to have a copy; the ledger says which copies have been made,
/// and which are still to be made, brought up to date or removed. It is a cache: without it, or
/// with an older one, every copy is looked at again, recognized by its attributes and its contents
/// (``CopyStanding``), and nothing is lost.
///
/// Names and hashes are sealed under a key of the vault, which a rotation replaces. Whether a row
/// is marked is readable without it. Documentation/design/file-format.md, section 6.
struct CopyLedger: Sendable {
  /// The copies under one name.
  struct Entry: Sendable, Equatable {
    let name: String
    /// Keyed hashes of what the keyring may hold under the name, the newest last.
    var hashes: [[UInt8]] = []
    /// ``settled``, ``unpublishable``, or a random positive number: something is to be done.
    ///
    /// Every change draws a new number, so that a command that has finished its work sees whether
    /// another one has come since.
    var mark: Int64

    var isMarked: Bool { mark > 0 }
  }

  /// The mark of a copy that is up to date.
  static let settled: Int64 = 0
  /// The mark of a secret that the keyring cannot hold exactly.
  static let unpublishable: Int64 = -1

  private static let domain = Array("VLT1/copy".utf8)

  let store: CredentialStore
  let vaultID: [UInt8]
  let key: SecretBytes

  static func newMark() -> Int64 {
    RandomBytes.bytes(count: 8).reduce(Int64(0)) { $0 << 8 | Int64($1) } & .max | 1
  }

  // MARK: - Reading

  /// The marks of all rows, by the place of their names.
  func marks() throws -> [[UInt8]: Int64] {
    try store.readCopies { connection in
      var marks: [[UInt8]: Int64] = [:]
      try connection.forEachRow(
        "SELECT place, mark FROM credentials_copies WHERE vault = ?", [.blob(vaultID)]
      ) { row in marks[row.bytes(at: 0)] = row.int64(at: 1) }
      return marks
    } ?? [:]
  }

  /// The entries of all names, or only of those that are marked.
  ///
  /// A row that this vault's key does not open is left out: it comes from before a rotation, or is
  /// damaged.
  func entries(onlyMarked: Bool = false) throws -> [String: Entry] {
    try store.readCopies { connection in
      var entries: [String: Entry] = [:]
      try connection.forEachRow(
        "SELECT place, mark, sealed FROM credentials_copies WHERE vault = ?"
          + (onlyMarked ? " AND mark > 0" : ""), [.blob(vaultID)]
      ) { row in
        guard let entry = open(row.bytes(at: 2), place: row.bytes(at: 0), mark: row.int64(at: 1))
        else { return }
        entries[entry.name] = entry
      }
      return entries
    } ?? [:]
  }

  /// The number of rows.
  func count() throws -> Int {
    try store.readCopies { connection in
      try connection.int64(
        "SELECT count(*) FROM credentials_copies WHERE vault = ?", [.blob(vaultID)]
      ).map { Int($0) }
    } ?? 0
  }

  // MARK: - Writing

  /// Marks names, and adds hashes of what the keyring may hold under them.
  func mark(_ hashes: [String: [[UInt8]]]) throws {
    guard !hashes.isEmpty else { return }
    let mark = Self.newMark()
    try store.write { connection in
      for (name, added) in hashes {
        try add(added, to: name, mark: mark, in: connection)
      }
    }
  }

  /// Notes what the keyring holds now; what was marked again meanwhile stays marked.
  func settle(_ done: [CopyPass.Done]) throws {
    let done = done.filter { $0.outcome != .changedByOthers && $0.outcome != .foreign }
    guard !done.isEmpty else { return }
    try store.write { connection in
      for copy in done {
        let name = copy.work.name
        let row = try entry(name, in: connection)
        let isLatest = (row?.mark ?? Self.settled) == copy.work.mark
        switch copy.outcome {
        case .published(let hash):
          guard isLatest else {
            // Changed, removed or renamed while its copy was written: that copy is known, too.
            try add([hash], to: name, mark: nil, in: connection)
            continue
          }
          try put(Entry(name: name, hashes: [hash], mark: Self.settled), in: connection)
        case .inexact:
          guard isLatest else { continue }
          try put(Entry(name: name, mark: Self.unpublishable), in: connection)
        case .withdrawn:
          guard isLatest else { continue }
          try connection.execute(
            "DELETE FROM credentials_copies WHERE vault = ? AND place = ?",
            [.blob(vaultID), .blob(try place(of: name))])
        case .changedByOthers, .foreign: break
        }
      }
    }
  }

  /// Adds hashes to a name's entry; `nil` leaves its mark as it is.
  func add(
    _ hashes: [[UInt8]], to name: String, mark: Int64?, in connection: SQLiteConnection
  ) throws {
    let known = try entry(name, in: connection)
    var entry = known ?? Entry(name: name, mark: Self.settled)
    for hash in hashes where hash.isSomeHash && !entry.hashes.contains(hash) {
      entry.hashes.append(hash)
    }
    if entry.hashes.count > Self.maximumHashes {
      entry.hashes.removeFirst(entry.hashes.count - Self.maximumHashes)
    }
    if let mark { entry.mark = mark }
    guard entry != known else { return }
    try put(entry, in: connection)
  }

  func put(_ entry: Entry, in connection: SQLiteConnection) throws {
    let place = try place(of: entry.name)
    try connection.execute(
      """
      INSERT INTO credentials_copies (vault, place, mark, sealed) VALUES (?, ?, ?, ?)
      ON CONFLICT (vault, place) DO UPDATE SET mark = excluded.mark, sealed = excluded.sealed
      """,
      [
        .blob(vaultID), .blob(place), .integer(entry.mark),
        .blob(try seal(entry, place: place)),
      ])
  }

  /// Marks secrets that could not be published once more.
  func retryUnpublishable(in connection: SQLiteConnection) throws {
    try connection.execute(
      "UPDATE credentials_copies SET mark = ? WHERE vault = ? AND mark = ?",
      [.integer(Self.newMark()), .blob(vaultID), .integer(Self.unpublishable)])
  }

  /// Returns whether anything is marked.
  func hasMarks(in connection: SQLiteConnection) throws -> Bool {
    try connection.int64(
      "SELECT EXISTS (SELECT 1 FROM credentials_copies WHERE vault = ? AND mark > 0)",
      [.blob(vaultID)]) == 1
  }

  /// Removes rows that this key does not open: those of the epoch before a rotation.
  func removeUnreadable(in connection: SQLiteConnection) throws {
    var places: [[UInt8]] = []
    try connection.forEachRow(
      "SELECT place, mark, sealed FROM credentials_copies WHERE vault = ?", [.blob(vaultID)]
    ) { row in
      let place = row.bytes(at: 0)
      if open(row.bytes(at: 2), place: place, mark: row.int64(at: 1)) == nil {
        places.append(place)
      }
    }
    for place in places {
      try connection.execute(
        "DELETE FROM credentials_copies WHERE vault = ? AND place = ?",
        [.blob(vaultID), .blob(place)])
    }
  }

  /// More hashes than this are hardly left under one name: each is of a copy that was being written
  /// when its item changed.
  private static let maximumHashes = 64

  private func entry(_ name: String, in connection: SQLiteConnection) throws -> Entry? {
    let place = try place(of: name)
    return try connection.first(
      "SELECT mark, sealed FROM credentials_copies WHERE vault = ? AND place = ?",
      [.blob(vaultID), .blob(place)]
    ) { row in open(row.bytes(at: 1), place: place, mark: row.int64(at: 0)) } ?? nil
  }

  // MARK: - Sealing

  /// The place of a name's row: a keyed hash.
  func place(of name: String) throws -> [UInt8] {
    try Hash.blake2b(Self.domain + Array(name.utf8), count: 16, key: key)
  }

  private func seal(_ entry: Entry, place: [UInt8]) throws -> [UInt8] {
    var writer = ByteWriter()
    try writer.str16(entry.name)
    try writer.count(entry.hashes.count, as: UInt16.self)
    for hash in entry.hashes { writer.put(hash) }
    var builder = SecretBuilder()
    builder.put(writer.bytes)
    let padded = try builder.padded(to: Padding.itemLength(builder.count))
    return try padded.withBytes {
      try AuthenticatedEncryption.seal($0, key: key, context: Self.domain + vaultID + place)
    }
  }

  private func open(_ sealed: [UInt8], place: [UInt8], mark: Int64) -> Entry? {
    guard
      let padded = try? AuthenticatedEncryption.open(
        sealed, key: key, context: Self.domain + vaultID + place)
    else { return nil }
    return padded.withBytes { padded in
      guard let length = Padding.unpaddedLength(padded) else { return nil }
      let bytes = padded.extracting(0..<length)
      var cursor = ByteCursor()
      guard let name = try? cursor.str16(in: bytes), let count = try? cursor.u16(in: bytes) else {
        return nil
      }
      var entry = Entry(name: name, mark: mark)
      for _ in 0..<count {
        guard let hash = try? cursor.array(ItemRecord.hashLength, in: bytes) else { return nil }
        entry.hashes.append(hash)
      }
      return cursor.offset == length ? entry : nil
    }
  }
}

extension UnlockedVault {
  /// The ledger of this vault's copies, under its current key.
  func ledger(_ keys: VaultKeys? = nil) throws -> CopyLedger {
    CopyLedger(
      store: CredentialStore(location: locked.folder.location), vaultID: vaultID,
      key: try (keys ?? self.keys).copies())
  }
}
