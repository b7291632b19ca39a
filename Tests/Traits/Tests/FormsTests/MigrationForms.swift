// Versioned schemas, and what a store of an earlier one becomes.

import SwiftData
import Testing

enum M1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Item.self, Tagged.self] }
  @Model final class Item {
    var name: String
    var count: Int
    var old: String? = nil
    @Relationship(deleteRule: .cascade, inverse: \Tagged.item) var tags: [Tagged] = []
    init(_ n: String, _ c: Int) {
      name = n
      count = c
    }
  }
  @Model final class Tagged {
    var word: String
    var item: Item?
    init(_ w: String) { word = w }
  }
}
enum M2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Item.self, Tagged.self] }
  @Model final class Item {
    @Attribute(.unique) var name: String
    @Attribute(originalName: "count") var amount: Int
    var added: Date?
    var score: Double = 1.5
    @Relationship(deleteRule: .cascade, inverse: \Tagged.item) var tags: [Tagged] = []
    init(_ n: String, _ c: Int) {
      name = n
      amount = c
    }
  }
  @Model final class Tagged {
    var word: String
    var item: Item?
    init(_ w: String) { word = w }
  }
}
enum M3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Item.self, Tagged.self] }
  @Model final class Item {
    @Attribute(.unique) var name: String
    var amount: String = ""
    var score: Double = 1.5
    @Relationship(deleteRule: .cascade, inverse: \Tagged.items) var tags: [Tagged] = []
    init(_ n: String, _ c: String) {
      name = n
      amount = c
    }
  }
  @Model final class Tagged {
    var word: String
    var items: [Item] = []
    init(_ w: String) { word = w }
  }
}
enum Dedupe: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [M1.self, M2.self] }
  static var stages: [MigrationStage] { [stage] }
  static let stage = MigrationStage.custom(
    fromVersion: M1.self, toVersion: M2.self,
    willMigrate: { x in
      var seen: Set<String> = []
      for i in try x.fetch(
        FetchDescriptor<M1.Item>(sortBy: [SortDescriptor(\.count, order: .reverse)]))
      { if !seen.insert(i.name).inserted { x.delete(i) } }
      try x.save()
    },
    didMigrate: { x in
      for i in try x.fetch(FetchDescriptor<M2.Item>()) {
        i.added = Date(timeIntervalSinceReferenceDate: 1)
      }
      try x.save()
    })
}
enum Lightweight: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [M1.self, M2.self] }
  static var stages: [MigrationStage] { [.lightweight(fromVersion: M1.self, toVersion: M2.self)] }
}
enum ToThree: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [M1.self, M2.self, M3.self] }
  nonisolated(unsafe) static var kept: [String: Int] = [:]
  static var stages: [MigrationStage] {
    [
      Dedupe.stage,
      .custom(
        fromVersion: M2.self, toVersion: M3.self,
        willMigrate: { x in
          kept = Dictionary(
            uniqueKeysWithValues: try x.fetch(FetchDescriptor<M2.Item>()).map {
              ($0.name, $0.amount)
            })
        },
        didMigrate: { x in
          for i in try x.fetch(FetchDescriptor<M3.Item>()) { i.amount = "\(kept[i.name] ?? -1)" }
          try x.save()
        }),
    ]
  }
}
struct Files: ~Copyable {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("mig-\(UUID())/s.store")
  var configuration: ModelConfiguration { ModelConfiguration(url: url) }
  func fill(duplicates: Bool) throws {
    let x = ModelContext(
      try ModelContainer(for: Schema(versionedSchema: M1.self), configurations: configuration))
    for (n, c) in [("a", 1), ("b", 2)] + (duplicates ? [("a", 9)] : []) {
      let i = M1.Item(n, c)
      x.insert(i)
      i.tags = [M1.Tagged("t\(c)")]
    }
    try x.save()
  }
}

