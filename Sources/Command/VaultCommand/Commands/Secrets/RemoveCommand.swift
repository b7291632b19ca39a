import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultStorage
import VaultTerminal

/// `vault remove`.
struct RemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove items: to the trash, or for good.",
    discussion: """
      Removes all of them or none. '\(ProgramName.current) restore NAME' brings one back from the trash, \
      and '\(ProgramName.current) undo' all of them. --purge erases them and their earlier versions from \
      every file of the vault, and no change before can be undone. On a terminal it asks before it purges, or \
      removes a whole folder.

      \(ProgramName.current) remove api-token
      \(ProgramName.current) remove old/ 'web/test-*'
      \(ProgramName.current) remove old/token --purge --yes
      \(ProgramName.current) remove work/github --field pin
      """)

  @Argument(help: "The items; folders/ and shell patterns, too.", completion: .live)
  var names: [String]

  @Flag(help: "Erase them for good, with removed items of the same name.")
  var purge = false

  @Flag(name: [.long, .customShort("n")], help: "Only list what would be removed.")
  var dryRun = false

  @Flag(name: [.long, .customShort("y")], help: "Do not ask before a purge or a whole folder.")
  var yes = false

  @Option(
    help: ArgumentHelp(
      "Remove only this field of the item; repeatable.", valueName: "name"), completion: .live)
  var field: [String] = []

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws { try request.run() }

  /// What the line asks for.
  var request: RemoveRequest {
    RemoveRequest(
      names: names, purge: purge, dryRun: dryRun, yes: yes, field: field, common: common.given)
  }
}

/// The parsed line of `vault remove`.
struct RemoveRequest: Equatable, Sendable {
  var names: [String]
  var purge = false
  var dryRun = false
  var yes = false
  var field: [String] = []
  var common = CommonOptions()

  func run() throws {
    for name in field { try FieldLine.checkIsNamed(name) }
    let settings = try common.settings()
    if !field.isEmpty { return try removeFields(settings) }
    let words = try names.map { word in (word, try ItemSelection(word)) }
    let single = words.filter { $0.1 == nil }.map(\.0)
    let (removed, trashed) = try ItemName.lookingUp(single) { try self.removed(words, settings) }
    try report(removed, settings)
    if trashed > 0, !settings.writesJSON {
      StandardError.note(
        "the trash still has \(Plural.items(trashed)) of that",
        hint: "one for good: \(ProgramName.current) remove NAME --purge")
    }
  }

  /// Removes what the words name.
  ///
  /// - Returns: The names, and how many items of purged folders and patterns the trash still has.
  private func removed(
    _ words: [(String, ItemSelection?)], _ settings: VaultSettings
  ) throws -> (names: [ItemName], trashed: Int) {
    try settings.withVault { vault in
      var names: [ItemName] = []
      for (word, selection) in words {
        names +=
          try selection?.items { try vault.items(matching: $0) }.map(\.name) ?? [
            ItemName(lookingUp: word)
          ]
      }
      var seen: Set<ItemName> = []
      names.removeAll { !seen.insert($0).inserted }
      if dryRun {
        try check(names, in: vault)
      } else {
        if !yes {
          if purge {
            try confirmPurge(
              of: names, in: vault, isOfSeveral: words.contains(where: { $0.1 != nil }))
          } else if words.contains(where: { $0.1 != nil }) {
            try ItemQuestion.confirm("Remove \(Plural.items(names.count))?", default: false)
          }
        }
        let purged = try purge ? Self.ids(of: names, in: vault) : []
        try vault.remove(names, purge: purge)
        try Self.forgetMoved(purged, in: vault, settings)
      }
      return (names, purge && !dryRun ? Self.trashed(words.compactMap(\.1), in: vault) : 0)
    }
  }

  /// The ids of items, also of those in the trash.
  private static func ids(
    of names: [ItemName], in vault: UnlockedVault.Blocking
  ) throws -> Set<String> {
    var trash = ItemQuery()
    trash.isInTrash = true
    let names = Set(names)
    return Set(
      (try vault.items() + vault.items(matching: trash)).filter { names.contains($0.name) }
        .map(\.id))
  }

