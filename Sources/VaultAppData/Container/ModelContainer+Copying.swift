import VaultDataStore
import VaultStorage

extension ModelContainer {
  /// Copies the stores, each as it is at one moment, while others write.
  ///
  /// A copy is whole and checked before it replaces what is at its place, and comes with the large
  /// values beside it. It is a store like any other: open it by its `url`, or put it in the place of
  /// the original when no program uses that one.
  ///
  /// ```swift
  /// try container.backup(to: URL(fileURLWithPath: "/var/backups/trips.store"))
  /// ```
  ///
  /// Not part of SwiftData.
  ///
  /// - Parameters:
  ///   - url: The copy's file; where the container has several stores, the directory of their
  ///     copies, which have the names of the files. It is made where there is none.
  ///   - progress: Counts the pages of the stores.
  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` for a store in memory, or of the program's
  ///   own; a `StorageError`.
  public func backup(to url: URL, progress: Progress? = nil) throws {
    for store in stores {
      guard store.custom == nil else {
        throw SwiftDataError.loadIssueModelContainer.saying(
          "\(store.configuration.name) is a store of the program's own, which is not copied here")
      }
      guard let file = store.dataFile else {
        throw SwiftDataError.loadIssueModelContainer.saying(
          "\(store.configuration.name) is in memory, and has no file")
      }
      let place = stores.count == 1 ? url : url.appendingPathComponent(file.name)
      var before: (done: Int64, all: Int64) = (0, 0)
      do {
        try store.withConnection { connection in
          _ = try Directory(
            anyOwner: place.deletingLastPathComponent().path, create: true)
          _ = try DataStoreCopy(file: file).copy(
            connection.sqlite, to: DataStoreFile(path: place.path)
          ) { done, all in
            // A copy that starts again counts again.
            progress?.totalUnitCount += Int64(all) - before.all
            progress?.completedUnitCount += Int64(done) - before.done
            before = (Int64(done), Int64(all))
          }
        }
        // The last step, which is the only one of a small store, is not reported.
        let all = max(1, before.all)
        progress?.totalUnitCount += all - before.all
        progress?.completedUnitCount += all - before.done
      } catch {
        throw SwiftDataError.storage(error)
      }
    }
  }

  /// Looks for damage in the stores: pages, indexes, references, metadata, large values.
  ///
  /// It only reads, and reads everything; stores of the program's own are not looked at. Not part of
  /// SwiftData.
  ///
  /// - Returns: One line for each problem; empty if all is well.
  /// - Throws: A `StorageError` if a file cannot be read at all.
  public func check() throws -> [String] {
    var problems: [String] = []
    for store in stores where store.custom == nil {
      let found = try store.withConnection { connection -> [String] in
        guard let file = store.dataFile else { return try connection.sqlite.integrityCheck() }
        guard let metadata = try connection.sqlite.readDataStoreMetadata(path: file.path) else {
          return ["\(file.path) is empty"]
        }
        return try DataStoreCheck(file: file).problems(on: connection.sqlite, metadata)
      }
      problems += stores.count == 1 ? found : found.map { "\(store.configuration.name): \($0)" }
    }
    return problems
  }
}
