import VaultDataStore
import VaultStorage

/// The form of a type's values in SQL.
struct ValueForm {
  enum Kind: Equatable {
    case boolean, integer, unsigned, float, double, date, decimal, text, data, json
    /// Data within JSON.
    case base64
    /// The key of a row.
    case key
    /// Data that may lie in a file of its own, or is what a transformer made: there, or not there.
    case external
  }

  let kind: Kind
  /// The Swift type, without `Optional`.
  let type: any Any.Type
  /// For a key.
  var entity: EntityPlan?

  init(_ kind: Kind, _ type: any Any.Type, entity: EntityPlan? = nil) {
    self.kind = kind
    self.type = type
    self.entity = entity
  }

  static let comparedWithNil =
    "data with .externalStorage, and what a transformer makes data, are only compared with nil"

  static let boolean = ValueForm(.boolean, Bool.self)
  static let integer = ValueForm(.integer, Int.self)
  static let double = ValueForm(.double, Double.self)
  static let string = ValueForm(.text, String.self)

  /// The form of a column of this type.
  static func of(_ type: any Any.Type) -> ValueForm {
    if let optional = type as? any OptionalValue.Type { return of(optional.wrappedType) }
    if type == PersistentIdentifier.self { return ValueForm(.key, type) }
    if let stored = type as? any _AppData.StoredValue.Type {
      return ValueForm(Kind(stored.storedType), type)
    }
    if let raw = type as? any RawRepresentable.Type, let stored = storedRaw(raw) {
      return ValueForm(Kind(stored), type)
    }
    return ValueForm(.json, type)
  }

  private static func storedRaw<Value: RawRepresentable>(_ type: Value.Type) -> StoredType? {
    (Value.RawValue.self as? any _AppData.StoredValue.Type)?.storedType
  }

  /// Whether it is text in a column, which may be in several of Unicode's forms.
  var isText: Bool { kind == .text || kind == .json }

  var isReal: Bool { [.float, .double, .date].contains(kind) }

  /// A value of the program in this form.
  ///
  /// - Throws: ``SwiftDataError/unsupportedPredicate`` if the value has another form.
  func encode(_ value: Any) throws -> SQLiteValue {
    if let optional = value as? any OptionalValue {
      guard let wrapped = optional.wrapped else { return .null }
      return try encode(wrapped)
    }
    switch kind {
    case .key: return .integer(key(value))
    case .external:
      throw SwiftDataError.unsupportedPredicate.saying(Self.comparedWithNil)
    case .base64:
      if let data = value as? Data { return .text(data.base64EncodedString()) }
    case .json:
      if let value = value as? any Encodable {
        return .text(try ValueCoding.encode(value).normalized)
      }
    default:
      if let slot = Self.slot(value), let column = try slot.columnValue() {
        if case .text(let text) = column { return .text(text.normalized) }
        return column
      }
    }
    throw SwiftDataError.unsupportedPredicate.saying(
      "a value of \(Swift.type(of: value)) has no form in the store")
  }

  private static func slot(_ value: Any) -> _AppData.Slot? {
    if let stored = value as? any _AppData.StoredValue { return stored.slot }
    if let raw = value as? any RawRepresentable {
      return (raw.rawValue as? any _AppData.StoredValue)?.slot
    }
    return nil
  }

  /// The key of a row of this entity; no row's for another one.
  private func key(_ value: Any) -> Int64 {
    let identifier =
      (value as? PersistentIdentifier) ?? (value as? any PersistentModel)?.persistentModelID
    guard let identifier else { return .min }
    if let entity,
      !entity.isRelated(to: identifier.entityName)
        || identifier.storeIdentifier != entity.storeIdentifier
    {
      return .min
    }
    return identifier.key
  }
}

extension ValueForm.Kind {
  init(_ type: StoredType) {
    self =
      switch type {
      case .boolean: .boolean
      case .integer: .integer
      case .unsigned: .unsigned
      case .float: .float
      case .double: .double
      case .date: .date
      case .decimal: .decimal
      case .string, .character, .uuid, .url: .text
      case .data: .data
      case .json, .transformable, .sealed: .json
      }
  }
}
