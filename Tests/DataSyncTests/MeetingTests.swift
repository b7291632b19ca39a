import Foundation
import TestSupport
import Testing
import VaultAppData
import VaultDataStore
import VaultDataSync
import VaultStorage
import VaultSync

/// Two machines and the rows of one application: made, changed and deleted on both.
struct MeetingTests {
  @Test func rowsAreOnBothMachines() throws {
    let stores = try TwoStores(trips: ["Oslo", "Rome"])
    #expect(try stores.desktop.trips() == stores.laptop.trips())
    try stores.laptop.edit("Oslo") {
      $0.note = "snow"
      $0.photo = Data(repeating: 7, count: 200_000)
      $0.film = Data(repeating: 8, count: 300_000)
      $0.price = Decimal(string: "99.95") ?? 0
    }
    try stores.desktop.change { $0.insert(Trip("Lima", days: 9)) }
    try stores.desktop.change { context in
      for trip in try context.fetch(FetchDescriptor<Trip>()) where trip.name == "Rome" {
        context.delete(trip)
      }
    }
    try stores.meet()
    #expect(try stores.desktop.trips() == stores.laptop.trips())
    #expect(try stores.laptop.canonical() == stores.desktop.canonical())
    #expect(try stores.laptop.trips().count == 2)
    #expect(try stores.laptop.conflicts().isEmpty)
    for machine in [stores.laptop, stores.desktop] { try machine.check() }
    // Nothing is told twice.
    #expect(try stores.laptop.sync().channel.sent == 0)
    #expect(try stores.desktop.sync().channel.received == 0)
  }

  @Test func twoPropertiesOfOneObjectAreBothThere() throws {
    let stores = try TwoStores()
    try stores.laptop.edit("Oslo") { $0.days = 5 }
    try stores.desktop.edit("Oslo") { $0.note = "fjord" }
    try stores.meet()
    #expect(try stores.laptop.trips() == stores.desktop.trips())
    #expect(try stores.laptop.trips()[0].hasPrefix("Oslo 5 fjord"))
    #expect(try stores.laptop.conflicts().isEmpty)
  }

