// swift-format-ignore-file
import Foundation
import Security

// The class that articles on the Keychain show, with nothing changed for Linux.

enum KeychainError: Error {
  case noPassword
  case unexpectedPasswordData
  case unhandledError(status: OSStatus)
}

final class KeychainService {
  let service: String

  init(service: String) {
    self.service = service
  }

  func save(_ password: String, account: String) throws {
    let data = password.data(using: .utf8)!
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrService as String: service,
      kSecAttrAccount as String: account,
      kSecValueData as String: data,
    ]
    SecItemDelete(query as CFDictionary)
    let status = SecItemAdd(query as CFDictionary, nil)
    guard status == errSecSuccess else { throw KeychainError.unhandledError(status: status) }
  }

  func load(account: String) throws -> String {
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrService as String: service,
      kSecAttrAccount as String: account,
      kSecMatchLimit as String: kSecMatchLimitOne,
      kSecReturnAttributes as String: true,
      kSecReturnData as String: true,
    ]
    var item: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &item)
    guard status != errSecItemNotFound else { throw KeychainError.noPassword }
    guard status == errSecSuccess else { throw KeychainError.unhandledError(status: status) }
    guard let existingItem = item as? [String: Any],
      let passwordData = existingItem[kSecValueData as String] as? Data,
      let password = String(data: passwordData, encoding: .utf8),
      existingItem[kSecAttrAccount as String] as? String == account
    else { throw KeychainError.unexpectedPasswordData }
    return password
  }

  func update(_ password: String, account: String) throws {
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrService as String: service,
      kSecAttrAccount as String: account,
    ]
    let attributes: [String: Any] = [kSecValueData as String: Data(password.utf8)]
    let status = SecItemUpdate(query as CFDictionary, attributes as CFDictionary)
    guard status != errSecItemNotFound else { throw KeychainError.noPassword }
    guard status == errSecSuccess else { throw KeychainError.unhandledError(status: status) }
  }

  func delete(account: String) throws {
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrService as String: service,
      kSecAttrAccount as String: account,
    ]
    let status = SecItemDelete(query as CFDictionary)
    guard status == errSecSuccess || status == errSecItemNotFound else {
      throw KeychainError.unhandledError(status: status)
    }
  }
}

// Other forms of the same calls.

struct KeychainForms {
  static func readData(_ account: String) -> Data? {
    let query = [
      kSecClass: kSecClassGenericPassword,
      kSecAttrAccount: account,
      kSecReturnData: kCFBooleanTrue as Any,
      kSecMatchLimit: kSecMatchLimitOne,
    ] as CFDictionary
    var result: AnyObject?
    let status = SecItemCopyMatching(query, &result)
    return status == noErr ? result as? Data : nil
  }

  static func readByPointer(_ account: String) -> Data? {
    var query = [String: Any]()
    query[kSecClass as String] = kSecClassGenericPassword
    query[kSecAttrAccount as String] = account
    query[kSecReturnData as String] = kCFBooleanTrue
    query[kSecMatchLimit as String] = kSecMatchLimitOne
    var result: AnyObject?
    let status = withUnsafeMutablePointer(to: &result) {
      SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
    }
    guard status == errSecSuccess else { return nil }
    return (result as! Data)
  }

  static func accounts() -> [String] {
    let query: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword,
      kSecReturnAttributes: kCFBooleanTrue!,
      kSecMatchLimit: kSecMatchLimitAll,
    ]
    var items: AnyObject?
    guard SecItemCopyMatching(query as CFDictionary, &items) == errSecSuccess else { return [] }
    let found = items as? [[String: Any]] ?? []
    return found.compactMap { $0[kSecAttrAccount as String] as? String }.sorted()
  }
}
