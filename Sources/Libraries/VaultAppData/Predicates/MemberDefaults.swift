import Synchronization

/// What the members of a stored structure begin with where its type has gained them since.
///
/// Objects show these values (``GainedMembers``), and queries have to find the objects by them.
struct MemberDefaults {
  /// Which property's, and where in its value.
  struct Place: Hashable {
    let description: ObjectIdentifier
    let index: Int
    var names: [String] = []
  }

  let values: [JSONTree]
  private(set) var place: Place
  /// The members that lead to the place in question, without places in lists.
  var names: [String] { place.names }

  /// - Parameters:
  ///   - description: The class.
  ///   - index: The property with the structures.
  init(_ description: _AppData.ModelDescription, _ index: Int) {
    values = description.memberDefaults(index)
    place = Place(description: ObjectIdentifier(description), index: index)
  }

  /// The same for a member of what is at this place.
  func member(_ name: String) -> MemberDefaults {
    var inner = self
    inner.place.names.append(name)
    return inner
  }

  /// What the member at this place begins with.
  ///
  /// - Parameters:
  ///   - owner: The structure that has the member.
  ///   - type: The member's type.
  /// - Returns: JSON; `nil` if a value without the member is `nil` there, or does not decode.
  /// - Throws: `EncodingError`.
  func text(in owner: any Decodable.Type, as type: any Any.Type) throws -> String? {
    guard let name = names.last, !(type is any OptionalValue.Type) else { return nil }
    if CodingKeyRecorder.type(of: name, in: owner) is any OptionalValue.Type {
      // The type decodes itself, and says what it has in place of the member.
      guard let sample = CodingKeyRecorder.sample(of: owner) as? any Encodable else { return nil }
      let tree = try ValueCoding.decode(ValueCoding.encode(sample), as: JSONTree.self)
      return try tree.member(name, at: []).map { try ValueCoding.encode($0) }
    }
    let path = names.dropLast()
    let found = values.lazy.compactMap { $0.member(name, at: path) }.first
    return try found.map { try ValueCoding.encode($0) }
  }
}

extension _AppData.ModelDescription {
  /// Default values of structures that a property's values may lack members of.
  fileprivate func memberDefaults(_ index: Int) -> [JSONTree] {
    knownMemberDefaults.withLock { known in
      if let found = known[index] { return found }
      let made = GainedMembers.trees(defaults(of: properties[index].plainType, index))
      known[index] = made
      return made
    }
  }
}
