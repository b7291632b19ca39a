import Glibc
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
    case let error as System.Failure where error.errno == EBADF && !ProcessState.wasOpen(1):
      (code, message, advice) = (
        .inputOutput, "standard output is closed, and something was to be written to it",
        "give the line an output: … > FILE; to nowhere: … > /dev/null"
      )
    case let error as System.Failure where error.errno == EBADF && !ProcessState.wasOpen(0):
      let closed = CommandError(TerminalError.closedInput)
      (code, message, advice) = (closed.code, closed.message, closed.hint)
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
    hint = (said ?? Self.advice(forDiskOf: message)).map(HintLine.located)
  }

  /// What to do about a disk that takes nothing, whichever file of ours was to go there.
  ///
  /// Every library says in its message what the system said.
  private static func advice(forDiskOf message: String) -> String? {
    func says(_ errno: Int32) -> Bool {
      message.contains(bytes: System.Failure(errno: errno).reason)
    }
    return if says(EROFS) {
      "reading works; to change something, make the disk writable, or choose another place: --home "
        + "FOLDER for a vault, a path for a file"
    } else if says(ENOSPC) {
      "make room on the disk, and try again"
    } else if says(EDQUOT) {
      "your share of the disk is used up: make room, and try again"
    } else {
      nil
    }
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

  /// Writes what is wrong, one problem of each code, for a service that runs again and again.
  ///
  /// - Parameters:
  ///   - problems: What is wrong now.
  ///   - told: The codes of what was wrong the time before: that is not said again.
  ///   - asJSON: Whether as objects.
  /// - Returns: The codes of what is wrong now.
  static func tell(
    _ problems: [any Error], after told: Set<CommandError.Code>, asJSON: Bool
  ) -> Set<CommandError.Code> {
    var codes: Set<CommandError.Code> = []
    for problem in problems.map(ErrorReport.init)
    where codes.insert(problem.code).inserted && !told.contains(problem.code) {
      problem.write(asJSON: asJSON)
    }
    return codes
  }
}
