/// The rules for names on the bus.
///
/// D-Bus specification, "Valid Names" and "Valid Object Paths".
package enum DBusNames {
  /// The most bytes of a name.
  static let maximumLength = 255

  /// Whether a text is an object path, such as `/org/freedesktop/secrets`.
  package static func isObjectPath(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.first == slash else { return false }
    if bytes.count == 1 { return true }
    return bytes.dropFirst().split(separator: slash, omittingEmptySubsequences: false)
      .allSatisfy { !$0.isEmpty && $0.allSatisfy(isWord) }
  }

  /// Whether a text is the name of an interface, or of an error.
  package static func isInterface(_ text: String) -> Bool {
    isDotted(text) { element in
      element.first.map { isWord($0) && !isDigit($0) } == true && element.allSatisfy(isWord)
    }
  }

  /// Whether a text is the name of a method or a signal.
  package static func isMember(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return (1...maximumLength).contains(bytes.count) && !isDigit(bytes[0])
      && bytes.allSatisfy(isWord)
  }

  /// Whether a text is the name of a connection: unique, as `:1.5`, or well known.
  package static func isBusName(_ text: String) -> Bool {
    if isUniqueName(text) {
      return isDotted(String(text.unicodeScalars.dropFirst())) { element in
        !element.isEmpty && element.allSatisfy { isWord($0) || $0 == UInt8(ascii: "-") }
      }
    }
    return isDotted(text) { element in
      element.first.map { !isDigit($0) } == true
        && element.allSatisfy { isWord($0) || $0 == UInt8(ascii: "-") }
    }
  }

  /// Whether a name is one that the bus gives to each connection.
  package static func isUniqueName(_ text: String) -> Bool { text.utf8.first == UInt8(ascii: ":") }

  private static let slash = UInt8(ascii: "/")

  private static func isDotted(
    _ text: String, where isElement: (ArraySlice<UInt8>) -> Bool
  ) -> Bool {
    let bytes = Array(text.utf8)
    let elements = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return bytes.count <= maximumLength && elements.count >= 2 && elements.allSatisfy(isElement)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "_")
  }
}
