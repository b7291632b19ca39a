import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultStorage

struct VaultTests {
  @Test func aSecretComesBackFromANewProcessesView() throws {
    let vault = try ThrowawayVault()
    let change = try vault.open.blocking.set(name("api-token"), to: Secret("s3cr3t"))
    #expect(change.isNew)
    #expect(change.fingerprint.length == 6)
    #expect(try vault.reopened().blocking.get(name("api-token")).text == "s3cr3t")
  }

  @Test(arguments: [0, 1, 63, 64, 1023, 1024, 8193, 1 << 20])
  func everyLengthComesBackExactly(length: Int) throws {
    let vault = try ThrowawayVault()
    let secret = Secret(try SecretBytes.random(count: length))
    try vault.open.blocking.set(name("blob"), to: secret)
    #expect(try vault.reopened().blocking.get(name("blob")).bytes.isEqual(to: secret.bytes))
  }

  @Test func moreThanOneMebibyteIsRefusedAndNothingChanges() throws {
    let vault = try ThrowawayVault()
    let before = try Data(contentsOf: URL(fileURLWithPath: vault.path))
    let secret = Secret(try SecretBytes.random(count: 1 << 20 + 1))
    #expect(code { try vault.open.blocking.set(name("blob"), to: secret) } == .cannotCreate)
    #expect(try Data(contentsOf: URL(fileURLWithPath: vault.path)) == before)
  }

  @Test func fieldsNotesTagsAndAttributesAreKept() throws {
    let vault = try ThrowawayVault()
    var changes = ItemChanges()
    changes.kind = .login
    changes.note = "for the deploy host"
    changes.tags = ["work", "deploy", "work"]
    changes.attributes = ["service": "deploy", "account": "ci"]
    changes.expires = Date(timeIntervalSince1970: 2_000_000_000)
    try vault.open.blocking.set(name("work/deploy"), to: Secret("pw"), changes: changes)
    try vault.open.blocking.set(name("work/deploy"), to: Secret("ci"), field: "username")
    let open = try vault.reopened().blocking
    let item = try open.item(name("work/deploy"))
    #expect(item.kind == .login)
    #expect(item.note == "for the deploy host")
    #expect(item.tags == ["deploy", "work"])
    #expect(item.attributes == ["service": "deploy", "account": "ci"])
    #expect(item.expires == Date(timeIntervalSince1970: 2_000_000_000))
    #expect(item.version == 2)
    #expect(try open.fields(of: name("work/deploy")) == ["username"])
    #expect(try open.get(name("work/deploy"), field: "username").text == "ci")
    #expect(try open.get(name("work/deploy")).text == "pw")
    #expect(code { _ = try open.get(name("work/deploy"), field: "nope") } == .fieldNotFound)
  }

  @Test func earlierVersionsAreReadAndRestored() throws {
    let vault = try ThrowawayVault()
    let open = vault.open.blocking
    for text in ["one", "two", "three"] { try open.set(name("k"), to: Secret(text)) }
    #expect(try open.history(of: name("k")).map(\.version) == [3, 2, 1])
    #expect(try open.get(name("k"), version: 1).text == "one")
    #expect(try open.get(name("k"), version: 3).text == "three")
    #expect(code { _ = try open.get(name("k"), version: 9) } == .versionNotFound)
    let restored = try open.restore(name("k"), version: 1)
    #expect(restored.version == 4)
    #expect(try open.get(name("k")).text == "one")
    #expect(try open.get(name("k"), version: 3).text == "three")
  }

  @Test func historyIsBounded() throws {
    let vault = try ThrowawayVault { $0.historyLimit = 3 }
    let open = vault.open.blocking
    for number in 1...8 { try open.set(name("k"), to: Secret("value \(number)")) }
    #expect(try open.history(of: name("k")).map(\.version) == [8, 7, 6, 5])
    #expect(code { _ = try open.get(name("k"), version: 4) } == .versionNotFound)
  }

  @Test func aChangeOfKindKeepsEarlierVersionsReadable() throws {
    let vault = try ThrowawayVault()
    let open = vault.open.blocking
    try open.set(name("k"), to: Secret("one"))
    try open.set(name("k"), to: Secret("two"))
    var changes = ItemChanges()
    changes.kind = .token
    try open.update(name("k"), changes)
    #expect(try open.get(name("k")).text == "two")
    #expect(try open.get(name("k"), version: 1).text == "one")
    #expect(try open.item(name("k")).kind == .token)
  }

