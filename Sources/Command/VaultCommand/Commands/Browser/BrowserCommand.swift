import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultProtocols
import VaultStorage
import VaultTerminal

/// `vault browser`.
struct BrowserCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "browser",
    abstract: "List and remove the browsers that are associated with the vault.",
    discussion: """
      '\(ProgramName.current) connect browser' has browsers fill in logins of the vault, by the extension \
      KeePassXC-Browser. What a browser may ask for is an answer of a person: '\(ProgramName.current) \
      approve --watch'.

      \(ProgramName.current) browser list
      \(ProgramName.current) browser remove browser/firefox-esr
      """,
    subcommands: [BrowserListCommand.self, BrowserRemoveCommand.self])
}

/// `vault browser list`.
struct BrowserListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the associated browsers, with their profiles.",
    discussion: """
      \(ProgramName.current) browser list
      """)

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let all = try settings.withVault { BrowserAssociation.all(in: try $0.read()) }
    if settings.writesJSON {
      return try StandardOutput.write("browsers", all) { writer, one in
        writer.object { object in
          object.next("name", .string(one.item.name.text))
          object.next("browser", .string(one.browser))
          object.next("profile", .optional(one.profile.isEmpty ? nil : one.profile))
          object.next("user", .string(one.user))
          object.next("created", .string(Timestamp.text(one.item.created)))
        }
      }
    }
    let rows = all.map { one in
      [
        StandardOutput.shown(one.item.name.text), StandardOutput.shown(one.browser),
        one.profile.isEmpty ? "-" : StandardOutput.shown(one.profile),
        Timestamp.text(one.item.created),
      ]
    }
    if rows.isEmpty {
      guard StandardError.isTerminal else { return }
      return StandardError.note(
        "no browser is associated", hint: "\(ProgramName.current) connect browser")
    }
    let titles = [["NAME", "BROWSER", "PROFILE", "SINCE"]]
    try StandardOutput.write(
      TextTable.aligned((StandardOutput.isTerminal ? titles : []) + rows))
  }
}

/// `vault browser remove`.
struct BrowserRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove associations: these browsers get nothing any more.",
    discussion: """
      A running browser is refused from its next request on. What it was given, it has.

      \(ProgramName.current) browser remove browser/firefox-esr
      """)

  @Argument(help: "The associations, as 'browser list' names them.", completion: .live)
  var names: [String]

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    let names = try names.map { try ItemName($0) }
    let removed = try settings.withVault { vault in
      let snapshot = try vault.read()
      for name in names {
        guard let item = snapshot[name], BrowserAssociation(item) != nil else {
          throw CommandError(
            .itemNotFound, "no browser is associated as '\(StandardOutput.shown(name.text))'",
            hint: "see them: \(ProgramName.current) browser list")
        }
      }
      try vault.remove(names)
      return names
    }
    if settings.writesJSON {
      return try StandardOutput.write([("removed", .strings(removed.map(\.text)))])
    }
    StandardError.confirmation("removed \(Plural.of(removed.count, "association"))")
  }
}
