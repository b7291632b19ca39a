import VaultCredentials
package import VaultStorage
package import VaultSync
import VaultTerminal

extension SyncDevice {
  /// The machine as `--json` writes it.
  package var json: JSONValue {
    .object([
      ("id", .string(id)), ("label", .string(label)), ("role", .string(role.name)),
      ("isThisMachine", .bool(isThisMachine)), ("joined", .string(Timestamp.text(joined))),
      ("lastHeard", .string(Timestamp.text(lastHeard))), ("isRemoved", .bool(isRemoved)),
    ])
  }
}

extension SyncReport {
  /// Says what was brought and taken.
  package func tell() throws {
    try changes.tellItems()
    for label in waiting {
      StandardError.note(
        "records of \(StandardOutput.shown(label)) are still on their way", hint: nil)
    }
    for label in refused {
      StandardError.note(
        "\(StandardOutput.shown(label)) used an invitation that was used already: it is not in",
        hint: nil)
    }
    StandardError.note(
      "synchronized: \(sent) sent, \(received) received",
      hint: changes.settlingHint)
  }

  /// The members of the JSON object.
  package var members: [(String, JSONValue)] {
    [("sent", .number(Int64(sent))), ("received", .number(Int64(received)))]
      + changes.itemMembers + [
        ("waiting", .strings(waiting)), ("refused", .strings(refused)),
        ("problems", .strings(problems.map(\.code.rawValue))),
      ]
  }
}
