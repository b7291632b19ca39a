import VaultDataStore
import VaultStorage
import VaultSync

/// Reports that something was changed on this machine that goes along with a space: the vault file,
/// preferences, rows of applications; by whatever program.
final class LocalChanges {
  private let report: @Sendable () -> Void
  private let vault: FileSignal.Watch
  /// The preferences of this user and where they are; `nil` while no domain goes along.
  private var preferences: ChangeSignal?
  /// Those of the stores that go along, by their paths.
  private var stores: [String: ChangeSignal] = [:]

  /// Watches a vault file.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - report: Called for each change, on any thread.
  /// - Throws: `StorageError` if the folder cannot be watched.
  init(vaultAt path: String, _ report: @escaping @Sendable () -> Void) throws {
    self.report = report
    let file = FileLocation(path: path)
    vault = try FileSignal.watch(file.name, in: file.directoryPath, report)
  }

  deinit { vault.stop() }

  /// Watches what goes along now, and nothing else.
  ///
  /// What cannot be watched, since it is not there, is left to the timer and the next call.
  ///
  /// - Parameters:
  ///   - location: Where the preferences are; `nil` if no domain goes along.
  ///   - paths: The paths of the applications' stores.
  func follow(preferences location: StoreLocation?, stores paths: [String]) {
    if let location {
      if preferences == nil { preferences = watched(ChangeSignal(location)) }
    } else {
      preferences = nil
    }
    stores = Dictionary(
      uniqueKeysWithValues: Set(paths).compactMap { path in
        (stores[path] ?? watched(signal(of: path))).map { (path, $0) }
      })
  }

  private func signal(of path: String) -> ChangeSignal {
    let file = DataStoreFile(path: path)
    return ChangeSignal(directory: file.directoryPath, name: file.name) {
      try? file.open(.read, busyTimeout: .milliseconds(500)).connection
    }
  }

  private func watched(_ signal: ChangeSignal) -> ChangeSignal? {
    do {
      try signal.observe(report)
      return signal
    } catch {
      return nil
    }
  }
}
