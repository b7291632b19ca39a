package import VaultCredentials
package import VaultStorage
import VaultTerminal

extension LostValue {
  /// The property, with the attribute's name.
  var propertyInWords: String {
    property == .attribute ? "attribute \(StandardOutput.described(attribute))" : property.rawValue
  }

  /// Who wrote it, after a comma; empty where that is not known.
  var origin: String { machine.map { ", from \(StandardOutput.described($0))," } ?? "" }

  /// The value as a person reads it.
  var shownValue: String {
    expires.map { Timestamp.text($0) } ?? StandardOutput.described(value)
  }

  /// The value as a row among the versions of an item.
  ///
  /// - Parameter written: When it was written, in words.
  /// - Returns: The property, the time, whose it is, and the value.
  package func row(written: String) -> [String] {
    let origin = machine.map { "from \(StandardOutput.described($0)), concurrent" } ?? "concurrent"
    return [propertyInWords, written, "\(origin): \(shownValue)"]
  }

  /// The members of a JSON object.
  var members: [(String, JSONValue)] {
    [
      ("property", .string(property.rawValue)),
      ("attribute", .optional(property == .attribute ? attribute : nil)),
      ("value", .string(expires.map { Timestamp.text($0) } ?? value)),
      ("written", .string(Timestamp.text(written))),
    ]
  }

  /// The value as `--json` writes it.
  package var json: JSONValue { .object(members + [("machine", .optional(machine))]) }
}
