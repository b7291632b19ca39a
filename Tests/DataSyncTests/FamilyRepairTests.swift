import Foundation
import TestSupport
import Testing
import VaultAppData
import VaultDataStore
import VaultDataSync
import VaultStorage
import VaultSync

@Model
final class Remark {
  var name: String

  init(_ name: String) { self.name = name }
}

/// What other programs and other versions of the application leave behind, where classes inherit.
struct FamilyRepairTests {
  private func open(_ machine: DataMachine, _ models: [any PersistentModel.Type]) throws {
    _ = try ModelContainer(
      for: Schema(models),
      configurations: [ModelConfiguration(url: URL(fileURLWithPath: machine.path))])
  }

  private func read(_ machine: DataMachine, _ query: String) throws -> [String] {
    let connection = try SQLiteConnection(path: machine.path, mode: .readOnly)
    defer { connection.close() }
    try connection.trustSchema()
    return try connection.strings(query)
  }

  private func tours(_ machine: DataMachine) throws -> [String] {
    try read(
      machine,
      "SELECT t._class||' '||t.name||' '||t.note||' '||ifnull(h.height, '-') FROM Tour t "
        + "LEFT JOIN Hike h ON h._id=t._id ORDER BY t.name")
  }

  private func remarks(_ machine: DataMachine) throws -> [String] {
    try read(machine, "SELECT name FROM Remark ORDER BY name")
  }

  /// Two machines whose stores have models.
  private struct Two {
    let folder: TemporaryHome
    let laptop: DataMachine
    let desktop: DataMachine

    init(_ models: [any PersistentModel.Type], adds: Bool = true) throws {
      folder = try TemporaryHome(inMemory: true)
      laptop = try DataMachine("laptop", in: folder.path, models: models)
      desktop = try DataMachine("desktop", joining: laptop, in: folder.path)
      for machine in [laptop, desktop] {
        _ = try machine.container()
        if adds { try machine.add() }
      }
    }

    func meet() throws {
      for machine in [laptop, desktop, laptop, desktop] { try machine.sync() }
    }

    func expectEqual(_ place: SourceLocation = #_sourceLocation) throws {
      #expect(try laptop.canonicalGraph() == desktop.canonicalGraph(), sourceLocation: place)
      for machine in [laptop, desktop] {
        try machine.check()
        #expect(try machine.sync().channel.sent == 0, sourceLocation: place)
      }
    }
  }

  // MARK: Classes that are not known here

