import FoundationEssentials
import VaultCredentials
import VaultStorage

/// An item of the vault as clients of the Secret Service see it.
struct ServedItem {
  /// What clients do not see is kept in attributes of these names.
  static let labelAttribute = "vault:label"
  static let contentTypeAttribute = "vault:content-type"
  private static let hiddenPrefix = "vault:"
  /// The attribute of published copies that has the item's name.
  static let userAttribute = "username"
  /// What published copies have for their service, and items of other programs hardly.
  private static let publishedService = "vault"

  let item: Item
  let path: String
  /// The attributes that the item has.
  let own: [String: String]

  init(_ item: Item, collection: String) {
    self.item = item
    path = "\(collection)/\(item.id)"
    own = item.attributes.filter { !$0.key.utf8.starts(with: Self.hiddenPrefix.utf8) }
  }

  /// The attributes that published copies have, by which every item can be found.
  private var published: [String: String] {
    [
      "service": Self.publishedService, Self.userAttribute: item.name.text, "application": "vault",
      SecretServiceNames.schemaAttribute: SecretServiceNames.genericSchema,
    ]
  }

  /// The attributes that clients see.
  var attributes: [String: String] { own.isEmpty ? published : own }

  var label: String { item.attributes[Self.labelAttribute] ?? item.name.text }

  var contentType: String { item.attributes[Self.contentTypeAttribute] ?? "text/plain" }

  var created: UInt64 { Self.seconds(item.created) }

  var modified: UInt64 { Self.seconds(item.modified) }

  private static func seconds(_ date: Date) -> UInt64 {
    UInt64(max(0, date.timeIntervalSince1970))
  }

  /// Whether it has all these attributes.
  func matches(_ wanted: [String: String]) -> Bool {
    if wanted.allSatisfy({ own[$0.key] == $0.value }) { return true }
    guard Self.mayBePublished(wanted) || wanted[Self.userAttribute] == item.name.text else {
      return false
    }
    let published = published
    return wanted.allSatisfy { published[$0.key] == $0.value }
  }

  /// Whether any item may have these attributes in its published copy.
  static func mayBePublished(_ wanted: [String: String]) -> Bool {
    wanted["service"] == publishedService
  }

  /// Whether clients see another item than the other, which has the same id.
  func differs(from other: ServedItem) -> Bool {
    item.version != other.item.version || item.modified != other.item.modified
      || attributes != other.attributes || label != other.label
  }

  /// All attributes to store, for these that clients see.
  func stored(_ attributes: [String: String]) -> [String: String] {
    var stored = item.attributes.filter { $0.key.utf8.starts(with: Self.hiddenPrefix.utf8) }
    for (name, value) in attributes { stored[name] = value }
    return stored
  }

  /// Whether clients may use these attributes: what has the prefix is the vault's.
  static func areUsable(_ attributes: [String: String]) -> Bool {
    !attributes.keys.contains { $0.utf8.starts(with: hiddenPrefix.utf8) }
  }
}

/// Which items a client may see: patterns of names, or of what programs call their service.
package struct ServedScope: Sendable {
  private let patterns: [String]

  /// A scope.
  ///
  /// - Parameter patterns: Patterns as shells have them; all items if there is none.
  package init(_ patterns: [String]) { self.patterns = patterns }

  /// The attributes that name the service or server that a secret is for.
  private static let attributes = ["service", "server"]

  /// Whether an item of this name and these attributes is in it.
  func contains(name: String, attributes: [String: String]) -> Bool {
    guard !patterns.isEmpty else { return true }
    let texts = [name] + Self.attributes.compactMap { attributes[$0] }
    return patterns.contains { pattern in
      let pattern = NamePattern(pattern)
      return texts.contains { pattern.matches($0) }
    }
  }

  /// The attributes by which other programs than the desktop's get a secret from the vault: git,
  /// docker and aws by their helper, sudo and ssh by their prompt, a command by its environment, a
  /// browser by the address of a site.
  private static let steering = ["client", "askpass", "variable", "url"]

  /// Whether a client may give an item these attributes: whoever is shown a part of the vault does
  /// not choose what programs outside of it get.
  ///
  /// - Parameters:
  ///   - name: The item's name.
  ///   - attributes: What it is to have.
  ///   - present: What it has.
  /// - Returns: Whether it is in the scope with them, and steers nobody outside of it.
  func maySet(name: String, attributes: [String: String], over present: [String: String]) -> Bool {
    contains(name: name, attributes: attributes)
      && (patterns.isEmpty || Self.steering.allSatisfy { attributes[$0] == present[$0] })
  }
}
