import VaultCredentials
import VaultExchange
import VaultSealing
import VaultStorage
import VaultTerminal

/// A failure of the command's own: of the line it was given, of a source, of a terminal.
package struct CommandError: Error, Sendable {
  /// Stable, as `--json` writes it.
  package let code: String
  /// One sentence that says what; without secret or name.
  package let message: String
  /// One sentence that says what to do.
  package let hint: String?
  package let status: ExitStatus

  package init(_ code: String, _ message: String, hint: String? = nil, status: ExitStatus) {
    self.code = code
    self.message = message
    self.hint = hint
    self.status = status
  }

  /// The line cannot be what was meant.
  package static func usage(_ message: String, hint: String? = nil) -> CommandError {
    CommandError("usage", message, hint: hint, status: .usage)
  }

  /// The person ended the input.
  static let cancelled = CommandError(
    "cancelled", "given up: nothing was changed", status: .interrupted)
}

/// An error as a person and a program read it.
struct ErrorReport {
  let code: String
  let message: String
  let hint: String?
  let status: ExitStatus

  init(_ error: any Error) {
    let told = Self.told(error)
    (code, message) = (told.code, told.message)
    status = ExitStatus.of(error)
    let isMissing = ["item-not-found", "no-vault"].contains(told.code)
    let isUnderSudo = isMissing && ProcessState.variable("SUDO_USER") != nil
    hint =
      isUnderSudo
      ? "under sudo this is root's vault, not yours" + (told.hint.map { "; \($0)" } ?? "")
      : told.hint
  }

  private static func told(
    _ error: any Error
  ) -> (code: String, message: String, hint: String?) {
    switch error {
    case let error as CommandError:
      return (error.code, error.message, error.hint)
    case let error as TerminalError:
      return told(CommandError(error))
    case let error as CredentialError:
      return (error.code.rawValue, error.message, error.hint)
    case let error as ExchangeError:
      return (error.code.rawValue, error.message, error.remedy.map(hint(for:)))
    case let error as StorageError:
      return (error.code.rawValue, error.message, hint(for: error.code))
    case let error as SealingError:
      return (error.code.rawValue, error.message, nil)
    case let error as System.Failure:
      return ("input-output", "writing failed: \(error.reason)", nil)
    default:
      return ("internal", "something unexpected went wrong", nil)
    }
  }

  private static func hint(for remedy: ExchangeError.Remedy) -> String {
    switch remedy {
    case .chooseFormat: ImportSource.formatsHint
    case .exportUnencrypted: "export it as plain JSON"
    case .exportApartOrRename: "export them apart, or rename one"
    case .exportJSON: "export json"
    case .rename: "rename it first"
    }
  }

  private static func hint(for code: StorageError.Code) -> String? {
    switch code {
    case .invalidQuery: "see: vault data schema STORE, and: vault help data fetch"
    case .unknownStore: "see: vault data stores"
    default: nil
    }
  }

  /// Writes the error to stderr: two lines, or an object.
  func write(asJSON: Bool) {
    if asJSON {
      let error: [(String, JSONValue)] = [
        ("code", .string(code)), ("message", .string(message)),
        ("hint", hint.map { .string(ProgramName.spelt($0)) } ?? .null),
        ("status", .number(Int64(status.code))),
      ]
      let members = [("error", .object(error))] + Notices.takeMembers()
      StandardError.write(JSONValue.document(members))
    } else {
      StandardError.styledLine("vault: error:", .bad, " \(message)")
      if let hint { StandardError.line("vault: hint: \(hint)") }
    }
  }
}
