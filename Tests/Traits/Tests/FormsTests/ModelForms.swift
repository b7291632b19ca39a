// Model classes as people write them: values, names, access, macros around them.

import SwiftData
import Testing

enum Kind: String, Codable, CaseIterable, Sendable { case plain, fancy, rare }
enum Level: Int, Codable, Comparable {
  case low = 1
  case high = 5
  static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
}
enum Payload: Codable, Equatable {
  case text(String)
  case pair(Int, flag: Bool)
  case none
}
enum Bare: Codable, Equatable { case left, right }
indirect enum Tree: Codable, Equatable {
  case leaf(Int)
  case node(Tree, Tree)
}
struct Flags: OptionSet, Codable, Hashable {
  let rawValue: Int
  static let a = Flags(rawValue: 1)
  static let b = Flags(rawValue: 2)
}
struct Address: Codable, Hashable {
  var street: String
  var city: String?
  var zip: Int = 0
}
struct Keyed: Codable, Hashable {
  var one: Int
  var two: String
  enum CodingKeys: String, CodingKey {
    case one = "1"
    case two = "second"
  }
}

@Model final class Defaults {
  var kind: Kind = Kind.plain
  var shorthand: Kind? = Kind.rare
  var made = Date.now
  var uuid = UUID()
  var list: [String] = []
  var map: [String: Int] = [:]
  var set: Set<Int> = []
  var computedDefault: Int = { 40 + 2 }()
  var maths = 3 * 7
  var text = "a" + "b"
  var neg = -1
  var ratio = 1.0 / 3
  var address: Address = Address(street: "x", city: nil)
  static let limit = 5
  static var counter: Int { 1 }
  init() {}
}
@Test func a01_defaultExpressions() throws {
  let x = try memory(Defaults.self)
  x.insert(Defaults())
  try x.save()
  let d = try #require(try ModelContext(x.container).fetch(FetchDescriptor<Defaults>()).first)
  #expect(
    d.kind == .plain && d.shorthand == .rare && d.computedDefault == 42 && d.maths == 21
      && d.text == "ab")
  #expect(d.neg == -1 && d.address.street == "x" && Defaults.limit == 5 && d.ratio == 1.0 / 3)
}

@Model final class Values {
  var payload: Payload = Payload.none
  var payloads: [Payload] = []
  var bare: Bare = Bare.left
  var tree: Tree = Tree.leaf(0)
  var flags: Flags = []
  var keyed: Keyed = Keyed(one: 1, two: "2")
  var keyedList: [Keyed]?
  var enumKeys: [Kind: Int] = [:]
  var enumSet: Set<Kind> = []
  var uuidKeys: [UUID: Date] = [:]
  var nested: [String: [Int?]] = [:]
  var point = CGPoint.zero
  var rect: CGRect?
  var width: CGFloat = 0
  var simd: SIMD3<Float> = [0, 0, 0]
  var range: Range<Date>?
  var components: DateComponents = DateComponents()
  var name: PersonNameComponents?
  var index: IndexPath?
  var big: UInt64 = 0
  var tiny: Int8 = 0
  var ch: Character = "x"
  var explicit: Optional<Int> = nil
  var arr: Array<String> = []
  var decimal: Decimal = 0
  var url: URL?
  var data: Data?
  init() {}
}
@Test func a02_valueTypesRoundTrip() throws {
  let store = try OnDisk(Values.self)
  let id = UUID()
  let day = Date(timeIntervalSinceReferenceDate: 123456.789)
  do {
    let x = try store.open()
    let v = Values()
    v.payload = .pair(3, flag: true)
    v.payloads = [.text("é"), .none]
    v.bare = .right
    v.tree = .node(.leaf(1), .node(.leaf(2), .leaf(3)))
    v.flags = [.a, .b]
    v.keyed = Keyed(one: 9, two: "z")
    v.keyedList = [Keyed(one: 1, two: "a")]
    v.enumKeys = [.fancy: 2]
    v.enumSet = [.rare, .plain]
    v.uuidKeys = [id: day]
    v.nested = ["a": [1, nil, 3]]
    v.point = CGPoint(x: 1.5, y: -2)
    v.rect = CGRect(x: 1, y: 2, width: 3, height: 4)
    v.width = 7.25
    v.simd = [1, 2, 3]
    v.range = day..<day.addingTimeInterval(60)
    v.components = DateComponents(year: 2026, month: 2)
    v.name = PersonNameComponents()
    v.name?.givenName = "Ada"
    v.index = IndexPath(indexes: [1, 2])
    v.big = .max
    v.tiny = .min
    v.ch = "👩‍👩‍👧"
    v.explicit = 4
    v.arr = ["q"]
    v.decimal = Decimal(string: "0.1")!
    v.url = URL(string: "https://example.org/a?b=c#d")
    v.data = Data()
    x.insert(v)
    try x.save()
  }
  let v = try #require(try store.open().fetch(FetchDescriptor<Values>()).first)
  #expect(v.payload == .pair(3, flag: true))
  #expect(v.payloads == [.text("é"), .none])
  #expect(v.bare == .right)
  #expect(v.tree == .node(.leaf(1), .node(.leaf(2), .leaf(3))))
  #expect(v.flags == [.a, .b])
  #expect(v.keyed.two == "z")
  #expect(v.keyedList?.count == 1)
  #expect(v.enumKeys == [.fancy: 2])
  #expect(v.enumSet == [.rare, .plain])
  #expect(v.uuidKeys == [id: day])
  #expect(v.nested == ["a": [1, nil, 3]])
  #expect(v.point.x == 1.5)
  #expect(v.rect?.height == 4)
  #expect(v.width == 7.25)
  #expect(v.simd == [1, 2, 3])
  #expect(v.range?.lowerBound == day)
  #expect(v.components.year == 2026)
  #expect(v.name?.givenName == "Ada")
  #expect(v.index == IndexPath(indexes: [1, 2]))
  #expect(v.big == .max && v.tiny == .min && v.ch == "👩‍👩‍👧" && v.explicit == 4 && v.arr == ["q"])
  #expect(v.decimal == Decimal(string: "0.1")!)
  #expect(v.url?.fragment == "d")
  #expect(v.data == Data())
}

