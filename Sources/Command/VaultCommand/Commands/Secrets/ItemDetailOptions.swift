import ArgumentParser
import FoundationEssentials
import VaultCommandCore
import VaultCredentials
import VaultStorage

/// The options that describe an item, apart from its secret.
struct ItemDetailOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("A tag to find it by; repeatable.", valueName: "word"), completion: .live)
  var tag: [String] = []

  @Option(
    help: ArgumentHelp("A tag to take away; repeatable.", valueName: "word"), completion: .live)
  var untag: [String] = []

  @Option(help: ArgumentHelp("Free text about it.", valueName: "text"))
  var note: String?

  @Option(
    help: ArgumentHelp(
      "When it expires: a date, a duration such as 30d, or never.", valueName: "time"))
  var expires: String?

  @Option(
    help: ArgumentHelp(
      "What other programs look it up by, such as server=example.com; repeatable.",
      valueName: "name=value"),
    completion: .live)
  var attribute: [String] = []

  @Option(
    help: "What it is: \(Item.Kind.allCases.map(\.name).joined(separator: ", ")).",
    completion: .list(Item.Kind.allCases.map(\.name)))
  var kind: String?

  /// The options as they were given.
  var given: ItemDetailLine {
    ItemDetailLine(
      tag: tag, untag: untag, note: note, expires: expires, attribute: attribute, kind: kind)
  }
}

/// What a line of `set` says of its item, whoever has read the line.
struct ItemDetailLine: Equatable, Sendable {
  var tag: [String] = []
  var untag: [String] = []
  var note: String?
  var expires: String?
  var attribute: [String] = []
  var kind: String?

  /// Whether the line has any of these options.
  var isGiven: Bool {
    !tag.isEmpty || !untag.isEmpty || note != nil || expires != nil || !attribute.isEmpty
      || kind != nil
  }

  /// The validated options.
  func changes() throws -> ItemChanges {
    var changes = ItemChanges()
    changes.note = note
    if let kind {
      guard let known = Item.Kind(name: kind) else {
        throw CommandError.usage(
          "unknown kind of item",
          hint: "known: \(Item.Kind.allCases.map(\.name).joined(separator: ", "))")
      }
      changes.kind = known
    }
    if let expires {
      if expires == "never" {
        changes.expires = .some(nil)
      } else if let date = Timestamp.date(expires) {
        changes.expires = date
      } else {
        throw CommandError.usage(
          "--expires must be a date, a duration or never",
          hint: "such as: 2027-01-31, 2027-01-31T12:00:00Z, 30d, never")
      }
    }
    _ = try attributes()
    return changes
  }

  /// Returns `changes` with the item's tags and attributes added, and tags taken away.
  ///
  /// An attribute without a value, `server=`, is removed.
  ///
  /// - Parameters:
  ///   - changes: What ``changes()`` returned.
  ///   - item: The item as it is; `nil` for a new one.
  /// - Returns: The changes.
  /// - Throws: ``CommandError`` with code `usage` for an attribute without a name.
  func merged(into changes: ItemChanges, for item: Item?) throws -> ItemChanges {
    var changes = changes
    if !tag.isEmpty || !untag.isEmpty {
      changes.tags = ((item?.tags ?? []) + tag).filter { !untag.contains($0) }
    }
    if !attribute.isEmpty {
      changes.attributes = (item?.attributes ?? [:])
        .merging(try attributes()) { _, new in new }.filter { !$0.value.isEmpty }
    }
    return changes
  }

  private func attributes() throws -> [String: String] {
    try AttributeList.attributes(attribute)
  }
}
