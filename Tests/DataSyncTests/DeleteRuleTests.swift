import Foundation
import TestSupport
import Testing
import VaultAppData
import VaultDataSync
import VaultSync

/// What becomes of an object that leads to one which another machine has deleted.
struct DeleteRuleTests {
  @Test(arguments: [false, true])
  func whatIsAddedToADeletedBoardGoesWithItAndComesBack(_ desktopFirst: Bool) throws {
    let stores = try TwoGraphs(GraphContents.board)
    try stores.laptop.delete(Board.self, "B")
    try stores.desktop.edit(Board.self, "B") { board, _ in board.lanes.append(Lane("new")) }
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.names(Lane.self).isEmpty)
      #expect(try machine.names(Card.self) == ["a", "b", "c"])
      #expect(try machine.conflicts().contains("Lane.name \"new\" deleted desktop"))
    }
    let lost = try #require(
      try stores.laptop.data.conflicts(stores.laptop.application).first {
        $0.lost.text(isPretty: false) == "\"new\""
      })
    #expect(try stores.laptop.data.restore(lost.number, of: stores.laptop.application) != nil)
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    for machine in [stores.laptop, stores.desktop] {
      // With what was deleted together with it.
      #expect(
        try machine.read(Board.self, "B") { Set($0.lanes.map(\.name)) } == ["todo", "done", "new"])
      #expect(try !machine.conflicts().contains { $0.contains("new") })
    }
  }

  @Test(arguments: [false, true])
  func aCardOfADeletedLaneIsInNone(_ desktopFirst: Bool) throws {
    let stores = try TwoGraphs(GraphContents.board)
    try stores.laptop.delete(Lane.self, "done")
    try stores.desktop.edit(Lane.self, "done") { lane, _ in lane.cards.append(Card("new")) }
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.read(Card.self, "new") { $0.lane == nil })
      #expect(try machine.conflicts().contains { $0.hasPrefix("Card.lane") })
    }
    // The lane comes back, and the card is in it, as it was typed.
    let lost = try #require(
      try stores.desktop.data.conflicts(stores.desktop.application).first {
        $0.property == "lane"
      })
    #expect(try stores.desktop.data.restore(lost.number, of: stores.desktop.application) != nil)
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    #expect(try GraphContents.cards(stores.laptop, "done") == ["new"])
    #expect(try stores.laptop.conflicts().isEmpty)
  }

  @Test(arguments: [false, true])
  func aDeletionThatIsDeniedIsUndone(_ desktopFirst: Bool) throws {
    let stores = try TwoGraphs { context in context.insert(Owner("O")) }
    try stores.laptop.delete(Owner.self, "O")
    try stores.desktop.change { context in
      context.insert(House("H", try DataMachine.one(Owner.self, "O", in: context)))
    }
    let first = desktopFirst ? stores.desktop : stores.laptop
    try first.sync()
    let second = desktopFirst ? stores.laptop : stores.desktop
    #expect(try second.sync().undeleted == 1)
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.read(House.self, "H") { $0.owner?.name } == "O")
      #expect(try machine.conflicts().isEmpty)
    }
    // Who knows of the house can delete both.
    try stores.laptop.change { context in
      context.delete(try DataMachine.one(House.self, "H", in: context))
      try context.save()
      context.delete(try DataMachine.one(Owner.self, "O", in: context))
    }
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    #expect(try stores.desktop.names(Owner.self).isEmpty)
  }

  @Test(arguments: [false, true])
  func whatRequiresADeletedObjectWaits(_ desktopFirst: Bool) throws {
    let stores = try TwoGraphs { context in context.insert(House("H")) }
    try stores.laptop.delete(House.self, "H")
    try stores.desktop.change { context in
      context.insert(Contract("C", try DataMachine.one(House.self, "H", in: context)))
    }
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.names(Contract.self).isEmpty)
      #expect(try machine.conflicts().contains("Contract.name \"C\" deleted desktop"))
      #expect(try machine.data.status().first?.waiting == 1)
    }
    #expect(try stores.laptop.data.restore(1, of: stores.laptop.application) != nil)
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    #expect(try stores.desktop.read(Contract.self, "C") { $0.house.name } == "H")
    #expect(try stores.desktop.data.status().first?.waiting == 0)
  }

  /// The house denies that its owner is deleted, and goes with its street: the owner stays.
  @Test(arguments: [false, true])
  func denyComesBeforeCascade(_ desktopFirst: Bool) throws {
    let stores = try TwoGraphs { context in
      context.insert(Owner("O"))
      context.insert(Street("S"))
    }
    try stores.laptop.change { context in
      context.delete(try DataMachine.one(Owner.self, "O", in: context))
      context.delete(try DataMachine.one(Street.self, "S", in: context))
    }
    try stores.desktop.change { context in
      let house = House("H", try DataMachine.one(Owner.self, "O", in: context))
      context.insert(house)
      house.street = try DataMachine.one(Street.self, "S", in: context)
    }
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.names(Owner.self) == ["O"])
      #expect(try machine.names(House.self).isEmpty)
    }
  }

  /// Each moves a chapter into the other one: a circle, which is there on both.
  @Test(arguments: [false, true])
  func aCircleLosesNothing(_ desktopFirst: Bool) throws {
    let stores = try TwoGraphs { context in
      context.insert(Chapter("x"))
      context.insert(Chapter("y"))
      context.insert(Chapter("z"))
    }
    try stores.laptop.edit(Chapter.self, "x") {
      $0.parent = try DataMachine.one(Chapter.self, "y", in: $1)
    }
    try stores.desktop.edit(Chapter.self, "y") {
      $0.parent = try DataMachine.one(Chapter.self, "x", in: $1)
    }
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    #expect(try stores.laptop.names(Chapter.self) == ["x", "y", "z"])
    // A whole circle can be deleted, and comes back whole.
    try stores.laptop.edit(Chapter.self, "z") {
      $0.parent = try DataMachine.one(Chapter.self, "x", in: $1)
    }
    try stores.desktop.delete(Chapter.self, "x")
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    #expect(try stores.laptop.names(Chapter.self).isEmpty)
    let lost = try #require(
      try stores.laptop.data.conflicts(stores.laptop.application).first { $0.property == "name" })
    #expect(try stores.laptop.data.restore(lost.number, of: stores.laptop.application) != nil)
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    #expect(try stores.desktop.names(Chapter.self) == ["x", "y", "z"])
  }

  /// Two memos for one card: that of the later change is its memo.
  @Test(arguments: [false, true])
  func ofTwoThatAreForOneTheLaterIs(_ desktopFirst: Bool) throws {
    let stores = try TwoGraphs { context in context.insert(Card("a")) }
    for (machine, name) in [(stores.laptop, "l"), (stores.desktop, "d")] {
      try machine.edit(Card.self, "a") { card, _ in card.memo = Memo(name) }
    }
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    let winner = desktopFirst ? "l" : "d"
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.read(Card.self, "a") { $0.memo?.name } == winner)
      #expect(try machine.names(Memo.self) == ["d", "l"])
      #expect(try machine.conflicts().contains { $0.hasPrefix("Memo.card") })
    }
    // The other one is when the first one goes.
    try stores.laptop.delete(Memo.self, winner)
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    #expect(try stores.desktop.read(Card.self, "a") { $0.memo?.name } == (desktopFirst ? "d" : "l"))
  }
}
