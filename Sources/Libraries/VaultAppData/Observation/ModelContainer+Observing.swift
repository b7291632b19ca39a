import Synchronization
import VaultStorage

extension ModelContainer {
  /// Posted when a store was changed from outside of this container, such as by another process;
  /// the object is the container.
  ///
  /// Posted on any thread, and only while something listens to ``remoteChanges()`` or
  /// ``changes(to:)``, or is a ``ResultsObserver`` or a ``HistoryObserver``: to watch a file costs
  /// a thread, which sleeps until the file changes.
  public static let remoteChange = Notification.Name("ModelContainerRemoteChange")

  /// Reports changes of the stores' files that were not made through this container.
  ///
  /// ```swift
  /// for await _ in try container.remoteChanges() {
  ///   print(try context.fetchCount(FetchDescriptor<Trip>()))
  /// }
  /// ```
  ///
  /// Objects in use without changes have the new values when they are next read. Not part of
  /// SwiftData.
  ///
  /// - Returns: One element for each change, or for several in quick succession. When this returns,
  ///   the files are watched: every later change is reported.
  /// - Throws: A `StorageError` if a file cannot be watched.
  public func remoteChanges() throws -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let listener = try observation.add(in: self, isRemote: true) { kind in
      if kind == .remote { continuation.yield() }
    }
    continuation.onTermination = { [observation] _ in observation.remove(listener) }
    return stream
  }

  /// Reports how the results of a fetch change: by saves of any context of the container, and by
  /// other processes.
  ///
  /// ```swift
  /// let soon = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.start)])
  /// for try await results in container.changes(to: soon) {
  ///   for change in results.changes {
  ///     switch change {
  ///     case .inserted(let id, at: let place): print("new at \(place):", id)
  ///     case .deleted(_, at: let place): print("gone from \(place)")
  ///     case .moved(_, from: let old, to: let new): print("from \(old) to \(new)")
  ///     case .updated(let id, at: _): print("changed:", id)
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// The first element has all results as new. Each later one says what is different from the one
  /// before; several saves may be one element. Pending changes do not count. The fetch runs on
  /// threads of its own, and reads all attributes of the results each time. Not part of SwiftData.
  ///
  /// - Parameter descriptor: Which objects, in which order.
  /// - Returns: The changes. The sequence throws what ``ModelContext/fetch(_:)`` throws, and a
  ///   `StorageError` if a file cannot be watched.
  public func changes<T: PersistentModel>(
    to descriptor: FetchDescriptor<T>
  ) -> AsyncThrowingStream<FetchChanges<T>, any Error> {
    AsyncThrowingStream { continuation in
      let (hints, hint) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))
      let task = Task {
        do {
          // To begin waits for its turn among the writers: not on a thread of Swift's tasks.
          let listener = try await perform { [observation] _ in
            try observation.add(in: self, isRemote: true) { _ in hint.yield() }
          }
          defer { observation.remove(listener) }
          hint.yield()
          var last = FetchedRows(keys: [], fingerprints: [])
          var isFirst = true
          for await _ in hints {
            let (now, changes) = try await perform { [last] context in
              let rows = try context.rows(of: descriptor)
              let plan = try context.container.plan(T.self)
              let changes: FetchChanges<T> = rows.changes(from: last) { key in
                PersistentIdentifier(
                  store: plan.storeIdentifier,
                  entity: rows.classes[key] ?? last.classes[key] ?? plan.name, key: key)
              }
              return (rows, changes)
            }
            last = now
            if isFirst || !changes.changes.isEmpty { continuation.yield(changes) }
            isFirst = false
          }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in
        hint.finish()
        task.cancel()
      }
    }
  }
}

extension ModelContext {
  /// The rows of a fetch with their fingerprints, without objects.
  package func rows<T: PersistentModel>(of descriptor: FetchDescriptor<T>) throws -> FetchedRows {
    var stored = descriptor
    stored.includePendingChanges = false
    return try Fetching(stored, try container.plan(T.self), in: self).fingerprints()
  }
}

/// Who is told of a container's changes.
final class ContainerObservation: Sendable {
  /// Where a change was made.
  enum Kind: Sendable {
    /// By a context of the container.
    case own
    /// By others.
    case remote
  }

  private struct Listener: Sendable {
    let isRemote: Bool
    let body: @Sendable (Kind) -> Void
  }

  private struct State: Sendable {
    var listeners: [Int: Listener] = [:]
    var next = 0
    /// What is watched.
    var stores: [ModelStore] = []
  }

  private let state = Mutex(State())
  /// Held while files begin or cease to be watched.
  private let starting = NSLock()

  /// Adds a listener, and watches the files if it wants to hear of others' changes.
  ///
  /// - Returns: What ``remove(_:)`` takes.
  func add(
    in container: ModelContainer, isRemote: Bool, _ body: @escaping @Sendable (Kind) -> Void
  ) throws -> Int {
    starting.lock()
    defer { starting.unlock() }
    let (id, isFirst) = state.withLock { state in
      let isFirst = isRemote && !state.listeners.values.contains(where: \.isRemote)
      state.next += 1
      state.listeners[state.next] = Listener(isRemote: isRemote, body: body)
      if isFirst { state.stores = container.stores }
      return (state.next, isFirst)
    }
    guard isFirst else { return id }
    do {
      for store in container.stores {
        try store.watchOthers { [weak self, weak container] in
          guard let container else { return }
          var notice = SaveNotices.Notice(sender: ObjectIdentifier(container))
          notice.isAll = true
          container.mailbox.tell(notice)
          NotificationCenter.default.post(name: ModelContainer.remoteChange, object: container)
          self?.tell(.remote)
        }
      }
    } catch {
      take(id)
      throw error
    }
    return id
  }

  /// Removes a listener, soon.
  ///
  /// To end watching waits for its turn among the writers, of which the caller may be one; and the
  /// caller may be a thread of Swift's tasks.
  func remove(_ id: Int) {
    BlockingThread.start(name: "vault-changes") { [self] in
      starting.lock()
      defer { starting.unlock() }
      take(id)
    }
  }

  private func take(_ id: Int) {
    let idle = state.withLock { state -> [ModelStore] in
      state.listeners[id] = nil
      guard !state.listeners.values.contains(where: \.isRemote) else { return [] }
      defer { state.stores = [] }
      return state.stores
    }
    for store in idle { store.endWatching() }
  }

  func tell(_ kind: Kind) {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.body(kind) }
  }
}
