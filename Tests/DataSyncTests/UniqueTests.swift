import Foundation
import TestSupport
import Testing
import VaultAppData
import VaultDataStore
import VaultDataSync
import VaultStorage
import VaultSync

@Model
final class City {
  @Attribute(.unique) var name: String
  var note: String
  var people: Int?
  @Relationship(deleteRule: .cascade, inverse: \Sight.city) var sights: [Sight] = []
  /// Without an inverse.
  var labels: [Label] = []

  init(_ name: String, _ note: String, people: Int? = nil) {
    self.name = name
    self.note = note
    self.people = people
  }
}

@Model
final class Sight {
  var name: String
  var city: City?

  init(_ name: String, _ city: City? = nil) {
    self.name = name
    self.city = city
  }
}

@Model
final class Vote {
  #Unique<Vote>([\.city, \.kind])
  var note: String
  var city: City
  var kind: Int

  init(_ note: String, _ city: City, _ kind: Int) {
    self.note = note
    self.city = city
    self.kind = kind
  }
}

extension DataMachine {
  /// The cities as a person sees them.
  func cities() throws -> [String] {
    let context = ModelContext(try container())
    return try context.fetch(FetchDescriptor<City>()).map { city in
      "\(city.name) \(city.note) \(city.people.map(String.init) ?? "-") "
        + "\(city.sights.map(\.name).sorted()) \(city.labels.map(\.name).sorted())"
    }.sorted()
  }

  func votes() throws -> [String] {
    let context = ModelContext(try container())
    return try context.fetch(FetchDescriptor<Vote>()).map {
      "\($0.note) \($0.city.name) \($0.kind)"
    }.sorted()
  }

  /// Changes the city of a name.
  func city(_ name: String, _ body: (City, ModelContext) throws -> Void) throws {
    try change { context in
      let found = try context.fetch(FetchDescriptor<City>()).first { $0.name == name }
      try body(#require(found), context)
    }
  }
}

/// Values that are unique, on machines that do not know of each other's.
struct UniqueTests {
  private static func make(_ name: String, _ note: String, people: Int? = nil)
    -> (ModelContext) throws -> Void
  {
    { context in
      let city = City(name, note, people: people)
      context.insert(city)
      city.sights = [Sight("sight of \(note)")]
      let label = Label("label of \(note)")
      context.insert(label)
      city.labels = [label]
    }
  }

