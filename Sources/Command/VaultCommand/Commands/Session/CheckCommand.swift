import ArgumentParser
import Glibc
import VaultCommandCore
import VaultCredentials
import VaultStorage
import VaultTerminal

/// `vault check`.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Verify the vault, or a backup, and say what to fix.",
    discussion: """
      Changes nothing, and names no items. The exit status is 65 if something is damaged.

      --salvage rebuilds a damaged or lost vault from what can be read: the file, the previous generation, \
      earlier versions and the copies in the keyring. The damaged file is kept beside it. A file that is \
      older than the previous generation is used only with --accept-rollback.

      \(ProgramName.current) check
      \(ProgramName.current) check backup.vault
      \(ProgramName.current) check --salvage
      """)

  @Argument(
    help: ArgumentHelp(
      "A backup, '-' for stdin; the vault itself if omitted.", valueName: "file"),
    completion: .file())
  var file: String?

  @Flag(help: "Rebuild the vault from what can be read; lists what is lost.")
  var salvage = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func validate() throws {
    if salvage, file != nil {
      throw ValidationError(
        "--salvage rebuilds the vault itself; to restore a backup, use init --from")
    }
  }

  func run() throws {
    let settings = try common.settings()
    if salvage { return try mend(settings) }
    if let file {
      let vault = try settings.locked()
      let sources = UnlockSources(settings: settings, vault: vault).sources()
      let summary = try BackupCommand.naming(file) {
        file == "-"
          ? try vault.blocking.checkBackup(
            BackupCommand.standardInput(settings), named: "-", with: sources)
          : try vault.blocking.checkBackup(file, with: sources)
      }
      return try BackupCommand.tell(summary, settings)
    }
    let report = try settings.withVault { try $0.check() }
    if settings.writesJSON {
      try StandardOutput.write([
        ("isDamaged", .bool(report.isDamaged)), ("isComplete", .bool(report.isComplete)),
        ("items", .number(Int64(report.items))),
        ("earlierVersions", .number(Int64(report.earlierVersions))),
        ("findings", .array(report.findings.map(\.json))),
        (
          "libraries",
          .object(LinkedLibraries.all.map { ($0.name, .string($0.version)) })
        ),
      ])
    } else {
      let columns = StandardOutput.columns
      for finding in report.findings {
        let message = LineWrap.wrapped(
          finding.message, to: columns, after: finding.word.utf8.count + 2)
        try StandardOutput.line("\(finding.word.styled(finding.style)): \(message)")
        if let hint = finding.advice {
          let text = LineWrap.wrapped(HintLine.located(hint), to: columns, after: 8)
          try StandardOutput.line("  \("hint:".styled(.faint)) \(text)")
        }
      }
      let libraries = LinkedLibraries.all.map { "\($0.name) \($0.version)" }
      let linked = "linked with \(libraries.joined(separator: ", "))"
      try StandardOutput.line(
        "\("note".styled(.faint)): \(LineWrap.wrapped(linked, to: columns, after: 6))")
      try StandardOutput.line(
        "\(Plural.items(report.items)) and "
          + "\(Plural.earlierVersions(report.earlierVersions)) verified"
          + (report.isDamaged ? "; \("something is damaged".styled(.bad))" : ""))
    }
    if report.isDamaged { throw ExitStatusOnly(status: .damaged) }
    if !report.isComplete { throw ExitStatusOnly(status: .inputOutput) }
  }

  private func mend(_ settings: VaultSettings) throws {
    let report: SalvageReport
    do {
      let vault = try settings.locked()
      report = try vault.blocking.salvage { slots in
        UnlockSources(settings: settings, vault: vault, slots: slots).sources()
      }
    } catch var error as CredentialError
      where (error.underlying as? StorageError)?.systemError == ENOENT && error.code == .unsafeFile
    {
      // Whether the disk of a link's target is only not there, the person alone knows.
      let name = ProgramName.current
      error.hint =
        "mount the disk that it leads to; if that is lost, remove the link and see what is left: "
        + "\(name) check --salvage; or from a backup: \(name) init --from FILE"
      error.remedies = []
      throw error
    }
    for notice in report.notices { StandardError.note(notice.message, hint: notice.advice) }
    if settings.writesJSON {
      try StandardOutput.write(report.members)
    } else if !report.isMended {
      StandardError.note("nothing is damaged: \(Plural.items(report.whole)) can be read")
    } else {
      try StandardOutput.write(TextTable.aligned(report.rows))
      for name in report.lost {
        StandardError.line("\(ProgramName.current): lost: \(name.text)")
      }
      if report.lostGenerations > 0 {
        StandardError.line(
          report.lostGenerations == 1
            ? "\(ProgramName.current): lost: the last change of the vault"
            : "\(ProgramName.current): lost: the last \(report.lostGenerations) changes of the vault"
        )
      }
      if let path = report.damagedFile {
        StandardError.note(
          "the damaged file is kept: \(path)",
          hint: "run '\(ProgramName.current) check', then remove it")
      }
      if report.base == .copies {
        StandardError.note(
          "the desktop keyring opens the new vault",
          hint: Advice.text(nil, [.addRecoveryCode]))
      }
    }
    if !report.lost.isEmpty || report.lostGenerations > 0 { throw ExitStatusOnly(status: .damaged) }
  }
}
