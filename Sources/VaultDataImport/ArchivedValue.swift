import FoundationEssentials
import VaultPreferences

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

  /// - Returns: `nil` if the bytes are nothing of that.
  static func json(of bytes: [UInt8]) -> String? { read(bytes)?.json }

  /// As a `Codable` value stands in our stores.
  var json: String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
  }

  static func read(_ bytes: [UInt8]) -> ArchivedValue? {
    guard bytes.starts(with: Array("bplist".utf8)) else {
      return try? JSONDecoder().decode(ArchivedValue.self, from: Data(bytes))
    }
    guard let list = try? PropertyList.parse(bytes, as: .binary) else { return nil }
    if let archive = KeyedArchive(list) { return ArchivedValue(archive, archive.root, depth) }
    return ArchivedValue(list)
  }

  /// - Returns: `nil` for a reference, which a plain property list does not have.
  private init?(_ value: PreferenceValue) {
    switch value {
    case .string(let text): self = .text(text)
    case .data(let bytes): self = .text(Data(bytes).base64EncodedString())
    case .integer(let number): self = .integer(number)
    case .unsignedInteger(let number): self = .unsigned(number)
    case .real(let number): self = .real(number)
    case .float(let number): self = .real(Double(number))
    case .boolean(let value): self = .boolean(value)
    case .date(let date): self = .real(date.timeIntervalSinceReferenceDate)
    case .array(let elements):
      let read = elements.compactMap(ArchivedValue.init)
      guard read.count == elements.count else { return nil }
      self = .array(read)
    case .dictionary(let entries):
      let read = entries.compactMapValues(ArchivedValue.init)
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
      self.init(object)
      return
    }
    let classes = archive.classes(of: fields)
    func elements(_ name: String) -> [ArchivedValue]? {
      guard case .array(let all) = archive.object(fields[name]) else { return nil }
      let read = all.compactMap { ArchivedValue(archive, $0, depth - 1) }
      return read.count == all.count ? read : nil
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
      self = .text(Data(bytes).base64EncodedString())
    } else if classes.contains("NSUUID"), case .data(let bytes)? = fields["NS.uuidbytes"],
      let text = ImportedValue.uuid(bytes)
    {
      self = .text(text)
    } else {
      return nil
    }
  }
}

extension ArchivedValue: Codable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(UInt64.self) {
      self = .unsigned(value)
    } else if let value = try? container.decode(Double.self) {
      self = .real(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([ArchivedValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: ArchivedValue].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .boolean(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .unsigned(let value): try container.encode(value)
    case .real(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}
