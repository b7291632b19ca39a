import Synchronization
import VaultCredentials

/// A way out of a prompt that the keyring shows on a display: Return, at the terminal.
///
/// Nobody may be sitting there: over SSH with `DISPLAY` forwarded, or at another desk.
final class KeyringPromptCancellation: Sendable {
  private let terminal = Mutex<TerminalDevice?>(nil)

  /// What the vault is told; `nil` where there is no terminal to type at.
  static func watch() -> KeyringPromptWatch? {
    guard Prompt.isPossible else { return nil }
    let escape = KeyringPromptCancellation()
    return KeyringPromptWatch(
      began: { escape.begin() }, isGivenUp: { escape.wasGivenUp() }, ended: { escape.end() })
  }

  private func begin() {
    terminal.withLock { terminal in
      // Without echo: a password may be typed into the wrong window.
      terminal = TerminalDevice(echoes: false)
      terminal?.write(Self.words)
    }
  }

  private static let words =
    "The keyring asks on the display. Return: give that up and go on here. "

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
