import VaultStorage
import VaultTerminal

/// An error as a person and a program read it.
package struct ErrorReport {
  package let code: CommandError.Code
  package let message: String
  package let hint: String?

  package init(_ error: any Error) {
    let advice: String?
    let own: (any Error)? = CommandError(ownOrTerminal: error)
    switch own ?? error {
    case let error as CommandError:
      (code, message, advice) = (error.code, error.message, error.hint)
    case let error as any CodedError:
      (code, message, advice) = (
        CommandError.Code(rawValue: error.codeText) ?? .unexpected, error.message, error.advice
      )
    case let error as System.Failure:
      (code, message, advice) = (.inputOutput, "writing failed: \(error.reason)", nil)
    default:
      (code, message, advice) = (.unexpected, "something unexpected went wrong", nil)
    }
    let isMissing = code == .itemNotFound || code == .noVault
    let isUnderSudo = isMissing && ProcessState.variable("SUDO_USER") != nil
    let said =
      isUnderSudo
      ? "under sudo this is root's vault, not yours" + (advice.map { "; \($0)" } ?? "")
      : advice
    hint = said.map(HintLine.located)
  }

  /// The exit status of a command that fails so.
  package var status: ExitStatus { code.status }

  /// Writes the error to stderr: two lines, or an object.
  package func write(asJSON: Bool) {
    if asJSON {
      let error: [(String, JSONValue)] = [
        ("code", .string(code.rawValue)), ("message", .string(message)),
        ("hint", .optional(hint)),
        ("status", .number(Int64(status.code))),
      ]
      let members = [("error", .object(error))] + Notices.takeMembers()
      StandardError.write(JSONValue.document(members))
    } else {
      StandardError.styledLine("\(ProgramName.current): error:", .bad, " \(message)")
      if let hint { StandardError.line("\(ProgramName.current): hint: \(hint)") }
    }
  }
}
