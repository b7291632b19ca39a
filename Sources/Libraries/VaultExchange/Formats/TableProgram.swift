import VaultStorage

/// A program whose tables have more than the usual columns.
enum TableProgram {
  case lastPass, dashlane, protonPass, bitwarden, keeper, roboForm

  // The headings that 1Password 8, KeePassXC 2.7, Chrome 120, Firefox 120 and Apple Passwords have,
  // in lowercase.
  private static let usual: [String: TableColumn] = [
    "title": .title, "name": .title, "group": .folder, "folder": .folder,
    "url": .url, "website": .url, "login_uri": .url,
    "username": .user, "login": .user, "login_username": .user,
    "password": .secret, "login_password": .secret,
    "otpauth": .otp, "totp": .otp, "one-time password": .otp, "login_totp": .otp,
    "notes": .notes, "note": .notes, "tags": .tags, "guid": .id,
    "icon": .housekeeping, "favorite": .housekeeping, "archived": .housekeeping,
    "reprompt": .housekeeping, "last modified": .housekeeping, "created": .housekeeping,
    "timecreated": .housekeeping, "timelastused": .housekeeping,
    "timepasswordchanged": .housekeeping,
  ]

  // support.lastpass.com, "Export your passwords": url,username,password,totp,extra,name,grouping,
  // fav.
  private static let lastPassColumns: [String: TableColumn] = [
    "extra": .notes, "grouping": .folder, "fav": .housekeeping,
  ]

  // support.dashlane.com, "Export your Dashlane data": credentials.csv, securenotes.csv,
  // payments.csv and others, each with columns of its own. The first secret of a row is the item's
  // own, the others are fields.
  private static let dashlaneColumns: [String: TableColumn] = [
    "otpsecret": .otp, "otpurl": .otp, "category": .folder,
    "account_name": .title, "item_name": .title, "ssid": .title,
    "cc_number": .secret, "account_number": .secret, "number": .secret, "passphrase": .secret,
  ]

  // The table that Proton Pass writes beside its JSON.
  private static let protonPassColumns: [String: TableColumn] = [
    "vault": .folder, "type": .housekeeping, "createtime": .housekeeping,
    "modifytime": .housekeeping,
  ]

  // bitwarden.com/help/export-your-data: folder or collections,favorite,type,name,notes,fields,
  // reprompt,login_uri,login_username,login_password,login_totp.
  private static let bitwardenColumns: [String: TableColumn] = [
    "collections": .folder, "type": .type, "fields": .customFields, "archiveddate": .housekeeping,
  ]

  // roboform.com, "Export": Name,Url,MatchUrl,Login,Pwd,Note,Folder,RfFieldsV2, and a column more
  // for each further field.
  private static let roboFormColumns: [String: TableColumn] = [
    "pwd": .secret, "matchurl": .housekeeping, "rffieldsv2": .customFields,
    "rf_fields": .customFields,
  ]

  /// The columns of Keeper's table, which has no headings; then names and values by turns.
  ///
  /// docs.keeper.io, "Import a .csv file".
  static let keeperColumns: [TableColumn] = [
    .folder, .title, .user, .secret, .url, .notes, .field("shared-folder"),
  ]

  /// The program whose table has these headings, in lowercase, if they say so.
  static func recognized(by headings: [String]) -> TableProgram? {
    func hasAll(_ wanted: String...) -> Bool { wanted.allSatisfy(headings.contains) }
    if hasAll("type", "login_uri", "login_password") { return .bitwarden }
    if hasAll("extra", "grouping", "fav") { return .lastPass }
    if hasAll("pwd", "login"), hasAll("rffieldsv2") || hasAll("matchurl") { return .roboForm }
    return nil
  }

  /// The meaning of a heading in a program's table; `nil` for one that names a field.
  static func meaning(ofHeading heading: String, in program: TableProgram?) -> TableColumn? {
    let heading = heading.lowercased()
    let own: TableColumn? =
      switch program {
      case .lastPass: lastPassColumns[heading]
      case .dashlane: dashlaneColumns[heading]
      case .protonPass: protonPassColumns[heading]
      case .bitwarden: bitwardenColumns[heading]
      case .roboForm: roboFormColumns[heading]
      case .keeper, nil: nil
      }
    return own ?? usual[heading]
  }

  /// The byte between the folders of a path.
  var folderMark: Unicode.Scalar { self == .lastPass || self == .keeper ? "\\" : "/" }
}

/// The entities in LastPass's tables.
///
/// Some of its exports write `&`, `<` and `>` as in HTML, in passwords, too; others do not, some do
/// in some columns only, and nothing in the file says so. A value that has one of these characters
/// by itself is none that was written so.
struct LastPassEntities {
  private static let entities = [
    "&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#39;": "'", "&#039;": "'", "&apos;": "'",
    "&amp;": "&",
  ]
  /// More rows than this are counted, not listed.
  private static let mostRows = 20

  /// The rows with values that were read so.
  private var decodedRows: [Int] = []
  /// The rows with values that have both.
  private var mixedRows: [Int] = []

  private static func entity(at rest: Substring) -> (entity: String, text: String)? {
    entities.first { rest.begins(with: $0.key) }.map { ($0.key, $0.value) }
  }

  /// Returns a value as it was before LastPass wrote it.
  mutating func decoded(_ text: String, row: Int) -> String {
    guard text.contains(bytes: "&") else { return text }
    var result = ""
    var rest = text[...]
    var (hasEntity, isBare) = (false, false)
    while let first = rest.unicodeScalars.first {
      if first == "&", let (entity, plain) = Self.entity(at: rest) {
        hasEntity = true
        result += plain
        rest = rest[rest.utf8.index(rest.startIndex, offsetBy: entity.utf8.count)...]
      } else {
        if ["&", "<", ">"].contains(first) { isBare = true }
        result.unicodeScalars.append(first)
        rest = rest[rest.unicodeScalars.index(after: rest.startIndex)...]
      }
    }
    guard hasEntity else { return text }
    guard !isBare else {
      if mixedRows.last != row { mixedRows.append(row) }
      return text
    }
    if decodedRows.last != row { decodedRows.append(row) }
    return result
  }

  /// Says which rows have entities, and which of them stay.
  func tell(_ reading: inout ImportReading) {
    if !decodedRows.isEmpty {
      reading.note(
        Self.listed(decodedRows), "&amp; stands for '&', and <, > and quotes alike: read so")
    }
    if !mixedRows.isEmpty {
      reading.note(
        Self.listed(mixedRows), "a value has both '&' and &amp; or the like: kept as it is")
    }
  }

  private static func listed(_ rows: [Int]) -> String {
    let shown = rows.prefix(mostRows).map(String.init).joined(separator: ", ")
    let more = rows.count > mostRows ? " and \(rows.count - mostRows) more" : ""
    return "\(rows.count == 1 ? "row" : "rows") \(shown)\(more)"
  }
}
