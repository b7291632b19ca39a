import ArgumentParser
import FoundationEssentials
import VaultCommandCore
import VaultCredentials
import VaultStorage
import VaultTerminal

/// `vault history`.
struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "List the versions of an item.",
    discussion: """
      \(ProgramName.current) history api-token
      \(ProgramName.current) get api-token@3
      """)

  @Argument(help: "The item.", completion: .live) var name: String
  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws { try request.run() }

  /// What the line asks for.
  var request: HistoryRequest { HistoryRequest(name: name, common: common.given) }
}

/// The parsed line of `vault history`.
struct HistoryRequest: Equatable, Sendable {
  var name: String
  var common = CommonOptions()

  func run() throws {
    let settings = try common.settings()
    let word = name
    let name = ItemName(lookingUp: word)
    let (versions, lost) = try ItemName.lookingUp([word]) {
      try settings.withVault { vault in
        let snapshot = try vault.read(only: [name])
        let item = try snapshot.item(name)
        return (try snapshot.history(of: item), item.lostValues)
      }
    }
    if settings.writesJSON {
      return try StandardOutput.write([
        ("name", .string(name.text)), ("versions", .array(versions.map(\.json))),
        ("lost", .array(lost.map(\.json))),
      ])
    }
    guard !StandardOutput.isTerminal else { return try show(versions, lost) }
    let rows =
      versions.map { $0.row(written: Timestamp.text($0.written)) }
      + lost.map { $0.row(written: Timestamp.text($0.written)) }
    try StandardOutput.write(
      TextTable.aligned(rows) { row, column in
        row < versions.count && versions[row].isCurrent ? .good : column == 1 ? .faint : nil
      })
  }

  /// Shows the versions to a person.
  private func show(_ versions: [ItemVersion], _ lost: [LostValue]) throws {
    let now = Date()
    let rows =
      versions.map { $0.row(written: $0.written.relative(to: now)) }
      + lost.map { $0.row(written: $0.written.relative(to: now)) }
    try Pager.write(
      TextTable.aligned([["VERSION", "WRITTEN"]] + rows) { row, column in
        guard row > 0, column != 1 else { return .faint }
        return row <= versions.count && versions[row - 1].isCurrent ? .good : nil
      })
  }
}

/// `vault restore`.
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Restore an item from the trash, or an earlier version.",
    discussion: """
      Without a version, restores the removed item of that name, or else the previous version. Of a folder, \
      app/, or a pattern, restores all that is in the trash. The current \
      secret is kept as a version. With --trash, takes an item out of the trash also where another one has \
      its name by now, and then under a name with a number; '\(ProgramName.current) list --trash --long' shows \
      which is which. A backup becomes a vault by '\(ProgramName.current) init --from FILE'.

      \(ProgramName.current) restore api-token
      \(ProgramName.current) restore api-token@3
      \(ProgramName.current) restore api-token --trash 1
      """)

  @Argument(help: "The item, or NAME@3 for its version 3.", completion: .live) var name: String

  @Option(
    help: ArgumentHelp("Which version, as NAME@3 has it.", valueName: "number"), completion: .live)
  var revision: UInt64?

  @Option(
    help: ArgumentHelp(
      "Which of that name in the trash; 1 is the one that was removed last.", valueName: "number"))
  var trash: Int?

  @OptionGroup(title: "Common options") var common: GlobalOptions

  /// Whether the word looks like a backup, which no item is restored from.
  private var isFile: Bool { name.hasSuffix(".vault") || SecretInput.exists(name) }

  func run() throws {
    let settings = try common.settings()
    if let trash, revision != nil || trash < 1 {
      throw CommandError.usage(
        trash < 1 ? "--trash counts from 1" : "--trash and --revision cannot be combined",
        hint: "see: \(ProgramName.current) list --trash --long")
    }
    if trash == nil, revision == nil, let selection = try selection(in: settings) {
      return try restore(selection, settings)
    }
    let item: Item
    var isInTrash = false
    do {
      let name = try ItemName(name)
      item = try settings.withVault { vault in
        if let trash { return try vault.restoreFromTrash(name, number: trash) }
        let item = try Revision.reading(name, revision) { try vault.restore($0, version: $1) }
        isInTrash = try vault.readInPlace().trash().contains { $0.item.name == item.name }
        return item
      }
    } catch var error as CredentialError
      where [.itemNotFound, .invalidName].contains(error.code) && isFile
    {
      error.hint =
        "a backup becomes a vault by: \(ProgramName.current) init --from FILE; see what it holds "
        + "first: \(ProgramName.current) check FILE"
      error.remedies = []
      throw error
    }
    if settings.writesJSON { return try StandardOutput.write([("item", item.json)]) }
    let isRenamed = (try? ItemName(name)).map { $0 != item.name } ?? false
    if trash != nil, isRenamed, !StandardError.isTerminal {
      // As 'rename' and 'import' do: without the name a script cannot go on.
      StandardError.note(
        "\(StandardOutput.shown(item.name.text)) is back: another item has the name that it had")
    }
    StandardError.confirmation(
      "\(item.name.text) is back; its current version is \(item.version)",
      undo: true)
    if isInTrash {
      StandardError.note(
        "an item of that name is in the trash, too",
        hint:
          "restore it: \(ProgramName.current) restore \(Quoting.shell(item.name.text)) --trash 1")
    }
  }

  /// The folder or pattern that the word means; `nil` for one item.
  private func selection(in settings: VaultSettings) throws -> ItemSelection? {
    guard let selection = try ItemSelection(name) else { return nil }
    if selection.isFolder { return selection }
    // A name may have a star, too.
    let isName = try settings.withVault { vault in
      let snapshot = try vault.readInPlace()
      return try (snapshot.items() + snapshot.trash().map(\.item)).contains {
        try $0.name == ItemName(name)
      }
    }
    return isName ? nil : selection
  }

  /// Takes all items of a folder or pattern out of the trash, of each name the one that was removed
  /// last; what has an item in its place stays there.
  private func restore(_ selection: ItemSelection, _ settings: VaultSettings) throws {
    let (items, left) = try settings.withVault { vault in
      try vault.edit { edit in
        let live = Set(edit.items(matching: .all).map(\.name))
        let removed = try selection.items { query in
          var query = query
          query.isInTrash = true
          return edit.items(matching: query)
        }
        let names = Set(removed.map(\.name))
        return (
          try names.subtracting(live).sorted().map { try edit.restore($0) },
          names.intersection(live).sorted()
        )
      }
    }
    StandardError.tellSome(left) { name in
      StandardError.note(
        "\(StandardOutput.shown(name.text)) stays in the trash: an item has its name",
        hint: "restore it beside that: \(ProgramName.current) restore "
          + "\(Quoting.typed(name.text)) --trash 1")
    }
    if settings.writesJSON {
      return try StandardOutput.write([("items", .array(items.map(\.json)))])
    }
    StandardError.confirmation(
      "\(Plural.items(items.count)) \(items.count == 1 ? "is" : "are") back", undo: !items.isEmpty)
    if items.isEmpty { throw ExitStatusOnly(status: .no) }
  }
}
