import Foundation
import TestSupport
import Testing
import VaultAppData
import VaultDataStore
import VaultDataSync
import VaultStorage
import VaultSync

/// A member that says of any two objects that they are one.
struct HostileAliasTests {
  private let stores: TwoGraphs
  private let member: HostileMember

  init() throws {
    stores = try TwoGraphs { context in
      let city = City("Oslo", "o")
      context.insert(city)
      city.sights = [Sight("s")]
      context.insert(City("Rome", "r"))
      let lane = Lane("todo")
      context.insert(lane)
      lane.cards = ["a", "b", "c"].map { Card($0) }
      lane.cards[0].memo = Memo("m0")
      lane.cards[1].memo = Memo("m1")
      lane.cards[0].labels = [Label("x"), Label("y")]
      context.insert(Contract("k", House("H")))
    }
    let third = try DataMachine("third", joining: stores.laptop, in: stores.folder.path)
    _ = try third.container()
    member = try HostileMember(third)
  }

  private func expectSound(_ place: SourceLocation = #_sourceLocation) throws {
    try stores.meet()
    try stores.expectEqual(place)
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.sync().channel.problems.isEmpty, sourceLocation: place)
    }
  }

  private func aliases(_ className: String, _ pairs: [(ObjectID, ObjectID)]) -> DataOperation {
    .aliases(className: className, pairs.map { .init($0.0, $0.1) })
  }

  @Test func allObjectsOfAClassAreOne() throws {
    for (name, count) in [("Card", 3), ("Label", 2), ("Memo", 2), ("City", 2)] {
      let all = member.identities(of: name)
      #expect(all.count == count)
      // Round and round, and with itself.
      try member.say([aliases(name, zip(all, all.dropFirst() + [all[0]]).map { ($0, $1) })])
      try member.say([aliases(name, [(all[0], all[0])])])
    }
    try expectSound()
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.names(Card.self).count == 1)
      #expect(try machine.names(Label.self).count == 1)
      #expect(try machine.names(City.self).count == 1)
      #expect(try machine.names(Memo.self).count == 1)
      #expect(try machine.read(Lane.self, "todo") { $0.cards.count } == 1)
      // Nothing that was typed is lost.
      let all = try machine.conflicts() + machine.names(Card.self) + machine.names(Memo.self)
      for name in ["a", "b", "c", "m0", "m1"] {
        #expect(all.contains { $0.contains(name) }, "\(name)")
      }
    }
  }

  /// Rows of other classes have the key that goes, too.
  @Test func linksOfRowsWithTheSameKey() throws {
    try stores.laptop.change { context in
      let city = City("Bonn", "b")
      context.insert(city)
      city.labels = try context.fetch(FetchDescriptor<Label>()).sorted { $0.name < $1.name }
    }
    try stores.meet()
    let cities = member.identities(of: "City")
    #expect(cities.count == 2)
    try member.listen()
    try member.say([aliases("City", [(cities[0], cities[1])])])
    try expectSound()
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.cities().contains("Bonn b - [] [\"x\", \"y\"]"))
      #expect(try machine.cities().count == 2)
    }
  }

  @Test func aliasesOfNothingAndOfOtherClasses() throws {
    let card = try #require(member.identities(of: "Card").first)
    let lane = try #require(member.identities(of: "Lane").first)
    let house = try #require(member.identities(of: "House").first)
    try member.say([
      aliases("Card", [(card, lane), (try ObjectID.new(), card), (house, lane)]),
      aliases("Nobody", [(card, lane)]), aliases("House", [(house, try ObjectID.new())]),
      aliases("Contract", [(try ObjectID.new(), try ObjectID.new())]),
    ])
    try expectSound()
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.names(Card.self) == ["a", "b", "c"])
      #expect(try machine.names(Lane.self) == ["todo"])
      #expect(try machine.names(House.self) == ["H"])
      #expect(try machine.names(Contract.self) == ["k"])
    }
    // They still lead where they did, and their person changes and deletes them.
    try stores.laptop.edit(House.self, "H") { house, _ in house.name = "H2" }
    try stores.desktop.delete(Card.self, "a")
    try expectSound()
    #expect(try stores.desktop.names(House.self) == ["H2"])
    #expect(try stores.laptop.names(Card.self) == ["b", "c"])
  }

  /// A deleted one is one with what nobody has made: it is whole, or is not there.
  @Test func aliasesOfWhatWasDeleted() throws {
    let house = try #require(member.identities(of: "House").first)
    let contract = try #require(member.identities(of: "Contract").first)
    try stores.laptop.delete(Contract.self, "k")
    try stores.laptop.delete(House.self, "H")
    try stores.meet()
    try member.listen()
    try member.say([
      aliases("House", [(house, try ObjectID.new())]),
      aliases("Contract", [(contract, try ObjectID.new())]),
    ])
    try expectSound()
    // Half of an object, which is one with a whole one, or with nothing.
    let (half, other) = (try ObjectID.new(), try ObjectID.new())
    try member.say([
      .rows(
        .init(
          className: "City", columns: [.init(name: "people", mark: 2)],
          rows: [.init(identity: half, isMade: true, isDerived: false, values: [.integer(3)])])),
      aliases("City", [(half, other)]),
    ])
    try expectSound()
    #expect(try stores.laptop.names(City.self) == ["o", "r"])
    let city = try #require(member.identities(of: "City").first)
    try member.say([aliases("City", [(city, half)])])
    try expectSound()
    #expect(try stores.laptop.names(City.self) == ["o", "r"])
  }

  /// Each of them goes to a smaller identity than the one before.
  @Test func thousandsOfAliases() throws {
    let city = try #require(member.identities(of: "City").first)
    var all = try (0..<5_000).map { _ in try ObjectID.new() }
    all.sort(by: >)
    try member.say([aliases("City", zip(all, all.dropFirst()).map { ($0, $1) })])
    try member.say([aliases("City", [(all[0], city)])])
    // One record each.
    let more = try (0..<500).map { _ in try ObjectID.new() }.sorted(by: >)
    try member.say(
      records: zip([city] + more, more).map { [aliases("City", [($0, $1)])] })
    let clock = ContinuousClock()
    let time = try clock.measure { try stores.laptop.sync() }
    #expect(time < .seconds(120))
    try expectSound()
    #expect(try stores.laptop.names(City.self) == ["o", "r"])
    try stores.laptop.city("Oslo") { city, context in context.delete(city) }
    try expectSound()
    #expect(try stores.desktop.names(City.self) == ["r"])
  }

  /// Thousands of objects of one name, and values that no row may have.
  @Test func thousandsOfObjectsOfOneName() throws {
    let rows = try (0..<1_500).map { number in
      DataOperation.Row(
        identity: try ObjectID.new(), isMade: true, isDerived: false,
        values: [.text("Oslo"), .text("n\(number)")])
    }
    try member.say([
      .rows(
        .init(
          className: "City",
          columns: [.init(name: "name", mark: 7), .init(name: "note", mark: 7)], rows: rows))
    ])
    let clock = ContinuousClock()
    let time = try clock.measure { try stores.laptop.sync() }
    #expect(time < .seconds(120))
    try expectSound()
    #expect(try stores.desktop.cities().count == 2)
  }
}