  @Test(arguments: [false, true])
  func oneNameOfTwoMachinesIsOneObjectWithAllThatLeadsToIt(_ desktopFirst: Bool) throws {
    let stores = try TwoGraphs { $0.insert(Owner("first")) }
    try stores.laptop.change(Self.make("Oslo", "l", people: 5))
    stores.laptop.time.advance(1000)
    try stores.desktop.change(Self.make("Oslo", "d", people: 7))
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    let later = desktopFirst ? "Oslo l 5" : "Oslo d 7"
    for machine in [stores.laptop, stores.desktop] {
      let cities = try machine.cities()
      #expect(
        cities == [
          later + " [\"sight of d\", \"sight of l\"] [\"label of d\", \"label of l\"]"
        ])
      let conflicts = try machine.conflicts()
      #expect(conflicts.contains { $0.hasPrefix("City.people \(desktopFirst ? 7 : 5) ") })
      #expect(conflicts.contains { $0.hasPrefix("City.note \(desktopFirst ? "\"d\"" : "\"l\"") ") })
      #expect(conflicts.count == 2, "\(conflicts)")
    }
    // One of them goes on, and what lost can be had.
    try stores.desktop.city("Oslo") { city, _ in city.name = "Bergen" }
    let lost = try #require(
      try stores.laptop.data.conflicts(stores.laptop.application).first { $0.property == "people" })
    #expect(try stores.laptop.data.restore(lost.number, of: stores.laptop.application) != nil)
    try stores.meet()
    try stores.expectEqual()
    #expect(
      try stores.laptop.cities().first?.hasPrefix(
        "Bergen \(desktopFirst ? "l 7" : "d 5")") == true)
    // Deleted, it is gone, and what belongs to it.
    try stores.laptop.city("Bergen") { city, context in context.delete(city) }
    try stores.meet()
    try stores.expectEqual()
    #expect(try stores.desktop.cities().isEmpty)
    #expect(try stores.desktop.names(Sight.self).isEmpty)
  }

  /// Three make it, and meet in every order of two of them.
  @Test func oneNameOfThreeMachines() throws {
    let stores = try TwoGraphs { $0.insert(Owner("first")) }
    let third = try DataMachine("third", joining: stores.laptop, in: stores.folder.path)
    _ = try third.container()
    try third.add()
    for round in 0..<3 {
      let machines = [stores.laptop, stores.desktop, third]
      for machine in machines { try machine.change(Self.make("c\(round)", machine.label)) }
      let order = (0..<3).map { machines[($0 + round) % 3] }
      // Two speak at once: each writes that its own is the other's.
      for machine in order + order + order { try machine.sync() }
      #expect(try stores.laptop.canonicalGraph() == third.canonicalGraph())
      try stores.expectEqual()
      #expect(try third.cities().count == round + 1)
      #expect(try third.names(Sight.self).count == 3 * (round + 1))
    }
    // Two hear of both others' at one time.
    let machines = [stores.laptop, stores.desktop, third]
    for machine in machines { try machine.change(Self.make("x", machine.label)) }
    try stores.laptop.sync()
    let hidden = try HiddenRecord(of: stores.laptop, in: stores.folder)
    _ = try? stores.desktop.sync()
    _ = try? third.sync()
    try hidden.show()
    for _ in 0..<3 { for machine in machines { try machine.sync() } }
    #expect(try stores.laptop.canonicalGraph() == third.canonicalGraph())
    try stores.expectEqual()
    #expect(try third.cities().count == 4)
  }

  @Test(arguments: [false, true])
  func aNameThatIsChangedToOneThatTheOtherMade(_ desktopFirst: Bool) throws {
    let stores = try TwoGraphs { try? Self.make("Rome", "r", people: 1)($0) }
    try stores.laptop.city("Rome") { city, _ in city.name = "Oslo" }
    try stores.desktop.change(Self.make("Oslo", "d", people: 7))
    try stores.desktop.city("Rome") { city, _ in city.people = 2 }
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    let cities = try stores.laptop.cities()
    #expect(cities.count == 1 && cities.first?.hasPrefix("Oslo ") == true, "\(cities)")
    #expect(
      cities.first?.hasSuffix(
        "[\"sight of d\", \"sight of r\"] [\"label of d\", \"label of r\"]") == true, "\(cities)")
    // Nothing that was typed is lost.
    let all = try stores.desktop.cities() + stores.desktop.conflicts()
    for value in ["r", "d", "7"] { #expect(all.contains { $0.contains(value) }) }
  }

  /// What had lost when the one object was deleted is known to who hears all of it at once, too.
  @Test func whatLostBeforeItWasDeleted() throws {
    let stores = try TwoGraphs { $0.insert(Label("first")) }
    let third = try DataMachine("third", joining: stores.laptop, in: stores.folder.path)
    _ = try third.container()
    try third.add()
    try stores.laptop.change { $0.insert(City("c", "n1")) }
    try stores.desktop.change { $0.insert(City("c", "n2")) }
    try stores.meet()
    let lost = try stores.laptop.conflicts()
    #expect(lost.count == 1 && lost[0].contains("City.note"), "\(lost)")
    try stores.laptop.change { context in
      for city in try context.fetch(FetchDescriptor<City>()) { context.delete(city) }
    }
    try stores.meet()
    try third.sync()
    let late = try DataMachine("late", joining: stores.laptop, in: stores.folder.path)
    _ = try late.container()
    try late.add()
    let word = lost[0].contains("n1") ? "n1" : "n2"
    for machine in [stores.laptop, stores.desktop, third, late] {
      #expect(try machine.names(City.self).isEmpty)
      let words = try machine.conflicts()
      #expect(words.contains { $0.contains("\"\(word)\"") }, "\(machine.label): \(words)")
    }
  }

  /// Nobody has two of one name at any time, and so none is one with another.
  @Test func namesThatAreExchanged() throws {
    let stores = try TwoGraphs { context in
      for name in ["a", "b", "c", "d"] { context.insert(City(name, name)) }
    }
    try stores.laptop.change { context in
      let cities = try context.fetch(FetchDescriptor<City>()).sorted { $0.note < $1.note }
      (cities[0].name, cities[1].name) = ("b", "a")
    }
    try stores.desktop.city("c") { city, _ in city.people = 3 }
    try stores.meet()
    try stores.expectEqual()
    #expect(
      try stores.desktop.cities() == ["a b - [] []", "b a - [] []", "c c 3 [] []", "d d - [] []"])
    // Round, one is deleted, and another one takes its name.
    try stores.desktop.change { context in
      let cities = try context.fetch(FetchDescriptor<City>()).sorted { $0.note < $1.note }
      (cities[0].name, cities[1].name, cities[2].name) = ("a", "c", "b")
      context.delete(cities[3])
    }
    try stores.desktop.change { $0.insert(City("d", "new")) }
    let report = try stores.desktop.sync()
    #expect(report.unified == 0)
    try stores.meet()
    try stores.expectEqual()
    #expect(
      try stores.laptop.cities() == ["a a - [] []", "b c 3 [] []", "c b - [] []", "d new - [] []"])
    #expect(try stores.laptop.conflicts().isEmpty)
  }

  /// Who deletes one of them without knowing of the other has not deleted the other.
  @Test(arguments: [false, true])
  func aDeletionOfOneOfTwo(_ deletesFirst: Bool) throws {
    let stores = try TwoGraphs { $0.insert(Owner("first")) }
    let third = try DataMachine("third", joining: stores.laptop, in: stores.folder.path)
    _ = try third.container()
    try stores.laptop.change(Self.make("Oslo", "l", people: 5))
    try stores.laptop.sync()
    try third.add()
    try stores.desktop.change(Self.make("Oslo", "d"))
    try third.city("Oslo") { city, context in context.delete(city) }
    let order =
      deletesFirst
      ? [third, stores.laptop, stores.desktop] : [stores.desktop, third, stores.laptop]
    if !deletesFirst {
      // It hears of the other one, and of no deletion yet.
      try stores.desktop.sync()
      #expect(try stores.desktop.cities().count == 1)
    }
    for machine in order + order + order { try machine.sync() }
    try stores.expectEqual()
    #expect(try stores.laptop.canonicalGraph() == third.canonicalGraph())
    let left = try third.cities()
    #expect(left.count == 1)
    #expect(left.first?.contains("sight of d") == true, "\(left)")
    // Who knows that they are one deletes both.
    try third.city("Oslo") { city, context in context.delete(city) }
    for machine in order + order { try machine.sync() }
    try stores.expectEqual()
    #expect(try stores.laptop.cities().isEmpty)
    #expect(try third.cities().isEmpty)
    // And the name is free.
    try stores.laptop.change { $0.insert(City("Oslo", "new")) }
    for machine in order + order { try machine.sync() }
    try stores.expectEqual()
    #expect(try third.cities() == ["Oslo new - [] []"])
  }

  /// What is unique together with what it leads to: the two cities are one, and so their votes are.
  @Test(arguments: [false, true])
  func valuesThatAreUniqueTogether(_ desktopFirst: Bool) throws {
    let stores = try TwoGraphs { $0.insert(Owner("first")) }
    for machine in [stores.laptop, stores.desktop] {
      try machine.change { context in
        let city = City("Oslo", machine.label)
        context.insert(city)
        context.insert(Vote("1 \(machine.label)", city, 1))
        context.insert(Vote("2 \(machine.label)", city, machine.label == "laptop" ? 2 : 3))
      }
    }
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    #expect(try stores.laptop.cities().count == 1)
    let last = desktopFirst ? "laptop" : "desktop"
    #expect(
      try stores.laptop.votes() == ["1 \(last) Oslo 1", "2 desktop Oslo 3", "2 laptop Oslo 2"])
    #expect(try stores.laptop.conflicts().count == 2)
    // Exchanged, within one save.
    try stores.laptop.change { context in
      let votes = try context.fetch(FetchDescriptor<Vote>()).sorted { $0.kind < $1.kind }
      (votes[0].kind, votes[1].kind) = (2, 1)
    }
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    #expect(
      try stores.desktop.votes() == ["1 \(last) Oslo 2", "2 desktop Oslo 3", "2 laptop Oslo 1"])
  }

  /// Both had it before they met: what is in the space counts, and what the other one had is kept.
  @Test func rowsOfOneNameAtTheFirstMeeting() throws {
    let stores = try TwoGraphs(adds: false) { try? Self.make("Oslo", "l", people: 5)($0) }
    try stores.desktop.change(Self.make("Oslo", "d"))
    try stores.desktop.change(Self.make("Rome", "d2", people: 1))
    let key = try stores.desktop.key(of: "Oslo")
    try stores.laptop.add()
    let report = try stores.desktop.add().report
    #expect(report.joined == 1)
    #expect(try stores.desktop.key(of: "Oslo") == key)
    try stores.meet()
    try stores.expectEqual()
    #expect(
      try stores.laptop.cities() == [
        "Oslo l 5 [\"sight of d\", \"sight of l\"] [\"label of d\", \"label of l\"]",
        "Rome d2 1 [\"sight of d2\"] [\"label of d2\"]",
      ])
    #expect(try stores.desktop.conflicts().contains { $0.hasPrefix("City.note \"d\"") })
  }

  /// It shows the one that it has, until somebody says that both are one.
  @Test func aReaderShowsOneOfThem() throws {
    let stores = try TwoGraphs(role: .reader) { $0.insert(Owner("first")) }
    let third = try DataMachine("third", joining: stores.laptop, in: stores.folder.path)
    _ = try third.container()
    try third.add()
    try stores.laptop.change(Self.make("Oslo", "l"))
    try stores.laptop.sync()
    let hidden = try HiddenRecord(of: stores.laptop, in: stores.folder)
    try third.change(Self.make("Oslo", "t"))
    _ = try? third.sync()
    try hidden.show()
    let report = try stores.desktop.sync()
    #expect(report.hidden > 0)
    #expect(try stores.desktop.cities().count == 1)
    try stores.desktop.check()
    for machine in [third, stores.laptop, third, stores.desktop] { try machine.sync() }
    #expect(try stores.desktop.cities().count == 1)
    #expect(try stores.desktop.canonicalGraph() == third.canonicalGraph())
    #expect(try stores.desktop.canonicalGraph() == stores.laptop.canonicalGraph())
    // What it typed itself stays with it, and nobody is in the way of the others.
    try stores.desktop.change { $0.insert(City("Rome", "mine")) }
    try third.change(Self.make("Rome", "t2"))
    try third.sync()
    try stores.desktop.sync()
    #expect(try stores.desktop.cities().contains { $0.hasPrefix("Rome mine") })
    try stores.desktop.check()
  }

  /// A store that was put back has the name, too.
  @Test func aNameThatWasTypedIntoAStoreThatWasPutBack() throws {
    let stores = try TwoGraphs { $0.insert(Owner("first")) }
    try stores.desktop.sync()
    let old = try StoredFiles(of: stores.desktop)
    try stores.desktop.change(Self.make("Rome", "before"))
    try stores.meet()
    try stores.laptop.change(Self.make("Oslo", "l", people: 5))
    try stores.laptop.sync()
    try old.putBack()
    try stores.desktop.change(Self.make("Oslo", "d"))
    try stores.desktop.change(Self.make("Rome", "again"))
    try stores.meet()
    try stores.expectEqual()
    #expect(try stores.laptop.cities().count == 2)
    #expect(try stores.laptop.names(Sight.self).count == 4)
    let all = try stores.desktop.cities() + stores.desktop.conflicts()
    for note in ["l", "d", "before", "again"] {
      #expect(all.contains { $0.contains(" \(note) ") || $0.contains("\"\(note)\"") }, "\(note)")
    }
  }

  /// What lost its place to another one comes back under another name, or not at all.
  @Test func aDeletedOneWhoseNameIsTaken() throws {
    let stores = try TwoGraphs { try? Self.make("Oslo", "old")($0) }
    try stores.laptop.city("Oslo") { city, _ in city.people = 9 }
    try stores.desktop.city("Oslo") { city, context in context.delete(city) }
    try stores.desktop.change(Self.make("Oslo", "new"))
    try stores.meet()
    try stores.expectEqual()
    #expect(try stores.laptop.cities().count == 1)
    let lost = try #require(
      try stores.laptop.data.conflicts(stores.laptop.application).first { $0.property == "people" })
    #expect(throws: SyncError.self) {
      try stores.laptop.data.restore(lost.number, of: stores.laptop.application)
    }
    try stores.laptop.city("Oslo") { city, _ in city.name = "Oslo 2" }
    #expect(try stores.laptop.data.restore(lost.number, of: stores.laptop.application) != nil)
    try stores.meet()
    try stores.expectEqual()
    #expect(
      try stores.desktop.cities().map { String($0.prefix(10)) } == ["Oslo 2 new", "Oslo old 9"])
  }

  /// What a version wrote into the store that knew of no aliases.
  @Test func aStoreThatKnewNoAliases() throws {
    let stores = try TwoGraphs { try? Self.make("Oslo", "o")($0) }
    try stores.laptop.city("Oslo") { city, context in context.delete(city) }
    try stores.meet()
    for machine in [stores.laptop, stores.desktop] {
      try machine.sql(
        "CREATE TABLE old(object INTEGER NOT NULL, stream INTEGER NOT NULL, number INTEGER NOT NULL, "
          + "is_undone INTEGER NOT NULL, past BLOB NOT NULL, PRIMARY KEY(object, stream, number)) "
          + "STRICT, WITHOUT ROWID; INSERT INTO old SELECT object, stream, number, is_undone, past "
          + "FROM appdata_sync_deletes; DROP TABLE appdata_sync_deletes; "
          + "ALTER TABLE old RENAME TO appdata_sync_deletes; DROP TABLE appdata_sync_aliases; "
          + "DROP TABLE appdata_sync_joined; DROP TABLE appdata_sync_pairs")
      try machine.change(Self.make("Rome", machine.label))
    }
    try stores.meet()
    try stores.expectEqual()
    #expect(try stores.laptop.cities().count == 1)
    #expect(try stores.laptop.names(Sight.self).count == 2)
  }

  /// Kills a run at each of its writes, and goes on.
  @Test func aRunThatIsKilledWhileTwoBecomeOne() throws {
    let stores = try TwoGraphs { $0.insert(Owner("first")) }
    var round = 0
    var fired = true
    while fired, round < 40 {
      round += 1
      try stores.laptop.change(Self.make("c\(round)", "l\(round)"))
      try stores.laptop.sync()
      try stores.desktop.change(Self.make("c\(round)", "d\(round)"))
      try stores.desktop.space.synchronize()
      let plan = FaultPlan(.kill, at: 1 + round * round / 4)
      let data = stores.desktop.data
      _ = SQLiteFaults.withFaults(plan) { try? data.run() }
      fired = plan.hasFired
      try stores.meet()
      #expect(
        try stores.laptop.canonicalGraph() == stores.desktop.canonicalGraph(), "round \(round)")
      #expect(try stores.laptop.cities().count == round)
    }
    #expect(round > 3)
    try stores.expectEqual()
    #expect(try stores.laptop.names(Sight.self).count == 2 * round)
  }
}

extension DataMachine {
  /// The key of the row of a city.
  fileprivate func key(of name: String) throws -> Int64? {
    let connection = try SQLiteConnection(path: path, mode: .readOnly)
    defer { connection.close() }
    try connection.trustSchema()
    return try connection.int64("SELECT _id FROM City WHERE name=?", [.text(name)])
  }
}
