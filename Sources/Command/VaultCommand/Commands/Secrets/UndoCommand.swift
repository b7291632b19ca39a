import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultStorage
import VaultSync
import VaultTerminal

/// `vault undo`.
struct UndoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Undo the last change to items.",
    discussion: """
      Undoes what you did last: set, edit, remove, rename, copy, restore, import, merge; as far as it is still \
      what that made it. What other machines changed stays, and so does what a program stored for itself, such \
      as git: --program undoes that. Run it again to redo the change; --steps 2 goes two changes back. Items \
      removed with --purge stay gone.

      \(ProgramName.current) undo
      """)

  @Option(help: ArgumentHelp("How many changes to undo, newest first.", valueName: "number"))
  var steps: Int?

  @Flag(help: "Undo what a program stored last: git, docker, a client of the served keyring.")
  var program = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    if let steps, !(1...100).contains(steps) {
      throw CommandError.usage("--steps must be between 1 and 100")
    }
    if program, let steps, steps > 1 {
      throw CommandError.usage(
        "of what programs store, only the last change can be undone",
        hint: "what one stored before is an earlier version: \(ProgramName.current) history NAME")
    }
    let moved = try MovedSecrets(settings)
    let undone = try settings.withVault { vault in
      do {
        return try vault.undo(
          steps: steps, of: program ? .program : .person, checking: moved.checkUndoing)
      } catch let error as CredentialError where !error.keptChanges.isEmpty {
        throw Self.explained(
          error, isShared: SyncedVault.isJoined(vaultAt: vault.path), tells: !settings.writesJSON)
      }
    }
    if settings.writesJSON {
      let changes = undone.map { change -> JSONValue in
        .object([
          ("name", .string(change.name.text)), ("change", .string(change.kind.rawValue)),
          ("kept", .strings(change.kept)), ("isRedone", .bool(change.isRedone)),
        ])
      }
      return try StandardOutput.write([("undone", .array(changes))])
    }
    for change in undone { Self.tell(change) }
    if undone.contains(where: \.isRedone) {
      StandardError.note(
        "that undid the last undo: the change is made again",
        hint: "to go further back instead: \(ProgramName.current) undo --steps 2")
    }
  }

  /// Says what stands in the way, and where to see who changed it.
  private static func explained(
    _ error: CredentialError, isShared: Bool, tells: Bool
  ) -> CredentialError {
    if tells { for change in error.keptChanges.prefix(4) { tell(change) } }
    var explained = error
    explained.remedies = []
    let name = error.keptChanges.first.map { Quoting.typed($0.name.text) } ?? "NAME"
    explained.hint =
      "list its versions: \(ProgramName.current) history \(name)"
      + (isShared ? "; which machine changed it: \(ProgramName.current) sync log" : "")
    return explained
  }

  private static func tell(_ change: UndoneChange) {
    let name = StandardOutput.shown(change.name.text)
    let again = change.isRedone ? " again" : ""
    switch change.kind {
    case .removed: StandardError.note("\(name) is in the trash\(again)")
    case .restored: StandardError.note("\(name) is back\(again)")
    case .changedBack:
      StandardError.note(
        change.isRedone ? "\(name) is as it was before the undo" : "\(name) is as it was before")
    case .unchanged: break
    }
    guard !change.kept.isEmpty else { return }
    let what = change.kept == ["item"] ? "" : " (\(change.kept.joined(separator: ", ")))"
    StandardError.note("\(name) was changed since: that stays\(what)")
  }
}