  @Test func aRemovedItemGoesToTheTrashAndComesBack() throws {
    let vault = try ThrowawayVault()
    let open = vault.open.blocking
    try open.set(name("k"), to: Secret("one"))
    try open.set(name("k"), to: Secret("two"))
    try open.remove(name("k"))
    #expect(code { _ = try open.get(name("k")) } == .itemNotFound)
    var trash = ItemQuery()
    trash.isInTrash = true
    #expect(try open.items(matching: trash).map(\.name.text) == ["k"])
    #expect(try open.items().isEmpty)
    try open.restore(name("k"))
    #expect(try open.get(name("k")).text == "two")
    #expect(try open.get(name("k"), version: 1).text == "one")
  }

  @Test func whatIsPurgedLeavesNoSealedByteBehind() throws {
    let vault = try ThrowawayVault()
    let open = vault.open.blocking
    try open.set(name("k"), to: Secret("one"))
    let sealed = try itemBytes(of: vault)
    try open.set(name("k"), to: Secret("two"))
    try open.remove(name("k"), purge: true)
    let needle = sealed.suffix(40)
    for file in try files(below: vault.home.path) {
      let contents = try Data(contentsOf: file)
      #expect(contents.range(of: needle) == nil, "\(file.lastPathComponent) still holds it")
    }
    #expect(!FileManager.default.fileExists(atPath: vault.path + ".previous"))
  }

  @Test func whatIsPurgedIsGoneFromTheStoresLastGoodCopy() throws {
    let vault = try ThrowawayVault()
    let open = vault.open.blocking
    try open.set(name("k"), to: Secret("one"))
    try open.set(name("k"), to: Secret("two"))
    // What the first write of a preference on a day does.
    do {
      let store = try #require(try Store.open(vault.location, mode: .write))
      try store.refreshLastGoodCopy(olderThan: .zero)
    }
    let blob = try #require(try sealedBlob(of: vault))
    #expect(try filesHolding(blob, below: vault.home.path).contains("store.sqlite.last-good"))
    try open.remove(name("k"), purge: true)
    #expect(try filesHolding(blob, below: vault.home.path).isEmpty)
  }

  @Test func whatWasPutBackBeforeItWasPurgedIsGoneFromTheLogToo() throws {
    let vault = try ThrowawayVault()
    let open = vault.open.blocking
    try open.set(name("k"), to: Secret("one"))
    try open.remove(name("k"))
    let blob = try #require(try sealedBlob(of: vault))
    // Its blob is removed by this, and stays in the log.
    try open.restore(name("k"))
    try open.remove(name("k"), purge: true)
    #expect(try filesHolding(blob, below: vault.home.path).isEmpty)
  }

  @Test func everyTenthSecretOfAVaultWithASingleSlotIsAReminder() throws {
    let vault = try ThrowawayVault { $0.remindsOfSingleSlot = true }
    func reminders(_ count: Int) throws -> [Bool] {
      try (0..<count).map { number in
        // Each as a command of its own does it.
        let open = try vault.reopened().blocking
        try open.set(name("k"), to: Secret("\(number)"))
        return open.takeNotices().contains { $0.code == .singleSlot }
      }
    }
    let tenth = Array(repeating: false, count: 9) + [true]
    #expect(try reminders(20) == tenth + tenth)
    #expect(try reminders(5) == Array(repeating: false, count: 5))
    let second = try vault.open.blocking.addSlot(.keyFile(SecretBytes.random(count: 32)))
    #expect(try reminders(12) == Array(repeating: false, count: 12))
    try vault.open.blocking.removeSlot(second.id)
    #expect(try reminders(10) == tenth)
    let quiet = try ThrowawayVault()
    for _ in 0..<12 { try quiet.open.blocking.set(name("k"), to: Secret("x")) }
    #expect(quiet.open.blocking.takeNotices().isEmpty)
  }

  @Test func aPurgeSaysSoWhereAReaderKeepsTheLog() throws {
    let vault = try ThrowawayVault()
    let open = vault.open.blocking
    try open.set(name("k"), to: Secret("one"))
    try open.set(name("k"), to: Secret("two"))
    let reader = try #require(try Store.open(vault.location, mode: .read))
    try reader.connection.execute("BEGIN")
    _ = try reader.connection.int64("SELECT count(*) FROM credentials_blobs")
    try open.remove(name("k"), purge: true)
    #expect(open.takeNotices().map(\.code).contains(.stillInLog))
    try reader.connection.execute("COMMIT")
  }

  @Test func renamingKeepsSecretHistoryAndId() throws {
    let vault = try ThrowawayVault()
    let open = vault.open.blocking
    let id = try open.set(name("old"), to: Secret("one")).item.id
    try open.set(name("old"), to: Secret("two"))
    try open.set(name("other"), to: Secret("x"))
    #expect(code { try open.rename(name("old"), to: name("other")) } == .itemExists)
    #expect(try open.rename(name("old"), to: name("new")).id == id)
    #expect(try open.get(name("new")).text == "two")
    #expect(try open.get(name("new"), version: 1).text == "one")
    #expect(code { _ = try open.get(name("old")) } == .itemNotFound)
  }

