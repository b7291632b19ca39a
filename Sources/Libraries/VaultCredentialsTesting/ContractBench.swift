import VaultCredentials
import VaultSealing

/// Where one rule of ``KeyringContract`` is tried: a keyring, and items that nobody else has.
struct ContractBench {
  private let keyring: any DesktopKeyring
  private let rule: KeyringContract.Rule
  private let service: String

  init(_ keyring: any DesktopKeyring, _ rule: KeyringContract.Rule) {
    self.keyring = keyring
    self.rule = rule
    let random = RandomBytes.bytes(count: 8).map { String($0, radix: 16) }.joined()
    service = "vault-contract-\(random)"
  }

  static let texts: [[UInt8]] = [
    [], Array("s3cr3t".utf8), Array("two\nlines\n".utf8), Array("pa\u{DF}wort \u{1F511}".utf8),
    [UInt8](repeating: 0x61, count: 8_193),
  ]

  static let anyBytes: [[UInt8]] = [
    [0], [0xFF, 0x80, 0xFE], Array("a\0b".utf8), (0..<4_096).map { UInt8(truncatingIfNeeded: $0) },
  ]

  /// Deletes what the rule made, whatever came of it.
  func clean() {
    guard let left = try? keyring.items(matching: ["service": service]).unlocked else { return }
    for item in left {
      let username = item.attributes["username"] ?? ""
      try? keyring.delete(item.path, of: identity(username))
    }
  }

  // MARK: Rules

  func reportsThatItIsOpen() throws {
    let report = keyring.probe(openingSession: true)
    try require(report.obstacle == nil, "it reports an obstacle: \(report.obstacle?.message ?? "")")
    try require(report.isLocked == false, "it does not report that it is unlocked")
    try require(report.collection != nil, "it reports no collection for new items")
    try require(report.isSessionEncrypted != nil, "it does not report whether it encrypts")
  }

  func findsWhatWasMade() throws {
    let path = try make("one", [1])
    let found = try keyring.items(matching: identity("one").searched)
    try require(found.locked.isEmpty, "a new item is locked")
    try require(found.unlocked.map(\.path) == [path], "a new item is not found by its attributes")
    let item = found.unlocked[0]
    try require(identity("one").isCarried(by: item), "a new item lacks attributes")
    try require(item.label == label("one"), "a new item has another label")
    let all = try keyring.allItems().unlocked
    try require(all.contains { $0.path == path }, "a new item is not among all items")
  }

  func searchesForAllAttributes() throws {
    _ = try make("one", [1])
    let two = try make("two", [2])
    func paths(_ attributes: [String: String]) throws -> [String] {
      try keyring.items(matching: attributes).unlocked.map(\.path)
    }
    try require(paths(["service": service]).count == 2, "a search by one attribute misses items")
    try require(paths(identity("two").attributes) == [two], "a search by three attributes is off")
    try require(
      paths(["service": service, "username": "three"]).isEmpty,
      "a search finds what lacks an attribute")
  }

  func keeps(_ secrets: [[UInt8]]) throws {
    for (number, bytes) in secrets.enumerated() {
      _ = try make("\(number)", bytes)
      let read = try keyring.secret(of: identity("\(number)"))
      try require(
        isEqual(read, bytes), "a secret of \(bytes.count) bytes comes back as another one")
    }
  }

  func replacesNothing() throws {
    let first = try make("one", [1])
    let second = try make("one", [2])
    try require(first != second, "a second item of the same attributes has the path of the first")
    let secrets = try keyring.secrets(of: [first, second])
    try require(
      isEqual(secrets[first], [1]) && isEqual(secrets[second], [2]),
      "a second item of the same attributes replaces the secret of the first")
  }

  func changesInPlace() throws {
    let path = try make("one", [1])
    try keyring.change(path, of: identity("one"), to: SecretBytes(copying: [2, 2]))
    let found = try keyring.items(matching: identity("one").attributes).unlocked
    try require(found.map(\.path) == [path], "a changed item is not where it was")
    try require(found[0].label == label("one"), "a changed item has another label")
    try require(
      isEqual(keyring.secret(of: identity("one")), [2, 2]), "a changed item keeps its old secret")
  }

