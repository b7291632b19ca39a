import FoundationEssentials
import VaultPreferences
import VaultStorage

/// What SwiftData archives of a value that no column can hold, such as an array, as the JSON text
/// that our stores have of it.
///
/// Nothing documents the archive's form. JSON, a property list, and a keyed archive of Foundation's
/// collections are read; whatever else the bytes are, they stay bytes.
enum ArchivedValue: Equatable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case unsigned(UInt64)
  case real(Double)
  case text(String)
  case array([ArchivedValue])
  case object([String: ArchivedValue])

  /// Deeper values are refused.
  private static let depth = 64
  /// Larger ones stay bytes: nobody archives so large an array.
  private static let limit = 64 << 20

  /// - Returns: `nil` if the bytes are nothing of that.
  static func json(of bytes: [UInt8]) -> String? { read(bytes)?.json }

  /// As a `Codable` value stands in our stores.
  var json: String { document.codableText }

  static func read(_ bytes: [UInt8]) -> ArchivedValue? {
    guard bytes.count <= limit else { return nil }
    guard bytes.starts(with: Array("bplist".utf8)) else {
      return (try? JSONValue.parse(bytes)).map { ArchivedValue($0) }
    }
    guard let list = try? PropertyList.parse(bytes, as: .binary) else { return nil }
    let budget = ReadingBudget(size: bytes.count)
    let value =
      if let archive = KeyedArchive(list, budget: budget) {
        ArchivedValue(archive, archive.root, depth)
      } else {
        ArchivedValue(list, budget)
      }
    return budget.isExhausted ? nil : value
  }

  /// - Returns: `nil` for a reference, which a plain property list does not have.
  private init?(_ value: PreferenceValue, _ budget: ReadingBudget) {
    switch value {
    case .string(let text): budget.spend(text.utf8.count)
    case .data(let bytes): budget.spend(bytes.count * 4 / 3)
    case .array(let elements): budget.spend(elements.count)
    case .dictionary(let entries):
      budget.spend(entries.count)
      for name in entries.keys { budget.spend(name.utf8.count) }
    default: budget.spend(1)
    }
    guard !budget.isExhausted else { return nil }
    switch value {
    case .string(let text): self = .text(text)
    case .data(let bytes): self = .text(Base64Text.encode(bytes))
    case .integer(let number): self = .integer(number)
    case .unsignedInteger(let number): self = .unsigned(number)
    case .real(let number): self = .real(number)
    case .float(let number): self = .real(Double(number))
    case .boolean(let value): self = .boolean(value)
    case .date(let date): self = .real(date.timeIntervalSinceReferenceDate)
    case .array(let elements):
      let read = elements.compactMap { ArchivedValue($0, budget) }
      guard read.count == elements.count else { return nil }
      self = .array(read)
    case .dictionary(let entries):
      let read = entries.compactMapValues { ArchivedValue($0, budget) }
      guard read.count == entries.count else { return nil }
      self = .object(read)
    case .uid: return nil
    }
  }

  /// - Returns: `nil` for an object of a class that JSON cannot tell.
  private init?(_ archive: KeyedArchive, _ reference: PreferenceValue?, _ depth: Int) {
    guard depth > 0 else { return nil }
    guard let object = archive.object(reference) else {
      self = .null
      return
    }
    guard case .dictionary(let fields) = object else {
      self.init(object, archive.budget)
      return
    }
    let classes = archive.classes(of: fields)
    func elements(_ name: String) -> [ArchivedValue]? {
      guard case .array(let all) = archive.object(fields[name]) else { return nil }
      var read: [ArchivedValue] = []
      for element in all {
        guard let value = ArchivedValue(archive, element, depth - 1), !archive.isExhausted else {
          return nil
        }
        read.append(value)
      }
      return read
    }
    if classes.contains("NSArray") || classes.contains("NSSet") || classes.contains("NSOrderedSet")
    {
      guard let found = elements("NS.objects") else { return nil }
      self = .array(found)
    } else if classes.contains("NSDictionary") {
      guard let keys = elements("NS.keys"), let values = elements("NS.objects"),
        keys.count == values.count
      else { return nil }
      var entries: [String: ArchivedValue] = [:]
      for (key, value) in zip(keys, values) {
        guard case .text(let name) = key else { return nil }
        entries[name] = value
      }
      self = .object(entries)
    } else if classes.contains("NSString"), let text = archive.string(fields["NS.string"]) {
      self = .text(text)
    } else if classes.contains("NSDate"), case .real(let seconds)? = fields["NS.time"] {
      self = .real(seconds)
    } else if classes.contains("NSData"), case .data(let bytes)? = archive.object(fields["NS.data"])
    {
      archive.budget.spend(bytes.count * 4 / 3)
      guard !archive.isExhausted else { return nil }
      self = .text(Base64Text.encode(bytes))
    } else if classes.contains("NSUUID"), case .data(let bytes)? = fields["NS.uuidbytes"],
      let text = ImportedValue.uuid(bytes)
    {
      self = .text(text)
    } else {
      return nil
    }
  }
}

/// A value and its document.
extension ArchivedValue {
  /// Reads a value as a decoder of Foundation does: a number without a fraction is whole.
  fileprivate init(_ document: JSONValue) {
    switch document {
    case .null: self = .null
    case .bool(let value): self = .boolean(value)
    case .string(let text): self = .text(text)
    case .array(let elements): self = .array(elements.map { ArchivedValue($0) })
    case .object(let members):
      self = .object(
        Dictionary(
          members.map { ($0.0, ArchivedValue($0.1)) }, uniquingKeysWith: { first, _ in first }))
    case .number(let digits):
      let real = Double(digits) ?? .nan
      if let whole = Int64(digits) ?? Int64(exactly: real) {
        self = .integer(whole)
      } else if let whole = UInt64(digits) ?? UInt64(exactly: real) {
        self = .unsigned(whole)
      } else {
        self = .real(real)
      }
    }
  }

  fileprivate var document: JSONValue {
    switch self {
    case .null: .null
    case .boolean(let value): .bool(value)
    case .integer(let value): .number(value)
    case .unsigned(let value): .number(digits: "\(value)")
    case .real(let value) where value.isFinite: .real(value)
    case .real(let value): .string(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
    case .text(let text): .string(text)
    case .array(let elements): .array(elements.map(\.document))
    case .object(let entries): .object(entries.map { ($0.key, $0.value.document) })
    }
  }
}
