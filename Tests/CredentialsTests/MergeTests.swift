import Foundation
import Synchronization
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultStorage

/// A vault file on two machines that each went their own way comes together again.
struct MergeTests {
  /// The vault of one machine: its own home, its own state, the same key.
  struct Machine {
    let home: TemporaryHome
    let locked: LockedVault
    let key: SecretBytes
    let open: UnlockedVault

    /// The first machine makes the vault.
    init(_ clock: TestClock = TestClock()) throws {
      home = try TemporaryHome()
      key = try SecretBytes.random(count: 32)
      locked = try Self.locked(home, clock)
      open = try locked.blocking.create(slots: [.keyFile(key)])
    }

    /// Another machine gets a copy of the first one's file, as a syncer makes it.
    init(like other: Machine, _ clock: TestClock = TestClock()) throws {
      home = try TemporaryHome()
      key = other.key
      locked = try Self.locked(home, clock)
      try FileManager.default.createDirectory(
        atPath: "\(home.path)/vault", withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      try other.copyFile(to: locked.path)
      let key = key
      open = try locked.blocking.unlock(with: [.key { key }])
    }

    private static func locked(_ home: TemporaryHome, _ clock: TestClock) throws -> LockedVault {
      var options = VaultOptions.alone
      options.historyLimit = 200
      options.now = { clock.next() }
      return try LockedVault(location: home.location, options: options)
    }

    var vault: UnlockedVault.Blocking { open.blocking }

    func copyFile(to path: String) throws {
      try? FileManager.default.removeItem(atPath: path)
      try FileManager.default.copyItem(atPath: locked.path, toPath: path)
    }

    /// Merges the other machine's file.
    @discardableResult
    func merge(_ other: Machine, base: String? = nil) throws -> MergeReport {
      try vault.merge(other.locked.path, base: base, with: [])
    }

    /// Merges a backup that the other machine made.
    @discardableResult
    func mergeBackup(of other: Machine) throws -> MergeReport {
      let path = "\(home.path)/other.backup"
      _ = try other.vault.backUp(to: path)
      return try vault.merge(path, with: [])
    }

    func text(_ item: String) throws -> String { try vault.get(name(item)).text ?? "" }

    func set(_ item: String, _ secret: String, _ change: (inout ItemChanges) -> Void = { _ in })
      throws
    {
      var changes = ItemChanges()
      change(&changes)
      try vault.set(name(item), to: Secret(secret), changes: changes)
    }

    func update(_ item: String, _ change: (inout ItemChanges) -> Void) throws {
      var changes = ItemChanges()
      change(&changes)
      try vault.update(name(item), changes)
    }

    var names: [String] { get throws { try vault.items().map(\.name.text) } }
  }

  private func pair() throws -> (Machine, Machine) {
    let clock = TestClock()
    let first = try Machine(clock)
    try first.set("x", "one") { $0.tags = ["t"] }
    return (first, try Machine(like: first, clock))
  }

  @Test func differentItemsAndPropertiesAreBothKept() throws {
    let (a, b) = try pair()
    try a.set("only-a", "1")
    try a.update("x") { $0.note = "from a" }
    try b.set("only-b", "2")
    try b.set("x", "two") { $0.tags = ["t", "u"] }
    let report = try a.merge(b)
    #expect(report.relation == .apart)
    #expect(report.conflicts == [])
    #expect(try a.names == ["only-a", "only-b", "x"])
    #expect(try a.text("x") == "two")
    #expect(try a.vault.item(name("x")).note == "from a")
    #expect(try a.vault.item(name("x")).tags == ["t", "u"])
    #expect(try a.vault.check().isDamaged == false)
    // The other machine takes it over, and neither file is a fork of the other one any more.
    #expect(try b.merge(a).relation == .newer)
    #expect(try b.names == a.names)
    #expect(try a.merge(b).conflicts == [])
  }

