import ArgumentParser
import FoundationEssentials
import VaultCredentials
import VaultStorage
import VaultTerminal

/// `vault list`.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the names of items.",
    discussion: """
      A tree on a terminal, if names have slashes; one name per line in a pipe.

      \(ProgramName.current) list
      \(ProgramName.current) list 'work/*' --long
      \(ProgramName.current) list --expiring 14d
      """)

  @Argument(
    help: ArgumentHelp("Only names that match this shell pattern.", valueName: "glob"),
    completion: .live)
  var pattern: String?

  @Flag(name: [.long, .customShort("l")], help: "Also show kind, version, times and tags.")
  var long = false

  @Flag(
    inversion: .prefixedNo,
    help: "Show a tree, by slashes; the default on a terminal.")
  var tree: Bool?

  @Option(help: ArgumentHelp("Only items with this tag.", valueName: "word"), completion: .live)
  var tag: String?

  @Flag(help: "Only expired items.")
  var expired = false

  @Option(help: ArgumentHelp("Only items that expire within this time.", valueName: "time"))
  var expiring: String?

  @Flag(help: "List the trash instead.")
  var trash = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    if tree == true, long {
      throw CommandError.usage("--tree and --long cannot be combined", hint: "give one")
    }
    var query = ItemQuery()
    query.pattern = pattern
    query.tag = tag
    query.isInTrash = trash
    if expired { query.expiresBefore = Date() }
    if let expiring {
      guard let seconds = TimeSpan.seconds(expiring) else {
        throw CommandError.usage("--expiring must be a duration", hint: "such as: --expiring 14d")
      }
      query.expiresBefore = Date().addingTimeInterval(Double(seconds))
    }
    let items = try settings.withVault { try $0.items(matching: query) }
    if settings.writesJSON {
      return try StandardOutput.write([("items", .array(items.map(\.json)))])
    }
    let names = items.map { StandardOutput.shown($0.name.text) }
    if long {
      let now = Date()
      try StandardOutput.write(
        TextTable.aligned(zip(names, items).map(row), cutting: 0) { row, column in
          switch column {
          case 0: nil
          case 4: items[row].expires.map { $0 < now ? .bad : .doubtful }
          default: .faint
          }
        })
    } else if tree ?? StandardOutput.isTerminal {
      try StandardOutput.write(NameTree(names).text)
    } else {
      try StandardOutput.write(names.map { $0 + "\n" }.joined())
    }
  }

  private func row(_ name: String, _ item: Item) -> [String] {
    [
      name, item.kind.name, "v\(item.version)", Timestamp.text(item.modified),
      item.expires.map { "expires \(Timestamp.text($0))" } ?? "-",
      item.tags.isEmpty ? "-" : item.tags.map(StandardOutput.shown).joined(separator: ","),
    ]
  }
}

extension Item {
  /// The item as `--json` writes it.
  var json: JSONValue { .object(members) }

  /// The members of ``json``.
  var members: [(String, JSONValue)] {
    [
      ("id", .string(id)), ("name", .string(name.text)), ("kind", .string(kind.name)),
      ("version", .number(Int64(clamping: version))),
      ("created", .string(Timestamp.text(created))),
      ("modified", .string(Timestamp.text(modified))),
      ("expires", .optional(expires.map(Timestamp.text))),
      ("trashed", .optional(trashed.map(Timestamp.text))), ("note", .string(note)),
      ("tags", .strings(tags)),
      (
        "attributes",
        .object(attributes.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
      ),
      ("copy", .string(publishedCopy.rawValue)),
      ("earlierVersions", .number(Int64(earlierVersions))),
    ]
  }
}
