import Synchronization
import VaultStorage

/// When output has color.
package enum ColorChoice: String, CaseIterable, Sendable {
  case auto, always, never
}

/// How the program writes to its streams: quietly or not, as JSON or not, with color or not.
///
/// The options belong to the process, as the streams do.
package enum OutputOptions {
  private static let quiet = Atomic(false)
  private static let json = Atomic(false)
  private static let color = Mutex(ColorChoice.auto)

  /// Whether notes and progress are left out, which errors and warnings never are.
  package static var isQuiet: Bool { quiet.load(ordering: .relaxed) }

  /// Whether the output is JSON.
  package static var writesJSON: Bool { json.load(ordering: .relaxed) }

  /// Sets the options for the rest of the process.
  package static func adopt(isQuiet: Bool, writesJSON: Bool, color choice: ColorChoice) {
    quiet.store(isQuiet, ordering: .relaxed)
    json.store(writesJSON, ordering: .relaxed)
    color.withLock { $0 = choice }
  }

  /// Whether output to a stream has color.
  ///
  /// An explicit choice comes first, then `NO_COLOR` (no-color.org), then `CLICOLOR_FORCE`
  /// (bixense.com/clicolors). Otherwise there is color on a terminal, unless TERM is `dumb`.
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

  /// The variable that asks for output without decoration, as for a dumb terminal: a screen reader
  /// reads boxes and dots aloud.
  package static let plainVariable = "VAULT_PLAIN"

  /// Whether nothing is drawn: the terminal has no control sequences, or its reader wants none.
  package static var isDumb: Bool {
    if ProcessState.variable(plainVariable).map({ !$0.isEmpty && !$0.isSame(as: "0") }) ?? false {
      return true
    }
    let name = ProcessState.variable("TERM")
    return name == nil || name == "dumb"
  }
}
