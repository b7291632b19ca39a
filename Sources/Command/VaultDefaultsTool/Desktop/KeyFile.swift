import VaultStorage

/// Lines of `key=value` below lines of `[group]`: dconf's dumps, KConfig's files, INI.
///
/// Comments begin with `#`, in INI also with `;`. Values are taken as they are, without blanks
/// around them.
package struct KeyFile: Sendable {
  /// One group.
  package struct Group: Sendable {
    /// What stands in the brackets; empty above the first group.
    package let name: String
    /// The keys and values, in their order.
    package fileprivate(set) var entries: [(key: String, value: String)]
    /// The lines without a value.
    package fileprivate(set) var words: [String] = []
  }

  /// The groups, in their order.
  package private(set) var groups: [Group] = []
  /// The lines, from 1, that are neither.
  package private(set) var badLines: [Int] = []

  /// Reads a text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - comments: The characters that comments begin with.
  ///   - isWhole: Whether a line that is neither a group nor has a value spoils the one after it,
  ///     since it is the beginning of a key that has a line break in its name.
  package init(_ text: String, comments: String = "#", isWhole: Bool = false) {
    var isSpoilt = false
    for (index, line) in text.parts(at: "\n", keepsEmpty: true).enumerated() {
      let line = Self.trimmed(line)
      guard let first = line.utf8.first, !comments.utf8.contains(first) else { continue }
      if isSpoilt, isWhole, line.utf8.contains(UInt8(ascii: "=")) {
        isSpoilt = false
        continue
      }
      if first == UInt8(ascii: "["), line.utf8.last == UInt8(ascii: "]") {
        groups.append(Group(name: String(line.dropFirst().dropLast()), entries: []))
      } else if let sign = line.utf8.firstIndex(of: UInt8(ascii: "=")), sign > line.startIndex {
        if groups.isEmpty { groups.append(Group(name: "", entries: [])) }
        groups[groups.count - 1].entries.append(
          (
            String(Self.trimmed(line[..<sign])),
            String(Self.trimmed(line[line.utf8.index(after: sign)...]))
          ))
      } else {
        badLines.append(index + 1)
        isSpoilt = true
        if !groups.isEmpty { groups[groups.count - 1].words.append(String(line)) }
      }
    }
  }

  /// A text without blanks at its ends.
  static func trimmed(_ text: some StringProtocol) -> Substring {
    var text = Substring(text)
    while let first = text.utf8.first, first <= 0x20 { text = text.dropFirst() }
    while let last = text.utf8.last, last <= 0x20 { text = text.dropLast() }
    return text
  }
}
