import ArgumentParser
import FoundationEssentials
import Glibc
import VaultCommandCore
import VaultCredentials
import VaultStorage
import VaultTerminal

/// `vault backup`.
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Write the vault and its history into one sealed file, and verify it.",
    discussion: """
      The same keys open it. '\(ProgramName.current) init --from FILE' restores it. In a folder, a backup \
      is named by the vault and the time; --keep removes older ones of the same vault there.

      \(ProgramName.current) backup ~/backup.vault
      \(ProgramName.current) backup /var/backups/vault/ --keep 7
      \(ProgramName.current) backup - | ssh host 'cat > backup.vault'
      """)

  @Argument(
    help: ArgumentHelp(
      "The file, where an older backup is replaced; a folder; or '-' for stdout.", valueName: "file"
    ),
    completion: .file())
  var file: String

  @Option(
    help: ArgumentHelp(
      "In a folder: how many backups of this vault to keep there.", valueName: "number"))
  var keep: Int?

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    if let keep, keep < 1 {
      throw CommandError.usage("--keep must be at least 1", hint: "such as: --keep 7")
    }
    let folder = file == "-" ? nil : try BackupFolder(file)
    guard keep == nil || folder != nil else {
      throw CommandError.usage(
        "--keep is for a folder of backups", hint: "name one: \(ProgramName.current) backup FOLDER/"
      )
    }
    if let folder { return try write(to: folder, settings) }
    guard file != "-" else { return try writeToStandardOutput(settings) }
    let isReplacing = try Self.isBackup(file)
    try Self.tell(
      settings.withVault { try $0.backUp(to: file) }, settings, named: LineValue.shown(file))
    if isReplacing { StandardError.note("replaced an older backup") }
  }

  private func write(to folder: BackupFolder, _ settings: VaultSettings) throws {
    let vault = try settings.locked()
    let stem = BackupFolder.stem(vault.name, id: try vault.blocking.summary().id)
    let summary = try settings.withVault {
      try $0.backUp(to: folder.path(of: stem, at: Date()))
    }
    // Only now that the new one has been verified.
    let removed = try keep.map { try folder.prune(stem, keeping: $0) } ?? []
    try Self.tell(summary, settings, named: summary.path, removed: removed)
  }

  private func writeToStandardOutput(_ settings: VaultSettings) throws {
    guard !settings.writesJSON else {
      throw CommandError.usage(
        "the backup goes to stdout, so JSON cannot go there",
        hint: "name a file, or leave --json out")
    }
    guard !StandardOutput.isTerminal else {
      throw CommandError.usage(
        "a backup is not text, and stdout is the terminal",
        hint:
          "name a file, or pipe it: \(ProgramName.current) backup - | ssh HOST 'cat > vault.backup'"
      )
    }
    let backup = try settings.withVault { try $0.backup(named: "-") }
    try StandardOutput.write(backup.bytes)
    try Self.tell(backup.summary, settings)
  }

  /// Reads a backup from stdin.
  static func standardInput(_ settings: VaultSettings) throws -> [UInt8] {
    guard !settings.usesStandardInput else {
      throw CommandError.usage(
        "what unlocks the vault and the backup cannot both come from stdin",
        hint: "give the passphrase as file:PATH or fd:N, the key file by its path")
    }
    guard !ProcessState.isTerminal(0) else {
      throw CommandError.usage("there is no backup: stdin is the terminal", hint: "name a file")
    }
    return try StandardInput.all(limit: BackupSummary.maximumSize)
  }

  /// Runs what reads a backup, and says of a file that is none which one it is, and what takes it.
  ///
  /// - Parameters:
  ///   - file: The file as it was named.
  ///   - body: What reads it.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  static func naming<Result>(_ file: String, _ body: () throws -> Result) throws -> Result {
    let shown = file == "-" ? "stdin" : LineValue.shown(file)
    do {
      return try body()
    } catch let error as CredentialError where error.code == .invalidValue {
      let (name, typed) = (ProgramName.current, file == "-" ? "FILE" : Quoting.shell(file))
      throw CommandError(
        .invalidValue, "\(shown) is a vault file, not a backup",
        hint: "what it has more than your vault: \(name) merge \(typed); by itself: copy it to "
          + "FOLDER/secrets.vault, then: \(name) --home FOLDER check")
    } catch let error as CredentialError
      where error.code == .inputOutput
      && (try? System.targetStatus(of: file, in: AT_FDCWD))?.isDirectory == true
    {
      throw CommandError(
        .inputOutput, "\(shown) is a folder, not a backup",
        hint: "a vault in it: \(ProgramName.current) --home \(Quoting.shell(file)) check; "
          + "a backup: name its file")
    } catch let error as CredentialError where error.code == .damaged {
      throw CommandError(.damaged, "\(shown): \(error.message)", hint: error.advice)
    }
  }

  /// Whether the path is an existing backup.
  ///
  /// - Throws: ``CommandError`` with code `cannot-create` if it is any other file.
  private static func isBackup(_ path: String) throws -> Bool {
    guard SecretInput.exists(path) else { return false }
    // What cannot be read is not replaced either.
    guard (try? BackupSummary.isBackup(at: path)) == true else {
      throw CommandError(
        .cannotCreate, "the file already exists and is not a backup",
        hint: "choose another path, or move that file away")
    }
    return true
  }

  /// Says what was written, and which file it is where the line did not name it.
  static func tell(
    _ summary: BackupSummary, _ settings: VaultSettings, named name: String = "the backup",
    removed: [String] = []
  ) throws {
    if settings.writesJSON {
      try StandardOutput.write([
        ("path", .string(summary.path)), ("items", .number(Int64(summary.items))),
        ("earlierVersions", .number(Int64(summary.earlierVersions))),
        ("size", .number(Int64(summary.size))), ("removed", .strings(removed)),
      ])
    } else {
      StandardError.note(
        "\(name) holds \(Plural.items(summary.items)) and "
          + "\(Plural.earlierVersions(summary.earlierVersions)), \(Plural.bytes(summary.size)); "
          + "verified")
      if !removed.isEmpty { StandardError.note("removed \(Plural.backups(removed.count))") }
    }
  }
}
