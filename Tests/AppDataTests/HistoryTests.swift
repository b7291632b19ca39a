import Synchronization
import TestSupport
import Testing
import VaultAppData
import VaultStorage

@Model
final class Booking {
  enum Level: String, Codable { case low, high }
  struct Seat: Codable, Equatable { var row = 1 }

  @Attribute(.preserveValueOnDeletion) var reference: String
  @Attribute(.preserveValueOnDeletion) var level = Level.low
  @Attribute(.preserveValueOnDeletion) var seat = Seat()
  @Attribute(.preserveValueOnDeletion) var day = Date(timeIntervalSinceReferenceDate: 0.1)
  @Attribute(.preserveValueOnDeletion) var code: Int?
  @Attribute(.preserveValueOnDeletion, .externalStorage) var ticket: Data?
  var note = ""
  @Relationship(inverse: \Leg.booking) var legs: [Leg] = []

  init(_ reference: String) { self.reference = reference }
}

/// As the writers' own.
@Model
final class Note {
  @Attribute(.unique) var text: String
  var number: Double

  init(text: String, number: Double) {
    self.text = text
    self.number = number
  }
}

@Model
final class Leg {
  var place: String
  var booking: Booking?

  init(_ place: String) { self.place = place }
}

/// The history of a store: SwiftData's names and rules.
struct HistoryTests {
  private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func open(
    _ name: String = "trips", keepsHistory: Bool? = true
  ) throws -> (ModelContainer, ModelContext) {
    var file = ModelConfiguration(url: URL(fileURLWithPath: "\(home.path)/\(name).store"))
    file.keepsHistory = keepsHistory
    let container = try ModelContainer(for: Trip.self, configurations: file)
    return (container, context(container))
  }

  private func openBookings() throws -> (ModelContainer, ModelContext) {
    let file = ModelConfiguration(url: URL(fileURLWithPath: "\(home.path)/bookings.store"))
    let container = try ModelContainer(for: Booking.self, configurations: file)
    return (container, context(container))
  }

  private func context(_ container: ModelContainer) -> ModelContext {
    let context = ModelContext(container)
    context.autosaveEnabled = false
    return context
  }

  /// The changes in short: `+Trip.name`, with what is changed.
  private func words(_ transaction: DefaultHistoryTransaction) -> [String] {
    transaction.changes.map { change in
      let id = change.changedPersistentIdentifier
      return switch change {
      case .insert(let change): "+\(id.entityName) \(change.changedPersistentIdentifier == id)"
      case .update(let change as DefaultHistoryUpdate<Trip>):
        "~Trip \([\Trip.name, \.days, \.note].map { change.containsAttribute($0) })"
      case .update: "~\(id.entityName)"
      case .delete: "-\(id.entityName)"
      }
    }
  }

