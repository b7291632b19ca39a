import VaultSealing

/// The further fields of an item, in the order of their names' bytes.
///
/// A list, not a dictionary, as ``NamedTexts`` is: every `get` would pay for making the
/// dictionary's type.
struct SecretFields: Sendable {
  struct Entry: Sendable {
    let name: String
    var value: SecretBytes
  }

  private(set) var all: [Entry] = []

  init() {}

  init(_ fields: [String: SecretBytes]) {
    all = fields.map { Entry(name: $0.key, value: $0.value) }
      .sorted { Self.precedes($0.name, $1.name) }
  }

  /// Adds a field whose name comes after all others; false if it does not.
  mutating func append(_ value: SecretBytes, named name: String) -> Bool {
    if let last = all.last, !Self.precedes(last.name, name) { return false }
    all.append(Entry(name: name, value: value))
    return true
  }

  /// The value of a field; `nil` takes the field out.
  subscript(name: String) -> SecretBytes? {
    get {
      for entry in all where entry.name == name { return entry.value }
      return nil
    }
    set {
      let known = all.firstIndex { $0.name == name }
      switch (newValue, known) {
      case (let value?, let known?): all[known].value = value
      case (let value?, nil):
        let place = all.firstIndex { !Self.precedes($0.name, name) } ?? all.endIndex
        all.insert(Entry(name: name, value: value), at: place)
      case (nil, let known?): all.remove(at: known)
      case (nil, nil): break
      }
    }
  }

  private static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }
}
