// Values that code themselves, history, merges of two contexts.

import SwiftData
import Testing

struct NaiveDay: Codable, Hashable, Comparable {
  var y: Int, m: Int
  init(_ y: Int, _ m: Int) {
    self.y = y
    self.m = m
  }  // encodes as one string
  init(from d: any Decoder) throws {
    let s = try d.singleValueContainer().decode(String.self).split(separator: "-")
    // swift-format-ignore: NeverForceUnwrap
    y = Int(s[0])!
    // swift-format-ignore: NeverForceUnwrap
    m = Int(s[1])!
  }
  func encode(to e: any Encoder) throws {
    var c = e.singleValueContainer()
    try c.encode("\(y)-\(m)")
  }
  static func < (a: Self, b: Self) -> Bool { (a.y, a.m) < (b.y, b.m) }
}
struct Slug: RawRepresentable, Codable, Hashable {
  var rawValue: String
  init(rawValue: String) { self.rawValue = rawValue }
}
struct Pair: Codable, Equatable {
  var a: Int, b: Int
  init(_ a: Int, _ b: Int) {
    self.a = a
    self.b = b
  }
  init(from d: any Decoder) throws {
    var c = try d.unkeyedContainer()
    a = try c.decode(Int.self)
    b = try c.decode(Int.self)
  }
  func encode(to e: any Encoder) throws {
    var c = e.unkeyedContainer()
    try c.encode(a)
    try c.encode(b)
  }
}
final class Ref: Codable {
  var n = 1
  init() {}
}
enum Status: Codable, Equatable {
  case idle
  case running(since: Date)
  case failed(code: Int, String?)
}
@Model final class Odd {
  var day = NaiveDay(2026, 1)
  var dayOpt: NaiveDay?
  var slug = Slug(rawValue: "a")
  var pair = Pair(1, 2)
  var pairs: [Pair] = []
  var ref = Ref()
  var status = Status.idle
  var length = Measurement(value: 3, unit: UnitLength.meters)
  var locale = Locale(identifier: "de_DE")
  // swift-format-ignore: NeverForceUnwrap
  var zone = TimeZone(identifier: "Europe/Berlin")!
  var dict: [Int: Slug] = [:]
  var opt: Status?
  init() {}
}
@Test func g01_oddCodables() throws {
  let store = try OnDisk(Odd.self)
  let now = Date(timeIntervalSinceReferenceDate: 5)
  do {
    let x = try store.open()
    let o = Odd()
    o.day = NaiveDay(2027, 3)
    o.dayOpt = NaiveDay(1, 2)
    o.slug = Slug(rawValue: "é-1")
    o.pair = Pair(8, 9)
    o.pairs = [Pair(1, 1)]
    o.ref.n = 1
    let r = Ref()
    r.n = 7
    o.ref = r
    o.status = .running(since: now)
    o.opt = .failed(code: 3, nil)
    o.dict = [4: Slug(rawValue: "q")]
    x.insert(o)
    try x.save()
  }
  let x = try store.open()
  let o = try #require(try x.fetch(FetchDescriptor<Odd>()).first)
  #expect(
    o.day == NaiveDay(2027, 3) && o.dayOpt == NaiveDay(1, 2) && o.slug.rawValue == "é-1"
      && o.pair == Pair(8, 9) && o.pairs == [Pair(1, 1)] && o.ref.n == 7
      && o.status == .running(since: now) && o.opt == .failed(code: 3, nil) && o.length.value == 3
      && o.locale.identifier == "de_DE" && o.zone.identifier == "Europe/Berlin"
      && o.dict[4]?.rawValue == "q")
  let s = Slug(rawValue: "é-1")
  let d = NaiveDay(2027, 3)
  #expect(try x.fetchCount(FetchDescriptor<Odd>(predicate: #Predicate { $0.slug == s })) == 1)
  #expect(try x.fetchCount(FetchDescriptor<Odd>(predicate: #Predicate { $0.day == d })) == 1)
  #expect(try x.fetchCount(FetchDescriptor<Odd>(predicate: #Predicate { $0.opt != nil })) == 1)
}
@Test func g02_optionalStructNilStaysNil() throws {
  let store = try OnDisk(Odd.self)
  do {
    let x = try store.open()
    let o = Odd()
    o.dayOpt = nil
    x.insert(o)
    try x.save()
    o.dayOpt = NaiveDay(1, 1)
    try x.save()
    o.dayOpt = nil
    try x.save()
  }
  #expect(try store.open().fetch(FetchDescriptor<Odd>()).first?.dayOpt == nil)
}
@Model final class Big {
  var n: Int64 = .max
  var small: Int16 = .min
  var u32: UInt32 = .max
  var f: Float = .pi
  var d: Double = .infinity
  var date = Date.distantPast
  var far = Date.distantFuture
  // swift-format-ignore: NeverForceUnwrap
  var dec = Decimal(string: "12345678901234567890.123456789")!
  init() {}
}
@Test func g03_extremes() throws {
  let x = try memory(Big.self)
  x.insert(Big())
  try x.save()
  let b = try #require(try ModelContext(x.container).fetch(FetchDescriptor<Big>()).first)
  #expect(
    b.n == .max && b.small == .min && b.u32 == .max && b.f == .pi && b.d == .infinity
      && b.date == .distantPast && b.far == .distantFuture
      && b.dec == Decimal(string: "12345678901234567890.123456789")!)
  let inf = Double.infinity
  #expect(try x.fetchCount(FetchDescriptor<Big>(predicate: #Predicate { $0.d == inf })) == 1)
  let p = Decimal(string: "12345678901234567890.123456788")!
  #expect(try x.fetchCount(FetchDescriptor<Big>(predicate: #Predicate { $0.dec > p })) == 1)
}
@Test func g04_nanSaysSo() throws {
  let x = try memory(Big.self)
  let b = Big()
  b.d = .nan
  x.insert(b)
  #expect { try x.save() } throws: {
    print("g04:", $0)
    return "\($0)".contains("Big.d")
  }
}
@Test func g05_backgroundDetached() async throws {
  let c = try ModelContainer(
    for: Owner.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  await withTaskGroup(of: Void.self) { g in
    for i in 0..<20 {
      g.addTask {
        let x = ModelContext(c)
        let o = Owner()
        o.name = "\(i)"
        x.insert(o)
        try? x.save()
      }
    }
  }
  #expect(try ModelContext(c).fetchCount(FetchDescriptor<Owner>()) == 20)
}
@Test func g06_deletedThenFetched() throws {
  let x = try memory(Node.self)
  let a = Node("a")
  x.insert(a)
  try x.save()
  let id = a.persistentModelID
  let y = ModelContext(x.container)
  try y.delete(model: Node.self)
  try y.save()
  #expect(try x.fetch(FetchDescriptor<Node>()).isEmpty)
  #expect(a.name == "a")
  let m: Node? = x.registeredModel(for: id)
  _ = m
}
@Test func g07_predicateOnTransientOrComputedIsRefused() throws {
  let x = try memory(Wrapped.self)
  #expect(throws: (any Error).self) {
    try x.fetch(FetchDescriptor<Wrapped>(predicate: #Predicate { $0.view == 3 }))
  }
}
@Test func g08_relationshipSetToItself() throws {
  let x = try memory(Node.self)
  let a = Node("a")
  x.insert(a)
  a.parent = a
  try x.save()
  #expect(a.children.map(\.name) == ["a"])
  x.delete(a)
  try x.save()
  #expect(try x.fetchCount(FetchDescriptor<Node>()) == 0)
}
@Test func g09_moveChildBetweenParents() throws {
  let x = try memory(Node.self)
  let a = Node("a")
  let b = Node("b")
  let c = Node("c", parent: a)
  x.insert(a)
  x.insert(b)
  try x.save()
  b.children.append(c)
  #expect(a.children.isEmpty && c.parent === b)
  try x.save()
  x.delete(a)
  try x.save()
  #expect(try x.fetchCount(FetchDescriptor<Node>()) == 2)
}
@Test func g10_orphanIsKept() throws {
  let x = try memory(Node.self)
  let a = Node("a")
  x.insert(a)
  a.children = [Node("1"), Node("2")]
  try x.save()
  a.children.removeAll()
  try x.save()
  #expect(try x.fetchCount(FetchDescriptor<Node>()) == 3)
  #expect(try x.fetchCount(FetchDescriptor<Node>(predicate: #Predicate { $0.parent == nil })) == 3)
}
@Test func g11_manyCaptured() throws {
  let x = try memory(Node.self)
  for i in 0..<50 { x.insert(Node("\(i)")) }
  try x.save()
  let names = Set((0..<5000).map(String.init))
  let none: [String] = []
  #expect(
    try x.fetchCount(FetchDescriptor<Node>(predicate: #Predicate { names.contains($0.name) })) == 50
  )
  #expect(
    try x.fetchCount(FetchDescriptor<Node>(predicate: #Predicate { none.contains($0.name) })) == 0)
}
@Test func g12_likeCharactersInSearch() throws {
  let x = try memory(Node.self)
  for n in [
    "100%", "a_b", "a*b", "a'b", "a\"b", "[x]", "Straße", "STRASSE", "ﬁn", "İstanbul", "café",
  ] { x.insert(Node(n)) }
  try x.save()
  func c(_ q: String) throws -> Int {
    try x.fetchCount(
      FetchDescriptor<Node>(predicate: #Predicate { $0.name.localizedStandardContains(q) }))
  }
  func d(_ q: String) throws -> Int {
    try x.fetchCount(FetchDescriptor<Node>(predicate: #Predicate { $0.name.contains(q) }))
  }
  #expect(try d("%") == 1)
  #expect(try d("_") == 1)
  #expect(try d("*") == 1)
  #expect(try d("'") == 1)
  #expect(try d("[") == 1)
  #expect(try c("CAFE") == 1)
  #expect(try c("%") == 1)
  #expect(try c("istanbul") == 1)
  #expect(try c("") >= 0)
  #expect(try d("") == 11)
}
@Test func g13_saveTwiceAndEmpty() throws {
  let x = try memory(Node.self)
  try x.save()
  try x.save()
  x.rollback()
  x.processPendingChanges()
  #expect(!x.hasChanges)
}
@Test func g14_insertWhileEnumerating() throws {
  let x = try memory(Node.self)
  for i in 0..<10 { x.insert(Node("\(i)")) }
  try x.save()
  for n in try x.fetch(FetchDescriptor<Node>()) {
    n.children.append(Node("c"))
    if n.name == "3" { x.delete(n) }
  }
  try x.save()
  #expect(try x.fetchCount(FetchDescriptor<Node>()) == 18)
}
@Test func g15_sortStability() throws {
  let x = try memory(Node.self)
  for n in ["b10", "b9", "B2", "a", "Ä", "z", "é"] { x.insert(Node(n)) }
  try x.save()
  print(
    "g15 plain:", try x.fetch(FetchDescriptor<Node>(sortBy: [SortDescriptor(\.name)])).map(\.name),
    "std:",
    try x.fetch(
      FetchDescriptor<Node>(sortBy: [SortDescriptor(\.name, comparator: .localizedStandard)])
    ).map(\.name))
}
@Test func g16_equalDescriptorsAndReuse() throws {
  let x = try memory(Node.self)
  var d = FetchDescriptor<Node>()
  #expect(try x.fetch(d).isEmpty)
  x.insert(Node("a"))
  #expect(try x.fetch(d).count == 1)
  d.includePendingChanges = false
  #expect(try x.fetch(d).isEmpty)
}
@Test func g17_modelForUnknownID() throws {
  let x = try memory(Node.self, Owner.self)
  let o = Owner()
  x.insert(o)
  try x.save()
  let id = o.persistentModelID
  x.delete(o)
  try x.save()
  let m = x.model(for: id)
  _ = m.persistentModelID
  let r: Owner? = x.registeredModel(for: id)
  #expect(r == nil)
}
@Test func g18_schemaReflection() throws {
  let s = Schema([Game.self, Team.self])
  let e = try #require(s.entitiesByName["Team"])
  #expect(
    e.relationshipsByName["homeGames"]?.deleteRule == .cascade
      && e.relationshipsByName["homeGames"]?.inverseName == "home")
  #expect(e.attributesByName["name"]?.isUnique == true)
  #expect(s.entities.count == 2)
  #expect(Schema.entityName(for: Team.self) == "Team")
}
@Test func g19_isTemporaryAndEntityName() throws {
  let x = try memory(Node.self)
  let n = Node("a")
  _ = n.persistentModelID
  x.insert(n)
  #expect(n.persistentModelID.entityName == "Node")
  try x.save()
  #expect(!n.persistentModelID.isTemporary)
}
@Test func g20_twoContainersOneFile() throws {
  let s = try OnDisk(Node.self)
  let x = try s.open()
  let y = try s.open()
  x.insert(Node("a"))
  try x.save()
  #expect(try y.fetchCount(FetchDescriptor<Node>()) == 1)
  y.insert(Node("b"))
  try y.save()
  #expect(try x.fetchCount(FetchDescriptor<Node>()) == 2)
}
@Test func g21_deleteAllDataAndReuse() throws {
  let s = try OnDisk(Node.self)
  let x = try s.open()
  x.insert(Node("a"))
  try x.save()
  try x.container.erase()
  #expect(try ModelContext(x.container).fetchCount(FetchDescriptor<Node>()) == 0)
  let y = ModelContext(x.container)
  y.insert(Node("b"))
  try y.save()
  #expect(try s.open().fetchCount(FetchDescriptor<Node>()) == 1)
}
@Test func g22_uniqueUpsertKeepsUnmentionedRelations() throws {
  let x = try memory(Team.self, Game.self)
  let a = Team("A")
  let b = Team("B")
  x.insert(a)
  x.insert(b)
  x.insert(Game(home: a, away: b))
  try x.save()
  let y = ModelContext(x.container)
  y.insert(Team("A"))
  try y.save()
  let z = ModelContext(x.container)
  #expect(try z.fetchCount(FetchDescriptor<Game>()) == 1)
  #expect(
    try z.fetch(FetchDescriptor<Team>(predicate: #Predicate { $0.name == "A" })).first?.homeGames
      .count == 1)
}
@Test func g23_twoUpsertsInOneSave() throws {
  let x = try memory(Mark.self, Book.self, Author.self)
  for _ in 0..<3 { x.insert(Mark("same")) }
  try x.save()
  #expect(try x.fetchCount(FetchDescriptor<Mark>()) == 1)
}
@Test func g24_predicateWithUnsavedRelation() throws {
  let x = try memory(Node.self)
  let a = Node("a")
  x.insert(a)
  let b = Node("b", parent: a)
  _ = b
  #expect(
    try x.fetchCount(FetchDescriptor<Node>(predicate: #Predicate { $0.parent?.name == "a" })) == 1)
  #expect(
    try x.fetchCount(FetchDescriptor<Node>(predicate: #Predicate { $0.children.count == 1 })) == 1)
  let id = a.persistentModelID
  #expect(
    try x.fetchCount(
      FetchDescriptor<Node>(predicate: #Predicate { $0.parent?.persistentModelID == id })) == 1)
}
// Apple: a token belongs to its store; changes of the other store must not be hidden for ever
@Test func g25_historyOfTwoStores() throws {
  let f = FileManager.default.temporaryDirectory.appendingPathComponent("h2-\(UUID())")
  try FileManager.default.createDirectory(at: f, withIntermediateDirectories: true)
  var a = ModelConfiguration(
    "a", schema: Schema([Node.self]), url: f.appendingPathComponent("a.sqlite"))
  var b = ModelConfiguration(
    "b", schema: Schema([Owner.self]), url: f.appendingPathComponent("b.sqlite"))
  a.keepsHistory = true
  b.keepsHistory = true
  let x = ModelContext(
    try ModelContainer(for: Schema([Node.self, Owner.self]), configurations: a, b))
  x.insert(Node("n"))
  try x.save()
  x.insert(Owner())
  try x.save()
  x.insert(Node("m"))
  try x.save()
  let all = try x.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
  #expect(all.count == 3)
  let last = try #require(all.last).token
  x.insert(Node("k"))
  try x.save()
  x.insert(Owner())
  try x.save()
  let later = try x.fetchHistory(
    HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > last })
  ).count
  #expect(later == 2, "repeated or hidden, by chance of the identifiers: \(later)")
}
@Model final class Const {
  @Attribute(.unique) let id: UUID
  let note: String?
  let made: Date
  var n = 1
  init(note: String?) {
    id = UUID()
    self.note = note
    made = Date(timeIntervalSinceReferenceDate: 7)
  }
}
@Test func g26_letProperties() throws {
  let s = try OnDisk(Const.self)
  let c = Const(note: "kept")
  let id = c.id
  do {
    let x = try s.open()
    x.insert(c)
    try x.save()
  }
  let x = try s.open()
  let d = try #require(
    try x.fetch(FetchDescriptor<Const>(predicate: #Predicate { $0.id == id && $0.note == "kept" }))
      .first)
  #expect(d.id == id && d.note == "kept" && d.made == c.made)
  d.n = 4
  try x.save()
}
@Test func g27_linkedBeforeAnyContext() throws {
  let x = try memory(Node.self)
  let r = Node("r")
  let a = Node("a", parent: r)
  let b = Node("b", parent: r)
  #expect(r.children.count == 2)
  x.insert(r)
  try x.save()
  #expect(r.children.count == 2)
  #expect(
    try ModelContext(x.container).fetchCount(
      FetchDescriptor<Node>(predicate: #Predicate { $0.parent?.name == "r" })) == 2)
  let c = Node("c")
  let p = Node("p")
  p.children = [c]
  x.insert(c)
  try x.save()
  #expect(c.parent === p && p.modelContext === x)
  _ = (a, b)
}
@Test func g28_objectOfATemporaryContext() throws {
  let c = try ModelContainer(
    for: Node.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  do {
    let x = ModelContext(c)
    let r = Node("r")
    x.insert(r)
    r.children = [Node("a"), Node("b")]
    try x.save()
  }
  let r = try ModelContext(c).fetch(
    FetchDescriptor<Node>(predicate: #Predicate { $0.parent == nil }))[0]
  #expect(r.children.count == 2)
}
@Test func g29_optionalArrayIsNilUntilRead() throws {
  let x = try memory(Cloud.self, CloudItem.self)
  let c = Cloud()
  #expect(c.tagged == nil)
  x.insert(c)
  #expect(c.tagged == nil)
  c.tagged = []
  #expect(c.tagged != nil)
  c.tagged = nil
  #expect(c.tagged == nil)
}
