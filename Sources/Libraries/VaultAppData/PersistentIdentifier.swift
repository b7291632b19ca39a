import Synchronization
import VaultDataStore

/// Which row of which store a model is.
///
/// Equal before and after the first save: the row's key is reserved when the model is inserted.
public struct PersistentIdentifier: Hashable, Identifiable, Comparable, Codable, Sendable {
  /// Identifies the row; opaque.
  public struct ID: Hashable, Sendable {
    let place: RowPlace
    let key: Int64

    var store: String? { place.store }
    var entity: String { place.entity }

    /// Whether both name the same row.
    public static func == (left: Self, right: Self) -> Bool {
      left.key == right.key && left.place == right.place
    }

    /// Feeds the key to the hasher: rows of other classes and stores with the same key are few.
    ///
    /// - Parameter hasher: The hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
  }

  /// The key's own hash value, which the standard library makes in one step: sets of a hundred
  /// thousand identifiers are made, and a hasher's state for each of them is half of that.
  public func _rawHashValue(seed: Int) -> Int { id.key._rawHashValue(seed: seed) }

  /// Identifies the row; opaque.
  public let id: ID
  /// Set while the row has not been saved; no part of equality.
  let unsaved: UnsavedFlag?

  init(store: String?, entity: String, key: Int64) {
    self.init(RowPlace(store: store, entity: entity), key: key)
  }

  init(_ place: RowPlace, key: Int64, unsaved: UnsavedFlag? = nil) {
    id = ID(place: place, key: key)
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
    let (lefts, rights) = (left.id.store ?? "", right.id.store ?? "")
    guard (left.id.entity, lefts) == (right.id.entity, rights) else {
      return (left.id.entity, lefts) < (right.id.entity, rights)
    }
    // Texts come after numbers, ordered among themselves.
    switch (KeyText.text(of: left.key), KeyText.text(of: right.key)) {
    case (let left?, let right?): return left < right
    case (.some, nil): return false
    case (nil, .some): return true
    case (nil, nil): return left.key < right.key
    }
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
      entity: try values.decode(String.self, forKey: .entity).withoutBackticks,
      key: try (try? values.decode(Int64.self, forKey: .key))
        ?? KeyText.key(of: values.decode(String.self, forKey: .key)))
  }

  /// Writes store, entity and key: a number, or a custom store's text.
  ///
  /// - Parameter encoder: Where to.
  /// - Throws: `EncodingError`.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(id.store, forKey: .store)
    try values.encode(id.entity, forKey: .entity)
    if let text = KeyText.text(of: id.key) {
      try values.encode(text, forKey: .key)
    } else {
      try values.encode(id.key, forKey: .key)
    }
  }

  /// Makes the identifier of a row.
  ///
  /// ```swift
  /// let id = try PersistentIdentifier.identifier(
  ///   for: "trips.json", entityName: "Trip", primaryKey: UUID())
  /// ```
  ///
  /// - Parameters:
  ///   - storeIdentifier: The store's identifier.
  ///   - entityName: The model's class.
  ///   - primaryKey: The row's key: an integer in a store of this library's; what it describes
  ///     itself as in a ``DataStore`` of the program's own.
  /// - Returns: The identifier, equal to that of the model.
  /// - Throws: Nothing; declared as SwiftData has it.
  public static func identifier<T>(
    for storeIdentifier: String, entityName: String, primaryKey: T
  ) throws -> PersistentIdentifier
  where T: Comparable & CustomStringConvertible & Codable & Hashable {
    PersistentIdentifier(
      store: storeIdentifier, entity: entityName, key: KeyText.key(of: primaryKey.description))
  }
}

/// What the identifiers of a class's rows have in common, once for all of them: sets of a hundred
/// thousand identifiers are made.
final class RowPlace: Sendable, Equatable, CustomStringConvertible {
  let store: String?
  let entity: String

  init(store: String?, entity: String) {
    self.store = store
    self.entity = entity
  }

  static func == (left: RowPlace, right: RowPlace) -> Bool {
    left === right || (left.entity == right.entity && left.store == right.store)
  }

  /// As an identifier is printed.
  var description: String { "\(entity) in \(store ?? "no store")" }
}

/// Keys that are not numbers, as those of a program's own store: each has a number in the process.
///
/// The numbers are the lowest there are; ``DetachedKey`` counts down from 0, and rows count up.
enum KeyText {
  private struct Known {
    var texts: [String] = []
    var numbers: [String: Int64] = [:]
  }

  private static let known = Mutex(Known())
  /// The numbers below are texts'.
  fileprivate static let end = Int64.min / 2

  /// The number of a text: its own if it is one as a row has.
  static func key(of text: String) -> Int64 {
    if let number = Int64(text), number >= 0, String(number) == text { return number }
    return known.withLock { known in
      if let number = known.numbers[text] { return number }
      let number = Int64.min + Int64(known.texts.count)
      known.texts.append(text)
      known.numbers[text] = number
      return number
    }
  }

  /// The text of a number; `nil` if it has none.
  static func text(of key: Int64) -> String? {
    guard key < end else { return nil }
    return known.withLock { known in
      let index = Int(key - Int64.min)
      return index < known.texts.count ? known.texts[index] : nil
    }
  }
}

/// Whether a row has been saved, shared by all copies of its identifier.
final class UnsavedFlag: Sendable {
  private let flag = Atomic(true)

  var isSet: Bool { flag.load(ordering: .relaxed) }
  func clear() { flag.store(false, ordering: .relaxed) }
  /// Takes ``clear()`` back, where the save fails.
  func restore() { flag.store(true, ordering: .relaxed) }
}

/// Keys of models that are in no context, unique in the process; below zero, so never a row's.
enum DetachedKey {
  private static let next = Atomic<Int64>(0)

  static func make() -> Int64 { next.subtract(1, ordering: .relaxed).newValue }

  /// Whether a key is one of a model in no context, or of one that its own store has yet to save.
  static func isOne(_ key: Int64) -> Bool { key < 0 && key >= KeyText.end }
}
