import Foundation
import TestSupport
import Testing
import VaultAppData
import VaultDataSync
import VaultSealing
import VaultSync
import VaultSyncEngines

/// Members and stores that do what they must not: in channels as in the space.
struct HostileChannelTests {
  @Test func whatAReaderChangesStaysWithIt() throws {
    let stores = try TwoStores(role: .reader)
    try stores.desktop.edit("Oslo") { $0.note = "mine" }
    try stores.laptop.edit("Oslo") { $0.days = 5 }
    try stores.meet()
    #expect(try stores.laptop.trips()[0].hasPrefix("Oslo 5 -"))
    #expect(try stores.desktop.trips()[0].hasPrefix("Oslo 5 mine"))
    #expect(try stores.desktop.sync().kept > 0)
  }

  /// A reader who writes records all the same: nobody takes them.
  @Test func recordsOfAReaderNeverCount() throws {
    let stores = try TwoStores()
    let (laptop, desktop) = (stores.laptop, stores.desktop)
    try laptop.space.setRole(.reader, of: "desktop")
    // It does not synchronize the space, and goes on as it was.
    try desktop.edit("Oslo") { $0.days = 66 }
    let run = try #require(try desktop.data.run().first)
    #expect(try run.result.get().report.channel.sent == 1)
    try laptop.sync()
    #expect(try laptop.trips()[0].hasPrefix("Oslo 1"))
    #expect(try laptop.sync().arrived == 0)
  }

  @Test func aRemovedMachineCountsUpToItsLastRecordThatSomebodyHad() throws {
    let stores = try TwoStores()
    let (laptop, desktop) = (stores.laptop, stores.desktop)
    let third = try DataMachine("third", joining: laptop, in: stores.folder.path)
    _ = try third.container()
    try desktop.edit("Oslo") { $0.days = 5 }
    try desktop.sync()
    try laptop.sync()
    try laptop.space.remove("desktop")
    try desktop.edit("Oslo") { $0.note = "after" }
    let run = try #require(try desktop.data.run().first)
    #expect(try run.result.get().report.channel.sent == 1)
    try laptop.sync()
    // It comes later, and has what counted.
    try third.add()
    for machine in [laptop, third] {
      #expect(try machine.trips().map { String($0.prefix(8)) } == ["Oslo 5 -"])
    }
    #expect(try laptop.canonical() == third.canonical())
  }

