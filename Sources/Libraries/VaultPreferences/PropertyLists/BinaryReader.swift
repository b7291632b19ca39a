import FoundationEssentials

/// Reads binary property lists, strictly: every length is checked before it is used.
struct BinaryReader {
  private let bytes: [UInt8]
  private let offsetSize: Int
  private let referenceSize: Int
  private let count: Int
  private let table: Int
  private var values: [Int: PreferenceValue] = [:]
  /// The number of values that each object expands to, so that a small file cannot become a huge
  /// tree.
  private var sizes: [Int: Int] = [:]
  private var open: Set<Int> = []

  private static let sizeLimit = 10_000_000
  /// The deepest value, and what a domain, a seal or a coder puts around it and inside it.
  private static let depthLimit = PreferenceValue.depthLimit + 8

  static func isBinary(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "bplist".utf8) }

  static func parse(_ bytes: [UInt8]) throws(PreferenceError) -> PreferenceValue {
    guard bytes.count >= 40, bytes.starts(with: "bplist0".utf8) else {
      throw failure("too short, or of another version")
    }
    let trailer = bytes.count - 32
    func number(_ offset: Int) throws(PreferenceError) -> Int {
      let value = bytes[offset..<(offset + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      guard let small = Int(exactly: value), small < bytes.count else {
        throw failure("a number in the trailer is too large")
      }
      return small
    }
    let count = try number(trailer + 8)
    let top = try number(trailer + 16)
    let table = try number(trailer + 24)
    let offsetSize = Int(bytes[trailer + 6])
    let referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), count > 0, top < count,
      table >= 8, table <= trailer, count <= (trailer - table) / offsetSize
    else { throw failure("the trailer is invalid") }
    var reader = BinaryReader(
      bytes: bytes, offsetSize: offsetSize, referenceSize: referenceSize, count: count, table: table
    )
    return try reader.object(top)
  }

  private init(bytes: [UInt8], offsetSize: Int, referenceSize: Int, count: Int, table: Int) {
    self.bytes = bytes
    self.offsetSize = offsetSize
    self.referenceSize = referenceSize
    self.count = count
    self.table = table
  }

  private static func failure(_ what: String) -> PreferenceError {
    PreferenceError(.syntax, "a binary property list is damaged: \(what)")
  }

  private func unsigned(_ offset: Int, _ size: Int) throws(PreferenceError) -> UInt64 {
    guard offset >= 0, size <= table, offset <= table - size else {
      throw Self.failure("an object ends too late")
    }
    return bytes[offset..<(offset + size)].reduce(0) { $0 << 8 | UInt64($1) }
  }

  private mutating func object(_ index: Int) throws(PreferenceError) -> PreferenceValue {
    if let value = values[index] { return value }
    guard index < count else { throw Self.failure("a reference names no object") }
    guard open.count < Self.depthLimit, open.insert(index).inserted else {
      throw Self.failure("containers hold themselves or are too deep")
    }
    defer { open.remove(index) }
    let entry = table + index * offsetSize
    let offset = bytes[entry..<(entry + offsetSize)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard offset >= 8, offset < UInt64(table) else {
      throw Self.failure("an offset is out of range")
    }
    let (value, size) = try read(at: Int(offset))
    guard size <= Self.sizeLimit else { throw Self.failure("it stands for too many values") }
    values[index] = value
    sizes[index] = size
    return value
  }

  private mutating func read(at offset: Int) throws(PreferenceError) -> (PreferenceValue, Int) {
    let marker = bytes[offset]
    let low = Int(marker & 0x0f)
    switch marker >> 4 {
    case 0x0 where marker == 0x08: return (.boolean(false), 1)
    case 0x0 where marker == 0x09: return (.boolean(true), 1)
    case 0x1 where low <= 3:
      let number = try unsigned(offset + 1, 1 << low)
      return (.integer(Int64(bitPattern: number)), 1)
    case 0x1 where low == 4:
      let high = try unsigned(offset + 1, 8)
      let number = try unsigned(offset + 9, 8)
      guard high == 0 || high == .max else { throw Self.failure("a number of more than 64 bits") }
      return (
        high == 0 ? PreferenceValue(unsigned: number) : .integer(Int64(bitPattern: number)), 1
      )
    case 0x2 where low == 2:
      return (.float(Float(bitPattern: UInt32(try unsigned(offset + 1, 4)))), 1)
    case 0x2 where low == 3:
      return (.real(Double(bitPattern: try unsigned(offset + 1, 8))), 1)
    case 0x3 where low == 3:
      let seconds = Double(bitPattern: try unsigned(offset + 1, 8))
      return (.date(Date(timeIntervalSinceReferenceDate: seconds)), 1)
    case 0x4:
      let (start, count) = try length(offset, low, unit: 1)
      return (.data(Array(bytes[start..<(start + count)])), 1)
    case 0x5:
      let (start, count) = try length(offset, low, unit: 1)
      // ASCII by the format, but some writers put other bytes here.
      return (.string(String(decoding: bytes[start..<(start + count)], as: UTF8.self)), 1)
    case 0x6:
      let (start, count) = try length(offset, low, unit: 2)
      let units = (0..<count).map { index in
        UInt16(bytes[start + 2 * index]) << 8 | UInt16(bytes[start + 2 * index + 1])
      }
      return (.string(String(decoding: units, as: UTF16.self)), 1)
    case 0x8 where low <= 7: return (.uid(try unsigned(offset + 1, low + 1)), 1)
    case 0xa:
      let (start, count) = try length(offset, low, unit: referenceSize)
      var elements: [PreferenceValue] = []
      elements.reserveCapacity(count)
      var size = 1
      for index in 0..<count {
        let reference = try reference(start + index * referenceSize)
        elements.append(try object(reference))
        size += sizes[reference] ?? 1
      }
      return (.array(elements), size)
    case 0xd:
      let (start, count) = try length(offset, low, unit: 2 * referenceSize)
      var entries: [String: PreferenceValue] = [:]
      entries.reserveCapacity(count)
      var size = 1
      for index in 0..<count {
        let name = try object(try reference(start + index * referenceSize))
        guard case .string(let key) = name else { throw Self.failure("a key is not a string") }
        let reference = try reference(start + (count + index) * referenceSize)
        if let problem = entries.add(try object(reference), key) { throw Self.failure(problem) }
        size += sizes[reference] ?? 1
      }
      return (.dictionary(entries), size)
    default: throw Self.failure("an object of an unknown kind")
    }
  }

  private func reference(_ offset: Int) throws(PreferenceError) -> Int {
    guard let reference = Int(exactly: try unsigned(offset, referenceSize)) else {
      throw Self.failure("a reference names no object")
    }
    return reference
  }

  /// Where contents begin and how many units there are, all inside the file.
  private func length(
    _ offset: Int, _ low: Int, unit: Int
  ) throws(PreferenceError) -> (start: Int, count: Int) {
    var start = offset + 1
    var count = low
    if low == 15 {
      let marker = Int(try unsigned(start, 1))
      guard marker >> 4 == 1, marker & 15 <= 3 else {
        throw Self.failure("a length is not a number")
      }
      let size = 1 << (marker & 15)
      guard let number = Int(exactly: try unsigned(start + 1, size)) else {
        throw Self.failure("a length is too large")
      }
      count = number
      start += 1 + size
    }
    guard count <= (table - start) / unit, start <= table else {
      throw Self.failure("an object ends too late")
    }
    return (start, count)
  }
}
