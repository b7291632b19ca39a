/// A class on its way to other machines: the names of what it inherits from, from the root of its
/// family on, and its own.
///
/// A class without a superclass is its name alone: `Trip`, and below it `Trip\BusinessTrip`. No name
/// of Swift has a backslash in it.
package enum ClassPath {
  package static let separator = "\\"
  /// Most names of a path.
  package static let mostNames = 32
  /// Most bytes of a path.
  package static let longest = 1024

  /// Whether a path may go to other machines: it has 1 to 32 names, and up to 1,024 bytes in all.
  package static func isValid(_ path: String) -> Bool {
    path.utf8.count <= longest && depth(of: path) < mostNames
  }

  /// The root of the family, under whose name its objects have their identities.
  package static func family(of path: String) -> String { split(path).family }

  /// What is below the root; empty for the root itself.
  package static func kind(of path: String) -> String { split(path).kind }

  package static func path(_ family: String, _ kind: String) -> String {
    kind.isEmpty ? family : family + separator + kind
  }

  /// The names of the path, the root's first.
  package static func names(of path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "\\"), omittingEmptySubsequences: false).map {
      String($0) ?? ""
    }
  }

  /// Whether an object of a class is one of another class, too.
  package static func descends(_ path: String, from other: String) -> Bool {
    path.utf8.elementsEqual(other.utf8) || isBelow(path, other)
  }

  /// Whether a class inherits from another one.
  package static func isBelow(_ path: String, _ other: String) -> Bool {
    path.utf8.starts(with: (other + separator).utf8)
  }

  /// How many classes a class inherits from.
  package static func depth(of path: String) -> Int {
    path.utf8.count { $0 == UInt8(ascii: "\\") }
  }

  private static func split(_ path: String) -> (family: String, kind: String) {
    guard let end = path.utf8.firstIndex(of: UInt8(ascii: "\\")) else { return (path, "") }
    return (String(path[..<end]), String(path[path.utf8.index(after: end)...]))
  }
}
