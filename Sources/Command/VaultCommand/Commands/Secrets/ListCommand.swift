import ArgumentParser
import FoundationEssentials
import VaultCommandCore
import VaultCredentials
import VaultStorage
import VaultSync
import VaultTerminal

/// `vault list`.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the names of items.",
    discussion: """
      A word finds every item that has it in its name, user, address, tags, note or another open field, in \
      any case; names come first. Of several words between quotes, it has each somewhere. A folder, web/, lists what is below it. A tree on a terminal, if names \
      have slashes; one name per line in a pipe. Long lists go through $VAULT_PAGER or $PAGER on a terminal.

      \(ProgramName.current) list
      \(ProgramName.current) list github
      \(ProgramName.current) list bob@example.com
      \(ProgramName.current) list 'github bob'
      \(ProgramName.current) list --attribute service=api
      \(ProgramName.current) list work/ --long --sort modified
      \(ProgramName.current) list 'work/*/token'
      \(ProgramName.current) list --expiring 14d
      \(ProgramName.current) list --unused 90d
      """)

  @Argument(
    help: ArgumentHelp(
      "A word of a name, user, address, tag or note; a folder/; or a shell pattern of names.",
      valueName: "pattern"),
    completion: .live)
  var pattern: String?

  @Flag(
    name: [.long, .customShort("l")], help: "Also show kind, version, times, tags, user and host.")
  var long = false

  @Flag(
    inversion: .prefixedNo,
    help: "Show a tree, by slashes; the default on a terminal.")
  var tree: Bool?

  @Option(help: ArgumentHelp("Only items with this tag.", valueName: "word"), completion: .live)
  var tag: String?

  @Option(
    help: ArgumentHelp(
      "Only items with this attribute, such as service=api; repeatable.", valueName: "name=value"),
    completion: .live)
  var attribute: [String] = []

  @Flag(help: "Only expired items.")
  var expired = false

  @Flag(help: "Only items with another value from a merge.")
  var conflicts = false

  @Option(help: ArgumentHelp("Only items that expire within this time.", valueName: "time"))
  var expiring: String?

  @Option(help: ArgumentHelp("Only items not used for this time.", valueName: "time"))
  var unused: String?

  @Option(
    help: ArgumentHelp(
      "Only items that this machine of the space could read, and that are unchanged since.",
      valueName: "machine"))
  var exposedTo: String?

  @Flag(help: "List the trash instead.")
  var trash = false

  @Flag(help: "List the vaults instead: their names and files.")
  var vaults = false

  @Option(help: "Newest first for modified and created, soonest first for expires.")
  var sort = ListRequest.Order.name

  @Flag(help: "Exit with 1 if nothing is found.")
  var exitCode = false

  @Flag(help: "Show long lists at once, not a page at a time.")
  var noPager = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws { try request.run() }

  /// What the line asks for.
  var request: ListRequest {
    ListRequest(
      pattern: pattern, long: long, tree: tree, tag: tag, attribute: attribute, expired: expired,
      conflicts: conflicts, expiring: expiring, unused: unused, exposedTo: exposedTo, trash: trash,
      vaults: vaults, sort: sort, exitCode: exitCode, noPager: noPager, common: common.given)
  }
}

extension ListRequest.Order: ExpressibleByArgument {}

/// The parsed line of `vault list`.
struct ListRequest: Equatable, Sendable {
  /// The order of the list.
  enum Order: String, CaseIterable, Sendable {
    case name, modified, created, expires
  }

  var pattern: String?
  var long = false
  /// `nil` to decide by the terminal.
  var tree: Bool?
  var tag: String?
  var attribute: [String] = []
  var expired = false
  var conflicts = false
  var expiring: String?
  var unused: String?
  var exposedTo: String?
  var trash = false
  var vaults = false
  var sort = Order.name
  var exitCode = false
  var noPager = false
  var common = CommonOptions()

