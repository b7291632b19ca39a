import VaultPreferences
import VaultStorage

/// Any JSON document, with its numbers as they were written.
enum JSONTree: Equatable {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([JSONTree])
  case object([String: JSONTree])

  /// Reads a document.
  ///
  /// - Throws: ``CommandError`` with code `import-unreadable`.
  static func read(_ bytes: [UInt8]) throws -> JSONTree { try document(bytes).tree }

  /// Reads a document in which objects may have members that are no members of an object.
  ///
  /// - Returns: The document; and the places of members that are not in it, since an earlier one of the same
  ///   object has their name, or one that differs from it in its normalization alone.
  /// - Throws: ``CommandError`` with code `import-unreadable`.
  static func document(_ bytes: [UInt8]) throws -> (tree: JSONTree, repeated: [String]) {
    let node: JSONNode
    do {
      node = try JSONNode.parse(bytes)
    } catch {
      throw ImportFormat.unreadable(error.message)
    }
    var repeated: [String] = []
    let tree = JSONTree(node, at: "", &repeated)
    return (tree, repeated)
  }

  private init(_ node: JSONNode, at path: String, _ repeated: inout [String]) {
    switch node {
    case .null: self = .null
    case .bool(let flag): self = .bool(flag)
    case .number(let digits): self = .number(digits)
    case .string(let text): self = .string(text)
    case .array(let nodes):
      self = .array(
        nodes.enumerated().map { JSONTree($1, at: "\(path)[\($0 + 1)]", &repeated) })
    case .object(let nodes):
      var members: [String: JSONTree] = [:]
      for (name, value) in nodes {
        let place = path.isEmpty ? name : "\(path).\(name)"
        if members[name] == nil {
          members[name] = JSONTree(value, at: place, &repeated)
        } else {
          repeated.append(place)
        }
      }
      self = .object(members)
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
    return members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }
}
