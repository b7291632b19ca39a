import FoundationEssentials
import VaultCredentials
import VaultSealing
import VaultStorage

/// Enpass's JSON export.
///
/// enpass.io/docs, "Export data": items with folders by id, and fields that are typed.
enum EnpassImport {
  /// Kinds of fields that may be the item's secret, the best first.
  private static let mainKinds = ["password", "ccNumber", "pin", "text"]
  /// Kinds of fields that say where others belong.
  private static let headings: Set<String> = ["section", ".Android#"]

  static func read(_ bytes: [UInt8]) throws -> ImportReading {
    let (root, repeated) = try JSONValue.document(bytes)
    guard case .array(let items)? = root["items"] else {
      throw ExchangeError.unreadable("there are no items")
    }
    var reading = ImportReading()
    for place in repeated { reading.lose(place, "a second member with this name") }
    let folders = Dictionary(
      (root["folders"]?.elements ?? []).map { ($0["uuid"]?.scalarText ?? "", $0) },
      uniquingKeysWith: { first, _ in first })
    for (number, tree) in items.enumerated() {
      let title = tree["title"]?.scalarText ?? ""
      let origin = title.isEmpty ? "item \(number + 1)" : title
      guard tree["trashed"]?.scalarText != "1" else {
        reading.lose(origin, "it is in Enpass's trash")
        continue
      }
      let path = path(tree["folders"]?.elements.first?.scalarText, folders)
      reading.items.append(try item(tree, path + [title], origin, &reading))
    }
    return reading
  }

  /// The names of a folder and those above it.
  private static func path(_ id: String?, _ folders: [String: JSONValue]) -> [String] {
    var path: [String] = []
    var seen: Set<String> = []
    var next = id
    // A folder that is in itself would have no end.
    while let id = next, let folder = folders[id], seen.insert(id).inserted {
      path.insert(folder["title"]?.scalarText ?? "", at: 0)
      next = folder["parent_uuid"]?.scalarText
    }
    return path
  }

  private static func item(
    _ tree: JSONValue, _ path: [String], _ origin: String, _ reading: inout ImportReading
  ) throws -> ImportedItem {
    var item = ImportedItem(origin: origin, name: "", main: try SecretBytes(copying: []))
    item.identify(tree["uuid"]?.scalarText, in: "enpass")
    item.hasComposedName = true
    item.name = path.map { $0.substituting("/", with: "-") }.joined(separator: "/")
    if tree["archived"]?.scalarText == "1" { item.tags.append("archived") }
    let fields = (tree["fields"]?.elements ?? []).filter { field in
      field["deleted"]?.scalarText != "1" && field["value"]?.scalarText?.isEmpty == false
        && !headings.contains(field["type"]?.scalarText ?? "")
    }
    let note = tree["note"]?.scalarText ?? ""
    let main = mainKinds.lazy.compactMap { kind in
      fields.firstIndex {
        $0["type"]?.scalarText == kind && (kind != "text" || $0["sensitive"]?.scalarText == "1")
      }
    }.first
    for (number, field) in fields.enumerated() {
      let value = field["value"]?.scalarText ?? ""
      if number == main {
        item.main = try SecretBytes(text: value)
        try takeHistory(field, created: tree["createdAt"], into: &item)
        continue
      }
      let kind = field["type"]?.scalarText ?? ""
      try item.add(
        name(of: kind, field["label"]?.scalarText ?? "", item), value,
        isOpen: kind == "totp"
          ? nil : field["sensitive"]?.scalarText.map { !$0.isSame(as: "1") })
    }
    if main == nil, !note.isEmpty {
      item.kind = .note
      item.main = try SecretBytes(text: note)
    } else {
      try item.add("notes", note)
    }
    let files = tree["attachments"]?.elements.count ?? 0
    if files > 0 { reading.lose(origin, files == 1 ? "1 attachment" : "\(files) attachments") }
    return item
  }

  /// The name of a field: what it is where others have a word for it, or its label.
  private static func name(of kind: String, _ label: String, _ item: ImportedItem) -> String {
    switch kind {
    case "username" where item.fields["user"] == nil: "user"
    case "email" where item.fields["email"] == nil: "email"
    case "url": "url"
    case "totp" where item.fields["otp"] == nil: "otp"
    default: label.isEmpty ? "field" : label
    }
  }

  /// Takes earlier values of the secret, each with the time when it was written.
  private static func takeHistory(
    _ field: JSONValue, created: JSONValue?, into item: inout ImportedItem
  ) throws {
    let history = (field["history"]?.elements ?? []).map { entry in
      (
        value: entry["value"]?.scalarText ?? "",
        written: entry["updated_at"]?.scalarText.flatMap { Int64($0) } ?? 0
      )
    }
    for entry in history.sorted(by: { $0.written < $1.written }) where !entry.value.isEmpty {
      item.addEarlier(
        try SecretBytes(text: entry.value),
        written: entry.written > 0
          ? Date(timeIntervalSince1970: Double(entry.written)) : nil)
    }
  }
}
