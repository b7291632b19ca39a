package import VaultCredentials
import VaultStorage
package import VaultTerminal

/// A line's request to copy to the clipboard.
package struct ClipboardRequest: Equatable, Sendable {
  /// The only clipboard to use.
  package var route: ClipboardRoute?
  /// The time after which it is cleared, in seconds; `nil` for the vault's setting.
  package var seconds: Int?

  package init() {}

  /// The clipboard, with the time from the line or from the vault's settings.
  package func clipboard(for vault: UnlockedVault.Blocking) throws -> Clipboard {
    clipboard(clearedAfter: try seconds ?? vault.clipboardSetting())
  }

  /// The clipboard, with the time from the line or the usual one: no vault is open.
  package func clipboard() -> Clipboard { clipboard(clearedAfter: seconds) }

  private func clipboard(clearedAfter seconds: Int?) -> Clipboard {
    Clipboard(
      seconds: seconds ?? Clipboard.standardSeconds, route: route, program: ProgramName.current)
  }
}

extension Clipboard {
  /// The seconds of a time up to an hour, as `--clear-after` and the settings take it.
  package static func seconds(_ text: String) -> Int? {
    TimeSpan.seconds(text).flatMap { (0...maximumSeconds).contains($0) ? $0 : nil }
  }
}
