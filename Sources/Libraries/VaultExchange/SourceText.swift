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
    let marks: [(mark: [UInt8], isBig: Bool)] = [([0xFF, 0xFE], false), ([0xFE, 0xFF], true)]
    let unmarked = unmarkedUTF16(bytes).map { [(mark: [UInt8](), isBig: $0)] } ?? []
    for (mark, isBig) in marks + unmarked where bytes.starts(with: mark) {
      let units = stride(from: mark.count, to: bytes.count - 1, by: 2).map { place in
        let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
        return isBig ? first << 8 | second : second << 8 | first
      }
      guard bytes.count.isMultiple(of: 2), let text = String(validating: units, as: UTF16.self)
      else { throw ExchangeError.unreadable("its UTF-16 is damaged", remedy: .saveAsUTF8) }
      return (Array(text.utf8), "it is UTF-16, and was read as that")
    }
    return (bytes, nil)
  }

  /// Whether bytes are UTF-16 without a mark, most significant byte first; `nil` if they are not.
  ///
  /// No file that is read here begins with other than ASCII in UTF-16, or has a zero in UTF-8.
  private static func unmarkedUTF16(_ bytes: [UInt8]) -> Bool? {
    let start = bytes.prefix(8)
    guard start.count >= 4, bytes.count.isMultiple(of: 2) else { return nil }
    for isBig in [false, true] {
      let areZero = start.indices.allSatisfy { ($0.isMultiple(of: 2) == isBig) == (start[$0] == 0) }
      if areZero { return isBig }
    }
    return nil
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
