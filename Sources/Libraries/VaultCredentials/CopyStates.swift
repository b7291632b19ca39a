import Synchronization

/// The states of a vault's copies, read on first use.
final class CopyStates: Sendable {
  /// The state of the copy under a name, which is to exist.
  typealias States = @Sendable (_ name: String) -> Item.PublishedCopy

  private let read: @Sendable () -> States
  private let states = Mutex<States?>(nil)

  /// - Parameter read: Reads the states, once.
  init(reading read: @escaping @Sendable () -> States) { self.read = read }

  /// The state of the copy under a name, which is to exist.
  func state(of name: String) -> Item.PublishedCopy {
    states.withLock { states in
      let known = states ?? read()
      states = known
      return known(name)
    }
  }
}
