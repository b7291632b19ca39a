import Synchronization

/// The environment variables that child processes do not get: those that hold or name secrets.
///
/// The list belongs to the process, as the environment does, so that code that starts a program
/// need not know where a passphrase came from.
package enum PrivateVariables {
  private struct State {
    var own: [String] = []
    var named: Set<String> = []
  }

  private static let state = Mutex(State())

  /// All of them.
  package static var all: Set<String> { state.withLock { $0.named.union($0.own) } }

  /// Sets the program's own variables, at its start.
  package static func adopt(_ own: [String]) { state.withLock { $0.own = own } }

  /// Adds a variable that holds a passphrase.
  package static func add(_ name: String) { state.withLock { _ = $0.named.insert(name) } }
}