  @Test func ofTwoValuesTheLaterIsCurrentAndTheOtherIsKept() throws {
    let (a, b) = try pair()
    try a.set("x", "from a")
    try b.set("x", "from b")
    let report = try a.merge(b)
    #expect(report.conflicts.map(\.kind) == [.secret])
    #expect(try a.text("x") == "from b")
    let item = try a.vault.item(name("x"))
    let version = try #require(item.conflictingVersion)
    #expect(version == report.conflicts[0].version)
    #expect(try a.vault.get(name("x"), version: version).text == "from a")
    #expect(item.attributes.isEmpty)
    // The other way around, the own value wins and the other one is kept.
    try b.merge(a)
    #expect(try b.text("x") == "from b")
    _ = try a.vault.edit { try $0.settle(name("x"), takesOther: true) }
    #expect(try a.text("x") == "from a")
    #expect(try a.vault.item(name("x")).conflictingVersion == nil)
  }

  @Test func theOwnLaterValueStaysAndTheOtherOneIsAVersion() throws {
    let (a, b) = try pair()
    try b.set("x", "from b")
    try a.set("x", "from a")
    let report = try a.merge(b)
    #expect(try a.text("x") == "from a")
    let version = try #require(report.conflicts.first?.version)
    #expect(try a.vault.get(name("x"), version: version).text == "from b")
    try a.set("x", "settled")
    #expect(try a.vault.item(name("x")).conflictingVersion == nil)
  }

  @Test func ofTwoNotesAndAttributesTheOtherOneIsKept() throws {
    let (a, b) = try pair()
    try a.update("x") {
      $0.note = "codes 1111"
      $0.attributes = ["url": "https://a.example", "only": "a"]
    }
    try b.update("x") {
      $0.note = "from b"
      $0.attributes = ["url": "https://b.example"]
    }
    let report = try a.merge(b)
    #expect(report.conflicts.map(\.kind) == [.property, .property])
    let item = try a.vault.item(name("x"))
    #expect(item.note == "from b")
    #expect(item.attributes == ["url": "https://b.example", "only": "a"])
    #expect(item.lostValues.map(\.value) == ["https://a.example", "codes 1111"])
    #expect(item.lostValues.allSatisfy { $0.machine == nil })
    var query = ItemQuery()
    query.isConflicting = true
    #expect(try a.vault.items(matching: query).count == 1)
    _ = try a.vault.edit { try $0.settle(name("x"), takesOther: true) }
    let settled = try a.vault.item(name("x"))
    #expect(settled.note == "codes 1111" && settled.lostValues.isEmpty)
    #expect(settled.attributes == ["url": "https://a.example", "only": "a"])
    // What one side took away, or both made the same, is nothing that was lost.
    let (c, d) = try pair()
    for machine in [c, d] { try machine.update("x") { $0.note = "same" } }
    #expect(try c.merge(d).conflicts == [])
  }

  @Test func fieldsAreMergedOneByOne() throws {
    let (a, b) = try pair()
    try a.vault.set(name("x"), to: Secret("me"), field: "user")
    try b.vault.set(name("x"), to: Secret("https://x.org"), field: "url")
    let report = try a.merge(b)
    #expect(try a.vault.get(name("x"), field: "user").text == "me")
    #expect(try a.vault.get(name("x"), field: "url").text == "https://x.org")
    #expect(try a.text("x") == "one")
    #expect(report.conflicts == [])
  }

  @Test func whatWasRemovedThereIsRemovedHereButNotWhatWasChanged() throws {
    let (a, b) = try pair()
    for item in ["edited", "purged", "trashed", "kept"] { try a.set(item, item) }
    let c = try Machine(like: a)
    try c.vault.remove(name("trashed"))
    try c.vault.remove(name("purged"), purge: true)
    try c.vault.remove(name("edited"), purge: true)
    try a.set("edited", "again")
    let report = try a.merge(c)
    #expect(try a.names == ["kept", "x"])
    #expect(report.removed.map(\.text) == ["purged", "trashed"])
    #expect(report.conflicts.map(\.kind) == [.removal])
    try a.vault.restore(name("edited"))
    #expect(try a.text("edited") == "again")
    _ = b
  }

  @Test func aBaseTellsWhatOneSideTookAway() throws {
    let (a, b) = try pair()
    try a.update("x") { $0.tags = ["t", "keep", "drop"] }
    let c = try Machine(like: a)
    let base = "\(a.home.path)/base"
    try a.copyFile(to: base)
    try a.update("x") { $0.tags = ["t", "keep", "drop", "new"] }
    try a.set("other", "1")
    try c.update("x") { $0.tags = ["t", "keep"] }
    #expect(try a.merge(c, base: base).hasBase)
    #expect(try a.vault.item(name("x")).tags == ["keep", "new", "t"])
    _ = b
  }

