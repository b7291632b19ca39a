import VaultStorage

/// Texts by name, in the order of their names' bytes: settings of a vault, attributes of an item.
///
/// A list, not a dictionary: there are a few of them, and every `get` would pay for making the
/// dictionary's type.
struct NamedTexts: Sendable, Equatable {
  struct Entry: Sendable, Equatable {
    let name: String
    var text: String
  }

  private(set) var all: [Entry] = []

  init() {}

  init(_ texts: [String: String]) {
    all = texts.map { Entry(name: $0.key, text: $0.value) }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// Adds a text whose name comes after all others; false if it does not.
  mutating func append(_ text: String, named name: String) -> Bool {
    if let last = all.last, !last.name.utf8.lexicographicallyPrecedes(name.utf8) { return false }
    all.append(Entry(name: name, text: text))
    return true
  }

  subscript(name: String) -> String? {
    get {
      for entry in all where entry.name.isSame(as: name) { return entry.text }
      return nil
    }
    set {
      let position =
        all.firstIndex { !$0.name.utf8.lexicographicallyPrecedes(name.utf8) } ?? all.endIndex
      let isThere = position < all.endIndex && all[position].name.isSame(as: name)
      switch (newValue, isThere) {
      case (let text?, true): all[position].text = text
      case (let text?, false): all.insert(Entry(name: name, text: text), at: position)
      case (nil, true): all.remove(at: position)
      case (nil, false): break
      }
    }
  }

  mutating func removeAll(where isRemoved: (String) -> Bool) {
    all.removeAll { isRemoved($0.name) }
  }
}
