import VaultCredentials
import VaultStorage

/// A name that nobody has: the one that is wanted, or that one with a number behind it.
enum FreeName {
  /// Room for the number, and for what an item's name may be put into.
  private static let room = ItemName.maximumLength - 24

  /// `preferred` where it is free; else `preferred~2`, `preferred~3`, and so on.
  ///
  /// - Parameters:
  ///   - preferred: What is shortened where no name may be as long.
  ///   - isTaken: Whether somebody has a name.
  /// - Returns: A name for which `isTaken` says no.
  /// - Throws: `CredentialError` with code `.invalidName` for what can be no name.
  static func like(
    _ preferred: String, isTaken: (ItemName) throws -> Bool
  ) throws -> ItemName {
    var number = 2
    return try like(preferred, from: &number, isTaken: isTaken)
  }

  /// As the other; the numbers that are tried begin with `number`, which is left behind the last one tried.
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

  /// The beginning of a name, between characters as people see them; a part that became empty goes.
  private static func shortened(_ name: String) -> String {
    guard name.utf8.count > room else { return name }
    var result = ""
    var length = 0
    for character in name {
      length += character.utf8.count
      guard length <= room else { break }
      result.append(character)
    }
    while result.ends(with: "/") { result.removeLast() }
    return result
  }
}

/// Names for many items, each its own: remembers which number a name has come to.
struct FreeNames {
  private var taken: Set<ItemName> = []
  private var numbers: [String: Int] = [:]

  /// A name that was not given yet.
  mutating func next(like preferred: String) throws -> ItemName {
    let name = try FreeName.like(preferred, from: &numbers[preferred, default: 2]) {
      taken.contains($0)
    }
    taken.insert(name)
    return name
  }
}
