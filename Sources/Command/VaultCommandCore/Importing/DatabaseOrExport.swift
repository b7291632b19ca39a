import VaultCredentials
import VaultExchange
import VaultStorage
import VaultTerminal

/// What KeePassXC and its like leave: a database, or an export of one as XML or as a table.
///
/// What a file begins with says what it is; its name may be any, or none at all on stdin.
struct DatabaseOrExport {
  let path: String
  /// The key file of the database.
  let keyFile: String?
  /// Whether the database has a password, too.
  let hasPassword: Bool

  /// What each database begins with, of KeePass 1, 2 and today's.
  ///
  /// keepassxc, `src/format/KeePass2.h`: `SIGNATURE_1`.
  private static let signature: [UInt8] = [0x03, 0xD9, 0xA2, 0x9A]

  /// Reads everything.
  ///
  /// - Throws: `ExchangeError`; ``CommandError`` with code `keepassxc-failed`, `program-missing`,
  ///   `input-unreadable`, `usage` for a database on stdin.
  func read() throws -> ImportReading {
    // Databases may be larger than what is read here, and keepassxc-cli reads them by itself.
    if path != "-", path.lowercased().ends(with: ".kdbx") { return try database() }
    let bytes = try ImportSource.bytes(path)
    if bytes.starts(with: Self.signature) {
      guard path != "-" else {
        throw CommandError.usage(
          "a KeePass database cannot come on stdin: keepassxc-cli opens it by its path",
          hint: "name it: \(ProgramName.current) import keepassxc passwords.kdbx")
      }
      return try database()
    }
    return Self.isMarkup(bytes) ? try Self.markup(bytes) : try ImportFormat.read(table: bytes)
  }

  private func database() throws -> ImportReading {
    guard SecretInput.exists(path) else {
      throw CommandError(
        .fileNotFound, "\(LineValue.shown(path)) does not exist",
        hint: "check the path that was given")
    }
    let options =
      (keyFile.map { ["--key-file", $0] } ?? []) + (hasPassword ? [] : ["--no-password"])
    // keepassxc-cli asks for the database's password itself, on the same stdin.
    let run = try ChildProgram.runInstalled(
      ["keepassxc-cli", "export", "--format", "xml"] + options + ["--", path], input: .inherited)
    guard run.isSuccess else {
      throw CommandError(
        .keepassxcFailed, "keepassxc-cli could not open the database",
        hint: "name its key file with --kdbx-key-file")
    }
    return try Self.markup(ImportSource.array(run.output))
  }

  /// Whether the first byte that is neither a byte order mark, a blank nor half a letter of UTF-16
  /// opens a tag: no table begins so.
  private static func isMarkup(_ bytes: [UInt8]) -> Bool {
    let passed: Set<UInt8> = [0xEF, 0xBB, 0xBF, 0xFE, 0xFF, 0x00, 0x20, 0x09, 0x0A, 0x0D]
    return bytes.first { !passed.contains($0) } == UInt8(ascii: "<")
  }

  private static func markup(_ bytes: [UInt8]) throws -> ImportReading {
    try ImportFormat.keepassxc.read(bytes) { packed in
      let run = try ChildProgram.run(
        ["gzip", "--decompress", "--stdout"], input: .bytes(packed), limit: Secret.maximumLength)
      return run.flatMap { $0.isSuccess ? $0.output : nil }
    }
  }
}
