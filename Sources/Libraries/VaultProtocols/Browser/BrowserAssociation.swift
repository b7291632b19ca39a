package import VaultCredentials
import VaultSealing
import VaultStorage

/// A browser's profile that a person has associated with the vault: an item, whose secret is the key
/// by which the extension is known again.
///
/// KeePassXC's protocol has no proof that the extension owns that key: it is as good as a password of
/// the extension. So it is bound to the browser's executable and to the user.
package struct BrowserAssociation: Sendable {
  /// The folder of the items, and their `client`.
  package static let client = "browser"
  /// The attribute of an item that has the sites for which nobody is asked any more, each with the
  /// id of the association it is for.
  ///
  /// What has the prefix, no client of the Secret Service sees or sets.
  package static let allowedAttribute = "vault:browser-allow"
  private static let (browserAttribute, profileAttribute, userAttribute) = (
    "browser", "profile", "user"
  )

  /// The item, whose name is what the extension shows.
  package let item: Item
  /// The path of the browser's executable.
  package let browser: String
  /// The browser's profile, as far as it was known.
  package let profile: String
  /// The number of the user.
  package let user: String

  /// The association that an item is; `nil` if it is another item.
  package init?(_ item: Item) {
    let attributes = item.attributes
    guard ServiceCredential.isSame(attributes[ServiceCredential.client], Self.client),
      let browser = attributes[Self.browserAttribute], let user = attributes[Self.userAttribute]
    else { return nil }
    (self.item, self.browser, self.user) = (item, browser, user)
    profile = attributes[Self.profileAttribute] ?? ""
  }

  /// All associations of a vault, by their names.
  package static func all(in snapshot: VaultSnapshot) -> [BrowserAssociation] {
    var query = ItemQuery()
    query.attributes = [ServiceCredential.client: client]
    return snapshot.items(matching: query).compactMap(Self.init)
  }

  /// Whether it is a browser's.
  package func isOf(browser: String, user: UInt32) -> Bool {
    ServiceCredential.isSame(self.browser, browser)
      && ServiceCredential.isSame(self.user, String(user))
  }

  /// The item of a new association.
  ///
  /// - Parameters:
  ///   - key: The extension's key, in base64.
  ///   - browser: The path of the browser's executable.
  ///   - profile: Its profile.
  ///   - user: The number of the user.
  ///   - isTaken: Whether an item has a name.
  /// - Returns: The item to store.
  /// - Throws: `CredentialError`, `SealingError`.
  package static func draft(
    key: String, browser: String, profile: String, user: UInt32,
    isTaken: (ItemName) throws -> Bool
  ) throws -> ItemDraft {
    var changes = ItemChanges()
    changes.kind = .token
    changes.attributes = [
      ServiceCredential.client: client, browserAttribute: browser, userAttribute: String(user),
    ]
    if !profile.isEmpty { changes.attributes?[profileAttribute] = profile }
    let program = browser.parts(at: "/").last.map(String.init) ?? browser
    let name = try FreeName.like(
      ServiceCredential.name([client, program]), isTaken: isTaken)
    return ItemDraft(name, main: try SecretBytes(text: key), changes: changes)
  }

  /// What is allowed of an item: sites, each behind the id of an association.
  private static func allowed(of item: Item) -> [String] {
    (item.attributes[allowedAttribute] ?? "").parts(at: " ").map(String.init).filter { !$0.isEmpty }
  }

  private static func entry(_ site: String, _ association: String) -> String {
    "\(association)@\(site)"
  }

  /// Whether nobody is asked any more about an item at a site.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - site: The origin.
  ///   - association: The id of the association of the browser that asks.
  /// - Returns: Whether a person has said so to this browser.
  package static func isAllowed(_ item: Item, at site: String, for association: String) -> Bool {
    allowed(of: item).contains { $0.isSame(as: entry(site, association)) }
  }

  /// The attributes of an item for which a site is allowed to a browser, too.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - site: The origin.
  ///   - association: The id of the browser's association.
  /// - Returns: All of its attributes; `nil` if there is no more room.
  package static func attributes(
    of item: Item, allowing site: String, for association: String
  ) -> [String: String]? {
    let new = entry(site, association)
    let text = (allowed(of: item).filter { !$0.isSame(as: new) } + [new]).joined(separator: " ")
    guard text.utf8.count <= ItemLimits.attributeValue else { return nil }
    var attributes = item.attributes
    attributes[allowedAttribute] = text
    return attributes
  }
}
