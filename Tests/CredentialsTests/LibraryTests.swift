import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultCredentialsTesting
import VaultSealing

/// The library as other programs use it: keys of the Keychain, changes as they happen, their own
/// tests.
struct LibraryTests {
  @Test func accountsThatOnlyLookAlikeAreTwo() async throws {
    let test = try InMemoryVault()
    let composed = GenericPassword(service: "s", account: "\u{E9}")
    let decomposed = GenericPassword(service: "s", account: "e\u{301}")
    #expect(try await test.open.save(Secret("one"), for: composed).isNew)
    #expect(try await test.open.load(decomposed) == nil)
    #expect(try await test.open.save(Secret("two"), for: decomposed).isNew)
    #expect(try await test.open.load(composed)?.text == "one")
    #expect(try await test.open.load(decomposed)?.text == "two")
  }

  @Test func anItemHasAThousandFieldsAndNoMore() async throws {
    let test = try InMemoryVault()
    func store(_ count: Int, tags: Int = 0) throws {
      let empty = try SecretBytes(copying: [])
      let fields = Dictionary(uniqueKeysWithValues: (0..<count).map { ("f\($0)", empty) })
      var changes = ItemChanges()
      changes.tags = (0..<tags).map { "t\($0)" }
      try test.open.blocking.store([
        ItemDraft(ItemName("n"), main: empty, fields: fields, changes: changes)
      ])
    }
    try store(1_000, tags: 256)
    for (fields, tags) in [(1_001, 0), (65_535, 0), (65_536, 0), (0, 257), (0, 65_536)] {
      #expect(throws: CredentialError.self) { try store(fields, tags: tags) }
    }
    #expect(try await test.open.fields(of: ItemName("n")).count == 1_000)
  }

