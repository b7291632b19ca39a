import VaultCredentials
package import VaultExchange
import VaultSealing
import VaultStorage
import VaultTerminal

/// A source of `vault import`: a file in a format, or the folder of `pass` or `gopass`.
package enum ImportSource: Equatable {
  case pass
  case gopass
  case file(ImportFormat)
  case table(TableColumns)

  /// The words for the sources, in the order of the help.
  package static let words = ["pass", "gopass"] + ImportFormat.allCases.map(\.rawValue)

  /// Other words for them, and programs with the same tables.
  private static let synonyms: [String: String] = [
    "keepass": "keepassxc", "keepass2": "keepassxc", "kdbx": "keepassxc",
    "proton": "protonpass", "proton-pass": "protonpass",
    "onepassword": "1password", "1p": "1password", "op": "1password",
    "safari": "apple", "icloud": "apple", "apple-passwords": "apple",
    "chromium": "chrome", "edge": "chrome", "brave": "chrome", "opera": "chrome",
    "vivaldi": "chrome", "google-authenticator": "otpauth", "env": "dotenv", ".env": "dotenv",
    "password-store": "pass",
    "bitwardenjson": "bitwarden", "bitwardencsv": "bitwarden", "bitwarden-json": "bitwarden",
    "bitwarden-csv": "bitwarden", "vaultwarden": "bitwarden", "bw": "bitwarden",
    "twofas": "2fas", "2fa": "2fas", "and-otp": "andotp", "robo-form": "roboform",
  ]

  package static let notAFolder = CommandError(
    .importUnreadable, "the file is not in this format: it is not a folder",
    hint: formatsHint)
  package static let formatsHint = "formats: \(words.joined(separator: ", "))"

  package init?(word: String) {
    let word = Self.synonyms[word.lowercased()] ?? word.lowercased()
    switch word {
    case "pass": self = .pass
    case "gopass": self = .gopass
    default:
      guard let format = ImportFormat(rawValue: word) else { return nil }
      self = .file(format)
    }
  }

  /// Returns this source with the columns of its table, if they are described.
  ///
  /// - Throws: ``CommandError`` with code `usage` for a source without columns, `ExchangeError`
  ///   with code `.invalidRequest`.
  package func described(by columns: String?, hasHeadings: Bool) throws -> ImportSource {
    guard columns != nil || !hasHeadings else { return self }
    guard self == .file(.csv) else {
      throw CommandError.usage("--columns and --no-headings are for csv")
    }
    guard let columns else {
      throw CommandError.usage(
        "a table without headings needs --columns", hint: "such as: --columns name,url,user,secret")
    }
    return .table(try TableColumns(columns, hasHeadings: hasHeadings))
  }

  /// Returns the path that was given, or else where the program keeps its secrets.
  ///
  /// - Throws: ``CommandError`` with code `usage` if there is no such place: the hint says how to
  ///   export.
  package func path(_ given: String?) throws -> String {
    if let given { return given }
    let candidates: [String]
    switch self {
    case .pass, .gopass:
      let named = ProcessState.variable("PASSWORD_STORE_DIR")
      let home = try StoreLocation.home()
      let data = ProcessState.variable("XDG_DATA_HOME") ?? "\(home)/.local/share"
      let own = self == .gopass ? ["\(data)/gopass/stores/root"] : []
      candidates = named.map { [$0] } ?? own + ["\(home)/.password-store"]
    default:
      throw CommandError.usage("the path of the export is missing", hint: exportHint)
    }
    for path in candidates where UserFile.isFolder(path) {
      StandardError.note("reading \(StandardOutput.shown(path))")
      return path
    }
    throw CommandError.usage(
      "there is no folder \(candidates.joined(separator: " or "))",
      hint: "name it: \(ProgramName.current) import \(self == .pass ? "pass" : "gopass") FOLDER")
  }

  /// How to get the file out of the other program.
  private var exportHint: String {
    guard case .file(let format) = self else {
      return "name the file, or '-' for stdin"
    }
    let program = ProgramName.current
    let (way, file) =
      switch format {
      case .firefox:
        ("in Firefox: Passwords (about:logins), the menu ⋯, Export Passwords", "passwords.csv")
      case .chrome:
        (
          "in the browser: chrome://password-manager/settings, Export passwords",
          "passwords.csv"
        )
      case .bitwarden: ("in Bitwarden: Tools, Export vault, format .json", "bitwarden.json")
      case .onePassword, .onePUX: ("in 1Password: File, Export, format 1PUX", "export.1pux")
      case .keepassxc: ("name the database, or an export of it", "passwords.kdbx")
      case .lastPass: ("in LastPass: Advanced options, Export", "lastpass.csv")
      case .dashlane: ("in Dashlane: My account, Settings, Export data, CSV", "dashlane.zip")
      case .protonPass: ("in Proton Pass: Settings, Export, JSON", "protonpass.zip")
      case .apple: ("in Passwords on the Mac: File, Export All Passwords", "passwords.csv")
      case .keeper: ("in Keeper: Settings, Export, JSON", "keeper.json")
      case .roboform: ("in RoboForm: Options, Account & Data, Export, CSV", "roboform.csv")
      case .enpass: ("in Enpass: File, Export, JSON", "enpass.json")
      case .aegis:
        ("in Aegis: Settings, Import & Export, Export, JSON without a password", "aegis.json")
      case .twoFAS: ("in 2FAS: Settings, Backup, Export without a password", "2fas.json")
      case .andOTP: ("in andOTP: Backups, plain text", "otp_accounts.json")
      case .otpauth:
        ("put the text of each QR code on a line of its own", "codes.txt")
      case .dotenv: ("name the file", ".env")
      case .csv: ("name the table", "passwords.csv")
      case .json: ("name the file", "vault.json")
      }
    return "\(way); then: \(program) import \(format.rawValue) \(file)"
  }

  /// Reads everything at `path`.
  ///
  /// - Parameters:
  ///   - path: The file, or the folder of `pass`; `-` for stdin.
  ///   - keyFile: The key file of a KeePassXC database.
  ///   - hasPassword: Whether the database has a password, too.
  /// - Returns: The items, and whatever could not be taken.
  /// - Throws: `ExchangeError`; ``CommandError`` with code `keepassxc-failed`, `program-missing`,
  ///   `input-unreadable`, `import-unreadable`.
  package func read(
    _ path: String, keyFile: String? = nil, hasPassword: Bool = true
  ) throws -> ImportReading {
    switch self {
    case .pass: return try PassFolder(path: path).read()
    case .gopass: return try PassFolder(path: path, isGopass: true).read()
    case .table(let columns):
      return try ImportFormat.read(table: Self.bytes(path), columns: columns)
    case .file(.keepassxc):
      return try DatabaseOrExport(path: path, keyFile: keyFile, hasPassword: hasPassword).read()
    case .file(let format):
      if let archive = ZipArchive(path) { return try Self.read(archive, as: format) }
      return try format.read(Self.bytes(path))
    }
  }

  /// Reads the archive that a program exports.
  private static func read(
    _ archive: ZipArchive, as format: ImportFormat
  ) throws -> ImportReading {
    let names = try archive.names()
    func bytes(_ name: String) throws -> [UInt8] { array(try archive.contents(of: name)) }
    switch format {
    case .onePUX, .onePassword:
      guard names.contains("export.data") else { throw notIn(archive, "export.data") }
      return try ImportFormat.onePUX.read(
        bytes("export.data"),
        attachment: { names.contains($0) ? try archive.contents(of: $0) : nil })
    case .protonPass:
      guard let name = names.first(where: { $0.ends(with: "data.json") }) else {
        if names.contains(where: { $0.ends(with: ".pgp") }) {
          throw CommandError(
            .importEncrypted, "the export is encrypted", hint: "export it as plain JSON")
        }
        throw notIn(archive, "data.json")
      }
      return try format.read(bytes(name))
    default:
      let tables = names.filter { $0.lowercased().ends(with: ".csv") }.sorted()
      guard !tables.isEmpty else { throw notIn(archive, "a table") }
      var reading = ImportReading()
      for name in tables {
        do {
          reading.add(try format.read(bytes(name)), of: name)
        } catch let error as ExchangeError where error.code == .unreadable {
          // Personal data and others, which hold no secret.
          reading.lose(name, error.message)
        }
      }
      return reading
    }
  }

  private static func notIn(_ archive: ZipArchive, _ what: String) -> CommandError {
    CommandError(
      .importUnreadable, "the file is not in this format: the archive does not have \(what)",
      hint: formatsHint)
  }

  package static func bytes(_ path: String) throws -> [UInt8] {
    let limit = 256 << 20
    guard path == "-" || SecretInput.exists(path) else {
      throw CommandError(
        .fileNotFound, "\(LineValue.shown(path)) does not exist",
        hint: "check the path that was given")
    }
    let secret =
      path == "-"
      ? try SecretInput.read(0, limit: limit) : try SecretInput.read(file: path, limit: limit)
    return array(secret)
  }

  static func array(_ secret: SecretBytes) -> [UInt8] {
    secret.withBytes { $0.array(0..<$0.byteCount) }
  }
}
