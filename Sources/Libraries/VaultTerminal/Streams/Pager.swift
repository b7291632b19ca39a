import VaultSealing
import VaultStorage

/// The program that shows a text longer than the screen, a page at a time.
///
/// `$VAULT_PAGER`, else `$PAGER`, else `less`, through a shell as git runs its own: git(1). `cat`,
/// or an empty `$VAULT_PAGER`, turns it off.
package enum Pager {
  /// The variable that overrides `$PAGER`.
  package static let variable = "VAULT_PAGER"
  private static let standard = "less"
  // -F: not for what fits on the screen; -R: colors pass; -X: the text stays on the screen.
  private static let options = ["LESS": "FRX", "LV": "-c"]

  /// Writes a text to stdout; through the pager, if stdout is a terminal that it does not fit on.
  ///
  /// - Parameters:
  ///   - text: The text, which is not secret.
  ///   - isAllowed: Whether the pager may be used at all.
  /// - Throws: ``TerminalError`` with code `.inputOutput` if there is no file in memory for the
  ///   pager, or `System.Failure`.
  package static func write(_ text: String, isAllowed: Bool = true) throws {
    guard isAllowed, StandardOutput.isTerminal, !OutputOptions.isDumb,
      let rows = ProcessState.rows(of: 1), text.utf8.count(where: { $0 == 0x0A }) >= rows,
      let program, try show(text, program)
    else { return try StandardOutput.write(text) }
  }

  /// The line that starts the pager; `nil` if it is turned off.
  private static var program: String? {
    let program =
      ProcessState.hasVariable(variable)
      ? ProcessState.variable(variable)
      : ProcessState.variable("PAGER") ?? standard
    return program == "cat" ? nil : program
  }

  /// Returns whether the pager took the text.
  private static func show(_ text: String, _ program: String) throws -> Bool {
    ProgressLine.end()
    return try ChildProgram.show(
      ["sh", "-c", program], SecretBytes(copying: Array(text.utf8)),
      adding: options.filter { ProcessState.variable($0.key) == nil })
  }
}
