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
  /// It reads everything, and changes no object; stores of the program's own are not looked at. What
  /// does not decode is noted for `vault data check`, which does not know the types. Not part of
  /// SwiftData.
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
        var check = DataStoreCheck(file: file)
        check.tellsUndecoded = false
        return try check.problems(on: connection.sqlite, metadata)
      }
      isSound = isSound && found.isEmpty
      problems += stores.count == 1 ? found : found.map { "\(store.configuration.name): \($0)" }
    }
    guard isSound else { return problems }
    for (index, store) in stores.enumerated() where store.custom == nil {
      var found: [UndecodedValues.Place: String] = [:]
      for plan in plans where plan.store == index {
        problems += try undecodedValues(plan, plan.description.type, &found)
        problems += try store.withConnection(plan.unnotedForms)
      }
      store.noteUndecoded(found, isAll: true)
    }
    return problems
  }

  /// One line for each value of a class's objects that does not decode.
  private func undecodedValues<Model: PersistentModel>(
    _ plan: EntityPlan, _ type: Model.Type, _ noted: inout [UndecodedValues.Place: String]
  ) throws -> [String] {
    var descriptor = FetchDescriptor<Model>()
    descriptor.includeSubclasses = false
    let context = ModelContext(self)
    let keys = try context.keys(descriptor, plan)
    var problems: [String] = []
    for start in stride(from: 0, to: keys.count, by: 1_000) {
      let part = Array(keys[start..<min(start + 1_000, keys.count)])
      for (place, type) in try undecoded(part, plan, context) {
        problems.append(
          "\(plan.name).\(place.property) of object \(place.row) does not decode as \(type)")
        noted[place] = type
      }
      context.rows.sweep(largerThan: 0)
    }
    return problems
  }

  /// The values of some rows that do not decode, each with the type as which it does not.
  private func undecoded(
    _ keys: [Int64], _ plan: EntityPlan, _ context: ModelContext
  ) throws -> [(UndecodedValues.Place, String)] {
    let indices = plan.description.properties.indices.filter { index in
      plan.relationship(index) == nil && plan.slots[index].column != nil
        && plan.slots[index].kind != .external
    }
    return try context.loading.loadRows(plan, keys).flatMap { record in
      indices.filter { !plan.description.decodes(record.slots[$0], $0) }.map { index in
        let property = plan.description.properties[index]
        return (
          UndecodedValues.Place(plan.name, property.name, record.key), "\(property.valueType)"
        )
      }
    }
  }

  /// Looks again at what was noted in the stores: a newer version of the program may decode it.
  func reviewUndecoded() {
    for (index, store) in stores.enumerated() where store.notesUndecoded {
      let noted = (try? store.withConnection { try $0.sqlite.undecodedValues() })?.places ?? []
      guard !noted.isEmpty else { continue }
      let wanted = Set(noted)
      var found: [UndecodedValues.Place: String] = [:]
      let context = ModelContext(self)
      for plan in plans where plan.store == index {
        let keys = Set(noted.filter { $0.entity == plan.name }.map(\.row)).sorted()
        for start in stride(from: 0, to: keys.count, by: 1_000) {
          let part = Array(keys[start..<min(start + 1_000, keys.count)])
          for (place, type) in (try? undecoded(part, plan, context)) ?? []
          where wanted.contains(place) { found[place] = type }
        }
      }
      store.noteUndecoded(found, isAll: true)
    }
  }
}
