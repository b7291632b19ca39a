// Models in a target that is on the main actor unless it says otherwise, as Xcode 26 sets a new one up.

import SwiftData
import Testing

@Model class Note {
  var title: String
  var day = Date()
  @Relationship(deleteRule: .cascade, inverse: \Line.note) var lines: [Line] = []
  init(title: String) { self.title = title }
}
@Model final class Line {
  var text: String
  var note: Note?
  init(text: String) { self.text = text }
}
@Model nonisolated final class Plain {
  @Attribute(.unique) var code: String
  var parent: Plain?
  @Relationship(inverse: \Plain.parent) var kids: [Plain] = []
  init(code: String) { self.code = code }
}
nonisolated enum Size: String, Codable { case small, big }
enum Weight: String, Codable { case light, heavy }  // isolated conformance
struct Opts: Codable { var a = 1 }
@Model final class Typed {
  var size: Size = Size.small
  var weight: Weight = Weight.light
  var opts = Opts()
  init() {}
}
enum V1: VersionedSchema {
  static var versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Thing.self] }
  @Model final class Thing {
    var n: Int
    init(n: Int) { self.n = n }
  }
}
enum V2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Thing.self] }
  @Model final class Thing {
    var n: Int
    var m: Int?
    init(n: Int) { self.n = n }
  }
}
enum Plan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
  static var stages: [MigrationStage] {
    [
      MigrationStage.custom(
        fromVersion: V1.self, toVersion: V2.self, willMigrate: nil,
        didMigrate: { x in
          for t in try x.fetch(FetchDescriptor<V2.Thing>()) { t.m = t.n }
          try x.save()
        })
    ]
  }
}
@ModelActor actor Worker {
  func add(_ c: String) throws -> PersistentIdentifier {
    let p = Plain(code: c)
    modelContext.insert(p)
    try modelContext.save()
    return p.persistentModelID
  }
}
@Observable final class Store {
  let container: ModelContainer
  var context: ModelContext { container.mainContext }
  init() throws {
    container = try ModelContainer(
      for: Note.self, Plain.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }
  func add(_ t: String) {
    let n = Note(title: t)
    context.insert(n)
    n.lines.append(Line(text: t))
  }
  func search(_ q: String) throws -> [Note] {
    try context.fetch(
      FetchDescriptor<Note>(
        predicate: #Predicate {
          $0.title.localizedStandardContains(q) || $0.lines.contains { $0.text == q }
        }, sortBy: [SortDescriptor(\.day), SortDescriptor(\Note.title)]))
  }
}
@Test func f01_isolatedModels() throws {
  let s = try Store()
  s.add("One")
  s.add("two")
  #expect(try s.search("one").count == 1)
  try s.context.save()
  #expect(try s.search("two").first?.lines.count == 1)
}
@Test func f02_actorWithNonisolatedModel() async throws {
  let s = try Store()
  let id = try await Worker(modelContainer: s.container).add("c")
  #expect((s.context.model(for: id) as? Plain)?.code == "c")
}
@Test func f03_typed() throws {
  let c = try ModelContainer(
    for: Typed.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  let t = Typed()
  t.size = .big
  t.weight = .heavy
  t.opts.a = 4
  c.mainContext.insert(t)
  try c.mainContext.save()
  let k = Size.big
  #expect(
    try ModelContext(c).fetch(FetchDescriptor<Typed>(predicate: #Predicate { $0.size == k })).first?
      .opts.a == 4)
}
@Test func f04_migration() throws {
  let u = FileManager.default.temporaryDirectory.appendingPathComponent("iso-\(UUID())/a.store")
  do {
    let x = ModelContext(
      try ModelContainer(for: V1.Thing.self, configurations: ModelConfiguration(url: u)))
    x.insert(V1.Thing(n: 3))
    try x.save()
  }
  let c = try ModelContainer(
    for: V2.Thing.self, migrationPlan: Plan.self, configurations: ModelConfiguration(url: u))
  #expect(try c.mainContext.fetch(FetchDescriptor<V2.Thing>()).first?.m == 3)
}
