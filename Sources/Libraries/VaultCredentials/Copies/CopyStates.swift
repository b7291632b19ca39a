import Synchronization

/// The states of a vault's copies, read from the ledger on first use.
final class CopyStates: Sendable {
  private struct State {
    var isLoaded = false
    var ledger: CopyLedger?
    var marks: [[UInt8]: Int64] = [:]
  }

  private let vault: UnlockedVault
  private let state = Mutex(State())

  init(of vault: UnlockedVault) { self.vault = vault }

  /// The state of the copy under a name, which is to exist.
  func state(of name: String) -> Item.PublishedCopy {
    state.withLock { state in
      if !state.isLoaded {
        state.isLoaded = true
        state.ledger = try? vault.ledger()
        state.marks = (try? state.ledger?.marks()) ?? [:]
      }
      guard let place = try? state.ledger?.place(of: name), let mark = state.marks[place] else {
        return .pending
      }
      switch mark {
      case CopyLedger.settled: return .published
      case CopyLedger.unpublishable: return .none
      default: return .pending
      }
    }
  }
}
