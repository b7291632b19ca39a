import FoundationEssentials
import VaultCredentials
import VaultSealing
import VaultStorage

/// Bitwarden's unencrypted JSON export.
///
/// bitwarden.com/help/condition-bitwarden-import; types 1 login, 2 note, 3 card, 4 identity, 5 SSH
/// key.
enum BitwardenImport {
  private static let bodies = ["login", "secureNote", "card", "identity", "sshKey"]
  /// Members that are read by name, or hold nothing worth keeping.
  private static let known: Set<String> = [
    "id", "organizationId", "folderId", "type", "reprompt", "name", "notes", "favorite", "fields",
    "collectionIds", "revisionDate", "creationDate", "deletedDate", "archivedDate", "key", "object",
    "passwordHistory", "attachments", "expirationDate",
  ]

  static func read(_ bytes: [UInt8]) throws -> ImportReading {
    // Bitwarden exports JSON or a table.
    guard SourceText.looksLikeJSON(bytes) else { return try CSVImport(.bitwarden).read(bytes) }
    let (root, repeated) = try JSONValue.document(bytes)
    if case .bool(true)? = root["encrypted"] {
      throw ExchangeError(
        .encrypted, "the export is encrypted", remedy: .exportUnencrypted)
    }
    guard case .array(let items)? = root["items"] else {
      throw ExchangeError.unreadable("there are no items")
    }
    var folders: [String: String] = [:]
    for folder in (root["folders"]?.elements ?? []) + (root["collections"]?.elements ?? []) {
      if let id = folder["id"]?.scalarText { folders[id] = folder["name"]?.scalarText }
    }
    var reading = ImportReading()
    for place in repeated { reading.lose(place, "a second member with this name") }
    for (number, tree) in items.enumerated() {
      let origin = tree["name"]?.scalarText ?? "item \(number + 1)"
      if tree["deletedDate"] != nil {
        reading.lose(origin, "it is in Bitwarden's trash")
        continue
      }
      reading.items.append(try item(tree, origin, folders, &reading))
    }
    return reading
  }

  private static func item(
    _ tree: JSONValue, _ origin: String, _ folders: [String: String], _ reading: inout ImportReading
  ) throws -> ImportedItem {
    var item = ImportedItem(origin: origin, name: "", main: try SecretBytes(copying: []))
    let folder =
      (tree["folderId"]?.scalarText ?? tree["collectionIds"]?.elements.first?.scalarText)
      .flatMap { folders[$0] }
    item.hasComposedName = true
    item.identify(tree["id"]?.scalarText, in: "bitwarden")
    item.name = ((folder.map { [$0] } ?? []) + [origin.substituting("/", with: "-")])
      .joined(separator: "/")
    var notes = tree["notes"]?.scalarText
    switch tree["type"]?.scalarText {
    case "1": try takeLogin(tree["login"], into: &item, &reading)
    case "2":
      item.kind = .note
      item.main = try SecretBytes(text: notes ?? "")
      notes = nil
    case "3":
      try takeAll(tree["card"], main: "number", into: &item)
      item.expires = cardExpiry(tree["card"])
    case "4": try takeAll(tree["identity"], main: nil, into: &item)
    case "5":
      item.kind = .certificate
      try takeAll(tree["sshKey"], main: "privateKey", into: &item)
    default: reading.lose(origin, "its type is not known: only notes and fields are taken")
    }
    try item.add("notes", notes)
    for field in tree["fields"]?.elements ?? [] {
      // Where our own export puts tags, which Bitwarden has not.
      if field["type"]?.scalarText == "0", let value = field["value"]?.scalarText,
        let tags = ExportedTags.read(field["name"]?.scalarText ?? "", value)
      {
        item.tags += tags
        continue
      }
      // Where our own export puts the expiry, and other programs' move to Bitwarden leaves it.
      if ["expires", "expirationDate"].contains(field["name"]?.scalarText ?? ""),
        field["type"]?.scalarText != "1", item.expires == nil,
        let date = field["value"]?.scalarText.flatMap({ Timestamp.absolute($0) })
      {
        item.expires = date
        continue
      }
      // Type 0 is text, 1 hidden, 2 a checkbox, 3 a link to another field of the same item.
      try item.add(
        field["name"]?.scalarText ?? "field", field["value"]?.scalarText,
        isOpen: field["type"]?.scalarText.map { ["0", "2"].contains($0) })
    }
    if item.expires == nil {
      item.expires = tree["expirationDate"]?.scalarText.flatMap { Timestamp.absolute($0) }
    }
    try takeHistory(tree, into: &item)
    for attachment in tree["attachments"]?.elements ?? [] {
      reading.lose(
        origin, "the attachment \(attachment["fileName"]?.scalarText ?? "without a name")")
    }
    for (key, value) in tree.sortedMembers where !known.contains(key) && !bodies.contains(key) {
      if case .null = value { continue }
      reading.lose(origin, "'\(key)', which is not known")
    }
    return item
  }

