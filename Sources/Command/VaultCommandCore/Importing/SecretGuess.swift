package import VaultExchange
import VaultSealing
import VaultStorage
import VaultTerminal

/// Which variables of a `.env` file are secrets, as far as names and values tell, and the person's
/// word on it.
package struct SecretGuess {
  private let reading: ImportReading
  private let likely: Set<String>

  /// Parts of names that stand for a secret, in capital letters.
  private static let words = [
    "KEY", "SECRET", "TOKEN", "PASS", "PWD", "CREDENTIAL", "AUTH", "PRIVATE", "DSN", "SALT",
    "CERT",
  ]

  package init(_ reading: ImportReading) {
    self.reading = reading
    likely = Set(reading.items.filter(Self.looksSecret).map(\.origin))
  }

  /// The variables that are taken to be secrets, in the order of the file.
  package var secrets: [String] { names { likely.contains($0) } }

  /// The others.
  package var others: [String] { names { !likely.contains($0) } }

  /// Whether a variable is taken to be a secret, by its name and its value.
  package static func looksSecret(_ name: String, _ value: String) -> Bool {
    !value.isEmpty
      && (words.contains { name.uppercased().contains(bytes: $0) } || hasPassword(value))
  }

  /// Asks whether the guess is right.
  ///
  /// Nobody is asked if all variables, or none of them, look like secrets.
  ///
  /// - Returns: What is to be imported: the guess, or everything.
  /// - Throws: ``ExitStatusOnly`` after a no; `TerminalError`.
  package func confirmed() throws -> ImportReading {
    guard !secrets.isEmpty, !others.isEmpty else { return reading }
    let question =
      "Store \(Self.list(secrets)), and leave \(Self.list(others)) in the file? [Y/n/all]"
    while true {
      guard let typed = try Prompt.line(question) else { return reading }
      switch typed.withBytes({ $0.byteCount == 0 ? UInt8(ascii: "y") : $0.byte(at: 0) | 0x20 }) {
      case UInt8(ascii: "y"): return reading.keeping { likely.contains($0.origin) }
      case UInt8(ascii: "a"): return reading
      case UInt8(ascii: "n"):
        StandardError.note(
          "nothing was imported", hint: "choose by patterns: --only '*KEY*,*SECRET*'")
        throw ExitStatusOnly(status: .no)
      default: continue
      }
    }
  }

  private func names(_ isWanted: (String) -> Bool) -> [String] {
    reading.items.map(\.origin).filter(isWanted)
  }

  private static func looksSecret(_ item: ImportedItem) -> Bool {
    guard item.main.count > 0 else { return false }
    let name = item.origin.uppercased()
    if words.contains(where: { name.contains(bytes: $0) }) { return true }
    return item.main.withBytes { bytes in
      bytes.text(0..<bytes.byteCount).map(hasPassword) ?? false
    }
  }

  /// Whether a value is an address with a password in it: scheme://user:password@host.
  private static func hasPassword(_ text: String) -> Bool {
    guard let scheme = text.firstRange(ofBytes: "://") else { return false }
    let authority = text.utf8[scheme.upperBound...].prefix { $0 != UInt8(ascii: "/") }
    guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return false }
    return authority[..<at].contains(UInt8(ascii: ":"))
  }

  /// Names for a question; not more than a person reads.
  private static func list(_ names: [String]) -> String {
    let shown = names.prefix(8).map(Sanitizer.visible).joined(separator: ", ")
    return names.count > 8 ? "\(shown) and \(names.count - 8) more" : shown
  }
}
