import Synchronization
import VaultPreferences
import VaultSealing

/// Opens the key provider only when the first protected domain is met, since opening a vault may
/// prompt.
final class LazyKeys: DataKeyProvider {
  private enum State {
    case closed
    case open(any DataKeyProvider)
    case refused(any Error)
  }

  private let make: @Sendable () throws -> (any DataKeyProvider)?
  private let state = Mutex(State.closed)

  init(_ make: @escaping () throws -> (any DataKeyProvider)?) {
    // The command runs on one thread.
    nonisolated(unsafe) let make = make
    self.make = { try unsafe make() }
  }

  private func keys() throws -> any DataKeyProvider {
    try state.withLock { state in
      switch state {
      case .open(let keys): return keys
      // A user who cancelled the prompt is not asked again for each key.
      case .refused(let error): throw error
      case .closed: break
      }
      do {
        guard let keys = try make() else {
          throw PreferenceError(.locked, "there is no vault that has the domain's key")
        }
        state = .open(keys)
        return keys
      } catch {
        state = .refused(error)
        throw error
      }
    }
  }

  func currentDataKey(for purpose: String) throws -> (id: [UInt8], key: SecretBytes) {
    try keys().currentDataKey(for: purpose)
  }

  func dataKey(id: [UInt8]) throws -> SecretBytes { try keys().dataKey(id: id) }
}
