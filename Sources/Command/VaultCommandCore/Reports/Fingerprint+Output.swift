package import VaultCredentials
package import VaultStorage

extension Fingerprint {
  /// The fingerprint as `--json` writes it.
  package var json: JSONValue { .object(members) }

  /// The members of ``json``.
  package var members: [(String, JSONValue)] {
    [("length", .number(Int64(length))), ("hash", .string(hash))]
  }

  /// The fingerprint for people.
  package var words: String { "\(Plural.bytes(length)), fingerprint \(hash)" }
}
