import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultSync

/// What the first records come to is kept, and stands in for them.
struct SpaceBaseTests: SuiteOfTwoMachines {
  let machines: TwoMachines

  init() throws {
    machines = try TwoMachines(keepsBases: true)
    try second.synchronize()
  }

  private func files(_ machine: SyncMachine) -> SyncFiles {
    SyncFiles(vault: machine.vault.blocking.path)
  }

  private func base(_ machine: SyncMachine) throws -> SpaceBase {
    let seed = try #require(try machine.vault.blocking.key(for: "sync-device"))
    return try SpaceBase(
      sealed: #require(try files(machine).base()), key: KeyPairs(seed: seed).own)
  }

  /// Changes on both sides, so that both have something behind the base.
  private func change(_ round: Int) throws {
    try laptop.set("l\(round)", "1")
    try desktop.set("token", "d\(round)")
    try second.synchronize()
    try first.synchronize()
    try second.synchronize()
  }

  @Test func itHasWhatTheRecordsComeTo() throws {
    try desktop.vault.blocking.edit { edit in
      var changes = ItemChanges()
      changes.note = "n"
      changes.tags = ["t"]
      changes.attributes = ["service": "s"]
      try edit.set(ItemName("db"), to: Secret("me"), field: "user", changes: changes)
      try edit.set(ItemName("gone"), to: Secret("x"))
    }
    try second.synchronize()
    try desktop.vault.blocking.edit { try $0.purge(ItemName("gone")) }
    // Two values meet, so that a property has two changes.
    try desktop.set("token", "d")
    try laptop.set("token", "l")
    for one in [first, second, first, second] { try one.synchronize() }
    let (mine, theirs) = (try base(laptop), try base(desktop))
    #expect(mine.logLength == theirs.logLength)
    #expect(mine.records.map(\.hash) == theirs.records.map(\.hash))
    #expect(mine.records.map(\.past) == theirs.records.map(\.past))
    #expect(try mine.items.all().count == 3)
    // Records alone, opened anew.
    let seed = try #require(try desktop.vault.blocking.key(for: "sync-device"))
    let keys = try KeyPairs(seed: seed)
    let state = try SyncState(sealed: #require(try files(desktop).state()), key: keys.own)
    var history = Space(state.space, epochs: state.epochs, openers: [keys.sealing])
    for bytes in try files(desktop).records() {
      history.add([bytes], of: try #require(StreamID(Array(bytes[20..<36]))))
    }
    try history.open(areVerified: true)
    let roster = Roster(history.records, upTo: history.frontier)
    let all = try FoldedSpace(history, roster, upTo: history.frontier)
    for base in [mine, theirs] {
      for (id, item) in all.folded {
        let kept = try #require(try base.items.item(id))
        #expect(kept.removed == item.removed)
        #expect(kept.conflicts == item.conflicts)
        #expect(kept.item?.name == item.item?.name)
        #expect(kept.item?.tags == item.item?.tags)
        #expect(kept.item?.note == item.item?.note)
        #expect(kept.item?.attributes == item.item?.attributes)
        #expect(kept.item?.modified == item.item?.modified)
        #expect(kept.item?.head.mark == item.item?.head.mark)
        #expect(kept.item?.earlier.map(\.mark) == item.item?.earlier.map(\.mark))
        #expect(
          kept.item?.concurrent.map(\.version.mark) == item.item?.concurrent.map(\.version.mark))
      }
    }
  }

  @Test func theRecordsThatItCoversAreNotReadAgain() throws {
    try change(1)
    try laptop.set("more", "2")
    // Every covered record is spoilt: only the end of the log is looked at.
    let covered = try Int(base(laptop).logLength)
    let log = URL(fileURLWithPath: laptop.vault.blocking.path + ".sync.log")
    let whole = try Data(contentsOf: log)
    #expect(covered == whole.count)
    try (Data(repeating: 0, count: covered) + whole[covered...]).write(to: log)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: log.path)
    #expect(try first.synchronize().sent == 1)
    try second.synchronize()
    #expect(try desktop.get("more") == "2")
  }

  @Test func oneThatIsMissingOrDamagedIsPassedOver() throws {
    try change(1)
    let path = laptop.vault.blocking.path + ".sync.base"
    for round in 2...4 {
      var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      if round == 2 {
        try FileManager.default.removeItem(atPath: path)
      } else {
        if round == 3 { bytes[bytes.count / 2] ^= 1 } else { bytes.removeLast(20) }
        try bytes.write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      }
      try change(round)
      #expect(try laptop.contents() == desktop.contents())
      #expect(try laptop.get("token") == "d\(round)")
    }
  }

  @Test func everyAlteredByteIsNoticed() throws {
    let seed = try #require(try laptop.vault.blocking.key(for: "sync-device"))
    let key = try KeyPairs(seed: seed).own
    let bytes = try #require(try files(laptop).base())
    _ = try SpaceBase(sealed: bytes, key: key)
    for position in bytes.indices {
      var other = bytes
      other[position] ^= 1 << UInt8(position % 8)
      #expect(throws: (any Error).self, "byte \(position)") {
        try SpaceBase(sealed: other, key: key)
      }
    }
    for count in [0, 3, 8, bytes.count - 1] {
      #expect(throws: (any Error).self) {
        try SpaceBase(sealed: Array(bytes.prefix(count)), key: key)
      }
    }
  }

  @Test func aStateThatWasPutBackIsNotTakenForANewerOne() throws {
    let path = laptop.vault.blocking.path
    let old = try ["", ".sync"].map { try Data(contentsOf: URL(fileURLWithPath: path + $0)) }
    try change(1)
    for (suffix, bytes) in zip(["", ".sync"], old) {
      try bytes.write(to: URL(fileURLWithPath: path + suffix))
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o600], ofItemAtPath: path + suffix)
    }
    try change(2)
    #expect(try laptop.contents() == desktop.contents())
    #expect(try laptop.contents().keys.sorted() == ["l1", "l2", "token"])
  }

  @Test func whatARemovedMachineWroteIsTakenBackAllTheSame() throws {
    let server = try SyncMachine("server")
    var third = try server.joining(first, engine)
    third.exchange.tuning.baseStep = 0
    for one in [first, second, third] { try one.synchronize() }
    try engine.apart {
      try desktop.set("token", "late")
      try second.synchronize()
      try third.synchronize()
      #expect(try server.get("token") == "late")
    } and: {
      try first.remove("desktop")
    }
    try first.synchronize()
    try third.synchronize()
    #expect(try server.get("token") == "1")
    #expect(try server.values(of: "token") == ["1", "late"])
    try server.set("more", "2")
    try third.synchronize()
    try first.synchronize()
    #expect(try laptop.get("more") == "2")
  }

  @Test func whenNothingIsNewNothingIsOpened() throws {
    try change(1)
    // At rest, neither the log nor the base is looked at.
    for suffix in [".sync.log", ".sync.base"] {
      try FileManager.default.moveItem(
        atPath: laptop.vault.blocking.path + suffix, toPath: "\(laptop.home.path)/kept\(suffix)")
    }
    try first.synchronize()
    let calls = engine.calls
    #expect(try first.synchronize().sent == 0)
    #expect(engine.calls == calls + 1)
    for suffix in [".sync.log", ".sync.base"] {
      try FileManager.default.moveItem(
        atPath: "\(laptop.home.path)/kept\(suffix)", toPath: laptop.vault.blocking.path + suffix)
    }
    // A change on either side ends the rest.
    try laptop.set("here", "1")
    #expect(try first.synchronize().sent == 1)
    try second.synchronize()
    try desktop.set("there", "2")
    try second.synchronize()
    #expect(try first.synchronize().received == 1)
    #expect(try laptop.get("there") == "2")
  }

  /// A program that did not know all of a record's operations left a base without them: a newer one
  /// reads the log.
  @Test func whatAnEarlierProgramPassedOverIsReadFromTheLog() throws {
    let hostile = try HostileMember(desktop, engine)
    // An operation in another form than that of this version.
    try hostile.write { _ in [.lacks(epoch: [UInt8](repeating: 1, count: 17))] }
    try first.synchronize()
    try laptop.set("more", "2")
    try first.synchronize()
    let known = try KnownSpace(laptop)
    let log = laptop.vault.blocking.path + ".sync.log"
    let length = try UInt64(Data(contentsOf: URL(fileURLWithPath: log)).count)
    #expect(try base(laptop).logLength < length)
    let base = try SpaceBase(known.history, logLength: length)
    #expect(!base.isWhole)
    try files(laptop).replaceBase(base.sealed(known.keys.own))
    // Such a base is of no use: what it covers is missed.
    try Data(repeating: 0, count: Int(length)).write(to: URL(fileURLWithPath: log))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: log)
    try laptop.set("other", "3")
    let error = #expect(throws: SyncError.self) { try first.synchronize() }
    #expect(error?.code == .tampered)
  }
}
