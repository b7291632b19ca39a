import Observation
import Synchronization

extension _AppData {
  // The closure is the program's, and not Sendable; only it has the captured value, as with
  // ``Deferred``. `known` is guarded by the lock.
  /// A member of a captured value that stands behind a guard.
  ///
  /// What is computed may count on the guard, as `words.isEmpty || $0.word == filter.first` does: it
  /// is read where the evaluation reaches it, once, of the value as it was when the predicate was
  /// made. What is only stored is read then, too: that ends no program, and a predicate that another
  /// thread evaluates reads nothing there that this one changes.
  public final class Member<Value>: @unchecked Sendable {
    private let read: () -> Value
    private let root: Any
    private let names: [String]
    private let isStored: Bool
    private var known: Value?
    private let lock = Mutex(())

    /// Reads what is stored.
    ///
    /// - Parameters:
    ///   - root: The captured value.
    ///   - names: What is read of it, in order.
    ///   - read: Reads it.
    public init<Root>(_ root: Root, _ names: String..., read: @escaping (Root) -> Value) {
      self.read = { read(root) }
      self.root = root
      self.names = names
      isStored = StoredMembers.areStored(names[...], in: root, as: Value.self)
      if isStored { known = read(root) }
    }

    /// The member's value.
    public var value: Value {
      if isStored, let known { return known }
      if let known = lock.withLock({ _ in known }) { return known }
      // Without the lock: it is the program's code, and may evaluate the predicate itself.
      let value = read()
      return lock.withLock { _ in
        known = known ?? value
        return known ?? value
      }
    }
  }
}

extension _AppData.Member: ComparableByParts {
  var parts: [Any]? {
    if isStored { return [names, value] }
    return [names, root]
  }
}

/// Finds out whether members are stored, so that no code of the program's runs when they are read.
enum StoredMembers {
  /// Whether all members on a path are stored; `false` where that cannot be said.
  static func areStored(
    _ names: ArraySlice<String>, in root: Any, as type: any Any.Type
  ) -> Bool {
    guard let name = names.first else { return true }
    let rest = names.dropFirst()
    var value = root
    while let optional = value as? any OptionalValue {
      // Behind a `?`, nothing is read.
      guard let wrapped = optional.wrapped else { return true }
      value = wrapped
    }
    if let model = value as? any PersistentModel {
      // What it is known by asks nothing of the program. `id` is that, or the program's own.
      if rest.isEmpty, name == "persistentModelID" || name == "id",
        type == PersistentIdentifier.self || type == PersistentIdentifier?.self
      {
        return true
      }
      if let path = keyPath(name, of: model) {
        if rest.isEmpty { return true }
        return model[keyPath: path].map { areStored(rest, in: $0, as: type) } == true
      }
    }
    // What shows itself in its own way may show anything; it may be as long as it likes.
    guard !(value is any CustomReflectable) else { return false }
    var mirror: Mirror? = Mirror(reflecting: value)
    while let current = mirror {
      guard current.displayStyle == .struct || current.displayStyle == .class else { return false }
      if let child = current.children.first(where: { $0.label == name }) {
        return rest.isEmpty || areStored(rest, in: child.value, as: type)
      }
      // The storage of an observed property; one of the program's own that is called so may be of
      // another type, which a computed one makes something of.
      if value is any Observable,
        let child = current.children.first(where: { $0.label == "_\(name)" })
      {
        guard rest.isEmpty else { return areStored(rest, in: child.value, as: type) }
        let plain = (type as? any OptionalValue.Type)?.wrappedType
        return [type, plain].contains { $0 == Swift.type(of: child.value) }
      }
      mirror = current.superclassMirror
    }
    return false
  }

  /// The key path of a stored property, perhaps of the superclass's.
  private static func keyPath<Model: PersistentModel>(
    _ name: String, of model: Model
  ) -> AnyKeyPath? {
    type(of: model)._$description.properties.first { $0.name == name }?.keyPath
  }
}