  @Test func twoItemsOfOneName() throws {
    let (a, b) = try pair()
    try a.set("token", "from a")
    try a.set("same", "equal")
    try b.set("same", "equal")
    try b.set("token", "from b")
    let report = try a.merge(b)
    #expect(try a.names == ["same", "token", "token~other", "x"])
    #expect(try a.text("token") == "from a")
    #expect(try a.text("token~other") == "from b")
    #expect(report.conflicts.map(\.kind) == [.name])
    try b.merge(a)
    #expect(try b.names == a.names)
    #expect(try b.text("token") == "from a")
  }

  @Test func anItemOutOfTheTrashMeetsOneThatTookItsName() throws {
    let (a, b) = try pair()
    try a.vault.remove(name("x"))
    try a.set("x", "new in a")
    try b.set("x", "changed in b")
    let report = try a.merge(b)
    #expect(try a.names == ["x", "x~other"])
    #expect(try Set(a.names.map(a.text)) == ["new in a", "changed in b"])
    #expect(report.conflicts.map(\.kind) == [.name])
    #expect(try a.vault.check().isDamaged == false)
  }

  @Test func namesThatWereExchanged() throws {
    let (a, _) = try pair()
    try a.set("y", "why")
    let b = try Machine(like: a)
    try b.vault.rename(name("x"), to: name("z"))
    try b.vault.rename(name("y"), to: name("x"))
    try b.vault.rename(name("z"), to: name("y"))
    try a.set("q", "1")
    #expect(try a.merge(b).conflicts == [])
    #expect(try a.text("x") == "why")
    #expect(try a.text("y") == "one")
  }

  @Test func oneStepIsTakenBack() throws {
    let (a, b) = try pair()
    try a.set("x", "from a")
    try b.set("x", "from b")
    try b.set("new", "1")
    try a.merge(b)
    try a.vault.undo()
    #expect(try a.text("x") == "from a")
    #expect(try a.names == ["x"])
    #expect(try a.vault.item(name("x")).conflictingVersion == nil)
  }

  @Test func aTrialChangesNothing() throws {
    let (a, b) = try pair()
    try b.set("new", "1")
    try a.set("x", "2")
    let before = FileManager.default.contents(atPath: a.locked.path)
    let report = try a.vault.merge(b.locked.path, with: [], isTrial: true)
    #expect(report.added.map(\.text) == ["new"])
    #expect(FileManager.default.contents(atPath: a.locked.path) == before)
  }

  @Test func whatIsOlderOrTheSameIsNothing() throws {
    let (a, b) = try pair()
    #expect(try a.merge(b).relation == .same)
    try a.set("x", "2")
    #expect(try a.merge(b).relation == .older)
  }

  @Test func anotherVaultAndANewerKeyAreRefused() throws {
    let (a, b) = try pair()
    #expect(code { try a.merge(Machine()) } == .otherVault)
    let key = try SecretBytes.random(count: 32)
    _ = try b.vault.rotate(to: [.keyFile(key)])
    #expect(code { _ = try a.vault.merge(b.locked.path, with: [.key { key }]) } == .forked)
    #expect(code { try a.merge(b) } == .locked)
    // The other way around it goes: the newer key stays.
    try a.set("late", "1")
    let old = a.key
    let opened = try b.locked.blocking.unlock(with: [.key { key }])
    try opened.blocking.merge(a.locked.path, with: [.key { old }])
    #expect(try opened.blocking.get(name("late")).text == "1")
    #expect(code { _ = try a.vault.merge("\(a.home.path)/none", with: []) } == .fileNotFound)
  }

  @Test func aConflictCopyBringsBackTheFileThatWasSeen() throws {
    let (a, b) = try pair()
    try a.set("from-a", "1")
    try b.set("from-b", "2")
    // A syncer puts the other machine's file in place, and keeps ours beside it.
    let copy = "\(a.locked.path).sync-conflict"
    try a.copyFile(to: copy)
    try b.copyFile(to: a.locked.path)
    #expect(code { try a.set("x", "refused") } == .forked)
    try a.vault.merge(copy, with: [])
    #expect(try a.names == ["from-a", "from-b", "x"])
    try a.set("x", "accepted")
  }

