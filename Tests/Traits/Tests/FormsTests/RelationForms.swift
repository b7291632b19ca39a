// Relationships: trees, both sides, required ones, rules of deletion, unique values.

import SwiftData
import Testing

@Model final class Node {
  var name: String
  var parent: Node?
  @Relationship(deleteRule: .cascade, inverse: \Node.parent) var children: [Node] = []
  init(_ n: String, parent: Node? = nil) {
    name = n
    self.parent = parent
  }
}
@Model final class Game {
  var home: Team
  var away: Team
  var day = Date.now
  init(home: Team, away: Team) {
    self.home = home
    self.away = away
  }
}
@Model final class Team {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .cascade, inverse: \Game.home) var homeGames: [Game] = []
  @Relationship(deleteRule: .cascade, inverse: \Game.away) var awayGames: [Game] = []
  init(_ n: String) { name = n }
}
@Model final class Author {
  var name = ""
  var books: [Book] = []
  init(_ n: String) { name = n }
}
@Model final class Book {
  var title = ""
  var author: Author?
  var tags: [Mark] = []
  init(_ t: String) { title = t }
}
@Model final class Mark {
  @Attribute(.unique) var word: String
  @Relationship(inverse: \Book.tags) var books: [Book] = []
  init(_ w: String) { word = w }
}
@Model final class Passport {
  var no = 0
  var holder: Citizen?
  init(_ n: Int) { no = n }
}
@Model final class Citizen {
  var name = ""
  @Relationship(deleteRule: .nullify, inverse: \Passport.holder) var passport: Passport?
  init(_ n: String) { name = n }
}
@Model final class Friend {
  var name: String
  @Relationship(inverse: \Friend.friendOf) var friends: [Friend] = []
  var friendOf: [Friend] = []
  init(_ n: String) { name = n }
}
@Model final class Mutual {
  var name: String
  var spouse: Mutual?
  @Relationship(inverse: \Mutual.spouse) var spouseOf: Mutual?
  init(_ n: String) { name = n }
}

