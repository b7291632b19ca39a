import VaultDataStore

extension ModelContainer {
  /// Something that synchronizing with the person's other machines did to a store.
  ///
  /// As `NSPersistentCloudKitContainer.Event` of Core Data
  /// (developer.apple.com/documentation/coredata/nspersistentcloudkitcontainer/event). Not part of
  /// SwiftData.
  public struct SyncEvent: Identifiable, Hashable, Sendable {
    /// What happened.
    public enum EventType: String, Hashable, Sendable {
      /// The store goes along from then on: somebody added the application to a space.
      case setup
      /// Changes of other machines came.
      case `import`
      /// Changes of this machine went out.
      case export
    }

    /// The event, also when it is reported again at its end.
    public let id: String
    /// The store, as in ``PersistentIdentifier/storeIdentifier``.
    public let storeIdentifier: String
    /// What happened.
    public let type: EventType
    /// When it began.
    public let startDate: Date
    /// When it ended; `nil` while it goes on, as an export does whose records nobody has yet.
    public let endDate: Date?
    /// What went wrong, as one of the codes of the command, such as `sync-unavailable`; `nil` if
    /// nothing did.
    public let errorCode: String?
    /// How many objects came, by an import.
    public let insertedCount: Int
    /// How many objects others changed, by an import.
    public let updatedCount: Int
    /// How many objects others deleted, by an import.
    public let deletedCount: Int
    /// How many objects were made, changed or deleted here, by an export.
    public let exportedCount: Int

    /// True if it ended, and nothing went wrong.
    public var succeeded: Bool { endDate != nil && errorCode == nil }

    fileprivate init(_ event: StoreSyncEvent, of store: String) {
      func date(_ milliseconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000)
      }
      id = "\(store)/\(event.number)"
      storeIdentifier = store
      type =
        switch event.kind {
        case .setup: .setup
        case .arrival: .import
        case .export: .export
        }
      startDate = date(event.start)
      endDate = event.end.map(date)
      errorCode = event.error
      (insertedCount, updatedCount) = (event.inserted, event.updated)
      (deletedCount, exportedCount) = (event.deleted, event.sent)
    }
  }

  /// Posted for each of the ``syncEvents``; the object is the container, and the user info has the
  /// event under ``syncEventKey``.
  ///
  /// Posted on any thread, and only while something iterates over ``syncEvents``.
  public static let syncEventChanged = Notification.Name("ModelContainerSyncEventChanged")

  /// The key of the event in the user info of ``syncEventChanged``.
  public static let syncEventKey = "event"

  /// What synchronizing with the person's other machines does to the stores from now on.
  ///
  /// `vault sync` moves the objects, in a process of its own; nothing has to be called here. An
  /// export is reported twice: when it begins, and when the other machines can have it.
  ///
  /// ```swift
  /// for await event in try container.syncEvents {
  ///   switch event.type {
  ///   case .import: print(event.insertedCount, "new objects")
  ///   case .export: print(event.succeeded ? "up to date" : "sending")
  ///   case .setup: print("syncing")
  ///   }
  /// }
  /// ```
  ///
  /// Not part of SwiftData.
  ///
  /// - Returns: The events. When this returns, the files are watched: every later event is reported.
  /// - Throws: A `StorageError` if a file cannot be watched or read.
  public var syncEvents: AsyncStream<SyncEvent> {
    get throws {
      let (hints, hint) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))
      let listener = try observation.add(in: self, isRemote: true) { kind in
        if kind == .remote { hint.yield() }
      }
      let start: SeenSyncEvents
      do {
        var seen = SeenSyncEvents()
        _ = try seen.look(ModelContext(self))
        start = seen
      } catch {
        observation.remove(listener)
        throw error
      }
      // Between the first look and the first hint, too.
      hint.yield()
      return AsyncStream { continuation in
        let task = Task { [self] in
          var seen = start
          for await _ in hints {
            // A store that cannot be read now is looked at with the next hint.
            guard
              let (now, events) = try? await perform({ [seen] context in
                var seen = seen
                let events = try seen.look(context)
                return (seen, events)
              })
            else { continue }
            seen = now
            for event in events {
              NotificationCenter.default.post(
                name: Self.syncEventChanged, object: self, userInfo: [Self.syncEventKey: event])
              continuation.yield(event)
            }
          }
          continuation.finish()
        }
        continuation.onTermination = { [observation] _ in
          observation.remove(listener)
          hint.finish()
          task.cancel()
        }
      }
    }
  }
}

/// How far somebody has seen the events of each store.
private struct SeenSyncEvents: Sendable {
  /// By the stores' identifiers.
  private var revisions: [String: Int64] = [:]
  private var isFirst = true

  /// The events since the last look; none in the first one.
  mutating func look(_ context: ModelContext) throws -> [ModelContainer.SyncEvent] {
    var found: [ModelContainer.SyncEvent] = []
    for (index, store) in context.container.stores.enumerated() where store.custom == nil {
      try context.connections.use(index) { connection in
        guard try connection.sqlite.hasSyncEvents() else {
          // A store that is taken out and added again counts anew.
          return revisions[store.identifier] = 0
        }
        let newest = try connection.sqlite.syncRevision()
        guard !isFirst else { return revisions[store.identifier] = newest }
        let before = revisions[store.identifier] ?? 0
        let events = try connection.sqlite.syncEvents(after: before > newest ? 0 : before)
        found += events.map { ModelContainer.SyncEvent($0, of: store.identifier) }
        revisions[store.identifier] = events.last?.revision ?? newest
      }
    }
    isFirst = false
    return found
  }
}
