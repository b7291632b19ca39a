import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// Who belongs to a space follows from its records, whatever somebody writes who was in it, is, or
/// never was.
struct RosterTests {
  private func space(_ people: [(String, SyncRole)]) throws -> PaperSpace {
    var space = try PaperSpace()
    for (name, role) in people { try space.add(name, role) }
    return space
  }

  // MARK: - Beginnings

  @Test func theFounderIsAnOwner() throws {
    #expect(try PaperSpace().members == ["founder owner"])
  }

  /// A stream of nobody, or of a member, that says once more that it made the space.
  @Test(arguments: ["claim, create", "create", "create of the founder's keys", "late create"])
  func nobodyElseBecomesTheFounder(_ way: String) throws {
    var space = try space([("reader", .reader), ("desk", .writer)])
    let before = PaperSpace.everything(of: space.roster)
    let founder = try #require(space.people["founder"])
    let thief = try space.newPerson("thief")
    let nonce = [UInt8](repeating: 7, count: 16)
    let own = VaultSync.Operation.create(
      keys: thief.keys.publicKeys, nonce: nonce, label: "founder", rules: 2)
    let claim = VaultSync.Operation.claim(
      keys: thief.keys.publicKeys, invitation: nonce, label: "founder",
      signature: [UInt8](repeating: 1, count: 64))
    switch way {
    case "claim, create": try space.write("thief", [claim, own])
    case "create": try space.write("thief", [own])
    case "create of the founder's keys":
      try space.write(
        "thief",
        [
          .create(
            keys: founder.keys.publicKeys, nonce: nonce, label: "founder", rules: 2)
        ])
    default: try space.write("reader", [own])
    }
    #expect(PaperSpace.everything(of: space.roster) == before)
    #expect(space.history.stops.count == 1)
    #expect(space.roster.creator == founder.stream)
  }

  /// Only the first thing of the first record says whose stream it is.
  @Test func aSecondClaimStopsThatStreamAlone() throws {
    var space = try space([("desk", .writer)])
    try space.invite("a", by: "founder", .reader)
    try space.invite("b", by: "founder", .owner)
    let thief = try space.newPerson("thief")
    let claims = try ["a", "b"].compactMap { try space.claim(thief, by: $0) }
    try space.write("thief", claims)
    try space.admit("thief", by: "founder", code: "b")
    #expect(space.members == ["desk writer", "founder owner"])
    try space.write("desk", [])
    #expect(space.history.stops.map(\.stream) == [thief.stream])
  }

  @Test(arguments: [0, 1]) func aKeyThatNothingCanBeSealedToIsRefused(_ first: UInt8) throws {
    var space = try PaperSpace()
    try space.invite("a", by: "founder", .reader)
    let code = try #require(space.codes["a"])
    let keys = PublicKeys(
      signing: try KeyPairs(seed: SecretBytes.random(count: 32)).publicKeys.signing,
      sealing: [first] + [UInt8](repeating: 0, count: 31))
    let stream = try StreamID(of: keys, in: space.space)
    let claim = VaultSync.Operation.claim(
      keys: keys, invitation: code.id, label: "x",
      signature: code.keys.signing.signature(of: Operation.claimed(by: stream, in: space.space)))
    let before = space.history.all.count
    try space.newPerson("x")
    try space.write("x", [claim])
    #expect(space.history.all.count == before)
    #expect(space.members == ["founder owner"])
  }

  // MARK: - Being let in

  @Test func whoClaimsIsInWhenAnAdminSaysSo() throws {
    var space = try PaperSpace()
    try space.invite("desk", by: "founder", .writer)
    try space.claim("desk", by: "desk")
    #expect(space.members == ["founder owner"])
    let invitation = try #require(space.roster.invitations.values.first)
    #expect(invitation.refused == [try #require(space.people["desk"]?.stream)])
    // It counts for itself.
    space.history.viewer = space.people["desk"]?.stream
    #expect(PaperSpace.description(of: space.history.roster()) == ["desk writer", "founder owner"])
    #expect(!space.history.roster().isAdmin(try #require(space.people["desk"]?.stream)))
    try space.admit("desk", by: "founder", code: "desk")
    #expect(space.members == ["desk writer", "founder owner"])
  }

