package import VaultCredentials
package import VaultSealing
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
  /// id of the association it is for, and with what proves that it was allowed on this machine.
  ///
  /// What has the prefix, no client of the Secret Service sees or sets. Who shares the vault writes
  /// attributes, too, and could name any site: the proof is a hash under a data key of this machine's
  /// vault file, which nobody else has.
  package static let allowedAttribute = "vault:browser-allow"
  /// The purpose of the data key of those proofs, which stays in this machine's vault file.
  package static let keyPurpose = "machine-browser"
  /// The bytes of a data key's id, and of a proof.
  private static let (keyLength, proofLength) = (16, 16)
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

  /// A site behind the id of an association: what is allowed.
  private static func entry(_ site: String, _ association: String) -> String {
    "\(association)@\(site)"
  }

  /// What is allowed, with its proof: in hex, the data key's id and the hash.
  private static func proved(
    _ entry: String, of item: Item, by id: [UInt8], _ key: SecretBytes
  ) throws -> String {
    let text = "vault-browser-allow\n\(item.id)\n\(entry)"
    let proof = try Hash.blake2b(Array(text.utf8), count: proofLength, key: key)
    return "\(entry)#\(Hexadecimal.text(id + proof))"
  }

  /// Whether what an item says allows an entry, and was made with a data key of this vault.
  private static func isProved(
    _ said: String, _ entry: String, of item: Item, _ key: (_ id: [UInt8]) -> SecretBytes?
  ) -> Bool {
    let start = "\(entry)#"
    guard said.begins(with: start),
      let bytes = Hexadecimal.bytes(
        String(decoding: said.utf8.dropFirst(start.utf8.count), as: UTF8.self)),
      bytes.count == keyLength + proofLength
    else { return false }
    let id = Array(bytes.prefix(keyLength))
    guard let key = key(id), let own = try? proved(entry, of: item, by: id, key) else {
      return false
    }
    return said.isSame(as: own)
  }

  /// Whether nobody is asked any more about an item at a site.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - site: The origin.
  ///   - association: The id of the association of the browser that asks.
  ///   - key: Finds a data key of the vault by its id.
  /// - Returns: Whether a person has said so to this browser, on this machine.
  package static func isAllowed(
    _ item: Item, at site: String, for association: String, key: (_ id: [UInt8]) -> SecretBytes?
  ) -> Bool {
    let entry = entry(site, association)
    return allowed(of: item).contains { isProved($0, entry, of: item, key) }
  }

  /// The attributes of an item for which a site is allowed to a browser, too.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - site: The origin.
  ///   - association: The id of the browser's association.
  ///   - key: The data key with the purpose ``keyPurpose``, and its id.
  ///   - earlier: Finds a data key of the vault by its id.
  /// - Returns: All of its attributes; `nil` if there is no more room.
  /// - Throws: `SealingError`.
  package static func attributes(
    of item: Item, allowing site: String, for association: String,
    key: (id: [UInt8], key: SecretBytes), earlier: (_ id: [UInt8]) -> SecretBytes?
  ) throws -> [String: String]? {
    let entry = entry(site, association)
    // What other machines have said of the same site stays, for them.
    let others = allowed(of: item).filter { !isProved($0, entry, of: item, earlier) }
    let new = try proved(entry, of: item, by: key.id, key.key)
    let text = (others + [new]).joined(separator: " ")
    guard text.utf8.count <= ItemLimits.attributeValue else { return nil }
    var attributes = item.attributes
    attributes[allowedAttribute] = text
    return attributes
  }
}
