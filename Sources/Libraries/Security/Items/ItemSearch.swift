import Foundation
import VaultCredentials

/// Which items a query means.
struct ItemSearch {
  /// The class; `nil` where a reference alone says which item.
  var itemClass: ItemClass?
  /// The values that an item must have.
  var values: [(attribute: ItemAttribute, value: AttributeText)] = []
  /// What the note must be.
  var comment: String?
  /// When the item must have been made, changed.
  var created: Date?
  var modified: Date?
  /// References of which the item must have one.
  var references: [Data]?
  /// Whether items that synchronize are meant, those that do not, or both.
  var synchronizable: Bool? = false
  var ignoresCase = false
  /// The program that asks.
  let application: String

  /// Items whose attributes are worth a look: the vault finds them by exact values.
  func candidates(isInTrash: Bool = false) -> ItemQuery {
    var query = ItemQuery()
    query.isInTrash = isInTrash
    if !ignoresCase {
      for (attribute, value) in values where !value.text.isEmpty {
        if attribute.standard.isEmpty { query.attributes[attribute.name] = value.text }
      }
    }
    return query
  }

  /// Whether an item is one of those that are meant.
  func matches(_ item: Item) -> Bool {
    guard let own = ItemClass(of: item), itemClass == nil || itemClass == own else { return false }
    if let references {
      guard references.contains(ItemReference.data(item, own)) else { return false }
    }
    let attributes = item.attributes
    for (attribute, value) in values {
      let known = AttributeText(attribute, of: attributes)
      guard known.isSame(as: value, ignoringCase: ignoresCase) else { return false }
    }
    if let synchronizable, references == nil, isSynchronizable(attributes) != synchronizable {
      return false
    }
    if let comment, !comment.utf8.elementsEqual(item.note.utf8) { return false }
    if let created, !Self.isSame(created, item.created) { return false }
    if let modified, !Self.isSame(modified, item.modified) { return false }
    return isForThisProgram(attributes, own)
  }

  /// Whether an item may be found by this program's query.
  ///
  /// All programs of a person share one vault. One that asks for a service, a server or an access
  /// group gets what is there, whoever stored it. One that names none of them, most of all to
  /// delete everything, means what it has stored itself.
  private func isForThisProgram(_ attributes: [String: String], _ own: ItemClass) -> Bool {
    if references != nil { return true }
    let names = Set(values.filter { !$0.value.text.isEmpty }.map(\.attribute.key))
    if names.contains(own.place) || names.contains(kSecAttrAccessGroup) { return true }
    return attributes[ItemAttribute.application] == application
  }

  private func isSynchronizable(_ attributes: [String: String]) -> Bool {
    ItemAttribute.byKey[kSecAttrSynchronizable].map {
      !AttributeText($0, of: attributes).text.isEmpty
    } ?? false
  }

  private static func isSame(_ left: Date, _ right: Date) -> Bool {
    abs(left.timeIntervalSince(right)) < 0.001
  }

  /// The items that have all primary keys of one that is to be added.
  init(primaryKeysOf attributes: [String: String], _ itemClass: ItemClass, application: String) {
    self.itemClass = itemClass
    self.application = application
    synchronizable = nil
    values = itemClass.primaryKeys.compactMap { ItemAttribute.byKey[$0] }
      .map { ($0, AttributeText($0, of: attributes)) }
  }

  init(application: String) { self.application = application }
}

/// What finds an item again: its class, in four characters, and its id.
enum ItemReference {
  static func data(_ item: Item, _ itemClass: ItemClass) -> Data {
    Data(itemClass.code.utf8) + Data(item.id.utf8)
  }
}

/// An item, as ``kSecReturnRef`` returns it.
public final class SecKeychainItem: Hashable, Sendable {
  let reference: Data

  init(_ reference: Data) { self.reference = reference }

  /// Whether both are one item.
  public static func == (left: SecKeychainItem, right: SecKeychainItem) -> Bool {
    left.reference == right.reference
  }

  /// Feeds what equality compares.
  public func hash(into hasher: inout Hasher) { hasher.combine(reference) }
}
