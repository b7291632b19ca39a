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
      On a terminal as a tree, where names have slashes; one name a line in a pipe.

      vault list
      vault list 'work/*' --long
      vault list --expiring 14d
      """)

  @Argument(
    help: ArgumentHelp("Only names that match, as shells match.", valueName: "glob"),
    completion: .live)
  var pattern: String?

  @Flag(name: [.long, .customShort("l")], help: "Kind, version, times and tags, too.")
  var long = false

  @Flag(
    inversion: .prefixedNo,
    help: "As a tree, by slashes: as it is on a terminal, unless --no-tree says otherwise.")
  var tree: Bool?

  @Option(help: ArgumentHelp("Only items with this tag.", valueName: "word"), completion: .live)
  var tag: String?

  @Flag(help: "Only items that are not valid any more.")
  var expired = false

  @Option(help: ArgumentHelp("Only items that end within this time.", valueName: "time"))
  var expiring: String?

  @Flag(help: "Removed items instead.")
  var trash = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    if tree == true, long {
      throw CommandError.usage("--tree and --long are two forms", hint: "give one")
    }
    var query = ItemQuery()
    query.pattern = pattern
    query.tag = tag
    query.isInTrash = trash
    if expired { query.expiresBefore = Date() }
    if let expiring {
      guard let seconds = TimeSpan.seconds(expiring) else {
        throw CommandError.usage("--expiring is no time", hint: "such as: --expiring 14d")
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
