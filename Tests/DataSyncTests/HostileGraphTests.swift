import Foundation
import TestSupport
import Testing
import VaultAppData
import VaultDataStore
import VaultDataSync
import VaultStorage
import VaultSync

/// A member that tells of references and links that cannot be: nobody crashes, and no row leads to
/// nothing.
struct HostileGraphTests {
  private let stores: TwoGraphs
  private let third: DataMachine
  private let member: HostileMember

  init() throws {
    stores = try TwoGraphs { context in
      let board = Board("B")
      context.insert(board)
      board.lanes = [Lane("todo")]
      board.lanes[0].cards = [Card("a")]
      board.lanes[0].cards[0].labels = [Label("red")]
      context.insert(House("H"))
    }
    third = try DataMachine("third", joining: stores.laptop, in: stores.folder.path)
    _ = try third.container()
    member = try HostileMember(third)
  }

  private static let reference: UInt8 = 64

  private func made(
    _ className: String, _ identity: ObjectID, _ values: [(String, UInt8, WireValue)]
  ) -> DataOperation {
    .rows(
      .init(
        className: className,
        columns: values.map { DataOperation.Column(name: $0.0, mark: $0.1) },
        rows: [
          .init(identity: identity, isMade: true, isDerived: false, values: values.map(\.2))
        ]))
  }

  private func changed(
    _ className: String, _ identity: ObjectID, _ property: String, _ value: WireValue
  )
    -> DataOperation
  {
    .rows(
      .init(
        className: className,
        columns: [DataOperation.Column(name: property, mark: Self.reference)],
        rows: [.init(identity: identity, isMade: false, isDerived: false, values: [value])]))
  }

