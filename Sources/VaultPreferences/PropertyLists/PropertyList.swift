/// Property lists in each of their forms, read and written without corelibs.
package enum PropertyList {
  /// How a property list is written down.
  package enum Form: Sendable {
    /// `bplist00`, which holds everything.
    case binary
    /// XML, which has no form for some things.
    case xml
  }

  /// Reads a property list of any form.
  ///
  /// - Parameter bytes: Binary, XML in any encoding that XML allows, or old-style text.
  /// - Returns: The value.
  /// - Throws: ``PreferenceError`` with code `.syntax`.
  package static func parse(_ bytes: [UInt8]) throws(PreferenceError) -> PreferenceValue {
    if BinaryReader.isBinary(bytes) { return try BinaryReader.parse(bytes) }
    let start = bytes.prefix(64).drop { $0 <= 0x20 || $0 == 0xef || $0 == 0xbb || $0 == 0xbf }
    let isUTF16 = bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff])
    if isUTF16 || isXML(start) {
      // Blanks before <?xml are an error to a strict parser, and common in here-documents.
      let isMarked = bytes.starts(with: [0xef, 0xbb, 0xbf]) || isUTF16
      return try XMLReader.parse(isMarked ? bytes : Array(bytes.drop { $0 <= 0x20 }))
    }
    let text = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? Array(bytes.dropFirst(3)) : bytes
    return try OldStyleParser.parse(text)
  }

  /// `<` and then no hexadecimal digit, blank or `>`: those begin data in the old style.
  ///
  /// `<data>`, `<date>`, `<dict>`, `<array>` and `<false/>` begin with such a digit too: there a
  /// whole word decides.
  private static func isXML(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.first == 0x3c else { return false }
    let word = bytes.dropFirst().prefix {
      (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0) || $0 == 0x3f || $0 == 0x21
    }
    let name = String(decoding: word, as: UTF8.self)
    if name.hasPrefix("?") || name.hasPrefix("!") { return true }
    return [
      "plist", "dict", "array", "string", "integer", "real", "true", "false", "date", "data",
    ].contains(name)
  }

  /// Writes a binary property list; nothing is lost.
  package static func binary(_ value: PreferenceValue) -> [UInt8] { BinaryWriter.bytes(value) }

  /// Writes an XML property list.
  ///
  /// - Parameter value: What to write.
  /// - Returns: The document, and a line for each thing that XML cannot hold.
  package static func xml(_ value: PreferenceValue) -> (bytes: [UInt8], losses: [String]) {
    XMLWriter.document(value)
  }
}
