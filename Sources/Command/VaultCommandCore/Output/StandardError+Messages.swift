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

  /// Says the first of many things of one kind, and how many more there are.
  ///
  /// A file of 5,000 rows, each of which lacks the same, would push everything else off the screen.
  ///
  /// - Parameters:
  ///   - all: The things; `--json` has all of them.
  ///   - tell: Says one.
  package static func tellSome<Thing>(_ all: [Thing], _ tell: (Thing) -> Void) {
    // One line more takes no more room than the line that counts it.
    let shown = all.count == mostLines + 1 ? all.count : mostLines
    for one in all.prefix(shown) { tell(one) }
    guard all.count > shown else { return }
    let more = String(all.count - shown)
    line(
      "\(ProgramName.current): and \(Self.grouped(more)) more; all of them: --json")
  }

  private static let mostLines = 10

  /// Digits with a comma before each three of them.
  private static func grouped(_ digits: String) -> String {
    var result = ""
    for (place, digit) in digits.unicodeScalars.enumerated() {
      if place > 0, (digits.utf8.count - place).isMultiple(of: 3) { result += "," }
      result.unicodeScalars.append(digit)
    }
    return result
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
