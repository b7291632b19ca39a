import Foundation
import Glibc
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultStorage

/// What this machine saw last: after a power cut, beside a long fork, and where another vault has
/// come.
struct LastSeenTests {
  private func recordPath(_ vault: ThrowawayVault) throws -> String {
    "\(vault.state)/\(try vault.locked.blocking.summary().id).seen"
  }

  private func bytes(_ path: String) throws -> [UInt8] {
    try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// A home with a copy of the vault file, as another machine has it: its state is its own.
  private func elsewhere(_ vault: ThrowawayVault) throws -> (home: TemporaryHome, path: String) {
    let home = try TemporaryHome()
    let folder = "\(home.path)/vault"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    try rewrite(bytes(vault.path), at: "\(folder)/secrets.vault")
    return (home, "\(folder)/secrets.vault")
  }

  private static let lost: [[UInt8]] = [
    [], [UInt8](repeating: 0, count: 76), Array("VLTs".utf8), [UInt8](repeating: 1, count: 75),
    [UInt8](repeating: 1, count: 77), [UInt8](repeating: 1, count: 5_000),
  ]

  @Test(arguments: lost)
  func aRecordThatLostItsContentsLocksNobodyOut(contents: [UInt8]) throws {
    let vault = try ThrowawayVault()
    try vault.open.blocking.set(name("k"), to: Secret("one"))
    let path = try recordPath(vault)
    let whole = try bytes(path)
    // Reading, writing, checking, backing up: each goes on, says so, and makes the record anew.
    let calls: [(UnlockedVault.Blocking) throws -> Void] = [
      { _ = try $0.get(name("k")) },
      { try $0.set(name("k"), to: Secret("two")) },
      { _ = try $0.backUp(to: "\(vault.home.path)/backup") },
    ]
    for call in calls {
      try rewrite(contents, at: path)
      let open = try vault.reopened().blocking
      try call(open)
      #expect(open.takeNotices().map(\.code) == [.recordRenewed])
      #expect(try bytes(path).count == whole.count)
      try call(open)
      #expect(open.takeNotices().isEmpty)
    }
    try rewrite(contents, at: path)
    let report = try vault.reopened().blocking.check()
    #expect(!report.isDamaged)
    #expect(report.findings.first { $0.code == "record-renewed" }?.severity == .warning)
    // And a vault that is damaged meanwhile is mended.
    var file = try bytes(vault.path)
    file[70] ^= 1
    try rewrite(file, at: vault.path)
    try rewrite(contents, at: path)
    let key = vault.key
    #expect(
      try vault.locked.blocking.salvage { _ in [.key { key }] }.base == .previousGeneration)
    #expect(try vault.reopened().blocking.get(name("k")).text != nil)
  }

