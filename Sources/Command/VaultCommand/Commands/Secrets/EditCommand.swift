import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultTerminal

/// `vault edit`.
struct EditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Change a secret in your editor.",
    discussion: """
      Opens $VISUAL or $EDITOR on a file in memory, with the editor's swap, backup and history files \
      turned off. The file is overwritten and removed afterwards, whatever happens. An unchanged or empty \
      file is not saved. The previous version is kept. --all opens all fields as one text: a line \
      'name: value' for each, the main secret first, and the notes below 'notes:'.

      \(ProgramName.current) edit tls/key
      \(ProgramName.current) edit work/github --field notes
      \(ProgramName.current) edit work/github --all
      """)

  @Argument(
    help: "The item; created if it does not exist; picked from a list if omitted on a terminal.",
    completion: .live)
  var name: String?

  @Option(
    name: [.long, .customShort("f")],
    help: ArgumentHelp("The field; the main secret if omitted.", valueName: "name"),
    completion: .live)
  var field: String?

  @Flag(help: "Edit the secret, all fields and the notes as one text.")
  var all = false

  @Flag(help: "Keep a final newline that the secret did not have before.")
  var exact = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    guard !all || (field == nil && !exact) else {
      throw CommandError.usage(
        "--all cannot be combined with --field or --exact", hint: "leave --all out")
    }
    let given = try ItemPicker.named(name).map { try ItemName($0) }
    try settings.withVault { vault in
      let name = try given ?? ItemPicker.pick(in: vault)
      let session = EditingSession(vault: vault, name: name)
      let saved =
        all
        ? try session.editAll()
        : try session.edit(field.flatMap { $0.isEmpty ? nil : $0 }, keepingNewline: exact)
      guard let change = saved else {
        StandardError.note("unchanged: nothing was saved")
        guard settings.writesJSON else { return }
        return try StandardOutput.write([("name", .string(name.text)), ("isChanged", .bool(false))])
      }
      if settings.writesJSON {
        try StandardOutput.write([
          ("name", .string(change.item.name.text)), ("isChanged", .bool(true)),
          ("isNew", .bool(change.isNew)),
          ("version", .number(Int64(clamping: change.item.version))),
          ("length", .number(Int64(change.fingerprint.length))),
          ("fingerprint", .string(change.fingerprint.hash)),
        ])
      } else {
        let version = change.isNew ? "" : ", version \(change.item.version)"
        StandardError.note(
          "stored\(version): \(Plural.bytes(change.fingerprint.length)), "
            + "fingerprint \(change.fingerprint.hash)")
      }
    }
  }
}
