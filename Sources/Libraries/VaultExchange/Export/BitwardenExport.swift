import FoundationEssentials
public import VaultCredentials
public import VaultSealing
import VaultStorage

/// Bitwarden's unencrypted JSON, which its programs import; ``ImportFormat/bitwarden`` reads it
/// again.
///
/// bitwarden.com/help/condition-bitwarden-import. Notes become secure notes, everything else
/// logins. `user`, `url`, `otp` and `notes` have places of their own; other fields are hidden
/// custom fields; open ones, attributes and tags are visible.
public struct BitwardenExport: Sendable {
  /// The document in plain text, which has passed through ordinary memory.
  public let document: SecretBytes
  /// The names of items with a secret that is not UTF-8, which JSON cannot hold; they are left out.
  public let left: [ItemName]

  private static let hidden = 1
  private static let visible = 0

  /// Creates a document.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - snapshot: The vault that they are in; secrets are opened one item at a time.
  ///   - progress: Called before each item with the number of those before it.
  /// - Throws: `CredentialError` with code `.itemNotFound`, `.damaged`; `SealingError` with code
  ///   `.outOfMemory`.
  public init(
    _ items: [Item], in snapshot: VaultSnapshot, progress: (Int) -> Void = { _ in }
  ) throws {
    var folders: [(name: String, id: String)] = []
    var left: [ItemName] = []
    var objects: [JSONValue] = []
    for (number, item) in items.enumerated() {
      progress(number)
      let parts = item.name.text.parts(at: "/").map(String.init)
      let folder = parts.dropLast().joined(separator: "/")
      guard let members = try Self.members(snapshot.secrets(of: item)) else {
        left.append(item.name)
        continue
      }
      if !folder.isEmpty, !folders.contains(where: { $0.name == folder }) {
        folders.append((folder, Self.id()))
      }
      let folderID = folders.first { $0.name == folder }?.id
      objects.append(
        .object(
          [
            ("id", .string(Self.id())), ("organizationId", .null),
            ("folderId", .optional(folderID)), ("reprompt", .number(0)),
            ("name", .string(parts.last ?? item.name.text)), ("favorite", .bool(false)),
            ("collectionIds", .null),
          ] + members))
    }
    let document: JSONValue = .object([
      ("encrypted", .bool(false)),
      (
        "folders",
        .array(folders.map { .object([("id", .string($0.id)), ("name", .string($0.name))]) })
      ),
      ("items", .array(objects)),
    ])
    self.document = try SecretBytes(text: document.text(isPretty: true) + "\n")
    self.left = left
  }

  /// The members that depend on the item's secrets; `nil` if one of them is not text.
  private static func members(_ whole: ItemWithSecrets) throws -> [(String, JSONValue)]? {
    guard let main = whole.main.text else { return nil }
    var texts: [String: String] = [:]
    for (field, value) in whole.fields {
      guard let text = value.text else { return nil }
      texts[field] = text
    }
    let item = whole.item
    let isNote = item.kind == .note
    // Where Bitwarden looks for the seed of codes.
    let isSeed = item.kind == .otp && texts["otp"] == nil
    let placed: Set<String> = isNote ? ["notes"] : ["user", "url", "otp", "notes"]
    var fields = texts.filter { !placed.contains($0.key) && !isAddress($0.key, isNote) }
      .sorted { $0.key < $1.key }
      .map { field($0.key, $0.value, item.isOpen(field: $0.key) ? visible : hidden) }
    if isNote, let notes = texts["notes"] { fields.append(field("notes", notes, hidden)) }
    for (key, value) in item.attributes.sorted(by: { $0.key < $1.key }) {
      fields.append(field(key, value, visible))
    }
    if !item.note.isEmpty { fields.append(field("note", item.note, visible)) }
    let (list, alone) = ExportedTags.split(item.tags)
    if !list.isEmpty {
      fields.append(field(ExportedTags.list, list.joined(separator: ", "), visible))
    }
    fields += alone.map { field(ExportedTags.single, $0, visible) }
    if let expires = item.expires {
      fields.append(field("expires", Timestamp.text(expires), visible))
    }
    if isNote {
      return [
        ("type", .number(2)), ("notes", .string(main)), ("fields", .array(fields)),
        ("secureNote", .object([("type", .number(0))])),
      ]
    }
    let addresses = texts.filter { isAddress($0.key, isNote) }.sorted { $0.key < $1.key }
    let uris = (texts["url"].map { [$0] } ?? []) + addresses.map(\.value)
    return [
      ("type", .number(1)), ("notes", .optional(texts["notes"])), ("fields", .array(fields)),
      (
        "login",
        .object([
          (
            "uris",
            .array(uris.map { .object([("match", .null), ("uri", .string($0))]) })
          ),
          ("username", .optional(texts["user"])),
          ("password", isSeed ? .null : .string(main)),
          ("totp", .optional(isSeed ? main : texts["otp"])),
        ])
      ),
    ]
  }

  /// Whether a field is one of several addresses: `url~2`.
  private static func isAddress(_ field: String, _ isNote: Bool) -> Bool {
    !isNote && field.begins(with: "url~")
  }

  private static func field(_ name: String, _ value: String, _ type: Int) -> JSONValue {
    .object([
      ("name", .string(name)), ("value", .string(value)), ("type", .number(Int64(type))),
      ("linkedId", .null),
    ])
  }

  private static func id() -> String { UUID().uuidString.lowercased() }
}