  @Test func aForkIsSeenHoweverLongTheOtherBranchIs() throws {
    let vault = try ThrowawayVault { $0.historyLimit = 0 }
    try vault.open.blocking.set(name("k"), to: Secret("common"))
    let (home, path) = try elsewhere(vault)
    let key = vault.key
    let other = try LockedVault(location: home.location, options: vault.options)
      .blocking.unlock(with: [.key { key }]).blocking
    let common = try vault.locked.blocking.summary().generation
    try vault.open.blocking.set(name("only-here"), to: Secret("mine"))
    let record = try bytes(recordPath(vault))
    var changes = ItemChanges()
    for number in 1...70 {
      changes.note = "\(number)"
      try other.update(name("k"), changes)
      guard [66, 70].contains(number) else { continue }
      try rewrite(bytes(path), at: vault.path)
      let open = try vault.reopened().blocking
      _ = try open.get(name("k"))
      #expect(open.takeNotices().map(\.code) == [.forked], "\(number) changes")
      #expect(code { try open.set(name("k"), to: Secret("x")) } == .forked)
      #expect(try bytes(recordPath(vault)) == record)
    }
    // Who has seen a true ancestor, as long ago, hears nothing.
    let (late, latePath) = try elsewhere(vault)
    try FileManager.default.createDirectory(
      atPath: "\(late.path)/vault/state", withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
    let seen = "\(home.path)/vault/state/\(try vault.locked.blocking.summary().id).seen"
    let old = try bytes(seen)
    for number in 1...130 {
      changes.note = "again \(number)"
      try other.update(name("k"), changes)
    }
    try rewrite(bytes(path), at: latePath)
    try rewrite(
      old, at: "\(late.path)/vault/state/\(try vault.locked.blocking.summary().id).seen")
    let open = try LockedVault(location: late.location, options: vault.options)
      .blocking.unlock(with: [.key { key }]).blocking
    _ = try open.get(name("k"))
    #expect(open.takeNotices().isEmpty)
    try open.set(name("k"), to: Secret("x"))
    #expect(try vault.locked.blocking.summary().generation > common + 64)
  }

  @Test func anotherVaultInTheSamePlaceIsTold() throws {
    let vault = try ThrowawayVault()
    try vault.open.blocking.set(name("k"), to: Secret("mine"))
    let other = try TemporaryHome()
    let key = vault.key
    let strange = try LockedVault(location: other.location, options: vault.options)
      .blocking.create(slots: [.keyFile(key)]).blocking
    try strange.set(name("k"), to: Secret("another"))
    let mine = try bytes(vault.path)
    let theirs = try bytes("\(other.path)/vault/secrets.vault")
    try rewrite(theirs, at: vault.path)
    let open = try vault.reopened().blocking
    #expect(try open.get(name("k")).text == "another")
    #expect(open.takeNotices().map(\.code) == [.otherVault])
    #expect(code { try open.set(name("k"), to: Secret("x")) } == .otherVault)
    #expect(try open.check().findings.first?.code == "other-vault")
    #expect(try bytes(vault.path) == theirs)
    // One's own comes back without a word.
    try rewrite(mine, at: vault.path)
    let again = try vault.reopened().blocking
    try again.set(name("k"), to: Secret("mine still"))
    #expect(again.takeNotices().isEmpty)
    // On purpose, the other one stays.
    try rewrite(theirs, at: vault.path)
    var knowing = vault
    knowing.options.acceptsRollback = true
    try knowing.reopened().blocking.set(name("k"), to: Secret("adopted"))
    let adopted = try vault.reopened().blocking
    #expect(try adopted.get(name("k")).text == "adopted")
    #expect(adopted.takeNotices().isEmpty)
  }

  /// A backup that becomes a vault beside the one that it is of: the two go on apart, and each is
  /// still told from an older file of its own.
  @Test func aVaultRestoredBesideItsOriginalGoesOnByItself() throws {
    let vault = try ThrowawayVault()
    try vault.open.blocking.set(name("k"), to: Secret("one"))
    let backup = "\(vault.home.path)/backup"
    _ = try vault.open.blocking.backUp(to: backup)
    var options = vault.options
    options.historyLimit = 3
    let beside = try LockedVault(location: vault.home.location, name: "before", options: options)
    try beside.blocking.restore(from: backup)
    let key = vault.key
    func opened() throws -> UnlockedVault.Blocking {
      try beside.blocking.unlock(with: [.key { key }]).blocking
    }
    for number in 0..<3 {
      try opened().set(name("k"), to: Secret("theirs \(number)"))
      try vault.reopened().blocking.set(name("own \(number)"), to: Secret("x"))
      let (mine, other) = (try vault.reopened().blocking, try opened())
      #expect(try mine.get(name("k")).text == "one")
      #expect(try other.get(name("k")).text == "theirs \(number)")
      #expect(mine.takeNotices().isEmpty && other.takeNotices().isEmpty)
    }
    for path in [vault.path, beside.path] {
      let before = try bytes(path)
      let locked = try path == vault.path ? vault.locked : beside
      let open = { try locked.blocking.unlock(with: [.key { key }]).blocking }
      try open().set(name("later"), to: Secret("x"))
      let after = try bytes(path)
      try rewrite(before, at: path)
      #expect(code { try open().set(name("k"), to: Secret("y")) } == .rolledBack)
      try rewrite(after, at: path)
      try open().set(name("k"), to: Secret("y"))
    }
  }

  @Test func aVaultThatIsMadeOrRestoredInAnotherOnesPlaceIsMeantToBeThere() throws {
    let vault = try ThrowawayVault()
    let other = try ThrowawayVault()
    try other.open.blocking.set(name("k"), to: Secret("theirs"))
    let backup = "\(other.home.path)/backup"
    _ = try other.open.blocking.backUp(to: backup)
    try FileManager.default.removeItem(atPath: vault.path)
    try vault.locked.blocking.restore(from: backup)
    let key = other.key
    let restored = try vault.locked.blocking.unlock(with: [.key { key }]).blocking
    #expect(try restored.get(name("k")).text == "theirs")
    #expect(restored.takeNotices().isEmpty)
    try FileManager.default.removeItem(atPath: vault.path)
    let made = try vault.locked.blocking.create(slots: [.keyFile(key)]).blocking
    try made.set(name("k"), to: Secret("new"))
    #expect(made.takeNotices().isEmpty)
  }

  @Test func whatWasRemovedLongAgoIsForgottenAndTheVaultShrinks() throws {
    let now = Date().timeIntervalSince1970 * 1_000
    var vault = try ThrowawayVault { options in
      options.now = { Int64(now) }
      options.historyLimit = 0
    }
    let names = try (1...250).map { try name("n\($0)") }
    let values = try names.map { ItemDraft($0, main: try SecretBytes(copying: [1])) }
    _ = try vault.open.blocking.store(values)
    try vault.open.blocking.remove(names, purge: true)
    // The record of the last change is no part of it.
    try vault.open.blocking.set(name("k"), to: Secret("one"))
    let size = try bytes(vault.path).count
    vault.options.now = { Int64(now) + 366 * 86_400_000 }
    try vault.reopened().blocking.set(name("k"), to: Secret("two"))
    #expect(try bytes(vault.path).count <= size - 8_192)
  }

  @Test func passphraseSlotsThatCostTooMuchTogetherAreNotTried() throws {
    let vault = try ThrowawayVault()
    let passphrase = try SecretBytes(copying: Array("right".utf8))
    for _ in 0..<2 { try vault.open.blocking.addSlot(.passphrase(passphrase)) }
    var file = try bytes(vault.path)
    // Documentation/design/file-format.md, section 2 and 3: each at the most that one may cost.
    let end = file[12..<16].reversed().reduce(0) { $0 << 8 | Int($1) } - 32
    var slot = 64
    while slot < end {
      if file[slot] == 1 {
        file.replaceSubrange(slot + 21..<slot + 29, with: [16, 0, 0, 0, 0, 0, 16, 0])
      }
      slot += Int(file[slot + 2]) | Int(file[slot + 3]) << 8
    }
    file.replaceSubrange(end..<(end + 32), with: try Hash.blake2b(Array(file[..<end])))
    try rewrite(file, at: vault.path)
    let locked = try vault.locked.blocking
    #expect(code { _ = try locked.unlock(with: [.passphrase { passphrase }]) } == .weakSlot)
  }
}

/// What a check says where the disk is full, not damaged.
struct FullDiskCheckTests {
  @Test func aDiskWithoutRoomIsNoDamage() throws {
    let vault = try ThrowawayVault()
    for text in ["one", "two"] { try vault.open.blocking.set(name("k"), to: Secret(text)) }
    // As another program leaves it that was the last to close it.
    do {
      let connection = try SQLiteConnection(path: vault.location.store)
      #expect(try connection.checkpoint(.truncate))
    }
    var failed = 0
    for number in 1...6 {
      let plan = FaultPlan(.error(ENOSPC), at: number, of: [.write, .truncate])
      let report = try SQLiteFaults.withFaults(plan) { try vault.open.blocking.check() }
      // What cannot be read where it lies is read in memory.
      #expect(!report.isDamaged && report.isComplete, "write \(number)")
      #expect(report.earlierVersions == 1, "write \(number)")
      guard plan.hasFired else { break }
      failed += 1
    }
    #expect(failed > 0)
    let report = try vault.open.blocking.check()
    #expect(report.isComplete && report.earlierVersions == 1)
  }
}
