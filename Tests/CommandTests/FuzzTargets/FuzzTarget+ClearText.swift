import VaultCredentials
import VaultProtocols
import VaultSealing
import VaultStorage

// The files of other programs in which secrets are in plain text.
extension FuzzTarget {
  static let clearText =
    ClearTextProgram.allCases.map { program in
      FuzzTarget("clear-text-\(program.rawValue)") { input in try move(program, text(input)) }
    } + [
      FuzzTarget("clear-text-record") { input in
        let entries = ClearTextEntry.entries(in: text(input))
        try check(
          ClearTextEntry.entries(in: ClearTextEntry.text(of: entries)) == entries,
          "a record that was written again is another one")
      }
    ]

  /// Moves each secret of a file, and all of them, and puts them back.
  private static func move(_ program: ClearTextProgram, _ text: String) throws {
    let secrets = try program.secrets(in: text)
    try check(
      Set(secrets.map { Array($0.entry.utf8) }).count == secrets.count, "two entries are alike")
    try attempt {
      if let rest = try program.removing(secrets, from: text) {
        try check(try program.secrets(in: rest).isEmpty, "something is left")
      }
    }
    for secret in secrets.prefix(4) {
      try attempt {
        let rest = try program.removing([secret], from: text) ?? ""
        let others = secrets.filter { !$0.entry.isSame(as: secret.entry) }
        try check(same(try program.secrets(in: rest), others), "another secret is not what it was")
        guard case .store(let draft)? = try secret.changes(in: nil).first,
          let main = Secret(secret.main).text
        else { return }
        let value = ClearTextValue(
          entry: secret.entry, main: main,
          fields: secret.fields.compactMapValues { Secret($0).text },
          attributes: (draft.changes.attributes ?? [:]).compactMapValues { $0 })
        let back = try program.secrets(in: program.adding(value, to: rest))
        try check(same(back, others + [secret]), "what was put back is not what it was")
      }
    }
  }

  /// Whether two files have the same secrets, in any order.
  private static func same(_ some: [ClearTextSecret], _ others: [ClearTextSecret]) -> Bool {
    some.count == others.count
      && some.allSatisfy { one in
        others.contains { $0.entry.isSame(as: one.entry) && $0.main.isEqual(to: one.main) }
      }
  }
}
