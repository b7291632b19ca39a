import VaultCredentials
package import VaultSealing

/// What the first records of a space come to: `secrets.vault.sync.base`, beside the vault file; and
/// what a ``SpaceSnapshot`` holds.
///
/// It spares opening all records of all time. It is made from the log and can be made again: one
/// that is missing, damaged, or of no use since a machine was removed, is passed over.
///
/// Documentation/design/sync-format.md, sections 7 and 9.
package struct SpaceBase: Sendable {
  /// Some of the records count no longer.
  package struct Outdated: Error {}

  /// How many bytes of the log it covers; 0 for one that stands in for a log.
  package let logLength: UInt64
  /// Whether it has all that the records say; else some of it is of a newer version.
  package let isWhole: Bool
  /// The records that it covers, each after those that it knows; with what is of the roster alone.
  package let records: [OpenedRecord]
  /// The items that they come to.
  package let items: BaseItems
  /// The preferences that they come to.
  package let preferences: [String: FoldedPreferences.Domain]
  /// How far each stream counts in the items.
  let limits: Frontier

  /// Covers records of a history.
  ///
  /// - Parameters:
  ///   - history: The records.
  ///   - frontier: How far each stream goes: with a record all that it knows; `nil` for all
  ///     records.
  ///   - logLength: The bytes of the log that has them.
  /// - Throws: ``Outdated`` if the history's own base is of no use.
  package init(
    _ history: Space, upTo frontier: Frontier? = nil, logLength: UInt64 = 0
  ) throws(Outdated) {
    self.logLength = logLength
    let frontier = frontier ?? history.frontier
    let roster = history.roster(upTo: frontier)
    items = BaseItems(try FoldedSpace(history, roster, upTo: frontier).folded)
    preferences = try FoldedPreferences(history, roster, upTo: frontier).domains
    limits = roster.limits(frontier)
    isWhole = history.isWhole(upTo: frontier)
    records = history.all.filter { $0.sequence <= frontier[$0.stream, default: 0] }
      .map(\.withoutItems).sorted(by: OpenedRecord.comesFirst)
  }

  init(
    logLength: UInt64, isWhole: Bool, records: [OpenedRecord], items: BaseItems,
    preferences: [String: FoldedPreferences.Domain], limits: Frontier
  ) {
    self.logLength = logLength
    self.isWhole = isWhole
    self.records = records
    self.items = items
    self.preferences = preferences
    self.limits = limits
  }

  /// The same, some of which is of a newer version.
  var notWhole: SpaceBase {
    SpaceBase(
      logLength: logLength, isWhole: false, records: records, items: items,
      preferences: preferences, limits: limits)
  }

  /// How far each stream goes in it.
  package var frontier: Frontier {
    var frontier: Frontier = [:]
    for record in records {
      frontier[record.stream] = max(frontier[record.stream] ?? 0, record.sequence)
    }
    return frontier
  }

  /// Whether what counts of it is among some records.
  ///
  /// Streams of which nothing counts do not matter.
  func isWithin(_ known: Frontier) -> Bool {
    limits.allSatisfy { known[$0.key, default: 0] >= $0.value }
  }

  /// Whether its items are still those that the records come to.
  func holds(_ roster: Roster, upTo known: Frontier) -> Bool {
    isWithin(known) && roster.limits(frontier) == limits
  }
}

extension OpenedRecord {
  /// The record without what it says of items.
  fileprivate var withoutItems: OpenedRecord {
    var content = content
    content.operations.removeAll { !$0.isOfSpace }
    return OpenedRecord(
      stream: stream, sequence: sequence, hash: hash, content: content, epoch: epoch, past: past)
  }

  /// An order in which nothing comes before what it knows.
  fileprivate static func comesFirst(_ left: OpenedRecord, _ right: OpenedRecord) -> Bool {
    (left.depth, left.stream) < (right.depth, right.stream)
  }
}

// MARK: - The file

extension SpaceBase {
  static let magic = Array("VSB4".utf8)
  /// A root of an earlier version, which is kept as it is.
  private static let earlierMagic = Array("VSB3".utf8)
  /// Most bytes that are sealed at once.
  static let chunkLength = 512 << 10

  /// The file's bytes: what it is of, and the content, in sealed chunks.
  ///
  /// - Parameter key: The machine's own key.
  /// - Returns: The bytes.
  /// - Throws: `SealingError`, ``MalformedRecord``.
  package func sealed(_ key: SecretBytes) throws -> [UInt8] {
    var builder = SecretBuilder()
    builder.put(logLength)
    builder.put(UInt8(isWhole ? 1 : 0))
    try encode(into: &builder)
    let plaintext = try builder.joined()
    var bytes = Self.magic
    let starts = Array(stride(from: 0, to: plaintext.count, by: Self.chunkLength))
    for (number, start) in starts.enumerated() {
      let range = start..<min(start + Self.chunkLength, plaintext.count)
      let sealed = try plaintext.withBytes {
        try AuthenticatedEncryption.seal(
          $0.extracting(range), key: key,
          context: Self.context(Self.magic, number, isLast: number == starts.count - 1))
      }
      bytes.append(littleEndian: UInt32(sealed.count))
      bytes += sealed
    }
    return bytes
  }

  private static func context(_ magic: [UInt8], _ number: Int, isLast: Bool) -> [UInt8] {
    var context = magic
    context.append(littleEndian: UInt32(number))
    context.append(isLast ? 1 : 0)
    return context
  }

  /// Reads the file.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - key: The machine's own key.
  /// - Throws: `SealingError`, ``MalformedRecord``.
  package init(sealed bytes: [UInt8], key: SecretBytes) throws {
    let magic = Array(bytes.prefix(Self.magic.count))
    guard [Self.magic, Self.earlierMagic].contains(magic) else { throw MalformedRecord() }
    var offset = magic.count
    var builder = SecretBuilder()
    var number = 0
    while offset < bytes.count {
      guard offset + 4 <= bytes.count else { throw MalformedRecord() }
      let length = Int(bytes.withRawSpan { $0.littleEndian(UInt32.self, at: offset) })
      let start = offset + 4
      guard length <= bytes.count - start else { throw MalformedRecord() }
      offset = start + length
      builder.put(
        try AuthenticatedEncryption.open(
          Array(bytes[start..<offset]), key: key,
          context: Self.context(magic, number, isLast: offset == bytes.count)))
      number += 1
    }
    var reader = SecretReader(try builder.joined())
    let logLength: UInt64 = try reader.number()
    let isWhole = try reader.number(UInt8.self) == 1
    let form: SnapshotOperation.Form = magic == Self.magic ? .newestSeen : .everythingKnown
    try self.init(from: &reader, form, logLength: logLength, isWhole: isWhole)
    guard reader.isAtEnd else { throw MalformedRecord() }
  }
}
