package import VaultTerminal

extension StandardError {
  /// Writes a line in which the command has the name that it was installed under.
  package static func line(_ text: String) { writeLine(text) }

  /// Writes a line whose first words have a style.
  package static func styledLine(_ lead: String, _ style: TextStyle, _ text: String) {
    writeLine(lead, style, text)
  }

  /// Writes a warning about a possible attack or loss that is not a failure.
  ///
  /// `--quiet` does not silence it.
  package static func warning(_ text: String, hint: String? = nil) {
    styledLine("\(ProgramName.current): warning:", .doubtful, " \(text)")
    if let hint { self.hint(hint) }
  }

  /// Says what was done, to a person: on a terminal, without `--quiet`.
  ///
  /// - Parameters:
  ///   - text: What was done.
  ///   - undo: Whether `undo` takes it back.
  package static func confirmation(_ text: String, undo: Bool = false) {
    guard isTerminal, !OutputOptions.writesJSON else { return }
    note(
      undo ? "\(text); take it back: " + HintLine.located("\(ProgramName.current) undo") : text)
  }

  /// Writes a note about something a person should know that is not a failure.
  ///
  /// `--quiet` silences it.
  package static func note(_ text: String, hint: String? = nil) {
    guard !OutputOptions.isQuiet else { return }
    line("\(ProgramName.current): \(text)")
    if let hint { self.hint(hint) }
  }

  /// Writes the line below a message that says what to do, with the options that say which vault is
  /// meant.
  package static func hint(_ text: String) {
    line("\(ProgramName.current): hint: \(HintLine.located(text))")
  }
}
