import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultStorage
import VaultTerminal

/// `vault upgrade`.
struct UpgradeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upgrade",
    abstract: "Say how this command was installed, and what to type for another version.",
    discussion: """
      Downloads and changes nothing. With --check, it says which version a vault, a backup or the store \
      beside a vault needs; the exit status is 1 if this version cannot both read and change it.

      \(ProgramName.current) upgrade
      \(ProgramName.current) upgrade --check backup.vault
      """)

  @Option(
    help: ArgumentHelp("Say which version this file needs; may be repeated.", valueName: "file"),
    completion: .file())
  var check: [String] = []

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    guard check.isEmpty else { return try tellNeeds(settings) }
    let here = Installation.current
    let vault = try settings.locked()
    let path = vault.path
    let needs = try vault.blocking.exists() ? FileRequirement(of: path) : nil
    if settings.writesJSON {
      return try StandardOutput.write([
        ("version", .string(VaultTool.version)), ("program", .string(here.program)),
        ("installedBy", .string(here.kind.rawValue)), ("releases", .optional(here.address)),
        ("upgrade", .strings(here.upgrade)), ("downgrade", .strings(here.downgrade)),
        ("vault", needs.map { .object($0.members(path: path)) } ?? .null),
      ])
    }
    let program = StandardOutput.shown(here.program)
    try StandardOutput.line(
      "\(ProgramName.current) \(VaultTool.version), \(here.words): \(program)")
    if let address = here.address { try StandardOutput.line("its releases are at \(address)") }
    let condition = here.condition.map { " (\($0))" } ?? ""
    try tell("to upgrade\(condition):", here.upgrade)
    try tell("for an older version:", here.downgrade)
    if let needs {
      try StandardOutput.line(
        needs.words(path: StandardOutput.shown(path), version: VaultTool.version))
    }
  }

  private func tell(_ head: String, _ lines: [String]) throws {
    try StandardOutput.line(head)
    for line in lines { try StandardOutput.line("  \(line)") }
  }

  private func tellNeeds(_ settings: VaultSettings) throws {
    let needs = try check.map { (path: $0, requirement: try FileRequirement(of: $0)) }
    if settings.writesJSON {
      try StandardOutput.write([
        ("version", .string(VaultTool.version)),
        ("files", .array(needs.map { .object($0.requirement.members(path: $0.path)) })),
      ])
    } else {
      for (path, requirement) in needs {
        try StandardOutput.line(
          requirement.words(path: StandardOutput.shown(path), version: VaultTool.version))
      }
    }
    guard needs.allSatisfy({ $0.requirement.canRead && $0.requirement.canWrite }) else {
      StandardError.note(
        "this version cannot do all with it",
        hint: "how to get a newer one: \(ProgramName.current) upgrade")
      throw ExitStatusOnly(status: .no)
    }
  }
}
