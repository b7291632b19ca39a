import Synchronization

/// The variables of the environment that no other program gets: this command's own, and those that hold a
/// passphrase.
///
/// Process-wide, as the environment is: whoever starts a program need not know what stood on the line.
enum PrivateVariables {
  private static let named = Mutex<Set<String>>([])

  /// Every one of them.
  static var all: Set<String> { named.withLock { $0.union(EnvironmentNames.all) } }

  /// Keeps a variable that the line names, as `--passphrase env:NAME` does, from every other program.
  static func add(_ name: String) { named.withLock { _ = $0.insert(name) } }
}
