import VaultSealing
import VaultStorage

/// Tables of passwords: 1Password, KeePassXC, Chrome, Firefox, and others with the same columns.
enum CSVImport {
  /// The meaning of a column, found by its heading in lowercase.
  private enum Column {
    case title, folder, url, username, password, otp, notes, tags, housekeeping
  }

  // The headings that 1Password 8, KeePassXC 2.7, Chrome 120 and Firefox 120 export.
  private static let columns: [String: Column] = [
    "title": .title, "name": .title, "group": .folder, "folder": .folder,
    "url": .url, "website": .url, "username": .username, "login": .username,
    "password": .password, "otpauth": .otp, "totp": .otp, "one-time password": .otp,
    "notes": .notes, "note": .notes, "tags": .tags,
    // Only the other program needs these: one note for each column, and no loss.
    "icon": .housekeeping, "favorite": .housekeeping, "archived": .housekeeping,
    "last modified": .housekeeping, "created": .housekeeping, "guid": .housekeeping,
    "timecreated": .housekeeping, "timelastused": .housekeeping,
    "timepasswordchanged": .housekeeping,
  ]

  static func read(_ bytes: [UInt8]) throws -> ImportReading {
    let rows: [[String]]
    do {
      rows = try CSVReader.rows(bytes)
    } catch let failure as CSVReader.Failure {
      throw ExchangeError.unreadable(failure.reason, line: failure.line)
    }
    guard let headings = rows.first else { throw ExchangeError.unreadable("it is empty") }
    let kinds = headings.map { columns[$0.lowercased()] }
    guard kinds.contains(where: { $0 == .password }) else {
      throw ExchangeError.unreadable("no column is called Password")
    }
    var reading = ImportReading()
    for (number, row) in rows.dropFirst().enumerated() {
      let origin = "row \(number + 2)"
      guard row.count == headings.count else {
        reading.lose(origin, "it has \(row.count) fields instead of \(headings.count)")
        continue
      }
      reading.items.append(try item(row, headings, kinds, origin, &reading))
    }
    for (heading, kind) in zip(headings, kinds) where kind == .housekeeping {
      reading.note("column \(heading)", "left out: it is not part of an item")
    }
    return reading
  }

  private static func item(
    _ row: [String], _ headings: [String], _ kinds: [Column?], _ origin: String,
    _ reading: inout ImportReading
  ) throws -> ImportedItem {
    var texts: [Column: String] = [:]
    var item = ImportedItem(origin: origin, name: "", main: try SecretBytes(copying: []))
    for ((value, heading), kind) in zip(zip(row, headings), kinds) where !value.isEmpty {
      // KeePass writes references into its tables, but not the ids that they refer to.
      guard value.utf8.firstRange(of: "{REF:".utf8) == nil else {
        reading.lose(origin, "\(heading): it refers to another entry; KeePassXC's XML has both")
        continue
      }
      if let kind, texts[kind] == nil || kind == .housekeeping {
        texts[kind] = value
      } else {
        try item.add(heading, value)
      }
    }
    item.main = try SecretBytes(text: texts[.password] ?? "")
    try item.add("user", texts[.username])
    try item.add("url", texts[.url])
    try item.add("otp", texts[.otp])
    try item.add("notes", texts[.notes])
    item.tags = KeePassImport.tags(texts[.tags] ?? "")
    let title = texts[.title] ?? texts[.url].map(host) ?? ""
    // KeePassXC's paths begin with the database's root.
    var folder = (texts[.folder] ?? "").parts(at: "/").map(String.init)
    if folder.first == "Root" { folder.removeFirst() }
    item.hasComposedName = true
    item.name = (folder + [title.substituting("/", with: "-")]).joined(separator: "/")
    return item
  }

  /// Returns the host of an address: `example.com` for `https://www.example.com/login`.
  static func host(_ url: String) -> String {
    let start = url.utf8.firstRange(of: "://".utf8)?.upperBound ?? url.startIndex
    let host = String(url[start...].unicodeScalars.prefix { $0 != "/" && $0 != "?" && $0 != "#" })
    return host.begins(with: "www.") ? String(host.dropFirst(4)) : host
  }
}
