import VaultStorage

/// Property lists in each of their forms, read and written without corelibs.
package enum PropertyList {
  /// The form of a property list.
  package enum Form: Sendable {
    /// `bplist00`, which can hold every value.
    case binary
    /// XML, which cannot hold some values.
    case xml
  }

  /// Reads a property list of any form.
  ///
  /// - Parameters:
  ///   - bytes: Binary, XML in any encoding that XML allows, or old-style text, in UTF-8 or, with
  ///     its mark, UTF-16.
  ///   - form: The only form to accept; `nil` for any.
  ///   - isStrict: Whether to refuse what only we read: dates with a fraction of a second in XML.
  ///     Errors in XML are then told in CoreFoundation's words, as far as they are known.
  /// - Returns: The value.
  /// - Throws: ``PreferenceError`` with code `.syntax`, also for no bytes at all.
  package static func parse(
    _ bytes: [UInt8], as form: Form? = nil, isStrict: Bool = false
  ) throws(PreferenceError) -> PreferenceValue {
    guard !bytes.isEmpty else { throw PreferenceError(.syntax, "the property list is empty") }
    if BinaryReader.isBinary(bytes) {
      if form == .xml { throw PreferenceError(.syntax, "the property list is binary, not XML") }
      return try BinaryReader.parse(bytes)
    }
    if form == .binary { throw PreferenceError(.syntax, "the property list is not binary") }
    let wide = try utf8(ofMarkedUTF16: bytes)
    let isMarked = bytes.starts(with: [0xef, 0xbb, 0xbf])
    let text = wide ?? (isMarked ? Array(bytes.dropFirst(3)) : bytes)
    if isXML(text.prefix(64).drop { $0 <= 0x20 }) {
      // Blanks before <?xml are an error to a strict parser, and common in here-documents.
      return try XMLReader.parse(
        isMarked || wide != nil ? bytes : Array(bytes.drop { $0 <= 0x20 }), isStrict: isStrict)
    }
    if form == .xml { throw PreferenceError(.syntax, "the property list is not XML") }
    return try OldStyleParser.parse(text)
  }

  /// Decodes bytes that begin with a byte order mark of UTF-16; `nil` for any others.
  package static func utf8(
    ofMarkedUTF16 bytes: [UInt8]
  ) throws(PreferenceError) -> [UInt8]? {
    let isLittle = bytes.starts(with: [0xff, 0xfe])
    guard isLittle || bytes.starts(with: [0xfe, 0xff]) else { return nil }
    guard bytes.count % 2 == 0 else {
      throw PreferenceError(.syntax, "the text in UTF-16 ends within a character")
    }
    let units = stride(from: 2, to: bytes.count, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isLittle ? second << 8 | first : first << 8 | second
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  /// Returns whether a text that begins with `<` is XML; in the old style, `<` begins data.
  ///
  /// `<data>`, `<date>`, `<dict>`, `<array>` and `<false/>` begin like hexadecimal data, so the
  /// whole word decides.
  private static func isXML(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.first == 0x3c else { return false }
    let word = bytes.dropFirst().prefix {
      (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0) || $0 == 0x3f || $0 == 0x21
    }
    let name = String(decoding: word, as: UTF8.self)
    if name.begins(with: "?") || name.begins(with: "!") { return true }
    return [
      "plist", "dict", "array", "string", "integer", "real", "true", "false", "date", "data",
    ].contains(name)
  }

  /// Writes a binary property list, without loss.
  package static func binary(_ value: PreferenceValue) -> [UInt8] { BinaryWriter.bytes(value) }

  /// Writes an XML property list.
  ///
  /// - Parameter value: What to write.
  /// - Returns: The document; a line for each value that XML cannot hold; and a line for each
  ///   32-bit number, which becomes a 64-bit one.
  package static func xml(
    _ value: PreferenceValue
  ) -> (bytes: [UInt8], losses: [String], widened: [String]) {
    XMLWriter.document(value)
  }
}
