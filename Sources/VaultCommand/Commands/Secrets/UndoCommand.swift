import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultStorage
import VaultTerminal

/// `vault undo`.
struct UndoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Undo the last change to items.",
    discussion: """
      Undoes what set, edit, remove, rename, copy or restore did last. Run it again to redo the change. \
      Items removed with --purge stay gone.

      \(ProgramName.current) undo
      """)

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let undone = try settings.withVault { try $0.undo() }
    if settings.writesJSON {
      let changes = undone.map { change -> JSONValue in
        .object([("name", .string(change.name.text)), ("change", .string(change.kind.rawValue))])
      }
      return try StandardOutput.write([("undone", .array(changes))])
    }
    for change in undone {
      let name = StandardOutput.shown(change.name.text)
      switch change.kind {
      case .removed: StandardError.note("\(name) is in the trash")
      case .restored: StandardError.note("\(name) is back")
      case .changedBack: StandardError.note("\(name) is as it was before")
      }
    }
  }
}
