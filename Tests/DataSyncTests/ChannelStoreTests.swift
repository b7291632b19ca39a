import Foundation
import TestSupport
import Testing
import VaultAppData
import VaultDataSync
import VaultStorage
import VaultSync
import VaultSyncEngines

/// What a store of records does with those of a channel: it loses some, has others in their place, and
/// keeps years of them in few files.
struct ChannelStoreTests {
  private func stream(_ machine: DataMachine) throws -> String {
    try #require(try machine.space.devices().first { $0.isThisMachine }?.id)
  }

  private func folder(_ kind: String, of machine: DataMachine, in stores: TwoStores) throws
    -> String
  {
    let channel = try SpaceChannels(machine.space).channel(
      application: machine.application, store: "default"
    ).text
    return try "\(stores.folder.path)/\(channel)/\(kind)/\(stream(machine))"
  }

  private func records(of machine: DataMachine, in stores: TwoStores) throws -> [String] {
    let folder = try folder("s", of: machine, in: stores)
    return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map {
      "\(folder)/\($0)"
    }
  }

  private func joined(_ stores: TwoStores) throws -> DataMachine {
    let third = try DataMachine("third", joining: stores.laptop, in: stores.folder.path)
    _ = try third.container()
    try third.add()
    return third
  }

  // MARK: Lost records

  /// A record in the middle is gone, half, another one or junk: its machine writes it again, and who
  /// comes then has everything.
  @Test(arguments: ["gone", "half", "other", "junk"])
  func aRecordThatIsLostIsWrittenAgainByItsMachine(_ loss: String) throws {
    let stores = try TwoStores()
    for days in 2..<6 {
      try stores.desktop.edit("Oslo") { $0.days = days }
      try stores.meet()
    }
    let files = try records(of: stores.desktop, in: stores)
    let file = files[files.count - 3]
    let bytes = try #require(FileManager.default.contents(atPath: file))
    let altered: Data? =
      switch loss {
      case "gone": nil
      case "half": bytes.prefix(bytes.count / 2)
      case "other": FileManager.default.contents(atPath: files[files.count - 2])
      default: Data(repeating: 7, count: 300)
      }
    try FileManager.default.removeItem(atPath: file)
    try altered?.write(to: URL(fileURLWithPath: file))
    #expect(try stores.desktop.sync().channel.mended == 0)
    stores.desktop.time.advance(2 * 86_400_000)
    let report = try stores.desktop.sync()
    #expect(report.channel.mended == 1 && report.channel.problems.isEmpty)
    #expect(FileManager.default.contents(atPath: file) == bytes)
    let third = try joined(stores)
    #expect(try third.trips() == stores.desktop.trips())
    #expect(try third.canonical() == stores.laptop.canonical())
    #expect(try stores.desktop.sync().channel.mended == 0)
  }

  /// The store has lost all of a machine that is gone for good: who has it brings it there again.
  @Test(arguments: [true, false]) func whatIsLostOfOthersIsWrittenAgain(_ isAll: Bool) throws {
    let stores = try TwoStores()
    try stores.desktop.edit("Oslo") { $0.note = "of the desktop" }
    try stores.desktop.sync()
    let before = try records(of: stores.desktop, in: stores)
    if isAll {
      try FileManager.default.removeItem(atPath: folder("h", of: stores.desktop, in: stores))
    }
    try stores.desktop.edit("Oslo") { $0.days = 9 }
    try stores.desktop.sync()
    try stores.laptop.sync()
    let head = try folder("h", of: stores.desktop, in: stores)
    let after = try records(of: stores.desktop, in: stores)
    for file in isAll ? after : after.filter({ !before.contains($0) }) {
      try FileManager.default.removeItem(atPath: file)
    }
    try FileManager.default.removeItem(atPath: head)
    let report = try stores.laptop.sync()
    #expect(report.channel.mended > 0 && report.channel.problems.isEmpty)
    #expect(try records(of: stores.desktop, in: stores) == after)
    let third = try joined(stores)
    #expect(try third.trips()[0].hasPrefix("Oslo 9 of the desktop"))
    #expect(try stores.laptop.sync().channel.mended == 0)
  }

