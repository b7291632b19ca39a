/// Looking into a document of another program.
extension JSONValue {
  /// The first member of this name; `nil` also where it is `null`, or this is not an object.
  package subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self,
      let value = members.first(where: { $0.0 == name })?.1
    else { return nil }
    if case .null = value { return nil }
    return value
  }

  /// A string, or a number or truth value as text; `nil` for anything else.
  package var scalarText: String? {
    switch self {
    case .string(let text), .number(let text): text
    case .bool(let flag): flag ? "true" : "false"
    case .null, .array, .object: nil
    }
  }

  /// The elements of an array; none for anything else.
  package var elements: [JSONValue] { if case .array(let values) = self { values } else { [] } }

  /// The members of an object, sorted by the bytes of their names; none for anything else.
  package var sortedMembers: [(name: String, value: JSONValue)] {
    guard case .object(let members) = self else { return [] }
    return members.map { (name: $0.0, value: $0.1) }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// The document with one member of each name, the first of its object.
  ///
  /// Names count as equal if they differ only in their normalization, as Swift's dictionaries have
  /// it.
  ///
  /// - Returns: The document, and the paths of the members that were left out, such as
  ///   `items[2].name`.
  package func removingRepeatedMembers() -> (value: JSONValue, repeated: [String]) {
    var repeated: [String] = []
    let value = removingRepeatedMembers(at: "", &repeated)
    return (value, repeated)
  }

  private func removingRepeatedMembers(at path: String, _ repeated: inout [String]) -> JSONValue {
    switch self {
    case .null, .bool, .number, .string: return self
    case .array(let elements):
      var kept: [JSONValue] = []
      for (index, element) in elements.enumerated() {
        kept.append(element.removingRepeatedMembers(at: "\(path)[\(index + 1)]", &repeated))
      }
      return .array(kept)
    case .object(let members):
      var names: Set<String> = []
      var kept: [(String, JSONValue)] = []
      for (name, value) in members {
        let place = path.isEmpty ? name : "\(path).\(name)"
        if names.insert(name).inserted {
          kept.append((name, value.removingRepeatedMembers(at: place, &repeated)))
        } else {
          repeated.append(place)
        }
      }
      return .object(kept)
    }
  }
}

/// Documents are equal if they have the same values; the order of an object's members does not
/// count.
extension JSONValue: Equatable {
  package static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let one), .bool(let other)): one == other
    case (.number(let one), .number(let other)): one == other
    case (.string(let one), .string(let other)): one == other
    case (.array(let one), .array(let other)): one == other
    case (.object(let one), .object(let other)):
      one.count == other.count
        && zip(left.sortedMembers, right.sortedMembers).allSatisfy {
          $0.name == $1.name && $0.value == $1.value
        }
    default: false
    }
  }
}