  /// What was moved out of a file is purged from the record of that, too.
  private static func forgetMoved(
    _ items: Set<String>, in vault: UnlockedVault.Blocking, _ settings: VaultSettings
  ) throws {
    guard !items.isEmpty else { return }
    var moved = try MovedSecrets(settings)
    for name in try moved.purge(items, in: vault) {
      StandardError.warning(
        "\(StandardOutput.shown(name.text)) still has it: what another machine moved out of its files",
        hint: "on that machine: \(ProgramName.current) disconnect PROGRAM --keep; or remove "
          + "\(StandardOutput.shown(Quoting.shell(name.text))) --purge")
    }
  }

  /// How many items the trash has of folders and patterns, which mean items that are not there.
  private static func trashed(
    _ selections: [ItemSelection], in vault: UnlockedVault.Blocking
  ) -> Int {
    let items = selections.flatMap { selection in
      // None at all is an error of a selection.
      let found = try? selection.items { query in
        var query = query
        query.isInTrash = true
        return try vault.items(matching: query)
      }
      return found ?? []
    }
    return Set(items.map(\.name)).count
  }

  private func report(_ names: [ItemName], _ settings: VaultSettings) throws {
    if settings.writesJSON {
      return try StandardOutput.write(
        [("removed", .strings(names.map(\.text))), ("purged", .bool(purge))]
          + (dryRun ? [("isDryRun", .bool(true))] : []))
    }
    if dryRun {
      return try StandardOutput.write(
        names.map { StandardOutput.shown($0.text) + "\n" }.joined())
    }
    let what = names.count == 1 ? names[0].text : "\(names.count) items"
    let verb = names.count == 1 ? "is" : "are"
    if purge {
      StandardError.confirmation(
        "\(what) \(verb) gone for good; changes before this cannot be undone")
    } else {
      StandardError.confirmation("\(what) \(verb) in the trash", undo: true)
    }
  }

  /// Removes fields of one item, as one new version of it.
  private func removeFields(_ settings: VaultSettings) throws {
    guard names.count == 1, !purge, !dryRun else {
      throw CommandError.usage(
        "--field removes fields of one item, which its earlier versions keep",
        hint: "give one name, without --purge and --dry-run")
    }
    let name = try ItemName(names[0])
    var changes = SecretChanges()
    changes.removedFields = Set(field)
    let change = try settings.withVault { [changes] vault in
      try vault.edit { try $0.change(name, changes) }
    }
    if settings.writesJSON {
      return try StandardOutput.write([
        ("name", .string(name.text)), ("removedFields", .strings(field.sorted())),
        ("version", .number(Int64(clamping: change.item.version))),
      ])
    }
    StandardError.confirmation(
      "\(name.text): removed \(field.sorted().joined(separator: ", "))", undo: true)
  }

  /// Fails as the removal itself would.
  private func check(_ names: [ItemName], in vault: UnlockedVault.Blocking) throws {
    let snapshot = try vault.readInPlace()
    let trashed = purge ? Set(snapshot.items(matching: Self.trash).map(\.name)) : []
    for name in names where !trashed.contains(name) { _ = try snapshot.item(name) }
  }

  private static var trash: ItemQuery {
    var query = ItemQuery()
    query.isInTrash = true
    return query
  }

  /// Asks whether items are to go for good; without a terminal, those that a line names one by one go
  /// unasked, and others need `--yes`.
  private func confirmPurge(
    of names: [ItemName], in vault: UnlockedVault.Blocking, isOfSeveral: Bool
  ) throws {
    guard Prompt.isPossible else {
      // An empty variable in a script's pattern means everything.
      guard isOfSeveral else { return }
      throw CommandError.usage(
        "\(Plural.items(names.count)) would be gone for good, and nobody can be asked",
        hint: "see them: --dry-run; do it: --yes")
    }
    let wanted = Set(names)
    let items = try (vault.items() + vault.items(matching: Self.trash)).filter {
      wanted.contains($0.name)
    }
    // What is missing is reported by the removal itself.
    guard !items.isEmpty else { return }
    let what = wanted.count == 1 ? "'\(names[0].text)'" : "\(wanted.count) items"
    let versions = items.reduce(0) { $0 + 1 + $1.earlierVersions }
    try ItemQuestion.confirm(
      "Purge \(what) and \(wanted.count == 1 ? "its" : "their") "
        + "\(Plural.versions(versions)) for good?", default: false)
  }
}
