package import VaultCredentials
package import VaultStorage

extension Item {
  /// The item as `--json` writes it.
  package var json: JSONValue { .object(members) }

  /// The members of ``json``.
  package var members: [(String, JSONValue)] {
    var members: [(String, JSONValue)] = []
    eachMember { members.append(($0, $1)) }
    return members
  }

  /// Calls `body` with each member of ``json``: a long list is written without keeping them.
  package func eachMember(_ body: (String, JSONValue) -> Void) {
    body("id", .string(id))
    body("name", .string(name.text))
    body("kind", .string(kind.name))
    body("version", .number(Int64(clamping: version)))
    body("created", .string(Timestamp.text(created)))
    body("modified", .string(Timestamp.text(modified)))
    body("expires", .optional(expires.map(Timestamp.text)))
    body("trashed", .optional(trashed.map(Timestamp.text)))
    body("note", .string(note))
    body("tags", .strings(tags))
    let attributes = attributes.sorted { $0.key < $1.key }
    body("attributes", .object(attributes.map { ($0.key, .string($0.value)) }))
    body("copy", .string(publishedCopy.rawValue))
    body("earlierVersions", .number(Int64(earlierVersions)))
  }
}
