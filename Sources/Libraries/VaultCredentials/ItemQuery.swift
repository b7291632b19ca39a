public import FoundationEssentials
import VaultSealing
import VaultStorage

/// The conditions that an item must meet.
///
/// ```swift
/// var query = ItemQuery()
/// query.attributes = ["server": "github.com"]
/// let accounts = try await vault.items(matching: query)
/// ```
public struct ItemQuery: Sendable {
  /// A pattern for names with `*`, `?` and `[…]`, as in a shell; `nil` matches every name.
  public var pattern: String?
  /// A folder that the item must be below, such as `work`: its name begins with `work/`.
  public var folder: String?
  /// A text that the name must contain, in any case.
  public var text: String?
  /// A tag that the item must have.
  public var tag: String?
  /// Attributes that the item must have, with exactly these values.
  public var attributes: [String: String] = [:]
  /// Selects items in the trash instead of live ones.
  public var isInTrash = false
  /// A time before which the item must expire.
  public var expiresBefore: Date?
  /// Selects only items of which a merge left something to be settled: ``Item/conflicts``; among
  /// them those that it put into the trash.
  public var isConflicting = false

  /// Matches all live items.
  public static let all = ItemQuery()

  /// Creates a query that matches all live items.
  public init() {}

  /// The same conditions but for the text.
  package var withoutText: ItemQuery {
    var query = self
    query.text = nil
    return query
  }

  /// Whether all items match that are live, or in the trash where those are asked for.
  var hasNoConditions: Bool {
    pattern == nil && folder == nil && text == nil && tag == nil && attributes.isEmpty
      && expiresBefore == nil && !isConflicting
  }

  func matches(_ record: ItemRecord) -> Bool {
    let isThere = isConflicting && record.attributes[ItemConflict.removal] != nil
    guard (record.trashed != 0) == isInTrash || isThere else { return false }
    if let tag, !record.tags.contains(tag) { return false }
    for (name, value) in attributes {
      // Byte by byte: two users whose names look alike are two users.
      guard let known = record.attributes[name], known.isSame(as: value) else { return false }
    }
    if let expiresBefore {
      guard record.expires != 0, record.expires < expiresBefore.milliseconds else { return false }
    }
    if isConflicting, !ItemConflict.isUnsettled(record.attributes) { return false }
    return matches(name: record.name)
  }

  /// Whether the query asks for nothing but names of live items.
  var isOfNames: Bool {
    tag == nil && attributes.isEmpty && expiresBefore == nil && !isInTrash && !isConflicting
  }

  /// Whether a name is one that the query asks for.
  func matches(name: String) -> Bool {
    if let folder, !name.utf8.starts(with: "\(folder)/".utf8) { return false }
    if let text,
      !UnicodeNormalization.folded(name).contains(bytes: UnicodeNormalization.folded(text))
    {
      return false
    }
    return pattern.map { NamePattern($0).matches(name) } ?? true
  }
}
