package import VaultCredentials
import VaultSealing
package import VaultStorage
import VaultTerminal

/// Everything about an item, as `show` writes it.
package struct ItemPage {
  /// A field, or the main secret.
  private struct Part {
    let name: String
    let value: Secret
    let fingerprint: Fingerprint
    let isShown: Bool
  }

  private let item: Item
  private let version: UInt64?
  private let main: Part
  private let fields: [Part]
  /// The last use that is recorded; `nil` if none is, or the log cannot be read.
  private let lastUse: UsageRecord?
  /// Why the log cannot be read.
  private let lastUseError: String?

  /// Makes the page of an item.
  ///
  /// - Parameters:
  ///   - contents: The item and its secrets.
  ///   - version: The earlier version that they are of.
  ///   - snapshot: The vault, for fingerprints.
  ///   - isRevealed: Whether concealed secrets are shown, too.
  /// - Throws: ``CredentialError`` where a fingerprint cannot be made.
  package init(
    _ contents: ItemWithSecrets, _ version: UInt64?, _ snapshot: VaultSnapshot, isRevealed: Bool
  ) throws {
    let item = contents.item
    func part(_ field: String?, _ value: Secret, isOpen: Bool) throws -> Part {
      Part(
        name: field ?? "secret", value: value,
        fingerprint: try snapshot.fingerprint(of: item, field: field, version: version),
        isShown: isOpen || isRevealed)
    }
    self.item = item
    self.version = version
    // An item is shown whatever became of the log.
    do {
      lastUse = try snapshot.lastUses(of: [item])[item.id]
      lastUseError = nil
    } catch {
      let reason = ErrorReport(error).message
      (lastUse, lastUseError) = (nil, reason)
      StandardError.note(
        "when it was last used is not known: \(reason)",
        hint: "look at the log with: \(ProgramName.current) log verify")
    }
    main = try part(nil, contents.main, isOpen: false)
    fields = try contents.fields.sorted { $0.key < $1.key }.map {
      try part($0.key, $0.value, isOpen: item.isOpen(field: $0.key))
    }
  }

  /// The members of `--json`.
  package var members: [(String, JSONValue)] {
    var members = item.members + [("fingerprint", main.fingerprint.json)]
    if main.isShown { members += Self.shown(main.value, as: "secret") }
    let fields = fields.map { field -> (String, JSONValue) in
      let open: [(String, JSONValue)] = [("isOpen", .bool(item.isOpen(field: field.name)))]
      let value = field.isShown ? Self.shown(field.value, as: "value") : []
      return (field.name, .object(field.fingerprint.members + open + value))
    }
    members.append(("fields", .object(fields)))
    members.append(("lastUse", lastUse.map { .object($0.members) } ?? .null))
    if let lastUseError { members.append(("lastUseError", .string(lastUseError))) }
    members.append(("conflicts", .array(item.conflicts.map(\.json))))
    if let version { members.append(("revision", .number(Int64(clamping: version)))) }
    return members
  }

  private static func shown(_ secret: Secret, as name: String) -> [(String, JSONValue)] {
    let text = secret.text ?? (try? Base64.encoded(secret.bytes).text) ?? ""
    return [
      (name, .string(text)), ("encoding", .string(secret.text == nil ? "base64" : "utf-8")),
    ]
  }

  /// Writes the page to stdout: what is shown of the secrets, bytes as they are.
  package func write() throws {
    let shown = StandardOutput.shown
    let before = [["name", shown(item.name.text)], ["kind", item.kind.name]]
    let now = "\(item.version), \(item.earlierVersions) earlier kept"
    var after = [
      ["version", version.map { "\($0) (the current one is \(item.version))" } ?? now],
      ["created", Timestamp.text(item.created)], ["modified", Timestamp.text(item.modified)],
    ]
    if let expires = item.expires { after.append(["expires", Timestamp.text(expires)]) }
    let described = StandardOutput.described
    if !item.tags.isEmpty {
      after.append(["tags", item.tags.map(described).joined(separator: ", ")])
    }
    for (name, value) in item.attributes.sorted(by: { $0.key < $1.key }) {
      after.append(["attribute", "\(described(name))=\(described(value))"])
    }
    after.append(["copy", item.publishedCopy.rawValue])
    if let lastUse { after.append(["last used", lastUse.summary]) }
    for conflict in item.conflicts { after.append(["conflict", conflict.words]) }
    for (number, line) in item.note.parts(at: "\n", keepsEmpty: true).enumerated()
    where !item.note.isEmpty {
      after.append([number == 0 ? "note" : "", described(String(line))])
    }
    let parts = [main] + fields
    let labels = (before + after).map { $0[0] } + parts.map { shown($0.name) }
    let width = labels.map(DisplayWidth.of).max() ?? 0
    func label(_ text: String) -> String {
      DisplayWidth.padded(text, to: width).styled(.faint) + "  "
    }
    func write(_ row: [String]) throws {
      let text = LineWrap.hanging(row[1], to: StandardOutput.columns, after: width + 2)
      try StandardOutput.line(label(row[0]) + text)
    }
    for row in before { try write(row) }
    for part in parts {
      try StandardOutput.write(label(shown(part.name)))
      guard part.isShown, !StandardOutput.isTerminal || SecretText.isPrintable(part.value.bytes)
      else {
        try StandardOutput.line(part.fingerprint.words)
        continue
      }
      try Self.write(part.value.bytes, indentation: String(repeating: " ", count: width + 2))
    }
    for row in after { try write(row) }
  }

  /// Writes the lines of a value below each other.
  private static func write(_ value: SecretBytes, indentation: String) throws {
    var start = 0
    let ends = value.withBytes { bytes in
      (0..<bytes.byteCount).filter { bytes.byte(at: $0) == 0x0A }
    }
    for end in ends + [value.count] where start < value.count || end == start {
      if start > 0 { try StandardOutput.write(indentation) }
      try StandardOutput.write(value.slice(start..<end))
      try StandardOutput.write("\n")
      start = end + 1
      if start >= value.count { break }
    }
  }
}
