import Synchronization

/// The values of a model by the names of its properties.
///
/// Encoded, it has the identifier under `persistentIdentifier` and each property under its name:
/// attributes as their types encode themselves, relationships as identifiers. Decoding needs the
/// model's class: one of a container that has been made, or that is being made, in this process.
public struct DefaultSnapshot: DataStoreSnapshot {
  /// Which model it is.
  public let persistentIdentifier: PersistentIdentifier
  /// By the names of the properties.
  private var values: [String: Value] = [:]

  // Values of models are handed from thread to thread as the models are.
  private enum Value: @unchecked Sendable {
    case null
    case attribute(any Codable)
    case one(PersistentIdentifier)
    case many([PersistentIdentifier])
  }

  /// Makes the snapshot of a model.
  ///
  /// - Parameters:
  ///   - backingData: The storage of the model's values; of another implementation than this
  ///     library's, only the identifier is taken.
  ///   - relatedBackingDatas: Not used.
  public init(
    from backingData: any BackingData,
    relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    guard let record = backingData._$record else {
      self.init(
        backingData.persistentModelID
          ?? PersistentIdentifier(store: nil, entity: "", key: DetachedKey.make()), [:])
      return
    }
    self.init(record)
  }

  init(_ record: _AppData.Record) {
    persistentIdentifier = record.identifier
    for property in record.description.properties where !property.isEphemeral {
      values[property.name] = Self.value(of: property, record)
    }
  }

  private static func value(
    of property: PropertyDescription, _ record: _AppData.Record
  ) -> Value? {
    let slot = record.slot(property.index)
    guard property.isRelationship else {
      if slot.isNull { return .null }
      if slot.isFault, property.isOptional, property.defaultValue == nil { return .null }
      return record.codableValue(property).map { .attribute($0) }
    }
    let found: [PersistentIdentifier] =
      switch slot {
      case .integer(let key): record.identifiers([key], property)
      case .rows(let list): record.identifiers(list.keys, property)
      case .models(let list): list.models.map(\.persistentModelID)
      default: []
      }
    if property.isToOne { return found.first.map { .one($0) } ?? .null }
    return .many(found)
  }

  /// The same values under another identifier.
  ///
  /// - Parameters:
  ///   - persistentIdentifier: The identifier.
  ///   - remappedIdentifiers: What related models' identifiers are to become; others stay.
  /// - Returns: The copy.
  public func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]? = nil
  ) -> DefaultSnapshot {
    let values = values.mapValues { value in
      switch value {
      case .one(let id): Value.one(remappedIdentifiers?[id] ?? id)
      case .many(let ids): Value.many(ids.map { remappedIdentifiers?[$0] ?? $0 })
      case .null, .attribute: value
      }
    }
    return DefaultSnapshot(persistentIdentifier, values)
  }

  private init(_ identifier: PersistentIdentifier, _ values: [String: Value]) {
    persistentIdentifier = identifier
    self.values = values
  }

  // MARK: Codable

  /// Reads what ``encode(to:)`` wrote; properties that are missing have their default values.
  ///
  /// - Parameter decoder: Where from.
  /// - Throws: `DecodingError`, for a class that no container of the process has too.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    let identifier = try container.decode(
      PersistentIdentifier.self, forKey: .persistentIdentifier)
    persistentIdentifier = identifier
    guard let description = SnapshotClasses[identifier.entityName] else {
      throw DecodingError.dataCorruptedError(
        forKey: .persistentIdentifier, in: container,
        debugDescription: "no container has a model called \(identifier.entityName)")
    }
    for property in description.properties {
      let key = DataStoreSnapshotCodingKey.modeledProperty(property.name)
      guard container.contains(key) else { continue }
      if try container.decodeNil(forKey: key) {
        values[property.name] = .null
      } else if property.isToOne {
        values[property.name] = .one(try container.decode(PersistentIdentifier.self, forKey: key))
      } else if property.isRelationship {
        values[property.name] = .many(
          try container.decode([PersistentIdentifier].self, forKey: key))
      } else if let type = property.snapshotType {
        func decode<T: Codable>(_ type: T.Type) throws -> any Codable {
          try container.decode(type, forKey: key)
        }
        values[property.name] = .attribute(try decode(type))
      }
    }
  }

  /// Writes the identifier and each property.
  ///
  /// - Parameter encoder: Where to.
  /// - Throws: `EncodingError`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
    for (name, value) in values {
      let key = DataStoreSnapshotCodingKey.modeledProperty(name)
      switch value {
      case .null: try container.encodeNil(forKey: key)
      case .attribute(let value): try container.encode(value, forKey: key)
      case .one(let id): try container.encode(id, forKey: key)
      case .many(let ids): try container.encode(ids, forKey: key)
      }
    }
  }

  // MARK: As slots

  /// The value of a property as a record has it.
  func slot(_ property: PropertyDescription) -> _AppData.Slot {
    switch values[property.name] {
    case .attribute(let value):
      if property.transformer != nil { return (value as? Data).map { .data($0) } ?? .null }
      return property.slot(of: value) ?? .null
    // A store may have kept identifiers that were never made permanent: they lead nowhere.
    case .one(let id): return id.storeIdentifier == nil ? .null : .integer(id.key)
    case .many(let ids):
      let keys = ids.filter { $0.storeIdentifier != nil }.map(\.key)
      return .rows(_AppData.RowList(keys: keys, positions: keys.map { _ in nil }))
    case .null, nil:
      if property.isRelationship { return property.isToOne ? .null : .rows(_AppData.RowList()) }
      guard values[property.name] == nil, let value = property.defaultValue else { return .null }
      return property.slot(of: value) ?? .null
    }
  }

  /// The identifiers of related models; `nil` for an attribute.
  func related(_ property: PropertyDescription) -> [PersistentIdentifier]? {
    switch values[property.name] {
    case .one(let id): [id]
    case .many(let ids): ids
    case .null where property.isRelationship: []
    default: nil
    }
  }
}

