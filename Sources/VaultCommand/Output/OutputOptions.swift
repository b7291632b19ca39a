import ArgumentParser
import Synchronization

/// When there is colour.
package enum ColorChoice: String, CaseIterable, Sendable, ExpressibleByArgument {
  case auto, always, never
}

/// How the program speaks on this line: `--quiet`, `--color`, and what the terminal is.
///
/// Process-wide, as the streams are that it is about.
enum OutputOptions {
  private static let quiet = Atomic(false)
  private static let json = Atomic(false)
  private static let color = Mutex(ColorChoice.auto)

  /// Whether notes and progress are left out; errors and warnings never are.
  static var isQuiet: Bool { quiet.load(ordering: .relaxed) }

  /// Whether the line wants JSON.
  static var writesJSON: Bool { json.load(ordering: .relaxed) }

  /// Takes what the line says.
  static func adopt(isQuiet: Bool, writesJSON: Bool, color choice: ColorChoice) {
    quiet.store(isQuiet, ordering: .relaxed)
    json.store(writesJSON, ordering: .relaxed)
    color.withLock { $0 = choice }
  }

  /// Whether what goes to a stream is coloured.
  ///
  /// The line's word comes first, then `NO_COLOR` (no-color.org), then `CLICOLOR_FORCE`
  /// (bixense.com/clicolors); else there is colour on a terminal that is not a dumb one.
  static func isColored(onTerminal isTerminal: Bool) -> Bool {
    switch color.withLock({ $0 }) {
    case .always: return true
    case .never: return false
    case .auto: break
    }
    if ProcessState.variable("NO_COLOR") != nil { return false }
    if let forced = ProcessState.variable("CLICOLOR_FORCE"), forced != "0" { return true }
    return isTerminal && !isDumb
  }

  /// Whether the terminal does nothing but print.
  private static var isDumb: Bool {
    let name = ProcessState.variable("TERM")
    return name == nil || name == "dumb"
  }
}