  func readsSeveralAtOnce() throws {
    let paths = try (0..<3).map { try make("\($0)", [UInt8($0)]) }
    let secrets = try keyring.secrets(of: paths)
    try require(Set(secrets.keys) == Set(paths), "not the items that were asked for")
    for (number, path) in paths.enumerated() {
      try require(isEqual(secrets[path], [UInt8(number)]), "an item has the secret of another one")
    }
    try require(keyring.secrets(of: []).isEmpty, "a secret comes without being asked for")
  }

  func leavesOtherItemsAlone() throws {
    let path = try make("one", [1])
    try expect(.itemMissing, "a change of an item of other attributes") {
      try keyring.change(path, of: identity("two"), to: SecretBytes(copying: [2]))
    }
    try expect(.itemMissing, "deleting an item of other attributes") {
      try keyring.delete(path, of: identity("two"))
    }
    try require(
      isEqual(keyring.secret(of: identity("one")), [1]),
      "an item is changed although other attributes were named")
  }

  func forgetsWhatWasDeleted() throws {
    let path = try make("one", [1])
    let other = try make("two", [2])
    try keyring.delete(path, of: identity("one"))
    let left = try keyring.items(matching: ["service": service]).unlocked.map(\.path)
    try require(left == [other], "a deleted item is found, or another one is gone")
    try require(
      (try? keyring.secrets(of: [path]))?[path] == nil, "a deleted item still has a secret")
  }

  func saysWhatIsMissing() throws {
    try expect(.itemMissing, "reading an item that was never made") {
      _ = try keyring.secret(of: identity("never"))
    }
    try require(
      keyring.items(matching: identity("never").searched) == KeyringMatches(),
      "a search finds what was never made")
  }

  /// A locked keyring names its items at most, and takes no new ones.
  func isLocked() throws {
    let report = keyring.probe(openingSession: false)
    try require(report.isLocked == true, "it does not report that it is locked")
    try require(report.obstacle?.state.isLocked == true, "it reports no lock in the way")
    let found = try keyring.allItems()
    try require(found.unlocked.isEmpty, "a locked keyring has items that are not locked")
    let secrets = try? keyring.secrets(of: found.locked.map(\.path))
    try require(secrets?.isEmpty != false, "a locked keyring hands out secrets")
    do throws(KeyringError) {
      _ = try keyring.create(identity("one"), label: label("one"), secret: secret([1]))
    } catch {
      try require(error.state.isLocked, "a locked keyring refuses an item with: \(error.message)")
      return
    }
    throw violation("a locked keyring takes an item")
  }

  // MARK: Parts

  private func identity(_ username: String) -> KeyringIdentity {
    KeyringIdentity(service: service, username: username)
  }

  private func label(_ username: String) -> String { "vault contract: \(username)" }

  private func make(_ username: String, _ bytes: [UInt8]) throws -> String {
    try keyring.create(identity(username), label: label(username), secret: secret(bytes))
  }

  private func secret(_ bytes: [UInt8]) throws(KeyringError) -> SecretBytes {
    do {
      return try SecretBytes(copying: bytes)
    } catch {
      throw KeyringError(.invalidRequest)
    }
  }

  private func isEqual(_ found: SecretBytes?, _ bytes: [UInt8]) throws -> Bool {
    guard let found else { return false }
    return found.isEqual(to: try secret(bytes))
  }

  private func require(
    _ condition: @autoclosure () throws -> Bool, _ message: @autoclosure () -> String
  ) throws {
    guard try condition() else { throw violation(message()) }
  }

  /// Runs what must fail with `state`, and with nothing else.
  private func expect(
    _ state: KeyringError.State, _ what: String, _ body: () throws -> Void
  ) throws {
    do {
      try body()
    } catch let error as KeyringError {
      return try require(error.state == state, "\(what) fails with: \(error.message)")
    }
    throw violation("\(what) succeeds")
  }

  private func violation(_ message: String) -> ContractViolation {
    ContractViolation(rule: rule, message: message)
  }
}