@Test func e01_customWithDuplicates() throws {
  let f = Files()
  try f.fill(duplicates: true)
  let x = ModelContext(
    try ModelContainer(
      for: Schema(versionedSchema: M2.self), migrationPlan: Dedupe.self,
      configurations: f.configuration))
  let i = try x.fetch(FetchDescriptor<M2.Item>(sortBy: [SortDescriptor(\.name)]))
  #expect(
    i.map(\.amount) == [9, 2]
      && i.allSatisfy { $0.added != nil && $0.score == 1.5 && $0.tags.count == 1 })
  #expect(try x.fetchCount(FetchDescriptor<M2.Tagged>()) == 2)
}
@Test func e02_lightweightPlan() throws {
  let f = Files()
  try f.fill(duplicates: false)
  let x = ModelContext(
    try ModelContainer(
      for: M2.Item.self, M2.Tagged.self, migrationPlan: Lightweight.self,
      configurations: f.configuration))
  #expect(
    try x.fetch(FetchDescriptor<M2.Item>(sortBy: [SortDescriptor(\.name)])).map(\.amount) == [1, 2])
}
@Test func e03_lightweightUniqueWithDuplicatesSaysSo() throws {
  let f = Files()
  try f.fill(duplicates: true)
  #expect {
    try ModelContainer(
      for: M2.Item.self, M2.Tagged.self, migrationPlan: Lightweight.self,
      configurations: f.configuration)
  } throws: {
    print("e03:", $0)
    return true
  }
  #expect(
    try ModelContext(
      ModelContainer(for: Schema(versionedSchema: M1.self), configurations: f.configuration)
    ).fetchCount(FetchDescriptor<M1.Item>()) == 3, "a failed migration changed the store")
}
@Test func e04_chainAndTypeChange() throws {
  let f = Files()
  try f.fill(duplicates: true)
  let x = ModelContext(
    try ModelContainer(
      for: Schema(versionedSchema: M3.self), migrationPlan: ToThree.self,
      configurations: f.configuration))
  #expect(
    try x.fetch(FetchDescriptor<M3.Item>(sortBy: [SortDescriptor(\.name)])).map(\.amount) == [
      "9", "2",
    ])
  #expect(
    try x.fetch(FetchDescriptor<M3.Item>(sortBy: [SortDescriptor(\.name)])).map(\.tags.count) == [
      1, 1,
    ], "to-one made to-many lost its links")
}
@Test func e05_noPlan() throws {
  let f = Files()
  try f.fill(duplicates: false)
  let x = ModelContext(
    try ModelContainer(for: M2.Item.self, M2.Tagged.self, configurations: f.configuration))
  #expect(
    try x.fetch(FetchDescriptor<M2.Item>(sortBy: [SortDescriptor(\.name)])).map(\.amount) == [1, 2])
}
enum T1 {
  @Model final class K {
    var n: Int = 5
    var s = "x"
    var o: Owner?
    init() {}
  }
}
enum T2 {
  @Model final class K {
    var n: String = "?"
    var s = "x"
    var o: Owner?
    init() {}
  }
}
enum T3 {
  @Model final class K {
    var n: Double = 1
    var s: String? = nil
    var o: Owner?
    init() {}
  }
}
@Test func e06_typeChangeWithoutPlanRefusedAndKept() throws {
  let url = Files().url
  func open<T: PersistentModel>(_: T.Type) throws -> ModelContext {
    ModelContext(try ModelContainer(for: T.self, configurations: ModelConfiguration(url: url)))
  }
  do {
    let x = try open(T1.K.self)
    x.insert(T1.K())
    try x.save()
  }
  #expect { _ = try open(T2.K.self) } throws: {
    print("e06:", $0)
    return true
  }
  #expect(try open(T1.K.self).fetch(FetchDescriptor<T1.K>()).first?.n == 5)
  do {
    print("e06 Int to Double:", try open(T3.K.self).fetch(FetchDescriptor<T3.K>()).first?.n as Any)
  } catch { print("e06 Int to Double:", error) }
}

enum C1 {
  struct Info: Codable { var a = 1 }
  enum Color: String, Codable { case red, green, blue }
  @Model final class Thing {
    var info = Info()
    var color: Color = Color.blue
    var list: [Info] = [Info()]
    var n = 1
    init() {}
  }
}
enum C2 {
  struct Info: Codable {
    var a = 1
    var b: Int = 7
    var c: String?
  }
  enum Color: String, Codable { case red, green }
  @Model final class Thing {
    var info = Info()
    var color: Color = Color.red
    var list: [Info] = [Info()]
    var n = 1
    init() {}
  }
}
// Apple: fatalError when read. Here: a value, an error, or a trap?
@Test func e07_structGainsMember_enumLosesCase() throws {
  let url = Files().url
  do {
    let x = ModelContext(
      try ModelContainer(for: C1.Thing.self, configurations: ModelConfiguration(url: url)))
    x.insert(C1.Thing())
    try x.save()
  }
  do {
    let x = ModelContext(
      try ModelContainer(for: C2.Thing.self, configurations: ModelConfiguration(url: url)))
    let t = try #require(try x.fetch(FetchDescriptor<C2.Thing>()).first)
    print("e07:", t.n)
    print("e07 info:", t.info)
    print("e07 list:", t.list)
    print("e07 color:", t.color)
    t.n = 2
    try x.save()
  } catch { print("e07 error:", error) }
}
enum R1 {
  @Model final class A {
    var name = "x"
    init() {}
  }
}
enum R2 {
  @Model final class A {
    var name = "x"
    var flag: Bool
    var required: String
    init() {
      flag = true
      required = ""
    }
  }
}
@Test func e08_requiredWithoutDefault() throws {
  let url = Files().url
  do {
    let x = ModelContext(
      try ModelContainer(for: R1.A.self, configurations: ModelConfiguration(url: url)))
    x.insert(R1.A())
    try x.save()
  }
  #expect {
    _ = try ModelContainer(for: R2.A.self, configurations: ModelConfiguration(url: url))
  } throws: {
    print("e08:", $0)
    return true
  }
}
