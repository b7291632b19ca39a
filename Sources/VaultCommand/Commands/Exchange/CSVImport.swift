import VaultSealing

/// Tables of passwords: 1Password, KeePassXC, Chrome, Firefox, and whoever writes the same columns.
enum CSVImport {
  /// What a column is, by its heading in lower case.
  private enum Column { case title, folder, url, username, password, otp, notes, tags, dropped }

  // Headings: 1Password 8, KeePassXC 2.7, Chrome 120, Firefox 120, each as its export writes them.
  private static let columns: [String: Column] = [
    "title": .title, "name": .title, "group": .folder, "folder": .folder,
    "url": .url, "website": .url, "username": .username, "login": .username,
    "password": .password, "otpauth": .otp, "totp": .otp, "one-time password": .otp,
    "notes": .notes, "note": .notes, "tags": .tags,
    // Of no use elsewhere; told once.
    "icon": .dropped, "favorite": .dropped, "last modified": .dropped, "created": .dropped,
    "guid": .dropped, "timecreated": .dropped, "timelastused": .dropped,
    "timepasswordchanged": .dropped,
  ]

  static func read(_ bytes: [UInt8]) throws -> ImportReading {
    let rows: [[String]]
    do {
      rows = try CSVReader.rows(bytes)
    } catch let failure as CSVReader.Failure {
      throw ImportFormat.unreadable("\(failure.reason), line \(failure.line)")
    }
    guard let headings = rows.first else { throw ImportFormat.unreadable("it is empty") }
    let kinds = headings.map { columns[$0.lowercased()] }
    guard kinds.contains(where: { $0 == .password }) else {
      throw ImportFormat.unreadable("no column is called Password")
    }
    var reading = ImportReading()
    for (number, row) in rows.dropFirst().enumerated() {
      let origin = "row \(number + 2)"
      guard row.count == headings.count else {
        reading.lose(origin, "it has \(row.count) fields in place of \(headings.count)")
        continue
      }
      reading.items.append(try item(row, headings, kinds, origin))
    }
    for (heading, kind) in zip(headings, kinds) where kind == .dropped {
      reading.lose("column \(heading)", "there is no place for it")
    }
    return reading
  }

  private static func item(
    _ row: [String], _ headings: [String], _ kinds: [Column?], _ origin: String
  ) throws -> ImportedItem {
    var texts: [Column: String] = [:]
    var item = ImportedItem(origin: origin, name: "", main: try SecretBytes(copying: []))
    for ((value, heading), kind) in zip(zip(row, headings), kinds) where !value.isEmpty {
      if let kind, texts[kind] == nil {
        texts[kind] = value
      } else {
        try item.add(heading, value)
      }
    }
    item.main = try HelperItem.bytes(texts[.password] ?? "")
    try item.add("user", texts[.username])
    try item.add("url", texts[.url])
    try item.add("otp", texts[.otp])
    try item.add("notes", texts[.notes])
    let separators: Set<Character> = [",", ";"]
    item.tags = (texts[.tags] ?? "").split(whereSeparator: separators.contains).map {
      $0.trimmingBlanks
    }.filter { !$0.isEmpty }
    let title = texts[.title] ?? texts[.url].map(host) ?? ""
    // KeePassXC's paths begin with the database's root.
    var folder = (texts[.folder] ?? "").split(separator: "/").map(String.init)
    if folder.first == "Root" { folder.removeFirst() }
    item.name = (folder + [title.replacing("/", with: "-")]).joined(separator: "/")
    return item
  }

  /// `https://www.example.com/login` is `example.com`.
  static func host(_ url: String) -> String {
    let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
    let host = url[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    return String(host.hasPrefix("www.") ? host.dropFirst(4) : host)
  }
}

extension StringProtocol {
  /// Without blanks at both ends.
  var trimmingBlanks: String {
    let front = drop { $0.isWhitespace }
    guard let last = front.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(front[...last])
  }
}
