import Synchronization

/// Which row of which store a model is.
///
/// Equal before and after the first save: the row's key is reserved when the model is inserted.
public struct PersistentIdentifier: Hashable, Identifiable, Comparable, Codable, Sendable {
  /// Identifies the row; opaque.
  public struct ID: Hashable, Sendable {
    let store: String?
    let entity: String
    let key: Int64

    /// Feeds the key to the hasher: rows of other classes and stores with the same key are few.
    ///
    /// - Parameter hasher: The hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
  }

  /// Identifies the row; opaque.
  public let id: ID
  /// Set while the row has not been saved; no part of equality.
  let unsaved: UnsavedFlag?

  init(store: String?, entity: String, key: Int64, unsaved: UnsavedFlag? = nil) {
    id = ID(store: store, entity: entity, key: key)
    self.unsaved = unsaved
  }

  /// The name of the model's class.
  public var entityName: String { id.entity }

  /// The identifier of the store; `nil` for a model that was not inserted into a context.
  public var storeIdentifier: String? { id.store }

  /// Whether the model has not been saved yet.
  public var isTemporary: Bool { id.store == nil || unsaved?.isSet == true }

  var key: Int64 { id.key }

  /// Whether both name the same row.
  public static func == (left: Self, right: Self) -> Bool { left.id == right.id }

  /// Feeds the row to the hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }

  /// Orders by entity, then by store, then by key.
  public static func < (left: Self, right: Self) -> Bool {
    (left.id.entity, left.id.store ?? "", left.id.key)
      < (right.id.entity, right.id.store ?? "", right.id.key)
  }

  private enum CodingKeys: String, CodingKey { case store, entity, key }

  /// Reads what ``encode(to:)`` wrote.
  ///
  /// - Parameter decoder: Where from.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      store: try values.decodeIfPresent(String.self, forKey: .store),
      entity: try values.decode(String.self, forKey: .entity),
      key: try values.decode(Int64.self, forKey: .key))
  }

  /// Writes store, entity and key.
  ///
  /// - Parameter encoder: Where to.
  /// - Throws: `EncodingError`.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(id.store, forKey: .store)
    try values.encode(id.entity, forKey: .entity)
    try values.encode(id.key, forKey: .key)
  }

  /// Makes the identifier of a row.
  ///
  /// - Parameters:
  ///   - storeIdentifier: The store's identifier.
  ///   - entityName: The model's class.
  ///   - primaryKey: The row's key; an integer.
  /// - Returns: The identifier, equal to that of the model.
  /// - Throws: ``SwiftDataError/unsupportedKeyPath`` for a key that is not an integer.
  public static func identifier<T>(
    for storeIdentifier: String, entityName: String, primaryKey: T
  ) throws -> PersistentIdentifier
  where T: Comparable & CustomStringConvertible & Codable & Hashable {
    guard let key = Int64(primaryKey.description) else {
      throw SwiftDataError.unsupportedKeyPath.saying("the key of \(entityName) is no integer")
    }
    return PersistentIdentifier(store: storeIdentifier, entity: entityName, key: key)
  }
}

/// Whether a row has been saved, shared by all copies of its identifier.
final class UnsavedFlag: Sendable {
  private let flag = Atomic(true)

  var isSet: Bool { flag.load(ordering: .relaxed) }
  func clear() { flag.store(false, ordering: .relaxed) }
}

/// Keys of models that are in no context, unique in the process; below zero, so never a row's.
enum DetachedKey {
  private static let next = Atomic<Int64>(0)

  static func make() -> Int64 { next.subtract(1, ordering: .relaxed).newValue }
}
