/// An exit status of the command; never renumbered.
///
/// Which error ends with which status is in ``CommandError/Code``. sysexits.h.
package struct ExitStatus: Hashable, Sendable {
  /// The number.
  package let code: Int32

  package init(code: Int32) { self.code = code }

  /// Done.
  package static let done = ExitStatus(code: 0)
  /// Not found, or a negative answer.
  package static let no = ExitStatus(code: 1)
  /// The line was wrong.
  package static let usage = ExitStatus(code: 64)
  /// Damaged, tampered with, rolled back, forked, or sealed too weakly.
  package static let damaged = ExitStatus(code: 65)
  /// A file that was named is not there.
  package static let noInput = ExitStatus(code: 66)
  /// A service is out of reach.
  package static let unavailable = ExitStatus(code: 69)
  /// Something cannot be made.
  package static let cannotCreate = ExitStatus(code: 73)
  /// Reading or writing failed.
  package static let inputOutput = ExitStatus(code: 74)
  /// Try again.
  package static let busy = ExitStatus(code: 75)
  /// Locked, wrong passphrase, or the system refused.
  package static let noPermission = ExitStatus(code: 77)
  /// There is no vault, or a setting makes no sense.
  package static let configuration = ExitStatus(code: 78)
  /// The command of `vault run` cannot be executed.
  package static let commandNotExecutable = ExitStatus(code: 126)
  /// The command of `vault run` was not found.
  package static let commandNotFound = ExitStatus(code: 127)
  /// The person gave up.
  package static let interrupted = ExitStatus(code: 130)
}

/// Ends the command with a status and without a word, where everything has been said.
package struct ExitStatusOnly: Error {
  package let status: ExitStatus

  package init(status: ExitStatus) { self.status = status }
}