  @Test func aBackupBringsEarlierVersionsAlong() throws {
    let (a, b) = try pair()
    for number in 2...5 { try b.set("x", "b\(number)") }
    try b.set("gone", "secret of gone")
    try b.vault.remove(name("gone"))
    try a.set("q", "1")
    let report = try a.mergeBackup(of: b)
    #expect(report.missingVersions == 0)
    #expect(try a.vault.history(of: name("x")).map(\.version) == [5, 4, 3, 2, 1])
    #expect(try a.vault.get(name("x"), version: 3).text == "b3")
    try a.vault.restore(name("gone"))
    #expect(try a.text("gone") == "secret of gone")
    #expect(try !a.vault.check().isDamaged)
  }

  /// Machines change a vault at random and merge each other's backups now and then: in the end all
  /// have the same, and every value that was typed can still be read.
  @Test(arguments: 0..<24)
  func machinesConverge(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed &+ 9000)
    let clock = TestClock()
    var machines = [try Machine(clock)]
    for item in ["a", "b", "c"] { try machines[0].set(item, "\(item)0") }
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      machines.append(try Machine(like: machines[0], clock))
    }
    var typed: Set<String> = ["a0", "b0", "c0"]
    var trace: [String] = []
    for step in 0..<24 {
      let number = Int.random(in: 0..<machines.count, using: &random)
      let machine = machines[number]
      let items = try machine.names
      let item = items.randomElement(using: &random) ?? "a"
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4:
        let value = "value \(step)"
        let target = Bool.random(using: &random) ? item : "n\(step % 5)"
        try machine.set(target, value)
        trace.append("\(number) sets \(target) to \(value)")
        typed.insert(value)
      case 4:
        try machine.update(item) { $0.note = "note \(step)" }
        trace.append("\(number) notes \(item)")
      case 5:
        try machine.update(item) { $0.tags = ["t\(step % 3)", "t\(step % 4)"] }
        trace.append("\(number) tags \(item)")
      case 6:
        if !items.contains("r\(step)") {
          try machine.vault.rename(name(item), to: name("r\(step)"))
          trace.append("\(number) renames \(item) to r\(step)")
        }
      case 7:
        if items.count > 1 {
          try machine.vault.remove(name(item))
          trace.append("\(number) removes \(item)")
        }
      default:
        let other = Int.random(in: 0..<machines.count, using: &random)
        guard other != number else { continue }
        try machine.mergeBackup(of: machines[other])
        trace.append("\(number) merges \(other)")
      }
    }
    // Twice around is enough for everybody to know of everybody.
    for _ in 0..<2 {
      for machine in machines {
        for other in machines where other.home.path != machine.home.path {
          try machine.mergeBackup(of: other)
        }
      }
    }
    let states = try machines.map { try Self.state(of: $0) }
    for state in states.dropFirst() { #expect(state == states[0], "seed \(seed)") }
    for (number, machine) in machines.enumerated() {
      let kept = try Self.values(in: machine)
      #expect(typed.subtracting(kept) == [], "seed \(seed), machine \(number): \(trace)")
      #expect(try !machine.vault.check().isDamaged, "seed \(seed)")
    }
  }

  private static func state(of machine: Machine) throws -> [String] {
    try machine.vault.items().map { item in
      "\(item.name.text): \(try machine.text(item.name.text)) \(item.tags) \(item.note)"
    }
  }

  /// Every value of every version, also in the trash.
  private static func values(in machine: Machine) throws -> Set<String> {
    let snapshot = try machine.vault.read()
    var trash = ItemQuery()
    trash.isInTrash = true
    var found: Set<String> = []
    for item in snapshot.items() + snapshot.items(matching: trash) {
      for version in try snapshot.history(of: item) {
        found.insert(try snapshot.secret(of: item, version: version.version).text ?? "")
      }
    }
    return found
  }
}

/// A clock that all machines of a test share: each look is a second later.
final class TestClock: Sendable {
  private let time = Atomic(1_800_000_000_000 as Int64)

  func next() -> Int64 { time.add(1000, ordering: .relaxed).newValue }
}
