import VaultCredentials
import VaultSealing

/// The items of a base: those of one that was read from a file are decoded when somebody asks for
/// them.
package struct BaseItems: Sendable {
  /// How an item is decoded, and where each begins.
  private struct Stored: Sendable {
    let content: SecretReader
    let records: SpaceBase.Reader
    let places: [[UInt8]: Int]
  }

  private let made: [[UInt8]: FoldedItem]
  private let stored: Stored?

  /// Items that are there.
  init(_ items: [[UInt8]: FoldedItem]) {
    made = items
    stored = nil
  }

  /// The items at a place of a base's content, which is moved behind them.
  ///
  /// - Parameters:
  ///   - content: The content.
  ///   - records: What has read the records before.
  /// - Throws: ``MalformedRecord`` for what ends before its end.
  init(
    from content: inout SecretReader, _ records: SpaceBase.Reader
  ) throws(MalformedRecord) {
    let start = content
    let count = Int(try content.number(UInt32.self))
    var places: [[UInt8]: Int] = [:]
    places.reserveCapacity(min(count, 1 << 16))
    for _ in 0..<count {
      let place = content.offset
      places[try content.passOverItem()] = place
    }
    made = [:]
    stored = Stored(content: start, records: records, places: places)
  }

  /// One of the items.
  ///
  /// - Parameter id: 16 bytes.
  /// - Returns: The item; `nil` if there is none.
  /// - Throws: ``MalformedRecord``, `SealingError`.
  package func item(_ id: [UInt8]) throws -> FoldedItem? {
    guard let stored, let place = stored.places[id] else { return made[id] }
    var reader = stored.content.moved(to: place)
    return try stored.records.item(&reader)
  }

  /// All items by their ids.
  ///
  /// - Throws: ``MalformedRecord``, `SealingError`.
  package func all() throws -> [[UInt8]: FoldedItem] {
    guard let stored else { return made }
    var items: [[UInt8]: FoldedItem] = [:]
    items.reserveCapacity(stored.places.count)
    for id in stored.places.keys { items[id] = try item(id) }
    return items
  }
}

extension SecretReader {
  /// The same bytes, read from another place on.
  fileprivate func moved(to place: Int) -> SecretReader {
    var moved = self
    moved.offset = place
    return moved
  }

  /// Passes over an item of a base's content, without making anything of it.
  ///
  /// - Returns: Its id.
  /// - Throws: ``MalformedRecord`` for one that ends before its end.
  fileprivate mutating func passOverItem() throws(MalformedRecord) -> [UInt8] {
    let id = try array(16)
    try skip(16)
    try passOverAll(UInt16.self) { reader throws(MalformedRecord) in try reader.passOverStamp() }
    try passOverAll(UInt16.self) { reader throws(MalformedRecord) in try reader.skip(18) }
    try passOverAll(UInt32.self) { reader throws(MalformedRecord) in
      try reader.skip(1)
      try reader.skip(Int(reader.number(UInt16.self)))
      try reader.passOverAll(UInt16.self) { reader throws(MalformedRecord) in
        try reader.passOverStamp()
        switch try reader.number(UInt8.self) {
        case 0: break
        case 1, 3: try reader.skip(Int(reader.number(UInt32.self)))
        case 2: try reader.skip(8)
        default: throw MalformedRecord()
        }
      }
    }
    try passOverAll(UInt16.self) { reader throws(MalformedRecord) in
      try reader.skip(18)
      try reader.skip(Int(reader.number(UInt32.self)))
      try reader.passOverAll(UInt16.self) { reader throws(MalformedRecord) in
        try reader.skip(Int(reader.number(UInt16.self)))
        try reader.skip(Int(reader.number(UInt32.self)))
      }
    }
    return id
  }

  private mutating func passOverAll<Count: FixedWidthInteger & BitwiseCopyable>(
    _ type: Count.Type, _ body: (inout SecretReader) throws(MalformedRecord) -> Void
  ) throws(MalformedRecord) {
    for _ in 0..<(try number(type)) { try body(&self) }
  }

  private mutating func passOverStamp() throws(MalformedRecord) {
    if try number(UInt8.self) == 1 { try skip(18) }
  }
}
