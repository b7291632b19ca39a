import FoundationEssentials
import VaultCredentials
import VaultSealing

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
    return try HelperItem.bytes(JSONValue.document([("items", .array(objects))]).text)
  }

  /// What an item holds; it was listed a moment ago.
  static func whole(
    _ item: Item, _ look: (ItemName) throws -> WholeItem?
  ) throws -> WholeItem {
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

/// The main secrets as `NAME="value"` lines.
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
      guard let value = whole.main.text, !value.contains("\u{0}") else {
        throw CommandError.usage(
          "'\(item.name.text)' is no text, which a .env file needs", hint: "export json")
      }
      if !whole.fields.isEmpty {
        StandardError.note("the further fields of '\(item.name.text)' have no place there")
      }
      text += "\(name)=\(quoted(value))\n"
    }
    return try HelperItem.bytes(text)
  }

  /// `work/api-token` is `WORK_API_TOKEN`.
  private static func variable(_ name: String) -> String {
    let letters = name.uppercased().unicodeScalars.map { scalar -> Character in
      let isPlain =
        scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
      return isPlain ? Character(scalar) : "_"
    }
    let text = String(letters)
    return text.first?.isNumber == true ? "_" + text : text
  }

  private static func quoted(_ value: String) -> String {
    var text = "\""
    for character in value.unicodeScalars {
      switch character {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "$": text += "\\$"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      default: text.unicodeScalars.append(character)
      }
    }
    return text + "\""
  }
}

/// A file for each item in the folder of `pass`, encrypted by gpg.
struct PassExport {
  let folder: String

  /// Writes items that are not there yet.
  ///
  /// - Throws: ``CommandError`` with code `cannot-create` where a file is there already, before any is written.
  func write(_ items: [Item], in vault: UnlockedVault.Blocking) throws {
    let manager = FileManager.default
    guard let list = manager.contents(atPath: "\(folder)/.gpg-id"),
      let text = String(data: list, encoding: .utf8)
    else {
      throw CommandError(
        "not-a-password-store", "the folder has no .gpg-id", hint: "make it: pass init KEY",
        status: .configuration)
    }
    let keys = text.split(separator: "\n").map {
      String($0.prefix { $0 != "#" }).trimmingBlanks
    }.filter { !$0.isEmpty }
    // A name like '..' must not lead out of the folder.
    for item in items {
      let parts = item.name.text.split(separator: "/")
      guard !parts.contains(where: { $0.hasPrefix(".") }) else {
        throw CommandError.usage(
          "'\(item.name.text)' has a part that begins with a dot", hint: "rename it first")
      }
      guard !manager.fileExists(atPath: path(item)) else {
        throw CommandError(
          "cannot-create", "'\(item.name.text)' is in the folder already",
          hint: "move it away, or export other names", status: .cannotCreate)
      }
    }
    let progress = ProgressLine("exporting item")
    for (number, item) in items.enumerated() {
      progress.show(number, of: items.count)
      try write(item, for: keys, in: vault)
    }
  }

  private func path(_ item: Item) -> String { "\(folder)/\(item.name.text).gpg" }

  private func write(_ item: Item, for keys: [String], in vault: UnlockedVault.Blocking) throws {
    let path = path(item)
    if let slash = path.lastIndex(of: "/") {
      try FileManager.default.createDirectory(
        atPath: String(path[..<slash]), withIntermediateDirectories: true)
    }
    var parts = [try vault.get(item.name).bytes, try HelperItem.bytes("\n")]
    for field in try vault.fields(of: item.name) {
      let value = try vault.get(item.name, field: field).bytes
      // pass has addresses of one-time passwords and notes on lines of their own.
      let isBare = field == "notes" || field == "otp"
      parts += [
        try HelperItem.bytes(isBare ? "" : "\(field): "), value, try HelperItem.bytes("\n"),
      ]
    }
    let recipients = keys.flatMap { ["--recipient", $0] }
    let run = try ChildProgram.runInstalled(
      ["gpg", "--quiet", "--batch", "--yes", "--trust-model", "always", "--encrypt"] + recipients,
      input: .bytes(try SecretInput.joined(parts)))
    guard run.isSuccess else {
      throw CommandError(
        "gpg-failed", "gpg could not encrypt '\(item.name.text)'",
        hint: "check that the keys of .gpg-id are there: gpg --list-keys", status: .inputOutput)
    }
    // Whole or not at all, also where the export is interrupted.
    try OutputFile.write(run.output, to: path)
  }
}