  /// Both take what was said, and have the same afterwards.
  private func expectSound(_ place: SourceLocation = #_sourceLocation) throws {
    try stores.meet()
    try stores.expectEqual(place)
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.sync().channel.problems.isEmpty, sourceLocation: place)
    }
  }

  private func count(_ machine: DataMachine, _ table: String) throws -> Int64 {
    let connection = try SQLiteConnection(path: machine.path, mode: .readOnly)
    defer { connection.close() }
    return try connection.int64("SELECT count(*) FROM \(table)") ?? 0
  }

  @Test func aReferenceToAnotherClassLeadsNowhere() throws {
    let card = try #require(member.identities(of: "Card").first)
    let board = try #require(member.identities(of: "Board").first)
    try member.say([changed("Card", card, "lane", .reference(board))])
    try expectSound()
    #expect(try stores.laptop.read(Card.self, "a") { $0.lane == nil })
    // Its person puts it where it belongs.
    try stores.laptop.edit(Card.self, "a") { card, context in
      card.lane = try DataMachine.one(Lane.self, "todo", in: context)
    }
    try expectSound()
    #expect(try stores.desktop.read(Card.self, "a") { $0.lane?.name } == "todo")
  }

  @Test func aReferenceToNothingWaitsForIt() throws {
    let (card, lane) = (try #require(member.identities(of: "Card").first), try ObjectID.new())
    try member.say([changed("Card", card, "lane", .reference(lane))])
    try expectSound()
    #expect(try stores.laptop.read(Card.self, "a") { $0.lane == nil })
    // It comes after all.
    try member.say([made("Lane", lane, [("name", 7, .text("late"))])])
    try expectSound()
    #expect(try stores.laptop.read(Card.self, "a") { $0.lane?.name } == "late")
  }

  @Test func anObjectThatBelongsToItself() throws {
    let chapter = try ObjectID.new()
    try member.say([
      made("Chapter", chapter, [("name", 7, .text("x")), ("parent", 64, .reference(chapter))])
    ])
    try expectSound()
    #expect(try stores.laptop.read(Chapter.self, "x") { $0.parent?.name } == "x")
    // Two that need each other; one that needs itself, of another class.
    let (one, other) = (try ObjectID.new(), try ObjectID.new())
    try member.say([
      made("Chapter", one, [("name", 7, .text("y")), ("parent", 64, .reference(other))]),
      made("Chapter", other, [("name", 7, .text("z")), ("parent", 64, .reference(one))]),
      made("Contract", one, [("name", 7, .text("c")), ("house", 64, .reference(one))]),
    ])
    try expectSound()
    #expect(try stores.desktop.names(Chapter.self) == ["x", "y", "z"])
    #expect(try stores.desktop.names(Contract.self).isEmpty)
    try stores.laptop.delete(Chapter.self, "y")
    try expectSound()
    #expect(try stores.desktop.names(Chapter.self) == ["x"])
  }

  /// One identity for objects of two classes does no harm.
  @Test func anIdentityOfTwoClasses() throws {
    let card = try #require(member.identities(of: "Card").first)
    try member.say([
      made("Lane", card, [("name", 7, .text("twin"))]),
      changed("Card", card, "lane", .reference(card)),
    ])
    try expectSound()
    #expect(try stores.laptop.read(Card.self, "a") { $0.lane?.name } == "twin")
    try member.say([.deletes(className: "Lane", [card])])
    try expectSound()
    #expect(try stores.laptop.names(Card.self) == ["a"])
    #expect(try stores.laptop.read(Card.self, "a") { $0.lane == nil })
  }

  @Test func valuesThatAreNoReferences() throws {
    let card = try #require(member.identities(of: "Card").first)
    let house = try #require(member.identities(of: "House").first)
    for value in [WireValue.integer(1), .text("x"), .blob([1])] {
      try member.say([changed("Card", card, "lane", value)])
    }
    // A required one that is empty, and a contract without one.
    let contract = try ObjectID.new()
    try member.say([
      made("Contract", contract, [("name", 7, .text("c")), ("house", 64, .reference(house))])
    ])
    try member.say([changed("Contract", contract, "house", .null)])
    try member.say([made("Contract", ObjectID.new(), [("name", 7, .text("d"))])])
    try expectSound()
    #expect(try stores.laptop.read(Card.self, "a") { $0.lane?.name } == "todo")
    #expect(try stores.laptop.names(Contract.self) == ["c"])
    #expect(try count(stores.laptop, "appdata_sync_parked") > 0)
  }

  @Test func placesAtTheEdge() throws {
    let lane = try #require(member.identities(of: "Lane").first)
    let cards = try (0..<6).map { _ in try ObjectID.new() }
    let places: [Int64?] = [.max, .max, .min, .min, nil, nil]
    try member.say(
      zip(cards, places).map { card, place in
        made(
          "Card", card,
          [
            ("name", 7, .text("p")), ("lane", 64, .reference(lane)),
            ("lane.position", 65, place.map { .integer($0) } ?? .null),
          ])
      })
    try expectSound()
    #expect(try stores.laptop.read(Lane.self, "todo") { $0.cards.count } == 7)
    let names = try stores.laptop.read(Lane.self, "todo") { $0.cards.map(\.name) }
    #expect(names == (try stores.desktop.read(Lane.self, "todo") { $0.cards.map(\.name) }))
  }

  private func link(
    _ property: String, _ className: String, _ owner: ObjectID, _ destination: ObjectID,
    isThere: Bool = true
  ) -> DataOperation {
    .links(
      .init(
        className: className, property: property,
        links: [
          .init(
            owner: owner, destination: destination, isThere: isThere,
            ownerPlace: isThere ? 5 : nil)
        ]))
  }

  @Test func linksThatCannotBe() throws {
    let card = try #require(member.identities(of: "Card").first)
    let label = try #require(member.identities(of: "Label").first)
    let board = try #require(member.identities(of: "Board").first)
    let before = try count(stores.laptop, "Card_labels")
    try member.say([
      link("labels", "Card", card, board), link("labels", "Card", card, card),
      link("labels", "Card", ObjectID.new(), label), link("labels", "Card", board, label),
      // Not such a relationship, and not a class.
      link("lane", "Card", card, label), link("nothing", "Card", card, label),
      link("labels", "Nobody", card, label), link("cards", "Label", label, card),
      // The removal of what is not there.
      link("labels", "Card", card, ObjectID.new(), isThere: false),
    ])
    try expectSound()
    #expect(try count(stores.laptop, "Card_labels") == before)
    #expect(try count(stores.laptop, "appdata_sync_parked") == 4)
  }

  @Test func thousandsOfLinks() throws {
    let card = try #require(member.identities(of: "Card").first)
    let links = try (0..<5_000).map { _ in
      DataOperation.Link(owner: card, destination: try ObjectID.new(), isThere: true, ownerPlace: 1)
    }
    // Three times the same: each link is noted once.
    let operation = DataOperation.links(.init(className: "Card", property: "labels", links: links))
    try member.say([operation, operation, operation])
    try stores.laptop.sync()
    #expect(try count(stores.laptop, "Card_labels") == 1)
    #expect(try count(stores.laptop, "appdata_sync_links") == 5_001)
    try stores.laptop.check()
  }

  /// More records than are held at once: they come when what they have seen does, in one run.
  @Test func thousandsOfRecordsThatWait() throws {
    try stores.laptop.delete(House.self, "H")
    try stores.laptop.sync()
    let hidden = try HiddenRecord(of: stores.laptop, in: stores.folder)
    let house = try #require(member.identities(of: "House").first)
    try hidden.show()
    try member.listen()
    let cards = try (0..<2_300).map { _ in try ObjectID.new() }
    try member.say(
      records: cards.map { card in [made("Card", card, [("name", 7, .text("p"))])] })
    try hidden.hide()
    let report = try stores.desktop.sync()
    #expect(report.channel.received == 0)
    #expect(report.channel.waiting.contains("third"))
    #expect(try stores.desktop.names(House.self) == ["H"])
    try hidden.show()
    #expect(try stores.desktop.sync().channel.received == 2_301)
    #expect(try count(stores.desktop, "Card") == 2_301)
    #expect(try stores.desktop.names(House.self).isEmpty)
    #expect(member.identities(of: "House") == [house])
  }

  /// A row without its required values, a deletion of everything, and the same again.
  @Test func everythingIsDeletedAndMadeAgain() throws {
    let classes = ["Board", "Lane", "Card", "Label", "House"]
    let all = classes.map { DataOperation.deletes(className: $0, member.identities(of: $0)) }
    try member.say(all)
    try expectSound()
    #expect(try stores.laptop.names(Card.self).isEmpty)
    let lane = try #require(member.identities(of: "Lane").first)
    let card = try #require(member.identities(of: "Card").first)
    try member.say([
      made("Card", card, [("name", 7, .text("a")), ("lane", 64, .reference(lane))])
    ])
    try expectSound()
    #expect(try stores.laptop.read(Card.self, "a") { $0.lane == nil })
  }
}
