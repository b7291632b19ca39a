import VaultStorage

/// The environment variable of an item.
///
/// The same rule in both directions: a variable that an import reads comes out of an export, and
/// into a process, under the same name.
package enum EnvironmentVariable {
  /// The attribute by which an item names its variable, where the rule would choose another one.
  package static let attribute = "variable"

  /// The variable of a name: `api-token` is `API_TOKEN`.
  package static func name(for text: String) -> String {
    var name = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9": name += String(scalar).uppercased()
      default: name += "_"
      }
    }
    if let first = name.utf8.first, (0x30...0x39).contains(first) { name = "_" + name }
    return name
  }

  /// The variable of an item.
  ///
  /// - Parameters:
  ///   - name: The item's name.
  ///   - attributes: Its attributes; ``attribute`` overrides the name.
  ///   - isWhole: Whether all parts of the name count, or only the last one.
  /// - Returns: The variable.
  package static func name(
    forItem name: String, attributes: [String: String], isWhole: Bool
  ) -> String {
    if isWhole { return self.name(for: name) }
    if let chosen = attributes[attribute], isValid(chosen) { return chosen }
    return self.name(for: String(name.lastComponent))
  }

  /// Whether a shell takes the text for a variable's name: IEEE Std 1003.1, 3.216.
  package static func isValid(_ text: some StringProtocol) -> Bool {
    guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
      default: false
      }
    }
  }

  /// Whether the variable says anything: a name of underscores only came from one without letters.
  package static func isReadable(_ name: String) -> Bool {
    name.utf8.contains { $0 != UInt8(ascii: "_") }
  }
}
