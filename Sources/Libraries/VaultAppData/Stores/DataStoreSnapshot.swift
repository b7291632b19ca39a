/// The values of a model at one moment, as a ``DataStore`` and a context exchange them.
///
/// ``DefaultSnapshot`` serves most stores. A type of the program's own encodes and decodes the
/// identifier and the values under ``DataStoreSnapshotCodingKey``: so a context reads it.
public protocol DataStoreSnapshot: Codable, Sendable {
  /// Which model it is.
  var persistentIdentifier: PersistentIdentifier { get }

  /// Makes the snapshot of a model that is to be saved.
  ///
  /// - Parameters:
  ///   - backingData: The storage of the model's values.
  ///   - relatedBackingDatas: Those of the other models of the same save.
  init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData])

  /// The same values under another identifier.
  ///
  /// - Parameters:
  ///   - persistentIdentifier: The identifier.
  ///   - remappedIdentifiers: What related models' identifiers are to become; others stay.
  /// - Returns: The copy.
  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

/// A value of a snapshot.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// The keys under which a snapshot is encoded.
public enum DataStoreSnapshotCodingKey: CodingKey, Hashable, Sendable {
  /// The model's identifier.
  case persistentIdentifier
  /// The value of a property: of an attribute, or the identifiers of related models.
  case modeledProperty(String)

  /// The key with a text.
  public init(stringValue: String) {
    let isIdentifier = stringValue == "persistentIdentifier"
    self = isIdentifier ? .persistentIdentifier : .modeledProperty(stringValue)
  }

  /// `nil`: keys have no numbers.
  public init?(intValue: Int) { nil }

  /// `persistentIdentifier`, or the property's name.
  public var stringValue: String {
    switch self {
    case .persistentIdentifier: "persistentIdentifier"
    case .modeledProperty(let name): name
    }
  }

  /// `nil`: keys have no numbers.
  public var intValue: Int? { nil }
}
