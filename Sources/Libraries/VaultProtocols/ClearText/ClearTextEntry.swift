import VaultStorage

/// An entry of a file that was moved into a vault, and the item that has its secret.
package struct ClearTextEntry: Hashable, Sendable {
  package let program: ClearTextProgram
  /// The file.
  package let path: String
  /// As ``ClearTextSecret/entry``.
  package let entry: String
  /// The item's id.
  package let item: String
  /// A hash of what was left of the file; those that were moved in one step have the same one.
  package let rest: String?
  /// The whole file as it was, in the first of those that were moved in one step.
  package let original: String?
  /// Whether its program was set up in that step; said in the first of those that were moved in it.
  package let connects: Bool

  package init(
    program: ClearTextProgram, path: String, entry: String, item: String, rest: String? = nil,
    original: String? = nil, connects: Bool = false
  ) {
    (self.program, self.path, self.entry, self.item) = (program, path, entry, item)
    (self.rest, self.original, self.connects) = (rest, original, connects)
  }

  /// The same without the file as it was.
  package var withoutOriginal: ClearTextEntry {
    ClearTextEntry(
      program: program, path: path, entry: entry, item: item, rest: rest, connects: connects)
  }

  /// A list of entries, as an item keeps it: JSON.
  package static func text(of entries: [ClearTextEntry]) -> String {
    JSONValue.array(
      entries.map { entry in
        .object(
          [
            ("program", .string(entry.program.rawValue)), ("path", .string(entry.path)),
            ("entry", .string(entry.entry)), ("item", .string(entry.item)),
          ] + (entry.rest.map { [("rest", .string($0))] } ?? [])
            + (entry.original.map { [("original", .string($0))] } ?? [])
            + (entry.connects ? [("connects", .bool(true))] : []))
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
      return ClearTextEntry(
        program: program, path: path, entry: name, item: item,
        rest: entry["rest"]?.scalarText, original: entry["original"]?.scalarText,
        connects: entry["connects"] == .bool(true))
    }
  }
}
