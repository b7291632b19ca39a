import ArgumentParser
import VaultCredentials
import VaultStorage
import VaultTerminal

/// `vault show`.
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show everything about an item except its secret.",
    discussion: """
      The fingerprint is the length and a short keyed hash: enough to recognize the secret.

      \(ProgramName.current) show api-token
      """)

  @Argument(help: "The item.", completion: .live)
  var name: String

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let name = try ItemName(name)
    try settings.withVault { vault in
      let item = try vault.item(name)
      let main = try vault.fingerprint(of: name)
      let fields = try vault.fields(of: name).map { field in
        (name: field, fingerprint: try vault.fingerprint(of: name, field: field))
      }
      if settings.writesJSON {
        try StandardOutput.write(
          item.members + [
            ("fingerprint", main.json),
            ("fields", .object(fields.map { ($0.name, $0.fingerprint.json) })),
          ])
      } else {
        try StandardOutput.write(
          TextTable.aligned(rows(item, main, fields)) { _, column in column == 0 ? .faint : nil })
      }
    }
  }

  private func rows(
    _ item: Item, _ main: Fingerprint, _ fields: [(name: String, fingerprint: Fingerprint)]
  ) -> [[String]] {
    let shown = StandardOutput.shown
    var rows = [
      ["name", shown(item.name.text)],
      ["kind", item.kind.name],
      ["secret", main.words],
    ]
    rows += fields.map { ["field \(shown($0.name))", $0.fingerprint.words] }
    rows += [
      ["version", "\(item.version), \(item.earlierVersions) earlier kept"],
      ["created", Timestamp.text(item.created)],
      ["modified", Timestamp.text(item.modified)],
    ]
    if let expires = item.expires { rows.append(["expires", Timestamp.text(expires)]) }
    if !item.tags.isEmpty { rows.append(["tags", item.tags.map(shown).joined(separator: ", ")]) }
    for (name, value) in item.attributes.sorted(by: { $0.key < $1.key }) {
      rows.append(["attribute", "\(shown(name))=\(shown(value))"])
    }
    rows.append(["copy", item.publishedCopy.rawValue])
    if !item.note.isEmpty { rows.append(["note", shown(item.note)]) }
    return rows
  }
}

extension Fingerprint {
  /// The fingerprint as `--json` writes it.
  var json: JSONValue { .object([("length", .number(Int64(length))), ("hash", .string(hash))]) }

  /// The fingerprint for people.
  var words: String { "\(length) bytes, fingerprint \(hash)" }
}
