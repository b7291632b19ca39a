import VaultCredentials
import VaultSealing
import VaultStorage

/// The JSON of ``JSONExport``, or an object of names and texts.
enum JSONImport {
  /// What a person has allowed a browser is no part of an item that comes from elsewhere.
  private static let browserAllowed = "vault:browser-allow"

  static func read(_ bytes: [UInt8]) throws -> ImportReading {
    let (root, repeated) = try JSONValue.document(bytes)
    var reading = ImportReading()
    for place in repeated {
      reading.lose(place, "a second member with this name or one that looks like it")
    }
    if case .array(let items)? = root["items"], root["schema"]?.scalarText == "1" {
      for (number, tree) in items.enumerated() {
        let origin = tree["name"]?.scalarText ?? "item \(number + 1)"
        guard let main = try secret(tree) else {
          reading.lose(origin, "it has no secret")
          continue
        }
        reading.items.append(try item(tree, origin, main, &reading))
      }
      return reading
    }
    if let program = JSONSource.recognized(root) {
      throw ExchangeError.unreadable(
        "it is an export of \(program.name)", remedy: .read(as: program.format))
    }
    guard case .object = root else { throw ExchangeError.unreadable("it is not an object") }
    for (name, value) in root.sortedMembers {
      guard let text = value.scalarText else {
        reading.lose(name, "it is neither a text nor a number")
        continue
      }
      var item = ImportedItem(origin: name, name: name, main: try SecretBytes(text: text))
      item.kind = .secret
      item.mayBeEmpty = true
      item.isKnownByName = true
      reading.items.append(item)
    }
    return reading
  }

  private static func item(
    _ tree: JSONValue, _ origin: String, _ main: SecretBytes, _ reading: inout ImportReading
  ) throws -> ImportedItem {
    var item = ImportedItem(origin: origin, name: origin, main: main)
    item.mayBeEmpty = true
    item.isKnownByName = true
    item.kind = tree["kind"]?.scalarText.flatMap(Item.Kind.init(name:)) ?? .secret
    item.note = tree["note"]?.scalarText
    item.tags = (tree["tags"]?.elements ?? []).compactMap(\.scalarText)
    for (key, value) in tree["attributes"]?.sortedMembers ?? []
    where !key.isSame(as: browserAllowed) {
      item.attributes[key] = value.scalarText
    }
    item.expires = tree["expires"]?.scalarText.flatMap { Timestamp.absolute($0) }
    for (key, value) in tree["fields"]?.sortedMembers ?? [] {
      if let bytes = try secret(value) {
        item.add(key, bytes, isOpen: isOpen(value))
      } else {
        reading.lose(origin, "the field \(key)")
      }
    }
    return item
  }

  private static func isOpen(_ field: JSONValue) -> Bool? {
    guard case .bool(let isOpen)? = field["isOpen"] else { return nil }
    return isOpen
  }

  private static func secret(_ tree: JSONValue) throws -> SecretBytes? {
    guard let text = tree["secret"]?.scalarText else { return nil }
    guard tree["encoding"]?.scalarText == "base64" else { return try SecretBytes(text: text) }
    return try Base64.decoded(text)
  }
}
