public import VaultCredentials
public import VaultSealing
import VaultStorage

/// The JSON form of items, with everything that they hold; ``ImportFormat/json`` reads it again.
///
/// A secret that is not UTF-8 is written as base64.
public enum JSONExport {
  /// Returns a document.
  ///
  /// The document is in clear. It is text that passes through ordinary memory, although the result
  /// is in locked memory.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - snapshot: The vault that they are in; secrets are opened one item at a time.
  ///   - progress: Called before each item with the number of those before it.
  /// - Returns: An object with `schema` and `items`.
  /// - Throws: `CredentialError` with code `.itemNotFound`, `.damaged`; `SealingError` with code
  ///   `.outOfMemory`.
  public static func document(
    _ items: [Item], in snapshot: VaultSnapshot, progress: (Int) -> Void = { _ in }
  ) throws -> SecretBytes {
    let objects = try items.enumerated().map { number, item in
      progress(number)
      return try object(snapshot.secrets(of: item))
    }
    let document: JSONValue = .object([("schema", .number(1)), ("items", .array(objects))])
    return try SecretBytes(text: document.text(isPretty: true) + "\n")
  }

  private static func object(_ whole: ItemWithSecrets) throws -> JSONValue {
    let item = whole.item
    var fields: [(String, JSONValue)] = []
    for (field, value) in whole.fields.sorted(by: { $0.key < $1.key }) {
      let isOpen = JSONValue.bool(item.isOpen(field: field))
      fields.append((field, .object(try secret(value) + [("isOpen", isOpen)])))
    }
    let members: [(String, JSONValue)] = [
      ("kind", .string(item.kind.name)), ("note", .string(item.note)),
      ("tags", .strings(item.tags)),
      ("expires", .optional(item.expires.map(Timestamp.text))),
      (
        "attributes",
        .object(item.attributes.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
      ),
      ("fields", .object(fields)),
    ]
    return .object([("name", .string(item.name.text))] + (try secret(whole.main)) + members)
  }

  private static func secret(_ secret: Secret) throws -> [(String, JSONValue)] {
    [
      ("encoding", .string(secret.text == nil ? "base64" : "utf-8")),
      ("secret", .string(try secret.text ?? Base64.encoded(secret.bytes).text ?? "")),
    ]
  }
}
