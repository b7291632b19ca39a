/// Questions that formats and protocols ask of a text, answered over its bytes and Unicode scalars.
///
/// The standard library's methods compare `Character`s: for them, `"#\u{301}"` does not begin with
/// `#`, and `"\r\n"` does not contain `\n`.
///
/// They are inlinable so that callers get specialized code: instantiating generic types at run time
/// would cost the command more than the work itself.
extension StringProtocol where SubSequence == Substring {
  /// What stands behind the last slash, as a file's name in its path; all of it if there is none.
  @inlinable package var lastComponent: Substring {
    self[(unicodeScalars.lastIndex(of: "/").map(unicodeScalars.index(after:)) ?? startIndex)...]
  }

  /// Returns whether the first bytes are those of `prefix`.
  @inlinable package func begins(with prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

  /// Returns whether the last bytes are those of `suffix`.
  @inlinable package func ends(with suffix: String) -> Bool {
    utf8.reversed().starts(with: suffix.utf8.reversed())
  }

  /// Returns whether the bytes are the same; `==` ignores differences of normalization.
  @inlinable package func isSame(as other: some StringProtocol) -> Bool {
    utf8.elementsEqual(other.utf8)
  }

  /// The parts between occurrences of a scalar.
  ///
  /// - Parameters:
  ///   - mark: The separator.
  ///   - maxSplits: The maximum number of splits.
  ///   - keepsEmpty: Whether to return empty parts.
  /// - Returns: The parts in their order.
  @inlinable package func parts(
    at mark: Unicode.Scalar, maxSplits: Int = .max, keepsEmpty: Bool = false
  ) -> [Substring] {
    unicodeScalars.split(
      separator: mark, maxSplits: maxSplits, omittingEmptySubsequences: !keepsEmpty
    ).map { self[$0.startIndex..<$0.endIndex] }
  }

  /// The text before and after the first occurrence of a scalar; `nil` if there is none.
  @inlinable package func halves(at mark: Unicode.Scalar) -> (before: Substring, after: Substring)?
  {
    guard let place = unicodeScalars.firstIndex(of: mark) else { return nil }
    return (self[startIndex..<place], self[unicodeScalars.index(after: place)..<endIndex])
  }

  /// The place of the first occurrence of the bytes of `part`; `nil` for an empty text.
  ///
  /// The standard library's `firstRange(of:)` and `contains(_:)` for texts would bring all of its
  /// regular expressions into the command.
  @inlinable package func firstRange(ofBytes part: String) -> Range<String.Index>? {
    let wanted = part.utf8
    guard let first = wanted.first else { return nil }
    var rest = utf8[startIndex..<endIndex]
    while let place = rest.firstIndex(of: first) {
      rest = rest[place...]
      if rest.starts(with: wanted) {
        return place..<rest.index(place, offsetBy: wanted.count)
      }
      rest.removeFirst()
    }
    return nil
  }

  /// The places of all occurrences of the bytes of `part`, none of which overlap.
  @inlinable package func ranges(ofBytes part: String) -> [Range<String.Index>] {
    var found: [Range<String.Index>] = []
    var rest = self[startIndex..<endIndex]
    while let range = rest.firstRange(ofBytes: part) {
      found.append(range)
      rest = rest[range.upperBound...]
    }
    return found
  }

  /// Returns whether the bytes of `part` occur; those of an empty text always do.
  @inlinable package func contains(bytes part: String) -> Bool {
    part.isEmpty || firstRange(ofBytes: part) != nil
  }

  /// Returns the text with every occurrence of the bytes of `old` replaced by `new`.
  @inlinable package func substituting(_ old: String, with new: String) -> String {
    var output: [UInt8] = []
    var rest = self[startIndex..<endIndex]
    while let found = rest.firstRange(ofBytes: old) {
      output += rest[..<found.lowerBound].utf8
      output += new.utf8
      rest = rest[found.upperBound...]
    }
    output += rest.utf8
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
