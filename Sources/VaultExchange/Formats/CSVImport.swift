import VaultCredentials
import VaultSealing
import VaultStorage

/// Tables of passwords: 1Password, KeePassXC, Chrome, Firefox, Apple, LastPass, Dashlane, and
/// others with the same columns, or with columns that the caller describes.
struct CSVImport {
  /// A program whose tables have more than the usual columns.
  enum Program {
    case lastPass, dashlane, protonPass
  }

  let program: Program?
  let columns: TableColumns?

  init(_ program: Program? = nil, columns: TableColumns? = nil) {
    (self.program, self.columns) = (program, columns)
  }

  // The headings that 1Password 8, KeePassXC 2.7, Chrome 120, Firefox 120, Apple Passwords and
  // Bitwarden's tables have, in lowercase.
  private static let usual: [String: TableColumn] = [
    "title": .title, "name": .title, "group": .folder, "folder": .folder,
    "url": .url, "website": .url, "login_uri": .url,
    "username": .user, "login": .user, "login_username": .user,
    "password": .secret, "login_password": .secret,
    "otpauth": .otp, "totp": .otp, "one-time password": .otp, "login_totp": .otp,
    "notes": .notes, "note": .notes, "tags": .tags,
    "icon": .housekeeping, "favorite": .housekeeping, "archived": .housekeeping,
    "reprompt": .housekeeping, "last modified": .housekeeping, "created": .housekeeping,
    "guid": .housekeeping, "timecreated": .housekeeping, "timelastused": .housekeeping,
    "timepasswordchanged": .housekeeping,
  ]

  // support.lastpass.com, "Export your passwords": url,username,password,totp,extra,name,grouping,
  // fav.
  private static let lastPass: [String: TableColumn] = [
    "extra": .notes, "grouping": .folder, "fav": .housekeeping,
  ]

  // support.dashlane.com, "Export your Dashlane data": credentials.csv, securenotes.csv,
  // payments.csv and others, each with columns of its own. The first secret of a row is the item's
  // own, the others are fields.
  private static let dashlane: [String: TableColumn] = [
    "otpsecret": .otp, "otpurl": .otp, "category": .folder,
    "account_name": .title, "item_name": .title, "ssid": .title,
    "cc_number": .secret, "account_number": .secret, "number": .secret, "passphrase": .secret,
  ]

  // The table that Proton Pass writes beside its JSON.
  private static let protonPass: [String: TableColumn] = [
    "vault": .folder, "type": .housekeeping, "createtime": .housekeeping,
    "modifytime": .housekeeping,
  ]

  private func meaning(ofHeading heading: String) -> TableColumn? {
    let heading = heading.lowercased()
    let own: TableColumn? =
      switch program {
      case .lastPass: Self.lastPass[heading]
      case .dashlane: Self.dashlane[heading]
      case .protonPass: Self.protonPass[heading]
      case nil: nil
      }
    return own ?? Self.usual[heading]
  }

  func read(_ bytes: [UInt8]) throws -> ImportReading {
    var rows: [CSVReader.Row]
    do {
      rows = try CSVReader.numberedRows(
        bytes, separator: program == nil ? CSVReader.separator(in: bytes) : nil)
    } catch let failure as CSVReader.Failure {
      throw ExchangeError.unreadable(failure.reason, line: failure.line)
    }
    guard let first = rows.first else { throw ExchangeError.unreadable("it is empty") }
    let hasHeadings = columns?.hasHeadings ?? true
    let headings =
      hasHeadings ? first.fields : first.fields.indices.map { "column-\($0 + 1)" }
    if hasHeadings { rows.removeFirst() }
    let kinds =
      try columns?.meanings(headings: hasHeadings ? headings : nil, count: headings.count)
      ?? headings.map(meaning(ofHeading:))
    // A table of notes has no secret but the notes.
    let hasSecrets = kinds.contains(.secret)
    guard hasSecrets || program == .dashlane && kinds.contains(.notes) else {
      throw ExchangeError.unreadable(
        "no column is called Password", remedy: columns == nil ? .describeColumns : .chooseFormat)
    }
    var reading = ImportReading()
    for row in rows {
      let origin = "row \(row.number)"
      guard row.fields.count == headings.count else {
        reading.lose(
          origin, "it has \(row.fields.count) fields instead of \(headings.count)")
        continue
      }
      reading.items.append(try item(row.fields, headings, kinds, origin, hasSecrets, &reading))
    }
    for (heading, kind) in zip(headings, kinds) where kind == .housekeeping {
      reading.note("column \(heading)", "left out: it is not part of an item")
    }
    return reading
  }

  private func item(
    _ row: [String], _ headings: [String], _ kinds: [TableColumn?], _ origin: String,
    _ hasSecrets: Bool, _ reading: inout ImportReading
  ) throws -> ImportedItem {
    var texts: [TableColumn: String] = [:]
    var item = ImportedItem(origin: origin, name: "", main: try SecretBytes(copying: []))
    for ((value, heading), kind) in zip(zip(row, headings), kinds) where !value.isEmpty {
      // KeePass writes references into its tables, but not the ids that they refer to.
      guard !value.contains(bytes: "{REF:") else {
        reading.lose(origin, "\(heading): it refers to another entry; KeePassXC's XML has both")
        continue
      }
      switch kind {
      case .leftOut, .housekeeping: break
      case .field(let name)?: try item.add(name, value)
      case let kind? where texts[kind] == nil: texts[kind] = value
      default: try item.add(heading, value)
      }
    }
    // LastPass's secure notes are rows with this address.
    let isNote = !hasSecrets || program == .lastPass && texts[.url]?.isSame(as: "http://sn") == true
    if isNote {
      item.kind = .note
      texts[.url] = nil
      item.main = try SecretBytes(text: texts[.notes] ?? "")
      try item.add("password", texts[.secret])
      texts[.notes] = nil
    } else {
      item.main = try SecretBytes(text: texts[.secret] ?? "")
    }
    try item.add("user", texts[.user])
    try item.add("url", texts[.url])
    try item.add("otp", texts[.otp])
    try item.add("notes", texts[.notes])
    item.tags = KeePassImport.tags(texts[.tags] ?? "")
    let title = texts[.title] ?? texts[.url].map(Self.host) ?? ""
    // LastPass separates folders with a backslash. KeePassXC's paths begin with the database's
    // root.
    var folder = (texts[.folder] ?? "").parts(at: program == .lastPass ? "\\" : "/")
      .map { String($0).substituting("/", with: "-") }
    if program == nil, columns == nil, folder.first == "Root" { folder.removeFirst() }
    item.hasComposedName = true
    item.name = (folder + [title.substituting("/", with: "-")]).joined(separator: "/")
    return item
  }

  /// Returns the host of an address: `example.com` for `https://www.example.com/login`.
  static func host(_ url: String) -> String {
    let start = url.firstRange(ofBytes: "://")?.upperBound ?? url.startIndex
    let host = String(url[start...].unicodeScalars.prefix { $0 != "/" && $0 != "?" && $0 != "#" })
    return host.begins(with: "www.") ? String(host.dropFirst(4)) : host
  }
}