  @Test func aReaderAWriterAndAStrangerLetNobodyIn() throws {
    var space = try space([("reader", .reader), ("writer", .writer)])
    try space.invite("a", by: "founder", .admin)
    try space.claim("a", by: "a")
    for name in ["reader", "writer", "a"] {
      try space.admit("a", by: name, code: "a")
      try space.admit("a", by: name, code: "a", closes: true)
    }
    #expect(space.members == ["founder owner", "reader reader", "writer writer"])
    #expect(space.roster.invitations.values.allSatisfy { $0.role < .admin || !$0.isSettled })
  }

  @Test func nobodyLetsInMoreThanHeMayHimself() throws {
    var space = try space([("admin", .admin)])
    // By an invitation of his own, and by one of the owner.
    try space.invite("own", by: "admin", .owner)
    try space.claim("own", by: "own")
    try space.admit("own", by: "founder", code: "own")
    try space.invite("theirs", by: "founder", .owner)
    try space.claim("theirs", by: "theirs")
    try space.admit("theirs", by: "admin", code: "theirs")
    #expect(space.members == ["admin admin", "founder owner"])
    try space.admit("theirs", by: "founder", code: "theirs")
    #expect(space.members == ["admin admin", "founder owner", "theirs owner"])
  }

  @Test func anInvitationServesAsManyAsItSays() throws {
    var space = try PaperSpace()
    try space.invite("fleet", by: "founder", .reader, uses: 2)
    for name in ["a", "b", "c"] { try space.claim(name, by: "fleet") }
    for name in ["a", "b", "c"] { try space.admit(name, by: "founder", code: "fleet") }
    #expect(space.members == ["a reader", "b reader", "founder owner"])
    // Who closes it afterwards does not put anybody out.
    let code = try #require(space.codes["fleet"])
    try space.write("founder", [.settle(invitation: code.id, accepted: [])])
    #expect(space.members == ["a reader", "b reader", "founder owner"])
    #expect(space.roster.invitations[code.id]?.isSettled == true)
  }

  // MARK: - Removing

  /// What a machine writes after its removal never counts, whatever it says that it knew.
  @Test(arguments: [SyncRole.reader, .writer, .admin, .owner])
  func whoWasRemovedSaysNothingMore(_ role: SyncRole) throws {
    var space = try space([("thief", role), ("desk", .admin)])
    let known = space.counts
    try space.remove("thief", by: "founder")
    let after = space.members
    #expect(after == ["desk admin", "founder owner", "thief \(role.name) †1"])
    let everybody = ["founder", "desk"].compactMap { space.people[$0]?.stream }
    for knowing in [known, nil, [:]] as [[String: Int]?] {
      for last in [0, 1, 2, UInt64.max] {
        try space.write("thief", everybody.map { .remove($0, last: last) }, knowing: knowing)
      }
      try space.write("thief", everybody.map { .role($0, .reader) }, knowing: knowing)
      try space.invite("accomplice", by: "thief", .owner, knowing: knowing)
    }
    try space.claim("accomplice", by: "accomplice")
    try space.admit("accomplice", by: "thief", code: "accomplice", knowing: known)
    #expect(space.members == after)
    #expect(space.roster.owners.map(\.label) == ["founder"])
  }

  @Test func aRemovalTakesBackNothingThatItsAuthorHadSeen() throws {
    var space = try space([("desk", .writer), ("admin", .admin)])
    for _ in 0..<3 { try space.write("desk", []) }
    try space.write("admin", [])
    let desk = try #require(space.people["desk"])
    try space.write("admin", [.remove(desk.stream, last: 0)])
    #expect(space.members == ["admin admin", "desk writer †4", "founder owner"])
    try space.write("desk", [])
    #expect(space.roster.limit(desk.stream) == 4)
  }

