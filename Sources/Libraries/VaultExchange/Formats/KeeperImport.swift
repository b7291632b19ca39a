import FoundationEssentials
import VaultCredentials
import VaultSealing
import VaultStorage

/// Keeper's JSON export, or its table.
///
/// docs.keeper.io, "Import a .json file": records with folders, whose levels are separated by a
/// backslash, and custom fields named `$kind:label:number`.
enum KeeperImport {
  private static let known: Set<String> = [
    "uid", "title", "login", "password", "login_url", "notes", "custom_fields", "folders", "$type",
    "schema", "last_modified", "references",
  ]

  static func read(_ bytes: [UInt8]) throws -> ImportReading {
    guard SourceText.looksLikeJSON(bytes) else { return try CSVImport(.keeper).read(bytes) }
    let (root, repeated) = try JSONValue.document(bytes)
    let records: [JSONValue]
    if case .array(let elements) = root {
      records = elements
    } else if case .array(let elements)? = root["records"] {
      records = elements
    } else {
      throw ExchangeError.unreadable("there are no records")
    }
    var reading = ImportReading()
    for place in repeated { reading.lose(place, "a second member with this name") }
    for (number, record) in records.enumerated() {
      let title = record["title"]?.scalarText ?? ""
      let origin = title.isEmpty ? "record \(number + 1)" : title
      reading.items.append(try item(record, title, origin, &reading))
    }
    return reading
  }

  private static func item(
    _ record: JSONValue, _ title: String, _ origin: String, _ reading: inout ImportReading
  ) throws -> ImportedItem {
    var item = ImportedItem(
      origin: origin, name: "", main: try SecretBytes(text: record["password"]?.scalarText ?? ""))
    item.identify(record["uid"]?.scalarText, in: "keeper")
    let place = record["folders"]?.elements.first
    let folder = place?["folder"]?.scalarText ?? place?["shared_folder"]?.scalarText ?? ""
    let name = title.isEmpty ? CSVImport.host(record["login_url"]?.scalarText ?? "") : title
    item.hasComposedName = true
    item.name = (folder.parts(at: "\\").map(String.init) + [name])
      .map { $0.substituting("/", with: "-") }.joined(separator: "/")
    try item.add("user", record["login"]?.scalarText)
    try item.add("url", record["login_url"]?.scalarText)
    try item.add("notes", record["notes"]?.scalarText)
    for (name, value) in record["custom_fields"]?.sortedMembers ?? [] {
      try take(value, named: name, into: &item)
    }
    if item.main.count == 0, item.fields.isEmpty { item.mayBeEmpty = false }
    for (key, value) in record.sortedMembers where !known.contains(key) {
      if case .null = value { continue }
      reading.lose(origin, "'\(key)', which is not known")
    }
    return item
  }

  /// Takes a value and everything in it, a field each.
  private static func take(
    _ value: JSONValue, named name: String, into item: inout ImportedItem
  ) throws {
    if let text = value.scalarText { return try add(name, text, to: &item) }
    for element in value.elements { try take(element, named: name, into: &item) }
    for (part, inner) in value.sortedMembers {
      try take(inner, named: "\(label(name)) \(part)", into: &item)
    }
  }

  /// Adds a custom field: `TFC:Keeper` and `$oneTimeCode` are seeds of one-time codes.
  static func add(_ name: String, _ value: String, to item: inout ImportedItem) throws {
    let isSeed =
      name.isSame(as: "TFC:Keeper") || name.begins(with: "$oneTimeCode")
      || value.begins(with: "otpauth://")
    try item.add(isSeed && item.fields["otp"] == nil ? "otp" : label(name), value)
  }

  /// `Label` of `$kind:Label:1`, or `kind` if there is none.
  private static func label(_ name: String) -> String {
    guard name.begins(with: "$") else { return name }
    let parts = name.parts(at: ":", keepsEmpty: true).map(String.init)
    if parts.count > 1, !parts[1].isEmpty, Int(parts[1]) == nil { return parts[1] }
    return String(parts[0].dropFirst())
  }
}
