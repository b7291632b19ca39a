import Foundation
import VaultCredentials

/// A dictionary of a call, read.
struct ItemRequest {
  /// What a call is to return.
  struct Returned {
    var data = false
    var attributes = false
    var reference = false
    var persistentReference = false

    var isNothing: Bool { !data && !attributes && !reference && !persistentReference }
  }

  /// The items that are meant.
  var search: ItemSearch
  /// What is to be stored; it says nothing of which items are meant, as with Apple: many programs
  /// delete by the dictionary that they add by.
  var secret: Data?
  var returned = Returned()
  /// How many items; `nil` for one that is not in an array.
  var limit: Int?
  /// Whether somebody may be asked.
  var prompt = Prompt.allowed
  /// The comment, as it was given.
  var comment: String? { search.comment }

  enum Prompt {
    case allowed
    case refused
    /// What is locked counts as not there.
    case skipped
  }

  /// Reads a query, or what is to be added.
  ///
  /// - Throws: ``Refusal`` of ``errSecParam`` for what makes no sense, of ``errSecUnimplemented``
  ///   for what nothing here does.
  init(_ query: CFDictionary, application: String) throws {
    search = ItemSearch(application: application)
    if let given = query[kSecClass] { search.itemClass = try ItemClass(given) }
    for (key, given) in query where key != kSecClass {
      if try readAttribute(key, given) || readReturned(key, given) || readMatch(key, given) {
        continue
      }
      try readRest(key, given)
    }
    guard search.itemClass != nil || search.references != nil else { throw Refusal(errSecParam) }
  }

  private mutating func readAttribute(_ key: String, _ given: Any) throws -> Bool {
    if key == kSecAttrSynchronizable, case .text(kSecAttrSynchronizableAny)? = try? Given(given) {
      search.synchronizable = nil
      return true
    }
    if let attribute = ItemAttribute.byKey[key] {
      let value = try AttributeText(given, for: attribute)
      if key == kSecAttrSynchronizable { search.synchronizable = !value.text.isEmpty }
      search.values.append((attribute, value))
      return true
    }
    switch key {
    case kSecAttrComment: search.comment = try Self.text(given)
    case kSecAttrCreationDate: search.created = try Self.date(given)
    case kSecAttrModificationDate: search.modified = try Self.date(given)
    case kSecAttrAccessControl:
      search.values.append(try Self.accessible(given))
    case kSecValueData:
      guard case .bytes(let data) = try Given(given) else { throw Refusal(errSecParam) }
      secret = data
    default: return false
    }
    return true
  }

  private mutating func readReturned(_ key: String, _ given: Any) throws -> Bool {
    switch key {
    case kSecReturnData: returned.data = try Given.isTrue(given)
    case kSecReturnAttributes: returned.attributes = try Given.isTrue(given)
    case kSecReturnRef: returned.reference = try Given.isTrue(given)
    case kSecReturnPersistentRef: returned.persistentReference = try Given.isTrue(given)
    default: return false
    }
    return true
  }

  private mutating func readMatch(_ key: String, _ given: Any) throws -> Bool {
    switch key {
    case kSecMatchLimit: limit = try Self.limit(given)
    case kSecMatchCaseInsensitive: search.ignoresCase = try Given.isTrue(given)
    case kSecValuePersistentRef, kSecAttrPersistentReference:
      guard case .bytes(let data) = try Given(given) else { throw Refusal(errSecParam) }
      search.references = [data]
    case kSecValueRef:
      guard let item = try Given.unwrapped(given) as? SecKeychainItem else {
        throw Refusal(errSecUnimplemented)
      }
      search.references = [item.reference]
    case kSecMatchItemList:
      guard let list = try Given.unwrapped(given) as? [Any] else { throw Refusal(errSecParam) }
      search.references = try list.map { element in
        if let item = element as? SecKeychainItem { return item.reference }
        guard case .bytes(let data) = try Given(element) else { throw Refusal(errSecParam) }
        return data
      }
    default: return false
    }
    return true
  }

  private mutating func readRest(_ key: String, _ given: Any) throws {
    switch key {
    case kSecUseAuthenticationUI:
      switch try Self.text(given) {
      case kSecUseAuthenticationUIAllow: prompt = .allowed
      case kSecUseAuthenticationUIFail: prompt = .refused
      case kSecUseAuthenticationUISkip: prompt = .skipped
      default: throw Refusal(errSecParam)
      }
    case kSecUseNoAuthenticationUI:
      if try Given.isTrue(given) { prompt = .refused }
    // What says nothing about items here, and what Apple returns and takes back unread.
    case kSecUseDataProtectionKeychain, kSecUseOperationPrompt, kSecUseAuthenticationContext,
      kSecUseUserIndependentKeychain, kSecAttrSyncViewHint, "sha1", "musr", "tomb", "UUID":
      break
    default:
      // Of certificates and keys, and of keychains in files.
      let isKnown = key.hasPrefix("m_") || key.hasPrefix("u_") || Self.ofOthers.contains(key)
      throw Refusal(isKnown ? errSecUnimplemented : errSecParam)
    }
  }

  private static let ofOthers: Set = [kSecAttrAccess, kSecAttrTokenID]

  // MARK: - Values

  static func text(_ given: Any) throws -> String {
    guard case .text(let text) = try Given(given) else { throw Refusal(errSecParam) }
    return text
  }

  private static func date(_ given: Any) throws -> Date {
    guard case .date(let date) = try Given(given) else { throw Refusal(errSecParam) }
    return date
  }

  /// What an access control object without flags says of when an item can be read.
  static func accessible(_ given: Any) throws -> (attribute: ItemAttribute, value: AttributeText) {
    guard let control = try Given.unwrapped(given) as? SecAccessControl,
      let attribute = ItemAttribute.byKey[kSecAttrAccessible]
    else { throw Refusal(errSecParam) }
    guard control.flags.isEmpty else { throw Refusal(errSecUnimplemented) }
    return (attribute, try AttributeText(control.protection, for: attribute))
  }

  private static func limit(_ given: Any) throws -> Int? {
    switch try Given(given) {
    case .text(kSecMatchLimitOne): return nil
    case .text(kSecMatchLimitAll): return .max
    case .number(let number):
      guard number.intValue > 0 else { throw Refusal(errSecParam) }
      return number.intValue == 1 ? nil : number.intValue
    default: throw Refusal(errSecParam)
    }
  }
}

/// What an item is changed to.
struct ItemUpdate {
  private(set) var values: [(attribute: ItemAttribute, value: AttributeText)] = []
  private(set) var comment: String?
  private(set) var secret: Data?

  /// Reads the attributes of an update.
  ///
  /// - Throws: ``Refusal`` of ``errSecParam`` for none, or for what is not an attribute.
  init(_ attributes: CFDictionary) throws {
    guard !attributes.isEmpty else { throw Refusal(errSecParam) }
    for (key, given) in attributes {
      switch key {
      case kSecValueData:
        guard case .bytes(let data) = try Given(given) else { throw Refusal(errSecParam) }
        secret = data
      case kSecAttrComment: comment = try ItemRequest.text(given)
      case kSecAttrAccessControl: values.append(try ItemRequest.accessible(given))
      // The vault sets them.
      case kSecAttrCreationDate, kSecAttrModificationDate: break
      default:
        guard let attribute = ItemAttribute.byKey[key] else { throw Refusal(errSecParam) }
        values.append((attribute, try AttributeText(given, for: attribute)))
      }
    }
  }
}
