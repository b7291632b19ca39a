extension StoredSchema {
  /// Where the layout of another schema, which ought to be the same, is not.
  ///
  /// - Returns: Words that follow the other schema's name, such as `lacks Trip, has Stop as well`;
  ///   empty if nothing is found.
  func differences(of other: StoredSchema) -> [String] {
    let (mine, others) = (declarations, other.declarations)
    // Of an entity that is missing, its properties are not named as well.
    func isNamed(_ name: String, _ known: [String: String]) -> Bool {
      let entity = String(decoding: name.utf8.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
      return known[name] == nil && (entity == name || known[entity] != nil)
    }
    let lacking = mine.keys.sorted().filter { isNamed($0, others) }
    let added = others.keys.sorted().filter { isNamed($0, mine) }
    let changed = mine.keys.sorted().filter { name in
      others[name].map { $0 != mine[name] } ?? false
    }
    let found = [
      ("lacks", lacking, ""), ("has", added, " as well"), ("declares", changed, " otherwise"),
    ]
    return found.filter { !$0.1.isEmpty }.map { verb, names, rest in
      let more = names.count > 5 ? " and \(names.count - 5) more" : ""
      return "\(verb) \(names.prefix(5).joined(separator: ", "))\(more)\(rest)"
    }
  }
}
