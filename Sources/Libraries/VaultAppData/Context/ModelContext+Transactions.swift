import VaultDataStore
import VaultStorage

extension ModelContext {
  /// Runs a block and saves what it did: all of it, or nothing.
  ///
  /// The writers' locks of the container's stores are held from before the block's first read until
  /// its changes are on disk, and objects without changes are read again where another context or
  /// process has saved. So what the block reads stays true until it has written, and no update of
  /// another is lost:
  ///
  /// ```swift
  /// try context.transaction {
  ///   let counter = try context.fetch(FetchDescriptor<Counter>()).first
  ///   counter?.count += 1
  /// }
  /// ```
  ///
  /// Others who write wait meanwhile, and readers do not. A transaction within the block is part of
  /// this one: if it throws, what it did is dropped, and what the block did before stays. The block
  /// must not wait for another thread that saves.
  ///
  /// - Parameter block: Reads and changes models; nothing is on disk before it ends.
  /// - Throws: What `block` throws; what ``save()`` throws. What the block did is dropped then, as
  ///   by ``rollback()``; what was pending before is pending again.
  public func transaction(block: () throws -> Void) throws {
    let mark = home.use.during(.look) {
      // A row that is deleted without a record could not come back by itself.
      graph.wakeAll()
      return pending.mark()
    }
    defer { pending.end(mark) }
    if connections.isHolding {
      let stores = connections.held.keys.sorted()
      do {
        return try connections.part(block)
      } catch {
        drop(mark, stores)
        throw error
      }
    }
    var saving: Saving?
    var committed: Set<Int> = []
    let stores = writableStores
    do {
      try hold(stores[...], committed: &committed) {
        try block()
        try home.use.during(.save) {
          saving = try prepareToSave()
          try saving?.write()
        }
      }
    } catch {
      // A program's own store that nothing was written to has nothing that stays.
      committed = committed.filter {
        container.stores[$0].custom == nil || saving?.hasSaved($0) == true
      }
      connections.release(isCommitted: false)
      merging.sendHeld(isCommitted: !committed.isEmpty)
      saving?.takeBack(except: committed)
      if !committed.isEmpty, let saving {
        pending.touchAll()
        throw saving.settlePart(committed, of: stores.count, Saving.translated(error))
      }
      drop(mark, stores)
      throw Saving.translated(error)
    }
    connections.release(isCommitted: true)
    merging.sendHeld(isCommitted: true)
    home.use.during(.save) {
      saving?.settle()
      rows.sweepIfLarge()
    }
    try connections.flush(committed)
  }

  /// Drops what was done since a mark, and reads again what the stores have.
  private func drop(_ mark: PendingMark, _ stores: [Int]) {
    home.use.during(.rollback) {
      mark.restore(self)
      stores.forEach(merging.refaultAll)
    }
  }

  /// The stores that may be written, in the order in which every process takes their locks.
  private var writableStores: [Int] {
    let stores = container.stores
    return stores.indices.filter { stores[$0].configuration.allowsSave }
      .sorted { stores[$0].precedes(stores[$1]) }
  }

  /// Runs `body` in a transaction of each of some stores, one within the other.
  private func hold(
    _ stores: ArraySlice<Int>, committed: inout Set<Int>, _ body: () throws -> Void
  ) throws {
    guard let store = stores.first else {
      try home.use.during(.look) {
        merging.takeIn()
        // What was deleted before the lock was taken.
        if pending.records.contains(where: { $0.state == .deleted }) {
          try graph.followLateLinks()
        }
      }
      return try body()
    }
    if container.stores[store].custom != nil {
      // It has no lock: what the block does is saved as one at its end.
      connections.hold(store, nil)
      try hold(stores.dropFirst(), committed: &committed, body)
      committed.insert(store)
      return
    }
    try container.stores[store].writing {
      try connections.use(store) { connection in
        try container.stores[store].transaction(connection) { files in
          connections.hold(store, files)
          if try connections.isBehind(store) { merging.refaultAll(of: store) }
          try hold(stores.dropFirst(), committed: &committed, body)
        }
      }
    }
    committed.insert(store)
  }
}
