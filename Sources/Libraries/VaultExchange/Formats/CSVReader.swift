/// A strict reader of comma-separated values: RFC 4180, with LF or CRLF, or with CR alone, as
/// spreadsheets write "CSV (Macintosh)"; a byte order mark is skipped.
///
/// Spreadsheets of some countries separate by semicolons.
package enum CSVReader {
  /// A row that does not follow the format.
  package struct Failure: Error, Equatable {
    /// The line, counted from 1.
    package let line: Int
    /// The beginning of a sentence.
    package let reason: String
    /// Whether the text is no UTF-8.
    package var isEncoding = false
  }

  /// A row and its number, counted from 1; empty lines are not counted.
  struct Row {
    let number: Int
    let fields: [String]
  }

  private static let comma = UInt8(ascii: ",")
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The line by which spreadsheets are told the separator, `sep=;`, before the table.
  ///
  /// - Returns: The separator, and where the table begins; `nil` without such a line.
  static func separatorLine(of bytes: [UInt8]) -> (separator: UInt8, start: Int)? {
    var start = bytes.starts(with: mark) ? mark.count : 0
    guard bytes.dropFirst(start).starts(with: Array("sep=".utf8)) else { return nil }
    start += 4
    guard start + 1 < bytes.count, bytes[start] != 0x22,
      bytes[start + 1] == 0x0A || bytes[start + 1] == 0x0D
    else { return nil }
    let end = bytes[(start + 1)...].starts(with: [0x0D, 0x0A]) ? start + 3 : start + 2
    return (bytes[start], end)
  }

  /// Returns the separator of a table: the one that its first row has most often outside of quotes.
  static func separator(in bytes: [UInt8]) -> UInt8 {
    var counts: [UInt8: Int] = [:]
    var isQuoted = false
    for byte in bytes {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      guard !isQuoted else { continue }
      if byte == 0x0A || byte == 0x0D { break }
      if [comma, UInt8(ascii: ";"), UInt8(ascii: "\t")].contains(byte) {
        counts[byte, default: 0] += 1
      }
    }
    guard let most = counts.max(by: { $0.value < $1.value }), most.value > counts[comma] ?? 0 else {
      return comma
    }
    return most.key
  }

  /// Whether the first line end outside of quotes is a CR alone: then the others are, too.
  private static func endsLinesByReturn(_ bytes: ArraySlice<UInt8>) -> Bool {
    var isQuoted = false
    for (position, byte) in zip(bytes.indices, bytes) {
      if byte == 0x22 { isQuoted.toggle() }
      guard !isQuoted, byte == 0x0A || byte == 0x0D else { continue }
      return byte == 0x0D && !bytes[(position + 1)...].starts(with: [0x0A])
    }
    return false
  }

  /// Returns the rows with their numbers; empty lines are skipped.
  ///
  /// - Throws: as ``rows(_:separator:)``.
  static func numberedRows(_ bytes: [UInt8], separator: UInt8? = nil) throws -> [Row] {
    try rows(bytes, separator: separator ?? comma).enumerated().map {
      Row(number: $0 + 1, fields: $1)
    }
  }

  /// Returns the rows; empty lines are skipped.
  ///
  /// - Parameters:
  ///   - bytes: The table.
  ///   - separator: The byte between two fields.
  /// - Returns: The fields of each row.
  /// - Throws: ``Failure`` for a misplaced or unclosed quote, or text that is not UTF-8.
  package static func rows(
    _ bytes: [UInt8], separator: UInt8 = UInt8(ascii: ",")
  ) throws -> [[String]] {
    var rest = bytes[...]
    if rest.starts(with: mark) { rest = rest.dropFirst(mark.count) }
    let endsByReturn = endsLinesByReturn(rest)
    var rows: [[String]] = []
    var row: [String] = []
    var field: [UInt8] = []
    var line = 1
    var position = rest.startIndex
    var wasQuoted = false
    func endField() throws {
      guard let text = String(validating: field, as: UTF8.self) else {
        throw Failure(line: line, reason: "a field is not UTF-8", isEncoding: true)
      }
      row.append(text)
      field = []
      wasQuoted = false
    }
    func endRow() throws {
      let isEmptyLine = row.isEmpty && field.isEmpty && !wasQuoted
      if !isEmptyLine {
        try endField()
        rows.append(row)
      }
      row = []
    }
    while position < rest.endIndex {
      let byte = rest[position]
      position += 1
      switch byte {
      case 0x22:
        guard field.isEmpty, !wasQuoted else {
          throw Failure(line: line, reason: "a quote inside a field")
        }
        wasQuoted = true
        let start = line
        var isOpen = true
        while isOpen {
          guard position < rest.endIndex else {
            throw Failure(line: start, reason: "a quote is not closed")
          }
          let inner = rest[position]
          position += 1
          if inner == 0x22 {
            if position < rest.endIndex, rest[position] == 0x22 {
              field.append(inner)
              position += 1
            } else {
              isOpen = false
            }
          } else {
            if inner == 0x0A || inner == 0x0D && endsByReturn { line += 1 }
            field.append(inner)
          }
        }
      case separator: try endField()
      case 0x0A,
        0x0D where endsByReturn:
        try endRow()
        line += 1
      case 0x0D where position < rest.endIndex && rest[position] == 0x0A: break
      default:
        guard !wasQuoted else { throw Failure(line: line, reason: "text after a quoted field") }
        field.append(byte)
      }
    }
    try endRow()
    return rows
  }
}
