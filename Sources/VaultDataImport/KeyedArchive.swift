import VaultPreferences

/// The objects of an archive that `NSKeyedArchiver` wrote, read without any of their classes.
///
/// An archive is a property list: `$objects` has every object once, references are `CF$UID`, and
/// number 0 stands for nil.
struct KeyedArchive {
  private let objects: [PreferenceValue]
  /// The archived object.
  let root: PreferenceValue

  /// - Returns: `nil` if the property list is not such an archive.
  init?(_ propertyList: PreferenceValue) {
    guard case .dictionary(let archive) = propertyList,
      case .array(let objects) = archive["$objects"],
      case .dictionary(let top) = archive["$top"], let root = top["root"]
    else { return nil }
    self.objects = objects
    self.root = root
  }

  /// The value that a reference leads to; `nil` for nil.
  func object(_ value: PreferenceValue?) -> PreferenceValue? {
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
    switch object(value) {
    case .string(let text): text
    case .dictionary(let fields): string(fields["NS.string"])
    default: nil
    }
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
    switch object(value) {
    case .array(let elements): return elements
    case .dictionary(let fields):
      if case .array(let elements) = object(fields["NS.objects"]) { return elements }
      guard case .array(let values) = object(self.fields(fields["values"])?["NS.objects"]) else {
        return []
      }
      return values.filter { $0 != fields["emptyToken"] }
    default: return []
    }
  }
}