  @Test func aGenericPasswordIsSavedLoadedAndDeleted() async throws {
    let test = try InMemoryVault()
    let key = GenericPassword(service: "com.example.tool", account: "me")
    #expect(try await test.open.load(key) == nil)
    #expect(try await test.open.save(Secret("one"), for: key).isNew)
    #expect(try await !test.open.save(Secret("two"), for: key).isNew)
    #expect(try await test.open.load(key)?.text == "two")
    let item = try await test.open.item(ItemName("com.example.tool/me"))
    #expect(item.kind == .genericPassword && item.attributes == key.attributes)
    // Renamed by a person, it is still found by what it is for.
    try await test.open.rename(item.name, to: ItemName("mine"))
    #expect(try await test.open.load(key)?.text == "two")
    #expect(
      try await test.open.load(GenericPassword(service: "com.example.tool", account: "you")) == nil)
    #expect(try await test.open.delete(key))
    #expect(try await !test.open.delete(key))
  }

  /// Sizes around what padding, a page and the format's limit make of them; bytes that text has no
  /// place for.
  @Test func secretsOfAnySizeComeBackExactly() throws {
    let vault = try ThrowawayVault()
    let secrets: [[UInt8]] = [
      [], [0], [0x0d, 0x0a], [0xff, 0xfe, 0], Array(repeating: 0x61, count: 4_096),
      (0..<8_193).map { UInt8(truncatingIfNeeded: $0 &* 31) },
      (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 >> 8 ^ $0) },
    ]
    for (index, bytes) in secrets.enumerated() {
      try vault.open.blocking.set(name("s\(index)"), to: Secret(SecretBytes(copying: bytes)))
    }
    let reopened = try vault.reopened().blocking
    for (index, bytes) in secrets.enumerated() {
      let found = try reopened.get(name("s\(index)"))
      #expect(found.withBytes { $0.array(0..<$0.byteCount) } == bytes, "\(bytes.count) bytes")
    }
    let tooLong = Array(repeating: UInt8(1), count: (1 << 20) + 1)
    #expect(
      code { try vault.open.blocking.set(name("x"), to: Secret(SecretBytes(copying: tooLong))) }
        == .cannotCreate)
  }

  @Test func keysThatMakeOneNameAreTwoItems() async throws {
    let test = try InMemoryVault()
    let keys = [
      GenericPassword(service: "a/b", account: "c"), GenericPassword(service: "a", account: "b/c"),
    ]
    for (index, key) in keys.enumerated() { try await test.open.save(Secret("\(index)"), for: key) }
    for (index, key) in keys.enumerated() {
      #expect(try await test.open.load(key)?.text == "\(index)")
    }
    let server = InternetPassword(
      server: "example.org", protocol: "https", port: 8443, path: "/git", account: "me")
    try await test.open.save(Secret("pw"), for: server)
    #expect(
      try await test.open.item(ItemName("example.org:8443/git/me")).kind
        == .internetPassword)
    #expect(try await test.open.load(server)?.text == "pw")
    #expect(try await test.open.load(InternetPassword(server: "example.com", account: "me")) == nil)
  }

  @Test func changesOfAnyProcessAreSeenAsTheyHappen() async throws {
    let test = try InMemoryVault()
    try test.open.blocking.set(name("old"), to: Secret("0"))
    var changes = try test.open.changes().makeAsyncIterator()
    // Another program: another object on the same files.
    let other = try test.vault.blocking.unlock(with: [test.source]).blocking
    try other.set(name("a"), to: Secret("1"))
    #expect(try await changes.next()?.added == [name("a")])
    try other.set(name("a"), to: Secret("2"))
    #expect(try await changes.next()?.changed == [name("a")])
    try other.rename(name("a"), to: name("b"))
    let renamed = try await changes.next()
    #expect(try renamed?.added == [name("b")])
    #expect(try renamed?.removed == [name("a")])
    try other.remove(name("old"))
    #expect(try await changes.next()?.removed == [name("old")])
  }

  /// As on a file system whose changes the kernel does not tell of.
  @Test func changesAreFoundByLookingToo() async throws {
    var options = VaultOptions()
    options.changePolling = .milliseconds(20)
    let test = try InMemoryVault(options: options)
    var changes = try test.open.changes().makeAsyncIterator()
    let other = try test.vault.blocking.unlock(with: [test.source]).blocking
    try other.set(name("a"), to: Secret("1"))
    #expect(try await changes.next()?.added == [name("a")])
    try other.set(name("a"), to: Secret("2"))
    #expect(try await changes.next()?.changed == [name("a")])
    try other.remove(name("a"))
    #expect(try await changes.next()?.removed == [name("a")])
  }

  @Test func whatWaitsIsThereWithoutWaiting() async throws {
    let keyring = TestKeyring()
    var options = VaultOptions()
    options.use(keyring)
    let test = try InMemoryVault(options: options)
    try await test.open.setPublishing(true)
    #expect(try await test.open.isPublishing())
    try await test.open.set(name("a"), to: Secret("1"))
    #expect(try await test.open.copies().current == 1)
    keyring.store(
      try Secret("theirs"), attributes: ["service": "mail", "username": "me"], label: "Mail")
    let theirs = try #require(try await test.open.keyringEntries().first { !$0.isOurs })
    #expect(try await test.open.adopt(theirs, as: name("mail")).name == name("mail"))
    #expect(try await test.open.synchronizeCopies().pending == 0)
    #expect(try await test.open.takeChangedCopies() == [])
    #expect(try await !test.open.check().isDamaged)
    try await test.open.setSession(seconds: 60)
    #expect(try await test.open.sessionSetting() == 60)
    try await test.open.remove([name("a"), name("mail")])
    #expect(try await test.open.emptyTrash() == 2)
    let source = test.source
    #expect(try await !test.vault.salvage { _ in [source] }.isMended)
    #expect(await test.vault.keyringStatus().state == "unlocked")
    let backup = try TemporaryHome()
    #expect(try await test.open.backUp(to: "\(backup.path)/b").items == 0)
    #expect(try await test.vault.checkBackup("\(backup.path)/b", with: [source]).items == 0)
    await #expect(throws: CredentialError.self) {
      try await test.vault.restore(from: "\(backup.path)/b")
    }
    let key = try SecretBytes.random(count: 32)
    let rotated = try await test.open.rotate(to: [.keyFile(key)])
    #expect(try await rotated.items().isEmpty)
  }

  /// What the library's page says: every call exists twice.
  @Test func everyCallThatWaitsHasAFormThatDoesNot() throws {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Sources/Libraries/VaultCredentials")
    let files = try #require(
      FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    var blocking: Set<String> = []
    var asynchronous: Set<String> = []
    for case let file as URL in files where file.pathExtension == "swift" {
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      var place = ""
      for (number, line) in lines.enumerated() {
        if line.contains("extension ") || line.contains("struct Blocking") { place = String(line) }
        if line == "  }", place.contains("struct Blocking") { place = "" }
        guard let range = line.range(of: "public func ") else { continue }
        let name = String(line[range.upperBound...].prefix { $0.isLetter })
        // The signature may go on for some lines.
        let signature = lines[number..<min(number + 4, lines.count)].joined()
          .prefix { $0 != "{" }
        if signature.contains(" async ") {
          asynchronous.insert(name)
        } else if place.contains("Blocking"), signature.contains(" throws") {
          blocking.insert(name)
        }
      }
    }
    // The protocol of VaultSealing that others ask for keys by.
    blocking.subtract(["currentDataKey", "dataKey"])
    #expect(blocking.count > 30)
    #expect(blocking.subtracting(asynchronous) == [])
  }

  @Test func aCancelledWatchEnds() async throws {
    let test = try InMemoryVault()
    let changes = try test.open.changes()
    let task = Task { for try await _ in changes {} }
    task.cancel()
    try await task.value
  }
}

