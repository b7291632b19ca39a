// Predicates and sorts: each finds in the store what Swift finds by evaluating it.

import SwiftData
import Testing

struct Settings: Codable, Hashable {
  var theme: String = "light"
  var size: Int = 12
  var extra: Extra? = nil
}
struct Extra: Codable, Hashable {
  var on = true
  var words: [String] = []
}
@Model final class Rec {
  var name: String
  var note: String?
  var n: Int
  var opt: Int?
  var price: Decimal = 0
  var ratio = 0.5
  var done = false
  var maybe: Bool?
  var day: Date
  var due: Date?
  var kind: Kind = Kind.plain
  var kindOpt: Kind?
  var level: Level = Level.low
  var payload: Payload = Payload.none
  var url: URL?
  var data: Data = Data()
  var uuid = UUID()
  var nums: [Int] = []
  var words: [String] = []
  var wordsOpt: [String]?
  var dict: [String: String] = [:]
  var set: Set<Int> = []
  var settings = Settings()
  var settingsOpt: Settings?
  var flags: Flags = []
  var parent: Rec?
  @Relationship(inverse: \Rec.parent) var kids: [Rec] = []
  var labels: [Lab]? = []
  init(_ name: String, _ n: Int) {
    self.name = name
    self.n = n
    day = Date(timeIntervalSinceReferenceDate: Double(n) * 86400)
  }
}
@Model final class Lab {
  var text: String
  @Relationship(inverse: \Rec.labels) var recs: [Rec]? = []
  init(_ t: String) { text = t }
}
func recs() throws -> ModelContext {
  let x = try memory(Rec.self, Lab.self)
  var all: [Rec] = []
  for i in 0..<12 {
    let r = Rec("item \(i)", i)
    x.insert(r)
    all.append(r)
    r.note = i % 3 == 0 ? nil : (i % 3 == 1 ? "" : "Note \(i)")
    r.opt = i % 2 == 0 ? i : nil
    r.price = Decimal(i) / 4
    r.ratio = Double(i) / 10
    r.done = i % 4 == 0
    r.maybe = i % 3 == 0 ? nil : i % 3 == 1
    r.due = i % 2 == 0 ? r.day.addingTimeInterval(86400) : nil
    r.kind = Kind.allCases[i % 3]
    r.kindOpt = i % 4 == 0 ? nil : Kind.allCases[i % 3]
    r.level = i > 5 ? .high : .low
    r.payload = i == 3 ? .text("t") : .none
    r.url = i == 4 ? URL(string: "https://a.example/x") : nil
    r.data = Data([UInt8(i)])
    r.nums = Array(0..<i)
    r.words = i > 6 ? ["red", "blue"] : []
    r.wordsOpt = i > 8 ? ["x"] : nil
    r.dict = i == 5 ? ["k": "v"] : [:]
    r.set = [i, i + 1]
    r.settings.theme = i % 2 == 0 ? "dark" : "light"
    r.settingsOpt =
      i > 9 ? Settings(theme: "dark", size: i, extra: Extra(on: true, words: ["w"])) : nil
    r.flags = i % 2 == 0 ? [.a] : [.a, .b]
    if i > 0 { r.parent = all[(i - 1) / 3] }
  }
  let l = Lab("one")
  let m = Lab("two")
  all[1].labels = [l, m]
  all[2].labels = [m]
  try x.save()
  return x
}
/// What the predicate finds in the store, and what Swift finds by evaluating it on every object.
func both(_ p: Predicate<Rec>, _ place: SourceLocation = #_sourceLocation) throws -> Int {
  let x = try recs()
  let found = try x.fetch(FetchDescriptor<Rec>(predicate: p)).map(\.n).sorted()
  #expect(
    try x.fetchCount(FetchDescriptor<Rec>(predicate: p)) == found.count, sourceLocation: place)
  let y = ModelContext(x.container)
  #expect(
    try y.fetch(FetchDescriptor<Rec>(predicate: p)).map(\.n).sorted() == found,
    sourceLocation: place)
  return found.count
}
@Test func c01_nilCoalescing() throws {
  #expect(try both(#Predicate { ($0.note ?? "").isEmpty }) == 8)
  #expect(try both(#Predicate { $0.note?.isEmpty ?? true }) == 8)
  #expect(try both(#Predicate { ($0.opt ?? 0) > 3 }) == 4)
  #expect(try both(#Predicate { $0.opt ?? $0.n > 10 }) == 1)
}
@Test func c02_optionalBool() throws {
  #expect(try both(#Predicate { $0.maybe == true }) == 4)
  #expect(try both(#Predicate { $0.maybe != true }) == 8)
  #expect(try both(#Predicate { $0.maybe ?? false }) == 4)
  #expect(try both(#Predicate { !($0.maybe ?? false) && $0.done == false }) == 6)
}
@Test func c03_dates() throws {
  let a = Date(timeIntervalSinceReferenceDate: 2 * 86400)
  let b = Date(timeIntervalSinceReferenceDate: 5 * 86400)
  let closed = a...b
  let half = a..<b
  #expect(try both(#Predicate { $0.day >= a && $0.day < b }) == 3)
  #expect(try both(#Predicate { closed.contains($0.day) }) == 4)
  #expect(try both(#Predicate { half.contains($0.day) }) == 3)
  #expect(try both(#Predicate { (a...b).contains($0.day) }) == 4)
  #expect(try both(#Predicate { if let due = $0.due { due <= b } else { false } }) == 3)
  #expect(try both(#Predicate { $0.due != nil && $0.due! > a }) == 5)
  #expect(try both(#Predicate { $0.due.flatMap { $0 > a } ?? false }) == 5)
  #expect(try both(#Predicate { $0.due ?? a > b }) == 3)
  let distant = Date.distantPast
  #expect(try both(#Predicate { $0.due ?? distant >= b }) == 4)
}
@Test func c04_enums() throws {
  let k = Kind.fancy
  let raw = "rare"
  let some: [Kind] = [.plain, .rare]
  let set: Set<Kind> = [.plain]
  let maybeK: Kind? = .fancy
  #expect(try both(#Predicate { $0.kind == k }) == 4)
  #expect(try both(#Predicate { $0.kind == .rare }) == 4)
  #expect(try both(#Predicate { $0.kind.rawValue == raw }) == 4)
  #expect(try both(#Predicate { some.contains($0.kind) }) == 8)
  #expect(try both(#Predicate { set.contains($0.kind) }) == 4)
  #expect(try both(#Predicate { $0.kindOpt == k }) == 3)
  #expect(try both(#Predicate { $0.kindOpt == maybeK }) == 3)
  #expect(try both(#Predicate { $0.kindOpt == nil }) == 3)
  #expect(try both(#Predicate { $0.kindOpt?.rawValue == raw }) == 3)
  #expect(try both(#Predicate { $0.level > .low }) == 6)
  let p = Payload.text("t")
  #expect(try both(#Predicate { $0.payload == p }) == 1)
  #expect(try both(#Predicate { r in some.contains { kind in kind == r.kind } }) == 8)
}
@Test func c05_strings() throws {
  let q = "ITEM 1"
  #expect(try both(#Predicate { $0.name.localizedStandardContains(q) }) == 3)
  #expect(try both(#Predicate { q.isEmpty || $0.name.localizedStandardContains(q) }) == 3)
  #expect(try both(#Predicate { $0.name.starts(with: "item 1") }) == 3)
  #expect(try both(#Predicate { $0.name.contains("m 1") }) == 3)
  #expect(try both(#Predicate { $0.name.count == 7 }) == 2)
  #expect(try both(#Predicate { $0.note?.localizedStandardContains("note") ?? false }) == 4)
  #expect(
    try both(
      #Predicate { $0.note?.localizedStandardContains("note") == true || $0.name.contains("0") })
      == 6)
  #expect(try both(#Predicate { $0.name.caseInsensitiveCompare("ITEM 3") == .orderedSame }) == 1)
  #expect(try both(#Predicate { $0.name > "item 3" }) == 6)
}
@Test func c06_arithmetic() throws {
  #expect(try both(#Predicate { $0.n * 2 + 1 > 15 }) == 4)
  #expect(try both(#Predicate { $0.n % 3 == 0 }) == 4)
  #expect(try both(#Predicate { $0.n / 2 == 3 }) == 2)
  #expect(try both(#Predicate { -$0.n < -9 }) == 2)
  let d = Decimal(string: "1.5")!
  #expect(try both(#Predicate { $0.price > d }) == 5)
  #expect(try both(#Predicate { $0.ratio > 0.75 && $0.ratio < Double(1) }) == 2)
  #expect(try both(#Predicate { $0.n > 3 ? $0.done : $0.n == 1 }) == 3)
}
@Test func c07_toMany() throws {
  #expect(try both(#Predicate { $0.kids.isEmpty }) == 8)
  #expect(try both(#Predicate { $0.kids.count > 2 }) == 3)
  #expect(try both(#Predicate { $0.kids.contains { $0.n > 9 } }) == 1)
  #expect(try both(#Predicate { r in r.kids.contains { $0.n == r.n + 1 } }) == 1)
  #expect(try both(#Predicate { $0.kids.allSatisfy { $0.n > 3 } }) == 11)
  #expect(try both(#Predicate { $0.kids.filter { $0.done }.count == 1 }) == 2)
  #expect(try both(#Predicate { $0.kids.contains { $0.kids.contains { $0.n == 11 } } }) == 1)
  #expect(try both(#Predicate { $0.labels?.contains { $0.text == "two" } ?? false }) == 2)
  #expect(try both(#Predicate { ($0.labels?.count ?? 0) == 2 }) == 1)
  #expect(
    try both(
      #Predicate { $0.labels?.contains(where: { $0.text.localizedStandardContains("ON") }) == true }
    ) == 1)
  #expect(
    try both(#Predicate { $0.labels.flatMap { $0.contains { $0.text == "one" } } == true }) == 1)
}
@Test func c08_identity() throws {
  let x = try recs()
  let one = try #require(try x.fetch(FetchDescriptor<Rec>(sortBy: [SortDescriptor(\.n)])).first)
  let id = one.persistentModelID
  let ids = [id]
  let maybe: PersistentIdentifier? = id
  #expect(
    try x.fetchCount(FetchDescriptor<Rec>(predicate: #Predicate { $0.persistentModelID == id }))
      == 1)
  #expect(
    try x.fetchCount(
      FetchDescriptor<Rec>(predicate: #Predicate { ids.contains($0.persistentModelID) })) == 1)
  #expect(
    try x.fetchCount(
      FetchDescriptor<Rec>(predicate: #Predicate { $0.parent?.persistentModelID == id })) == 3)
  #expect(
    try x.fetchCount(
      FetchDescriptor<Rec>(predicate: #Predicate { $0.parent?.persistentModelID == maybe })) == 3)
  #expect(
    try x.fetchCount(
      FetchDescriptor<Rec>(
        predicate: #Predicate { $0.kids.contains { $0.persistentModelID == id } })) == 0)
  #expect(try x.fetchCount(FetchDescriptor<Rec>(predicate: #Predicate { $0.id == id })) == 1)
  let uuid = one.uuid
  #expect(try x.fetchCount(FetchDescriptor<Rec>(predicate: #Predicate { $0.uuid == uuid })) == 1)
  let parents: Set<PersistentIdentifier> = [id]
  #expect(
    try x.fetchCount(
      FetchDescriptor<Rec>(
        predicate: #Predicate { r in
          if let p = r.parent { parents.contains(p.persistentModelID) } else { false }
        })) == 3)
}
@Test func c09_codableMembers() throws {
  #expect(try both(#Predicate { $0.settings.theme == "dark" && $0.settings.size < 20 }) == 6)
  #expect(try both(#Predicate { $0.settingsOpt?.theme == "dark" }) == 2)
  #expect(try both(#Predicate { $0.settingsOpt?.extra?.on == true }) == 2)
  #expect(try both(#Predicate { $0.settingsOpt?.extra?.words.contains("w") == true }) == 2)
  #expect(try both(#Predicate { $0.settingsOpt == nil }) == 10)
}
@Test func c10_collections() throws {
  #expect(try both(#Predicate { $0.words.contains("red") }) == 5)
  #expect(try both(#Predicate { $0.nums.count > 10 }) == 1)
  #expect(try both(#Predicate { $0.nums.contains { $0 == 10 } }) == 1)
  #expect(try both(#Predicate { $0.words.isEmpty }) == 7)
  #expect(try both(#Predicate { $0.dict["k"] == "v" }) == 1)
  #expect(try both(#Predicate { $0.set.contains(5) }) == 2)
  #expect(try both(#Predicate { $0.wordsOpt?.contains("x") ?? false }) == 3)
  #expect(try both(#Predicate { $0.wordsOpt == nil }) == 9)
  #expect(try both(#Predicate { $0.words.first == "red" }) == 5)
  #expect(try both(#Predicate { !$0.nums.isEmpty && $0.nums[0] == 0 }) == 11)
}
@Test func c11_minMaxOfArray() throws {
  #expect(try both(#Predicate { ($0.nums.max() ?? 0) > 8 }) == 2)
  #expect(try both(#Predicate { $0.nums.min() == 0 }) == 11)
}
@Test func c12_compose() throws {
  let a = #Predicate<Rec> { $0.n > 3 }
  let b = #Predicate<Rec> { $0.done }
  #expect(try both(#Predicate { a.evaluate($0) && b.evaluate($0) }) == 2)
  let all = [a, b].reduce(#Predicate<Rec> { _ in true }) { old, next in
    #Predicate<Rec> { old.evaluate($0) && next.evaluate($0) }
  }
  #expect(try both(all) == 2)
  #expect(try both(#Predicate { _ in false }) == 0)
  #expect(try both(.true) == 12)
  #expect(try both(.false) == 0)
}
struct Finder {
  var text: String
  var only: Kind?
  var min = 2
  var predicate: Predicate<Rec> {
    let t = text
    let any = only == nil
    let k = only ?? .plain
    let m = min
    return #Predicate {
      (t.isEmpty || $0.name.localizedStandardContains(t)) && (any || $0.kind == k) && $0.n >= m
    }
  }
}
@Test func c13_dynamicFilter() throws {
  #expect(try both(Finder(text: "", only: nil).predicate) == 10)
  #expect(try both(Finder(text: "item 1", only: .plain).predicate) == 0)
  #expect(try both(Finder(text: "ITEM", only: .fancy).predicate) == 3)
}
@Test func c14_handBuilt() throws {
  let p = Predicate<Rec> {
    PredicateExpressions.build_Conjunction(
      lhs: PredicateExpressions.build_Comparison(
        lhs: PredicateExpressions.build_KeyPath(root: $0, keyPath: \.n),
        rhs: PredicateExpressions.build_Arg(5), op: .greaterThan),
      rhs: PredicateExpressions.build_Equal(
        lhs: PredicateExpressions.build_KeyPath(root: $0, keyPath: \.done),
        rhs: PredicateExpressions.build_Arg(true)))
  }
  #expect(try both(p) == 1)
}
@Test func c15_misc() throws {
  let url = URL(string: "https://a.example/x")
  let data = Data([3])
  #expect(try both(#Predicate { $0.url == url }) == 1)
  #expect(try both(#Predicate { $0.data == data }) == 1)
  #expect(try both(#Predicate { $0.url?.absoluteString == "x" || $0.n == 1 }) == 1)
}
@Test func c16_casting() throws {
  #expect(try both(#Predicate { ($0.note as? String) != nil }) == 8)
}
@Test func c17_captureOfSelfAndKeyPath() throws {
  let kp: any KeyPath<Rec, Int> & Sendable = \.n
  #expect(try both(#Predicate { $0[keyPath: kp] > 9 }) == 2)
}
@Test func c18_expression() throws {
  let e = #Expression<[Rec], Int> { $0.filter { $0.done }.count }
  #expect(try both(#Predicate { e.evaluate($0.kids) == 1 }) == 2)
}
@Test func c19_optionSet() throws { #expect(try both(#Predicate { $0.flags.rawValue == 3 }) == 6) }
@Test func c20_sorts() throws {
  let x = try recs()
  #expect(
    try x.fetch(
      FetchDescriptor<Rec>(sortBy: [SortDescriptor(\.opt, order: .reverse), SortDescriptor(\.n)])
    ).prefix(2).map(\.n) == [10, 8])
  #expect(
    try x.fetch(
      FetchDescriptor<Rec>(sortBy: [SortDescriptor(\.parent?.n), SortDescriptor(\.name)])
    ).first?.n == 0)
  #expect(
    try x.fetch(
      FetchDescriptor<Rec>(sortBy: [SortDescriptor(\.name, comparator: .localizedStandard)])
    ).map(\.n) == Array(0..<12))
  #expect(
    try x.fetch(
      FetchDescriptor<Rec>(sortBy: [SortDescriptor(\.level), SortDescriptor(\.n, order: .reverse)])
    ).first?.n == 5)
  #expect(
    try x.fetch(
      FetchDescriptor<Rec>(sortBy: [
        SortDescriptor(\.settings.size), SortDescriptor(\.price, order: .reverse),
      ])
    ).first?.n == 11)
  #expect(try x.fetch(FetchDescriptor<Rec>(sortBy: [.init(\.done), .init(\.day)])).last?.n == 8)
}
@Test func c21_fetchLimits() throws {
  let x = try recs()
  var d = FetchDescriptor<Rec>(sortBy: [SortDescriptor(\.n)])
  d.fetchLimit = 5
  #expect(try x.fetchCount(d) == 5)
  d.fetchOffset = 10
  #expect(try x.fetch(d).map(\.n) == [10, 11])
  #expect(try x.fetchCount(d) == 2)
  d.fetchOffset = 50
  #expect(try x.fetch(d).isEmpty)
  d = FetchDescriptor()
  d.fetchLimit = 0
  #expect(try x.fetch(d).count == 12, "Core Data: a limit of 0 is no limit")
}
@Test func c22_prefetchAndProperties() throws {
  let x = try recs()
  let y = ModelContext(x.container)
  var d = FetchDescriptor<Rec>(sortBy: [SortDescriptor(\.n)])
  d.relationshipKeyPathsForPrefetching = [\.kids, \.parent, \.labels]
  d.propertiesToFetch = [\.name, \.n]
  d.includePendingChanges = false
  let all = try y.fetch(d)
  #expect(all[0].kids.count == 3 && all[1].note == "")
  all[1].note = "changed"
  try y.save()
  #expect(try ModelContext(x.container).fetch(d)[1].note == "changed")
}
@Test func c23_manyClausesOnNonoptionals() throws {
  let t = "item"
  let a = 1
  let b = 11
  let k = Kind.rare
  let day = Date(timeIntervalSinceReferenceDate: 0)
  #expect(
    try both(
      #Predicate { r in
        r.name.contains(t) && r.n >= a && r.n <= b && (r.kind == k || r.done) && r.day >= day
          && r.ratio < 1.2 && !r.name.isEmpty
      }) == 5)
}
