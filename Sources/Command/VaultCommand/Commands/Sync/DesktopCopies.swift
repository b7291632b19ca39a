import VaultCommandCore
import VaultDefaultsTool
import VaultStorage
import VaultTerminal

/// The copies of the desktop's settings, which a run of sync reads and changes.
struct DesktopCopies: DesktopSettings {
  private let settings: VaultSettings

  init(_ settings: VaultSettings) { self.settings = settings }

  /// Brings the copies and the desktop together.
  ///
  /// - Parameter names: Domains; those that are not the desktop's are passed over.
  /// - Throws: ``CommandError`` with code `usage` where the desktop cannot be read.
  func bringTogether(_ names: [String]) throws {
    var failure: (any Error)?
    let tool = DefaultsLine.tool(settings) { failure = $0 }
    if let reason = try tool.bringTogether(names) {
      throw CommandError.usage(
        reason,
        hint: "look at it: \(ProgramName.current) defaults read \(Quoting.typed(names.first ?? ""))"
      )
    }
    if let failure { throw failure }
  }
}
