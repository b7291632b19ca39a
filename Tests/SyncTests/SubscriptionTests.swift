import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// A subscription reads and is nobody: whatever its code, a member or a stranger writes.
struct SubscriptionTests {
  private func space(_ people: [(String, SyncRole)] = []) throws -> PaperSpace {
    var space = try PaperSpace()
    for (name, role) in people { try space.add(name, role) }
    return space
  }

  private func subscription(_ name: String, _ space: PaperSpace) throws -> Roster.Invitation? {
    space.roster.invitations[try #require(space.codes[name]).id]
  }

  // MARK: - Who belongs

  @Test func nobodyIsLetInByIt() throws {
    var space = try space([("admin", .admin)])
    try space.subscribe("shops", by: "founder")
    let made = try #require(try subscription("shops", space))
    #expect(made.subscription == "shops" && made.role == .reader && !made.isSettled)
    // Its code signs a claim, and each who may lets it in, by each way there is.
    try space.claim("thief", by: "shops")
    // What claims nothing that can be claimed is not even kept.
    let thief = try #require(space.people["thief"]?.stream)
    #expect(space.history.stops.map(\.stream) == [thief] && space.history.streams[thief] == nil)
    for admin in ["founder", "admin"] {
      try space.admit("thief", by: admin, code: "shops")
      try space.admit("thief", by: admin, code: "shops", closes: true)
    }
    #expect(space.members == ["admin admin", "founder owner"])
    let after = try #require(try subscription("shops", space))
    #expect(after.accepted.isEmpty && after.refused.isEmpty)
  }

  /// In a space of an earlier version, too, whose invitations let in without an admin.
  @Test func nobodyIsLetInByItInAnOldSpace() throws {
    var space = try PaperSpace(rules: 1)
    try space.subscribe("shops", by: "founder")
    try space.claim("thief", by: "shops")
    #expect(space.members == ["founder admin"])
  }

  /// A signature by the key that the name would be, were it one.
  @Test func noSignatureIsOneOfIt() throws {
    let block = SubscriptionName.block("shops")
    for signature in [[UInt8](repeating: 0, count: 64), block + block] {
      #expect(!SigningKey.isValid(signature, of: Array("a claim".utf8), by: block))
    }
  }

  @Test func onlyWhoMayInviteMakesOneThatCounts() throws {
    var space = try space([("reader", .reader), ("writer", .writer), ("admin", .admin)])
    for name in ["reader", "writer"] {
      try space.subscribe("of-\(name)", by: name)
      #expect(try subscription("of-\(name)", space) == nil)
    }
    try space.newPerson("stranger")
    try space.subscribe("of-stranger", by: "stranger")
    #expect(try subscription("of-stranger", space) == nil)
    try space.subscribe("of-admin", by: "admin")
    #expect(try subscription("of-admin", space) != nil)
    // Who was put out before had no right.
    try space.remove("admin", by: "founder")
    try space.subscribe("later", by: "admin", knowing: ["founder": 1])
    #expect(try subscription("later", space) == nil)
  }

  @Test func onlyWhoMayRemoveEndsIt() throws {
    var space = try space([("reader", .reader), ("writer", .writer), ("admin", .admin)])
    try space.subscribe("shops", by: "founder")
    let id = try #require(space.codes["shops"]).id
    for name in ["reader", "writer"] {
      try space.write(name, [.settle(invitation: id, accepted: [])])
      #expect(try subscription("shops", space)?.isSettled == false)
    }
    try space.write("admin", [.settle(invitation: id, accepted: [])])
    #expect(try subscription("shops", space)?.isSettled == true)
  }

  @Test(arguments: ["", "-shops", "a b", "shops\u{0}", String(repeating: "x", count: 25)])
  func whatIsNoNameIsNoSubscription(_ name: String) {
    let bytes = Array("VSRsub".utf8) + [UInt8(name.utf8.count)] + Array(name.utf8)
    let block = Array((bytes + [UInt8](repeating: 0, count: 32)).prefix(32))
    #expect(PublicKeys(signing: block, sealing: block).subscriptionName == nil)
  }

  @Test func aNameIsReadAsItWasWritten() {
    for name in ["a", "shops", "läden", String(repeating: "x", count: 24)] {
      let block = SubscriptionName.block(name)
      #expect(block.count == 32)
      #expect(PublicKeys(signing: block, sealing: block).subscriptionName == name)
      // What stands behind the name is nothing.
      var other = block
      other[31] ^= 1
      #expect(PublicKeys(signing: other, sealing: block).subscriptionName == nil)
    }
  }

  // MARK: - Codes

  @Test func aCodeIsReadAsItWasShown() throws {
    let space = try PaperSpace().space
    let code = try SubscriptionCode.random(for: space)
    let text = try #require(
      code.text.withBytes { String(validating: $0.array(0..<$0.byteCount), as: UTF8.self) })
    let again = try SubscriptionCode(typed: SecretBytes(text: text))
    #expect(again.space == space)
    let lower = try SubscriptionCode(typed: SecretBytes(text: text.lowercased()))
    #expect(lower.space == space)
    for wrong in [
      "", ".", String(text.dropLast()), String(text.dropFirst()), text + "0",
      text.replacing(".", with: ""), "x" + text,
    ] {
      #expect(throws: SyncError.self) { try SubscriptionCode(typed: SecretBytes(text: wrong)) }
    }
  }