@Model final class Words {
  var order = 0
  var group = "g"
  var index = 1
  var select = 2
  var from = Date.now
  var `where` = "w"
  var table = 3
  var key = "k"
  var value = "v"
  var primary = true
  var `default` = 1
  var `class` = "c"
  var `in` = 5
  var limit = 6
  var transaction = "t"
  var user = "u"
  var values: [Int] = []
  var check = 1
  var unique = 2
  var references = 3
  var constraint = 4
  init() {}
}
@Test func a03_propertyNamesThatAreSQLWords() throws {
  let x = try memory(Words.self)
  let w = Words()
  w.order = 9
  w.where = "here"
  w.default = 7
  w.in = 8
  x.insert(w)
  try x.save()
  let found = try x.fetch(
    FetchDescriptor<Words>(
      predicate: #Predicate {
        $0.order == 9 && $0.where == "here" && $0.default == 7 && $0.in == 8
      }, sortBy: [SortDescriptor(\.group), SortDescriptor(\.index)]))
  #expect(found.count == 1)
}
@Model final class RowNames {
  var rowid = 7
  var oid = "o"
  // swift-format-ignore: AlwaysUseLowerCamelCase
  var _rowid_ = 3.5
  init() {}
}
@Test func a04_propertyNamesOfSQLitesRowid() throws {
  let x = try memory(RowNames.self)
  let r = RowNames()
  x.insert(r)
  x.insert(RowNames())
  r.rowid = 99
  try x.save()
  let y = ModelContext(x.container)
  #expect(
    try y.fetch(
      FetchDescriptor<RowNames>(predicate: #Predicate { $0.rowid == 99 && $0.oid == "o" })
    ).count == 1)
  #expect(
    try y.fetch(FetchDescriptor<RowNames>(sortBy: [SortDescriptor(\.rowid)])).map(\.rowid) == [
      7, 99,
    ])
}
@Model final class Order {
  var group: Group?
  var total: Decimal = 0
  init() {}
}
@Model final class Group {
  @Relationship(deleteRule: .cascade, inverse: \Order.group) var select: [Order] = []
  init() {}
}
@Test func a05_classNamesThatAreSQLWords() throws {
  let x = try memory(Order.self, Group.self)
  let g = Group()
  x.insert(g)
  g.select = [Order(), Order()]
  try x.save()
  #expect(
    try x.fetchCount(FetchDescriptor<Order>(predicate: #Predicate { $0.group?.select.count == 2 }))
      == 2)
  x.delete(g)
  try x.save()
  #expect(try x.fetchCount(FetchDescriptor<Order>()) == 0)
}
@Model final class CaseOnly {
  var url = "a"
  // swift-format-ignore: AlwaysUseLowerCamelCase
  var URL = "b"
  init() {}
}
// Core Data: legal (two attributes); SQLite: one column name
@Test func a06_propertiesDifferingInCaseOnly() throws {
  let x = try memory(CaseOnly.self)
  let c = CaseOnly()
  c.URL = "z"
  x.insert(c)
  try x.save()
  let d = try #require(try ModelContext(x.container).fetch(FetchDescriptor<CaseOnly>()).first)
  #expect(d.url == "a" && d.URL == "z")
}
@Model final class Owner {
  var name = ""
  init() {}
}
@Model final class Pet {
  var owner: Owner?
  // swift-format-ignore: AlwaysUseLowerCamelCase
  var owner_id: Int = 5
  // swift-format-ignore: AlwaysUseLowerCamelCase
  var owner_position = 1.5
  init() {}
}
@Test func a07_foreignKeyNameTaken() throws {
  let x = try memory(Owner.self, Pet.self)
  let p = Pet()
  p.owner = Owner()
  x.insert(p)
  try x.save()
  let q = try #require(try ModelContext(x.container).fetch(FetchDescriptor<Pet>()).first)
  #expect(q.owner != nil && q.owner_id == 5)
}
@Model final class Priced {
  var price: Decimal = 1
  // swift-format-ignore: AlwaysUseLowerCamelCase
  var price_order: Int = 4
  init() {}
}
@Test func a08_decimalOrderNameTaken() throws {
  let x = try memory(Priced.self)
  x.insert(Priced())
  try x.save()
  #expect(try ModelContext(x.container).fetch(FetchDescriptor<Priced>()).first?.price_order == 4)
}
@Model final class Größe {
  var länge = 1.5
  var 名前 = "n"
  init() {}
}
@Test func a09_unicodeNames() throws {
  let x = try memory(Größe.self)
  let g = Größe()
  g.名前 = "山"
  x.insert(g)
  try x.save()
  #expect(
    try ModelContext(x.container).fetchCount(
      FetchDescriptor<Größe>(predicate: #Predicate { $0.名前 == "山" && $0.länge < 2 })) == 1)
}
@Model final class Strings {
  var text = ""
  var n = 0
  init(_ t: String) { text = t }
}
@Test func a10_stringsWithNulAndHuge() throws {
  let x = try memory(Strings.self)
  let nul = "a\0b"
  let huge = String(repeating: "ü", count: 3_000_000)
  x.insert(Strings(nul))
  x.insert(Strings(huge))
  x.insert(Strings("a"))
  try x.save()
  let y = ModelContext(x.container)
  #expect(try y.fetch(FetchDescriptor<Strings>()).map(\.text).contains(nul))
  #expect(try y.fetchCount(FetchDescriptor<Strings>(predicate: #Predicate { $0.text == nul })) == 1)
  #expect(
    try y.fetchCount(FetchDescriptor<Strings>(predicate: #Predicate { $0.text.contains("b") })) == 1
  )
  #expect(
    try y.fetchCount(FetchDescriptor<Strings>(predicate: #Predicate { $0.text.count == 3 })) == 1)
  #expect(
    try y.fetchCount(FetchDescriptor<Strings>(predicate: #Predicate { $0.text == huge })) == 1)
}
// SwiftData returns what was stored; NFC is visible in unicodeScalars
@Test func a11_canonicallyEqualStringsKeepTheirScalars() throws {
  let x = try memory(Strings.self)
  let decomposed = "e\u{301}"
  x.insert(Strings(decomposed))
  try x.save()
  let got = try #require(
    try ModelContext(x.container).fetch(FetchDescriptor<Strings>()).first?.text)
  #expect(got == decomposed)
  #expect(Array(got.unicodeScalars) == Array(decomposed.unicodeScalars))
}

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
@available(macOS 14, iOS 17, *)
@Model public final class Access {
  // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
  public private(set) var a = 1
  // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
  public internal(set) var b: String
  fileprivate var c = 2.5
  package var d: Int?
  private var e: [String] = ["x"]
  // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
  @Transient public var f: Int = 3
  @Transient private var cache: [Int: String] = [:]
  // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
  @Attribute(.unique) public private(set) var code: String
  // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
  public var sum: Int { a + (d ?? 0) }
  // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
  public static func make() -> Access { Access(b: "b", code: "c") }
  // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
  public init(b: String, code: String) {
    self.b = b
    self.code = code
  }
  // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
  public convenience init() { self.init(b: "", code: UUID().uuidString) }
  // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
  public func bump() {
    a += 1
    cache[a] = "x"
    e.append("y")
  }
  var eCount: Int { e.count }
}
extension Access: CustomStringConvertible, Comparable {
  // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
  public var description: String { "Access \(a)" }
  // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
  public static func < (l: Access, r: Access) -> Bool { l.a < r.a }
}
@Test func a12_accessLevels() throws {
  let x = try memory(Access.self)
  let o = Access()
  x.insert(o)
  o.bump()
  o.bump()
  try x.save()
  let p = try #require(try ModelContext(x.container).fetch(FetchDescriptor<Access>()).first)
  #expect(p.a == 3 && p.eCount == 3 && "\(p)" == "Access 3" && p.f == 3)
}

@Model final class Conditional {
  var always = 1
  #if DEBUG || true
  var inIf: Int = 2
  #endif
  #if os(Linux)
  var onLinux: String = "yes"
  #else
  var elsewhere: String = "no"
  #endif
  init() {}
}
@Test func a13_propertiesInIfConfig() throws {
  let x = try memory(Conditional.self)
  let c = Conditional()
  c.inIf = 5
  c.onLinux = "changed"
  x.insert(c)
  try x.save()
  let d = try #require(try ModelContext(x.container).fetch(FetchDescriptor<Conditional>()).first)
  #expect(d.inIf == 5, "a property in #if is not stored")
  #expect(d.onLinux == "changed")
}

protocol Named: PersistentModel {
  var name: String { get set }
  var createdAt: Date { get }
}
extension Named {
  var shout: String { name.uppercased() }
  static func named(_ n: String, in x: ModelContext) throws -> [Self] {
    try x.fetch(FetchDescriptor<Self>(predicate: #Predicate { $0.name == n }))
  }
}
@Model final class PersonN: Named {
  var name: String
  var createdAt = Date.now
  init(name: String) { self.name = name }
}
@Model final class PlaceN: Named {
  var name: String
  var createdAt = Date.now
  var stars = 0
  init(name: String) { self.name = name }
}
func newest<T: Named>(_: T.Type, _ x: ModelContext) throws -> T? {
  var d = FetchDescriptor<T>(sortBy: [SortDescriptor(\T.createdAt, order: .reverse)])
  d.fetchLimit = 1
  return try x.fetch(d).first
}
@Test func a14_protocolsOnModels() throws {
  let x = try memory(PersonN.self, PlaceN.self)
  for n in ["a", "b"] {
    x.insert(PersonN(name: n))
    x.insert(PlaceN(name: n))
  }
  try x.save()
  #expect(try PersonN.named("a", in: x).map(\.shout) == ["A"])
  #expect(try newest(PlaceN.self, x)?.name == "b")
  let all: [any Named] =
    try x.fetch(FetchDescriptor<PersonN>()) + x.fetch(FetchDescriptor<PlaceN>())
  #expect(all.count == 4)
  for m in all { x.delete(m) }  // opened existential
  try x.save()
  #expect(try x.fetchCount(FetchDescriptor<PersonN>()) == 0)
}
@Model final class OwnEquality: Hashable {
  var code: String
  var n = 0
  init(_ c: String) { code = c }
  static func == (l: OwnEquality, r: OwnEquality) -> Bool { l.code == r.code }
  func hash(into h: inout Hasher) { h.combine(code) }
}
@Test func a15_ownEqualityAndHash() throws {
  let x = try memory(OwnEquality.self)
  let a = OwnEquality("1")
  let b = OwnEquality("1")
  x.insert(a)
  x.insert(b)
  try x.save()
  #expect(a == b)
  #expect(try x.fetchCount(FetchDescriptor<OwnEquality>()) == 2)
  a.n = 5
  try x.save()
  #expect(b.n == 0)
}
@Model final class JSONModel: Codable {
  enum CodingKeys: CodingKey { case title, tags }
  var title: String
  var tags: [String]
  @Transient var seen = false
  init(title: String, tags: [String] = []) {
    self.title = title
    self.tags = tags
  }
  required init(from decoder: any Decoder) throws {
    let c = try decoder.container(keyedBy: CodingKeys.self)
    title = try c.decode(String.self, forKey: .title)
    tags = try c.decodeIfPresent([String].self, forKey: .tags) ?? []
  }
  func encode(to encoder: any Encoder) throws {
    var c = encoder.container(keyedBy: CodingKeys.self)
    try c.encode(title, forKey: .title)
    try c.encode(tags, forKey: .tags)
  }
}
@Test func a16_codableModelFromJSON() throws {
  let x = try memory(JSONModel.self)
  let list = try JSONDecoder().decode(
    [JSONModel].self, from: Data(#"[{"title":"a","tags":["x"]},{"title":"b"}]"#.utf8))
  list.forEach { x.insert($0) }
  try x.save()
  let back = try x.fetch(FetchDescriptor<JSONModel>(sortBy: [SortDescriptor(\.title)]))
  #expect(back.map(\.tags) == [["x"], []])
  #expect(try JSONEncoder().encode(back).count > 10)
}
@propertyWrapper struct Clamped {
  var wrappedValue: Int { didSet { wrappedValue = min(wrappedValue, 10) } }
  init(wrappedValue: Int) { self.wrappedValue = min(wrappedValue, 10) }
}
@Model final class Wrapped {
  var raw = 0
  @Transient @Clamped var level: Int = 3
  var view: Int {
    get { raw }
    set { raw = newValue * 2 }
  }
  init() {}
}
@Test func a17_transientPropertyWrapper() throws {
  let x = try memory(Wrapped.self)
  let w = Wrapped()
  x.insert(w)
  w.level = 50
  w.view = 4
  try x.save()
  #expect(w.level == 10 && w.raw == 8)
}
