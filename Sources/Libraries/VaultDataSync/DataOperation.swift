import VaultDataStore
import VaultSealing
package import VaultStorage
package import VaultSync

/// An object on all machines: 16 random bytes, given where it was made.
package struct ObjectID: Hashable, Comparable, Sendable {
  package let bytes: [UInt8]

  package init?(_ bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// One that no object has.
  package static func new() throws -> ObjectID {
    guard let id = ObjectID(try SecretBytes.random(count: 16).withBytes { $0.array(0..<16) }) else {
      throw MalformedRecord()
    }
    return id
  }

  /// 32 hex digits.
  package var text: String { Hexadecimal.text(bytes) }

  package static func < (left: ObjectID, right: ObjectID) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}

/// A value on its way: as the store has it, and references by the object's identity.
package enum WireValue: Hashable, Sendable {
  case null
  case integer(Int64)
  /// The bits of a double, so that every one of them is exact and equal to itself.
  case real(UInt64)
  case text(String)
  case blob([UInt8])
  case reference(ObjectID)

  /// A value that is no reference.
  package init(_ value: SQLiteValue) {
    self =
      switch value {
      case .null: .null
      case .integer(let number): .integer(number)
      case .real(let number): .real(number.bitPattern)
      case .text(let text): .text(text)
      case .blob(let bytes): .blob(bytes)
      }
  }

  /// The value in the store; `nil` for a reference.
  package var stored: SQLiteValue? {
    switch self {
    case .null: .null
    case .integer(let number): .integer(number)
    case .real(let bits): .real(Double(bitPattern: bits))
    case .text(let text): .text(text)
    case .blob(let bytes): .blob(bytes)
    case .reference: nil
    }
  }

  /// Most bytes of a value that travels: what a record has room for, padded and sealed.
  package static let longest = 12 << 20

  package var length: Int {
    switch self {
    case .text(let text): 5 + text.utf8.count
    case .blob(let bytes): 5 + bytes.count
    case .reference: 17
    default: 9
    }
  }

  /// What a link says, as one value.
  init(_ link: DataOperation.Link) {
    var bytes: [UInt8] = []
    bytes.put(link)
    self = .blob(bytes)
  }

  /// What a link says that was kept as one value; `nil` for any other value.
  var link: DataOperation.Link? {
    guard case .blob(let bytes) = self else { return nil }
    var reader = OperationReader(bytes)
    guard let link = try? reader.link(), reader.isAtEnd else { return nil }
    return link
  }

  /// The value by itself.
  package var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.put(self)
    return bytes
  }

  package init(encoded: [UInt8]) throws(MalformedRecord) {
    var reader = OperationReader(encoded)
    self = try reader.value()
    guard reader.isAtEnd else { throw MalformedRecord() }
  }

  /// What tells in 8 bytes whether a value is another one.
  package func mark() throws -> [UInt8] { Array(try Hash.blake2b(encoded, count: 16).prefix(8)) }
}