/// A vault with a keyring in each of its states: the contract that a real one is held to, without a
/// bus.
struct TestKeyringTests {
  private func vault(_ keyring: TestKeyring) throws -> InMemoryVault {
    var options = VaultOptions()
    options.use(keyring)
    return try InMemoryVault(options: options)
  }

  @Test func anOpenKeyringOpensTheVaultAndCarriesCopies() throws {
    let keyring = TestKeyring()
    let test = try vault(keyring)
    let open = test.open.blocking
    try open.addSlot(.keyring())
    try open.setPublishing(true)
    try open.set(name("api-token"), to: Secret("s3cr3t"))
    let service = try #require(
      keyring.attributes.first { $0["username"] == "api-token" }?["service"])
    #expect(keyring.secret(service: service, username: "api-token")?.text == "s3cr3t")
    #expect(try test.vault.blocking.unlock(with: [.keyring]).openedBy.source == .keyring)
    keyring.store(
      try Secret("elsewhere"),
      attributes: ["service": service, "username": "api-token", "application": "vault"])
    #expect(try open.copies().changedByOthers == [name("api-token")])
    #expect(try open.takeChangedCopies() == [name("api-token")])
    #expect(try open.get(name("api-token")).text == "elsewhere")
  }

  @Test(arguments: [
    ("gnome-keyring-daemon", "Seahorse"), ("kwalletd5", "KWalletManager"),
    ("kwalletd6", "KWalletManager"), ("ksecretd", "KWalletManager"), ("keepassxc", "KeePassXC"),
    ("oo7-daemon", "the program that keeps it"), (nil, "the program that keeps it"),
  ])
  func whatHelpsNamesTheProgramThatIsTheKeyring(program: String?, word: String) throws {
    let keyring = TestKeyring()
    keyring.program = program
    let test = try ThrowawayVault { $0.use(keyring) }
    try test.open.blocking.addSlot(.keyring())
    keyring.state = .noCollection
    let hint = try #require(test.locked.blocking.keyringStatus().hint)
    #expect(hint.contains(word), "\(hint)")
    if word != "Seahorse" { #expect(!hint.contains("Seahorse"), "\(hint)") }

    // Reset: the other one has none of its keys, and other files.
    let other = TestKeyring()
    other.program = program
    var options = test.options
    options.use(other)
    let lost = try LockedVault(location: test.location, options: options)
    let error = #expect(throws: CredentialError.self) {
      _ = try lost.blocking.unlock(with: [.keyring])
    }
    // That is assumed where nobody tells.
    let isGnome = word == "Seahorse" || program == nil
    #expect((error?.hint?.contains("share/keyrings") == true) == isGnome, "\(error?.hint ?? "")")
  }

  @Test(arguments: TestKeyring.State.allCases.filter { $0 != .unlocked })
  func whateverTheKeyringDoesTheVaultIsWholeAndTheCopyIsToldOrMade(
    _ state: TestKeyring.State
  ) throws {
    let keyring = TestKeyring()
    let test = try vault(keyring)
    let open = test.open.blocking
    try open.addSlot(.keyring())
    try open.setPublishing(true)
    try open.set(name("kept"), to: Secret("1"))
    keyring.state = state
    let status = test.vault.blocking.keyringStatus()
    // Neither shows before an item is asked for.
    if state != .serviceGone, state != .itemLocked {
      #expect(status.message != nil && (status.hint != nil || !status.remedies.isEmpty))
    }
    try open.set(name("new"), to: Secret("2"))
    #expect(try open.get(name("new")).text == "2")
    let isAsked = state == .lockedWithDisplay
    let removed = code { try open.remove(name("kept")) }
    if keyring.state == .unlocked {
      #expect(removed == nil)
    } else {
      #expect(removed == .copyRemains, "\(String(describing: removed))")
      let unlocked = code { _ = try test.vault.blocking.unlock(with: [.keyring]) }
      #expect(isAsked ? unlocked == nil : unlocked == .locked, "\(String(describing: unlocked))")
    }
    keyring.state = .unlocked
    let report = try open.synchronizeCopies()
    #expect(report.pending == 0 && report.current == 1)
    #expect(!keyring.attributes.contains { $0["username"] == "kept" })
  }
}
