import VaultStorage

/// A `.env` file in which references stand for the values that a vault holds.
///
/// Everything else stays byte for byte: comments, blank lines, the order, the values that were not
/// taken.
package struct DotenvReferences {
  private let bytes: [UInt8]
  private let lines: [DotenvImport.Line]

  /// Reads a file.
  ///
  /// - Throws: ``ExchangeError`` with code `.unreadable` if it is not UTF-8.
  package init(_ bytes: [UInt8]) throws {
    self.bytes = bytes
    (lines, comments) = try DotenvImport.parsed(bytes)
  }

  /// The lines that cannot be read, and why: they would stay in clear.
  package var unread: [(line: Int, reason: String)] {
    lines.compactMap { line in
      if case .damaged(let number, let reason) = line.entry { (number, reason) } else { nil }
    }
  }

  /// The lines with comments that may hold a secret, and stay as they are.
  package let comments: [Int]

  /// Returns the file with references.
  ///
  /// - Parameter reference: Returns the text for a variable; `nil` keeps its value.
  /// - Returns: The file, and how many values were replaced and kept.
  package func document(
    _ reference: (_ variable: String) -> String?
  ) -> (bytes: [UInt8], replaced: Int, kept: Int) {
    var output: [UInt8] = []
    var copied = 0
    var (replaced, kept) = (0, 0)
    for line in lines {
      guard case .value(let name, _) = line.entry, let text = reference(name) else {
        kept += 1
        continue
      }
      output += bytes[copied..<line.value.lowerBound]
      output += text.utf8
      copied = line.value.upperBound
      replaced += 1
    }
    output += bytes[copied...]
    return (output, replaced, kept)
  }
}