  @Test func ofOnePropertyTheLaterCountsAndTheOtherIsKept() throws {
    let stores = try TwoStores()
    try stores.laptop.edit("Oslo") { $0.days = 5 }
    try stores.laptop.sync()
    stores.laptop.time.advance(1000)
    try stores.desktop.edit("Oslo") { $0.days = 7 }
    try stores.meet()
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.trips()[0].hasPrefix("Oslo 7"))
      #expect(try machine.conflicts() == ["Trip.days 5 7 laptop"])
    }
    let number = try #require(try stores.desktop.data.conflicts(stores.desktop.application).first)
    #expect(
      try stores.desktop.data.restore(number.number, of: stores.desktop.application) != nil)
    try stores.meet()
    #expect(try stores.laptop.trips()[0].hasPrefix("Oslo 5"))
    #expect(try stores.desktop.conflicts().isEmpty)
  }

  /// A clock decides only between changes that did not know of each other.
  @Test func aClockAYearAheadTakesBackNothingThatKnewIt() throws {
    let folder = try TemporaryHome(inMemory: true)
    let laptop = try DataMachine("laptop", in: folder.path)
    let ahead = DataMachine.Time()
    let desktop = try DataMachine("desktop", joining: laptop, in: folder.path, time: ahead)
    ahead.advance(365 * 86_400_000)
    try laptop.change { $0.insert(Trip("Oslo")) }
    _ = try desktop.container()
    try laptop.add()
    try desktop.add()
    try desktop.edit("Oslo") { $0.days = 7 }
    try desktop.sync()
    try laptop.sync()
    try laptop.edit("Oslo") { $0.days = 8 }
    try laptop.sync()
    try desktop.sync()
    #expect(try desktop.trips()[0].hasPrefix("Oslo 8"))
    #expect(try laptop.trips() == desktop.trips())
  }

  @Test func aDeletedObjectTakesChangesWithItAndComesBack() throws {
    let stores = try TwoStores()
    try stores.laptop.edit("Oslo") { $0.days = 5 }
    try stores.desktop.change { try $0.delete(model: Trip.self) }
    try stores.meet()
    for machine in [stores.laptop, stores.desktop] {
      #expect(try machine.trips().isEmpty)
      #expect(try machine.conflicts() == ["Trip.days 5 deleted laptop"])
    }
    #expect(try stores.laptop.data.restore(1, of: stores.laptop.application) != nil)
    try stores.meet()
    #expect(try stores.laptop.trips() == stores.desktop.trips())
    #expect(try stores.desktop.trips()[0].hasPrefix("Oslo 5"))
    #expect(try stores.laptop.canonical() == stores.desktop.canonical())
    #expect(try stores.laptop.data.restore(1, of: stores.laptop.application) == nil)
  }

  /// Both made the same defaults before they knew of each other.
  @Test func equalRowsOfTheFirstMeetingAreOneObject() throws {
    let stores = try TwoStores(trips: ["Oslo", "Rome", "Rome"], adds: false)
    try stores.desktop.change { context in
      for name in ["Rome", "Oslo", "Lima"] { context.insert(Trip(name)) }
    }
    let keys = try stores.desktop.change { try $0.fetch(FetchDescriptor<Trip>()).count }
    #expect(keys == 3)
    try stores.laptop.add()
    let report = try stores.desktop.add().report
    #expect(report.joined == 2)
    #expect(report.arrived == 1)
    #expect(report.told == 1)
    try stores.meet()
    #expect(try stores.laptop.trips().count == 4)
    #expect(try stores.laptop.canonical() == stores.desktop.canonical())
  }

  @Test func whatAnotherProgramWritesIsSeen() throws {
    let stores = try TwoStores()
    try stores.laptop.sql(
      "UPDATE Trip SET days=40; INSERT INTO Trip(name, days, rating, start, price, price_order, tags) "
        + "VALUES ('Bonn', 2, 0.5, 0, '1', '\(DecimalOrder.key("1") ?? "")', '[]')")
    try stores.meet()
    #expect(try stores.desktop.trips().count == 2)
    #expect(try stores.desktop.canonical() == stores.laptop.canonical())
    try stores.laptop.sql("DELETE FROM Trip WHERE name='Bonn'")
    try stores.meet()
    #expect(try stores.desktop.trips().count == 1)
  }

  @Test func aStoreWithoutItsTriggersIsComparedWhole() throws {
    let stores = try TwoStores(trips: ["Oslo", "Rome"])
    try stores.laptop.sql(
      "DROP TRIGGER appdata_sync_Trip_update; DROP TRIGGER appdata_sync_Trip_delete")
    try stores.laptop.edit("Oslo") { $0.days = 5 }
    try stores.laptop.sql("DELETE FROM Trip WHERE name='Rome'")
    let report = try stores.laptop.sync()
    #expect(report.compared == ["Trip"])
    #expect(report.told == 2)
    try stores.desktop.sync()
    #expect(try stores.desktop.trips() == stores.laptop.trips())
    #expect(try stores.laptop.sync().compared.isEmpty)
  }

  @Test func aChangeOfOnePropertySendsThatProperty() throws {
    let stores = try TwoStores(trips: ["Oslo"])
    try stores.laptop.edit("Oslo") { $0.photo = Data(repeating: 7, count: 50_000) }
    try stores.meet()
    func size() throws -> Int {
      try FileManager.default.subpathsOfDirectory(atPath: stores.folder.path).reduce(0) {
        sum, name in
        guard name.contains("/s/") else { return sum }
        let file = "\(stores.folder.path)/\(name)"
        let values = try FileManager.default.attributesOfItem(atPath: file)
        return sum
          + (values[.type] as? FileAttributeType == .typeRegular ? values[.size] as? Int ?? 0 : 0)
      }
    }
    let before = try size()
    try stores.laptop.edit("Oslo") { $0.days = 6 }
    try stores.laptop.sync()
    #expect(try size() - before <= 600)
  }

  /// A program that has the store open sees what came as it sees another process's saves.
  @Test func aRunningProgramSeesWhatCame() throws {
    let stores = try TwoStores()
    let container = try stores.desktop.container(keepsHistory: true)
    let context = ModelContext(container)
    let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    #expect(trip.days == 1)
    try stores.laptop.edit("Oslo") { $0.days = 5 }
    try stores.laptop.sync()
    try stores.desktop.sync()
    #expect(try context.fetch(FetchDescriptor<Trip>()).first?.days == 5)
    let transactions = try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(transactions.last?.author == "vault.sync")
    #expect(transactions.last?.changes.count == 1)
    #expect(try container.check().isEmpty)
  }

  /// What a machine that only reads has typed has no record: what is deleted there twice is kept
  /// twice.
  @Test func whatIsTypedAndNotToldIsKeptEachTime() throws {
    let stores = try TwoStores(role: .reader)
    let third = try DataMachine("third", joining: stores.laptop, in: stores.folder.path)
    _ = try third.container()
    try third.add()
    for round in 0..<3 {
      try stores.desktop.edit("Oslo") { $0.note = "typed\(round)" }
      try third.edit("Oslo") { $0.days = 10 + round }
      try stores.laptop.change { context in
        for trip in try context.fetch(FetchDescriptor<Trip>()) { context.delete(trip) }
      }
      try stores.laptop.sync()
      try third.sync()
      try stores.desktop.sync()
      #expect(try stores.desktop.trips().isEmpty)
      let found = try third.data.conflicts(third.application).first {
        $0.lost.text(isPretty: false) == "\(10 + round)"
      }
      _ = try third.data.restore(try #require(found).number, of: third.application)
      for machine in [third, stores.laptop, stores.desktop] { try machine.sync() }
    }
    let lost = try stores.desktop.conflicts().filter { $0.contains("Trip.note") }
    for round in 0..<3 { #expect(lost.count { $0.contains("\"typed\(round)\"") } == 1, "\(lost)") }
  }
}