@Test func b01_selfTree() throws {
  let x = try memory(Node.self)
  let root = Node("r")
  x.insert(root)
  let a = Node("a", parent: root)
  let b = Node("b", parent: a)
  _ = b
  try x.save()
  #expect(root.children.map(\.name) == ["a"] && a.children.first?.name == "b")
  #expect(
    try x.fetch(FetchDescriptor<Node>(predicate: #Predicate { $0.parent == nil })).map(\.name) == [
      "r"
    ])
  #expect(
    try x.fetch(FetchDescriptor<Node>(predicate: #Predicate { $0.parent?.parent?.name == "r" }))
      .map(\.name) == ["b"])
  #expect(
    try x.fetch(
      FetchDescriptor<Node>(
        predicate: #Predicate { $0.children.contains { $0.children.contains { $0.name == "b" } } })
    ).map(\.name) == ["r"])
  x.delete(root)
  try x.save()
  #expect(try x.fetchCount(FetchDescriptor<Node>()) == 0)
}
@Test func b02_twoRelationsToOneClass() throws {
  let x = try memory(Game.self, Team.self)
  let m = Team("M")
  let n = Team("N")
  x.insert(m)
  x.insert(n)
  for i in 0..<4 { x.insert(i % 2 == 0 ? Game(home: m, away: n) : Game(home: n, away: m)) }
  try x.save()
  #expect(m.homeGames.count == 2 && m.awayGames.count == 2)
  #expect(
    try x.fetchCount(
      FetchDescriptor<Game>(predicate: #Predicate { $0.home.name == "M" && $0.away.name != "M" }))
      == 2)
  x.delete(m)
  try x.save()
  #expect(try x.fetchCount(FetchDescriptor<Game>()) == 0)
}
@Test func b03_inferredInverses() throws {
  let x = try memory(Author.self, Book.self, Mark.self)
  let a = Author("A")
  x.insert(a)
  let b = Book("B")
  b.author = a
  #expect(a.books.count == 1)
  a.books.append(Book("C"))
  let t = Mark("t")
  b.tags.append(t)
  #expect(t.books.map(\.title) == ["B"])
  try x.save()
  let y = ModelContext(x.container)
  #expect(try y.fetch(FetchDescriptor<Mark>()).first?.books.first?.author?.name == "A")
  #expect(try y.fetch(FetchDescriptor<Author>()).first?.books.count == 2)
}
@Test func b04_oneToOneSteals() throws {
  let x = try memory(Passport.self, Citizen.self)
  let p = Passport(1)
  let a = Citizen("a")
  let b = Citizen("b")
  x.insert(p)
  x.insert(a)
  x.insert(b)
  a.passport = p
  b.passport = p
  try x.save()
  #expect(a.passport == nil && p.holder === b)
  x.delete(b)
  try x.save()
  #expect(p.holder == nil && p.modelContext != nil)
}
@Test func b05_manyToManySelf() throws {
  let x = try memory(Friend.self)
  let a = Friend("a")
  let b = Friend("b")
  let c = Friend("c")
  [a, b, c].forEach(x.insert)
  a.friends = [b, c]
  b.friends.append(a)
  try x.save()
  #expect(a.friendOf.map(\.name) == ["b"] && c.friendOf.map(\.name) == ["a"])
  #expect(
    try x.fetchCount(
      FetchDescriptor<Friend>(predicate: #Predicate { f in f.friends.contains { $0.name == "a" } }))
      == 1)
  x.delete(a)
  try x.save()
  #expect(b.friends.isEmpty)
}
@Test func b06_selfOneToOne() throws {
  let x = try memory(Mutual.self)
  let a = Mutual("a")
  let b = Mutual("b")
  x.insert(a)
  x.insert(b)
  a.spouse = b
  try x.save()
  #expect(b.spouseOf === a && a.spouseOf == nil)
}
@Test func b07_arrayMutations() throws {
  let x = try memory(Author.self, Book.self, Mark.self)
  let a = Author("A")
  x.insert(a)
  a.books += (0..<6).map { Book("\($0)") }
  try x.save()
  a.books.remove(at: 1)
  a.books.swapAt(0, 1)
  a.books.insert(Book("new"), at: 0)
  a.books.removeAll { $0.title == "5" }
  a.books.move(3, 0)
  try x.save()
  let y = ModelContext(x.container)
  let titles = try #require(try y.fetch(FetchDescriptor<Author>()).first).books.map(\.title)
  #expect(titles == a.books.map(\.title))
  #expect(titles == ["3", "new", "2", "0", "4"])
  #expect(try y.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.author == nil })) == 2)
  a.books.sort { $0.title < $1.title }
  a.books.reverse()
  try x.save()
  #expect(a.books.first?.title == "new")
}
extension Array { mutating func move(_ a: Int, _ b: Int) { insert(remove(at: a), at: b) } }
@Test func b08_duplicatesInToMany() throws {  // a to-many is a set in the store (Core Data)
  let x = try memory(Author.self, Book.self, Mark.self)
  let a = Author("A")
  let b = Book("B")
  x.insert(a)
  a.books = [b, b]
  try x.save()
  #expect(try ModelContext(x.container).fetch(FetchDescriptor<Author>()).first?.books.count == 1)
  let m = Mark("m")
  b.tags = [m, m]
  try x.save()
  #expect(try ModelContext(x.container).fetch(FetchDescriptor<Book>()).first?.tags.count == 1)
}
@Test func b09_deletedStaysOutOfArray() throws {
  let x = try memory(Author.self, Book.self, Mark.self)
  let a = Author("A")
  x.insert(a)
  a.books = [Book("1"), Book("2")]
  try x.save()
  let gone = a.books[0]
  x.delete(gone)
  #expect(gone.isDeleted)
  try x.save()
  #expect(a.books.map(\.title) == ["2"])
  #expect(gone.modelContext == nil)
  _ = gone.author
  _ = gone.title
  gone.title = "later"
  gone.author = a
  #expect(!x.hasChanges || true)
}
@Model final class Parent2 {
  @Relationship(deleteRule: .deny) var kids: [Kid2] = []
  init() {}
}
@Model final class Kid2 {
  var parent: Parent2?
  init() {}
}
@Test func b10_deny() throws {
  let x = try memory(Parent2.self, Kid2.self)
  let p = Parent2()
  x.insert(p)
  p.kids = [Kid2()]
  try x.save()
  x.delete(p)
  #expect(throws: (any Error).self) { try x.save() }
  x.rollback()
  #expect(p.kids.count == 1)
  #expect(try x.fetchCount(FetchDescriptor<Parent2>()) == 1)
}
@Model final class NeedsOwner {
  var owner: Owner
  init(_ o: Owner) { owner = o }
}
@Test func b11_requiredToOneAfterDelete() throws {
  let x = try memory(NeedsOwner.self, Owner.self)
  let o = Owner()
  let n = NeedsOwner(o)
  x.insert(n)
  try x.save()
  x.delete(o)
  #expect(throws: (any Error).self) { try x.save() }
}
@Model final class Limited {
  @Relationship(minimumModelCount: 1, maximumModelCount: 2) var o: [Owner] = []
  init() {}
}
@Test func b12_counts() throws {
  let x = try memory(Limited.self, Owner.self)
  let l = Limited()
  x.insert(l)
  l.o = [Owner(), Owner(), Owner()]
  #expect(throws: (any Error).self) { try x.save() }
  l.o.removeLast()
  try x.save()
}
@Test func b13_modelsAsDictionaryKeys() throws {
  let x = try memory(Author.self, Book.self, Mark.self)
  let a = Author("A")
  x.insert(a)
  let map = [a: 1]
  let set: Set<Author> = [a]
  let id = a.persistentModelID
  try x.save()
  #expect(map[a] == 1 && set.contains(a) && a.persistentModelID == id)
  #expect(x.model(for: id) === a)
  let r: Author? = x.registeredModel(for: id)
  #expect(r === a)
  #expect(a.id == a.persistentModelID)
}
@Test func b14_crossContextAssignment() throws {
  let x = try memory(Author.self, Book.self, Mark.self)
  let y = ModelContext(x.container)
  let a = Author("A")
  x.insert(a)
  try x.save()
  let b = Book("B")
  y.insert(b)
  b.author = a  // Apple ends the program here
  #expect(throws: (any Error).self) { try y.save() }
}
@Test func b15_upsert() throws {
  let x = try memory(Mark.self, Book.self, Author.self)
  let m = Mark("w")
  x.insert(m)
  let b = Book("B")
  x.insert(b)
  b.tags = [m]
  try x.save()
  x.insert(Mark("w"))
  try x.save()
  #expect(try x.fetchCount(FetchDescriptor<Mark>()) == 1)
  #expect(
    try ModelContext(x.container).fetch(FetchDescriptor<Book>()).first?.tags.count == 1,
    "the upsert loses the old row's relationships")
}
@Model final class Compound {
  #Unique<Compound>([\.a, \.b], [\.c])
  #Index<Compound>([\.a], [\.a, \.b])
  var a: String
  var b: Int
  var c: UUID = UUID()
  var v = 0
  init(_ a: String, _ b: Int, _ v: Int) {
    self.a = a
    self.b = b
    self.v = v
  }
}
@Test func b16_compoundUnique() throws {
  let x = try memory(Compound.self)
  x.insert(Compound("a", 1, 1))
  try x.save()
  x.insert(Compound("a", 1, 2))
  x.insert(Compound("a", 2, 3))
  try x.save()
  #expect(try x.fetch(FetchDescriptor<Compound>(sortBy: [SortDescriptor(\.b)])).map(\.v) == [2, 3])
}
@Model final class UniqueOptional {
  @Attribute(.unique) var code: String?
  var n: Int
  init(_ c: String?, _ n: Int) {
    code = c
    self.n = n
  }
}
@Test func b17_uniqueOptionalNils() throws {
  let x = try memory(UniqueOptional.self)
  x.insert(UniqueOptional(nil, 1))
  x.insert(UniqueOptional(nil, 2))
  x.insert(UniqueOptional("a", 3))
  x.insert(UniqueOptional("a", 4))
  try x.save()
  #expect(try x.fetchCount(FetchDescriptor<UniqueOptional>()) == 3)
}
@Test func b18_rollbackAndHasChanges() throws {
  let x = try memory(Author.self, Book.self, Mark.self)
  let a = Author("A")
  x.insert(a)
  a.books = [Book("1")]
  try x.save()
  #expect(!x.hasChanges && !a.hasChanges)
  a.name = "Z"
  a.books = []
  x.insert(Author("B"))
  #expect(
    x.hasChanges && a.hasChanges && x.insertedModelsArray.count == 1
      && x.changedModelsArray.count >= 1)
  x.rollback()
  #expect(a.name == "A" && a.books.count == 1 && !x.hasChanges)
  #expect(try x.fetchCount(FetchDescriptor<Author>()) == 1)
  x.delete(a)
  #expect(x.deletedModelsArray.count == 1)
  x.rollback()
  #expect(!a.isDeleted)
  #expect(try x.fetchCount(FetchDescriptor<Author>()) == 1)
}
@Test func b19_insertAgainAfterDelete() throws {
  let x = try memory(Author.self, Book.self, Mark.self)
  let a = Author("A")
  x.insert(a)
  try x.save()
  x.delete(a)
  try x.save()
  x.insert(a)
  try x.save()
  #expect(try x.fetch(FetchDescriptor<Author>()).map(\.name) == ["A"])
}
@Test func b20_deleteThenInsertBeforeSave() throws {
  let x = try memory(Author.self, Book.self, Mark.self)
  let a = Author("A")
  x.insert(a)
  try x.save()
  x.delete(a)
  x.insert(a)
  try x.save()
  #expect(try x.fetchCount(FetchDescriptor<Author>()) == 1)
}
@Test func b21_uniqueDeleteAndReinsertInOneSave() throws {
  let x = try memory(Mark.self, Book.self, Author.self)
  let m = Mark("w")
  x.insert(m)
  try x.save()
  x.delete(m)
  x.insert(Mark("w"))
  try x.save()
  #expect(try x.fetchCount(FetchDescriptor<Mark>()) == 1)
}
