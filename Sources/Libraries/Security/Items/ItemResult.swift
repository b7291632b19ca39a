import Foundation
import VaultCredentials
import VaultSealing

extension ItemRequest.Returned {
  /// What a call returns of an item: a value alone, or a dictionary of several.
  func value(
    of item: Item, _ itemClass: ItemClass, secret: () throws -> Data
  ) throws -> any Sendable {
    let reference = ItemReference.data(item, itemClass)
    var values: [String: any Sendable] = [:]
    if data { values[kSecValueData] = try secret() }
    if persistentReference { values[kSecValuePersistentRef] = reference }
    if self.reference { values[kSecValueRef] = SecKeychainItem(reference) }
    if values.count == 1, !attributes, let only = values.first { return only.value }
    if attributes { values.merge(Self.attributes(of: item, itemClass)) { value, _ in value } }
    return values
  }

  private static func attributes(
    of item: Item, _ itemClass: ItemClass
  ) -> [String: any Sendable] {
    var values: [String: any Sendable] = [
      kSecClass: itemClass.code, kSecAttrCreationDate: item.created,
      kSecAttrModificationDate: item.modified,
    ]
    for key in itemClass.namedAnyway { values[key] = "" }
    let attributes = item.attributes
    for attribute in ItemAttribute.all {
      let value = AttributeText(attribute, of: attributes).value(for: attribute)
      // A flag that nobody set is not returned, but that Apple always says of synchronizing.
      let isSaid = attributes[attribute.name] != nil || attribute.key == kSecAttrSynchronizable
      if case .flag = attribute.form, !isSaid { continue }
      if let value { values[attribute.key] = value }
    }
    if !item.note.isEmpty { values[kSecAttrComment] = item.note }
    return values
  }
}

extension Secret {
  /// The secret as ordinary bytes, whose memory nobody wipes: what the Keychain's API returns.
  var data: Data { withBytes { Data($0.array(0..<$0.byteCount)) } }
}
