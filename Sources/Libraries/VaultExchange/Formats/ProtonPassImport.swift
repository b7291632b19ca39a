import VaultCredentials
import VaultSealing
import VaultStorage

/// The file `data.json` of Proton Pass's unencrypted export.
///
/// proton.me/support/pass-export; the members are those of Proton's own importer, up to the content
/// format version 7.
enum ProtonPassImport {
  private static let trashed = "2"
  /// Members that hold the secret of an item, by its type.
  private static let mainMembers = [
    "login": "password", "creditCard": "number", "sshKey": "privateKey", "wifi": "password",
  ]

  static func read(_ bytes: [UInt8]) throws -> ImportReading {
    // Proton Pass exports JSON, in an archive or not, or a table.
    let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
    if let first, ![UInt8(ascii: "{"), UInt8(ascii: "[")].contains(first), first != 0x2D {
      return try CSVImport(.protonPass).read(bytes)
    }
    if bytes.starts(with: "-----BEGIN PGP MESSAGE-----".utf8) {
      throw ExchangeError(.encrypted, "the export is encrypted", remedy: .exportUnencrypted)
    }
    let (root, repeated) = try JSONValue.document(bytes)
    if case .bool(true)? = root["encrypted"] {
      throw ExchangeError(.encrypted, "the export is encrypted", remedy: .exportUnencrypted)
    }
    guard case .object(let vaults)? = root["vaults"] else {
      throw ExchangeError.unreadable("there are no vaults")
    }
    var reading = ImportReading()
    for place in repeated { reading.lose(place, "a second member with this name") }
    let named = vaults.map { _, vault in
      (name: vault["name"]?.scalarText ?? "", items: vault["items"]?.elements ?? [])
    }
    try reading.add(vaults: named) { tree, number, reading in
      let origin = tree["data"]?["metadata"]?["name"]?.scalarText ?? "item \(number)"
      if tree["state"]?.scalarText == trashed {
        reading.lose(origin, "it is in Proton Pass's trash")
        return nil
      }
      return try item(tree, origin, &reading)
    }
    return reading
  }

  private static func item(
    _ tree: JSONValue, _ origin: String, _ reading: inout ImportReading
  ) throws -> ImportedItem {
    let (data, content) = (tree["data"], tree["data"]?["content"])
    let type = data?["type"]?.scalarText ?? ""
    var item = ImportedItem(
      origin: origin, name: origin.substituting("/", with: "-"),
      main: try SecretBytes(copying: []))
    item.hasComposedName = true
    item.identify(tree["itemId"]?.scalarText, in: "protonpass")
    var notes = data?["metadata"]?["note"]?.scalarText
    switch type {
    case "note":
      item.kind = .note
      item.main = try SecretBytes(text: notes ?? "")
      notes = nil
    case "login": try takeLogin(content, into: &item, &reading)
    case "sshKey":
      item.kind = .certificate
      fallthrough
    default: try takeAll(content, main: mainMembers[type], into: &item, &reading)
    }
    try item.add("email", tree["aliasEmail"]?.scalarText)
    try item.add("notes", notes)
    try takeFields(data?["extraFields"], into: &item, &reading)
    let files = tree["files"]?.elements.count ?? 0
    if files > 0 { reading.lose(origin, files == 1 ? "1 attachment" : "\(files) attachments") }
    return item
  }

  private static func takeLogin(
    _ login: JSONValue?, into item: inout ImportedItem, _ reading: inout ImportReading
  ) throws {
    item.main = try SecretBytes(text: login?["password"]?.scalarText ?? "")
    // Up to version 4 the user was in `username`; since then there are two, either may be empty.
    let email = login?["itemEmail"]?.scalarText ?? ""
    let user = login?["itemUsername"]?.scalarText ?? login?["username"]?.scalarText ?? ""
    try item.add("user", user.isEmpty ? email : user)
    if !user.isEmpty { try item.add("email", email) }
    try item.add("otp", login?["totpUri"]?.scalarText)
    for url in login?["urls"]?.elements ?? [] { try item.add("url", url.scalarText) }
    let keys = login?["passkeys"]?.elements.count ?? 0
    if keys > 0 { reading.lose(item.origin, Plural.of(keys, "passkey")) }
  }

  /// Takes everything of a type without rules of its own: a card, an identity, a network.
  private static func takeAll(
    _ content: JSONValue?, main: String?, into item: inout ImportedItem,
    _ reading: inout ImportReading
  ) throws {
    for (key, value) in content?.sortedMembers ?? [] {
      if let main, key.isSame(as: main) {
        item.main = try SecretBytes(text: value.scalarText ?? "")
      } else if case .array = value {
        try takeFields(value, into: &item, &reading)
      } else if key != "cardType" {
        try item.add(key, value.scalarText)
      }
    }
  }

  /// Takes fields that a person has added, and those of sections.
  private static func takeFields(
    _ fields: JSONValue?, into item: inout ImportedItem, _ reading: inout ImportReading
  ) throws {
    for field in fields?.elements ?? [] {
      if let section = field["sectionFields"] {
        try takeFields(section, into: &item, &reading)
        continue
      }
      let name = field["fieldName"]?.scalarText ?? "field"
      let data = field["data"]
      if let seed = data?["totpUri"]?.scalarText {
        try item.add(item.fields["otp"] == nil ? "otp" : name, seed)
      } else if let text = data?["content"]?.scalarText ?? data?["timestamp"]?.scalarText {
        try item.add(name, text, isOpen: field["type"]?.scalarText.map { $0 != "hidden" })
      } else if data?.sortedMembers.isEmpty == false {
        reading.lose(item.origin, "\(name): a field of an unknown type")
      }
    }
  }
}
