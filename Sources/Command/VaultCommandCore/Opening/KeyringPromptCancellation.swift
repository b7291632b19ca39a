import Synchronization
package import VaultCredentials
import VaultTerminal

/// A way to cancel the keyring's prompt on the display: Return at the terminal.
///
/// The person may not see the display, for example over SSH with `DISPLAY` forwarded.
package final class KeyringPromptCancellation: Sendable {
  private let terminal = Mutex<TerminalDevice?>(nil)

  /// The hooks for the vault; `nil` without a terminal.
  package static func watch() -> KeyringPromptWatch? {
    guard Prompt.isPossible else { return nil }
    let cancellation = KeyringPromptCancellation()
    return KeyringPromptWatch(
      began: { cancellation.begin() }, isGivenUp: { cancellation.wasGivenUp() },
      ended: { cancellation.end() })
  }

  private func begin() {
    terminal.withLock { terminal in
      // No echo, because a person may type the keyring's password into the wrong window.
      terminal = TerminalDevice(echoes: false)
      terminal?.write(Self.words)
    }
  }

  private static let words =
    "The keyring is asking on the display. Press Return to cancel that and continue here. "

  private func wasGivenUp() -> Bool {
    terminal.withLock { terminal in
      while let event = terminal?.next(within: 0) {
        switch event {
        case .byte(UInt8(ascii: "\n")), .byte(UInt8(ascii: "\r")), .end: return true
        case .resumed: terminal?.write("\r\(Self.words)")
        case .byte: continue
        }
      }
      return false
    }
  }

  private func end() {
    terminal.withLock { terminal in
      terminal?.write("\n")
      terminal = nil
    }
  }
}
