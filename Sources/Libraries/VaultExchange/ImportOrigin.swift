import VaultCredentials
import VaultSealing
import VaultStorage

/// What an import leaves in an item, so that a later import finds it: `Item.importMark`.
///
/// The other program's id of an item stays the same when its title, folder, user or secret changes,
/// and when the person gives the item another name here. Where a file has no ids, the name with
/// user and address is the next best. Hashes keep it short, and say nothing about the other
/// program. Documentation/design/file-format.md, section 4.
struct ImportOrigin {
  /// Equal for the same entry of the same file, imported under the same prefix.
  let key: String
  /// Hashes of the names of the fields that the file had.
  private let fields: Set<Substring>

  /// The most bytes of a mark: the names of more fields are not kept.
  private static let limit = ItemLimits.attributeValue

  /// The origin of an item that was read from a file.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - preferred: Its preferred name, with the prefix.
  ///   - prefix: The prefix of all names.
  /// - Throws: `SealingError` with code `.outOfMemory`.
  init(_ item: ImportedItem, preferred: String, prefix: String) throws {
    if let id = item.sourceID {
      key = "i" + (try Self.hash([prefix, id]))
    } else {
      key = "n" + (try Self.hash([preferred, item.text(of: "user"), item.text(of: "url")]))
    }
    fields = Set(try item.fields.keys.map(Self.hash(field:)))
  }

  /// Reads a mark; `nil` for a text that is none.
  init?(mark: String?) {
    guard let mark else { return nil }
    let parts = mark.parts(at: " ")
    guard let first = parts.first, first.utf8.count == 33 else { return nil }
    key = String(first)
    fields = Set(parts.dropFirst())
  }

  /// Whether the other program has an id of the item.
  var hasID: Bool { key.begins(with: "i") }

  /// The mark.
  var mark: String {
    let whole = ([key[...]] + fields.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
      .joined(separator: " ")
    return whole.utf8.count <= Self.limit ? whole : key
  }

  /// Whether the file had a field of this name: one that it had not is the person's own.
  func had(field: String) throws -> Bool { fields.contains(try Self.hash(field: field)) }

  private static func hash(_ texts: [String]) throws -> String {
    let bytes = texts.flatMap { Array("\($0.utf8.count) ".utf8) + Array($0.utf8) }
    return Hexadecimal.text(try Hash.blake2b(bytes, count: 16))
  }

  private static func hash(field: String) throws -> Substring { try hash([field]).prefix(8) }
}

extension ImportedItem {
  /// The text of a field that names something, such as the user; empty if there is none.
  func text(of field: String) -> String { fields[field]?.text ?? "" }
}
