import VaultCredentials
import VaultExchange
import VaultSealing
import VaultStorage
import VaultTerminal

/// A source of `vault import`: a file in a format, or the folder of `pass`.
enum ImportSource: Equatable {
  case pass
  case file(ImportFormat)

  /// The words for the sources, in the order of the help.
  static let words = ["pass"] + ImportFormat.allCases.map(\.rawValue)

  static let notAFolder = CommandError(
    .importUnreadable, "the file is not in this format: it is not a folder",
    hint: formatsHint)
  static let formatsHint = "formats: \(words.joined(separator: ", "))"

  init?(word: String) {
    if word == "pass" {
      self = .pass
    } else if let format = ImportFormat(rawValue: word) {
      self = .file(format)
    } else {
      return nil
    }
  }

  /// Reads everything at `path`.
  ///
  /// - Parameters:
  ///   - path: The file, or the folder of `pass`; `-` for stdin.
  ///   - keyFile: The key file of a KeePassXC database.
  ///   - hasPassword: Whether the database has a password, too.
  /// - Returns: The items, and whatever could not be taken.
  /// - Throws: `ExchangeError`; ``CommandError`` with code `keepassxc-failed`, `program-missing`,
  ///   `input-unreadable`.
  func read(
    _ path: String, keyFile: String? = nil, hasPassword: Bool = true
  ) throws -> ImportReading {
    switch self {
    case .pass: return try PassFolder(path: path).read()
    case .file(.keepassxc):
      let name = path.lowercased()
      if name.ends(with: ".csv") { return try ImportFormat.read(table: Self.bytes(path)) }
      guard name.ends(with: ".kdbx") else { return try Self.keepassxc(Self.bytes(path)) }
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
      return try Self.keepassxc(Self.array(run.output))
    case .file(let format): return try format.read(Self.bytes(path))
    }
  }

  private static func keepassxc(_ bytes: [UInt8]) throws -> ImportReading {
    try ImportFormat.keepassxc.read(bytes) { packed in
      let run = try ChildProgram.run(
        ["gzip", "--decompress", "--stdout"], input: .bytes(packed), limit: Secret.maximumLength)
      return run.flatMap { $0.isSuccess ? $0.output : nil }
    }
  }

  static func bytes(_ path: String) throws -> [UInt8] {
    let limit = 256 << 20
    let secret =
      path == "-"
      ? try SecretInput.read(0, limit: limit) : try SecretInput.read(file: path, limit: limit)
    return array(secret)
  }

  private static func array(_ secret: SecretBytes) -> [UInt8] {
    secret.withBytes { $0.array(0..<$0.byteCount) }
  }
}
