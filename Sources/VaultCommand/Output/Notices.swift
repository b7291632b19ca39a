import Synchronization
import VaultCredentials
import VaultStorage
import VaultTerminal

/// What the vaults that a line opens have to say: notes, and warnings, which `--quiet` does not silence.
///
/// Warnings are in the `warnings` of a JSON document, too, for programs that read nothing else. Process-wide, as
/// stderr and stdout are.
enum Notices {
  private struct Watched { weak var vault: UnlockedVault? }

  private struct State {
    var vaults: [Watched] = []
    var untold: [VaultNotice] = []
    var warnings: [VaultNotice] = []
  }

  private static let state = Mutex(State())

  /// Hears a vault from now on.
  static func watch(_ vault: UnlockedVault) {
    state.withLock { $0.vaults.append(Watched(vault: vault)) }
  }

  /// The member `warnings` of a document; none where there is nothing to warn of.
  static var members: [(String, JSONValue)] {
    collect()
    let warnings = state.withLock { $0.warnings }
    return warnings.isEmpty ? [] : [("warnings", .array(warnings.map(\.json)))]
  }

  /// The same for the document of an error, which is on stderr itself: they are not said there once more.
  static func takeMembers() -> [(String, JSONValue)] {
    let members = members
    state.withLock { $0.untold.removeAll(where: \.isWarning) }
    return members
  }

  /// Says on stderr what has not been said.
  ///
  /// With `--json` warnings wait for the end, where an error's document may carry them.
  ///
  /// - Parameter isAtEnd: Whether nothing comes after it.
  static func tell(isAtEnd: Bool = false) {
    collect()
    let waits = OutputOptions.writesJSON && !isAtEnd
    let due = state.withLock { state in
      let due = state.untold.filter { !(waits && $0.isWarning) }
      state.untold.removeAll { !(waits && $0.isWarning) }
      return due
    }
    for notice in due {
      if notice.isWarning {
        StandardError.warning(notice.message, hint: notice.hint)
      } else {
        StandardError.note(notice.message, hint: notice.hint)
      }
    }
  }

  /// Takes what the vaults have noted, before they are let go of.
  static func collect() {
    let vaults = state.withLock { $0.vaults.compactMap(\.vault) }
    for vault in vaults {
      // That no session can begin is said by unlock, status and check, not by every command.
      let heard = vault.blocking.takeNotices().filter { $0.code != .noSession }
      state.withLock { state in
        for notice in heard where !state.warnings.contains(notice) {
          state.untold.append(notice)
          if notice.isWarning { state.warnings.append(notice) }
        }
      }
    }
  }
}

extension VaultNotice {
  fileprivate var json: JSONValue {
    .object([
      ("code", .string(code.rawValue)), ("message", .string(message)), ("hint", .optional(hint)),
    ])
  }
}