  /// The end of the last month in which a card is good; `nil` where the two numbers are no date.
  private static func cardExpiry(_ card: JSONValue?) -> Date? {
    guard let month = card?["expMonth"]?.scalarText.flatMap({ Int($0) }), (1...12).contains(month),
      let typed = card?["expYear"]?.scalarText.flatMap({ Int($0) })
    else { return nil }
    let year = typed < 100 ? 2000 + typed : typed
    guard (1970...9998).contains(year) else { return nil }
    let (next, after) = month == 12 ? (year + 1, 1) : (year, month + 1)
    return Timestamp.absolute("\(next)-\(after < 10 ? "0" : "")\(after)-01")?
      .addingTimeInterval(-1)
  }

  /// Takes earlier passwords, which are there newest first, each with the time when it was replaced.
  private static func takeHistory(_ tree: JSONValue, into item: inout ImportedItem) throws {
    var written = tree["creationDate"]?.scalarText.flatMap { Timestamp.absolute($0) }
    let history = (tree["passwordHistory"]?.elements ?? []).compactMap { entry in
      entry["password"]?.scalarText.map {
        ($0, entry["lastUsedDate"]?.scalarText.flatMap { Timestamp.absolute($0) })
      }
    }
    // Exports are not always in order.
    let ordered = history.reversed().enumerated().sorted { left, right in
      guard let first = left.element.1, let second = right.element.1, first != second else {
        return left.offset < right.offset
      }
      return first < second
    }
    for (password, replaced) in ordered.map(\.element) where !password.isEmpty {
      item.addEarlier(try SecretBytes(text: password), written: written ?? replaced)
      written = replaced
    }
  }

  private static func takeLogin(
    _ login: JSONValue?, into item: inout ImportedItem, _ reading: inout ImportReading
  ) throws {
    let (password, seed) = (login?["password"]?.scalarText ?? "", login?["totp"]?.scalarText ?? "")
    // Where there is no password, the seed is the secret.
    if password.isEmpty, !seed.isEmpty { item.kind = .otp }
    item.main = try SecretBytes(text: item.kind == .otp ? seed : password)
    try item.add("user", login?["username"]?.scalarText)
    if item.kind != .otp { try item.add("otp", seed) }
    for uri in login?["uris"]?.elements ?? [] { try item.add("url", uri["uri"]?.scalarText) }
    let keys = login?["fido2Credentials"]?.elements.count ?? 0
    if keys > 0 { reading.lose(item.origin, Plural.of(keys, "passkey")) }
  }

  private static func takeAll(
    _ tree: JSONValue?, main: String?, into item: inout ImportedItem
  ) throws {
    for (key, value) in tree?.sortedMembers ?? [] {
      if key == main {
        item.main = try SecretBytes(text: value.scalarText ?? "")
      } else {
        try item.add(key, value.scalarText)
      }
    }
  }
}
