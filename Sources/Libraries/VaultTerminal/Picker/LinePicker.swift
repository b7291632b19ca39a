import VaultSealing
import VaultStorage

/// Lets a person at the terminal pick a line from a list that narrows as they type.
///
/// It draws on `/dev/tty` below the cursor and leaves nothing there, whichever way it ends; stdin
/// and stdout are left alone.
package enum LinePicker {
  /// The most lines of the list that are shown.
  private static let maximumLines = 10
  /// How long an escape key waits for the rest of an arrow key's bytes.
  private static let patience: Int32 = 50

  /// What a person has picked.
  package struct Choice {
    /// The index of the line.
    package let index: Int
    /// Whether Ctrl-Y picked it: it is to be copied.
    package let copies: Bool
  }

  /// Asks for one of the lines, as ``choose(from:offersCopy:completedBy:)``.
  ///
  /// - Returns: The index of the line; `nil` without a terminal.
  package static func pick(
    from lines: [PickerLine], completedBy complete: (() throws -> [PickerLine])? = nil
  ) throws -> Int? {
    try choose(from: lines, offersCopy: false, completedBy: complete)?.index
  }

  /// Asks for one of the lines.
  ///
  /// On a dumb terminal, such as Emacs' shell or a braille line, the lines are numbered, and nothing
  /// is drawn over.
  ///
  /// - Parameters:
  ///   - lines: The lines, without control characters.
  ///   - offersCopy: Whether Ctrl-Y picks a line, too.
  ///   - complete: Gives the same lines with all that is known of them, where that takes a while: what
  ///     is known already is shown meanwhile.
  /// - Returns: The line; `nil` without a terminal.
  /// - Throws: ``TerminalError`` with code `.cancelled` if the person gives up: Escape, Ctrl-D,
  ///   Ctrl-G. Ctrl-C ends the process, as at every prompt.
  package static func choose(
    from lines: [PickerLine], offersCopy: Bool,
    completedBy complete: (() throws -> [PickerLine])? = nil
  ) throws -> Choice? {
    if OutputOptions.isDumb {
      return try pickByNumber(from: complete?() ?? lines).map { Choice(index: $0, copies: false) }
    }
    guard let terminal = TerminalDevice(echoes: false) else { return nil }
    // From the line of the prompt to the end of the screen: ECMA-48, 8.3.39.
    terminal.erasure = "\r\u{1B}[J"
    terminal.watchesSize = true
    var list = PickerList(lines)
    var keys = PickerKeys()
    if let complete {
      draw(list, on: terminal, offersCopy: offersCopy)
      list = PickerList(try complete())
    }
    while true {
      draw(list, on: terminal, offersCopy: offersCopy)
      // Everything that has come is taken before the list is drawn again.
      var event: TerminalDevice.Event? = terminal.next()
      while let next = event {
        switch next {
        case .end: throw TerminalError.cancelled
        case .resumed: break
        case .byte(let byte):
          if let key = keys.take(byte, next: { terminal.nextByte(within: patience) }) {
            switch key {
            case .text(let text): list.type(text)
            case .erase: list.erase()
            case .eraseWord: list.eraseWord()
            case .clear: list.clear()
            case .move(let lines): list.move(by: lines)
            case .page(let pages): list.move(by: pages * maximumLines)
            case .end where !list.query.isEmpty: break
            case .end, .cancel: throw TerminalError.cancelled
            case .choose:
              if let selected = list.selected { return Choice(index: selected, copies: false) }
            case .copy:
              if offersCopy, let selected = list.selected {
                return Choice(index: selected, copies: true)
              }
            }
          }
        }
        event = terminal.next(within: 0)
      }
    }
  }

  private static func draw(
    _ list: PickerList, on terminal: TerminalDevice, offersCopy: Bool
  ) {
    let (columns, rows) = terminal.size ?? (80, 24)
    // The last column stays free: a terminal may wrap there.
    let width = max(4, columns - 1)
    let height = max(1, min(maximumLines, rows - 1))
    let isColored = OutputOptions.isColored(onTerminal: true)
    let count = "  \(list.matches.count)/\(list.lines.count)"
    var query = list.query
    while DisplayWidth.of(query) + 2 + count.utf8.count > width, !query.isEmpty {
      query.removeFirst()
    }
    var text = "\r\u{1B}[J> \(query)"
    let place = 2 + DisplayWidth.of(query)
    if place + count.utf8.count <= width {
      text += TextStyle.faint.applied(to: count, isColored: isColored)
      let help = "  Return shows, ^Y copies"
      if offersCopy, place + count.utf8.count + help.utf8.count <= width {
        text += TextStyle.faint.applied(to: help, isColored: isColored)
      }
    }
    let first = max(0, min(list.selection - height / 2, list.matches.count - height))
    let shown = list.matches[first..<min(list.matches.count, first + height)]
    for (number, index) in zip(first..., shown) {
      let isSelected = number == list.selection
      let line = list.lines[index]
      let name = DisplayWidth.cut(line.name, to: width - 2)
      text += "\n" + (isSelected ? "> " : "  ")
      text += isSelected ? TextStyle.good.applied(to: name, isColored: isColored) : name
      // What would not fit is left out rather than half of it shown.
      let room = width - 4 - DisplayWidth.of(name)
      if !line.detail.isEmpty, DisplayWidth.of(line.detail) <= room {
        text += "  " + TextStyle.faint.applied(to: line.detail, isColored: isColored)
      }
    }
    // Back to where one types: cursor up and forward, ECMA-48, 8.3.22 and 8.3.20.
    if !shown.isEmpty { text += "\u{1B}[\(shown.count)A" }
    text += "\r\u{1B}[\(place)C"
    terminal.write(text)
  }

  /// The most lines that are written at once where they cannot be taken back.
  private static let maximumNumbers = 20

  /// Asks for a number, or a word that makes the list shorter.
  private static func pickByNumber(from lines: [PickerLine]) throws -> Int? {
    var list = PickerList(lines)
    while true {
      let shown = list.matches.prefix(maximumNumbers)
      for (number, index) in shown.enumerated() {
        let line = list.lines[index]
        Prompt.tell("\(number + 1)  \(line.name)" + (line.detail.isEmpty ? "" : "  \(line.detail)"))
      }
      let more = list.matches.count - shown.count
      if more > 0 { Prompt.tell("and \(more) more") }
      if shown.isEmpty { Prompt.tell("nothing has that word") }
      guard let typed = try Prompt.line("Number, or a word to look for:") else { return nil }
      let text = (typed.withBytes { $0.text(0..<$0.byteCount) } ?? "").trimmingBlanks
      if let number = Int(text), (1...max(1, shown.count)).contains(number), !shown.isEmpty {
        return shown[shown.startIndex + number - 1]
      }
      if text.isEmpty, shown.count == 1 { return shown.first }
      list.clear()
      list.type(text)
    }
  }
}
