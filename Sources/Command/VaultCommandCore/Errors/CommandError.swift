/// A failure of the command itself: in the line it was given, an input, a terminal, another
/// program.
package struct CommandError: Error, Sendable {
  /// Which failure it is; the code has its exit status.
  package let code: Code
  /// One sentence that says what happened; without a secret or a name.
  package let message: String
  /// One sentence that says what to do.
  package let hint: String?

  package init(_ code: Code, _ message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// The line does not follow the command's grammar.
  package static func usage(_ message: String, hint: String? = nil) -> CommandError {
    CommandError(.usage, message, hint: hint)
  }

  /// The person ended the input.
  package static let cancelled = CommandError(.cancelled, "given up: nothing was changed")
}
