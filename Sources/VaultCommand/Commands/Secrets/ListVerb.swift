import ArgumentParser
import FoundationEssentials
import VaultCredentials

/// `vault list`.
struct ListVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the names of items.",
    discussion: """
      vault list
      vault list 'work/*' --long
      vault list --expiring 14d
      """)

  @Argument(help: ArgumentHelp("Only names that match, as shells match.", valueName: "glob"))
  var pattern: String?

  @Flag(name: [.long, .customShort("l")], help: "Kind, version, times and tags, too.")
  var long = false

  @Flag(help: "As a tree, by slashes.")
  var tree = false

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
    if tree, long { throw CommandError.usage("--tree and --long are two forms", hint: "give one") }
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
    if tree {
      try StandardOutput.write(TextTable.tree(names))
    } else if long {
      try StandardOutput.write(TextTable.aligned(zip(names, items).map(row)))
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