  /// Anybody can put a file where the next record goes: that is no copy of this machine.
  @Test func whatLiesInThePlaceOfTheNextRecordIsReplaced() throws {
    let stores = try TwoStores()
    try stores.desktop.edit("Oslo") { $0.days = 2 }
    try stores.desktop.sync()
    for isJunk in [true, false] {
      let last = try #require(try records(of: stores.desktop, in: stores).last)
      let name = URL(fileURLWithPath: last).lastPathComponent
      let next = "\(try #require(Int(name)) + 1)"
      let zeros = String(repeating: "0", count: name.count - next.count)
      let path = try "\(folder("s", of: stores.desktop, in: stores))/\(zeros)\(next)"
      let other =
        isJunk ? Data(repeating: 7, count: 300) : try Data(contentsOf: URL(fileURLWithPath: last))
      try other.write(to: URL(fileURLWithPath: path))
      try stores.desktop.edit("Oslo") { $0.days += 1 }
      let report = try stores.desktop.sync()
      #expect(report.channel.problems.isEmpty && report.channel.sent == 1)
      try stores.meet()
      #expect(try stores.laptop.trips() == stores.desktop.trips())
    }
  }

  /// The file beside the store is gone while a record has not been sent: what was sent before comes
  /// from the channel, and that record goes on behind it.
  @Test func recordsThatWereNotSentGoOnBehindThoseThatComeAgain() throws {
    let stores = try TwoStores()
    try stores.desktop.edit("Oslo") { $0.days = 2 }
    try stores.desktop.sync()
    try stores.desktop.edit("Oslo") { $0.days = 3 }
    try stores.desktop.space.synchronize()
    // The store takes nothing: a file lies where the machine's folder was.
    let folder = try folder("s", of: stores.desktop, in: stores)
    try FileManager.default.moveItem(atPath: folder, toPath: folder + "x")
    #expect(FileManager.default.createFile(atPath: folder, contents: nil))
    let run = try #require(try stores.desktop.data.run().first)
    #expect(throws: (any Error).self) { try run.result.get() }
    try FileManager.default.removeItem(atPath: folder)
    try FileManager.default.moveItem(atPath: folder + "x", toPath: folder)
    try FileManager.default.removeItem(atPath: stores.desktop.path + ".sync")
    try stores.desktop.edit("Oslo") { $0.note = "on" }
    try stores.meet()
    try stores.meet()
    #expect(try stores.laptop.trips()[0].hasPrefix("Oslo 3 on"))
    #expect(try stores.laptop.canonical() == stores.desktop.canonical())
    #expect(try stores.desktop.sync().channel.sent == 0)
  }

  // MARK: Packs

  @Test func yearsOfChangesAreFewFiles() throws {
    let stores = try TwoStores()
    for days in 2..<212 {
      try stores.desktop.edit("Oslo") { $0.days = days }
      _ = try #require(try stores.desktop.data.run().first).result.get()
    }
    #expect(try records(of: stores.desktop, in: stores).count < 130)
    let packs = try FileManager.default.contentsOfDirectory(
      atPath: folder("p", of: stores.desktop, in: stores))
    #expect(packs.count == 2)
    try stores.laptop.sync()
    let third = try joined(stores)
    for machine in [stores.laptop, third] {
      #expect(try machine.trips()[0].hasPrefix("Oslo 211"))
      #expect(try machine.canonical() == stores.desktop.canonical())
    }
    // A pack that is lost is written again as any record.
    for pack in packs {
      try FileManager.default.removeItem(
        atPath: folder("p", of: stores.desktop, in: stores) + "/\(pack)")
    }
    stores.desktop.time.advance(2 * 86_400_000)
    #expect(try stores.desktop.sync().channel.mended == 128)
    let fourth = try DataMachine("fourth", joining: stores.laptop, in: stores.folder.path)
    _ = try fourth.container()
    try fourth.add()
    #expect(try fourth.canonical() == stores.desktop.canonical())
  }
}
