/// A strict reader of comma-separated values: RFC 4180, with LF or CRLF; a byte order mark is
/// skipped.
package enum CSVReader {
  /// A row that does not follow the format.
  package struct Failure: Error, Equatable {
    /// The line, counted from 1.
    package let line: Int
    /// The beginning of a sentence.
    package let reason: String
  }

  /// Returns the rows; empty lines are skipped.
  ///
  /// - Throws: ``Failure`` for a misplaced or unclosed quote, or text that is not UTF-8.
  package static func rows(_ bytes: [UInt8]) throws -> [[String]] {
    var rest = bytes[...]
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    var rows: [[String]] = []
    var row: [String] = []
    var field: [UInt8] = []
    var line = 1
    var position = rest.startIndex
    var wasQuoted = false
    func endField() throws {
      guard let text = String(validating: field, as: UTF8.self) else {
        throw Failure(line: line, reason: "a field is not UTF-8")
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
            if inner == 0x0A { line += 1 }
            field.append(inner)
          }
        }
      case 0x2C: try endField()
      case 0x0A:
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
