package import VaultCredentials
package import VaultStorage

extension FileRequirement {
  /// What the file needs, in a sentence.
  ///
  /// - Parameters:
  ///   - path: The file, as it was named.
  ///   - version: The version of this program.
  /// - Returns: The sentence, without a full stop.
  package func words(path: String, version: String) -> String {
    let format =
      switch kind {
      case .vault: "a vault of format \(formats[0])"
      case .backup:
        "a backup of format \(formats[0])"
          + (formats.count > 1
            ? ", of a vault of format \(formats[1].dropFirst("vault ".count))" : "")
      case .store:
        formats.isEmpty
          ? "a store that is empty" : "a store with \(formats.joined(separator: ", "))"
      }
    let verdict =
      if !canRead {
        "it needs a newer version than \(version), which can neither read nor change it"
      } else if !canWrite {
        "version \(version) reads it, and only a newer one can change it"
      } else {
        "version \(Self.firstProgram) and every later one can read and change it"
      }
    return "\(path) is \(format): \(verdict)"
  }

  /// The members of it as `--json` writes it.
  package func members(path: String) -> [(String, JSONValue)] {
    [
      ("file", .string(path)), ("kind", .string(kind.rawValue)), ("formats", .strings(formats)),
      ("canRead", .bool(canRead)), ("canWrite", .bool(canWrite)),
      ("since", .optional(canRead && canWrite ? Self.firstProgram : nil)),
    ]
  }
}
