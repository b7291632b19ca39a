import VaultDataStore
import VaultSealing
import VaultStorage
import VaultSync

/// What lost when two machines changed one thing without knowing of each other: kept for thirty
/// days, sealed under a key of this machine.
struct LostValues {
  let connection: SQLiteConnection
  let key: SecretBytes

  /// How long it is kept, in milliseconds.
  static let time: Int64 = 30 * 86_400_000

  /// A value that lost.
  struct Entry {
    let number: Int64
    let identity: ObjectID
    let className: String
    let property: String
    let machine: String
    let stamp: Stamp
    /// When this machine saw it, in milliseconds since 1970.
    let noted: Int64
    let value: WireValue
  }

  private static func context(_ identity: ObjectID, _ property: String) -> [UInt8] {
    Array("VSC1/lost".utf8) + identity.bytes + Array(property.utf8)
  }

  /// Notes a value; once, however often it is met.
  ///
  /// - Returns: Whether it was not there before.
  func note(
    _ value: WireValue, of identity: ObjectID, _ className: String, _ property: String,
    _ stamp: Stamp, machine: String, now: Int64
  ) throws -> Bool {
    guard let number = try number(for: value, of: identity, className, property, stamp) else {
      return false
    }
    let sealed = try value.encoded.withRawSpan { span throws(SealingError) in
      try AuthenticatedEncryption.seal(span, key: key, context: Self.context(identity, property))
    }
    try connection.execute(
      "INSERT OR IGNORE INTO appdata_sync_lost(identity, class, property, stream, number, time, "
        + "noted, machine, value) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      [
        .blob(identity.bytes), .text(className), .text(property), .blob(stamp.stream.bytes),
        .integer(number), .integer(stamp.time), .integer(now),
        .text(machine), .blob(sealed),
      ])
    return connection.changes == 1
  }

  /// The number under which a value is kept: that of its record.
  ///
  /// What was typed and told nobody has no record. It is counted from the end, so that what lost
  /// later does not count as what lost before; `nil` where that very value is kept already.
  private func number(
    for value: WireValue, of identity: ObjectID, _ className: String, _ property: String,
    _ stamp: Stamp
  ) throws -> Int64? {
    guard stamp.number == .max else { return Int64(clamping: stamp.number) }
    let kept = try entries(
      where: "identity=? AND class=? AND property=? AND stream=? AND number>?",
      [
        .blob(identity.bytes), .text(className), .text(property), .blob(stamp.stream.bytes),
        .integer(.max / 2),
      ])
    guard !kept.contains(where: { $0.value == value }) else { return nil }
    return kept.map { Int64(clamping: $0.stamp.number) }.min().map { $0 - 1 } ?? .max
  }

  /// Forgets what is older than thirty days.
  func forgetOld(now: Int64) throws(StorageError) {
    try connection.execute(
      "DELETE FROM appdata_sync_lost WHERE noted<?", [.integer(now - Self.time)])
  }

  func forget(_ number: Int64) throws(StorageError) {
    try connection.execute("DELETE FROM appdata_sync_lost WHERE id=?", [.integer(number)])
  }

  /// Forgets a value that counts again.
  func forget(
    _ identity: ObjectID, _ className: String, _ property: String, _ stamp: Stamp
  ) throws(StorageError) {
    try connection.execute(
      "DELETE FROM appdata_sync_lost WHERE identity=? AND class=? AND property=? AND stream=? "
        + "AND number=?",
      [
        .blob(identity.bytes), .text(className), .text(property), .blob(stamp.stream.bytes),
        .integer(Int64(clamping: stamp.number)),
      ])
  }

  /// What lost, the oldest first.
  func entries(_ number: Int64? = nil) throws -> [Entry] {
    try number.map { try entries(where: "id=?", [.integer($0)]) } ?? entries(where: "TRUE", [])
  }

  private func entries(where condition: String, _ values: [SQLiteValue]) throws -> [Entry] {
    var entries: [Entry] = []
    try connection.forEachRow(
      "SELECT id, identity, class, property, stream, number, time, noted, machine, value "
        + "FROM appdata_sync_lost WHERE \(condition) ORDER BY id", values
    ) { row in
      guard let identity = ObjectID(row.bytes(at: 1)), let stream = StreamID(row.bytes(at: 4))
      else {
        throw StoreState.damaged
      }
      let property = row.string(at: 3)
      let plain: [UInt8]
      do {
        plain = try AuthenticatedEncryption.open(
          row.bytes(at: 9), key: key, context: Self.context(identity, property)
        ).withBytes { $0.array(0..<$0.byteCount) }
      } catch {
        // A store that was copied from another machine has what that one sealed.
        return
      }
      entries.append(
        Entry(
          number: row.int64(at: 0), identity: identity, className: row.string(at: 2),
          property: property, machine: row.string(at: 8),
          stamp: Stamp(
            stream: stream, number: UInt64(row.int64(at: 5)), time: row.int64(at: 6)),
          noted: row.int64(at: 7), value: try WireValue(encoded: plain)))
    }
    return entries
  }
}