  @Test func everySaveIsATransactionWithItsAuthor() throws {
    let (container, context) = try open()
    let before = Date.now
    let rome = Trip(name: "Rome")
    context.insert(rome)
    context.insert(Trip(name: "Oslo"))
    try context.save()
    context.author = "widget"
    rome.days = 9
    try context.save()
    context.author = nil
    context.delete(rome)
    try context.save()
    // Nothing to save is no transaction.
    try context.save()
    let found = try context.fetchHistory(Descriptor())
    #expect(
      found.map(words) == [
        ["+Trip true", "+Trip true"], ["~Trip [false, true, false]"], ["-Trip"],
      ])
    #expect(found.map(\.author) == [nil, "widget", nil])
    #expect(found.map(\.transactionIdentifier) == [1, 2, 3])
    #expect(Set(found.map(\.storeIdentifier)) == [container.stores[0].identifier])
    #expect(found.allSatisfy { $0.timestamp >= before && $0.timestamp <= .now })
    #expect(!found[0].processIdentifier.isEmpty && !found[0].bundleIdentifier.isEmpty)
    // Every change has an identifier of its own, in their order.
    let numbers = found.flatMap(\.changes).compactMap { change -> Int64? in
      switch change {
      case .insert(let change as DefaultHistoryInsert<Trip>): change.changeIdentifier
      case .update(let change as DefaultHistoryUpdate<Trip>): change.changeIdentifier
      case .delete(let change as DefaultHistoryDelete<Trip>): change.changeIdentifier
      default: nil
      }
    }
    #expect(numbers.count == 4 && numbers == Array(Set(numbers)).sorted())
    if case .update(let change as DefaultHistoryUpdate<Trip>) = found[1].changes[0] {
      #expect(change.updatedAttributes.count == 1)
      #expect(change.transactionIdentifier == 2)
      #expect(self.context(container).model(for: change.changedPersistentIdentifier) is Trip)
    } else {
      Issue.record("no update")
    }
  }

  @Test func aPredicateAnOrderAndALimit() throws {
    let (_, context) = try open()
    for number in 0..<6 {
      context.author = number.isMultiple(of: 2) ? "widget" : "app"
      context.insert(Trip(name: "\(number)"))
      try context.save()
    }
    let all = try context.fetchHistory(Descriptor())
    let token = all[1].token
    func ids(_ descriptor: Descriptor) throws -> [Int64] {
      try context.fetchHistory(descriptor).map(\.transactionIdentifier)
    }
    #expect(
      try ids(Descriptor(predicate: #Predicate { $0.token > token && $0.author == "widget" }))
        == [3, 5])
    #expect(try ids(Descriptor(predicate: #Predicate { $0.token >= token })) == [2, 3, 4, 5, 6])
    #expect(try ids(Descriptor(predicate: #Predicate { token > $0.token })) == [1])
    #expect(try ids(Descriptor(predicate: #Predicate { $0.token == token })) == [2])
    #expect(try ids(Descriptor(predicate: #Predicate { $0.author != "app" })) == [1, 3, 5])
    #expect(
      try ids(Descriptor(predicate: #Predicate { $0.token <= token || $0.author == "app" }))
        == [1, 2, 4, 6])
    let time = all[3].timestamp
    #expect(try ids(Descriptor(predicate: #Predicate { $0.timestamp > time })) == [5, 6])
    let last: Int64 = 4
    #expect(
      try ids(Descriptor(predicate: #Predicate { $0.transactionIdentifier > last })) == [5, 6])
    var newest = Descriptor(
      sortBy: [SortDescriptor(\DefaultHistoryTransaction.transactionIdentifier, order: .reverse)])
    newest.fetchLimit = 2
    #expect(try ids(newest) == [6, 5])
  }

  @Test func aTokenIsKeptAndComparedAcrossRuns() throws {
    let (_, context) = try open()
    for name in ["a", "b"] {
      context.insert(Trip(name: name))
      try context.save()
    }
    let tokens = try context.fetchHistory(Descriptor()).map(\.token)
    let kept = try JSONDecoder().decode(
      DefaultHistoryToken.self, from: try JSONEncoder().encode(tokens[0]))
    #expect(kept == tokens[0] && kept < tokens[1] && !(tokens[1] < kept))
    #expect(kept.tokenValue == [kept.storeIdentifier: 1])
    let (_, later) = try open(keepsHistory: nil)
    let found = try later.fetchHistory(Descriptor(predicate: #Predicate { $0.token > kept }))
    #expect(found.map(\.token) == [tokens[1]])
  }

  @Test func deletedTransactionsExpireTheTokensBeforeThem() throws {
    let (_, context) = try open()
    for number in 0..<4 {
      context.insert(Trip(name: "\(number)"))
      try context.save()
    }
    let tokens = try context.fetchHistory(Descriptor()).map(\.token)
    let (first, second) = (tokens[0], tokens[1])
    try context.deleteHistory(Descriptor(predicate: #Predicate { $0.token <= second }))
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > first }))
    }
    let found = try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > second }))
    #expect(found.map(\.token) == Array(tokens[2...]))
    #expect(try context.fetchHistory(Descriptor()).count == 2)
    // The models stay, and numbers are never given twice.
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 4)
    try context.deleteHistory(Descriptor())
    context.insert(Trip(name: "new"))
    try context.save()
    #expect(try context.fetchHistory(Descriptor()).map(\.transactionIdentifier) == [5])
  }

  @Test func aTombstoneHasWhatTheClassPreserves() throws {
    let (container, context) = try openBookings()
    let ticket = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
    let booking = Booking("AB12")
    booking.level = .high
    booking.seat = Booking.Seat(row: 7)
    booking.ticket = ticket
    booking.note = "not preserved"
    booking.legs = [Leg("Rome")]
    context.insert(booking)
    try context.save()
    // What was changed and not saved is not what was deleted.
    booking.reference = "changed"
    context.delete(booking)
    try context.save()
    let last = try #require(try self.context(container).fetchHistory(Descriptor()).last)
    let deletion = last.changes.compactMap { change in
      if case .delete(let change as DefaultHistoryDelete<Booking>) = change {
        change
      } else {
        nil as DefaultHistoryDelete<Booking>?
      }
    }.first
    let tombstone = try #require(deletion).tombstone
    #expect(tombstone[\.reference] as? String == "AB12")
    #expect(tombstone[\.level] as? Booking.Level == .high)
    #expect(tombstone[\.seat] as? Booking.Seat == Booking.Seat(row: 7))
    #expect(tombstone[\.day] as? Date == Date(timeIntervalSinceReferenceDate: 0.1))
    #expect(tombstone[\.ticket] as? Data == ticket)
    #expect(tombstone[\.code] == nil && tombstone[\.note] == nil)
    #expect(tombstone.map(\.key).first == \Booking.reference)
    // The leg lost its booking in the same transaction.
    #expect(last.changes.contains { $0.changedPersistentIdentifier.entityName == "Leg" })
  }

  @Test func changesInTheStoreAtOnceAreRecordedToo() throws {
    let (_, context) = try openBookings()
    for name in ["a", "b", "c"] { context.insert(Booking(name)) }
    try context.save()
    context.author = "cleaner"
    try context.update(model: Booking.self, where: #Predicate { $0.reference != "b" }) {
      $0.set(\.note, to: "seen")
    }
    try context.delete(model: Booking.self, where: #Predicate { $0.reference == "b" })
    try context.transaction { context.insert(Booking("d")) }
    let found = try context.fetchHistory(Descriptor())
    #expect(found.map { $0.changes.count } == [3, 2, 1, 1])
    #expect(found.map(\.author) == [nil, "cleaner", "cleaner", "cleaner"])
    if case .update(let update as DefaultHistoryUpdate<Booking>) = found[1].changes[1],
      case .delete(let deletion as DefaultHistoryDelete<Booking>) = found[2].changes[0]
    {
      #expect(update.containsAttribute(\.note) && update.updatedAttributes.count == 1)
      #expect(deletion.tombstone[\.reference] as? String == "b")
    } else {
      Issue.record("other changes")
    }
  }

  @Test func leavesOfAClassWithoutRelationshipsAreDeletedAtOnceWithTheirHistory() throws {
    let (container, context) = try open()
    for name in ["a", "b", "c"] { context.insert(Trip(name: name)) }
    try context.save()
    try context.delete(model: Trip.self)
    let found = try context.fetchHistory(Descriptor())
    #expect(
      found.map(words) == [Array(repeating: "+Trip true", count: 3), ["-Trip", "-Trip", "-Trip"]])
    try container.erase()
    #expect(try context.fetchHistory(Descriptor()).isEmpty)
    let token = found[0].token
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > token }))
    }
  }

  @Test func aSaveThatFailsLeavesNoTransaction() throws {
    let (_, context) = try open()
    context.insert(Trip(name: "a"))
    try context.save()
    let bad = Trip(name: "b")
    bad.cost = .nan
    context.insert(bad)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    context.rollback()
    #expect(throws: CancellationError.self) {
      try context.transaction {
        context.insert(Trip(name: "c"))
        throw CancellationError()
      }
    }
    #expect(try context.fetchHistory(Descriptor()).count == 1)
  }

  @Test func whatAnotherProcessSavesIsThere() throws {
    let writer = VaultProcess(
      home: home.path, executable: KeyringSession.product("appdata-writer"))
    let path = "\(home.path)/notes.store"
    #expect(try writer.run([path, "a", "1", "1"]).status == 0)
    let file = ModelConfiguration(url: URL(fileURLWithPath: path))
    let container = try ModelContainer(for: Note.self, configurations: file)
    #expect(try writer.run([path, "b", "100", "20"]).status == 0)
    let context = context(container)
    let all = try context.fetchHistory(Descriptor())
    let found = all.dropFirst()
    #expect(all.first?.changes.count == 1)
    #expect(found.map { $0.changes.count } == Array(repeating: 20, count: 5))
    #expect(found.allSatisfy { $0.processIdentifier == "appdata-writer" })
    let ids = Set(found.flatMap(\.changes).map(\.changedPersistentIdentifier))
    let notes = try context.fetch(
      FetchDescriptor<Note>(predicate: #Predicate { $0.text.starts(with: "b-") }))
    #expect(ids == Set(notes.map(\.persistentModelID)))
  }

  /// Programs that were written for SwiftData ask for a history that they have not asked to keep.
  @Test func aHistoryIsKeptUnlessItIsRefused() throws {
    let (_, context) = try open(keepsHistory: nil)
    #expect(try context.fetchHistory(Descriptor()).isEmpty)
    context.insert(Trip(name: "a"))
    try context.save()
    #expect(try context.fetchHistory(Descriptor()).map(words) == [["+Trip true"]])
  }

  /// A token of a history that was ended leads nowhere in the one that was begun afterwards.
  @Test(arguments: [false, true])
  func aHistoryThatBeganAnewExpiresTheTokensBefore(isWritten: Bool) throws {
    var tokens: [DefaultHistoryToken] = []
    for round in 0..<3 {
      let (_, context) = try open()
      for place in 0..<(round == 0 ? 5 : 1) {
        context.insert(Trip(name: "\(round) \(place)"))
        try context.save()
      }
      let found = try context.fetchHistory(Descriptor())
      #expect(found.count == (round == 0 ? 5 : 1))
      for token in tokens {
        #expect(throws: SwiftDataError.historyTokenExpired) {
          try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > token }))
        }
      }
      tokens += found.map(\.token)
      let last = try #require(tokens.last)
      let after = Descriptor(predicate: #Predicate { $0.token > last })
      #expect(try context.fetchHistory(after).isEmpty)
      context.insert(Trip(name: "\(round) last"))
      try context.save()
      #expect(try context.fetchHistory(after).count == 1)
      let (_, other) = try open(keepsHistory: false)
      if isWritten {
        other.insert(Trip(name: "\(round) unheard"))
        try other.save()
      }
    }
  }

  @Test func aStoreThatCannotBeWrittenHasNoneYet() throws {
    let (_, context) = try open(keepsHistory: false)
    context.insert(Trip(name: "a"))
    try context.save()
    let file = ModelConfiguration(
      url: URL(fileURLWithPath: "\(home.path)/trips.store"), allowsSave: false)
    let reader = self.context(try ModelContainer(for: Trip.self, configurations: file))
    #expect(try reader.fetchHistory(Descriptor()).isEmpty)
  }

  /// One loop follows all stores of a container: nothing comes twice, and nothing is hidden.
  @Test func aTokenKnowsThePlaceInEveryStore() throws {
    var random = SeededGenerator(seed: 7)
    let names = ["a", "b"]
    let files = names.enumerated().map { number, name in
      ModelConfiguration(
        name, schema: number == 0 ? Schema([Trip.self]) : Schema([Leg.self, Booking.self]),
        url: URL(fileURLWithPath: "\(home.path)/\(name).store"))
    }
    let context = context(
      try ModelContainer(
        for: Schema([Trip.self, Leg.self, Booking.self]), configurations: files))
    var last: DefaultHistoryToken?
    var seen: [String] = []
    var saved = 0
    for round in 0..<60 {
      for _ in 0..<Int.random(in: 0..<4, using: &random) {
        if Bool.random(using: &random) {
          context.insert(Trip(name: "\(round)"))
        } else {
          context.insert(Booking("\(saved)"))
        }
        try context.save()
        saved += 1
      }
      let new: [DefaultHistoryTransaction]
      if let last {
        new = try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > last }))
      } else {
        new = try context.fetchHistory(Descriptor())
      }
      seen += new.map { "\($0.storeIdentifier) \($0.transactionIdentifier)" }
      if let token = new.last?.token {
        // As a program keeps it from one run to the next.
        last = try JSONDecoder().decode(
          DefaultHistoryToken.self, from: try JSONEncoder().encode(token))
      }
      #expect(seen.count == saved && Set(seen).count == saved)
    }
    let all = try context.fetchHistory(Descriptor())
    #expect(all.map { "\($0.storeIdentifier) \($0.transactionIdentifier)" } == seen)
    // From any of them on, there is what came after it.
    for (place, transaction) in all.enumerated() {
      let token = transaction.token
      let later = try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > token }))
      #expect(later == Array(all[(place + 1)...]))
    }
  }

  @Test func aStoreThatKeepsNoHistorySaysSo() throws {
    let (container, context) = try open(keepsHistory: false)
    context.insert(Trip(name: "a"))
    try context.save()
    #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
      try context.fetchHistory(Descriptor())
    }
    #expect(try container.check() == [])
    // It begins with the next program that asks, and ends with one that does not want it.
    let (_, second) = try open()
    #expect(try second.fetchHistory(Descriptor()).isEmpty)
    context.insert(Trip(name: "b"))
    try context.save()
    #expect(try second.fetchHistory(Descriptor()).count == 1)
    let (third, last) = try open(keepsHistory: false)
    #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
      try last.fetchHistory(Descriptor())
    }
    #expect(try third.check() == [])
  }

  @Test func aMigrationKeepsTheHistory() throws {
    let (_, context) = try open()
    context.insert(Trip(name: "a"))
    try context.save()
    let container = try ModelContainer(
      for: Trip.self, Leg.self, Booking.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: "\(home.path)/trips.store")))
    #expect(try self.context(container).fetchHistory(Descriptor()).count == 1)
  }

  @Test func aHistoryInMemory() throws {
    var memory = ModelConfiguration(isStoredInMemoryOnly: true)
    memory.keepsHistory = true
    let context = context(try ModelContainer(for: Trip.self, configurations: memory))
    context.insert(Trip(name: "a"))
    try context.save()
    #expect(try context.fetchHistory(Descriptor()).map(words) == [["+Trip true"]])
  }

  @Test func aNotificationHasTheToken() throws {
    let (_, context) = try open()
    let tokens = Mutex<[String: DefaultHistoryToken]>([:])
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { note in
      let key = ModelContext.NotificationKey.historyTokens.rawValue
      let found = note.userInfo?[key] as? [String: any HistoryToken] ?? [:]
      tokens.withLock { $0 = found.compactMapValues { $0 as? DefaultHistoryToken } }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    context.insert(Trip(name: "a"))
    try context.save()
    let last = try #require(try context.fetchHistory(Descriptor()).last)
    #expect(tokens.withLock { $0 } == [last.storeIdentifier: last.token])
  }
}
