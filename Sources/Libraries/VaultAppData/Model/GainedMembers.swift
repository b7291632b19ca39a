/// Stored values of a type that has gained members since.
///
/// A synthesized `init(from:)` refuses a value without a member, whatever default the member has:
/// the default is the initializer's, which decoding does not call. The property's own default value
/// has been made by that initializer, so it shows what a new member begins with.
enum GainedMembers {
  /// The most members that are filled in, in one value.
  private static let limit = 1_000

  /// The value, with what it lacks taken from a value of the same type.
  ///
  /// Only members that the decoder asks for and does not find are filled in: what is stored stays,
  /// and a type that decodes itself in its own way decides what it needs. A value that lacks one
  /// member and has another, which its type does not keep, has perhaps had a member renamed: the
  /// next save would lose what is stored, so it does not decode.
  ///
  /// - Parameters:
  ///   - text: The stored value, as JSON.
  ///   - type: The type to decode.
  ///   - defaults: Default values in which the members may be: the property's own first.
  /// - Returns: `nil` if it is something else that does not decode, no default has the member, or
  ///   the type does not keep all that is stored beside it.
  static func decode<Value: Decodable>(
    _ text: String, as type: Value.Type, from defaults: [any Encodable]
  ) -> Value? {
    decode(text, as: type, from: trees(defaults), at: [])
  }

  /// The same for a value that is part of others of which there are defaults.
  static func decode<Value: Decodable>(
    _ text: String, as type: Value.Type, from defaults: MemberDefaults
  ) -> Value? {
    decode(text, as: type, from: defaults.values, at: defaults.names)
  }

  private static func decode<Value: Decodable>(
    _ text: String, as type: Value.Type, from defaults: [JSONTree], at place: [String]
  ) -> Value? {
    guard !defaults.isEmpty, var tree = try? ValueCoding.decode(text, as: JSONTree.self) else {
      return nil
    }
    let stored = tree
    var places: [[any CodingKey]] = []
    for _ in 0..<limit {
      do {
        let value = try ValueCoding.decode(try ValueCoding.encode(tree), as: type)
        return keeps(value, stored, at: places) ? value : nil
      } catch DecodingError.keyNotFound(let key, let context) {
        let path = context.codingPath
        let names = place + path.filter { $0.intValue == nil }.map(\.stringValue)
        let found = defaults.lazy.compactMap { $0.member(key.stringValue, at: names[...]) }.first
        guard let found, tree.add(found, key, at: path[...]) else { return nil }
        places.append(path)
      } catch {
        return nil
      }
    }
    return nil
  }

  /// Whether a decoded value has everything that is stored where members were filled in.
  ///
  /// A stored `null` is nothing that could be lost.
  private static func keeps<Value: Decodable>(
    _ value: Value, _ stored: JSONTree, at places: [[any CodingKey]]
  ) -> Bool {
    guard !places.isEmpty, let value = value as? any Encodable, let kept = trees([value]).first
    else { return true }
    return places.allSatisfy { path in
      let names = stored.names(at: path[...], among: false)
      let lost = names.subtracting(kept.names(at: path[...], among: true))
      // One that only decoding reads: an older name of a member, by an initializer of the type's own.
      return lost.allSatisfy { path.isEmpty && CodingKeyRecorder.isKey($0, of: Value.self) }
    }
  }

  /// Default values as JSON.
  static func trees(_ defaults: [any Encodable]) -> [JSONTree] {
    defaults.compactMap { value in
      (try? ValueCoding.encode(value)).flatMap { try? ValueCoding.decode($0, as: JSONTree.self) }
    }
  }
}

/// Any JSON value, with numbers as they are written.
enum JSONTree: Codable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case unsigned(UInt64)
  case decimal(Decimal)
  case real(Double)
  case text(String)
  case list([JSONTree])
  case members([String: JSONTree])

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let number = try? value.decode(Int64.self) {
      self = .integer(number)
    } else if let number = try? value.decode(UInt64.self) {
      self = .unsigned(number)
    } else if let number = try? value.decode(Decimal.self), !number.isNaN {
      // All digits that are written; a Double is written with those that it needs.
      self = .decimal(number)
    } else if let number = try? value.decode(Double.self) {
      self = .real(number)
    } else if let list = try? value.decode([JSONTree].self) {
      self = .list(list)
    } else {
      self = .members(try value.decode([String: JSONTree].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .unsigned(let value): try container.encode(value)
    case .decimal(let value): try container.encode(value)
    case .real(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .list(let value): try container.encode(value)
    case .members(let value): try container.encode(value)
    }
  }

  /// A member of a default value, where a stored value lacks it.
  ///
  /// The elements of a list are of one type, and so are the values of a dictionary: each of them
  /// shows what a new one begins with, and so does a default value that is such an element.
  ///
  /// - Parameters:
  ///   - key: The member.
  ///   - names: The members that lead there, without places in lists.
  /// - Returns: `nil` if the default value has none.
  func member(_ key: String, at names: ArraySlice<String>) -> JSONTree? {
    switch self {
    case .list(let list): return list.lazy.compactMap { $0.member(key, at: names) }.first
    case .members(let members):
      guard let name = names.first else {
        return members[key] ?? members.values.lazy.compactMap { $0.ownMember(key) }.first
      }
      let rest = names.dropFirst()
      if let member = members[name] { return member.member(key, at: rest) }
      // A key of a dictionary, which is another one here, or none.
      return members.values.lazy.compactMap { $0.member(key, at: rest) }.first
        ?? member(key, at: rest)
    default: return nil
    }
  }

  /// The names of the members at a place that are not `null`.
  ///
  /// - Parameters:
  ///   - path: The place.
  ///   - isAmong: Whether every element of a list on the way counts: those of a set are in any order.
  /// - Returns: The names; none where there is no such place.
  func names(at path: ArraySlice<any CodingKey>, among isAmong: Bool) -> Set<String> {
    switch self {
    case .members(let members):
      guard let key = path.first else {
        return Set(members.filter { if case .null = $0.value { false } else { true } }.keys)
      }
      return members[key.stringValue]?.names(at: path.dropFirst(), among: isAmong) ?? []
    case .list(let list):
      let rest = path.dropFirst()
      if isAmong { return list.reduce(into: []) { $0.formUnion($1.names(at: rest, among: true)) } }
      guard let place = path.first?.intValue, list.indices.contains(place) else { return [] }
      return list[place].names(at: rest, among: false)
    default: return []
    }
  }

  private func ownMember(_ key: String) -> JSONTree? {
    if case .members(let members) = self { members[key] } else { nil }
  }

  /// Adds a member at a place.
  ///
  /// - Returns: Whether there is such a place, without this member.
  mutating func add(
    _ value: JSONTree, _ key: any CodingKey, at path: ArraySlice<any CodingKey>
  ) -> Bool {
    switch self {
    case .members(var members):
      guard let next = path.first else {
        guard members[key.stringValue] == nil else { return false }
        members[key.stringValue] = value
        self = .members(members)
        return true
      }
      guard var member = members[next.stringValue],
        member.add(value, key, at: path.dropFirst())
      else { return false }
      members[next.stringValue] = member
      self = .members(members)
      return true
    case .list(var list):
      guard let place = path.first?.intValue, list.indices.contains(place),
        list[place].add(value, key, at: path.dropFirst())
      else { return false }
      self = .list(list)
      return true
    default: return false
    }
  }
}
