import FoundationEssentials
import VaultCredentials
import VaultSealing
import VaultStorage

/// The file `export.data` of 1Password's unencrypted export, 1PUX: JSON.
///
/// support.1password.com/1pux-format, versions 2 and 3.
struct OnePUXImport {
  /// Returns a document of the archive by its path there, or `nil`.
  let attachment: (String) throws -> SecretBytes?

  // Categories: 003 is a secure note, 114 an SSH key.
  private static let note = "003"
  private static let sshKey = "114"
  private static let button = "B"
  /// Ids of the field that holds the secret of an item without a login, the best first.
  private static let mainFields = [
    "password", "credential", "private_key", "ccnum", "wireless_password", "network_password",
    "pop_password", "smtp_password", "accountNo", "number", "license_key", "reg_code", "seed",
  ]
  /// Members of `details` that are read by name, or are forms that were left empty.
  private static let known: Set<String> = [
    "loginFields", "notesPlain", "sections", "passwordHistory", "documentAttributes", "password",
    "passkey", "htmlForm",
  ]

  func read(_ bytes: [UInt8]) throws -> ImportReading {
    let (root, repeated) = try JSONValue.document(bytes)
    guard case .array(let accounts)? = root["accounts"] else {
      throw ExchangeError.unreadable("there are no accounts")
    }
    var reading = ImportReading()
    for place in repeated { reading.lose(place, "a second member with this name") }
    let vaults = accounts.flatMap { $0["vaults"]?.elements ?? [] }.map {
      (name: $0["attrs"]?["name"]?.scalarText ?? "", items: $0["items"]?.elements ?? [])
    }
    try reading.add(vaults: vaults) { wrapped, number, reading in
      // Version 2 wraps an item, and lists the file of a document beside it.
      let tree = wrapped["item"] ?? wrapped
      let origin = tree["overview"]?["title"]?.scalarText ?? "item \(number)"
      if tree["trashed"]?.scalarText == "true" || tree["state"]?.scalarText == "trashed" {
        reading.lose(origin, "it is in 1Password's trash")
        return nil
      }
      return try item(tree, origin, &reading)
    }
    return reading
  }

  private func item(
    _ tree: JSONValue, _ origin: String, _ reading: inout ImportReading
  ) throws -> ImportedItem {
    let (details, overview) = (tree["details"], tree["overview"])
    var item = ImportedItem(
      origin: origin, name: origin.substituting("/", with: "-"),
      main: try SecretBytes(copying: []))
    item.hasComposedName = true
    item.identify(tree["uuid"]?.scalarText, in: "1password")
    item.tags = (overview?["tags"]?.elements ?? []).compactMap(\.scalarText)
    if tree["state"]?.scalarText == "archived" { item.tags.append("archived") }
    var main = details?["password"]?.scalarText
    for field in details?["loginFields"]?.elements ?? [] {
      let value = field["value"]?.scalarText
      switch field["designation"]?.scalarText {
      case "username": try item.add("user", value)
      case "password" where main == nil: main = value
      case _ where field["fieldType"]?.scalarText == Self.button: break
      default: try item.add(Self.name(field["name"], field["id"]), value)
      }
    }
    try takeSections(details?["sections"], main: &main, into: &item, &reading)
    var notes = details?["notesPlain"]?.scalarText
    switch tree["categoryUuid"]?.scalarText {
    case Self.note where main == nil:
      item.kind = .note
      (main, notes) = (notes, nil)
    case Self.sshKey: item.kind = .certificate
    default: break
    }
    item.main = try SecretBytes(text: main ?? "")
    try item.add("notes", notes)
    try takeAddresses(overview, into: &item)
    if let document = details?["documentAttributes"], case .object = document {
      try takeFile(document, into: &item, &reading)
    }
    try takeHistory(tree, into: &item)
    if case .object? = details?["passkey"] { reading.lose(origin, "1 passkey") }
    for (key, value) in details?.sortedMembers ?? [] where !Self.known.contains(key) {
      if case .null = value { continue }
      reading.lose(origin, "'\(key)', which is not known")
    }
    return item
  }

  /// Takes earlier passwords, each with the time when it was replaced.
  private func takeHistory(_ tree: JSONValue, into item: inout ImportedItem) throws {
    func date(_ value: JSONValue?) -> Date? {
      value?.scalarText.flatMap { Int64($0) }.map { Date(timeIntervalSince1970: Double($0)) }
    }
    var written = date(tree["createdAt"])
    let history = (tree["details"]?["passwordHistory"]?.elements ?? []).map {
      (password: $0["value"]?.scalarText ?? "", replaced: date($0["time"]))
    }
    for entry in history.sorted(by: { $0.replaced ?? .distantPast < $1.replaced ?? .distantPast })
    where !entry.password.isEmpty {
      item.addEarlier(
        try SecretBytes(text: entry.password), written: written ?? entry.replaced)
      written = entry.replaced
    }
  }

