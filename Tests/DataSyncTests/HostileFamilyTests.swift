import Foundation
import TestSupport
import Testing
import VaultAppData
import VaultDataStore
import VaultDataSync
import VaultStorage
import VaultSync

/// A member that says of objects that they are of any class.
struct HostileFamilyTests {
  private let stores: TwoGraphs
  private let member: HostileMember

  init() throws {
    stores = try TwoGraphs { context in
      let party = Party("ball", "n1", "waltz")
      party.guests = [Guest("g1")]
      context.insert(party)
      context.insert(Toast("t", party))
      let patron = Patron("P")
      context.insert(patron)
      patron.favorite = party
      let session = Session("s", "n2", "min")
      context.insert(session)
      session.rooms = [Room("r")]
      patron.events = [session]
      context.insert(City("Oslo", "o"))
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
    // Whoever comes later sees the same.
    let later = try DataMachine("later", joining: stores.laptop, in: stores.folder.path)
    _ = try later.container()
    try later.add()
    try stores.meet()
    try later.sync()
    #expect(
      try later.canonicalGraph() == stores.laptop.canonicalGraph(), sourceLocation: place)
  }

  private static let party = "Event\\Party"
  private static let session = "Event\\Session"

  private func rows(
    _ path: String, _ identity: ObjectID, isMade: Bool, _ values: [(String, WireValue)]
  ) -> DataOperation {
    .rows(
      .init(
        className: path,
        columns: values.map { name, value in
          switch value {
          case .integer: .init(name: name, mark: 2)
          case .reference: .init(name: name, mark: 64)
          default: .init(name: name, mark: 7)
          }
        },
        rows: [
          .init(identity: identity, isMade: isMade, isDerived: false, values: values.map(\.1))
        ]))
  }

