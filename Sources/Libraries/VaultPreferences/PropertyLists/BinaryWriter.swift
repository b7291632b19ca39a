import FoundationEssentials

/// Writes binary property lists (`bplist00`), without loss.
///
/// The layout is described in CoreFoundation's CFBinaryPList.c: objects, a table of their offsets,
/// and a trailer of 32 bytes.
struct BinaryWriter {
  private var output: [UInt8] = Array("bplist00".utf8)
  private var objects: [PreferenceValue] = []
  /// Equal scalars are written once.
  private var known: [PreferenceValue: Int] = [:]
  /// The objects that a container names.
  private var references: [Int: [Int]] = [:]

  static func bytes(_ value: PreferenceValue) -> [UInt8] {
    var writer = BinaryWriter()
    return writer.write(value)
  }

  private mutating func write(_ value: PreferenceValue) -> [UInt8] {
    let top = number(of: value)
    let referenceSize = Self.size(of: UInt64(objects.count))
    var offsets: [Int] = []
    offsets.reserveCapacity(objects.count)
    for index in objects.indices {
      offsets.append(output.count)
      append(objects[index], references[index] ?? [], referenceSize)
    }
    let table = output.count
    let offsetSize = Self.size(of: UInt64(table))
    for offset in offsets { append(UInt64(offset), size: offsetSize) }
    output += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
    append(UInt64(objects.count), size: 8)
    append(UInt64(top), size: 8)
    append(UInt64(table), size: 8)
    return output
  }

  private mutating func number(of value: PreferenceValue) -> Int {
    switch value {
    case .array(let elements):
      let index = objects.count
      objects.append(value)
      references[index] = elements.map { number(of: $0) }
      return index
    case .dictionary(let entries):
      let index = objects.count
      objects.append(value)
      // In a fixed order, so that equal values give equal bytes.
      let keys = entries.keys.sorted(by: OldStyleWriter.precedes)
      let names = keys.map { number(of: .string($0)) }
      references[index] = names + keys.map { number(of: entries[$0] ?? "") }
      return index
    default:
      if let index = known[value] { return index }
      let index = objects.count
      known[value] = index
      objects.append(value)
      return index
    }
  }

  private mutating func append(
    _ value: PreferenceValue, _ references: [Int], _ referenceSize: Int
  ) {
    switch value {
    case .boolean(let flag): output.append(flag ? 0x09 : 0x08)
    case .integer(let number): append(integer: number)
    case .unsignedInteger(let number):
      // 16 bytes: 8 bytes are signed.
      output.append(0x14)
      append(0, size: 8)
      append(number, size: 8)
    case .float(let number):
      output.append(0x22)
      append(UInt64(number.bitPattern), size: 4)
    case .real(let number):
      output.append(0x23)
      append(number.bitPattern, size: 8)
    case .date(let date):
      output.append(0x33)
      append(date.timeIntervalSinceReferenceDate.bitPattern, size: 8)
    case .data(let bytes):
      append(marker: 0x40, count: bytes.count)
      output += bytes
    case .string(let text):
      if text.utf8.allSatisfy({ $0 < 0x80 }) {
        append(marker: 0x50, count: text.utf8.count)
        output += text.utf8
      } else {
        append(marker: 0x60, count: text.utf16.count)
        for unit in text.utf16 { append(UInt64(unit), size: 2) }
      }
    case .uid(let number):
      let size = Self.size(of: number)
      output.append(0x80 | UInt8(size - 1))
      append(number, size: size)
    case .array(let elements):
      append(marker: 0xa0, count: elements.count)
      for reference in references { append(UInt64(reference), size: referenceSize) }
    case .dictionary(let entries):
      append(marker: 0xd0, count: entries.count)
      for reference in references { append(UInt64(reference), size: referenceSize) }
    }
  }

  private mutating func append(marker: UInt8, count: Int) {
    if count < 15 {
      output.append(marker | UInt8(count))
    } else {
      output.append(marker | 0x0f)
      append(integer: Int64(count))
    }
  }

  private mutating func append(integer number: Int64) {
    // 1, 2 and 4 bytes are unsigned, 8 are signed.
    let size = number < 0 ? 8 : Self.size(of: UInt64(number))
    output.append(0x10 | UInt8(size.trailingZeroBitCount))
    append(UInt64(bitPattern: number), size: size)
  }

  private mutating func append(_ number: UInt64, size: Int) {
    for shift in stride(from: (size - 1) * 8, through: 0, by: -8) {
      output.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
    }
  }

  private static func size(of number: UInt64) -> Int {
    switch number {
    case 0...0xff: 1
    case 0...0xffff: 2
    case 0...0xffff_ffff: 4
    default: 8
    }
  }
}