  /// A machine takes other keys since a copy of its home was removed: what it told before stays, whether
  /// or not somebody has it.
  @Test(arguments: [true, false]) func whatAMachineToldBeforeItTookOtherKeysStays(_ isSent: Bool)
    throws
  {
    let stores = try TwoStores()
    let (laptop, desktop) = (stores.laptop, stores.desktop)
    let copy = try TemporaryHome(inMemory: true)
    let thief = try desktop.copied(to: copy, in: stores.folder.path)
    try thief.synchronize()
    try desktop.edit("Oslo") { $0.days = 5 }
    try desktop.sync()
    if !isSent {
      // As if the store had been away by then.
      let folder = URL(fileURLWithPath: try newest(of: desktop, in: stores))
        .deletingLastPathComponent()
      let head = folder.deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("h/\(folder.lastPathComponent)")
      try FileManager.default.removeItem(at: folder)
      try FileManager.default.removeItem(at: head)
    }
    try laptop.space.synchronize()
    #expect(try laptop.space.remove("desktop-2").sharesKeysWith == "desktop")
    try desktop.edit("Oslo") { $0.note = "other keys" }
    try desktop.sync()
    for machine in [laptop, desktop, laptop] { try machine.sync() }
    for machine in [laptop, desktop] {
      #expect(try machine.trips()[0].hasPrefix("Oslo 5 other keys"))
    }
    #expect(try laptop.canonical() == desktop.canonical())
    #expect(throws: SyncError.self) { try thief.synchronize() }
    // Nothing is left to do.
    for machine in [laptop, desktop] { #expect(try machine.sync().channel.sent == 0) }
  }

  /// What is wrong with one record stops its stream, and no other one.
  @Test(arguments: [0, 10, 40, 100, -1])
  func anAlteredRecordStopsItsStreamAlone(_ place: Int) throws {
    let stores = try TwoStores()
    let (laptop, desktop) = (stores.laptop, stores.desktop)
    let third = try DataMachine("third", joining: laptop, in: stores.folder.path)
    _ = try third.container()
    try third.add()
    try desktop.edit("Oslo") { $0.days = 5 }
    try desktop.sync()
    try third.edit("Oslo") { $0.note = "third" }
    try third.space.synchronize()
    let file = try newest(of: desktop, in: stores)
    var bytes = try #require(FileManager.default.contents(atPath: file))
    let offset = place < 0 ? bytes.count + place : place
    bytes[offset] ^= 1
    try bytes.write(to: URL(fileURLWithPath: file))
    _ = try third.data.run()
    let report = try laptop.sync()
    #expect(report.channel.problems.count + report.channel.waiting.count > 0)
    #expect(try laptop.trips()[0].hasPrefix("Oslo 1 third"))
  }

  /// A member signs another machine's name, or an operation that cannot be.
  @Test func recordsThatAreNoneStopTheirStream() throws {
    let stores = try TwoStores()
    let (laptop, desktop) = (stores.laptop, stores.desktop)
    try desktop.edit("Oslo") { $0.days = 5 }
    try desktop.sync()
    // The record of one stream in the place of another one's.
    let file = try newest(of: desktop, in: stores)
    let own = try newest(of: laptop, in: stores)
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.copyItem(atPath: own, toPath: file)
    let report = try laptop.sync()
    #expect(report.channel.problems.map(\.code) == [.tampered])
    #expect(try laptop.trips()[0].hasPrefix("Oslo 1"))
    try laptop.edit("Oslo") { $0.note = "on" }
    #expect(try laptop.sync().channel.sent == 1)
  }

  /// A member writes more than anybody holds, all of one transaction that he does not end: nobody has
  /// anything of it, and everything else goes on.
  ///
  /// When he ends it, it is there as a whole.
  @Test func aTransactionThatDoesNotEndKeepsNothingBack() throws {
    let stores = try TwoStores()
    let third = try DataMachine("third", joining: stores.laptop, in: stores.folder.path)
    _ = try third.container()
    try third.add()
    let member = try HostileMember(third)
    let trip = try #require(member.identities(of: "Trip").first)
    func photo(_ byte: UInt8) -> DataOperation {
      .rows(
        .init(
          className: "Trip", columns: [DataOperation.Column(name: "photo", mark: 12)],
          rows: [
            .init(
              identity: trip, isMade: false, isDerived: false,
              values: [.blob([UInt8](repeating: byte, count: 12 << 20))])
          ]))
    }
    func photos() throws -> [UInt8?] {
      try [stores.laptop, stores.desktop].map { machine in
        try machine.change { try $0.fetch(FetchDescriptor<Trip>()).first?.photo?.first }
      }
    }
    member.goesOn = true
    for byte in UInt8(1)...7 { try member.say([photo(byte)]) }
    for days in 2..<4 {
      try stores.laptop.edit("Oslo") { $0.days = days }
      try stores.meet()
      #expect(try stores.desktop.trips()[0].hasPrefix("Oslo \(days)"))
    }
    #expect(try photos() == [nil, nil])
    member.goesOn = false
    try member.say([photo(8)])
    try stores.meet()
    #expect(try photos() == [8, 8])
    #expect(try stores.laptop.canonical() == stores.desktop.canonical())
  }

  @Test func theStoreLearnsNoNameAndNoValue() throws {
    let stores = try TwoStores(trips: ["c4n4ry"])
    try stores.meet()
    let application = try stores.laptop.application
    let files = try #require(FileManager.default.enumerator(atPath: stores.folder.path))
    for case let name as String in files {
      let bytes = FileManager.default.contents(atPath: "\(stores.folder.path)/\(name)") ?? Data()
      for word in ["c4n4ry", "Trip", application] {
        #expect(!name.contains(word) && bytes.range(of: Data(word.utf8)) == nil)
      }
    }
  }

  /// A machine that did not add the store fetches nothing of it.
  @Test func nobodyFetchesWhatHeDidNotAdd() throws {
    let stores = try TwoStores(adds: false)
    try stores.laptop.add()
    let before = try stores.desktop.space.status()
    try stores.desktop.space.synchronize()
    #expect(try stores.desktop.space.synchronize().received == 0)
    #expect(try stores.desktop.data.run().isEmpty)
    #expect(try stores.desktop.trips().isEmpty)
    #expect(before.devices == 2)
    // A channel is no space that somebody could join.
    let engine = FolderEngine(path: stores.folder.path)
    #expect(try SpaceChannels.spaces(in: engine).map(\.text) == [before.space])
    #expect(try engine.spaces().count == 2)
  }

  /// The newest record of a machine in the channel.
  private func newest(of machine: DataMachine, in stores: TwoStores) throws -> String {
    let stream = try #require(try machine.space.devices().first { $0.isThisMachine }?.id)
    let channel = try SpaceChannels(machine.space).channel(
      application: machine.application, store: "default"
    ).text
    let folder = "\(stores.folder.path)/\(channel)/s/\(stream)"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    return try "\(folder)/\(#require(names.last))"
  }
}
