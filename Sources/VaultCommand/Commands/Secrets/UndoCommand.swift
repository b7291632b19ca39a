import ArgumentParser
import VaultCredentials
import VaultStorage
import VaultTerminal

/// `vault undo`.
struct UndoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Take back the last change of items.",
    discussion: """
      A secret that was set, an item that was removed, renamed or made: it is as before. Once more, and the \
      change is back. What was removed with --purge stays gone.

      vault undo
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
