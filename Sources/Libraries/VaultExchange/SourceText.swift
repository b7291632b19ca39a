import VaultStorage

/// The text of another program's file, as UTF-8 without a byte order mark.
enum SourceText {
  private static let utf8Mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Returns the bytes of a file as UTF-8.
  ///
  /// Windows programs write UTF-16, with a mark (Unicode 16, 23.8, "Byte Order Mark").
  ///
  /// - Parameter bytes: The file.
  /// - Returns: The text; a sentence to report if it was not UTF-8.
  /// - Throws: ``ExchangeError`` with code `.unreadable` for what is no text that is known.
  static func utf8(_ bytes: [UInt8]) throws -> (bytes: [UInt8], remark: String?) {
    if bytes.starts(with: utf8Mark) { return (Array(bytes.dropFirst(utf8Mark.count)), nil) }
    for (mark, isBig) in [([0xFF, 0xFE] as [UInt8], false), ([0xFE, 0xFF], true)]
    where bytes.starts(with: mark) {
      let units = stride(from: 2, to: bytes.count - 1, by: 2).map { place in
        let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
        return isBig ? first << 8 | second : second << 8 | first
      }
      guard bytes.count.isMultiple(of: 2), let text = String(validating: units, as: UTF16.self)
      else { throw ExchangeError.unreadable("its UTF-16 is damaged", remedy: .saveAsUTF8) }
      return (Array(text.utf8), "it is UTF-16, and was read as that")
    }
    return (bytes, nil)
  }

  /// The error of a file that is no UTF-8.
  static func notUTF8(line: Int? = nil) -> ExchangeError {
    .unreadable("it is not UTF-8", line: line, remedy: .saveAsUTF8)
  }

  /// Whether a document is JSON rather than a table.
  static func looksLikeJSON(_ bytes: [UInt8]) -> Bool {
    let blanks = [0x20, 0x09, 0x0A, 0x0D] + utf8Mark
    return bytes.first { !blanks.contains($0) }
      .map { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") } ?? false
  }
}
