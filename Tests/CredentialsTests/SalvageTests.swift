import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing

/// What can be read of a damaged vault is taken out of wherever it lies; what is lost is named.
struct SalvageTests {
  private func salvage(_ vault: ThrowawayVault) throws -> SalvageReport {
    let key = vault.key
    return try vault.locked.blocking.salvage { _ in [.key { key }] }
  }

  /// Flips a bit `fromEnd` bytes before the end of the vault file.
  private func damage(_ vault: ThrowawayVault, at offset: (Int) -> Int) throws -> [UInt8] {
    var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: vault.path)))
    bytes[offset(bytes.count)] ^= 1
    // In place, as a disk does it: the generation before may be the same file no more.
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: vault.path))
    try file.write(contentsOf: Data(bytes))
    try file.close()
    return bytes
  }

  @Test func aWholeVaultIsLeftAlone() throws {
    let vault = try ThrowawayVault()
    try vault.open.blocking.set(name("a"), to: Secret("1"))
    let before = try Data(contentsOf: URL(fileURLWithPath: vault.path))
    let report = try salvage(vault)
    #expect(!report.isMended && report.whole == 1 && report.damagedFile == nil)
    #expect(try Data(contentsOf: URL(fileURLWithPath: vault.path)) == before)
  }

  @Test func aRottenItemComesFromTheGenerationBefore() throws {
    let vault = try ThrowawayVault()
    try vault.open.blocking.set(name("only"), to: Secret("1"), field: nil)
    var changes = ItemChanges()
    changes.note = "later"
    try vault.open.blocking.update(name("only"), changes)
    let damaged = try damage(vault) { $0 - 1 }
    let report = try salvage(vault)
    #expect(report.base == .vaultFile && report.fromPrevious == 1 && report.lost.isEmpty)
    let kept = try #require(report.damagedFile)
    #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: kept))) == damaged)
    let open = try vault.reopened().blocking
    #expect(try open.get(name("only")).text == "1")
    #expect(try open.item(name("only")).note == "later")
    #expect(try !open.check().isDamaged)
    // What is purged is gone from the damaged file too.
    try open.remove(name("only"), purge: true)
    #expect(!FileManager.default.fileExists(atPath: kept))
  }

  @Test func aRottenItemWithoutAPredecessorComesFromItsHistoryOrIsNamed() throws {
    let vault = try ThrowawayVault()
    try vault.open.blocking.set(name("a"), to: Secret("old"))
    try vault.open.blocking.set(name("a"), to: Secret("new"))
    _ = try damage(vault) { $0 - 1 }
    try FileManager.default.removeItem(atPath: "\(vault.path).previous")
    let report = try salvage(vault)
    #expect(report.fromHistory == 1 && report.lost.isEmpty)
    #expect(try vault.reopened().blocking.get(name("a")).text == "old")

    let other = try ThrowawayVault()
    try other.open.blocking.set(name("gone"), to: Secret("1"))
    _ = try damage(other) { $0 - 1 }
    try FileManager.default.removeItem(atPath: "\(other.path).previous")
    #expect(try salvage(other).lost == [name("gone")])
    #expect(try other.reopened().blocking.items().isEmpty)
    #expect(try !other.reopened().blocking.check().isDamaged)
  }

  @Test(arguments: [70, 400]) func aVaultThatDoesNotOpenGoesBackOneGeneration(
    _ offset: Int
  ) throws {
    let vault = try ThrowawayVault()
    try vault.open.blocking.set(name("a"), to: Secret("1"))
    try vault.open.blocking.set(name("b"), to: Secret("2"))
    _ = try damage(vault) { _ in offset }
    let key = vault.key
    #expect(code { _ = try vault.locked.blocking.unlock(with: [.key { key }]) } == .damaged)
    let report = try salvage(vault)
    #expect(report.base == .previousGeneration && report.whole == 1)
    #expect(report.lostGenerations == 1)
    #expect(report.damagedFile?.hasSuffix("secrets.vault.damaged") == true)
    // The mended file succeeds the lost one: there is nothing to warn of, and nothing to accept.
    let open = try vault.reopened().blocking
    #expect(try open.items().map(\.name.text) == ["a"])
    #expect(open.takeNotices().isEmpty)
    try open.set(name("c"), to: Secret("3"))
    #expect(try open.get(name("c")).text == "3")
    #expect(open.takeNotices().isEmpty)
  }

  @Test func aMendedVaultIsNoRollbackToWhoHasSeenTheLostOne() throws {
    let vault = try ThrowawayVault()
    for text in ["1", "2", "3"] { try vault.open.blocking.set(name("a"), to: Secret(text)) }
    let lost = try vault.locked.blocking.summary().generation
    // Another machine, which has seen the generation that is lost then: a state of its own.
    let state = vault.state
    let elsewhere = try TemporaryHome()
    try FileManager.default.copyItem(atPath: state, toPath: "\(elsewhere.path)/state")
    _ = try damage(vault) { _ in 70 }
    #expect(try salvage(vault).base == .previousGeneration)
    #expect(try vault.locked.blocking.summary().generation == lost + 1)
    for text in ["4", "5"] { try vault.open.blocking.set(name("a"), to: Secret(text)) }
    try FileManager.default.removeItem(atPath: state)
    try FileManager.default.copyItem(atPath: "\(elsewhere.path)/state", toPath: state)
    let open = try vault.reopened().blocking
    #expect(try open.get(name("a")).text == "5")
    #expect(open.takeNotices().isEmpty)
    try open.set(name("a"), to: Secret("6"))
  }

  @Test func aLostVaultComesBackFromTheGenerationBefore() throws {
    let vault = try ThrowawayVault()
    try vault.open.blocking.set(name("a"), to: Secret("1"))
    try vault.open.blocking.set(name("a"), to: Secret("2"))
    try FileManager.default.removeItem(atPath: vault.path)
    let report = try salvage(vault)
    #expect(report.base == .previousGeneration && report.damagedFile == nil)
    let open = try vault.reopened().blocking
    #expect(try open.get(name("a")).text == "1")
    #expect(open.takeNotices().isEmpty)
  }

  /// A vault with an old generation in the place of the one before, and a vault file that does not
  /// open.
  private func brokenFarBehind(_ offset: Int) throws -> (vault: ThrowawayVault, distance: UInt64) {
    let vault = try ThrowawayVault()
    try vault.open.blocking.set(name("bank"), to: Secret("revoked"))
    let old = try [UInt8](Data(contentsOf: URL(fileURLWithPath: vault.path)))
    let before = try vault.locked.blocking.summary().generation
    for text in ["new", "newer", "newest"] {
      try vault.open.blocking.set(name("bank"), to: Secret(text))
    }
    let distance = try vault.locked.blocking.summary().generation - before
    _ = try damage(vault) { _ in offset }
    try rewrite(old, at: "\(vault.path).previous")
    return (vault, distance)
  }

  @Test(arguments: [70, 400], [true, false])
  func anOlderGenerationIsTakenOnlyWhereThatIsAccepted(offset: Int, hasRecord: Bool) throws {
    let (vault, distance) = try brokenFarBehind(offset)
    let state = vault.state
    // The header of the broken file tells as well.
    if !hasRecord { try FileManager.default.removeItem(atPath: state) }
    let files = try ["", ".previous"].map {
      try Data(contentsOf: URL(fileURLWithPath: vault.path + $0))
    }
    let error = #expect(throws: CredentialError.self) { try salvage(vault) }
    #expect(error?.code == .rolledBack)
    #expect(error?.message.contains("generation 2") == true)
    #expect(error?.message.contains("generation 5") == true)
    for (suffix, bytes) in zip(["", ".previous"], files) {
      #expect(try Data(contentsOf: URL(fileURLWithPath: vault.path + suffix)) == bytes)
    }
    var knowing = vault
    knowing.options.acceptsRollback = true
    let report = try salvage(knowing)
    #expect(report.base == .previousGeneration && report.lostGenerations == distance)
    #expect(try vault.reopened().blocking.get(name("bank")).text == "revoked")
  }

  @Test func aFileOfAnotherHistoryIsNoGenerationBefore() throws {
    let vault = try ThrowawayVault()
    try vault.open.blocking.set(name("k"), to: Secret("common"))
    let elsewhere = try TemporaryHome()
    let folder = "\(elsewhere.path)/vault"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    try rewrite(
      [UInt8](Data(contentsOf: URL(fileURLWithPath: vault.path))), at: "\(folder)/secrets.vault")
    let key = vault.key
    let other = try LockedVault(location: elsewhere.location, options: vault.options)
      .blocking.unlock(with: [.key { key }]).blocking
    for text in ["there", "there again"] { try other.set(name("k"), to: Secret(text)) }
    try vault.open.blocking.set(name("k"), to: Secret("here"))
    _ = try damage(vault) { _ in 70 }
    try rewrite(
      [UInt8](Data(contentsOf: URL(fileURLWithPath: "\(folder)/secrets.vault"))),
      at: "\(vault.path).previous")
    #expect(code { _ = try salvage(vault) } == .forked)
  }

  @Test func aRottenItemIsNotTakenFromAnOlderGeneration() throws {
    let vault = try ThrowawayVault { $0.historyLimit = 0 }
    try vault.open.blocking.set(name("bank"), to: Secret("revoked"))
    let old = try [UInt8](Data(contentsOf: URL(fileURLWithPath: vault.path)))
    for text in ["new", "newer", "newest"] {
      try vault.open.blocking.set(name("bank"), to: Secret(text))
    }
    _ = try damage(vault) { $0 - 1 }
    try rewrite(old, at: "\(vault.path).previous")
    let report = try salvage(vault)
    #expect(report.fromPrevious == 0)
    #expect(try report.lost == [name("bank")])
  }

  @Test func aWrongKeyIsNoDamageAndNothingAtAllIsSaid() throws {
    let vault = try ThrowawayVault()
    try vault.open.blocking.set(name("a"), to: Secret("1"))
    let wrong = try SecretBytes.random(count: 32)
    let blocking = try vault.locked.blocking
    #expect(code { _ = try blocking.salvage { _ in [.key { wrong }] } } == .wrongKey)
    for path in [vault.path, "\(vault.path).previous"] {
      try FileManager.default.removeItem(atPath: path)
    }
    #expect(code { _ = try salvage(vault) } == .noVault)
  }

  /// Three versions of one item, and another item.
  private func versions() throws -> ThrowawayVault {
    let vault = try ThrowawayVault()
    for secret in ["1", "2", "3"] { try vault.open.blocking.set(name("a"), to: Secret(secret)) }
    try vault.open.blocking.set(name("b"), to: Secret("b"))
    return vault
  }

  private func store(of vault: ThrowawayVault) -> String {
    URL(fileURLWithPath: vault.path).deletingLastPathComponent().path + "/store.sqlite"
  }

  private func expectAllVersions(_ vault: ThrowawayVault) throws {
    let open = try vault.reopened().blocking
    #expect(try open.get(name("a"), version: 1).text == "1")
    #expect(try open.get(name("a"), version: 2).text == "2")
    #expect(try open.get(name("b")).text == "b")
  }

  /// Whoever may not read a file knows nothing of what is in it.
  @Test(arguments: [0o644, 0o666])
  func aFileThatOthersMayReadIsNotGivenUp(mode: Int) throws {
    let vault = try versions()
    let before = try Data(contentsOf: URL(fileURLWithPath: vault.path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: vault.path)
    let refused = #expect(throws: CredentialError.self) { _ = try salvage(vault) }
    #expect(refused?.code == .unsafeFile)
    #expect(try Data(contentsOf: URL(fileURLWithPath: vault.path)) == before)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: vault.path)
    try expectAllVersions(vault)
  }

  /// Another name for the file, as a backup by links makes it.
  @Test func aFileWithASecondNameIsNotGivenUp() throws {
    let vault = try versions()
    try FileManager.default.linkItem(atPath: vault.path, toPath: "\(vault.path).hard")
    #expect(throws: CredentialError.self) { _ = try salvage(vault) }
    try FileManager.default.removeItem(atPath: "\(vault.path).hard")
    try expectAllVersions(vault)
  }

  /// A store that others may read, that is damaged, or not there, says nothing of the versions.
  @Test(arguments: ["open", "damaged", "away"], [false, true])
  func versionsInAStoreThatCannotBeReadAreNotGivenUp(harm: String, alsoVault: Bool) throws {
    let vault = try versions()
    let store = store(of: vault)
    let whole = try Data(contentsOf: URL(fileURLWithPath: store))
    let log = try? Data(contentsOf: URL(fileURLWithPath: "\(store)-wal"))
    switch harm {
    case "open":
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: store)
    case "damaged":
      try? FileManager.default.removeItem(atPath: "\(store)-wal")
      try Data(repeating: 7, count: 8192).write(to: URL(fileURLWithPath: store))
    default:
      for end in ["", "-wal", "-shm"] {
        try? FileManager.default.moveItem(atPath: store + end, toPath: "\(store)\(end).away")
      }
    }
    if alsoVault { _ = try damage(vault) { _ in 70 } }
    let file = try Data(contentsOf: URL(fileURLWithPath: vault.path))
    if harm == "away" {
      let report = try salvage(vault)
      #expect(report.lostVersions == 0 && report.isMended == alsoVault)
    } else {
      let refused = #expect(throws: CredentialError.self) { _ = try salvage(vault) }
      #expect(refused?.code == (harm == "open" ? .unsafeFile : .damaged))
      #expect(refused?.remedies.contains(.recoverStore) == (harm == "damaged"))
      #expect(try Data(contentsOf: URL(fileURLWithPath: vault.path)) == file)
    }
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store + end) }
    if harm == "away" {
      for end in ["", "-wal", "-shm"] {
        try? FileManager.default.moveItem(atPath: "\(store)\(end).away", toPath: store + end)
      }
    } else {
      try whole.write(to: URL(fileURLWithPath: store))
      try log?.write(to: URL(fileURLWithPath: "\(store)-wal"))
      for path in [store, "\(store)-wal"] where FileManager.default.fileExists(atPath: path) {
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      }
    }
    if alsoVault { _ = try salvage(vault) }
    let open = try vault.reopened().blocking
    #expect(try open.get(name("a"), version: 1).text == "1")
    #expect(try open.get(name("a"), version: 2).text == "2")
  }

  /// What goes for good goes from the store, too: beside one that cannot be opened nothing goes.
  @Test func aPurgeBesideAStoreThatCannotBeOpenedChangesNothing() throws {
    let vault = try versions()
    let store = store(of: vault)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: store)
    let refused = #expect(throws: CredentialError.self) {
      try vault.open.blocking.remove(name("a"), purge: true)
    }
    #expect(refused?.code == .unsafeFile)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: store)
    try expectAllVersions(vault)
    try vault.reopened().blocking.remove(name("a"), purge: true)
    #expect(try vault.reopened().blocking.items().map(\.name.text) == ["b"])
  }
}
