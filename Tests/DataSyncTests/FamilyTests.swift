import Foundation
import TestSupport
import Testing
import VaultAppData
import VaultDataStore
import VaultDataSync
import VaultStorage
import VaultSync

/// Classes that inherit from each other, on two machines.
struct FamilyTests {
  private func fill(_ context: ModelContext) {
    let patron = Patron("P")
    context.insert(patron)
    let party = Party("ball", "n1", "waltz")
    party.budget = 5
    let board = BoardSession("board", "n2", "m2", "a2")
    board.code = "k"
    patron.events = [Event("walk", "n0"), party, board]
    party.guests = [Guest("g1"), Guest("g2")]
    board.rooms = [Room("r1"), Room("r2")]
    patron.favorite = party
    party.tags = [Label("red")]
    context.insert(Toast("t", party))
  }

  private func equal(_ stores: TwoGraphs, _ expected: [String]) throws {
    try stores.meet()
    try stores.expectEqual()
    for machine in [stores.laptop, stores.desktop] { #expect(try machine.events() == expected) }
  }

  // MARK: Along

  @Test func objectsOfAllClassesGoAlong() throws {
    let stores = try TwoGraphs(fill)
    let all = [
      "BoardSession board n2/m2/a2 P [] []", "Event walk n0 P [] []",
      "Party ball n1/waltz P [\"g1\", \"g2\"] [\"red\"]",
    ]
    try equal(stores, all)
    #expect(try stores.desktop.read(Patron.self, "P") { $0.favorite?.music } == "waltz")
    #expect(
      try stores.desktop.read(Patron.self, "P") { $0.events.map(\.name) }
        == ["walk", "ball", "board"])
    #expect(try stores.desktop.read(Toast.self, "t") { $0.party.budget } == 5)
    #expect(
      try stores.desktop.read(BoardSession.self, "n2") { $0.rooms.map(\.name) } == ["r1", "r2"])
  }

  @Test func propertiesOfAllClassesOfAnObjectAreChanged() throws {
    let stores = try TwoGraphs(fill)
    try stores.laptop.edit(BoardSession.self, "n2") { board, _ in
      board.agenda = "a3"
      board.patron = nil
    }
    try stores.desktop.edit(BoardSession.self, "n2") { board, context in
      board.minutes = "m3"
      board.rooms.removeFirst()
      board.guests = [Guest("g3")]
    }
    try stores.meet()
    try stores.expectEqual()
    #expect(try stores.laptop.events()[0] == "BoardSession board n2/m3/a3 - [\"g3\"] []")
    #expect(try stores.laptop.read(Room.self, "r1") { $0.sessions.count } == 0)
    // Both change one property that another class declares.
    try stores.laptop.edit(BoardSession.self, "n2") { board, _ in board.minutes = "m4" }
    try stores.desktop.edit(BoardSession.self, "n2") { board, _ in board.minutes = "m5" }
    try stores.meet()
    try stores.expectEqual()
    #expect(try stores.laptop.events()[0].contains("n2/m5/a3"))
    #expect(try stores.laptop.conflicts() == ["BoardSession.minutes \"m4\" \"m5\" laptop"])
    let number = try #require(try stores.laptop.data.conflicts(stores.laptop.application).first)
    _ = try stores.laptop.data.restore(number.number, of: stores.laptop.application)
    try stores.meet()
    try stores.expectEqual()
    #expect(try stores.desktop.events()[0].contains("n2/m4/a3"))
  }

  @Test func whatIsDeletedTakesItsOwnAlong() throws {
    let stores = try TwoGraphs(fill)
    try stores.laptop.delete(Party.self, "n1")
    try stores.desktop.change { context in
      context.insert(
        Guest("g4", try context.fetch(FetchDescriptor<Event>()).first { $0.name == "ball" }))
    }
    try stores.meet()
    try stores.expectEqual()
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.names(Event.self) == ["n0", "n2"])
      #expect(try machine.names(Guest.self) == [])
      #expect(try machine.names(Toast.self) == [])
      #expect(try machine.read(Patron.self, "P") { $0.favorite } == nil)
    }
    // It comes back as what it was, with what was deleted with it.
    let conflict = try #require(
      try stores.desktop.data.conflicts(stores.desktop.application)
        .first { $0.lost.text(isPretty: false) == "\"g4\"" })
    _ = try stores.desktop.data.restore(conflict.number, of: stores.desktop.application)
    try stores.meet()
    try stores.expectEqual()
    #expect(
      try stores.laptop.events().contains {
        $0.hasPrefix("Party ball n1/waltz P [\"g1\", \"g2\", \"g4\"]")
      })
  }

  /// A record of a subclass is one of another kind: a vault that knows no families lets it wait.
  @Test func theKindOfRecordIsAnotherOne() throws {
    let rows = DataOperation.RowsOperation(
      className: "Event\\Session\\BoardSession",
      columns: [.init(name: "BoardSession\\agenda", mark: 7), .init(name: "name", mark: 7)],
      rows: [
        .init(
          identity: try #require(ObjectID([UInt8](repeating: 2, count: 16))), isMade: true,
          isDerived: false, values: [.text("a"), .null])
      ])
    let operation = try DataOperation.rows(rows).encoded()
    #expect(operation.kind == 37)
    let head =
      "0500" + hex("Event") + "02" + "0700" + hex("Session") + "0c00" + hex("BoardSession")
    let columns =
      "0200" + "1300" + hex("BoardSession\\agenda") + "07" + "0400" + hex("name") + "07"
    let row = "01000000" + String(repeating: "02", count: 16) + "01" + "0301000000" + "61" + "00"
    #expect(
      operation.body.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        == head + columns + row)
    #expect(try DataOperation(operation) == .rows(rows))
    // What has no superclass is told as before.
    var plain = rows
    plain.className = "Event"
    #expect(try DataOperation.rows(plain).encoded().kind == 32)
  }

  private func hex(_ text: String) -> String {
    text.utf8.map { String($0, radix: 16) }.joined()
  }

  // MARK: One name, two classes

  /// Of two classes beside each other that of the smaller identity counts, on all machines.
  @Test(arguments: [false, true]) func oneNameOfTwoClasses(desktopFirst: Bool) throws {
    let stores = try TwoGraphs { $0.insert(Patron("P")) }
    try stores.laptop.change { context in
      let party = Party("x", "n1", "waltz")
      party.budget = 7
      party.guests = [Guest("g1")]
      context.insert(party)
      context.insert(Toast("t", party))
      try DataMachine.one(Patron.self, "P", in: context).favorite = party
    }
    stores.desktop.time.advance(1_000)
    try stores.desktop.change { context in
      let session = Session("x", "n2", "min")
      session.budget = "seven"
      session.guests = [Guest("g2")]
      session.rooms = [Room("r")]
      session.tags = [Label("red")]
      session.patron = try DataMachine.one(Patron.self, "P", in: context)
      context.insert(session)
    }
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    let events = try stores.laptop.events()
    #expect(events.count == 1)
    // Whoever told it last.
    let (note, patron) = desktopFirst ? ("n1", "-") : ("n2", "P")
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.events() == events)
      let lost = try machine.conflicts().joined(separator: "\n")
      let guests = try machine.names(Guest.self)
      #expect(guests == ["g1", "g2"])
      if events[0].hasPrefix("Party") {
        #expect(events[0] == "Party x \(note)/waltz \(patron) [\"g1\", \"g2\"] [\"red\"]")
        #expect(lost.contains("Session.minutes \"min\""))
        #expect(lost.contains("Session.budget \"seven\""))
        #expect(try machine.names(Toast.self) == ["t"])
        #expect(try machine.read(Patron.self, "P") { $0.favorite?.name } == "x")
      } else {
        #expect(events[0] == "Session x \(note)/min \(patron) [\"g1\", \"g2\"] [\"red\"]")
        #expect(lost.contains("Party.music \"waltz\""))
        #expect(lost.contains("Party.budget 7"))
        // What only a party may have waits, and leads nowhere.
        #expect(try machine.names(Toast.self) == [])
        #expect(try machine.read(Patron.self, "P") { $0.favorite } == nil)
        #expect(try machine.read(Session.self, note) { $0.rooms.map(\.name) } == ["r"])
      }
      // Its old value has no place.
      let foreign = try #require(
        try machine.data.conflicts(machine.application).first {
          ["minutes", "music"].contains($0.property)
        })
      #expect(throws: SyncError.self) {
        try machine.data.restore(foreign.number, of: machine.application)
      }
    }
    // It goes on as one.
    try stores.laptop.event("x") { event, _ in event.note = "n3" }
    try stores.meet()
    #expect(try stores.desktop.names(Event.self) == ["n3"])
    try stores.desktop.event("x") { event, context in context.delete(event) }
    try stores.meet()
    try stores.expectEqual()
    #expect(try stores.laptop.events() == [])
  }

  /// Whose class inherits from the other's has all of both.
  @Test(arguments: [false, true]) func oneNameOfAClassAndItsSuperclass(desktopFirst: Bool) throws {
    let stores = try TwoGraphs { $0.insert(Patron("P")) }
    try stores.laptop.change { context in
      let event = Event("x", "n1")
      event.guests = [Guest("g1")]
      event.tags = [Label("red")]
      context.insert(event)
    }
    stores.desktop.time.advance(1_000)
    try stores.desktop.change { context in
      let session = BoardSession("x", "n2", "min", "agenda")
      session.rooms = [Room("r")]
      context.insert(session)
    }
    try stores.meet(desktopFirst: desktopFirst)
    try stores.expectEqual()
    let (note, lost, by) = desktopFirst ? ("n1", "n2", "desktop") : ("n2", "n1", "laptop")
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.events() == ["BoardSession x \(note)/min/agenda - [\"g1\"] [\"red\"]"])
      #expect(try machine.read(Session.self, note) { $0.rooms.map(\.name) } == ["r"])
      #expect(
        try machine.conflicts() == ["BoardSession.note \"\(lost)\" \"\(note)\" \(by)"])
    }
  }

  /// Three machines, three classes, any order.
  @Test func oneNameOfThreeClassesOnThreeMachines() throws {
    for round in 0..<6 {
      let stores = try TwoGraphs { $0.insert(Patron("P")) }
      let third = try DataMachine("third", joining: stores.laptop, in: stores.folder.path)
      _ = try third.container()
      try third.add()
      try stores.laptop.change { $0.insert(Event("x", "n1")) }
      try stores.desktop.change { $0.insert(Party("x", "n2", "waltz")) }
      try third.change { $0.insert(Session("x", "n3", "min")) }
      var machines = [stores.laptop, stores.desktop, third]
      if round % 2 == 1 { machines.swapAt(0, 1) }
      machines.swapAt(1, 1 + round / 3)
      for _ in 0..<3 { for machine in machines { try machine.sync() } }
      try stores.expectEqual()
      #expect(try third.canonicalGraph() == stores.laptop.canonicalGraph())
      let words = try third.events() + third.conflicts()
      #expect(try third.events().count == 1)
      for word in ["n1", "n2", "n3", "waltz", "min"] {
        #expect(words.contains { $0.contains(word) }, "\(word)")
      }
    }
  }

  /// What lost to a party of the name, and then was no value of the object's class any more, is
  /// known to who hears all of it at once, too.
  @Test func whatLostBeforeTheClassWasAnotherOne() throws {
    let stores = try TwoGraphs { $0.insert(Patron("P")) }
    let third = try DataMachine("third", joining: stores.laptop, in: stores.folder.path)
    _ = try third.container()
    try third.add()
    // Which class each has is by identities, which are as they come.
    for round in 0..<12 {
      try stores.laptop.change { $0.insert(Party("x\(round)", "n\(round)", "waltz\(round)")) }
      try stores.desktop.change { $0.insert(Party("x\(round)", "o\(round)", "polka\(round)")) }
      try third.change { $0.insert(Session("x\(round)", "p\(round)", "min\(round)")) }
    }
    try stores.meet()
    for round in 0..<12 {
      try stores.laptop.event("x\(round)") { event, _ in
        (event as? Party)?.music = "jazz\(round)"
      }
    }
    try stores.meet()
    let lost = try stores.laptop.conflicts().filter { $0.contains("Party.music") }
    #expect(lost.count == 12)
    for _ in 0..<2 { for machine in [third, stores.laptop, stores.desktop] { try machine.sync() } }
    let late = try DataMachine("late", joining: stores.laptop, in: stores.folder.path)
    _ = try late.container()
    try late.add()
    try stores.expectEqual()
    #expect(try late.canonicalGraph() == stores.laptop.canonicalGraph())
    for machine in [third, late] {
      let words = try (machine.events() + machine.conflicts()).joined(separator: "\n")
      for round in 0..<12 {
        #expect(words.contains("jazz\(round)"))
        let word = lost.contains { $0.contains("\"waltz\(round)\"") } ? "waltz" : "polka"
        #expect(words.contains("\"\(word)\(round)\""), "\(machine.label): \(word)\(round)")
      }
    }
  }

  /// A unique value that a subclass declares holds over its own objects alone.
  @Test func aUniqueValueOfASubclass() throws {
    let stores = try TwoGraphs { $0.insert(Patron("P")) }
    for (machine, name) in [(stores.laptop, "x"), (stores.desktop, "y")] {
      try machine.change { context in
        let board = BoardSession(name, "n\(name)", "m\(name)", "a\(name)")
        board.code = "k"
        context.insert(board)
      }
    }
    try stores.meet()
    try stores.expectEqual()
    #expect(try stores.laptop.events().count == 1)
    #expect(try stores.laptop.events() == stores.desktop.events())
  }

  // MARK: The first meeting

  @Test func rowsThatWereHereBefore() throws {
    let stores = try TwoGraphs(adds: false, fill)
    try stores.desktop.change(fill)
    try stores.laptop.add()
    let report = try stores.desktop.add().report
    #expect(report.joined > 5)
    try stores.meet()
    try stores.expectEqual()
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.events().count == 3)
      #expect(try machine.conflicts().isEmpty)
    }
  }

  /// What the others have counts, its class with the rest.
  @Test func aRowOfAnotherClassThatWasHereBefore() throws {
    let stores = try TwoGraphs(adds: false) { context in
      let party = Party("x", "n1", "waltz")
      party.guests = [Guest("g1")]
      context.insert(party)
    }
    try stores.desktop.change { context in
      let session = Session("x", "n2", "min")
      session.guests = [Guest("g2")]
      session.rooms = [Room("r")]
      session.tags = [Label("red")]
      context.insert(session)
    }
    try stores.laptop.add()
    try stores.desktop.add()
    try stores.meet()
    try stores.expectEqual()
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.events() == ["Party x n1/waltz - [\"g1\", \"g2\"] [\"red\"]"])
      #expect(try machine.names(Room.self) == ["r"])
    }
    let lost = try stores.desktop.conflicts().joined(separator: "\n")
    #expect(lost.contains("\"n2\"") && lost.contains("Session.minutes \"min\""))
  }

  /// What requires the class that it had waits, and nothing dangles.
  @Test func whatRequiresARowOfAnotherClassThatWasHereBefore() throws {
    let stores = try TwoGraphs(adds: false) { $0.insert(Session("x", "n1", "min")) }
    try stores.desktop.change { context in
      let party = Party("x", "n2", "waltz")
      context.insert(party)
      context.insert(Toast("t", party))
      let patron = Patron("P")
      patron.favorite = party
      context.insert(patron)
    }
    try stores.laptop.add()
    try stores.desktop.add()
    try stores.meet()
    try stores.expectEqual()
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.events() == ["Session x n1/min - [] []"])
      #expect(try machine.names(Toast.self) == [])
      #expect(try machine.read(Patron.self, "P") { $0.favorite } == nil)
    }
    let lost = try stores.desktop.conflicts().joined(separator: "\n")
    #expect(lost.contains("\"t\"") && lost.contains("Party.music \"waltz\""))
  }

  @Test func aMachineThatOnlyReadsShowsTheSame() throws {
    let stores = try TwoGraphs(role: .reader, fill)
    let third = try DataMachine("third", joining: stores.laptop, in: stores.folder.path)
    _ = try third.container()
    try third.add()
    try stores.laptop.change { $0.insert(Party("x", "n8", "waltz")) }
    try third.change { $0.insert(Session("x", "n9", "min")) }
    try stores.laptop.sync()
    try third.sync()
    try stores.desktop.sync()
    try stores.laptop.sync()
    try stores.desktop.sync()
    #expect(try stores.laptop.canonicalGraph() == stores.desktop.canonicalGraph())
    #expect(try stores.desktop.events().count == 4)
  }

  // MARK: Other programs

  @Test func sqlite3ChangesDeletesAndMakesRows() throws {
    let stores = try TwoGraphs(fill)
    try stores.laptop.sql(
      "UPDATE Party SET music='polka'; DELETE FROM Event WHERE name='board';"
        + "INSERT INTO Event(name, note, _class) VALUES ('new', 'n7', 'Session');"
        + "INSERT INTO Session(_id, minutes) SELECT _id, 'm7' FROM Event WHERE name='new'")
    try equal(
      stores,
      [
        "Event walk n0 P [] []", "Party ball n1/polka P [\"g1\", \"g2\"] [\"red\"]",
        "Session new n7/m7 - [] []",
      ])
    // A class that somebody gave it by hand: it is one of that class on all machines.
    try stores.laptop.sql(
      "UPDATE Event SET _class='BoardSession' WHERE name='new';"
        + "INSERT INTO BoardSession(_id, agenda) SELECT _id, 'a7' FROM Event WHERE name='new'")
    try equal(
      stores,
      [
        "BoardSession new n7/m7/a7 - [] []", "Event walk n0 P [] []",
        "Party ball n1/polka P [\"g1\", \"g2\"] [\"red\"]",
      ])
  }

  /// What nobody was told of, and of which only a part is left.
  @Test func whatIsLeftOfARowThatWasNeverTold() throws {
    let stores = try TwoGraphs(fill)
    try stores.laptop.change { $0.insert(BoardSession("x", "n7", "m7", "a7")) }
    try stores.laptop.sql("PRAGMA foreign_keys=OFF; DELETE FROM Event WHERE name='x'")
    try stores.meet()
    try stores.expectEqual()
    #expect(try stores.laptop.events().count == 3)
  }

  /// Part of a row is none: what made it, and what is left of it, does no harm.
  @Test func partsOfRows() throws {
    let stores = try TwoGraphs(fill)
    try stores.laptop.sql("INSERT INTO Event(name, note, _class) VALUES ('x', 'n7', 'Party')")
    try stores.meet()
    #expect(try stores.desktop.events().count == 3)
    // The other machine has that name, and its object comes.
    try stores.desktop.change { $0.insert(Session("x", "n8", "m8")) }
    try stores.laptop.sql("DELETE FROM BoardSession")
    try equal(
      stores,
      [
        "Event walk n0 P [] []", "Party ball n1/waltz P [\"g1\", \"g2\"] [\"red\"]",
        "Session x n8/m8 - [] []",
      ])
    try stores.laptop.sql("PRAGMA foreign_keys=OFF; DELETE FROM Party")
    try equal(stores, ["Event walk n0 P [] []", "Session x n8/m8 - [] []"])
  }

  @Test func aStoreThatWasPutBack() throws {
    let stores = try TwoGraphs(fill)
    let old = try StoredFiles(of: stores.laptop)
    try stores.laptop.edit(Party.self, "n1") { party, _ in party.music = "polka" }
    try stores.laptop.change { $0.insert(Session("late", "n6", "m6")) }
    try stores.laptop.delete(BoardSession.self, "n2")
    try stores.meet()
    try old.putBack()
    try stores.laptop.change { $0.insert(Party("typed", "n5", "jazz")) }
    try equal(
      stores,
      [
        "Event walk n0 P [] []", "Party ball n1/polka P [\"g1\", \"g2\"] [\"red\"]",
        "Party typed n5/jazz - [] []", "Session late n6/m6 - [] []",
      ])
  }

  /// Ended at every step, the next run goes on.
  @Test func aRunThatIsEndedWhileAnObjectGetsAnotherClass() throws {
    let stores = try TwoGraphs { $0.insert(Patron("P")) }
    var step = 1
    for round in 0..<14 {
      try stores.laptop.change { $0.insert(Party("x\(round)", "n\(round)", "waltz\(round)")) }
      try stores.desktop.change { context in
        let session = BoardSession("x\(round)", "o\(round)", "m\(round)", "a\(round)")
        session.guests = [Guest("g\(round)")]
        context.insert(session)
      }
      try stores.laptop.sync()
      for machine in [stores.desktop, stores.laptop] {
        try machine.space.synchronize()
        let data = machine.data
        _ = SQLiteFaults.withFaults(FaultPlan(.kill, at: step)) { try? data.run() }
        step += 7
      }
      try stores.meet()
      try stores.expectEqual()
      #expect(try stores.laptop.events().count == round + 1)
    }
  }
}
