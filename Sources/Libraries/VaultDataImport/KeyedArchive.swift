import VaultPreferences

/// The objects of an archive that `NSKeyedArchiver` wrote, read without any of their classes.
///
/// An archive is a property list: `$objects` has every object once, references are `CF$UID`, and
/// number 0 stands for nil.
///
/// A reference may lead anywhere, also back to where one came from, and one object may stand in
/// many places. So all walks of one archive share a budget of looks at its objects and of what is
/// written of them, and nothing here recurses along references.
final class KeyedArchive {
  /// A mutable string may hold another one.
  private static let stringsWithinStrings = 8

  private let objects: [PreferenceValue]
  /// The archived object.
  let root: PreferenceValue
  /// What may still be looked at, and written.
  let budget: ReadingBudget

  /// Whether the walks took more than the archive allows: what was read of it is not whole.
  var isExhausted: Bool { budget.isExhausted }

  /// An archive; `nil` if the property list is none.
  ///
  /// - Parameters:
  ///   - propertyList: The property list.
  ///   - budget: That of the bytes that it was read from.
  init?(_ propertyList: PreferenceValue, budget: ReadingBudget) {
    guard case .dictionary(let archive) = propertyList,
      case .array(let objects) = archive["$objects"],
      case .dictionary(let top) = archive["$top"], let root = top["root"]
    else { return nil }
    self.objects = objects
    self.root = root
    self.budget = budget
  }

  /// The value that a reference leads to; `nil` for nil, and for all when the budget is used up.
  func object(_ value: PreferenceValue?) -> PreferenceValue? {
    budget.spend(1)
    guard !isExhausted else { return nil }
    guard case .uid(let number) = value else { return value }
    guard number > 0, number < objects.count else { return nil }
    return objects[Int(number)]
  }

  /// What an object has encoded, by its keys.
  func fields(_ value: PreferenceValue?) -> [String: PreferenceValue]? {
    guard case .dictionary(let fields) = object(value) else { return nil }
    return fields
  }

  /// The class of an object and those that it inherits from.
  func classes(of fields: [String: PreferenceValue]) -> [String] {
    guard let description = self.fields(fields["$class"]),
      case .array(let names) = object(description["$classes"])
    else { return [] }
    return names.compactMap { string($0) }
  }

  func string(_ value: PreferenceValue?) -> String? {
    var next = value
    for _ in 0..<Self.stringsWithinStrings {
      switch object(next) {
      case .string(let text):
        budget.spend(text.utf8.count)
        return isExhausted ? nil : text
      case .dictionary(let fields): next = fields["NS.string"]
      default: return nil
      }
    }
    return nil
  }

  func integer(_ value: PreferenceValue?) -> Int? {
    guard case .integer(let number) = object(value) else { return nil }
    return Int(exactly: number)
  }

  func boolean(_ value: PreferenceValue?) -> Bool {
    switch object(value) {
    case .boolean(let value): value
    case .integer(let value): value != 0
    default: false
    }
  }

  /// The elements of an array or set, or the values of a dictionary.
  ///
  /// Core Data archives the entities of a model as a dictionary of its own,
  /// `NSKnownKeysDictionary1`: `searchMapping` has the keys, and `values` is an array in their
  /// order, with `emptyToken` where a key has no value.
  func elements(_ value: PreferenceValue?) -> [PreferenceValue] {
    func counted(_ elements: [PreferenceValue]) -> [PreferenceValue] {
      budget.spend(elements.count)
      return isExhausted ? [] : elements
    }
    switch object(value) {
    case .array(let elements): return counted(elements)
    case .dictionary(let fields):
      if case .array(let elements) = object(fields["NS.objects"]) { return counted(elements) }
      guard case .array(let values) = object(self.fields(fields["values"])?["NS.objects"]) else {
        return []
      }
      return counted(values).filter { $0 != fields["emptyToken"] }
    default: return []
    }
  }
}
