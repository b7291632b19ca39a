import VaultDataStore

/// Which class of its family an object has: decision 20.
package enum ObjectKind {
  /// What one record says that made an object.
  package struct Made {
    /// The class, by its `ClassPath`.
    package let path: String
    /// By which of the object's identities.
    package let identity: ObjectID
    package let stamp: Stamp

    init(path: String, identity: ObjectID, _ stamp: Stamp) {
      self.path = path
      self.identity = identity
      self.stamp = stamp
    }
  }

  /// What decides; only tests have another way.
  package typealias Choice = @Sendable ([Made]) -> String?

  /// The class of an object that several records made which do not know of each other.
  ///
  /// One that inherits from another one has all that this one has, and comes before it. Of classes
  /// beside each other that counts which the smallest identity has, of one identity that of the last
  /// record. The answer is the same whatever classes this version of the application has.
  ///
  /// - Parameter made: The records, in any order.
  /// - Returns: The class; `nil` if there are no records.
  @Sendable package static func last(_ made: [Made]) -> String? {
    made.filter { one in !made.contains { ClassPath.isBelow($0.path, one.path) } }.min {
      left, right in
      if left.identity != right.identity { return left.identity < right.identity }
      if left.stamp != right.stamp { return right.stamp < left.stamp }
      return left.path.utf8.lexicographicallyPrecedes(right.path.utf8)
    }?.path
  }

  /// Whether a property is one that objects of a class cannot have, since another class of the
  /// family declares it.
  static func isForeign(_ property: String, to path: String) -> Bool {
    let names = ClassPath.names(of: property)
    guard names.count > 1 else { return false }
    return !ClassPath.names(of: path).dropFirst().contains {
      $0.utf8.elementsEqual(names[0].utf8)
    }
  }
}
