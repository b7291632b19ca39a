/// What formats and protocols ask of a text, answered over its bytes and Unicode scalars.
///
/// The standard library's methods of the same purpose compare `Character`s: `"#\u{301}"` does not begin with
/// `#` for them, and `"\r\n"` holds no `\n`.
///
/// Inlinable, so that the command's start pays for no generic code that is put together at run time.
extension StringProtocol where SubSequence == Substring {
  /// Whether the first bytes are those of `prefix`.
  @inlinable package func begins(with prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

  /// Whether the last bytes are those of `suffix`.
  @inlinable package func ends(with suffix: String) -> Bool {
    utf8.reversed().starts(with: suffix.utf8.reversed())
  }

  /// Whether the bytes are the same; `==` takes texts for equal that differ in their normalization.
  @inlinable package func isSame(as other: some StringProtocol) -> Bool {
    utf8.elementsEqual(other.utf8)
  }

  /// The parts between occurrences of a scalar.
  ///
  /// - Parameters:
  ///   - mark: What stands between two parts.
  ///   - maxSplits: How many occurrences count.
  ///   - keepsEmpty: Whether empty parts are parts.
  /// - Returns: The parts in their order.
  @inlinable package func parts(
    at mark: Unicode.Scalar, maxSplits: Int = .max, keepsEmpty: Bool = false
  ) -> [Substring] {
    unicodeScalars.split(
      separator: mark, maxSplits: maxSplits, omittingEmptySubsequences: !keepsEmpty
    ).map { self[$0.startIndex..<$0.endIndex] }
  }

  /// Everything before and everything behind the first occurrence of a scalar; `nil` where there is none.
  @inlinable package func halves(at mark: Unicode.Scalar) -> (before: Substring, after: Substring)?
  {
    guard let place = unicodeScalars.firstIndex(of: mark) else { return nil }
    return (self[startIndex..<place], self[unicodeScalars.index(after: place)..<endIndex])
  }

  /// The text with `new` in the place of every occurrence of the bytes of `old`.
  @inlinable package func substituting(_ old: String, with new: String) -> String {
    var output: [UInt8] = []
    var rest = utf8[startIndex..<endIndex]
    while let found = rest.firstRange(of: old.utf8) {
      output += rest[..<found.lowerBound]
      output += new.utf8
      rest = rest[found.upperBound...]
    }
    output += rest
    return String(decoding: output, as: UTF8.self)
  }

  /// The text without white space at both ends.
  @inlinable package var trimmingBlanks: String {
    let scalars = unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return "" }
    return String(self[first..<scalars.index(after: last)])
  }
}
