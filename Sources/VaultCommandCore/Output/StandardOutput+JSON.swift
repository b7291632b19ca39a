package import VaultStorage
package import VaultTerminal

extension StandardOutput {
  /// Writes a JSON document, with the warnings so far.
  package static func write(_ members: [(String, JSONValue)]) throws {
    try write(JSONValue.document(members + Notices.members))
  }
}
