extension Schema {
  /// The declaration of a property, or of a constraint.
  public struct PropertyMetadata {
    /// The property's name.
    public let name: String
    /// The property.
    public let keypath: AnyKeyPath
    /// The value where none is given.
    public let defaultValue: Any?
    /// An ``Attribute``, a ``Relationship``, or what `#Unique` and `#Index` say.
    public let metadata: Any?

    /// Makes the description of a property.
    public init(
      name: String, keypath: AnyKeyPath, defaultValue: Any? = nil,
      metadata: (any SchemaProperty)? = nil
    ) {
      self.name = name
      self.keypath = keypath
      self.defaultValue = defaultValue
      self.metadata = metadata
    }

    /// Makes the description of a constraint.
    public init<T>(name: String, keypath: AnyKeyPath, defaultValue: Any?, metadata: Unique<T>) {
      self.name = name
      self.keypath = keypath
      self.defaultValue = defaultValue
      self.metadata = metadata
    }

    /// Makes the description of an index.
    public init<T>(name: String, keypath: AnyKeyPath, defaultValue: Any?, metadata: Index<T>) {
      self.name = name
      self.keypath = keypath
      self.defaultValue = defaultValue
      self.metadata = metadata
    }
  }

  /// Which properties, taken together, no two models may share.
  public struct Unique<T: PersistentModel> {
    /// Each array is a constraint of its own.
    public let constraints: [[PartialKeyPath<T>]]

    /// Makes the description of constraints.
    public init(_ constraints: [PartialKeyPath<T>]...) { self.constraints = constraints }
  }

  /// Which properties queries use together.
  public struct Index<T: PersistentModel> {
    /// A kind of index.
    public enum Types<P: PersistentModel> {
      /// An ordered index.
      case binary([PartialKeyPath<P>])
      /// An index of ranges; here an ordered one.
      case rtree([PartialKeyPath<P>])
    }

    /// Each is an index of its own.
    public let indices: [Types<T>]

    /// Makes the description of indexes.
    public init(_ indices: Types<T>...) { self.indices = indices }

    /// Makes the description of ordered indexes.
    public init(_ indices: [PartialKeyPath<T>]...) { self.indices = indices.map { .binary($0) } }
  }
}

/// The declarations of `#Unique` and `#Index`, without the class.
protocol PropertyGroups {
  var groups: [[AnyKeyPath]] { get }
  var isUnique: Bool { get }
}

extension Schema.Unique: PropertyGroups {
  var groups: [[AnyKeyPath]] { constraints }
  var isUnique: Bool { true }
}

extension Schema.Index: PropertyGroups {
  var groups: [[AnyKeyPath]] {
    indices.map { index in
      switch index {
      case .binary(let paths), .rtree(let paths): paths
      }
    }
  }
  var isUnique: Bool { false }
}