  /// Made again as one of a class beside it, of one below it, and of one that nobody has.
  @Test(arguments: [
    "Event\\Session", "Event\\Session\\BoardSession", "Event", "Event\\Nobody",
    "Event\\Party\\Below", "Event\\Party\\Event",
  ])
  func anObjectIsMadeAgainAsOneOfAnotherClass(path: String) throws {
    let party = try #require(member.identities(of: Self.party).first)
    for knows in [false, true] {
      member.isBlind = !knows
      if knows { try member.listen() }
      var values: [(String, WireValue)] = [
        ("name", .text("ball")), ("note", .text("h")), ("Session\\minutes", .text("hm")),
        ("BoardSession\\agenda", .text("ha")),
      ]
      // Who knows what he replaces may replace it.
      if !knows { values.append(("Party\\music", .integer(3))) }
      try member.say([rows(path, party, isMade: true, values)])
      try expectSound()
    }
    for machine in [stores.laptop, stores.desktop] {
      // All that was typed is there, or among what lost.
      let words = try machine.events() + machine.conflicts() + machine.names(Toast.self)
      for word in ["waltz", "g1"] {
        #expect(
          try words.contains { $0.contains(word) }
            || machine.names(Guest.self).contains(word), "\(word)")
      }
    }
    // Its person goes on with what there is.
    try stores.laptop.change { $0.insert(Party("ball2", "n3", "jazz")) }
    try expectSound()
  }

  /// The identity of one class in the properties and links of another one, and of another family.
  @Test func identitiesUnderOtherClasses() throws {
    let party = try #require(member.identities(of: Self.party).first)
    let session = try #require(member.identities(of: Self.session).first)
    let patron = try #require(member.identities(of: "Patron").first)
    let room = try #require(member.identities(of: "Room").first)
    let city = try #require(member.identities(of: "City").first)
    let toast = try #require(member.identities(of: "Toast").first)
    try member.say([
      rows("Patron", patron, isMade: false, [("favorite", .reference(session))]),
      rows("Toast", toast, isMade: false, [("party", .reference(session))]),
      rows(Self.session, party, isMade: false, [("Session\\minutes", .text("h"))]),
      rows(Self.session, city, isMade: true, [("name", .text("city"))]),
      rows("City\\Event", city, isMade: true, [("name", .text("city"))]),
      rows("City\\Event", party, isMade: false, [("note", .text("city"))]),
      .links(
        .init(
          className: "Room", property: "sessions",
          links: [
            .init(owner: room, destination: party, isThere: true, ownerPlace: 1),
            .init(owner: room, destination: city, isThere: true, ownerPlace: 2),
            .init(owner: party, destination: session, isThere: true),
          ])),
      .links(
        .init(
          className: "Event\\Session", property: "rooms",
          links: [.init(owner: party, destination: room, isThere: true, ownerPlace: 1)])),
      .links(
        .init(
          className: "Event", property: "tags",
          links: [.init(owner: city, destination: party, isThere: true, ownerPlace: 1)])),
      .deletes(className: "Party", [party]), .deletes(className: "Session", [session]),
      .deletes(className: "City", [party]),
    ])
    try expectSound()
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.read(Patron.self, "P") { $0.favorite } == nil)
      #expect(try machine.names(Toast.self) == [])
      #expect(try machine.names(Event.self) == ["n1", "n2"])
      #expect(try machine.read(Room.self, "r") { $0.sessions.map(\.name) } == ["s"])
    }
    // They lead there again as soon as somebody says so.
    try stores.laptop.edit(Patron.self, "P") { patron, context in
      patron.favorite = try context.fetch(FetchDescriptor<Party>()).first
    }
    try expectSound()
    #expect(try stores.desktop.read(Patron.self, "P") { $0.favorite?.name } == "ball")
  }

  /// Aliases of objects of all classes of the family, round and round.
  @Test func allObjectsOfAFamilyAreOne() throws {
    try stores.laptop.change { context in
      context.insert(Event("e", "n3"))
      context.insert(BoardSession("b", "n4", "m4", "a4"))
    }
    try stores.meet()
    try member.listen()
    var all = ["Event", Self.party, Self.session, Self.session + "\\BoardSession"]
      .flatMap { member.identities(of: $0) }
    #expect(all.count == 4)
    all.append(try ObjectID.new())
    try member.say([
      .aliases(
        className: "Event", zip(all, all.dropFirst() + [all[0]]).map { .init($0, $1) }),
      .aliases(className: "Patron", [.init(all[0], all[1])]),
    ])
    try expectSound()
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.events().count == 1)
      let words = try machine.events() + machine.conflicts()
      for word in ["n1", "n2", "n3", "n4", "waltz", "min", "m4", "a4"] {
        #expect(words.contains { $0.contains(word) }, "\(word)")
      }
    }
  }

  /// A kind of record that a later vault has, and one that makes no sense: the member's stream stops,
  /// nobody else's.
  @Test func recordsThatAreNotKnown() throws {
    let party = try #require(member.identities(of: Self.party).first)
    try member.say(raw: ChannelOperation(kind: 38, body: [1, 2, 3]))
    try member.say([rows(Self.party, party, isMade: false, [("note", .text("h"))])])
    try stores.meet()
    #expect(try stores.laptop.sync().newer == ["third"])
    #expect(try stores.laptop.names(Event.self) == ["n1", "n2"])
    try stores.laptop.change { $0.insert(Party("ball2", "n3", "jazz")) }
    try stores.meet()
    try stores.expectEqual()
    #expect(try stores.desktop.names(Event.self) == ["n1", "n2", "n3"])
    let machine = try DataMachine("fourth", joining: stores.laptop, in: stores.folder.path)
    _ = try machine.container()
    let fourth = try HostileMember(machine)
    try fourth.say(raw: ChannelOperation(kind: 37, body: [5, 0, 1]))
    try stores.meet()
    #expect(try stores.desktop.sync().malformed == ["fourth"])
    try stores.laptop.delete(Party.self, "n3")
    try stores.meet()
    try stores.expectEqual()
    #expect(try stores.desktop.names(Event.self) == ["n1", "n2"])
  }

  /// Classes of many names, names with what a path has, and records that are no records.
  @Test func pathsThatAreNone() throws {
    let party = try #require(member.identities(of: Self.party).first)
    let deep = "Event" + String(repeating: "\\Party", count: 31)
    try member.say([
      rows(deep, party, isMade: true, [("name", .text("deep"))]),
      rows(deep, try ObjectID.new(), isMade: true, [("name", .text("deep"))]),
      rows("\\Party", try ObjectID.new(), isMade: true, [("name", .text("none"))]),
      rows("Nobody\\Party", party, isMade: true, [("name", .text("none"))]),
    ])
    try expectSound()
    #expect(throws: (any Error).self) { try rows(deep + "\\P", party, isMade: true, []).encoded() }
    // A path in the place of a name, and no names.
    for (kind, body) in [
      (UInt8(32), [12, 0] + Array("Event\\Party".utf8) + [0x20, 0, 0, 0, 0, 0, 0]),
      (37, [5, 0] + Array("Event".utf8) + [0, 0, 0, 0, 0, 0, 0]),
      (37, [5, 0] + Array("Event".utf8) + [9, 1, 0]),
      (37, [5, 0] + Array("Event".utf8) + [1, 0, 0, 0, 0, 0, 0, 0, 0]),
      (33, [11, 0] + Array("Event\\Party".utf8) + [0, 0, 0, 0]),
    ] {
      #expect(throws: MalformedRecord.self) {
        try DataOperation(ChannelOperation(kind: kind, body: body))
      }
    }
  }
}
