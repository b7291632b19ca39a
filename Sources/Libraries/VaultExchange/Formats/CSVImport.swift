import VaultCredentials
import VaultSealing
import VaultStorage

/// Tables of passwords: 1Password, KeePassXC, Chrome, Firefox, Apple, LastPass, Dashlane,
/// Bitwarden, Keeper, RoboForm, and others with the same columns, or with columns that the caller
/// describes.
struct CSVImport {
  let program: TableProgram?
  let columns: TableColumns?
  /// Whether a `/` in a title separates folders.
  let keepsSlashes: Bool

  init(
    _ program: TableProgram? = nil, columns: TableColumns? = nil, keepsSlashes: Bool = false
  ) {
    (self.program, self.columns, self.keepsSlashes) = (program, columns, keepsSlashes)
  }

  func read(_ bytes: [UInt8]) throws -> ImportReading {
    var rows: [CSVReader.Row]
    do {
      if let line = CSVReader.separatorLine(of: bytes) {
        rows = try CSVReader.numberedRows(Array(bytes[line.start...]), separator: line.separator)
      } else {
        rows = try CSVReader.numberedRows(
          bytes, separator: program == nil ? CSVReader.separator(in: bytes) : nil)
      }
    } catch let failure as CSVReader.Failure {
      throw failure.isEncoding
        ? SourceText.notUTF8(line: failure.line)
        : ExchangeError.unreadable(failure.reason, line: failure.line)
    }
    guard let first = rows.first else { throw ExchangeError.unreadable("it is empty") }
    if program == .keeper { return try keeperTable(rows) }
    let hasHeadings = columns?.hasHeadings ?? true
    let headings =
      hasHeadings
      ? first.fields.map(\.trimmingBlanks) : first.fields.indices.map { "column-\($0 + 1)" }
    if hasHeadings { rows.removeFirst() }
    if program == nil, columns == nil,
      let known = TableProgram.recognized(by: headings.map { $0.lowercased() })
    {
      return try CSVImport(known).items(of: rows, headings)
    }
    return try items(of: rows, headings)
  }

  /// Reads the rows below the headings.
  private func items(of rows: [CSVReader.Row], _ headings: [String]) throws -> ImportReading {
    let kinds =
      try columns?.meanings(
        headings: columns?.hasHeadings == true ? headings : nil, count: headings.count)
      ?? headings.map { TableProgram.meaning(ofHeading: $0, in: program) }
    // A table of notes has no secret but the notes.
    let hasSecrets = kinds.contains(.secret)
    guard hasSecrets || program == .dashlane && kinds.contains(.notes) else {
      throw ExchangeError.unreadable(
        "no column is called Password", remedy: columns == nil ? .describeColumns : .chooseFormat)
    }
    var reading = ImportReading()
    var entities = LastPassEntities()
    for row in rows {
      let origin = "row \(row.number)"
      var fields = row.fields
      // RoboForm has a column more for each further field, without a heading.
      let isLonger = program == .roboForm && fields.count > headings.count
      if program == .roboForm {
        // It leaves out what is empty at the end.
        while fields.count < headings.count { fields.append("") }
        fields = fields.map(Self.withoutQuote)
      }
      guard fields.count == headings.count || isLonger else {
        reading.lose(
          origin, "it has \(Plural.of(fields.count, "field")) instead of \(headings.count)")
        continue
      }
      if program == .lastPass {
        fields = fields.map { entities.decoded($0, row: row.number) }
      }
      if program == .lastPass, isLastPassFolder(fields, kinds) { continue }
      let more = fields.count - headings.count
      reading.items.append(
        try item(
          fields, headings + Array(repeating: "field", count: more),
          kinds + Array(repeating: .customFields, count: more), origin, hasSecrets, &reading))
    }
    entities.tell(&reading)
    for (heading, kind) in zip(headings, kinds) where kind == .housekeeping || kind == .id {
      reading.note("column \(heading)", "left out: it is not part of an item")
    }
    return reading
  }

  /// Whether a row of LastPass is an empty folder: an address of its own, and no secret.
  ///
  /// lastpass-cli, account.c: `account_is_group`.
  private func isLastPassFolder(_ fields: [String], _ kinds: [TableColumn?]) -> Bool {
    func text(_ kind: TableColumn) -> String? {
      kinds.firstIndex(of: kind).map { fields[$0] }
    }
    return text(.url)?.isSame(as: "http://group") == true
      && [.secret, .user, .otp, .notes].allSatisfy { text($0)?.isEmpty ?? true }
  }

  /// Reads Keeper's table, whose rows have the fields of their items behind the usual ones.
  private func keeperTable(_ rows: [CSVReader.Row]) throws -> ImportReading {
    var reading = ImportReading()
    let usual = TableProgram.keeperColumns
    for row in rows {
      let origin = "row \(row.number)"
      var fields = row.fields
      let lowercase = fields.map { $0.lowercased() }
      if row.number == 1, lowercase.contains("title"), lowercase.contains("password") { continue }
      guard fields.count >= 4 else {
        reading.lose(origin, "it has \(Plural.of(fields.count, "field")) instead of 7 or more")
        continue
      }
      while fields.count < usual.count { fields.append("") }
      let names = Array(repeating: "field", count: usual.count)
      var item = try item(
        Array(fields.prefix(usual.count)), names, usual, origin, true, &reading)
      var place = usual.count
      while place < fields.count {
        try KeeperImport.add(
          fields[place], place + 1 < fields.count ? fields[place + 1] : "", to: &item)
        place += 2
      }
      reading.items.append(item)
    }
    return reading
  }

  private func item(
    _ row: [String], _ headings: [String], _ kinds: [TableColumn?], _ origin: String,
    _ hasSecrets: Bool, _ reading: inout ImportReading
  ) throws -> ImportedItem {
    var texts: [TableColumn: String] = [:]
    var custom: [String] = []
    var item = ImportedItem(origin: origin, name: "", main: try SecretBytes(copying: []))
    for ((value, heading), kind) in zip(zip(row, headings), kinds) where !value.isEmpty {
      // KeePass writes references into its tables, but not the ids that they refer to.
      guard !value.contains(bytes: "{REF:") else {
        reading.lose(origin, "\(heading): it refers to another entry; KeePassXC's XML has both")
        continue
      }
      switch kind {
      case .leftOut, .housekeeping: break
      case .id: item.identify(value, in: "table")
      case .customFields: custom.append(value)
      case .field(let name)?: try item.add(name, value)
      case let kind? where texts[kind] == nil: texts[kind] = value
      default: try item.add(heading, value)
      }
    }
    try takeSecrets(of: &texts, hasSecrets, into: &item)
    try item.add("user", texts[.user])
    for address in addresses(texts[.url] ?? "") { try item.add("url", address) }
    try item.add("otp", texts[.otp])
    try item.add("notes", texts[.notes])
    try takeCustomFields(custom, into: &item)
    item.tags = KeePassImport.tags(texts[.tags] ?? "")
    takeName(of: texts, into: &item, &reading)
    return item
  }
}
