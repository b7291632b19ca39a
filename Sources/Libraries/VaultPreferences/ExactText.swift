import VaultStorage

/// A key, equal to another one only if it has the same bytes: as files and the store have it, and
/// unlike `String`, to which canonically equivalent texts are equal (é as one code point or two).
package struct ExactText: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The key.
  package let text: String

  package init(_ text: String) { self.text = text }

  package init(stringLiteral text: String) { self.text = text }

  package static func == (left: ExactText, right: ExactText) -> Bool {
    left.text.isSame(as: right.text)
  }
}

/// The keys and values of a domain as the store has them.
package typealias ExactEntries = [ExactText: PreferenceValue]

extension [ExactText: PreferenceValue] {
  /// Entries of which no two keys are equal to Swift.
  package init(_ entries: [String: PreferenceValue]) {
    self.init(minimumCapacity: entries.count)
    for (key, value) in entries { self[ExactText(key)] = value }
  }

  /// What a dictionary of Swift's can hold of them: of canonically equivalent keys the first, by
  /// their bytes.
  ///
  /// - Returns: The entries, and the keys that it has no place for.
  package var folded: (entries: [String: PreferenceValue], hidden: [String]) {
    var entries: [String: PreferenceValue] = [:]
    var hidden: [String] = []
    for key in keys.map(\.text).sorted(by: OldStyleWriter.precedes) {
      if entries.otherSpelling(of: key) == nil {
        entries[key] = self[ExactText(key)]
      } else {
        hidden.append(key)
      }
    }
    return (entries, hidden)
  }
}

extension Dictionary where Key == String {
  /// The key that takes the place of another one, since it is equal to it but for its bytes: `nil` if
  /// there is none.
  package func otherSpelling(of key: String) -> String? {
    guard let index = index(forKey: key) else { return nil }
    let present = self[index].key
    return present.isSame(as: key) ? nil : present
  }

  /// Adds a member that a file has.
  ///
  /// - Returns: What is wrong if there is a canonically equivalent key already, which would lose its
  ///   value; `nil` if it was added.
  mutating func add(_ value: Value, _ key: String) -> String? {
    guard otherSpelling(of: key) == nil else { return Self.twice(key) }
    updateValue(value, forKey: key)
    return nil
  }

  /// What is said of two keys that one dictionary cannot hold.
  package static func twice(_ key: String) -> String {
    "'\(key)' is there in two spellings that are canonically equivalent (such as é as one code point "
      + "and as two), and one of the values would be lost"
  }
}
