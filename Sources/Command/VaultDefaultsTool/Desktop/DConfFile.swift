import VaultStorage

/// The file of a database of dconf's, as far as damage can be seen: dconf reads one that is damaged
/// as if it had nothing, and one that was cut as if it had less.
///
/// The form is GVDB's, of `gvdb-format.h` in dconf: a header, and tables of hashes whose items name
/// places in the file. All numbers are little-endian.
struct DConfFile {
  private let bytes: [UInt8]

  /// Returns whether each table, name and value lies in the file.
  static func isWhole(_ bytes: [UInt8]) -> Bool {
    let signatures = ["GVariant", "raVGtnai"]
    guard bytes.count >= 24, signatures.contains(where: { bytes.starts(with: $0.utf8) }) else {
      return false
    }
    let file = DConfFile(bytes: bytes)
    guard file.number(at: 8) == 0 else { return false }
    return file.isTable(at: 16, depth: 0)
  }

  /// Whether a place names a table that is whole.
  private func isTable(at place: Int, depth: Int) -> Bool {
    guard depth < 4, let table = range(at: place), table.count >= 8 else { return false }
    // The upper bits are a shift of the filter's.
    let filter = number(at: table.lowerBound) & 0x07ff_ffff
    let buckets = number(at: table.lowerBound + 4)
    let items = table.lowerBound + 8 + 4 * (filter + buckets)
    guard items <= table.upperBound, (table.upperBound - items) % 24 == 0 else { return false }
    return stride(from: items, to: table.upperBound, by: 24).allSatisfy { isItem(at: $0, depth) }
  }

  /// Whether an item's name and value lie in the file.
  private func isItem(at place: Int, _ depth: Int) -> Bool {
    let size = Int(bytes[place + 12]) | Int(bytes[place + 13]) << 8
    guard number(at: place + 8) + size <= bytes.count else { return false }
    return switch bytes[place + 14] {
    case UInt8(ascii: "v"), UInt8(ascii: "L"): range(at: place + 16) != nil
    case UInt8(ascii: "H"): isTable(at: place + 16, depth: depth + 1)
    default: true
    }
  }

  /// A pointer's range; `nil` if it leads out of the file.
  private func range(at place: Int) -> Range<Int>? {
    let (start, end) = (number(at: place), number(at: place + 4))
    return start <= end && end <= bytes.count ? start..<end : nil
  }

  private func number(at place: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
  }
}
