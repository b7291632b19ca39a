package import VaultStorage

/// Whether a process ends this user's sessions at logout: `vault lock --watch`.
///
/// It holds a lock on a file in the runtime folder, which ends with it.
package enum SessionWatch {
  private static let file = "watch.lock"

  private static func folder(_ runtime: String?, create: Bool) -> Directory? {
    guard let runtime, runtime.utf8.first == UInt8(ascii: "/") else { return nil }
    return try? Directory("\(runtime)/vault", create: create)
  }

  /// Says that this process watches.
  ///
  /// - Parameter runtime: `XDG_RUNTIME_DIR`.
  /// - Returns: What says so as long as it is kept; `nil` if another process watches already, or there
  ///   is no such folder.
  package static func begin(in runtime: String?) -> FileLock? {
    guard let folder = folder(runtime, create: true) else { return nil }
    // Who only looks whether it is taken has it for a moment.
    return try? FileLock(file, in: folder, timeout: .seconds(1))
  }

  /// Whether a process watches.
  ///
  /// - Parameter runtime: `XDG_RUNTIME_DIR`.
  /// - Returns: False also where that cannot be known.
  package static func isRunning(in runtime: String?) -> Bool {
    guard let folder = folder(runtime, create: false) else { return false }
    do {
      // Nobody has it: it is given back at once.
      _ = try FileLock(file, in: folder, timeout: .zero)
      return false
    } catch {
      return error.code == .busy
    }
  }
}
