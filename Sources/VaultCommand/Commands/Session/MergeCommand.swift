import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultStorage
import VaultTerminal

/// `vault merge`.
struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merge another file of this vault, such as a file syncer's conflict copy.",
    discussion: """
      FILE is the vault file of another machine, a conflict copy, or a backup; it is only read. Different \
      changes of one item are both kept. Of two values of one secret the later one is current and the other \
      one an earlier version; --resolve settles which one stays.

      \(ProgramName.current) merge secrets.sync-conflict-20261122.vault
      \(ProgramName.current) merge laptop.backup --dry-run
      \(ProgramName.current) list --conflicts
      \(ProgramName.current) merge --resolve github --take
      """)

  @Argument(
    help: ArgumentHelp("The other vault file, or a backup.", valueName: "file"),
    completion: .file())
  var file: String?

  @Option(
    help: ArgumentHelp(
      "A common ancestor of both, such as an older backup: tells what one side removed.",
      valueName: "file"), completion: .file())
  var base: String?

  @Flag(name: [.long, .customShort("n")], help: "Say what would change, and change nothing.")
  var dryRun = false

  @Option(
    help: ArgumentHelp("Settle a conflict: the item's current value stays.", valueName: "name"),
    completion: .live)
  var resolve: String?

  @Flag(help: "With --resolve: the other value becomes current.")
  var take = false

  @Option(
    help: ArgumentHelp(
      "Merge FILE into this file, not into the vault: for git's merge driver.", valueName: "file"),
    completion: .file())
  var into: String?

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func validate() throws {
    guard (file == nil) != (resolve == nil) else {
      throw ValidationError(
        file == nil ? "the other file is missing" : "FILE and --resolve cannot be combined")
    }
    if take, resolve == nil { throw ValidationError("--take needs --resolve NAME") }
    if resolve != nil, base != nil || dryRun || into != nil {
      throw ValidationError("--base, --into and --dry-run need FILE")
    }
    if into != nil, dryRun {
      throw ValidationError("--into and --dry-run cannot be combined")
    }
  }

  func run() throws {
    let settings = try common.settings()
    if let resolve { return try settle(try ItemName(resolve), settings) }
    guard let file else { return }
    let vault = try settings.locked()
    let report: MergeReport
    if let into {
      report = try vault.blocking.merge(file, into: into, base: base) { slots in
        UnlockSources(settings: settings, vault: vault, slots: slots).sources()
      }
    } else {
      let sources = UnlockSources(settings: settings, vault: vault).sources()
      report = try settings.withVault {
        try $0.merge(file, base: base, with: sources, isTrial: dryRun)
      }
    }
    if settings.writesJSON {
      try StandardOutput.write(report.members)
    } else {
      try report.tell(isTrial: dryRun)
    }
  }

  private func settle(_ name: ItemName, _ settings: VaultSettings) throws {
    let item = try settings.withVault { vault in
      try vault.edit { try $0.settle(name, takesOther: take) }
    }
    if settings.writesJSON {
      try StandardOutput.write([
        ("name", .string(item.name.text)), ("version", .number(Int64(item.version))),
      ])
    } else {
      StandardError.note("\(StandardOutput.shown(name.text)) is settled")
    }
  }
}

extension MergeReport {
  /// Says what was merged, a line for each item.
  fileprivate func tell(isTrial: Bool) throws {
    switch relation {
    case .same: return StandardError.note("nothing to merge: it is the same file")
    case .older: return StandardError.note("nothing to merge: this vault has all that is in it")
    case .newer, .apart: break
    }
    for (words, names) in [("added", added), ("changed", changed), ("removed", removed)] {
      for name in names { try StandardOutput.line("\(words): \(StandardOutput.shown(name.text))") }
    }
    for conflict in conflicts { try StandardOutput.line("conflict: \(conflict.words)") }
    for name in damaged {
      try StandardOutput.line("damaged there, left out: \(StandardOutput.shown(name.text))")
    }
    if missingVersions > 0 {
      StandardError.note(
        "\(Plural.earlierVersions(missingVersions)) of the other file "
          + "\(missingVersions == 1 ? "is" : "are") not here",
        hint: "a backup made there brings them: \(ProgramName.current) backup FILE")
    }
    let done = isTrial ? "would be merged" : "merged"
    StandardError.note(
      isUnchanged ? "\(done): nothing was different" : "\(done): \(summary)",
      hint: conflicts.contains { $0.kind == .secret } && !isTrial
        ? "settle each conflict: \(ProgramName.current) merge --resolve NAME, with --take for the "
          + "other value" : nil)
  }

  private var summary: String {
    [
      (added.count, "added"), (changed.count, "changed"), (removed.count, "removed"),
      (conflicts.count, conflicts.count == 1 ? "conflict" : "conflicts"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }

  /// The members of the JSON object.
  fileprivate var members: [(String, JSONValue)] {
    [
      ("relation", .string(relation.rawValue)), ("hasBase", .bool(hasBase)),
      ("added", .strings(added.map(\.text))), ("changed", .strings(changed.map(\.text))),
      ("removed", .strings(removed.map(\.text))),
      ("conflicts", .array(conflicts.map(\.json))),
      ("damaged", .strings(damaged.map(\.text))),
      ("missingVersions", .number(Int64(missingVersions))),
    ]
  }
}

extension MergeReport.Conflict {
  fileprivate var words: String {
    let shown = StandardOutput.shown(name.text)
    switch kind {
    case .secret: return "\(shown) has two values; the other one is version \(version ?? 0)"
    case .name: return "two items have one name; the later one is now \(shown)"
    case .removal: return "\(shown) was removed for good on one side; it is in the trash"
    }
  }

  fileprivate var json: JSONValue {
    var members: [(String, JSONValue)] = [
      ("kind", .string(kind.rawValue)), ("name", .string(name.text)),
    ]
    if let version { members.append(("version", .number(Int64(version)))) }
    if let formerName { members.append(("formerName", .string(formerName.text))) }
    return .object(members)
  }
}
