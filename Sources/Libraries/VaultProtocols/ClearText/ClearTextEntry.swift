import VaultStorage

/// An entry of a file that was moved into a vault, and the item that has its secret.
package struct ClearTextEntry: Equatable, Sendable {
  package let program: ClearTextProgram
  /// The file.
  package let path: String
  /// As ``ClearTextSecret/entry``.
  package let entry: String
  /// The item's id.
  package let item: String

  package init(program: ClearTextProgram, path: String, entry: String, item: String) {
    (self.program, self.path, self.entry, self.item) = (program, path, entry, item)
  }

  /// A list of entries, as an item keeps it: JSON.
  package static func text(of entries: [ClearTextEntry]) -> String {
    JSONValue.array(
      entries.map {
        .object([
          ("program", .string($0.program.rawValue)), ("path", .string($0.path)),
          ("entry", .string($0.entry)), ("item", .string($0.item)),
        ])
      }
    ).text()
  }

  /// The entries of such a list; those of a program that is not known are left out.
  package static func entries(in text: String) -> [ClearTextEntry] {
    guard case .array(let entries)? = try? JSONValue.parse(Array(text.utf8)) else { return [] }
    return entries.compactMap { entry in
      guard case .string(let path)? = entry["path"], case .string(let name)? = entry["entry"],
        case .string(let item)? = entry["item"], case .string(let word)? = entry["program"],
        let program = ClearTextProgram(rawValue: word)
      else { return nil }
      return ClearTextEntry(program: program, path: path, entry: name, item: item)
    }
  }
}
