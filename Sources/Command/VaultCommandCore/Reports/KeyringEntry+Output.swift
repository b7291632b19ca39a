package import VaultCredentials
package import VaultStorage

extension KeyringEntry {
  /// The end of the path: gnome-keyring's number of the item, with the collection unless it is the
  /// default.
  package var shortID: String {
    let parts = id.parts(at: "/").suffix(2)
    return parts.first == "login" ? String(parts.last ?? "") : parts.joined(separator: "/")
  }

  package var attributeText: String {
    attributes.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
  }

  package func holds(_ wanted: [String: String]) -> Bool {
    wanted.allSatisfy { attributes[$0.key] == $0.value }
  }

  package static func attributes(_ words: [String]) throws -> [String: String] {
    var result: [String: String] = [:]
    for word in words {
      guard let equals = word.unicodeScalars.firstIndex(of: "="), equals != word.startIndex else {
        throw CommandError.usage("--attribute needs a name and a value: name=value")
      }
      result[String(word[..<equals])] = String(word[word.unicodeScalars.index(after: equals)...])
    }
    return result
  }

  package var json: JSONValue {
    .object([
      ("id", .string(shortID)), ("path", .string(id)), ("label", .string(label)),
      ("owner", .optional(owner)), ("ours", .bool(isOurs)), ("locked", .bool(isLocked)),
      (
        "attributes",
        .object(attributes.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
      ),
    ])
  }
}
