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
    for (words, names) in [
      ("added", changes.added), ("changed", changes.changed), ("removed", changes.removed),
    ] {
      for name in names { try StandardOutput.line("\(words): \(StandardOutput.shown(name.text))") }
    }
    for conflict in changes.conflicts {
      try StandardOutput.line("conflict: \(conflict.words)")
    }
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
      hint: changes.conflicts.contains { $0.kind == .secret }
        ? "settle each conflict: \(ProgramName.current) merge --resolve NAME, with --take for the "
          + "other value" : nil)
  }

  /// The members of the JSON object.
  package var members: [(String, JSONValue)] {
    [
      ("sent", .number(Int64(sent))), ("received", .number(Int64(received))),
      ("added", .strings(changes.added.map(\.text))),
      ("changed", .strings(changes.changed.map(\.text))),
      ("removed", .strings(changes.removed.map(\.text))),
      ("conflicts", .array(changes.conflicts.map(\.json))), ("waiting", .strings(waiting)),
      ("refused", .strings(refused)), ("problems", .strings(problems.map(\.code.rawValue))),
    ]
  }
}
