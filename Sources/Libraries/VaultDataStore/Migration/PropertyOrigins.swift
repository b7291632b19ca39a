/// Where the values of an entity's properties come from: the names that they had in the version
/// before.
///
/// As in Core Data, where a property has the values of the one that `originalName` says, also if
/// that name is another property's now: `name` becomes `title` while `title` becomes `subtitle`. The
/// store says what a property was called before it had its name, so that none is renamed twice.
struct PropertyOrigins {
  /// A property's names.
  struct Names {
    let name: String
    let original: String?
    /// What it was called before, if ever.
    var former: String { original ?? name }
  }

  private var origins: [String: String] = [:]

  /// Matches properties of two versions.
  ///
  /// - Parameters:
  ///   - properties: What there is to be.
  ///   - before: What the store has.
  init(_ properties: [Names], from before: [Names]) {
    let names = Set(properties.map(\.name))
    let kept = Set(before.map(\.name))
    var moves = Self.moves(properties, before)
    Self.keepWhatHasNoOtherPlace(&moves, names, kept)
    Self.dropExchanges(&moves)
    for property in properties {
      if let original = moves[property.name] {
        origins[property.name] = original
      } else if kept.contains(property.name) {
        origins[property.name] = property.name
      }
    }
  }

  /// The property of the store that has the values of one; `nil` if none has.
  subscript(name: String) -> String? { origins[name] }

  /// What `originalName` asks for and was not done yet: from new names to old ones.
  ///
  /// A property is also the one that was called as it once was: on a way back to an earlier version,
  /// or with one original name in all versions.
  private static func moves(_ properties: [Names], _ before: [Names]) -> [String: String] {
    let former = Dictionary(before.map { ($0.name, $0.former) }, uniquingKeysWith: { $1 })
    let open = properties.filter { former[$0.name] != $0.former }
    var moves: [String: String] = [:]
    var taken: Set<String> = []
    for property in open {
      guard let original = property.original, original != property.name, former[original] != nil,
        taken.insert(original).inserted
      else { continue }
      moves[property.name] = original
    }
    for property in open where moves[property.name] == nil {
      let source = before.first {
        $0.former == property.former && $0.name != property.name && !taken.contains($0.name)
      }
      guard let source else { continue }
      taken.insert(source.name)
      moves[property.name] = source.name
    }
    return moves
  }

  /// Leaves those where they are of which the store's property stays, or whose own values would go
  /// nowhere.
  private static func keepWhatHasNoOtherPlace(
    _ moves: inout [String: String], _ names: Set<String>, _ kept: Set<String>
  ) {
    while true {
      let taken = Set(moves.values)
      let refused = moves.filter { name, original in
        names.contains(original) && moves[original] == nil
          || kept.contains(name) && !taken.contains(name)
      }
      if refused.isEmpty { return }
      for name in refused.keys { moves[name] = nil }
    }
  }

  /// Leaves names that are exchanged where they are: that alone makes no other schema, so that the
  /// store does not say whether it was asked for before, and values are stored by the new names.
  private static func dropExchanges(_ moves: inout [String: String]) {
    for start in moves.keys {
      var circle = [start]
      while let last = circle.last, let next = moves[last], next != start { circle.append(next) }
      guard let last = circle.last, moves[last] == start else { continue }
      for name in circle { moves[name] = nil }
    }
  }
}
