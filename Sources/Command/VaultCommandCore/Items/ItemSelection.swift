package import VaultCredentials
import VaultStorage

/// A word of a line that means several items: a folder, `web/`, or a pattern, `'web/*'`.
package struct ItemSelection: Equatable, Sendable {
  private enum Kind: Equatable {
    case folder(String)
    case pattern
  }

  /// The word as it was typed.
  package let text: String
  private let kind: Kind

  /// Reads a word; `nil` for one that names a single item.
  ///
  /// - Throws: ``CommandError`` with code `usage` for `/`.
  package init?(_ word: String) throws {
    if word.hasSuffix("/") {
      let folder = String(word.dropLast())
      guard !folder.isEmpty else {
        throw CommandError.usage("'/' names no folder", hint: "all items: '*'")
      }
      // A name with an empty part is refused as every name is.
      kind = .folder(try ItemName(folder).text)
    } else if word.unicodeScalars.contains(where: { "*?[".unicodeScalars.contains($0) }) {
      kind = .pattern
    } else {
      return nil
    }
    text = word
  }

  /// Whether it is a folder rather than a pattern.
  package var isFolder: Bool { kind != .pattern }

  /// Whether an item lies in the folder itself, or where the pattern's last part says: a star of a
  /// shell does not cross a slash.
  package func isDirect(_ name: String) -> Bool {
    switch kind {
    case .folder(let folder): !name.utf8.dropFirst(folder.utf8.count + 1).contains(0x2F)
    case .pattern:
      text.contains(bytes: "**")
        || name.utf8.count(where: { $0 == 0x2F }) == text.utf8.count(where: { $0 == 0x2F })
    }
  }

  /// What a name must begin with to be below it: `web/` of `web/` and of `web/*`; empty for `*`.
  package var prefix: String {
    switch kind {
    case .folder(let folder): return "\(folder)/"
    case .pattern:
      let plain = text.unicodeScalars.prefix { !"*?[".unicodeScalars.contains($0) }
      let slash = Unicode.Scalar("/")
      return plain.lastIndex(of: slash).map { String(plain[...$0]) } ?? ""
    }
  }

  /// Finds the selected items.
  ///
  /// An item whose own name is the pattern is the only one that is meant.
  ///
  /// - Parameter find: Returns the items of a query, such as `VaultEdit.items(matching:)`.
  /// - Returns: The items, at least one.
  /// - Throws: ``CommandError`` with code `item-not-found` if there is none.
  package func items(_ find: (ItemQuery) throws -> [Item]) throws -> [Item] {
    var query = ItemQuery()
    switch kind {
    case .folder(let folder): query.folder = folder
    case .pattern: query.pattern = text
    }
    let found = try find(query)
    if kind == .pattern, let same = try find(.all).first(where: { $0.name.text.isSame(as: text) }) {
      return [same]
    }
    guard !found.isEmpty else { throw try missing(find) }
    return found
  }

  private func missing(_ find: (ItemQuery) throws -> [Item]) throws -> CommandError {
    guard case .folder(let folder) = kind else {
      return CommandError(
        .itemNotFound, "no item matches '\(Quoting.visible(text))'",
        hint: "list all names: \(ProgramName.current) list")
    }
    let folders = Set(try find(.all).flatMap { Self.folders(of: $0.name.text) }).sorted()
    return CommandError(
      .itemNotFound, "no item is below '\(Quoting.visible(folder))/'",
      hint: Suggestion.nearest(to: folder, among: folders).map { "did you mean: \($0)/" }
        ?? "list all names: \(ProgramName.current) list")
  }

  /// The folders that a name lies in: `a` and `a/b` of `a/b/c`.
  private static func folders(of name: String) -> [String] {
    name.utf8.indices.filter { name.utf8[$0] == UInt8(ascii: "/") }.map { String(name[..<$0]) }
  }
}