  @Test func itemsAreFoundByPatternTagAndAttribute() throws {
    let vault = try ThrowawayVault()
    let open = vault.open.blocking
    var changes = ItemChanges()
    changes.tags = ["ci"]
    changes.attributes = ["server": "example.com"]
    try open.set(name("work/github"), to: Secret("1"), changes: changes)
    try open.set(name("work/gitlab"), to: Secret("2"))
    try open.set(name("home"), to: Secret("3"))
    func names(_ change: (inout ItemQuery) -> Void) throws -> [String] {
      var query = ItemQuery()
      change(&query)
      return try open.items(matching: query).map(\.name.text)
    }
    #expect(try names { $0.pattern = "work/*" } == ["work/github", "work/gitlab"])
    #expect(try names { $0.pattern = "*git[hx]ub" } == ["work/github"])
    #expect(try names { $0.pattern = "h?me" } == ["home"])
    #expect(try names { $0.tag = "ci" } == ["work/github"])
    #expect(try names { $0.attributes = ["server": "example.com"] } == ["work/github"])
    #expect(try names { $0.attributes = ["server": "example.org"] } == [])
    // Attributes are equal as a whole, whatever else of a record holds their bytes.
    #expect(try names { $0.attributes = ["server": "example.co"] } == [])
    #expect(try names { $0.attributes = ["erver": "example.com"] } == [])
    #expect(try names { $0.attributes = ["server": "example.com", "other": ""] } == [])
    let long = String(repeating: "x", count: 70_000)
    #expect(try names { $0.attributes = ["server": long] } == [])
    changes.attributes = ["server": "example.com", "path": "", "note": "a server"]
    try open.set(name("home"), to: Secret("3"), changes: changes)
    #expect(try names { $0.attributes = ["server": "example.com", "path": ""] } == ["home"])
  }

  @Test func equalNamesInOtherNormalFormsAreOneName() throws {
    let vault = try ThrowawayVault()
    try vault.open.blocking.set(name("caf\u{E9}"), to: Secret("x"))
    #expect(try vault.open.blocking.get(name("cafe\u{301}")).text == "x")
  }

  @Test(arguments: ["", "/a", "a/", "a//b", "a\nb", "a\u{1B}[2Jb", "a\u{7F}", "a\u{2028}b"])
  func namesThatCouldDeceiveAreRefused(text: String) {
    #expect(code { _ = try ItemName(text) } == .invalidName)
  }

  @Test func namesAreNotInTheFile() throws {
    let vault = try ThrowawayVault()
    try vault.open.blocking.set(name("very-recognisable-name"), to: Secret("canary-canary"))
    try vault.open.blocking.set(name("very-recognisable-name"), to: Secret("canary-second"))
    for file in try files(below: vault.home.path) {
      let contents = try Data(contentsOf: file)
      for word in ["recognisable", "canary"] {
        #expect(contents.range(of: Data(word.utf8)) == nil, "\(file.path) shows \(word)")
      }
    }
  }

  @Test func twoVaultsOfOneHomeAreApart() throws {
    let vault = try ThrowawayVault()
    let key = try SecretBytes.random(count: 32)
    let work = try LockedVault(
      location: vault.location, name: "work", options: vault.options
    ).blocking.create(slots: [.keyFile(key)])
    try work.blocking.set(name("k"), to: Secret("work"))
    try vault.open.blocking.set(name("k"), to: Secret("default"))
    #expect(try work.blocking.get(name("k")).text == "work")
    #expect(try vault.open.blocking.get(name("k")).text == "default")
    #expect(
      code {
        _ = try vault.locked.blocking.unlock(with: [.key { key }])
      } == .wrongKey)
  }

  /// The one earlier version in the store, sealed.
  private func sealedBlob(of vault: ThrowawayVault) throws -> [UInt8]? {
    let store = try Store.open(vault.location, mode: .read)
    let rows = try store?.connection.cached("SELECT sealed FROM credentials_blobs")
    defer { rows?.reset() }
    return try rows?.step() == true ? rows?.bytes(at: 0) : nil
  }

  /// The names of the files that hold these bytes.
  private func filesHolding(_ bytes: [UInt8], below path: String) throws -> [String] {
    try files(below: path).filter { try Data(contentsOf: $0).range(of: Data(bytes)) != nil }
      .map(\.lastPathComponent)
  }

  private func itemBytes(of vault: ThrowawayVault) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: vault.path))
  }
}

/// All regular files below a folder.
func files(below path: String) throws -> [URL] {
  let all = FileManager.default.enumerator(
    at: URL(fileURLWithPath: path), includingPropertiesForKeys: [.isRegularFileKey])
  return (all?.compactMap { $0 as? URL } ?? []).filter {
    (try? $0.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
  }
}
