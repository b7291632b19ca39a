// Names are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import VaultCredentials

/// Adds an item.
///
/// ```swift
/// let query: [String: Any] = [
///   kSecClass as String: kSecClassGenericPassword,
///   kSecAttrService as String: "com.example.tool",
///   kSecAttrAccount as String: "me",
///   kSecValueData as String: Data("s3cr3t".utf8),
/// ]
/// let status = SecItemAdd(query as CFDictionary, nil)
/// ```
///
/// - Parameters:
///   - attributes: The class, the secret, attributes, and what is to be returned.
///   - result: Where that goes; `nil` for nowhere.
/// - Returns: ``errSecSuccess``; ``errSecDuplicateItem`` if there is an item with the same primary
///   keys, ``errSecParam``, ``errSecUnimplemented``, ``errSecDataTooLarge`` beyond 1 MiB, or what
///   Documentation/keychain.md lists.
@discardableResult
public func SecItemAdd(
  _ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
  unsafe answer(result) { try KeychainItems().add(attributes) }
}

/// Finds items.
///
/// ```swift
/// var item: CFTypeRef?
/// let status = SecItemCopyMatching(query as CFDictionary, &item)
/// let secret = item as? Data
/// ```
///
/// - Parameters:
///   - query: The class, attributes that items must have, how many, and what is to be returned.
///   - result: Where that goes; `nil` for nowhere.
/// - Returns: ``errSecSuccess``; ``errSecItemNotFound``, ``errSecParam``, ``errSecUnimplemented``,
///   or what Documentation/keychain.md lists.
@discardableResult
public func SecItemCopyMatching(
  _ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
  unsafe answer(result) { try KeychainItems().copy(query) }
}

/// Changes the items that a query finds: all of them or none.
///
/// - Parameters:
///   - query: The class, and attributes that items must have.
///   - attributesToUpdate: Attributes, and the secret, as they are to be.
/// - Returns: ``errSecSuccess``; ``errSecItemNotFound``, ``errSecDuplicateItem`` if another item
///   has the new primary keys, ``errSecParam``, or what Documentation/keychain.md lists.
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
  answer(nil) {
    try KeychainItems().update(query, attributesToUpdate)
    return nil
  }
}

/// Puts the items that a query finds into the vault's trash: all of them or none.
///
/// - Parameter query: The class, and attributes that items must have.
/// - Returns: ``errSecSuccess``; ``errSecItemNotFound``, ``errSecParam``, or what
///   Documentation/keychain.md lists.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
  answer(nil) {
    try KeychainItems().delete(query)
    return nil
  }
}

/// What a code means, in English.
///
/// - Parameters:
///   - status: The code.
///   - reserved: Not used.
/// - Returns: Apple's sentence; `OSStatus` and the number for a code without one.
public func SecCopyErrorMessageString(
  _ status: OSStatus, _ reserved: UnsafeMutableRawPointer?
) -> CFString? {
  StatusTexts.all[status] ?? "OSStatus \(status)"
}

// MARK: - Dictionaries of Foundation's

/// Adds an item, as ``SecItemAdd(_:_:)-(CFDictionary,_)`` does.
@discardableResult
public func SecItemAdd(
  _ attributes: NSDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
  guard let attributes = attributes as? [String: Any] else { return errSecParam }
  return unsafe SecItemAdd(attributes, result)
}

/// Finds items, as ``SecItemCopyMatching(_:_:)-(CFDictionary,_)`` does.
@discardableResult
public func SecItemCopyMatching(
  _ query: NSDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
  guard let query = query as? [String: Any] else { return errSecParam }
  return unsafe SecItemCopyMatching(query, result)
}

/// Changes items, as ``SecItemUpdate(_:_:)-(CFDictionary,_)`` does.
@discardableResult
public func SecItemUpdate(_ query: NSDictionary, _ attributesToUpdate: NSDictionary) -> OSStatus {
  guard let query = query as? [String: Any], let attributes = attributesToUpdate as? [String: Any]
  else { return errSecParam }
  return SecItemUpdate(query, attributes)
}

/// Puts items into the trash, as ``SecItemDelete(_:)-(CFDictionary)`` does.
@discardableResult
public func SecItemDelete(_ query: NSDictionary) -> OSStatus {
  guard let query = query as? [String: Any] else { return errSecParam }
  return SecItemDelete(query)
}

/// Runs a call, and turns what it throws into its code.
private func answer(
  _ result: UnsafeMutablePointer<CFTypeRef?>?, _ call: () throws -> (any Sendable)?
) -> OSStatus {
  do {
    let value = try call()
    if let value { unsafe result?.pointee = value as AnyObject }
    return errSecSuccess
  } catch {
    return OSStatus(error)
  }
}
