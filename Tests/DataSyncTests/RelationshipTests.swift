import Foundation
import TestSupport
import Testing
import VaultAppData
import VaultDataSync
import VaultSync

/// The lines of decision 18, each by the changes of two machines that speak in both orders.
struct RelationshipTests {
  @Test func aGraphIsOnBothMachines() throws {
    let stores = try TwoGraphs(GraphContents.board)
    try stores.expectEqual()
    #expect(try GraphContents.cards(stores.desktop, "todo") == ["a", "b", "c"])
    #expect(try GraphContents.labels(stores.desktop, "a") == ["red", "blue"])
    #expect(
      try stores.desktop.read(Chapter.self, "one") {
        $0.parts.map(\.name) + $0.quotes.map(\.name)
      } == ["one.one", "one.two", "blue", "red"])
    #expect(try stores.desktop.read(Card.self, "a") { $0.memo?.name } == "m")
    // Moved, reordered, linked and taken out on one, seen on the other.
    try stores.desktop.change { context in
      let done = try DataMachine.one(Lane.self, "done", in: context)
      let todo = try DataMachine.one(Lane.self, "todo", in: context)
      let card = try DataMachine.one(Card.self, "a", in: context)
      done.cards.append(card)
      todo.cards = todo.cards.reversed()
      card.labels = [card.labels[1]]
      card.memo = nil
      try DataMachine.one(Chapter.self, "one", in: context).quotes.reverse()
    }
    try stores.meet()
    try stores.expectEqual()
    #expect(try GraphContents.cards(stores.laptop, "todo") == ["c", "b"])
    #expect(try GraphContents.cards(stores.laptop, "done") == ["a"])
    #expect(try GraphContents.labels(stores.laptop, "a") == ["blue"])
    #expect(try stores.laptop.read(Memo.self, "m") { $0.card == nil })
    #expect(
      try stores.laptop.read(Chapter.self, "one") { $0.quotes.map(\.name) } == ["red", "blue"])
    #expect(try stores.laptop.conflicts().isEmpty)
  }

  @Test(arguments: [false, true])
  func aCardThatBothMoveIsWhereTheLaterPutIt(_ desktopFirst: Bool) throws {
    let stores = try TwoGraphs(GraphContents.board)
    try stores.laptop.edit(Card.self, "a") { card, context in
      card.lane = try DataMachine.one(Lane.self, "done", in: context)
    }
    stores.laptop.time.advance(1000)
    try stores.desktop.edit(Card.self, "a") { card, _ in card.lane = nil }
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    let isInDone = try stores.laptop.read(Card.self, "a") { $0.lane?.name == "done" }
    // The clock is that of the run that told it.
    #expect(isInDone == desktopFirst)
    #expect(try stores.laptop.conflicts().contains { $0.hasPrefix("Card.lane") })
    // What lost can be had.
    let lost = try #require(
      try stores.laptop.data.conflicts(stores.laptop.application).first {
        $0.property == "lane"
      })
    #expect(try stores.laptop.data.restore(lost.number, of: stores.laptop.application) != nil)
    try stores.meet()
    try stores.expectEqual()
    #expect(
      try stores.desktop.read(Card.self, "a") { $0.lane?.name == "done" } == !desktopFirst)
  }

  @Test(arguments: [false, true])
  func whatBothAppendIsInOneOrder(_ desktopFirst: Bool) throws {
    let stores = try TwoGraphs(GraphContents.board)
    for (machine, name) in [(stores.laptop, "l"), (stores.desktop, "d")] {
      try machine.edit(Lane.self, "todo") { lane, _ in
        lane.cards.append(Card("\(name)1"))
        lane.cards.append(Card("\(name)2"))
      }
      try machine.edit(Card.self, "c") { card, context in
        card.labels.append(
          try DataMachine.one(Label.self, name == "l" ? "red" : "blue", in: context))
      }
    }
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    let cards = try GraphContents.cards(stores.laptop, "todo")
    #expect(cards == (try GraphContents.cards(stores.desktop, "todo")))
    #expect(cards.count == 7 && Array(cards[..<3]) == ["a", "b", "c"])
    #expect(Set(try GraphContents.labels(stores.laptop, "c")) == ["red", "blue"])
    #expect(
      try GraphContents.labels(stores.laptop, "c") == GraphContents.labels(stores.desktop, "c"))
    // Who goes on from there has what he sees.
    try stores.desktop.edit(Lane.self, "todo") { lane, _ in lane.cards.reverse() }
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    #expect(try GraphContents.cards(stores.laptop, "todo") == cards.reversed())
  }

  @Test(arguments: [false, true])
  func anArrayThatBothReorderIsTheSame(_ desktopFirst: Bool) throws {
    let stores = try TwoGraphs(GraphContents.board)
    try stores.laptop.edit(Lane.self, "todo") { lane, _ in lane.cards.reverse() }
    try stores.desktop.edit(Lane.self, "todo") { lane, context in
      let cards = lane.cards
      lane.cards = [cards[1], cards[0], cards[2], Card("d")]
    }
    try stores.laptop.edit(Chapter.self, "one") { chapter, _ in chapter.quotes.reverse() }
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    #expect(
      try GraphContents.cards(stores.laptop, "todo") == GraphContents.cards(stores.desktop, "todo"))
    #expect(try Set(GraphContents.cards(stores.laptop, "todo")) == ["a", "b", "c", "d"])
    // One that leaves takes its place along.
    try stores.laptop.edit(Lane.self, "todo") { lane, _ in lane.cards.removeFirst() }
    try stores.meet()
    try stores.expectEqual()
  }

  /// A removal takes back what it knew: a link that somebody made again meanwhile is there.
  @Test(arguments: [false, true])
  func aLinkThatIsRemovedAndAdded(_ desktopFirst: Bool) throws {
    let stores = try TwoGraphs(GraphContents.board)
    try stores.laptop.edit(Card.self, "a") { card, _ in card.labels = [] }
    try stores.desktop.edit(Card.self, "a") { card, _ in card.labels.removeFirst() }
    try stores.desktop.sync()
    try stores.desktop.edit(Card.self, "a") { card, context in
      card.labels.append(try DataMachine.one(Label.self, "red", in: context))
    }
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    // The first run of the desktop told its removal before the laptop was heard.
    #expect(try GraphContents.labels(stores.laptop, "a") == ["red"])
    #expect(try stores.laptop.read(Label.self, "red") { $0.cards.map(\.name) } == ["a"])
  }

  @Test(arguments: [false, true])
  func whatChangesADeletedObjectComesBackWithItsOwn(_ desktopFirst: Bool) throws {
    let stores = try TwoGraphs(GraphContents.board)
    try stores.laptop.edit(Board.self, "B") { board, _ in board.name = "B2" }
    try stores.desktop.delete(Board.self, "B")
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    #expect(try stores.laptop.names(Lane.self).isEmpty)
    #expect(try stores.desktop.data.restore(1, of: stores.desktop.application) != nil)
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    #expect(
      try stores.laptop.read(Board.self, "B2") { $0.lanes.map(\.name) } == ["todo", "done"])
  }

  /// What leads to objects that were deleted in the time that is gone.
  @Test func whatIsTypedIntoAGraphThatWasPutBackIsTold() throws {
    let stores = try TwoGraphs(GraphContents.board)
    let old = try StoredFiles(of: stores.desktop)
    try stores.desktop.delete(Lane.self, "done")
    try stores.desktop.delete(Chapter.self, "one.two")
    try stores.meet()
    try old.putBack()
    try stores.desktop.change { context in
      let lane = try DataMachine.one(Lane.self, "done", in: context)
      let chapter = try DataMachine.one(Chapter.self, "one.two", in: context)
      try DataMachine.one(Card.self, "a", in: context).lane = lane
      context.insert(Card("n", lane))
      try DataMachine.one(Chapter.self, "one.one", in: context).parent = chapter
      context.insert(Chapter("c", chapter))
    }
    try stores.meet()
    try stores.expectEqual()
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.read(Card.self, "a") { $0.lane == nil })
      #expect(try machine.read(Card.self, "n") { $0.lane == nil })
      #expect(try machine.names(Chapter.self) == ["one"])
      #expect(try machine.conflicts().contains("Chapter.name \"c\" deleted desktop"))
      #expect(try machine.conflicts().filter { $0.hasPrefix("Card.lane") }.count >= 2)
    }
    for (property, text) in [("name", "\"c\""), ("lane", nil)] {
      let lost = try #require(
        try stores.laptop.data.conflicts(stores.laptop.application).first {
          $0.property == property && (text == nil || $0.lost.text(isPretty: false) == text)
        })
      #expect(try stores.laptop.data.restore(lost.number, of: stores.laptop.application) != nil)
    }
    try stores.meet()
    try stores.expectEqual()
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.names(Chapter.self) == ["c", "one", "one.one", "one.two"])
      #expect(try machine.read(Chapter.self, "c") { $0.parent?.name } == "one.two")
      #expect(try machine.read(Card.self, "a") { $0.lane?.name } == "done")
      #expect(try machine.read(Card.self, "n") { $0.lane?.name } == "done")
    }
  }

  /// A program that switched foreign keys off.
  @Test func rowsThatLeadToNothingAreMended() throws {
    let stores = try TwoGraphs(GraphContents.board)
    try stores.laptop.sql("PRAGMA foreign_keys=OFF; DELETE FROM Lane WHERE name='todo'")
    try stores.meet()
    try stores.expectEqual()
    #expect(try stores.desktop.read(Card.self, "a") { $0.lane == nil })
    try stores.desktop.sql(
      "PRAGMA foreign_keys=OFF; DELETE FROM Board; INSERT INTO Card(name, lane_id) VALUES ('x', 99)"
    )
    try stores.meet()
    try stores.expectEqual()
    #expect(try stores.laptop.names(Lane.self).isEmpty)
    #expect(try stores.laptop.read(Card.self, "x") { $0.lane == nil })
  }

  /// Both made the same defaults before they knew of each other.
  @Test func equalGraphsOfTheFirstMeetingAreOne() throws {
    let stores = try TwoGraphs(adds: false, GraphContents.board)
    try stores.desktop.change { context in
      GraphContents.board(context)
      context.insert(Board("mine"))
    }
    try stores.laptop.add()
    let report = try stores.desktop.add().report
    #expect(report.arrived == 0)
    #expect(report.told == 1)
    try stores.meet()
    try stores.expectEqual()
    #expect(try stores.laptop.names(Board.self) == ["B", "mine"])
    #expect(try stores.laptop.names(Card.self) == ["a", "b", "c"])
    #expect(try GraphContents.labels(stores.laptop, "a") == ["red", "blue"])
  }

  /// A save that is longer than a record arrives whole, or not.
  @Test func aLongSaveArrivesAsOne() throws {
    let stores = try TwoGraphs { _ in }
    let text = String(repeating: "long ", count: 400)
    try stores.laptop.change { context in
      let board = Board("big")
      context.insert(board)
      for lane in 0..<20 {
        let lane = Lane("\(lane)", board)
        context.insert(lane)
        for card in 0..<25 { lane.cards.append(Card("\(card) \(text)")) }
      }
    }
    #expect(try stores.laptop.sync().channel.sent > 1)
    // The last record of it is not there yet.
    let hidden = try HiddenRecord(of: stores.laptop, in: stores.folder)
    _ = try? stores.desktop.sync()
    #expect(try stores.desktop.names(Board.self).isEmpty)
    #expect(try stores.desktop.names(Card.self).isEmpty)
    try hidden.show()
    try stores.meet()
    try stores.expectEqual()
    #expect(try stores.desktop.names(Card.self).count == 500)
  }

  @Test func aReaderShowsWhatTheOthersShow() throws {
    let stores = try TwoGraphs(role: .reader) { context in
      context.insert(Owner("O"))
      context.insert(Board("B"))
    }
    let third = try DataMachine("third", joining: stores.laptop, in: stores.folder.path)
    _ = try third.container()
    try third.add()
    try stores.laptop.change { context in
      context.delete(try DataMachine.one(Owner.self, "O", in: context))
      context.delete(try DataMachine.one(Board.self, "B", in: context))
    }
    try third.change { context in
      context.insert(House("H", try DataMachine.one(Owner.self, "O", in: context)))
      context.insert(Lane("new", try DataMachine.one(Board.self, "B", in: context)))
    }
    for machine in [third, stores.laptop, stores.desktop, third, stores.desktop] {
      try machine.sync()
    }
    #expect(try stores.desktop.canonicalGraph() == third.canonicalGraph())
    #expect(try stores.desktop.names(Owner.self) == ["O"])
    #expect(try stores.desktop.names(Lane.self).isEmpty)
    // What it changes itself stays with it, whatever becomes of the rest.
    try stores.desktop.edit(Owner.self, "O") { owner, _ in owner.houses.append(House("mine")) }
    try third.delete(House.self, "H")
    try third.sync()
    #expect(try stores.desktop.sync().kept > 0)
    try third.delete(Owner.self, "O")
    try third.sync()
    try stores.desktop.sync()
    try stores.desktop.check()
  }

  /// A program that has an array in its hands sees what came.
  @Test func aRunningProgramSeesLinksThatCame() async throws {
    let stores = try TwoGraphs(GraphContents.board)
    let container = try stores.desktop.container(keepsHistory: true)
    let context = ModelContext(container)
    let lane = try DataMachine.one(Lane.self, "todo", in: context)
    let card = try DataMachine.one(Card.self, "c", in: context)
    #expect(lane.cards.count == 3 && card.labels.isEmpty)
    var changes = try container.remoteChanges().makeAsyncIterator()
    try stores.laptop.edit(Lane.self, "todo") { lane, context in
      lane.cards.append(Card("new"))
      lane.cards[2].labels.append(try DataMachine.one(Label.self, "red", in: context))
    }
    try stores.laptop.sync()
    try stores.desktop.sync()
    await changes.next()
    #expect(lane.cards.map(\.name) == ["a", "b", "c", "new"])
    #expect(card.labels.map(\.name) == ["red"])
  }
}

/// The newest record of a machine, taken out of the folder for a while.
struct HiddenRecord {
  private let file: String
  private let bytes: Data

  init(of machine: DataMachine, in folder: TemporaryHome) throws {
    let stream = try #require(try machine.space.devices().first { $0.isThisMachine }?.id)
    let channel = try SpaceChannels(machine.space).channel(
      application: machine.application, store: "default"
    ).text
    let path = "\(folder.path)/\(channel)/s/\(stream)"
    let name = try FileManager.default.contentsOfDirectory(atPath: path).sorted().last
    file = "\(path)/\(try #require(name))"
    bytes = try #require(FileManager.default.contents(atPath: file))
    try hide()
  }

  func hide() throws { try FileManager.default.removeItem(atPath: file) }

  func show() throws { try bytes.write(to: URL(fileURLWithPath: file)) }
}