  /// What was read from the records is not applied once more, after what came later.
  @Test func whatWaitedIsNotAppliedAgain() throws {
    let folder = try TemporaryHome(inMemory: true)
    let laptop = try DataMachine("laptop", in: folder.path, models: Special.models)
    let desktop = try DataMachine("desktop", joining: laptop, in: folder.path)
    // Its clock is behind.
    let third = try DataMachine(
      "third", joining: laptop, in: folder.path, time: DataMachine.Time())
    laptop.time.advance(3_000_000)
    try open(laptop, Special.models)
    try open(third, Special.models)
    try open(desktop, Plain.models)
    for machine in [laptop, third, desktop] { try machine.add() }
    func meet() throws { for machine in [laptop, third, desktop] { try machine.sync() } }
    try laptop.sql("INSERT INTO Tour(name, note, _class) VALUES ('x', 'n0', 'Tour')")
    try meet()
    try laptop.sql(
      "UPDATE Tour SET _class='Hike', note='n1'; INSERT INTO Hike(_id, height) VALUES (1, 5)")
    try meet()
    #expect(try read(desktop, "SELECT note FROM Tour") == [])
    try laptop.sql("DELETE FROM Hike; UPDATE Tour SET _class='Tour', note='n3'")
    try meet()
    #expect(try read(desktop, "SELECT note FROM Tour") == ["n3"])
    #expect(try read(desktop, "SELECT property FROM appdata_sync_parked") == [])
    try third.sql("UPDATE Tour SET note='n4'")
    for _ in 0..<2 {
      for machine in [third, laptop, desktop] { try machine.sync() }
      for machine in [laptop, third, desktop] {
        #expect(try read(machine, "SELECT note FROM Tour") == ["n4"], "\(machine.label)")
        for conflict in try machine.conflicts() {
          #expect(
            !conflict.hasPrefix("Tour.note \"n3\"") && !conflict.hasPrefix("Tour.note \"n4\""))
        }
      }
    }
  }

  /// A version without a class and one with it were opened, and nothing met in between.
  @Test(arguments: [false, true]) func aClassIsGoneAndBackBetweenTwoRuns(typed: Bool) throws {
    let stores = try Two(Special.models)
    try stores.laptop.change { context in
      context.insert(Special.Hike("h", "n1", 900))
      context.insert(Special.Tour("t", "n0"))
    }
    try stores.meet()
    try open(stores.desktop, Plain.models)
    try open(stores.desktop, Special.models)
    #expect(try tours(stores.desktop) == ["Tour t n0 -"])
    var all = ["Hike h n1 900", "Tour t n0 -"]
    if typed {
      try stores.desktop.change { $0.insert(Special.Hike("k", "n2", 7)) }
      all.insert("Hike k n2 7", at: 1)
    }
    for machine in [stores.desktop, stores.laptop, stores.desktop] { try machine.sync() }
    for machine in [stores.laptop, stores.desktop] {
      #expect(try tours(machine) == all)
      #expect(try machine.conflicts() == [])
    }
    try stores.expectEqual()
    // Who deletes them all means it.
    try stores.desktop.sql("DELETE FROM Tour WHERE _class='Hike'")
    try stores.meet()
    #expect(try tours(stores.laptop) == ["Tour t n0 -"])
    try stores.expectEqual()
  }

  /// Somebody made the table of a class anew, and what its rows have elsewhere lies there still.
  @Test func aTableThatWasMadeAnewAlone() throws {
    let stores = try Two(Special.models)
    try stores.laptop.change { context in
      let hike = Special.Hike("h", "n1", 900)
      hike.visitors = [Special.Visitor("v")]
      context.insert(hike)
    }
    try stores.meet()
    let table = try #require(
      try read(stores.desktop, "SELECT sql FROM sqlite_schema WHERE name='Hike'").first)
    try stores.desktop.sql("PRAGMA foreign_keys=OFF; DROP TABLE Hike; \(table)")
    try stores.meet()
    for machine in [stores.laptop, stores.desktop] {
      #expect(try tours(machine) == ["Hike h n1 900"])
      #expect(try machine.read(Special.Visitor.self, "v") { $0.tour?.name } == "h")
    }
    try stores.expectEqual()
  }

  /// The same with a class that no other one inherits from.
  @Test(arguments: [false, true]) func aPlainClassIsGoneAndBackBetweenTwoRuns(typed: Bool) throws {
    let stores = try Two([Trip.self, Remark.self])
    try stores.laptop.change { context in
      for name in ["a", "b"] { context.insert(Remark(name)) }
    }
    try stores.meet()
    try open(stores.desktop, [Trip.self])
    try open(stores.desktop, [Trip.self, Remark.self])
    #expect(try remarks(stores.desktop) == [])
    if typed { try stores.desktop.sql("INSERT INTO Remark(name) VALUES ('c')") }
    for machine in [stores.desktop, stores.laptop, stores.desktop] { try machine.sync() }
    for machine in [stores.laptop, stores.desktop] {
      #expect(try remarks(machine) == (typed ? ["a", "b", "c"] : ["a", "b"]))
    }
    try stores.expectEqual()
    try stores.desktop.sql("DELETE FROM Remark")
    try stores.meet()
    #expect(try remarks(stores.laptop) == [])
    try stores.expectEqual()
  }

  /// A table of which somebody removed the triggers and all rows was not made anew.
  @Test func rowsThatWereDeletedWithoutTriggers() throws {
    let stores = try Two([Trip.self, Remark.self])
    try stores.laptop.change { context in
      for name in ["a", "b"] { context.insert(Remark(name)) }
    }
    try stores.meet()
    try stores.desktop.sql(
      ["insert", "update", "delete"].map { "DROP TRIGGER appdata_sync_Remark_\($0);" }.joined()
        + "DELETE FROM Remark")
    try stores.meet()
    #expect(try remarks(stores.laptop) == [])
    try stores.expectEqual()
  }

  /// A vault that did not note the classes has noted their columns.
  @Test func aClassIsGoneWithTheFirstRunAfterAnUpgrade() throws {
    let stores = try Two([Trip.self, Remark.self])
    try stores.laptop.change { $0.insert(Remark("a")) }
    try stores.meet()
    try open(stores.laptop, [Trip.self])
    try stores.laptop.sql("DELETE FROM appdata_sync WHERE key='classes'")
    try stores.laptop.sync()
    try stores.desktop.sync()
    #expect(try remarks(stores.desktop) == ["a"])
    try open(stores.laptop, [Trip.self, Remark.self])
    try stores.meet()
    for machine in [stores.laptop, stores.desktop] { #expect(try remarks(machine) == ["a"]) }
    try stores.expectEqual()
  }

  // MARK: What lost

  /// A value of another class has no place, whether its object has a row or none.
  @Test func whatLostOfAnotherClassIsNotLostOnceMore() throws {
    let stores = try TwoGraphs { $0.insert(Patron("P")) }
    try stores.laptop.change { $0.insert(Party("x", "n1", "waltz")) }
    try stores.desktop.change { $0.insert(Session("x", "n2", "min")) }
    try stores.meet()
    func foreign() throws -> Int64? {
      try stores.desktop.data.conflicts(stores.desktop.application).first {
        ["minutes", "music"].contains($0.property)
      }?.number
    }
    let number = try #require(try foreign())
    try stores.desktop.event("x") { event, context in context.delete(event) }
    try stores.meet()
    #expect(throws: SyncError.self) {
      try stores.desktop.data.restore(number, of: stores.desktop.application)
    }
    #expect(try foreign() == number)
    #expect(try stores.desktop.events() == [])
  }

  /// An object waits, and a value of it lost before: it comes back with that one.
  @Test func whatLostOfAnObjectThatWaits() throws {
    let stores = try TwoGraphs { context in
      let party = Party("x", "n1", "waltz")
      context.insert(party)
      context.insert(Toast("t", party))
    }
    try stores.meet()
    try stores.laptop.edit(Toast.self, "t") { toast, _ in toast.name = "t1" }
    stores.desktop.time.advance(1_000)
    try stores.desktop.edit(Toast.self, "t") { toast, _ in toast.name = "t2" }
    try stores.meet()
    #expect(try stores.laptop.names(Toast.self) == ["t2"])
    let lost = try #require(
      try stores.laptop.data.conflicts(stores.laptop.application).first {
        $0.lost.text(isPretty: false) == "\"t1\""
      })
    // Its party alone is deleted.
    try stores.desktop.sql("PRAGMA foreign_keys=OFF; DELETE FROM Party; DELETE FROM Event")
    try stores.meet()
    #expect(try stores.laptop.names(Toast.self) == [])
    _ = try stores.laptop.data.restore(lost.number, of: stores.laptop.application)
    try stores.meet()
    try stores.expectEqual()
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.names(Toast.self) == ["t1"])
      #expect(try machine.events() == ["Party x n1/waltz - [] []"])
    }
  }

  // MARK: Other programs

  /// What leads to a row may not lead to the class that a program has given it.
  @Test(arguments: [false, true]) func aClassIsChangedInPlace(isWhole: Bool) throws {
    let stores = try TwoGraphs { context in
      let party = Party("x", "n1", "waltz")
      party.guests = [Guest("g")]
      party.tags = [Label("red")]
      context.insert(party)
      context.insert(Toast("t", party))
      let patron = Patron("P")
      context.insert(patron)
      patron.favorite = party
      let session = Session("s", "n2", "min")
      context.insert(session)
      session.rooms = [Room("r")]
    }
    try stores.meet()
    try stores.laptop.sql(
      "PRAGMA foreign_keys=OFF; UPDATE Event SET _class='Session' WHERE name='x';"
        + "INSERT INTO Session(_id, minutes) SELECT _id, 'm' FROM Event WHERE name='x';"
        + "UPDATE Event SET _class='Event' WHERE name='s';"
        // Who does not, leaves parts behind.
        + (isWhole ? "DELETE FROM Party; DELETE FROM Session WHERE minutes='min'" : ""))
    try stores.meet()
    try stores.expectEqual()
    for machine in [stores.laptop, stores.desktop] {
      #expect(
        try machine.events() == ["Event s n2 - [] []", "Session x n1/m - [\"g\"] [\"red\"]"])
      #expect(try machine.names(Toast.self) == [])
      #expect(try machine.read(Patron.self, "P") { $0.favorite } == nil)
      #expect(try machine.read(Room.self, "r") { $0.sessions.count } == 0)
    }
    // It is what it was: what led to it does so again.
    try stores.laptop.sql(
      "PRAGMA foreign_keys=OFF; UPDATE Event SET _class='Party' WHERE name='x';"
        + (isWhole ? "DELETE FROM Session;" : "")
        + "INSERT INTO Party(_id, music) SELECT _id, 'polka' FROM Event WHERE name='x'")
    try stores.meet()
    try stores.expectEqual()
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.names(Toast.self) == ["t"])
      #expect(try machine.read(Patron.self, "P") { $0.favorite?.music } == "polka")
    }
  }

  /// A part without a root that lay there before the store was added is in nobody's way.
  @Test func aPartWithoutARoot() throws {
    let stores = try Two(Special.models, adds: false)
    try stores.desktop.sql("PRAGMA foreign_keys=OFF; INSERT INTO Hike(_id, height) VALUES (2, 99)")
    for machine in [stores.laptop, stores.desktop] { try machine.add() }
    #expect(try read(stores.desktop, "SELECT height FROM Hike") == [])
    // One that comes later, while nothing is compared.
    try stores.desktop.sql(
      "PRAGMA foreign_keys=OFF; INSERT INTO Hike(_id, height) VALUES (2, 98);"
        + "DELETE FROM appdata_sync_log")
    for (name, height) in [("x", 512), ("y", 513)] {
      try stores.laptop.change { $0.insert(Special.Hike(name, "n", height)) }
      try stores.meet()
    }
    #expect(try tours(stores.desktop) == ["Hike x n 512", "Hike y n 513"])
    try stores.expectEqual()
  }

  /// What leads to a part without a root stays where it is.
  @Test func aPartWithoutARootToWhichSomethingLeads() throws {
    let stores = try TwoGraphs(adds: false) { $0.insert(Patron("P")) }
    try stores.desktop.change { context in
      let party = Party("x", "n1", "waltz")
      context.insert(party)
      context.insert(Toast("t", party))
    }
    try stores.desktop.sql("PRAGMA foreign_keys=OFF; DELETE FROM Event")
    try stores.laptop.add()
    try stores.desktop.add()
    try stores.laptop.change { $0.insert(Party("y", "n2", "polka")) }
    try stores.meet()
    #expect(try stores.desktop.events() == ["Party y n2/polka - [] []"])
  }

  /// A part that another program left behind has a unique value, and lets go of it.
  @Test func aPartOfAnotherClassHasAUniqueValue() throws {
    let stores = try TwoGraphs { $0.insert(Patron("P")) }
    try stores.desktop.change { context in
      let board = BoardSession("x", "n1", "m1", "a1")
      board.code = "k"
      context.insert(board)
    }
    try stores.meet()
    try stores.desktop.sql("UPDATE Event SET _class='Event'")
    try stores.meet()
    #expect(try stores.laptop.events() == ["Event x n1 - [] []"])
    // One that lies there without a run that saw it.
    let row = try #require(try read(stores.desktop, "SELECT _id FROM Event").first)
    try stores.desktop.sql(
      "INSERT OR IGNORE INTO Session(_id, minutes) VALUES (\(row), 'm');"
        + "INSERT INTO BoardSession(_id, agenda, code) VALUES (\(row), 'a', 'k')")
    try stores.laptop.change { context in
      let board = BoardSession("y", "n2", "m2", "a2")
      board.code = "k"
      context.insert(board)
    }
    try stores.meet()
    for machine in [stores.laptop, stores.desktop] {
      #expect(
        try machine.events() == ["BoardSession y n2/m2/a2 - [] []", "Event x n1 - [] []"])
      #expect(try read(machine, "SELECT code FROM BoardSession") == ["k"])
    }
    try stores.expectEqual()
  }

  // MARK: Records

  /// A path has 32 names and a KiB in all.
  @Test func pathsAreLimited() throws {
    func rows(_ path: String) -> DataOperation {
      .rows(.init(className: path, columns: [], rows: []))
    }
    let deep = "A" + String(repeating: "\\B", count: 31)
    let long = "A\\" + String(repeating: "b", count: 1022)
    for path in [deep, long] {
      #expect(try DataOperation(rows(path).encoded()) == rows(path))
    }
    for path in [deep + "\\B", long + "b"] {
      #expect(throws: MalformedRecord.self) { try rows(path).encoded() }
    }
    // An application with such classes is refused.
    let classes = (0..<33).map { place -> StoredEntity in
      var entity = StoredEntity("C\(place)", attributes: [])
      if place > 0 { entity.superentity = "C\(place - 1)" }
      return entity
    }
    #expect(
      StoredSchema(entities: classes).tracked().obstacles.map(\.message)
        == ["C32 inherits from too many classes, or their names are too long"])
    // Somebody else writes them.
    let tail = [UInt8](repeating: 0, count: 6)
    let names = [[UInt8]](repeating: [1, 0, 0x42], count: 32).flatMap { $0 }
    let one = [UInt8(0xFF), 0x03] + [UInt8](repeating: 0x62, count: 1023)
    for named in [[32] + names, [1] + one] {
      let body = [1, 0, 0x41] + named + tail
      #expect(throws: MalformedRecord.self) {
        try DataOperation(ChannelOperation(kind: DataOperation.familyRowsKind, body: body))
      }
    }
  }
}
