import Foundation
import Security
import TestSupport
import VaultCredentials
import VaultStorage

/// A vault of a test, and the calls on items for a program that uses it.
struct TestKeychain {
  let vault: ThrowawayVault
  private let place: KeychainVault

  init(
    _ vault: ThrowawayVault? = nil, application: String = "one", keepsOpen: Bool = false
  ) throws {
    let vault = try vault ?? ThrowawayVault()
    self.vault = vault
    let key = vault.key
    place = KeychainVault(
      location: try vault.location, sources: [.key { key }], application: application,
      options: .alone, keepsOpen: keepsOpen)
  }

  /// A place of a test's own choice.
  init(_ vault: ThrowawayVault, sources: [KeySource], location: StoreLocation? = nil) throws {
    self.vault = vault
    place = KeychainVault(
      location: try location ?? vault.location, sources: sources, application: "one",
      options: .alone)
  }

  func callAsFunction<Result>(_ calls: () throws -> Result) rethrows -> Result {
    try KeychainVault.$current.withValue(place, operation: calls)
  }

  func add(_ attributes: CFDictionary) -> OSStatus { self { SecItemAdd(attributes, nil) } }

  func delete(_ query: CFDictionary) -> OSStatus { self { SecItemDelete(query) } }

  func update(_ query: CFDictionary, _ attributes: CFDictionary) -> OSStatus {
    self { SecItemUpdate(query, attributes) }
  }

  /// What a query returns, and its code.
  func find(_ query: CFDictionary) -> (status: OSStatus, value: AnyObject?) {
    self {
      var value: CFTypeRef?
      let status = unsafe SecItemCopyMatching(query, &value)
      return (status, value)
    }
  }

  /// The secret of what a query finds, as text.
  func text(_ query: CFDictionary) -> String? {
    let data = find(query.adding([kSecReturnData: true])).value as? Data
    return data.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The attributes of what a query finds.
  func attributes(_ query: CFDictionary) -> [String: Any]? {
    find(query.adding([kSecReturnAttributes: true])).value as? [String: Any]
  }

  /// The names of the items in the vault, as the command lists them.
  func names() throws -> [String] {
    try vault.open.blocking.items().map(\.name.text)
  }
}

extension CFDictionary {
  func adding(_ more: CFDictionary) -> CFDictionary { merging(more) { $1 } }

  /// A generic password.
  static func generic(
    _ service: String?, _ account: String?, _ more: CFDictionary = [:]
  ) -> CFDictionary {
    var query = more
    query[kSecClass] = kSecClassGenericPassword
    if let service { query[kSecAttrService] = service }
    if let account { query[kSecAttrAccount] = account }
    return query
  }

  /// An internet password.
  static func internet(
    _ server: String?, _ account: String?, _ more: CFDictionary = [:]
  ) -> CFDictionary {
    var query = more
    query[kSecClass] = kSecClassInternetPassword
    if let server { query[kSecAttrServer] = server }
    if let account { query[kSecAttrAccount] = account }
    return query
  }

  /// The same, to be stored with a secret.
  func storing(_ text: String) -> CFDictionary { adding([kSecValueData: Data(text.utf8)]) }
}