  func run() throws {
    let settings = try common.settings()
    if tree == true, long || sort != .name {
      throw CommandError.usage(
        "--tree cannot be combined with \(long ? "--long" : "--sort")", hint: "give one")
    }
    guard !vaults else { return try listVaults(settings) }
    let query = try query()
    let unusedSince = try unusedSince()
    let needsItems =
      settings.writesJSON || long || sort != .name || unusedSince != nil || exposedTo != nil
    if !needsItems, tree != true, !StandardOutput.isTerminal {
      return try writeNames(matching: query, settings)
    }
    var numbers: [String: Int] = [:]
    var reasons: [String: String] = [:]
    var logins: [String: ItemLogin] = [:]
    let (items, names, known) = try settings.withVault { vault in
      let snapshot = try vault.readInPlace()
      var items: [Item] = []
      var names: [String] = []
      if let word = query.text {
        let found = try snapshot.search(word, matching: query)
        items = found.map(\.item)
        for found in found where !found.place.isName { reasons[found.item.id] = found.text }
        if trash {
          let removed = snapshot.trash(matching: query.withoutText)
          for (item, number) in removed { numbers[item.id] = number }
        }
      } else if needsItems, trash {
        let removed = snapshot.trash(matching: query)
        items = removed.map(\.item)
        for (item, number) in removed { numbers[item.id] = number }
      } else if needsItems {
        items = snapshot.items(matching: query)
      } else {
        names = snapshot.names(matching: query)
      }
      if let unusedSince { items = try UnusedItems(snapshot, since: unusedSince).among(items) }
      if let exposedTo {
        let exposed = try SyncedVault.itemIDs(exposedTo: exposedTo, in: vault)
        items.removeAll { !exposed.contains($0.id) }
      }
      if long, !settings.writesJSON { logins = try snapshot.logins(of: items) }
      return (items, names, items.isEmpty && names.isEmpty ? namesToSuggest(in: snapshot) : [])
    }
    if needsItems {
      try write(sorted(items), numbers, logins, settings)
    } else if query.text != nil {
      try write(items, because: reasons)
    } else {
      try write(names)
    }
    if items.isEmpty, names.isEmpty { try endWithNothing(known: known, settings) }
  }

  /// Writes one name per line, for another program.
  private func writeNames(matching query: ItemQuery, _ settings: VaultSettings) throws {
    let (lines, known) = try settings.withVault { vault in
      let snapshot = try vault.readInPlace()
      let lines =
        try query.text.map { word in
          Self.lines(try snapshot.searchNames(word, matching: query).lazy.map(\.name))
        } ?? snapshot.nameLines(matching: query)
      return (lines, lines.isEmpty ? namesToSuggest(in: snapshot) : [])
    }
    try StandardOutput.write(lines)
    if lines.isEmpty { try endWithNothing(known: known, settings) }
  }

  /// Writes what a word has found, the best first, with what has the word where it is not the name.
  private func write(_ items: [Item], because reasons: [String: String]) throws {
    guard tree != true, StandardOutput.isTerminal else {
      return try write(items.map(\.name.text))
    }
    let rows = items.map { item in
      let reason = reasons[item.id].map { [Self.excerpt(StandardOutput.described($0))] }
      return [StandardOutput.shown(item.name.text)] + (reason ?? [])
    }
    try Pager.write(
      TextTable.aligned(rows, cutting: 1) { _, column in column == 1 ? .faint : nil },
      isAllowed: !noPager)
  }

  /// The first words of a text.
  private static func excerpt(_ text: String) -> String {
    let line = text.parts(at: "\n").first.map(String.init) ?? ""
    return DisplayWidth.cut(line, to: 60)
  }

  /// The names among which one is suggested where a pattern has found nothing.
  ///
  /// Nobody reads it elsewhere, and many thousand names are not compared.
  private func namesToSuggest(in snapshot: VaultSnapshot) -> [String] {
    guard pattern != nil, StandardError.isTerminal, !common.json else { return [] }
    let names = snapshot.names()
    return names.count <= 5000 ? names : []
  }

  private func endWithNothing(known: [String], _ settings: VaultSettings) throws {
    if !settings.writesJSON { tellNothing(known, settings) }
    if exitCode { throw ExitStatusOnly(status: .no) }
  }

  /// Whether the line has a word to look for, and neither a folder nor a pattern.
  private var isSearch: Bool {
    guard let pattern else { return false }
    return !pattern.unicodeScalars.contains { "*?[".unicodeScalars.contains($0) }
      && (!pattern.hasSuffix("/") || pattern == "/")
  }

  private func query() throws -> ItemQuery {
    var query = ItemQuery()
    if let pattern {
      if pattern.unicodeScalars.contains(where: { "*?[".unicodeScalars.contains($0) }) {
        query.pattern = pattern
      } else if pattern.hasSuffix("/"), pattern != "/" {
        query.folder = try ItemName(String(pattern.dropLast())).text
      } else {
        query.text = pattern
      }
    }
    query.tag = tag
    if !attribute.isEmpty { query.attributes = try AttributeList.attributes(attribute) }
    query.isInTrash = trash
    query.isConflicting = conflicts
    if expired { query.expiresBefore = Date() }
    if let expiring {
      guard let seconds = TimeSpan.seconds(expiring) else {
        throw CommandError.usage("--expiring must be a duration", hint: "such as: --expiring 14d")
      }
      query.expiresBefore = Date().addingTimeInterval(Double(seconds))
    }
    return query
  }

