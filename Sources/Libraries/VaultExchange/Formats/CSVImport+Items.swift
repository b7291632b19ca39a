import VaultCredentials
import VaultSealing
import VaultStorage

/// What the columns of a row mean to an item.
extension CSVImport {
  /// Takes the secret: the password, or what a note says.
  func takeSecrets(
    of texts: inout [TableColumn: String], _ hasSecrets: Bool, into item: inout ImportedItem
  ) throws {
    // LastPass's secure notes are rows with this address.
    let isOnlyNote =
      texts[.notes] != nil
      && [.secret, .user, .url, .otp].allSatisfy { texts[$0] == nil }
    let isNote =
      !hasSecrets || isOnlyNote
      || program == .lastPass && texts[.url]?.isSame(as: "http://sn") == true
      || program == .bitwarden && texts[.type]?.isSame(as: "note") == true
    guard isNote else {
      item.main = try SecretBytes(text: texts[.secret] ?? "")
      return
    }
    item.kind = .note
    texts[.url] = nil
    item.main = try SecretBytes(text: texts[.notes] ?? "")
    try item.add("password", texts[.secret])
    texts[.notes] = nil
  }

  /// The addresses of a row: Bitwarden writes several, with commas between them.
  func addresses(_ text: String) -> [String] {
    guard program == .bitwarden else { return [text] }
    return text.parts(at: ",").map(String.init).reduce(into: []) { addresses, part in
      // An address may have commas itself.
      if let last = addresses.last, last.contains(bytes: "://"), !part.contains(bytes: "://") {
        addresses[addresses.count - 1] = "\(last),\(part)"
      } else {
        addresses.append(part)
      }
    }
  }

  /// Takes the fields that a person has added.
  func takeCustomFields(_ texts: [String], into item: inout ImportedItem) throws {
    switch program {
    case .bitwarden: try takeLines(texts.joined(separator: "\n"), into: &item)
    case .roboForm: for text in texts { try takeRoboFormField(text, into: &item) }
    default: for text in texts { try item.add("field", text) }
    }
  }

  /// Takes Bitwarden's fields: `name: value`, one a line; a value may have further lines.
  private func takeLines(_ text: String, into item: inout ImportedItem) throws {
    var fields: [(name: String, value: String)] = []
    for line in text.parts(at: "\n", keepsEmpty: true).map(String.init) {
      if let mark = line.firstRange(ofBytes: ": ") {
        fields.append((String(line[..<mark.lowerBound]), String(line[mark.upperBound...])))
      } else if line.ends(with: ":") {
        // A field without a value.
      } else if let last = fields.last {
        fields[fields.count - 1].value = "\(last.value)\n\(line)"
      } else {
        fields.append(("field", line))
      }
    }
    for (name, value) in fields { try item.add(name, value) }
  }

  /// Takes a field of RoboForm: `label$,,id,kind,value`, of which one repeats the user and one the
  /// password.
  ///
  /// The dollar sign ends a label that a person may have given, with any comma.
  private func takeRoboFormField(_ text: String, into item: inout ImportedItem) throws {
    let mark = text.firstRange(ofBytes: "$,")
    let rest = mark.map { text[text.utf8.index(before: $0.upperBound)...] } ?? text[...]
    let parts = rest.parts(at: ",", keepsEmpty: true)
    guard parts.count >= 5 else { return try item.add("field", text) }
    let value = Self.withoutQuote(parts.dropFirst(4).joined(separator: ","))
    let label = mark.map { String(text[..<$0.lowerBound]) } ?? String(parts[0])
    let name = label.isEmpty ? String(parts[2]) : label
    if parts[3].isSame(as: "pwd"), item.main.isEqual(to: try SecretBytes(text: value)) { return }
    if value.isSame(as: item.text(of: "user")) { return }
    try item.add(name.lowercased().begins(with: "totp key") ? "otp" : name, value)
  }

  /// RoboForm writes a quote before a text that a spreadsheet would calculate.
  static func withoutQuote(_ text: String) -> String {
    text.begins(with: "'@") || text.begins(with: "''") ? String(text.dropFirst()) : text
  }

  /// Takes the name: folders and title.
  func takeName(
    of texts: [TableColumn: String], into item: inout ImportedItem, _ reading: inout ImportReading
  ) {
    let title = texts[.title] ?? texts[.url].map(Self.host) ?? ""
    // KeePassXC's paths begin with the database's root.
    var folder = (texts[.folder] ?? "").parts(at: program?.folderMark ?? "/")
      .map { String($0).substituting("/", with: "-") }
    if program == nil, columns == nil, folder.first == "Root" { folder.removeFirst() }
    // What LastPass calls an item outside of all folders.
    if program == .lastPass, folder == ["(none)"] { folder = [] }
    let isPath = keepsSlashes && !title.contains(bytes: "://")
    item.hasComposedName = true
    item.name = (folder + [isPath ? title : title.substituting("/", with: "-")])
      .joined(separator: "/")
  }

  /// Returns the host of an address: `example.com` for `https://www.example.com/login`.
  static func host(_ url: String) -> String {
    let start = url.firstRange(ofBytes: "://")?.upperBound ?? url.startIndex
    let host = String(url[start...].unicodeScalars.prefix { $0 != "/" && $0 != "?" && $0 != "#" })
    return host.begins(with: "www.") ? String(host.dropFirst(4)) : host
  }
}
