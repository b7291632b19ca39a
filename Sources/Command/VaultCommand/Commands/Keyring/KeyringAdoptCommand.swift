import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultStorage
import VaultTerminal

/// `vault keyring list`.
struct KeyringListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the items of all programs in the desktop keyring.",
    discussion: """
      Reads no secrets. The owner is taken from the attributes, which any program can write.

      \(ProgramName.current) keyring list
      \(ProgramName.current) keyring list --attribute service=github
      """)

  @Option(
    name: .customLong("attribute"),
    help: ArgumentHelp("Only items with this attribute.", valueName: "name=value"))
  var attributes: [String] = []

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let wanted = try KeyringEntry.attributes(attributes)
    let entries = try entries(settings).filter { $0.holds(wanted) }
    if settings.writesJSON {
      return try StandardOutput.write([("items", .array(entries.map(\.json)))])
    }
    let rows = entries.map { entry in
      [
        // Of other programs, in a pipe, too: a line end in it would make a row of its own.
        entry.shortID, entry.isOurs ? "this vault" : Sanitizer.visible(entry.owner ?? "?"),
        entry.isLocked ? "locked" : "readable", Sanitizer.visible(entry.label),
        Sanitizer.visible(entry.attributeText),
      ]
    }
    if !rows.isEmpty {
      try StandardOutput.write(
        TextTable.aligned([["item", "owner", "state", "label", "attributes"]] + rows))
    }
  }

  /// All items; which are the vault's own is told where it opens without a question.
  private func entries(_ settings: VaultSettings) throws -> [KeyringEntry] {
    let locked = try settings.locked(asksNobody: true)
    guard try locked.blocking.exists() else { return try locked.blocking.keyringEntries() }
    let sources = UnlockSources(settings: settings, vault: locked).withoutAsking()
    do {
      return try locked.blocking.unlock(with: sources.map(\.source)).blocking.keyringEntries()
    } catch let error as CredentialError
      where error.code == .locked || error.code.isAboutKeyring
    {
      let entries = try locked.blocking.keyringEntries()
      StandardError.note(
        "the vault is locked: which of them are its copies cannot be told",
        hint: Advice.text(nil, [.unlock]))
      return entries
    }
  }
}

/// `vault keyring adopt`.
struct KeyringAdoptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "adopt",
    abstract: "Take other programs' items of the desktop keyring into the vault.",
    discussion: """
      The item is named by its number in '\(ProgramName.current) keyring list', its path, or its label. The keyring's item stays. \
      Its name in the vault is made from its attributes (server or service, and user), or from its label, \
      unless --as gives one.

      --all takes every item, in one change that 'undo' reverts.

      \(ProgramName.current) keyring adopt 12 --as work/github
      \(ProgramName.current) keyring adopt --all
      """)

  @Argument(help: "The item.") var item: String?

  @Flag(help: "Take every item; none that exists is replaced.") var all = false

  @Option(name: .customLong("as"), help: ArgumentHelp("Its name in the vault.", valueName: "name"))
  var name: String?

  @Flag(help: "Store the secret as a new version of the item that has the name.")
  var replace = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    guard all != (item != nil) else {
      throw CommandError.usage(
        all ? "--all and an item cannot be combined" : "name an item, or give --all",
        hint: "'\(ProgramName.current) keyring list' shows them")
    }
    guard let item else { return try adoptAll(settings) }
    let name = try name.map { try ItemName($0) }
    let adopted = try settings.withVaultMade { vault in
      let found = try vault.keyringEntries().filter { entry in
        [entry.id, entry.shortID, entry.label].contains(item)
      }
      guard let entry = found.first else {
        throw CommandError(
          .itemNotFound, "the keyring has no such item",
          hint: "'\(ProgramName.current) keyring list' shows what it has")
      }
      guard found.count == 1 else {
        throw CommandError.usage(
          "the keyring has \(found.count) such items",
          hint: "name one by its number in '\(ProgramName.current) keyring list'")
      }
      return try vault.adopt(entry, as: name, replacing: replace)
    }
    if settings.writesJSON {
      try StandardOutput.write([("item", adopted.json)])
    } else {
      StandardError.note("kept as \(StandardOutput.shown(adopted.name.text))")
    }
  }

  private func adoptAll(_ settings: VaultSettings) throws {
    guard name == nil, !replace else {
      throw CommandError.usage("--all takes neither --as nor --replace")
    }
    let adoptions = try settings.withVaultMade { try $0.adoptAll() }
    var rows: [[String]] = []
    var (taken, same, left) = (0, 0, 0)
    var members: [JSONValue] = []
    func add(_ adoption: KeyringAdoption, _ action: String, _ name: String, _ reason: String?) {
      rows.append([
        action, StandardOutput.shown(name), StandardOutput.shown(adoption.entry.label),
      ])
      members.append(
        .object([
          ("action", .string(action)), ("name", .string(name)),
          ("label", .string(adoption.entry.label)), ("path", .string(adoption.entry.id)),
          ("reason", .optional(reason)),
        ]))
    }
    for adoption in adoptions {
      switch adoption.outcome {
      case .adopted(let item):
        taken += 1
        add(adoption, "new", item.name.text, nil)
      case .same(let name):
        same += 1
        add(adoption, "same", name.text, nil)
      case .refused(let error):
        left += 1
        add(adoption, "left", "", error.message)
        StandardError.line(
          "\(ProgramName.current): skipped: \(StandardOutput.shown(adoption.entry.label)): "
            + error.message)
      }
    }
    if settings.writesJSON {
      try StandardOutput.write([("items", .array(members))])
    } else {
      let shown = rows.filter { $0[0] != "left" }
      if !shown.isEmpty { try StandardOutput.write(TextTable.aligned(shown)) }
      StandardError.note("adopted \(taken) (\(same) unchanged, \(left) skipped)")
    }
    if left > 0 { throw ExitStatusOnly(status: .no) }
  }
}
