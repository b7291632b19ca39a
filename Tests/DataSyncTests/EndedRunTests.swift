import Foundation
import TestSupport
import Testing
import VaultAppData
import VaultDataSync
import VaultStorage
import VaultSync

/// Runs that were ended, stores that were put back, files that are gone.
struct EndedRunTests {
  /// Kills a run at its 1st, 3rd, 6th, … write, SQLite's among them, to the last, and goes on.
  @Test func aRunThatIsKilledAnywhereLosesNothingAndRepeatsNothing() throws {
    let stores = try TwoStores()
    var round = 0
    var fired = true
    while fired, round < 60 {
      round += 1
      try stores.laptop.edit("Oslo") { $0.days = 100 + round }
      try stores.laptop.change { $0.insert(Trip("l\(round)")) }
      try stores.laptop.sync()
      try stores.desktop.edit("Oslo") { $0.note = "d\(round)" }
      try stores.desktop.space.synchronize()
      let plan = FaultPlan(.kill, at: round * (round + 1) / 2)
      let data = stores.desktop.data
      // What SQLite has done up to then stands, as after a kill.
      let runs = SQLiteFaults.withFaults(plan) { try? data.run() }
      let isDone = (try? runs?.first?.result.get()) != nil
      if !plan.hasFired { #expect(isDone) }
      fired = plan.hasFired
      try stores.meet()
      #expect(try stores.laptop.canonical() == stores.desktop.canonical(), "round \(round)")
      #expect(try stores.desktop.trips().contains { $0.hasPrefix("Oslo \(100 + round) d\(round)") })
    }
    #expect(round > 3)
    #expect(!fired)
    #expect(try stores.desktop.trips().count == round + 1)
    #expect(try stores.laptop.conflicts().isEmpty)
    #expect(try stores.laptop.sync().channel.sent == 0)
    #expect(try stores.desktop.sync().channel.sent == 0)
    for machine in [stores.laptop, stores.desktop] { try machine.check() }
  }

  /// What it lacks was not changed by anybody; what was typed since is told.
  @Test func aStoreThatWasPutBackTakesBackNothing() throws {
    let stores = try TwoStores(trips: ["Oslo", "Rome"])
    let old = try Self.files(of: stores.desktop)
    try stores.desktop.edit("Oslo") { $0.days = 5 }
    try stores.desktop.change { $0.insert(Trip("Lima")) }
    try stores.desktop.sync()
    try stores.laptop.edit("Rome") { $0.days = 6 }
    try stores.laptop.sync()
    try Self.put(old, back: stores.desktop)
    try stores.desktop.edit("Rome") { $0.note = "again" }
    try stores.meet()
    #expect(try stores.laptop.canonical() == stores.desktop.canonical())
    #expect(
      try stores.desktop.trips().map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
        == ["Lima 1 -", "Oslo 5 -", "Rome 6 again"])
    #expect(try stores.laptop.conflicts().isEmpty)
  }

  @Test func whatWasTypedIntoAStoreThatWasPutBackIsNotLost() throws {
    let stores = try TwoStores()
    let old = try Self.files(of: stores.desktop)
    try stores.desktop.edit("Oslo") { $0.days = 5 }
    try stores.desktop.sync()
    try Self.put(old, back: stores.desktop)
    try stores.desktop.edit("Oslo") { $0.days = 8 }
    try stores.meet()
    #expect(try stores.laptop.canonical() == stores.desktop.canonical())
    #expect(try stores.desktop.trips()[0].hasPrefix("Oslo 8"))
    #expect(try stores.desktop.conflicts() == ["Trip.days 5 8 desktop"])
  }

  @Test func theRecordsBesideTheStoreCanBeFetchedAgain() throws {
    let stores = try TwoStores()
    try stores.desktop.edit("Oslo") { $0.days = 5 }
    try stores.meet()
    try FileManager.default.removeItem(atPath: stores.desktop.path + ".sync")
    try stores.desktop.edit("Oslo") { $0.note = "new" }
    try stores.meet()
    #expect(try stores.laptop.canonical() == stores.desktop.canonical())
    #expect(try stores.laptop.trips()[0].hasPrefix("Oslo 5 new"))
    let report = try stores.desktop.sync()
    #expect(report.arrived + report.changed + report.told == 0)
    #expect(try stores.laptop.conflicts().isEmpty)
  }

  /// The whole home, with the application used since: it goes on in a stream of its own.
  @Test func aHomeThatWasPutBackGoesOn() throws {
    let stores = try TwoStores()
    let machine = stores.desktop
    let old = machine.home.path + ".old"
    try FileManager.default.copyItem(atPath: machine.home.path, toPath: old)
    defer { try? FileManager.default.removeItem(atPath: old) }
    try machine.edit("Oslo") { $0.days = 5 }
    try machine.sync()
    try stores.laptop.sync()
    for name in try FileManager.default.contentsOfDirectory(atPath: machine.home.path) {
      try FileManager.default.removeItem(atPath: "\(machine.home.path)/\(name)")
      try FileManager.default.copyItem(
        atPath: "\(old)/\(name)", toPath: "\(machine.home.path)/\(name)")
    }
    try machine.edit("Oslo") { $0.note = "since" }
    try stores.meet()
    try stores.meet()
    #expect(try stores.laptop.canonical() == machine.canonical())
    #expect(try machine.trips()[0].hasPrefix("Oslo 5 since"))
  }

  @Test func whatWasDroppedIsAsBefore() throws {
    let stores = try TwoStores()
    let application = try stores.desktop.application
    #expect(try stores.desktop.data.drop(application) == [application])
    try stores.desktop.edit("Oslo") { $0.days = 5 }
    try stores.desktop.space.synchronize()
    #expect(try stores.desktop.data.run().isEmpty)
    let connection = try SQLiteConnection(path: stores.desktop.path, mode: .readOnly)
    #expect(
      try connection.int64("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'appdata_sync%'")
        == 0)
    connection.close()
    #expect(!FileManager.default.fileExists(atPath: stores.desktop.path + ".sync"))
    try stores.desktop.add()
    try stores.meet()
    #expect(try stores.laptop.trips().count == 2)
    #expect(try stores.laptop.canonical() == stores.desktop.canonical())
  }

  private static func files(of machine: DataMachine) throws -> [String: Data] {
    // What is in the log comes into the file first.
    let connection = try SQLiteConnection(path: machine.path, mode: .readWrite)
    _ = try connection.checkpoint(.truncate)
    connection.close()
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: machine.home.path)
    where name.hasPrefix("default.store") && !name.hasSuffix(".sync") {
      files[name] = FileManager.default.contents(atPath: "\(machine.home.path)/\(name)")
    }
    return files
  }

  private static func put(_ files: [String: Data], back machine: DataMachine) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: machine.home.path)
    where name.hasPrefix("default.store") && !name.hasSuffix(".sync") {
      try FileManager.default.removeItem(atPath: "\(machine.home.path)/\(name)")
    }
    for (name, bytes) in files {
      let path = "\(machine.home.path)/\(name)"
      let isMade = FileManager.default.createFile(
        atPath: path, contents: bytes, attributes: [.posixPermissions: 0o600])
      try #require(isMade)
    }
  }
}