  /// A hurried person: one code in the place of the other.
  @Test func eachCodeIsToldFromTheOther() throws {
    let code = try SubscriptionCode.random(for: PaperSpace().space)
    let asInvitation = #expect(throws: SyncError.self) { try InvitationCode(typed: code.text) }
    #expect(asInvitation?.message.contains("subscription") == true)
    let invitation = try InvitationCode.random()
    let asSubscription = #expect(throws: SyncError.self) {
      try SubscriptionCode(typed: invitation.text)
    }
    #expect(asSubscription?.message.contains("no subscription") == true)
  }
}

/// Subscriptions of vaults.
struct SubscribingTests: SuiteOfTwoMachines {
  let machines: TwoMachines

  init() throws { machines = try TwoMachines() }

  /// Whether a code opens a key that records tell.
  private func opens(_ code: SyncSubscriptionCode, _ epoch: [UInt8]) throws -> Bool {
    let seed = try #require(
      try RecoveryCode.key(from: code.text.slice(0..<41)).map { try RecoveryCode.spaceSeed(of: $0) }
    )
    let keys = try KeyPairs(seed: seed)
    return try KnownSpace(laptop).history.all.contains { record in
      record.content.operations.contains { operation in
        guard case .epoch(_, epoch, let boxes) = operation else { return false }
        return boxes.contains { (try? keys.sealing.open($0.key)) != nil }
      }
    }
  }

  private func current() throws -> EpochKey {
    try #require(try KnownSpace(laptop).history.roster().current)
  }

  @Test func keysAreSealedToItUntilItEnds() throws {
    let code = try first.subscribe("shops")
    #expect(try first.subscriptions().map(\.name) == ["shops"])
    try first.rotate()
    #expect(try opens(code, current().id))
    // Another machine that begins a key seals it, too.
    try second.synchronize()
    try first.setRole(.admin, of: "desktop")
    try second.synchronize()
    try second.rotate()
    try first.synchronize()
    #expect(try opens(code, current().id))
    let before = try current().number
    let ended = try second.endSubscription("shops")
    #expect(ended.isEnded && ended.madeBy == "laptop")
    try first.synchronize()
    #expect(try current().number > before)
    #expect(try !opens(code, current().id))
    #expect(try first.subscriptions().map(\.isEnded) == [true])
    #expect(try first.devices().count == 2)
  }

  /// Who began a key and who made a subscription did not know of each other.
  @Test func aKeyThatWasBegunMeanwhileIsToldToIt() throws {
    try first.setRole(.admin, of: "desktop")
    try second.synchronize()
    let code = try engine.apart {
      try first.subscribe("shops")
    } and: {
      try second.rotate()
    }
    try second.synchronize()
    try first.synchronize()
    try second.synchronize()
    try first.synchronize()
    #expect(try opens(code, current().id))
  }

  @Test func onlyAnAdminMakesOrEndsOne() throws {
    _ = try first.subscribe("shops")
    try second.synchronize()
    for act in [
      { _ = try second.subscribe("other") }, { _ = try second.endSubscription("shops") },
    ] {
      let error = #expect(throws: SyncError.self) { try act() }
      #expect(error?.code == .notAllowed)
    }
    try first.synchronize()
    #expect(try first.subscriptions().map(\.isEnded) == [false])
  }

  @Test func aNameIsTakenOnce() throws {
    _ = try first.subscribe("shops")
    let error = #expect(throws: SyncError.self) { _ = try first.subscribe("shops") }
    #expect(error?.code == .notAllowed)
    try first.endSubscription("shops")
    _ = try first.subscribe("shops")
    #expect(try first.subscriptions().map(\.isEnded) == [false, true])
    #expect(throws: SyncError.self) { _ = try first.subscribe("a name") }
    #expect(throws: SyncError.self) { _ = try first.subscribe(String(repeating: "x", count: 25)) }
    #expect(throws: SyncError.self) { _ = try first.subscribe("x", seconds: 0) }
    #expect(throws: SyncError.self) { try first.endSubscription("nothing") }
  }

  /// 'list --exposed-to' is asked for both.
  @Test func aMachinesNameIsNoSubscriptions() throws {
    for name in ["laptop", "desktop"] {
      let error = #expect(throws: SyncError.self) { _ = try first.subscribe(name) }
      #expect(error?.code == .notAllowed)
    }
    try first.remove("desktop")
    #expect(throws: SyncError.self) { _ = try first.subscribe("desktop") }
    #expect(try first.subscriptions().isEmpty)
  }

  @Test func itEndsByItselfWhereAPersonSaysSo() throws {
    let code = try first.subscribe("shops", seconds: 3600)
    #expect(try first.subscriptions().first?.expires != nil)
    laptop.time.advance(3_700_000)
    try first.synchronize()
    #expect(try first.subscriptions().map(\.isEnded) == [true])
    #expect(try !opens(code, current().id))
  }

  /// Whoever made it knows its code.
  @Test func itEndsWithTheMachineThatMadeIt() throws {
    try first.setRole(.admin, of: "desktop")
    try second.synchronize()
    let code = try second.subscribe("shops")
    try first.synchronize()
    try first.remove("desktop")
    #expect(try first.subscriptions().map(\.isEnded) == [true])
    #expect(try !opens(code, current().id))
  }

  @Test func whatItCouldReadIsNamed() throws {
    _ = try first.subscribe("shops")
    try laptop.set("seen", "1")
    try first.synchronize()
    try first.endSubscription("shops")
    try laptop.set("unseen", "2")
    try first.synchronize()
    #expect(try first.items(exposedTo: "shops").map(\.text) == ["seen", "token"])
    try laptop.set("seen", "3")
    try first.synchronize()
    #expect(try first.items(exposedTo: "shops").map(\.text) == ["token"])
  }

  /// A code is shown where an invitation is asked for.
  @Test func nobodyJoinsByIt() throws {
    let code = try first.subscribe("shops")
    let server = try SyncMachine("server")
    let error = #expect(throws: SyncError.self) {
      try SyncedVault.join(
        server.vault, in: engine, at: "memory", invitation: code.text, label: "server")
    }
    #expect(error?.code == .invitation)
    // Its secret part alone opens nothing in the store.
    let part = try code.text.slice(0..<41)
    let other = #expect(throws: SyncError.self) {
      try SyncedVault.join(
        server.vault, in: engine, at: "memory", invitation: part, label: "server")
    }
    #expect(other?.code == .invitation)
  }
}