extension DataStoreSnapshot {
  /// The same values as this library has them.
  ///
  /// - Throws: `EncodingError`, `DecodingError`, for a type that does not encode its values under
  ///   their names.
  func plain() throws -> DefaultSnapshot {
    if let own = self as? DefaultSnapshot { return own }
    return try ValueCoding.decode(ValueCoding.encode(self), as: DefaultSnapshot.self)
  }
}

/// The classes that snapshots are decoded as, by the names of their entities.
enum SnapshotClasses {
  private static let known = Mutex<[String: ModelDescription]>([:])

  static subscript(name: String) -> ModelDescription? { known.withLock { $0[name] } }

  /// Adds the classes of a schema; of two with one name, the later one counts.
  static func add(_ types: [any PersistentModel.Type]) {
    let new = types.map(ModelDescription.of)
    known.withLock { known in
      for description in new { known[description.entityName] = description }
    }
  }
}

extension PropertyDescription {
  /// The type in which a snapshot has an attribute.
  fileprivate var snapshotType: (any Codable.Type)? {
    transformer == nil ? plainType as? any Codable.Type : Data.self
  }
}

extension _AppData.Record {
  /// The value of an attribute that is not `nil`; `nil` if it cannot be encoded.
  fileprivate func codableValue(_ property: PropertyDescription) -> (any Codable)? {
    if property.transformer != nil {
      guard case .blob(let bytes) = try? slot(property.index).columnValue() else { return nil }
      return Data(bytes)
    }
    func value<Value: Codable>(_ type: Value.Type) -> any Codable {
      decoded(property.index, as: type)
    }
    return (property.plainType as? any Codable.Type).map { value($0) }
  }

  /// The identifiers of related rows.
  fileprivate func identifiers(
    _ keys: [Int64], _ property: PropertyDescription
  ) -> [PersistentIdentifier] {
    guard let plan = entity?.relationshipByProperty[property.index], let context = readingContext
    else { return [] }
    let destination = plan.destination
    guard destination.family != nil else {
      return keys.map { context.identifier(destination, $0) }
    }
    return keys.map { key in
      // One that is not loaded may be of a subclass.
      context.identifier(
        context.rows[destination, key] == nil
          ? context.rows.actualPlan(destination, key) : destination, key)
    }
  }
}
