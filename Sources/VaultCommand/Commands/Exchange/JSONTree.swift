import FoundationEssentials

/// Any JSON document, read by Foundation's decoder.
enum JSONTree: Decodable, Equatable {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([JSONTree])
  case object([String: JSONTree])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .number(String(value))
    } else if let value = try? container.decode(Double.self) {
      self = .number(String(value))
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONTree].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONTree].self))
    }
  }

  static func read(_ bytes: [UInt8]) throws -> JSONTree {
    do {
      return try JSONDecoder().decode(JSONTree.self, from: Data(bytes))
    } catch {
      throw ImportFormat.unreadable("it is no JSON")
    }
  }

  subscript(key: String) -> JSONTree? {
    guard case .object(let members) = self, let value = members[key] else { return nil }
    if case .null = value { return nil }
    return value
  }

  /// A text, or a number or truth value as text.
  var text: String? {
    switch self {
    case .string(let value), .number(let value): value
    case .bool(let value): value ? "true" : "false"
    default: nil
    }
  }

  var elements: [JSONTree] { if case .array(let values) = self { values } else { [] } }

  var members: [(key: String, value: JSONTree)] {
    guard case .object(let members) = self else { return [] }
    return members.sorted { $0.key < $1.key }
  }
}