  private func takeAddresses(_ overview: JSONValue?, into item: inout ImportedItem) throws {
    var seen: Set<String> = []
    let first = overview?["url"]?.scalarText
    let all = (overview?["urls"]?.elements ?? []).compactMap { $0["url"]?.scalarText }
    for url in (first.map { [$0] } ?? []) + all where seen.insert(url).inserted {
      try item.add("url", url)
    }
  }

  private func takeSections(
    _ sections: JSONValue?, main: inout String?, into item: inout ImportedItem,
    _ reading: inout ImportReading
  ) throws {
    let fields = (sections?.elements ?? []).flatMap { $0["fields"]?.elements ?? [] }
    // Without a password of a login, the item's secret is one of these.
    let secret: Int? =
      main != nil
      ? nil
      : Self.mainFields.lazy.compactMap { id in
        fields.firstIndex { $0["id"]?.scalarText == id && Self.text(of: $0["value"]) != nil }
      }.first
        ?? fields.firstIndex {
          Self.kind(of: $0["value"]) == "concealed" && Self.text(of: $0["value"]) != nil
        }
    for (number, field) in fields.enumerated() {
      let name = Self.name(field["title"], field["id"])
      guard let (kind, value) = field["value"]?.sortedMembers.first else { continue }
      if case .null = value { continue }
      if case .string(let text) = value, text.isEmpty { continue }
      if number == secret {
        main = Self.text(of: field["value"])
      } else if kind == "file" {
        try takeFile(value, into: &item, &reading)
      } else if let text = Self.text(of: field["value"]) {
        try item.add(
          kind == "totp" ? "otp" : name, text, isOpen: kind == "totp" ? nil : Self.isOpen(kind))
      } else {
        reading.lose(item.origin, "\(name): a value of the kind '\(kind)'")
      }
    }
  }

  /// Takes a document, which the archive has as `files/ID__NAME`.
  private func takeFile(
    _ file: JSONValue, into item: inout ImportedItem, _ reading: inout ImportReading
  ) throws {
    let name = file["fileName"]?.scalarText ?? "without a name"
    let total = item.fields.values.reduce(item.main.count) { $0 + $1.count }
    if let id = file["documentId"]?.scalarText,
      let bytes = try attachment("files/\(id)__\(name)"),
      total + bytes.count <= Secret.maximumLength
    {
      item.add(name, bytes)
    } else {
      reading.lose(item.origin, "the document \(name)")
    }
  }

  private static func name(_ title: JSONValue?, _ id: JSONValue?) -> String {
    for text in [title?.scalarText, id?.scalarText] {
      if let text, !text.isEmpty { return text }
    }
    return "field"
  }

  /// Whether 1Password shows a value of this kind without being asked.
  private static func isOpen(_ kind: String) -> Bool {
    !["concealed", "creditCardNumber", "sshKey"].contains { $0.isSame(as: kind) }
  }

  private static func kind(of value: JSONValue?) -> String? { value?.sortedMembers.first?.name }

  /// Returns the text of a value; `nil` if it is empty or has no text.
  private static func text(of value: JSONValue?) -> String? {
    guard let (kind, value) = value?.sortedMembers.first else { return nil }
    let text: String? =
      switch kind {
      case "date": value.scalarText.flatMap { Int64($0) }.map(day)
      case "monthYear": value.scalarText.map(month)
      case "email": value.scalarText ?? value["email_address"]?.scalarText
      case "address":
        ["street", "city", "state", "zip", "country"]
          .compactMap { value[$0]?.scalarText }.filter { !$0.isEmpty }.joined(separator: "\n")
      case "sshKey":
        value["privateKey"]?.scalarText ?? value["metadata"]?["privateKey"]?.scalarText
      default: value.scalarText
      }
    return text.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The day of a time in seconds since 1970, which 1Password keeps at noon of UTC.
  private static func day(_ seconds: Int64) -> String {
    // Beyond the year 9999 there are no days, only typing errors.
    let limit: Int64 = 253_402_300_799
    guard (-limit...limit).contains(seconds) else { return String(seconds) }
    return String(Timestamp.text(Date(timeIntervalSince1970: Double(seconds))).prefix(10))
  }

  /// `2031-05` for the number 203105.
  private static func month(_ digits: String) -> String {
    digits.utf8.count == 6 ? "\(digits.prefix(4))-\(digits.suffix(2))" : digits
  }
}