/// What a record of a store's channel says.
///
/// Documentation/design/sync-format.md, section 10.
package enum DataOperation: Sendable, Equatable {
  /// Objects that were made or changed, with these properties of each.
  case rows(RowsOperation)
  /// Objects that were deleted.
  case deletes(className: String, [ObjectID])
  /// Links of a relationship that were added, moved or removed.
  case links(LinksOperation)
  /// Pairs of objects that are one object from now on.
  case aliases(className: String, [Alias])

  package struct RowsOperation: Sendable, Equatable {
    /// Its `ClassPath`.
    package var className: String
    package var columns: [Column]
    package var rows: [Row]

    package init(className: String, columns: [Column], rows: [Row]) {
      self.className = className
      self.columns = columns
      self.rows = rows
    }
  }

  /// A property by its name on the way, and its type's mark.
  package struct Column: Hashable, Sendable {
    package let name: String
    package let mark: UInt8

    package init(name: String, mark: UInt8) {
      self.name = name
      self.mark = mark
    }
  }

  package struct Row: Sendable, Equatable {
    package let identity: ObjectID
    /// Whether the object was made, or brought back; else properties of it were changed.
    package let isMade: Bool
    /// Whether a program computed the values when it migrated its store: anybody's change is newer.
    package let isDerived: Bool
    /// In the order of the columns.
    package let values: [WireValue]

    package init(identity: ObjectID, isMade: Bool, isDerived: Bool, values: [WireValue]) {
      self.identity = identity
      self.isMade = isMade
      self.isDerived = isDerived
      self.values = values
    }
  }

  package struct LinksOperation: Sendable, Equatable {
    /// The class that has the relationship.
    package var className: String
    package var property: String
    package var links: [Link]

    package init(className: String, property: String, links: [Link]) {
      self.className = className
      self.property = property
      self.links = links
    }
  }

  package struct Link: Sendable, Equatable {
    package let owner: ObjectID
    package let destination: ObjectID
    /// Whether the link is there; else it was removed.
    package let isThere: Bool
    /// The place of the destination in the owner's array.
    package let ownerPlace: Int64?
    /// The place of the owner in the destination's array.
    package let destinationPlace: Int64?

    package init(
      owner: ObjectID, destination: ObjectID, isThere: Bool, ownerPlace: Int64? = nil,
      destinationPlace: Int64? = nil
    ) {
      self.owner = owner
      self.destination = destination
      self.isThere = isThere
      self.ownerPlace = ownerPlace
      self.destinationPlace = destinationPlace
    }
  }

  package struct Alias: Hashable, Sendable {
    package let identity: ObjectID
    package let other: ObjectID

    package init(_ identity: ObjectID, _ other: ObjectID) {
      self.identity = identity
      self.other = other
    }
  }

  package static let rowsKind: UInt8 = 32
  package static let deletesKind: UInt8 = 33
  package static let aliasesKind: UInt8 = 35
  package static let linksKind: UInt8 = 36
  /// Rows of a class that inherits from another one.
  package static let familyRowsKind: UInt8 = 37

  package func encoded() throws -> ChannelOperation {
    var body: [UInt8] = []
    switch self {
    case .rows(let operation):
      guard ClassPath.isValid(operation.className) else { throw MalformedRecord() }
      let names = ClassPath.names(of: operation.className)
      try body.put(text: names[0])
      if names.count > 1 {
        guard let count = UInt8(exactly: names.count - 1) else { throw MalformedRecord() }
        body.append(count)
        for name in names.dropFirst() { try body.put(text: name) }
      }
      body.append(littleEndian: UInt16(operation.columns.count))
      for column in operation.columns {
        try body.put(text: column.name)
        body.append(column.mark)
      }
      body.append(littleEndian: UInt32(operation.rows.count))
      for row in operation.rows {
        body += row.identity.bytes
        body.append((row.isMade ? 1 : 0) | (row.isDerived ? 2 : 0))
        for value in row.values { body.put(value) }
      }
      return ChannelOperation(
        kind: names.count > 1 ? Self.familyRowsKind : Self.rowsKind, body: body)
    case .deletes(let className, let identities):
      try body.put(text: className)
      body.append(littleEndian: UInt32(identities.count))
      for identity in identities { body += identity.bytes }
      return ChannelOperation(kind: Self.deletesKind, body: body)
    case .links(let operation):
      try body.put(text: operation.className)
      try body.put(text: operation.property)
      body.append(littleEndian: UInt32(operation.links.count))
      for link in operation.links { body.put(link) }
      return ChannelOperation(kind: Self.linksKind, body: body)
    case .aliases(let className, let aliases):
      try body.put(text: className)
      body.append(littleEndian: UInt32(aliases.count))
      for alias in aliases { body += alias.identity.bytes + alias.other.bytes }
      return ChannelOperation(kind: Self.aliasesKind, body: body)
    }
  }

  /// Reads an operation; `nil` for a kind that is not known here.
  ///
  /// - Throws: ``MalformedRecord``.
  package init?(_ operation: ChannelOperation) throws(MalformedRecord) {
    var reader = OperationReader(operation.body)
    switch operation.kind {
    case Self.rowsKind, Self.familyRowsKind:
      var className = try reader.name()
      if operation.kind == Self.familyRowsKind {
        let count: UInt8 = try reader.number()
        guard count > 0, count < ClassPath.mostNames else { throw MalformedRecord() }
        for _ in 0..<count { className += ClassPath.separator + (try reader.nameBelow()) }
        guard ClassPath.isValid(className) else { throw MalformedRecord() }
      }
      var columns: [Column] = []
      for _ in 0..<(try reader.number(UInt16.self)) {
        columns.append(Column(name: try reader.text(), mark: try reader.number()))
      }
      guard Set(columns.map(\.name)).count == columns.count else { throw MalformedRecord() }
      var rows: [Row] = []
      for _ in 0..<(try reader.number(UInt32.self)) {
        let identity = try reader.identity()
        let flags: UInt8 = try reader.number()
        guard flags <= 3 else { throw MalformedRecord() }
        var values: [WireValue] = []
        for _ in columns { values.append(try reader.value()) }
        rows.append(
          Row(
            identity: identity, isMade: flags & 1 != 0, isDerived: flags & 2 != 0, values: values))
      }
      self = .rows(RowsOperation(className: className, columns: columns, rows: rows))
    case Self.deletesKind:
      let className = try reader.name()
      var identities: [ObjectID] = []
      for _ in 0..<(try reader.number(UInt32.self)) { identities.append(try reader.identity()) }
      self = .deletes(className: className, identities)
    case Self.linksKind:
      let (className, property) = (try reader.text(), try reader.text())
      var links: [Link] = []
      for _ in 0..<(try reader.number(UInt32.self)) { links.append(try reader.link()) }
      self = .links(LinksOperation(className: className, property: property, links: links))
    case Self.aliasesKind:
      let className = try reader.name()
      var aliases: [Alias] = []
      for _ in 0..<(try reader.number(UInt32.self)) {
        aliases.append(Alias(try reader.identity(), try reader.identity()))
      }
      self = .aliases(className: className, aliases)
    default: return nil
    }
    guard reader.isAtEnd else { throw MalformedRecord() }
  }
}

