package import VaultCredentials
package import VaultStorage
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
    try clipboard(clearedAfter: seconds ?? vault.clipboardSetting(), at: vault.location)
  }

  /// The clipboard, with the time from the line or the usual one: no vault is open.
  ///
  /// - Parameter location: Where the person's preferences are.
  /// - Returns: The clipboard.
  /// - Throws: `PreferenceError` if the limit cannot be read.
  package func clipboard(at location: StoreLocation) throws -> Clipboard {
    try clipboard(clearedAfter: seconds, at: location)
  }

  private func clipboard(
    clearedAfter seconds: Int?, at location: StoreLocation
  ) throws -> Clipboard {
    var seconds = seconds ?? Clipboard.standardSeconds
    let limit = try ProgramPreferences(at: location).seconds(ProgramPreferences.clipboardAtMost)
    // 0 is never.
    if let limit, seconds == 0 || seconds > limit { seconds = limit }
    return Clipboard(seconds: seconds, route: route, program: ProgramName.current)
  }
}

extension Clipboard {
  /// The seconds of a time up to an hour, as `--clear-after` and the settings take it.
  package static func seconds(_ text: String) -> Int? {
    TimeSpan.seconds(text).flatMap { (0...maximumSeconds).contains($0) ? $0 : nil }
  }
}
