import VaultCredentials
import VaultSealing
import VaultStorage

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
    status = ExitStatus.of(error)
    switch error {
    case let error as CommandError:
      (code, message, hint) = (error.code, error.message, error.hint)
    case let error as CredentialError:
      (code, message, hint) = (error.code.rawValue, error.message, error.hint)
    case let error as StorageError:
      (code, message, hint) = (error.code.rawValue, error.message, nil)
    case let error as SealingError:
      (code, message, hint) = (error.code.rawValue, error.message, nil)
    case let error as System.Failure:
      (code, message, hint) = ("input-output", "writing failed: \(error.reason)", nil)
    default:
      (code, message, hint) = ("internal", "something unexpected went wrong", nil)
    }
  }

  /// Writes the error to stderr: two lines, or an object.
  func write(asJSON: Bool) {
    if asJSON {
      let error: [(String, JSONValue)] = [
        ("code", .string(code)), ("message", .string(message)),
        ("hint", hint.map(JSONValue.string) ?? .null), ("status", .number(Int64(status.code))),
      ]
      StandardError.write(JSONValue.document([("error", .object(error))]).text)
    } else {
      StandardError.line("vault: error: \(message)")
      if let hint { StandardError.line("vault: hint: \(hint)") }
    }
  }
}