extension [UInt8] {
  fileprivate mutating func put(text: String) throws(MalformedRecord) {
    guard let count = UInt16(exactly: text.utf8.count) else { throw MalformedRecord() }
    append(littleEndian: count)
    self += Array(text.utf8)
  }

  fileprivate mutating func put(_ link: DataOperation.Link) {
    append(
      (link.isThere ? 1 : 0) | (link.ownerPlace != nil ? 2 : 0)
        | (link.destinationPlace != nil ? 4 : 0))
    self += link.owner.bytes + link.destination.bytes
    for place in [link.ownerPlace, link.destinationPlace] {
      if let place { append(littleEndian: place) }
    }
  }

  fileprivate mutating func put(_ value: WireValue) {
    switch value {
    case .null: append(0)
    case .integer(let number):
      append(1)
      append(littleEndian: number)
    case .real(let bits):
      append(2)
      append(littleEndian: bits)
    case .text(let text):
      append(3)
      append(littleEndian: UInt32(text.utf8.count))
      self += Array(text.utf8)
    case .blob(let bytes):
      append(4)
      append(littleEndian: UInt32(bytes.count))
      self += bytes
    case .reference(let identity):
      append(5)
      self += identity.bytes
    }
  }
}

/// Reads the body of an operation; nothing in it is believed.
private struct OperationReader {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { offset == bytes.count }

  private mutating func take(_ count: Int) throws(MalformedRecord) -> Range<Int> {
    guard count >= 0, count <= bytes.count - offset else { throw MalformedRecord() }
    defer { offset += count }
    return offset..<offset + count
  }

  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: Number.Type = Number.self
  ) throws(MalformedRecord) -> Number {
    let range = try take(MemoryLayout<Number>.size)
    return bytes.withRawSpan { $0.littleEndian(Number.self, at: range.lowerBound) }
  }

  mutating func array(_ count: Int) throws(MalformedRecord) -> [UInt8] {
    let range = try take(count)
    return Array(bytes[range])
  }

  mutating func text(_ count: Int? = nil) throws(MalformedRecord) -> String {
    let length = if let count { count } else { Int(try number(UInt16.self)) }
    let range = try take(length)
    guard let text = bytes.withRawSpan({ $0.text(range) }) else { throw MalformedRecord() }
    return text
  }

  /// The name of a class by itself, not a path.
  mutating func name() throws(MalformedRecord) -> String {
    let name = try text()
    guard !name.utf8.contains(UInt8(ascii: "\\")) else { throw MalformedRecord() }
    return name
  }

  /// The name of a class below another one.
  mutating func nameBelow() throws(MalformedRecord) -> String {
    let name = try name()
    guard !name.isEmpty else { throw MalformedRecord() }
    return name
  }

  mutating func identity() throws(MalformedRecord) -> ObjectID {
    guard let identity = ObjectID(try array(16)) else { throw MalformedRecord() }
    return identity
  }

  mutating func link() throws(MalformedRecord) -> DataOperation.Link {
    let flags: UInt8 = try number()
    guard flags <= 7, flags & 1 != 0 || flags == 0 else { throw MalformedRecord() }
    return DataOperation.Link(
      owner: try identity(), destination: try identity(), isThere: flags & 1 != 0,
      ownerPlace: flags & 2 == 0 ? nil : try number(),
      destinationPlace: flags & 4 == 0 ? nil : try number())
  }

  mutating func value() throws(MalformedRecord) -> WireValue {
    switch try number(UInt8.self) {
    case 0: return .null
    case 1: return .integer(try number())
    case 2: return .real(try number())
    case 3: return .text(try text(Int(number(UInt32.self))))
    case 4: return .blob(try array(Int(number(UInt32.self))))
    case 5: return .reference(try identity())
    default: throw MalformedRecord()
    }
  }
}
