import VaultDataStore
import VaultStorage

/// Tells commits of other processes to a store's file from those of this container.
///
/// SQLite's version of the data changes with every commit, whoever made it. So each writer of this
/// container looks before and after its own one, while nobody else of the container writes.
final class RemoteWatch: @unchecked Sendable {
  // `probe` and `known` are used in the writers' turn only; the rest is immutable.

  private let probe: SQLiteConnection
  private var known: Int64
  private let signal: ChangeSignal
  private let report: @Sendable () -> Void

  /// - Parameters:
  ///   - store: The store, whose turn of writing this is made in.
  ///   - file: Its file.
  ///   - report: Called for changes that are not the container's own.
  /// - Throws: A `StorageError` if the file cannot be watched.
  init(_ store: ModelStore, _ file: DataStoreFile, report: @escaping @Sendable () -> Void) throws {
    probe = try file.open(.read).connection
    known = try probe.dataVersion()
    self.report = report
    signal = ChangeSignal(directory: file.directoryPath, name: file.name) {
      try? file.open(.read, busyTimeout: .milliseconds(500)).connection
    }
    try signal.observe { [weak store] in store?.lookForRemoteChange() }
  }

  /// Call it within a transaction that is about to be committed.
  ///
  /// - Returns: What ``end(_:_:)`` asks for.
  func begin(_ writer: SQLiteConnection) throws -> Int64 {
    look()
    return try writer.dataVersion()
  }

  /// Call it after the commit.
  func end(_ writer: SQLiteConnection, _ begun: Int64) {
    guard let now = try? probe.dataVersion() else { return }
    known = now
    // The writer's own commit does not count: if it sees another, that one came right after.
    if (try? writer.dataVersion()) != begun { tell() }
  }

  /// Looks whether somebody has committed since the last look.
  func look() {
    guard let now = try? probe.dataVersion(), now != known else { return }
    known = now
    tell()
  }

  private func tell() { DispatchQueue.global().async(execute: report) }
}

extension ModelStore {
  /// Called on the thread that hears of changes of the file.
  fileprivate func lookForRemoteChange() {
    try? writing { remoteWatch?.look() }
  }
}
