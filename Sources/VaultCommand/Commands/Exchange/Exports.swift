import FoundationEssentials
import VaultCredentials
import VaultSealing
import VaultStorage

/// Everything of every item, as `vault import json` takes it again.
enum JSONExport {
  static func document(_ items: [Item], in vault: UnlockedVault.Blocking) throws -> SecretBytes {
    let progress = ProgressLine("exporting item")
    let look = try vault.wholeItems()
    let objects = try items.enumerated().map { number, item -> JSONValue in
      progress.show(number, of: items.count)
      let whole = try whole(item, look)
      var members = try secret(whole.main)
      var fields: [(String, JSONValue)] = []
      for (field, value) in whole.fields.sorted(by: { $0.key < $1.key }) {
        fields.append((field, .object(try secret(value))))
      }
      members += [
        ("kind", .string(item.kind.name)), ("note", .string(item.note)),
        ("tags", .strings(item.tags)),
        ("expires", .optional(item.expires.map(Timestamp.text))),
        (
          "attributes",
          .object(item.attributes.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
        ),
        ("fields", .object(fields)),
      ]
      return .object([("name", .string(item.name.text))] + members)
    }
    return try ServiceCredential.bytes(JSONValue.document([("items", .array(objects))]))
  }

  /// What an item holds; it was listed a moment ago.
  static func whole(
    _ item: Item, _ look: (ItemName) throws -> ItemWithSecrets?
  ) throws -> ItemWithSecrets {
    guard let whole = try look(item.name) else {
      throw CommandError(
        "busy", "the vault was changed meanwhile", hint: "try again", status: .busy)
    }
    return whole
  }

  private static func secret(_ secret: Secret) throws -> [(String, JSONValue)] {
    [
      ("encoding", .string(secret.text == nil ? "base64" : "utf-8")),
      ("secret", .string(try secret.text ?? SecretEncoding.base64.text(of: secret.bytes))),
    ]
  }
}

/// The main secrets as `NAME='value'` lines; ``DotenvQuoting`` says in which quotes.
enum DotenvExport {
  static func document(_ items: [Item], in vault: UnlockedVault.Blocking) throws -> SecretBytes {
    var text = ""
    var names: [String: ItemName] = [:]
    let progress = ProgressLine("exporting item")
    let look = try vault.wholeItems()
    for (number, item) in items.enumerated() {
      progress.show(number, of: items.count)
      let name = variable(item.name.text)
      if let other = names[name] {
        throw CommandError.usage(
          "'\(other.text)' and '\(item.name.text)' would both be \(name)",
          hint: "export them apart, or rename one")
      }
      names[name] = item.name
      let whole = try JSONExport.whole(item, look)
      guard let value = whole.main.text, !value.utf8.contains(0) else {
        throw CommandError.usage(
          "'\(item.name.text)' is no text, which a .env file needs", hint: "export json")
      }
      if !whole.fields.isEmpty {
        StandardError.note("the further fields of '\(item.name.text)' have no place there")
      }
      let quoted = DotenvQuoting(value)
      let others = DotenvQuoting.Reader.allCases.filter { !quoted.readers.contains($0) }
      if !others.isEmpty {
        StandardError.note(
          "'\(item.name.text)' is another text to \(others.map(\.rawValue).joined(separator: " and "))",
          hint: "Documentation/import.md says which characters have a form that all read alike")
      }
      text += "\(name)=\(quoted.text)\n"
    }
    return try ServiceCredential.bytes(text)
  }

  /// `work/api-token` is `WORK_API_TOKEN`.
  private static func variable(_ name: String) -> String {
    var text = ""
    for scalar in name.uppercased().unicodeScalars {
      let isPlain =
        scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
      text.unicodeScalars.append(isPlain ? scalar : "_")
    }
    return text.utf8.first.map { (0x30...0x39).contains($0) } == true ? "_" + text : text
  }
}