  /// The time since which an item must not have been used; `nil` if that does not matter.
  private func unusedSince() throws -> Date? {
    guard let unused else { return nil }
    guard let seconds = TimeSpan.seconds(unused) else {
      throw CommandError.usage("--unused must be a duration", hint: "such as: --unused 90d")
    }
    return Date().addingTimeInterval(-Double(seconds))
  }

  private func sorted(_ items: [Item]) -> [Item] {
    switch sort {
    // What a word has found comes with the best first. Programs get the order of bytes, people the
    // one in which they count.
    case .name:
      trash || common.json || !long || isSearch
        ? items : items.sorted { NaturalOrder.precedes($0.name.text, $1.name.text) }
    case .modified: items.sorted { $0.modified > $1.modified }
    case .created: items.sorted { $0.created > $1.created }
    case .expires:
      items.sorted { ($0.expires ?? .distantFuture) < ($1.expires ?? .distantFuture) }
    }
  }

  private func write(
    _ items: [Item], _ numbers: [String: Int], _ logins: [String: ItemLogin],
    _ settings: VaultSettings
  ) throws {
    if settings.writesJSON {
      return try StandardOutput.write("items", items) { writer, item in
        writer.object { object in
          item.eachMember { object.next($0, $1) }
          if let number = numbers[item.id] { object.next("trashNumber", .number(Int64(number))) }
        }
      }
    }
    guard long else { return try write(items.map(\.name.text)) }
    try Pager.write(
      StandardOutput.isTerminal
        ? ItemTable(items, numbers: numbers, logins: logins).text
        : Self.lines(items, numbers, logins), isAllowed: !noPager)
  }

  /// Writes names alone: a tree, or a line for each.
  private func write(_ names: [String]) throws {
    var names = names
    if StandardOutput.isTerminal {
      if sort == .name { names.sort(by: NaturalOrder.precedes) }
      names = names.map(StandardOutput.shown)
    }
    // Lines that are drawn say nothing where they are read aloud.
    let isTree = tree ?? (StandardOutput.isTerminal && sort == .name && !OutputOptions.isDumb)
    try Pager.write(
      isTree ? NameTree(names).text : String(decoding: Self.lines(names), as: UTF8.self),
      isAllowed: !noPager)
  }

  /// A line for each name; put together as bytes, since appending to a text takes ten times as long.
  private static func lines(_ names: some Sequence<String>) -> [UInt8] {
    var lines: [UInt8] = []
    for name in names {
      lines.append(contentsOf: name.utf8)
      lines.append(UInt8(ascii: "\n"))
    }
    return lines
  }

  /// The lines of `--long` for programs.
  private static func lines(
    _ items: [Item], _ numbers: [String: Int], _ logins: [String: ItemLogin]
  ) -> String {
    TextTable.aligned(
      items.map { item in
        [
          StandardOutput.shown(item.name.text), item.kind.name, "v\(item.version)",
          Timestamp.text(item.modified),
          item.expires.map { "expires \(Timestamp.text($0))" } ?? "-",
          item.tags.isEmpty ? "-" : item.tags.map(StandardOutput.described).joined(separator: ","),
          Self.cell(logins[item.id]?.user), Self.cell(logins[item.id]?.host),
        ] + (numbers[item.id].map { ["trash \($0)"] } ?? [])
      })
  }

  private static func cell(_ text: String?) -> String {
    guard let text, !text.isEmpty else { return "-" }
    return StandardOutput.described(text)
  }

  private func listVaults(_ settings: VaultSettings) throws {
    guard pattern == nil else {
      throw CommandError.usage("--vaults takes no pattern", hint: "leave it out")
    }
    let vaults = try VaultList(settings).vaults
    if settings.writesJSON {
      let objects = vaults.map { vault -> JSONValue in
        .object([("name", .optional(vault.name)), ("path", .string(vault.path))])
      }
      return try StandardOutput.write([("vaults", .array(objects))])
    }
    let rows = vaults.map { vault in
      [vault.name.map(StandardOutput.shown) ?? "(default)", StandardOutput.shown(vault.path)]
    }
    try StandardOutput.write(TextTable.aligned(rows) { _, column in column == 1 ? .faint : nil })
    if vaults.isEmpty, StandardError.isTerminal {
      StandardError.note("there is no vault yet", hint: Advice.text(nil, [.makeVault]))
    }
    if vaults.isEmpty, exitCode { throw ExitStatusOnly(status: .no) }
  }
}
