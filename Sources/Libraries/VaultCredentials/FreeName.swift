import VaultStorage

/// The rule for a name that is taken: a number behind it, as in `mail~2`.
package enum FreeName {
  /// The length at which names are cut: there is room for the number and for a prefix.
  private static let limit = ItemName.maximumLength - 24

  /// Returns `preferred` if it is free, or else the first free one of `preferred~2`, `preferred~3`,
  /// ….
  ///
  /// - Parameters:
  ///   - preferred: The preferred name; the end is cut off if no name may be as long.
  ///   - isTaken: Whether a name is taken.
  /// - Returns: A free name.
  /// - Throws: `CredentialError` with code `.invalidName` if `preferred` cannot be a name.
  package static func like(
    _ preferred: String, isTaken: (ItemName) throws -> Bool
  ) throws -> ItemName {
    var number = 2
    return try like(preferred, from: &number, isTaken: isTaken)
  }

  /// Returns a free name, and leaves in `number` the one that follows the last one tried.
  static func like(
    _ preferred: String, from number: inout Int, isTaken: (ItemName) throws -> Bool
  ) throws -> ItemName {
    let base = shortened(preferred)
    var name = try ItemName(base)
    while try isTaken(name) {
      name = try ItemName("\(base)~\(number)")
      number += 1
    }
    return name
  }

  /// Returns the beginning of a long name, cut between characters as people see them.
  private static func shortened(_ name: String) -> String {
    guard name.utf8.count > limit else { return name }
    var result = ""
    var length = 0
    for character in name {
      length += character.utf8.count
      guard length <= limit else { break }
      result.append(character)
    }
    // A part of a name is never empty.
    while result.ends(with: "/") { result.removeLast() }
    return result
  }
}

/// Free names for many items: remembers how far each preferred name has been counted.
package struct FreeNames: Sendable {
  private var taken: Set<ItemName> = []
  private var numbers: [String: Int] = [:]

  package init() {}

  /// Returns a name that this value has not returned before.
  ///
  /// - Parameters:
  ///   - preferred: The preferred name.
  ///   - isTaken: Whether somebody else has a name.
  /// - Returns: The name.
  /// - Throws: `CredentialError` with code `.invalidName` if `preferred` cannot be a name.
  package mutating func next(
    like preferred: String, isTaken: (ItemName) -> Bool = { _ in false }
  ) throws -> ItemName {
    let name = try FreeName.like(preferred, from: &numbers[preferred, default: 2]) {
      taken.contains($0) || isTaken($0)
    }
    taken.insert(name)
    return name
  }

  /// Returns a name unless this value has returned it before, or somebody else has it.
  ///
  /// - Parameters:
  ///   - preferred: The name.
  ///   - isTaken: Whether somebody else has a name.
  /// - Returns: The name; `nil` if it is not free.
  /// - Throws: `CredentialError` with code `.invalidName` if `preferred` cannot be a name.
  package mutating func take(
    _ preferred: String, isTaken: (ItemName) -> Bool
  ) throws -> ItemName? {
    let name = try FreeName.like(preferred) { _ in false }
    guard !isTaken(name) else { return nil }
    return taken.insert(name).inserted ? name : nil
  }
}
