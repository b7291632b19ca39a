import Synchronization
package import VaultCredentials
package import VaultStorage
import VaultTerminal

/// The notices of all vaults that the command opens: notes and warnings.
///
/// `--quiet` silences notes only. JSON documents carry the warnings in `warnings`, for programs
/// that do not read stderr. The notices belong to the process, as stderr and stdout do.
package enum Notices {
  private struct Watched { weak var vault: UnlockedVault? }

  private struct State {
    var vaults: [Watched] = []
    var untold: [VaultNotice] = []
    var warnings: [VaultNotice] = []
  }

  private static let state = Mutex(State())

  /// Collects the notices of a vault from now on.
  package static func watch(_ vault: UnlockedVault) {
    state.withLock { $0.vaults.append(Watched(vault: vault)) }
  }

  /// The warnings so far, as the member `warnings` lists them.
  package static var warnings: [JSONValue] {
    collect()
    return state.withLock { $0.warnings.map(\.json) }
  }

  /// The member `warnings` of a document; empty without warnings.
  package static var members: [(String, JSONValue)] {
    let warnings = warnings
    return warnings.isEmpty ? [] : [("warnings", .array(warnings))]
  }

  /// The member for the document of an error, which goes to stderr itself.
  ///
  /// Its warnings are not printed there a second time.
  package static func takeMembers() -> [(String, JSONValue)] {
    let members = members
    state.withLock { $0.untold.removeAll(where: \.isWarning) }
    return members
  }

  /// Prints the notices that were not printed yet to stderr.
  ///
  /// With `--json`, warnings wait for the end, because an error's document may carry them.
  ///
  /// - Parameter isAtEnd: Whether this is the last call.
  package static func tell(isAtEnd: Bool = false) {
    collect()
    let waits = OutputOptions.writesJSON && !isAtEnd
    let due = state.withLock { state in
      let due = state.untold.filter { !(waits && $0.isWarning) }
      state.untold.removeAll { !(waits && $0.isWarning) }
      return due
    }
    for notice in due {
      if notice.isWarning {
        StandardError.warning(notice.message, hint: notice.advice)
      } else {
        StandardError.note(notice.message, hint: notice.advice)
      }
    }
  }

  /// Collects the notices of the vaults, before those are released.
  package static func collect() {
    let vaults = state.withLock { $0.vaults.compactMap(\.vault) }
    for vault in vaults {
      // Only unlock, status and check report that the kernel allows no session.
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
      ("code", .string(code.rawValue)), ("message", .string(message)),
      ("hint", .optional(advice.map(HintLine.located))),
    ])
  }
}
