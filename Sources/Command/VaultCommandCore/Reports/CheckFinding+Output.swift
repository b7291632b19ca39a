package import VaultCredentials
package import VaultStorage
package import VaultTerminal

extension CheckFinding {
  package var word: String {
    switch severity {
    case .damage: "damage"
    case .warning: "warning"
    case .information: "note"
    }
  }

  package var style: TextStyle {
    switch severity {
    case .damage: .bad
    case .warning: .doubtful
    case .information: .faint
    }
  }

  package var json: JSONValue {
    .object([
      ("severity", .string(severity.rawValue)), ("code", .string(code)),
      ("message", .string(message)), ("hint", .optional(advice.map(HintLine.located))),
    ])
  }
}
