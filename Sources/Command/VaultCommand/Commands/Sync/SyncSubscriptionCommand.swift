import ArgumentParser
import FoundationEssentials
import VaultCommandCore
import VaultCredentials
import VaultStorage
import VaultSync
import VaultTerminal

/// `vault sync subscription`.
struct SyncSubscriptionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "subscription",
    abstract: "Let many read without being machines of the space: by the code of a group.",
    discussion: """
      Anyone who has the code reads what 'sync mirror' publishes, changes nothing, and is in no list of machines.

      \(ProgramName.current) sync subscription create shops --out shops.code
      \(ProgramName.current) sync subscription list
      \(ProgramName.current) sync subscription remove shops
      """,
    subcommands: [
      SyncSubscriptionCreateCommand.self, SyncSubscriptionListCommand.self,
      SyncSubscriptionRemoveCommand.self,
    ])
}

/// `vault sync subscription create`.
struct SyncSubscriptionCreateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Make a subscription, and write its code once.",
    discussion: """
      The code is stored nowhere. An admin or owner makes it.

      \(ProgramName.current) sync subscription create shops
      \(ProgramName.current) sync subscription create shops --for 90d --out shops.code
      """)

  @Argument(help: "What the group is called: letters, digits, dots, hyphens, underscores.")
  var name: String

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("For how long; without it, until it is removed.", valueName: "time"))
  var time: String?

  @Option(
    name: [.long, .customShort("o")],
    help: ArgumentHelp(
      "Write the code to a file that only you can read; '-' for stdout.", valueName: "file"),
    completion: .file())
  var out: String?

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    guard SyncedVault.isNewSubscription(name) else {
      throw CommandError.usage(
        "a subscription's name has 1 to 24 letters, digits, dots, hyphens and underscores, and no "
          + "hyphen in front",
        hint: "such as: \(ProgramName.current) sync subscription create kiosks")
    }
    let seconds = try time.map { text in
      guard let seconds = TimeSpan.seconds(text), (1...3650 * 86_400).contains(seconds) else {
        throw CommandError.usage(
          "--for must be between 1s and 3650d", hint: "such as: --for 90d")
      }
      return seconds
    }
    let file = out == "-" ? nil : out
    guard file == nil || !settings.writesJSON else {
      throw CommandError.usage("--json writes the code to stdout", hint: "leave --out out")
    }
    let code = try settings.withSpace { try $0.subscribe(name, seconds: seconds) }
    do {
      if settings.writesJSON {
        return try StandardOutput.write([
          ("name", .string(code.name)), ("code", .optional(Secret(code.text).text)),
          ("expires", .optional(code.expires.map { Timestamp.text($0) })),
        ])
      }
      if let file {
        try OutputFile.write(code.text, to: file)
      } else {
        try StandardOutput.write(code.text)
        try StandardOutput.write("\n")
      }
    } catch {
      // Nobody has the code.
      _ = try? settings.withSpace { try $0.endSubscription(code.name) }
      throw error
    }
    let shown = StandardOutput.shown(code.name)
    StandardError.note(
      "that is the code of the subscription \(shown)"
        + (file.map { ", in \(StandardOutput.shown($0))" } ?? "")
        + ": who has it reads the space, and changes nothing",
      hint:
        "publish the space: \(ProgramName.current) sync mirror FOLDER; on each machine that reads: "
        + "\(ProgramName.current) sync join ADDRESS/feed --subscription file:PATH")
  }
}

/// `vault sync subscription list`.
struct SyncSubscriptionListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the subscriptions, those that were removed at the end.",
    discussion: "\(ProgramName.current) sync subscription list")

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let all = try settings.withSpace { try $0.subscriptions() }
    if settings.writesJSON {
      return try StandardOutput.write([("subscriptions", .array(all.map(\.json)))])
    }
    let now = Date()
    try StandardOutput.write(TextTable.aligned(all.map { $0.row(at: now) }))
    guard all.isEmpty, StandardError.isTerminal else { return }
    StandardError.note(
      "the space has no subscription",
      hint: "\(ProgramName.current) sync subscription create NAME")
  }
}

/// `vault sync subscription remove`.
struct SyncSubscriptionRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "End a subscription: who has its code reads nothing that is written from now on.",
    discussion: """
      A new key begins. What was read was read: 'list --exposed-to' names what to change.

      \(ProgramName.current) sync subscription remove shops
      """)

  @Argument(help: "Its name, or the beginning of its id.")
  var name: String

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let ended = try settings.withSpace { try $0.endSubscription(name) }
    if settings.writesJSON {
      return try StandardOutput.write([("subscription", ended.json)])
    }
    StandardError.note(
      "\(StandardOutput.shown(ended.name)) is ended: its code opens nothing that is written from now on",
      hint: "what it could read and should be changed: "
        + "\(ProgramName.current) list --exposed-to \(ended.id.prefix(8))")
  }
}
