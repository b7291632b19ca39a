import ArgumentParser
import VaultCommandCore

/// `vault sync add`.
struct SyncAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Keep a preference domain, or an application's rows, the same on the machines, too.",
    discussion: """
      Of each key, and of each property of an object, the later value counts. A machine on which nobody adds it \
      takes nothing of it.

      \(ProgramName.current) sync add com.example.tool
      \(ProgramName.current) sync add data com.example.trips
      """)

  @OptionGroup var thing: SyncedThing
  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    guard let store = try thing.dataStore(for: "add") else {
      // What the desktop has is in its copy once somebody has looked.
      try DesktopCopies(settings).bringTogether([thing.domain])
      try settings.addDomain(thing.domain)
      return DesktopCopies(settings).tellProblem(of: [thing.domain])
    }
    try settings.addData(store)
  }
}

/// `vault sync drop`.
struct SyncDropCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drop",
    abstract: "Leave a preference domain, or an application's rows, out: all of it stays as it is.",
    discussion: """
      \(ProgramName.current) sync drop com.example.tool
      \(ProgramName.current) sync drop data com.example.trips
      """)

  @OptionGroup var thing: SyncedThing
  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    guard let store = try thing.dataStore(for: "drop") else {
      return try settings.dropDomain(thing.domain)
    }
    try settings.dropData(store)
  }
}

/// What `sync add` and `sync drop` take: a domain, or `data` and an application.
struct SyncedThing: ParsableArguments {
  @Argument(
    help: "The domain, as 'defaults' names it; or 'data', and an application behind it.",
    completion: .live)
  var domain: String

  @Argument(help: "Behind 'data': an application, or APPLICATION/STORE.", completion: .live)
  var store: String?

  /// The application, or one store of it, that the line names; `nil` for a domain.
  ///
  /// - Throws: ``CommandError`` with code `usage` for a second word behind something else than
  ///   `data`.
  func dataStore(for verb: String) throws -> String? {
    guard store != nil, domain != "data" else { return store }
    throw CommandError.usage(
      "one domain at a time, or 'data' and an application",
      hint: "such as: \(ProgramName.current) sync \(verb) data com.example.trips")
  }
}