  /// Of those who remove each other the one who came before stays: somebody always goes on.
  @Test func conflictingRemovalsEndTheSameWay() throws {
    var space = try space([("o1", .owner), ("o2", .owner), ("a1", .admin), ("a2", .admin)])
    let known = space.counts
    try space.remove("o1", by: "o2", knowing: known)
    try space.remove("founder", by: "o1", knowing: known)
    try space.remove("o2", by: "o1", knowing: known)
    try space.remove("o1", by: "a1", knowing: known)
    try space.remove("a1", by: "a2", knowing: known)
    try space.remove("a2", by: "a1", knowing: known)
    #expect(
      space.members == [
        "a1 admin", "a2 admin †1", "founder owner", "o1 owner", "o2 owner †1",
      ])
  }

  @Test func whoGoesByHimselfIsOut() throws {
    var space = try space([("desk", .writer), ("o1", .owner)])
    try space.remove("desk", by: "desk")
    try space.remove("founder", by: "founder")
    #expect(space.members == ["desk writer †2", "founder owner †6", "o1 owner"])
    #expect(space.roster.owners.map(\.label) == ["o1"])
  }

  // MARK: - Roles

  @Test func anOwnerGivesRolesAndTakesThem() throws {
    var space = try space([("desk", .writer), ("admin", .admin)])
    try space.setRole(.owner, of: "desk", by: "admin")
    try space.setRole(.owner, of: "desk", by: "desk")
    #expect(space.members == ["admin admin", "desk writer", "founder owner"])
    try space.setRole(.owner, of: "desk", by: "founder")
    try space.setRole(.reader, of: "admin", by: "desk")
    #expect(space.members == ["admin reader", "desk owner", "founder owner"])
    // Whoever came before stays what he is.
    try space.setRole(.reader, of: "founder", by: "desk")
    try space.setRole(.writer, of: "desk", by: "founder")
    #expect(space.members == ["admin reader", "desk writer", "founder owner"])
    try space.setRole(.admin, of: "desk", by: "founder")
    #expect(space.members == ["admin reader", "desk admin", "founder owner"])
  }

  /// What was written in a role counts as it did; what comes after its end does not.
  @Test func aRoleEndsWhereItsAuthorHadSeenTheMachine() throws {
    var space = try space([("desk", .admin)])
    try space.invite("before", by: "desk", .writer)
    let known = space.counts
    try space.setRole(.reader, of: "desk", by: "founder")
    try space.invite("after", by: "desk", .writer, knowing: known)
    for name in ["before", "after"] {
      try space.claim(name, by: name)
      try space.admit(name, by: "founder", code: name)
    }
    #expect(space.members == ["before writer", "desk reader", "founder owner"])
    #expect(space.roster.limit(try #require(space.people["desk"]?.stream)) == 2)
  }

  @Test func anAdminsRemovalDoesNotTouchWhoWasMadeAnOwnerMeanwhile() throws {
    var space = try space([("admin", .admin), ("desk", .writer)])
    let known = space.counts
    try space.setRole(.owner, of: "desk", by: "founder")
    try space.remove("desk", by: "admin", knowing: known)
    #expect(space.members == ["admin admin", "desk owner", "founder owner"])
  }

  /// Neither knew of the other one's word: the one who came before stays what he was, and nobody
  /// who saw the records in another order says otherwise.
  @Test(arguments: [SyncRole.admin, .owner], [SyncRole.reader, .writer])
  func ofTwoWhoTakeEachOthersRoleTheOneWhoCameBeforeStays(
    _ role: SyncRole, _ given: SyncRole
  ) throws {
    var space = try space([("first", role), ("second", role)])
    let known = space.counts
    try space.setRole(given, of: "second", by: "first", knowing: known)
    try space.setRole(given, of: "first", by: "second", knowing: known)
    let expected = [
      "first \(role.name)", "founder owner", "second \(given.name)",
    ].sorted()
    #expect(space.members == expected)
    for order in [["founder", "first", "second"], ["second", "first", "founder"]] {
      let other = try space.reopened(in: order)
      #expect(PaperSpace.description(of: other.roster()) == expected)
    }
    // Somebody goes on: the first one gives the role back.
    try space.setRole(.admin, of: "second", by: "first")
    #expect(space.members.contains("second admin"))
  }

  /// One removes, the other one takes the role: both at once.
  @Test func aRemovalAndARoleAtOnceEndTheSameWay() throws {
    for remover in ["first", "second"] {
      var space = try space([("first", .admin), ("second", .admin)])
      let known = space.counts
      let other = remover == "first" ? "second" : "first"
      try space.remove(other, by: remover, knowing: known)
      try space.setRole(.reader, of: remover, by: other, knowing: known)
      let members = space.members.map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
      // The first one comes before the second, whichever of both it does.
      #expect(members.contains("first admin"))
      #expect(
        members.contains { $0.hasPrefix("second") && ($0.contains("†") || $0.contains("reader")) })
    }
  }

  // MARK: - Recovery codes

  @Test func aRecoveryCodeStandsForTheMachineOfItsVault() throws {
    var space = try space([("o1", .owner), ("a1", .admin)])
    try space.makeCode("drawer", by: "founder")
    try space.makeCode("a1's", by: "a1")
    try space.claim("rescue", by: "drawer")
    try space.claim("a1-rescue", by: "a1's")
    #expect(
      space.members == [
        "a1 admin", "a1-rescue admin", "founder owner", "o1 owner", "rescue owner",
      ])
    #expect(space.roster.owners.map(\.label) == ["rescue", "founder", "o1"])
    let known = space.counts
    try space.remove("founder", by: "rescue")
    try space.remove("rescue", by: "founder", knowing: known)
    try space.remove("rescue", by: "o1", knowing: known)
    try space.remove("o1", by: "a1-rescue", knowing: known)
    #expect(
      space.members == [
        "a1 admin", "a1-rescue admin", "founder owner †6", "o1 owner", "rescue owner",
      ])
  }

  @Test func aCodeThatWasWithdrawnLetsNobodyIn() throws {
    var space = try space([("o1", .owner)])
    try space.makeCode("drawer", by: "founder")
    let code = try #require(space.codes["drawer"])
    let known = space.counts
    // Those who come later cannot close it, but close it to themselves no further.
    try space.write("o1", [.settle(invitation: code.id, accepted: [])])
    try space.claim("rescue", by: "drawer", knowing: known)
    #expect(space.members == ["founder owner", "o1 owner", "rescue owner"])
    try space.write(
      "founder",
      [.settle(invitation: code.id, accepted: [try #require(space.people["rescue"]?.stream)])])
    try space.claim("thief", by: "drawer", knowing: known)
    #expect(space.members == ["founder owner", "o1 owner", "rescue owner"])
  }

  /// A thief has a code that was withdrawn, and an old copy of the store, as git's history is one:
  /// whoever had seen the withdrawal closes the code to him.
  @Test(arguments: [false, true]) func aCodeThatWasWithdrawnStaysSoForWhoHasAnOldCopy(
    _ isOfReader: Bool
  ) throws {
    var space = try space([("o1", .owner), ("a1", .admin), ("writer", .writer)])
    try space.add("reader", .reader, by: "a1")
    try space.makeCode("drawer", by: "founder")
    let code = try #require(space.codes["drawer"])
    let old = space.counts
    try space.write("founder", [.settle(invitation: code.id, accepted: [])])
    // Somebody says nothing but that he has seen it.
    try space.write(isOfReader ? "reader" : "writer", [])
    let members = space.members
    try space.claim("thief", by: "drawer", knowing: old)
    var known = old
    known["thief"] = 1
    for name in ["founder", "o1", "writer", "reader"] {
      try space.remove(name, by: "thief", knowing: known)
    }
    #expect(space.members == members)
    let names = ["thief", "founder", "o1", "a1", "writer", "reader"]
    for order in [names, names.reversed()] {
      let other = try space.reopened(in: order)
      #expect(PaperSpace.description(of: Roster(other.records, upTo: other.frontier)) == members)
    }
  }

  /// A thief of the first machine withdraws the code as if nobody had come by it.
  ///
  /// Machines that he brings with him witness nothing, nor do those whom the machine itself had put
  /// out.
  @Test func aThiefOfTheFirstMachineBringsNoWitnesses() throws {
    var space = try space([("o1", .owner), ("gone", .writer)])
    try space.remove("gone", by: "founder")
    try space.makeCode("drawer", by: "founder")
    let code = try #require(space.codes["drawer"])
    let before = space.counts
    try space.claim("rescue", by: "drawer")
    try space.remove("founder", by: "rescue")
    // What the thief writes knows nothing of it.
    try space.invite("puppet", by: "founder", .owner, knowing: before)
    var known = before
    known["founder", default: 0] += 1
    try space.claim("puppet", by: "puppet", knowing: known)
    known["puppet"] = 1
    try space.admit("puppet", by: "founder", code: "puppet", knowing: known)
    known["founder", default: 0] += 1
    try space.write(
      "founder", [.settle(invitation: code.id, accepted: [])], knowing: known)
    known["founder", default: 0] += 1
    try space.succeed("copy", of: "founder", knowing: known)
    for name in ["puppet", "gone", "copy"] { try space.write(name, [], knowing: known) }
    #expect(space.members.contains("rescue owner"))
    #expect(space.roster.owners.map(\.label) == ["rescue", "o1"])
    // One who was in all the time has seen it first.
    try space.write("o1", [], knowing: known)
    #expect(!space.members.contains("rescue owner"))
  }

  /// A member helps the thief of the first machine, long after: the others had seen who came by the
  /// code.
  @Test func aMemberAloneDoesNotUndoARecovery() throws {
    var space = try space([("o1", .owner), ("w1", .writer), ("liar", .reader)])
    try space.makeCode("drawer", by: "founder")
    let code = try #require(space.codes["drawer"])
    let before = space.counts
    try space.claim("rescue", by: "drawer")
    try space.remove("founder", by: "rescue")
    for name in ["o1", "w1"] { try space.write(name, []) }
    let members = space.members
    try space.write("founder", [.settle(invitation: code.id, accepted: [])], knowing: before)
    var known = before
    known["founder", default: 0] += 1
    try space.write("liar", [], knowing: known)
    #expect(space.members == members && members.contains("rescue owner"))
  }

  // MARK: - Epochs

  @Test func nobodyUsesUpTheNumbersOfEpochs() throws {
    var space = try space([("admin", .admin), ("writer", .writer)])
    for name in ["admin", "writer"] {
      try space.write(
        name, [.epoch(number: .max, id: [UInt8](repeating: 1, count: 16), sealed: [])])
    }
    #expect(space.roster.current?.number == 1)
  }

  // MARK: - Spaces of earlier versions

  @Test func aSpaceOfAnEarlierVersionHasItsOwnRules() throws {
    var space = try PaperSpace(rules: 1)
    try space.invite("desk", by: "founder", .admin)
    try space.claim("desk", by: "desk")
    #expect(space.members == ["desk admin", "founder admin"])
    try space.remove("founder", by: "desk")
    #expect(space.members == ["desk admin", "founder admin †2"])
    #expect(space.roster.owners.map(\.label) == ["desk"])
  }
}
