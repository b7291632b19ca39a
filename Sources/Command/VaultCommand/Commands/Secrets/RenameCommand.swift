import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultStorage
import VaultTerminal

/// `vault rename`.
struct RenameCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Rename an item, or move a folder.",
    discussion: """
      All of a folder's items move at once, and '\(ProgramName.current) undo' takes all of it back; on a \
      terminal it asks first.

      \(ProgramName.current) rename token api-token
      \(ProgramName.current) rename web/ old/web/
      \(ProgramName.current) rename 'web/test-*' old/
      """)

  @OptionGroup var move: MoveOptions
  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws { try request.run() }

  /// What the line asks for.
  var request: MoveRequest { move.request(.rename, common) }
}

/// `vault copy`.
struct CopyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy", abstract: "Copy an item, or a folder.",
    discussion: """
      \(ProgramName.current) copy api-token api-token-old
      \(ProgramName.current) copy web/ staging/
      """)

  @OptionGroup var move: MoveOptions
  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws { try request.run() }

  /// What the line asks for.
  var request: MoveRequest { move.request(.copy, common) }
}

/// The arguments of `rename` and `copy`.
struct MoveOptions: ParsableArguments {
  @Argument(help: "The item, a folder/ or a shell pattern.", completion: .live) var name: String
  @Argument(help: "The new name, or a folder/.", completion: .live) var newName: String

  @Flag(name: [.long, .customShort("n")], help: "Only show what would be done.")
  var dryRun = false

  @Flag(name: [.long, .customShort("y")], help: "Do not ask before a whole folder.")
  var yes = false

  func request(_ verb: MoveRequest.Verb, _ common: GlobalOptions) -> MoveRequest {
    MoveRequest(
      verb: verb, name: name, newName: newName, dryRun: dryRun, yes: yes, common: common.given)
  }
}

/// The parsed line of `vault rename` and `vault copy`.
struct MoveRequest: Equatable, Sendable {
  enum Verb: String, Sendable {
    case rename, copy

    /// What is said when it is done.
    fileprivate var done: String {
      switch self {
      case .rename: "renamed"
      case .copy: "copied"
      }
    }
  }

  var verb: Verb
  var name: String
  var newName: String
  var dryRun = false
  var yes = false
  var common = CommonOptions()

  func run() throws {
    let settings = try common.settings()
    try settings.checkIsOfThisVault(newName)
    let single = try ItemSelection(name) == nil ? [name] : []
    let (moves, items) = try ItemName.lookingUp(single) { try moved(settings) }
    try report(moves, items, settings, done: verb.done)
  }

  private func moved(_ settings: VaultSettings) throws -> (ItemMoves, [Item]) {
    try settings.withVault { vault in
      let moves = try ItemMoves(name, to: newName) { try vault.items(matching: $0) }
      if dryRun {
        for move in moves.moves where try vault.items().allSatisfy({ $0.name != move.from }) {
          _ = try vault.item(move.from)
        }
        return (moves, [Item]())
      }
      if moves.isOfSeveral, !yes {
        let count = moves.moves.count
        try ItemQuestion.confirm(
          "\(verb.rawValue.capitalizedFirst) \(Plural.items(count)), "
            + "\(name) to \(newName)?", default: true)
      }
      return (
        moves,
        try vault.edit { edit in
          switch verb {
          case .rename: try moves.rename(in: &edit)
          case .copy: try moves.copy(in: &edit)
          }
        }
      )
    }
  }

  private func report(
    _ moves: ItemMoves, _ items: [Item], _ settings: VaultSettings, done: String
  ) throws {
    if settings.writesJSON {
      if dryRun {
        let objects = moves.moves.map { move -> JSONValue in
          .object([("name", .string(move.from.text)), ("newName", .string(move.to.text))])
        }
        return try StandardOutput.write([("isDryRun", .bool(true)), ("moves", .array(objects))])
      }
      return try StandardOutput.write(
        moves.isOfSeveral
          ? [("items", .array(items.map(\.json)))] : [("item", items.first?.json ?? .null)])
    }
    if dryRun {
      return try StandardOutput.write(
        TextTable.aligned(
          moves.moves.map {
            [StandardOutput.shown($0.from.text), "->", StandardOutput.shown($0.to.text)]
          }))
    }
    let what =
      moves.isOfSeveral
      ? "\(Plural.items(items.count)), \(name) to \(newName)"
      : moves.moves.map { "\($0.from.text) to \($0.to.text)" }.joined()
    StandardError.confirmation("\(done) \(what)", undo: true)
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
