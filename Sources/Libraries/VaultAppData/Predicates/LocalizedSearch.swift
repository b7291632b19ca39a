/// `localizedStandardContains` for plain ASCII, which most texts are: there it means that letters
/// are compared without their case.
enum LocalizedSearch {
  /// Whether the user's language treats the letters of ASCII as English does.
  ///
  /// Turkish and Azeri have another lower case of I, Lithuanian keeps its dot
  /// (unicode.org/Public/UNIDATA/SpecialCasing.txt).
  static var isPlainLanguage: Bool {
    let language = Locale.current.identifier.prefix { $0 != "_" && $0 != "-" }.lowercased()
    return !["tr", "az", "lt"].contains(language)
  }

  /// Looks for a part of a text.
  ///
  /// - Returns: Whether it is there; `nil` where only the whole comparison knows.
  static func plain(_ text: RawSpan, _ part: RawSpan) -> Bool? {
    unsafe text.withUnsafeBytes { text in
      unsafe part.withUnsafeBytes { part in unsafe plain(text, part) }
    }
  }

  private static func plain(
    _ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer
  ) -> Bool? {
    // Nothing is in an empty text, and the empty text in nothing: the slow way says so.
    guard let first = unsafe part.first.map(folded), unsafe part.allSatisfy(isPlain),
      unsafe text.allSatisfy(isPlain)
    else { return nil }
    let last = text.count - part.count
    guard last >= 0 else { return false }
    for start in 0...last where folded(unsafe text[start]) == first {
      var at = 1
      while at < part.count, unsafe folded(text[start + at]) == folded(part[at]) { at += 1 }
      if at == part.count { return true }
    }
    return false
  }

  /// A carriage return may be one character with the line feed after it, and marks are ignored.
  @inline(__always) private static func isPlain(_ byte: UInt8) -> Bool {
    byte < 0x80 && byte >= 0x20
  }

  @inline(__always) private static func folded(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte
  }
}
