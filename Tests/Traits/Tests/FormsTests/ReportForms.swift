// What public reports about SwiftData say, tried here.

// Public reports about Apple's implementation, as small tests: what a program expects.
import SwiftData
import Testing

@Model final class Vlt {
  @Attribute(.unique) var name: String
  @Attribute(.unique) var key: String
  var secret: String
  init(_ n: String, _ k: String, _ s: String) {
    name = n
    key = k
    secret = s
  }
}
@Test func h01_fetchWithoutPendingBetweenInsertAndSave() throws {  // FB17593538
  let x = try memory(Author.self, Book.self, Mark.self)
  let a = Author("A")
  x.insert(a)
  try x.save()
  let b = Book("B")
  x.insert(b)
  b.author = a
  var d = FetchDescriptor<Author>()
  d.includePendingChanges = false
  #expect(try x.fetch(d).count == 1)
  try x.save()
  #expect(b.author === a)
  #expect(try ModelContext(x.container).fetch(FetchDescriptor<Book>()).first?.author?.name == "A")
}
// a new object takes one value of one row and another of a second: which row goes?
@Test func h02_newObjectMeetsTwoRows() throws {
  let x = try memory(Vlt.self)
  x.insert(Vlt("1", "x", "first"))
  x.insert(Vlt("2", "y", "second"))
  try x.save()
  x.insert(Vlt("1", "y", "third"))
  do {
    try x.save()
    print(
      "h02: saved:",
      try ModelContext(x.container).fetch(FetchDescriptor<Vlt>(sortBy: [SortDescriptor(\.name)]))
        .map { "\($0.name)\($0.key) \($0.secret)" })
  } catch {
    print("h02:", error)
    x.rollback()
    #expect(try x.fetchCount(FetchDescriptor<Vlt>()) == 2)
  }
}
@Test func h03_nextVersionsObjectInWillMigrate() throws {  // forums 779790: Apple ends the program
  enum P: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [M1.self, M2.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: M1.self, toVersion: M2.self,
          willMigrate: { x in
            for i in try x.fetch(FetchDescriptor<M1.Item>()) {
              x.insert(M2.Item(i.name, i.count))
              x.delete(i)
            }
            try x.save()
          }, didMigrate: nil)
      ]
    }
  }
  let f = Files()
  try f.fill(duplicates: false)
  #expect {
    _ = try ModelContainer(
      for: Schema(versionedSchema: M2.self), migrationPlan: P.self, configurations: f.configuration)
  } throws: {
    print("h03:", $0)
    return true
  }
  #expect(
    try ModelContext(
      ModelContainer(for: Schema(versionedSchema: M1.self), configurations: f.configuration)
    ).fetchCount(FetchDescriptor<M1.Item>()) == 2)
}
@Test func h04_nestedOptionalIdentity() throws {
  let x = try memory(Mutual.self)
  let a = Mutual("a")
  let b = Mutual("b")
  let c = Mutual("c")
  [a, b, c].forEach(x.insert)
  a.spouse = b
  b.spouse = c
  try x.save()
  let id = c.persistentModelID
  #expect(
    try x.fetch(
      FetchDescriptor<Mutual>(predicate: #Predicate { $0.spouse?.spouse?.persistentModelID == id })
    ).map(\.name) == ["a"])
  #expect(
    try x.fetchCount(FetchDescriptor<Mutual>(predicate: #Predicate { $0.spouse != nil })) == 2)
  #expect(
    try x.fetchCount(FetchDescriptor<Mutual>(predicate: #Predicate { $0.spouse?.spouse == nil }))
      == 2)
}
@Test func h05_ifLetWithMore() throws {
  let raws = ["plain", "rare"]
  #expect(
    try both(
      #Predicate { r in
        if let k = r.kindOpt { r.due == nil && raws.contains(k.rawValue) } else { r.due == nil }
      }) > 0)
}
@Test func h06_readAfterDeleteWithoutEverReading() throws {
  let x = try memory(Values.self, Node.self)
  let v = Values()
  v.arr = ["q"]
  x.insert(v)
  let n = Node("n")
  x.insert(n)
  n.children = [Node("c")]
  try x.save()
  let y = ModelContext(x.container)
  let w = try y.fetch(FetchDescriptor<Values>())[0]
  let m = try y.fetch(FetchDescriptor<Node>(predicate: #Predicate { $0.parent == nil }))[0]
  y.delete(w)
  y.delete(m)
  try y.save()
  _ = w.arr
  _ = w.payload
  _ = m.children
  _ = m.parent
  w.arr = []
  #expect(w.isDeleted)
}
@Test func h07_undoOneChildAtATime() throws {
  let x = try memory(Node.self)
  x.undoManager = UndoManager()
  let p = Node("p")
  x.insert(p)
  try x.save()
  for i in 0..<3 {
    p.children.append(Node("\(i)"))
    x.processPendingChanges()
  }
  x.undoManager?.undo()
  #expect(p.children.map(\.name) == ["0", "1"])
  x.undoManager?.undo()
  #expect(p.children.count == 1)
  x.undoManager?.redo()
  #expect(p.children.map(\.name) == ["0", "1"])
  try x.save()
  #expect(try ModelContext(x.container).fetchCount(FetchDescriptor<Node>()) == 3)
}
@Test func h08_registeredObjectSeesOtherContextsSave() throws {
  let x = try memory(Node.self)
  let n = Node("a")
  x.insert(n)
  try x.save()
  let y = ModelContext(x.container)
  try y.fetch(FetchDescriptor<Node>())[0].name = "b"
  try y.save()
  #expect(n.name == "b")
  #expect(try x.fetch(FetchDescriptor<Node>(predicate: #Predicate { $0.name == "b" })).first === n)
}
enum HA {
  struct T: Codable {
    var minRate = 0
    var speed = 0.0
  }
  @Model final class I {
    var target = T()
    init() {}
  }
}
enum HB {
  struct T: Codable {
    var minRate = 0
    var speed = 0.0
    var on = false
    var count = 3
  }
  @Model final class I {
    var target = T()
    init() {}
  }
}
// stackoverflow 77466012: the values that are there must survive
@Test func h09_structGainsMembersWithDefaults() throws {
  let url = Files().url
  do {
    let x = ModelContext(
      try ModelContainer(for: HA.I.self, configurations: ModelConfiguration(url: url)))
    let i = HA.I()
    i.target.minRate = 120
    i.target.speed = 9.5
    x.insert(i)
    try x.save()
  }
  let x = ModelContext(
    try ModelContainer(for: HB.I.self, configurations: ModelConfiguration(url: url)))
  let i = try x.fetch(FetchDescriptor<HB.I>())[0]
  #expect(i.target.minRate == 120, "the stored values are shown as the default")
  i.target.on = true
  var refused = false
  do { try x.save() } catch { refused = true }
  let y = ModelContext(
    try ModelContainer(for: HA.I.self, configurations: ModelConfiguration(url: url)))
  let minRate = try y.fetch(FetchDescriptor<HA.I>())[0].target.minRate
  #expect(refused || minRate == 120, "setting one member wrote the defaults over all others")
}
@Test func h10_pendingSorted() throws {
  let x = try memory(Node.self)
  for n in ["b", "d"] { x.insert(Node(n)) }
  try x.save()
  x.insert(Node("c"))
  x.insert(Node("a"))
  #expect(
    try x.fetch(FetchDescriptor<Node>(sortBy: [SortDescriptor(\.name)])).map(\.name) == [
      "a", "b", "c", "d",
    ])
  try x.fetch(FetchDescriptor<Node>(predicate: #Predicate { $0.name == "d" }))[0].name = "0"
  #expect(try x.fetch(FetchDescriptor<Node>(sortBy: [SortDescriptor(\.name)])).first?.name == "0")
  #expect(try x.fetchCount(FetchDescriptor<Node>(predicate: #Predicate { $0.name == "d" })) == 0)
}
@Test func h11_moveBetweenContextsByID() async throws {
  let c = try ModelContainer(
    for: Node.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  let x = ModelContext(c)
  let n = Node("a")
  x.insert(n)
  let before = n.persistentModelID
  try x.save()
  let id = n.persistentModelID
  #expect(before == id)
  let name = try await Task.detached {
    let y = ModelContext(c)
    return (y.model(for: id) as? Node)?.name
  }.value
  #expect(name == "a")
}
@Test func h12_addUniqueLaterMergesNothingSilently() throws {
  let f = Files()
  try f.fill(duplicates: true)
  var said = ""
  do {
    _ = try ModelContainer(for: Schema(versionedSchema: M2.self), configurations: f.configuration)
  } catch { said = "\(error)" }
  #expect(said.contains("unique"))
}
