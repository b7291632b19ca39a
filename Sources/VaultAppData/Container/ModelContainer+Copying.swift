import VaultDataStore
import VaultStorage

extension ModelContainer {
  /// Copies the stores, each as it is at one moment, while others write.
  ///
  /// A copy is whole and checked before it replaces what is at its place, and comes with the large
  /// values beside it. It is a store like any other: open it by its `url`, or put it in the place
  /// of the original when no program uses that one.
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
  ///   - progress: Counts the pages of the stores, on the calling thread. To cancel it ends the
  ///     copying.
  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` for a store in memory, or of the
  ///   program's own; a `StorageError`; `CancellationError`. A store that was not copied whole is
  ///   not copied: what was at its place stays.
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
        func count(_ done: Int, _ all: Int) throws(StorageError) {
          try progress?.checkCancellation()
          // A copy that starts again counts again.
          progress?.totalUnitCount += Int64(all) - before.all
          progress?.completedUnitCount += Int64(done) - before.done
          before = (Int64(done), Int64(all))
        }
        func copy() throws {
          try store.withConnection { connection in
            try progress?.checkCancellation()
            let destination = DataStoreFile(path: place.path)
            _ = try destination.directory(create: true)
            _ = try DataStoreCopy(file: file).copy(
              connection.sqlite, to: destination, progress: count)
          }
        }
        if let progress { try progress.cancelling(copy) } else { try copy() }
        // The last step, which is the only one of a small store, is not reported.
        let all = max(1, before.all)
        progress?.totalUnitCount += all - before.all
        progress?.completedUnitCount += all - before.done
      } catch {
        throw SwiftDataError.storage(error)
      }
    }
  }

  /// Gives the space of deleted objects back to the file system.
  ///
  /// Each store is written anew, which needs as much space again for that time; other programs may
  /// go on reading, those that write wait. Large values that no object has are removed too. The
  /// space is used again for new objects without this.
  ///
  /// ```swift
  /// try context.delete(model: Trip.self)
  /// try container.vacuum()
  /// ```
  ///
  /// Stores in memory and of the program's own stay as they are. Not part of SwiftData.
  ///
  /// - Parameter progress: Counts the stores, on the calling thread. To cancel it ends the work.
  /// - Throws: ``SwiftDataError/storeBusy`` while somebody writes for long; a `StorageError`;
  ///   `CancellationError`. The store is as it was then.
  public func vacuum(progress: Progress? = nil) throws {
    progress?.totalUnitCount += Int64(stores.count)
    for store in stores {
      do {
        func vacuum() throws {
          try progress?.checkCancellation()
          try store.vacuum(isCancelled: { progress?.isCancelled ?? false })
        }
        if let progress { try progress.cancelling(vacuum) } else { try vacuum() }
      } catch {
        throw SwiftDataError.storage(error)
      }
      progress?.completedUnitCount += 1
    }
  }

  /// Looks for damage in the stores: pages, indexes, references, metadata, large values; and for
  /// values that do not decode as the types that the models have now.
  ///
  /// It only reads, and reads everything; stores of the program's own are not looked at. Not part
  /// of SwiftData.
  ///
  /// - Returns: One line for each problem; empty if all is well.
  /// - Throws: A `StorageError` if a file cannot be read at all.
  public func check() throws -> [String] {
    var problems: [String] = []
    var isSound = true
    for store in stores where store.custom == nil {
      let found = try store.withConnection { connection -> [String] in
        guard let file = store.dataFile else { return try connection.sqlite.integrityCheck() }
        guard let metadata = try connection.sqlite.readDataStoreMetadata(path: file.path) else {
          return ["\(file.path) is empty"]
        }
        return try DataStoreCheck(file: file).problems(on: connection.sqlite, metadata)
      }
      isSound = isSound && found.isEmpty
      problems += stores.count == 1 ? found : found.map { "\(store.configuration.name): \($0)" }
    }
    guard isSound else { return problems }
    for plan in plans where !plan.isCustom {
      problems += try undecodedValues(plan, plan.description.type)
    }
    return problems
  }

  /// One line for each value of a class's objects that does not decode.
  private func undecodedValues<Model: PersistentModel>(
    _ plan: EntityPlan, _ type: Model.Type
  ) throws -> [String] {
    let indices = plan.description.properties.indices.filter { index in
      plan.relationship(index) == nil && plan.slots[index].column != nil
        && plan.slots[index].kind != .external
    }
    var descriptor = FetchDescriptor<Model>()
    descriptor.includeSubclasses = false
    let context = ModelContext(self)
    let keys = try context.keys(descriptor, plan)
    var problems: [String] = []
    for start in stride(from: 0, to: keys.count, by: 1_000) {
      let part = Array(keys[start..<min(start + 1_000, keys.count)])
      for record in try context.loading.loadRows(plan, part) {
        for index in indices where !plan.description.decodes(record.slots[index], index) {
          let property = plan.description.properties[index]
          problems.append(
            "\(plan.name).\(property.name) of object \(record.key) does not decode as "
              + "\(property.valueType)")
        }
      }
      context.rows.sweep(largerThan: 0)
    }
    return problems
  }
}
