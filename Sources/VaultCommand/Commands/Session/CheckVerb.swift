import ArgumentParser
import VaultCredentials

/// `vault check`.
struct CheckVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Verify every seal, and say what to mend; or verify a backup.",
    discussion: """
      It changes nothing, and names no item. The exit status is 65 if something is damaged.

      vault check
      vault check backup.vault
      """)

  @Argument(
    help: ArgumentHelp("A backup; the vault itself if it is left out.", valueName: "file"),
    completion: .file())
  var file: String?

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    if let file {
      let vault = try settings.locked()
      let sources = Doors(settings: settings, vault: vault).sources()
      return try BackupVerb.tell(vault.blocking.checkBackup(file, with: sources), settings)
    }
    let report = try settings.withVault { try $0.check() }
    if settings.writesJSON {
      try StandardOutput.write([
        ("isDamaged", .bool(report.isDamaged)), ("items", .number(Int64(report.items))),
        ("earlierVersions", .number(Int64(report.earlierVersions))),
        ("findings", .array(report.findings.map(\.json))),
      ])
    } else {
      for finding in report.findings {
        try StandardOutput.line("\(finding.word): \(finding.message)")
        if let hint = finding.hint { try StandardOutput.line("  hint: \(hint)") }
      }
      try StandardOutput.line(
        "\(report.items) items and \(report.earlierVersions) earlier versions verified"
          + (report.isDamaged ? "; something is damaged" : ""))
    }
    if report.isDamaged { throw ExitStatusOnly(status: .damaged) }
  }
}

extension CheckFinding {
  fileprivate var word: String {
    switch severity {
    case .damage: "damage"
    case .warning: "warning"
    case .information: "note"
    }
  }

  fileprivate var json: JSONValue {
    .object([
      ("severity", .string(severity.rawValue)), ("code", .string(code)),
      ("message", .string(message)), ("hint", .optional(hint)),
    ])
  }
}

/// `vault backup`.
struct BackupVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Write the vault and its history into one sealed file, and verify it.",
    discussion: """
      The same keys open it. 'vault init --from FILE' puts it in place.

      vault backup ~/backup.vault
      """)

  @Argument(
    help: ArgumentHelp("Where to; what is there is replaced.", valueName: "file"),
    completion: .file())
  var file: String

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    try Self.tell(settings.withVault { try $0.backUp(to: file) }, settings)
  }

  static func tell(_ summary: BackupSummary, _ settings: VaultSettings) throws {
    if settings.writesJSON {
      try StandardOutput.write([
        ("path", .string(summary.path)), ("items", .number(Int64(summary.items))),
        ("earlierVersions", .number(Int64(summary.earlierVersions))),
        ("size", .number(Int64(summary.size))),
      ])
    } else {
      StandardError.note(
        "the backup holds \(summary.items) items and \(summary.earlierVersions) earlier versions, "
          + "\(summary.size) bytes; every seal was verified")
    }
  }
}
