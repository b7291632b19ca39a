// Contexts: fetches, undo, actors, notifications, several stores.

import SwiftData
import Testing

@Model final class Visit {
  #Index<Visit>([\.when])
  var when: Date
  var place: String
  @Relationship(deleteRule: .cascade, inverse: \Photo.visit) var photos: [Photo] = []
  init(_ p: String, _ d: Date = .now) {
    place = p
    when = d
  }
}
@Model final class Photo {
  @Attribute(.preserveValueOnDeletion) var code: String
  var visit: Visit?
  init(_ c: String) { code = c }
}

// Apple's stores keep a history always; programs only read it
@Test func d01_historyWithoutAskingForIt() throws {
  let store = try OnDisk(Owner.self)
  let x = try store.open()
  x.author = "app"
  for _ in 0..<5 {
    x.insert(Owner())
    try x.save()
  }
  #expect(try x.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 5)
}
@Test func d02_historyTombstonesAndAuthors() throws {
  let store = try OnDisk(Visit.self)
  let x = try store.open()
  x.author = "app"
  let v = Visit("a")
  x.insert(v)
  v.photos = [Photo("p1")]
  try x.save()
  var d = HistoryDescriptor<DefaultHistoryTransaction>()
  let last = try #require(try x.fetchHistory(d).last).token
  let y = try store.open()
  y.author = "sync"
  let w = try #require(try y.fetch(FetchDescriptor<Visit>()).first)
  w.place = "b"
  try y.save()
  y.delete(w)
  try y.save()
  let author = "sync"
  d.predicate = #Predicate { $0.token > last && $0.author == author }
  let t = try x.fetchHistory(d)
  #expect(t.count == 2)
  let data = try JSONEncoder().encode(last)
  let again = try JSONDecoder().decode(DefaultHistoryToken.self, from: data)
  #expect(again == last)
  let updates = t.flatMap(\.changes).compactMap { change -> DefaultHistoryUpdate<Visit>? in
    if case .update(let u) = change { u as? DefaultHistoryUpdate<Visit> } else { nil }
  }
  #expect(updates.first?.updatedAttributes.contains(\.place) == true)
  let deletes = t.flatMap(\.changes).compactMap { change -> DefaultHistoryDelete<Photo>? in
    if case .delete(let u) = change { u as? DefaultHistoryDelete<Photo> } else { nil }
  }
  #expect(deletes.first?.tombstone[\.code] as? String == "p1")
  let now = Date.now.addingTimeInterval(60)
  try x.deleteHistory(
    HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.timestamp < now }))
  #expect(try x.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).isEmpty)
}
@Test func d03_historySortAndLimit() throws {
  let store = try OnDisk(Visit.self)
  let x = try store.open()
  for i in 0..<4 {
    x.insert(Photo("\(i)"))
    try x.save()
  }
  var d = HistoryDescriptor<DefaultHistoryTransaction>()
  d.sortBy = [.init(\.transactionIdentifier, order: .reverse)]
  d.fetchLimit = 1
  let t = try x.fetchHistory(d)
  #expect(t.count == 1 && t.first?.changes.count == 1)
  d.sortBy = [SortDescriptor(\.timestamp, order: .reverse)]
  #expect(try x.fetchHistory(d).count == 1)
}
@ModelActor actor Importer {
  private var seen = 0
  static let shared = "x"
  func add(_ names: [String]) throws -> [PersistentIdentifier] {
    let made = names.map { Visit($0) }
    made.forEach { modelContext.insert($0) }
    try modelContext.save()
    seen += made.count
    return made.map(\.persistentModelID)
  }
  func rename(_ id: PersistentIdentifier, to n: String) throws {
    guard let v = self[id, as: Visit.self] else { return }
    v.place = n
    try modelContext.save()
  }
  func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Visit>()) }
  nonisolated func describe() -> String {
    modelContainer.schema.entities.map(\.name).sorted().joined()
  }
}
actor OwnActor: ModelActor {
  nonisolated let modelContainer: ModelContainer
  nonisolated let modelExecutor: any ModelExecutor
  let tag: String
  init(_ c: ModelContainer, tag: String) {
    modelContainer = c
    let x = ModelContext(c)
    x.autosaveEnabled = false
    modelExecutor = DefaultSerialModelExecutor(modelContext: x)
    self.tag = tag
  }
  func all() throws -> [String] {
    try modelContext.fetch(FetchDescriptor<Visit>(sortBy: [SortDescriptor(\.place)])).map(\.place)
  }
}
extension ModelActor {
  func run<R: Sendable>(_ work: @Sendable (isolated Self) throws -> R) rethrows -> R {
    try work(self)
  }
  func fetchIDs<T: PersistentModel>(_: T.Type) throws -> [PersistentIdentifier] {
    try modelContext.fetchIdentifiers(FetchDescriptor<T>())
  }
}
@MainActor @Test func d04_modelActors() async throws {
  let c = try ModelContainer(
    for: Visit.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  let main = c.mainContext
  let a = Importer(modelContainer: c)
  let ids = try await a.add(["x", "y"])
  #expect(try main.fetchCount(FetchDescriptor<Visit>()) == 2)
  let v = try #require(main.model(for: ids[0]) as? Visit)
  #expect(v.place == "x")
  try await a.rename(ids[0], to: "z")
  #expect(v.place == "z")
  #expect(
    try main.fetch(FetchDescriptor<Visit>(sortBy: [SortDescriptor(\.place)])).map(\.place) == [
      "y", "z",
    ])
  let b = OwnActor(c, tag: "t")
  #expect(try await b.all() == ["y", "z"])
  #expect(try await b.fetchIDs(Visit.self).count == 2)
  #expect(a.describe() == "PhotoVisit")
  #expect(try await a.run { try $0.count() } == 2)
}
@MainActor @Test func d05_notification() async throws {
  let x = try memory(Visit.self, Photo.self)
  nonisolated(unsafe) var got: [PersistentIdentifier] = []
  nonisolated(unsafe) var keys = 0
  let o = NotificationCenter.default.addObserver(
    forName: ModelContext.didSave, object: x, queue: nil
  ) { n in
    got =
      n.userInfo?[ModelContext.NotificationKey.insertedIdentifiers.rawValue]
      as? [PersistentIdentifier] ?? []
    keys = n.userInfo?.count ?? 0
  }
  let v = Visit("a")
  x.insert(v)
  try x.save()
  NotificationCenter.default.removeObserver(o)
  #expect(got == [v.persistentModelID] && keys > 0)
}
@Test func d06_undo() throws {
  let x = try memory(Visit.self, Photo.self)
  x.undoManager = UndoManager()
  let v = Visit("a")
  x.insert(v)
  try x.save()
  v.place = "b"
  x.processPendingChanges()
  x.undoManager?.undo()
  #expect(v.place == "a")
  x.undoManager?.redo()
  #expect(v.place == "b")
}
@Test func d07_transactionRollsBack() throws {
  struct E: Error {}
  let x = try memory(Visit.self, Photo.self)
  #expect(throws: E.self) {
    try x.transaction {
      x.insert(Visit("a"))
      throw E()
    }
  }
  #expect(try x.fetchCount(FetchDescriptor<Visit>()) == 0)
  try x.transaction { x.insert(Visit("b")) }
  #expect(try ModelContext(x.container).fetchCount(FetchDescriptor<Visit>()) == 1)
}
@Test func d08_batchDelete() throws {
  let x = try memory(Visit.self, Photo.self)
  for i in 0..<10 {
    let v = Visit("\(i)")
    x.insert(v)
    v.photos = [Photo("\(i)")]
  }
  try x.save()
  try x.delete(model: Visit.self, where: #Predicate { $0.place > "4" })
  #expect(try x.fetchCount(FetchDescriptor<Photo>()) == 5)
  try x.delete(model: Visit.self)
  #expect(try x.fetchCount(FetchDescriptor<Photo>()) == 0)
}
@Test func d09_enumerateAndBatches() throws {
  let x = try memory(Visit.self, Photo.self)
  for i in 0..<1000 { x.insert(Visit("\(i)")) }
  try x.save()
  var n = 0
  try x.enumerate(FetchDescriptor<Visit>(), batchSize: 64) { _ in n += 1 }
  #expect(n == 1000)
  let r = try x.fetch(FetchDescriptor<Visit>(sortBy: [SortDescriptor(\.when)]), batchSize: 100)
  #expect(r.count == 1000 && r[999].place.count > 0)
  #expect(try x.fetchIdentifiers(FetchDescriptor<Visit>()).count == 1000)
}
@Test func d10_observation() async throws {
  let x = try memory(Visit.self, Photo.self)
  let v = Visit("a")
  x.insert(v)
  try x.save()
  nonisolated(unsafe) var n = 0
  withObservationTracking {
    _ = v.place
  } onChange: {
    n += 1
  }
  v.place = "b"
  #expect(n == 1)
  withObservationTracking {
    _ = v.photos.count
  } onChange: {
    n += 1
  }
  let p = Photo("q")
  p.visit = v
  #expect(n == 2, "setting the other side does not tell the observer of the array")
  withObservationTracking {
    _ = v.place
  } onChange: {
    n += 1
  }
  x.rollback()
  #expect(n == 3, "rollback does not tell observers")
}
@Test func d11_observationOfOtherContextsSave() throws {
  let x = try memory(Visit.self, Photo.self)
  let v = Visit("a")
  x.insert(v)
  try x.save()
  nonisolated(unsafe) var n = 0
  withObservationTracking {
    _ = v.place
  } onChange: {
    n += 1
  }
  let y = ModelContext(x.container)
  try y.fetch(FetchDescriptor<Visit>())[0].place = "b"
  try y.save()
  #expect(v.place == "b")
  #expect(n == 1, "a merged change does not tell observers")
}
@Test func d12_identifierCodable() throws {
  let x = try memory(Visit.self, Photo.self)
  let v = Visit("a")
  x.insert(v)
  try x.save()
  let data = try JSONEncoder().encode(v.persistentModelID)
  let id = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
  #expect(id == v.persistentModelID)
  #expect((x.model(for: id) as? Visit)?.place == "a")
  #expect(!id.entityName.isEmpty && id.storeIdentifier != nil)
}
@Test func d13_multipleConfigurations() throws {
  let f = FileManager.default.temporaryDirectory.appendingPathComponent("mc-\(UUID())")
  try FileManager.default.createDirectory(at: f, withIntermediateDirectories: true)
  let a = ModelConfiguration(
    "a", schema: Schema([Visit.self, Photo.self]), url: f.appendingPathComponent("a.sqlite"),
    cloudKitDatabase: .none)
  let b = ModelConfiguration(
    "b", schema: Schema([Owner.self]), url: f.appendingPathComponent("b.sqlite"))
  let c = try ModelContainer(
    for: Schema([Visit.self, Photo.self, Owner.self]), configurations: a, b)
  let x = ModelContext(c)
  x.insert(Visit("v"))
  x.insert(Owner())
  try x.save()
  #expect(try ModelContext(c).fetchCount(FetchDescriptor<Owner>()) == 1)
  #expect(FileManager.default.fileExists(atPath: a.url.path))
  try c.erase()
  #expect(try ModelContext(c).fetchCount(FetchDescriptor<Visit>()) == 0)
}
@Test func d14_readOnly() throws {
  let s = try OnDisk(Owner.self)
  do {
    let x = try s.open()
    x.insert(Owner())
    try x.save()
  }
  let c = try ModelContainer(
    for: Owner.self, configurations: ModelConfiguration(url: s.url, allowsSave: false))
  let x = ModelContext(c)
  #expect(try x.fetchCount(FetchDescriptor<Owner>()) == 1)
  x.insert(Owner())
  #expect(throws: (any Error).self) { try x.save() }
}
@MainActor @Test func d15_autosaveMain() async throws {
  let c = try ModelContainer(
    for: Owner.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  #expect(c.mainContext.autosaveEnabled)
  c.mainContext.insert(Owner())
  for _ in 0..<50 where c.mainContext.hasChanges { try await Task.sleep(for: .milliseconds(20)) }
  #expect(!c.mainContext.hasChanges)
  #expect(try ModelContext(c).fetchCount(FetchDescriptor<Owner>()) == 1)
}
@Test func d16_existentialModels() throws {
  let x = try memory(Visit.self, Photo.self, Owner.self)
  let many: [any PersistentModel] = [Visit("a"), Photo("p"), Owner()]
  for m in many { x.insert(m) }
  try x.save()
  #expect(x.insertedModelsArray.isEmpty)
  for t in [Visit.self, Photo.self, Owner.self] as [any PersistentModel.Type] {
    func wipe<T: PersistentModel>(_: T.Type) throws { try x.delete(model: T.self) }
    try wipe(t)
  }
  #expect(try x.fetchCount(FetchDescriptor<Owner>()) == 0)
}
@Test func d17_descriptorHelpers() throws {
  struct Q {
    static var recent: FetchDescriptor<Visit> {
      var d = FetchDescriptor<Visit>(
        predicate: #Predicate { $0.place != "" }, sortBy: [.init(\.when, order: .reverse)])
      d.fetchLimit = 2
      return d
    }
  }
  let x = try memory(Visit.self, Photo.self)
  for i in 0..<5 { x.insert(Visit("\(i)")) }
  #expect(try x.fetch(Q.recent).map(\.place) == ["4", "3"])
}
@Test func d18_errorsMatch() throws {
  do {
    _ = try memory(Owner.self).fetch(
      FetchDescriptor<Owner>(predicate: #Predicate { $0.hasChanges }))
    Issue.record("no error")
  } catch SwiftDataError.unsupportedPredicate {} catch { Issue.record("\(error)") }
}
