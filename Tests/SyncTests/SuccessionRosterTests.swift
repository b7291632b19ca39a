import Testing
import VaultSealing
import VaultSync

/// A machine that goes on in another stream has the rights of the one before, and no others.
struct SuccessionRosterTests {
  private var space: PaperSpace

  /// The founder has let an admin and a writer in.
  init() throws {
    space = try PaperSpace()
    try space.add("admin", .admin)
    try space.add("writer", .writer)
  }

  @Test mutating func itHasTheRoleAndTheNameOfTheOneBefore() throws {
    try space.succeed("again", of: "admin")
    #expect(
      space.members == ["admin admin", "admin admin →", "founder owner", "writer writer"])
    #expect(space.roster.present.count == 3)
    // What it says counts as that of the one before did.
    try space.add("guest", .reader, by: "again")
    #expect(space.members.contains("guest reader"))
    #expect(space.history.stops.isEmpty)
  }

  @Test mutating func theOneBeforeIsInWhenItWritesOnAndKnowsTheOther() throws {
    try space.succeed("again", of: "writer")
    try space.write("writer", [], knowing: ["founder": 1])
    #expect(space.roster.present.count == 3)
    try space.write("writer", [])
    #expect(space.roster.present.count == 4)
    #expect(
      space.members == ["admin admin", "founder owner", "writer writer", "writer-2 writer"])
  }

  @Test mutating func aCopyOfACopyGoesOnTwice() throws {
    try space.succeed("again", of: "writer")
    try space.succeed("once more", of: "again")
    #expect(space.roster.present.map(\.label).sorted() == ["admin", "founder", "writer"])
    try space.remove("once more", by: "admin")
    #expect(space.roster.members[try stream("once more")]?.last != nil)
  }

  private func stream(_ name: String) throws -> StreamID {
    try #require(space.people[name]?.stream)
  }

  private func isIn(_ name: String) throws -> Bool {
    try space.roster.members[stream(name)].map { $0.last == nil } ?? false
  }

  /// A thief has the home: whoever removes the machine and does not know of the thief removes both.
  @Test(arguments: ["before", "after", "beside"])
  mutating func whoeverRemovesTheMachineRemovesWhatGoesOnForIt(_ order: String) throws {
    let known = space.counts
    if order == "after" { try space.succeed("thief", of: "admin") }
    try space.remove("admin", by: "founder", knowing: known)
    if order == "before" { try space.succeed("thief", of: "admin") }
    if order == "beside" { try space.succeed("thief", of: "admin", knowing: known) }
    try space.add("guest", .reader, by: "thief")
    #expect(try !isIn("admin"))
    #expect(try !isIn("thief"))
    #expect(!space.members.contains { $0.hasPrefix("guest") })
    try space.succeed("thief's", of: "thief")
    #expect(try !isIn("thief's"))
  }

  @Test mutating func aRemovalThatKnowsOfItIsOfTheOneBeforeAlone() throws {
    try space.succeed("again", of: "admin")
    try space.remove("admin", by: "founder")
    #expect(try !isIn("admin"))
    #expect(try isIn("again"))
  }

  @Test mutating func itTakesOutTheOneBeforeWhenItLeaves() throws {
    try space.succeed("again", of: "writer")
    let (writer, again) = (try stream("writer"), try stream("again"))
    try space.write("again", [.remove(again, last: 1), .remove(writer, last: 9)])
    #expect(try !isIn("writer"))
    #expect(try !isIn("again"))
    #expect(space.roster.present.count == 2)
  }

  /// Of a copy and its original, either may take the other one out, whatever their role.
  @Test(arguments: ["founder", "admin", "writer"])
  mutating func theOriginalTakesOutItsCopy(_ name: String) throws {
    try space.succeed("copy", of: name)
    try space.remove("copy", by: name)
    #expect(try !isIn("copy"))
    #expect(try isIn(name))
    // One that is out by its copy does not.
    try space.succeed("second", of: name)
    try space.remove(name, by: "second")
    try space.remove("second", by: name)
    #expect(try !isIn(name))
    #expect(try isIn("second"))
  }

  @Test mutating func anOriginalThatIsOutTakesNoCopyOut() throws {
    try space.succeed("copy", of: "writer")
    try space.remove("writer", by: "admin")
    try space.remove("copy", by: "writer")
    try space.setRole(.reader, of: "copy", by: "writer")
    #expect(try isIn("copy"))
    #expect(space.roster.members[try stream("copy")]?.role == .writer)
  }

  @Test mutating func onceItIsOutItTakesNobodyOut() throws {
    try space.succeed("copy", of: "writer")
    try space.write("writer", [])
    try space.remove("copy", by: "admin")
    try space.remove("writer", by: "copy")
    #expect(try isIn("writer"))
  }

  @Test mutating func aMachineThatLeftDoesNotComeBackByItsBackup() throws {
    let known = space.counts
    try space.remove("writer", by: "writer")
    try space.succeed("again", of: "writer", knowing: known)
    #expect(try !isIn("again"))
  }

  @Test mutating func aRoleThatWasTakenIsNotThereAgain() throws {
    let known = space.counts
    try space.setRole(.reader, of: "admin", by: "founder")
    try space.succeed("again", of: "admin", knowing: known)
    try space.write("again", [])
    #expect(space.roster.members[try stream("again")]?.role == .reader)
    try space.add("guest", .reader, by: "again")
    #expect(!space.members.contains { $0.hasPrefix("guest") })
  }

  @Test mutating func aRoleThatIsGivenLaterIsOfTheMachineThatItIsGivenTo() throws {
    try space.succeed("again", of: "writer")
    try space.setRole(.admin, of: "again", by: "founder")
    try space.write("again", [])
    #expect(space.roster.members[try stream("again")]?.role == .admin)
    #expect(space.roster.members[try stream("writer")]?.role == .writer)
  }

  @Test(arguments: ["another's key", "its own key", "nobody"])
  mutating func onlyTheKeyOfTheOneBeforeSaysSo(_ how: String) throws {
    switch how {
    case "another's key": try space.succeed("thief", of: "admin", signedBy: "writer")
    case "its own key": try space.succeed("thief", of: "admin", signedBy: "thief")
    default: try space.succeed("thief", of: "admin", knowing: [:])
    }
    #expect(space.history.streams[try stream("thief")] == nil)
    #expect(space.members == ["admin admin", "founder owner", "writer writer"])
    #expect(space.history.stops.allSatisfy { $0.stream == space.people["thief"]?.stream })
  }

  @Test mutating func nobodySaysItInTheMiddleOfAStream() throws {
    let (person, admin) = (try space.newPerson("thief"), try #require(space.people["admin"]))
    let signature = admin.keys.signing.signature(
      of: Operation.succeeded(by: person.stream, in: space.space))
    try space.write(
      "writer",
      [
        .succeed(
          keys: person.keys.publicKeys, predecessor: admin.stream, label: "x",
          signature: signature)
      ])
    #expect(space.history.stops.map(\.stream) == [try stream("writer")])
    #expect(space.members == ["admin admin", "founder owner", "writer writer"])
  }

  /// The recovery code of a stolen machine stands before whoever has its home.
  @Test mutating func aRecoveryCodeComesBeforeACopyOfTheHome() throws {
    try space.makeCode("code", by: "founder")
    try space.succeed("thief", of: "founder")
    try space.claim("rescue", by: "code")
    try space.remove("rescue", by: "thief")
    #expect(try isIn("rescue"))
    try space.remove("thief", by: "rescue")
    try space.remove("founder", by: "rescue")
    #expect(try !isIn("thief"))
    #expect(try !isIn("founder"))
    #expect(space.roster.owners.map(\.label) == ["rescue"])
  }

  /// A code of the home is told again by whoever goes on with it, and stands for that one.
  @Test(arguments: ["told again", "withdrawn", "not told"])
  mutating func theCodesOfTheVaultAreItsOwn(_ how: String) throws {
    try space.makeCode("code", by: "founder")
    let known = space.counts
    try space.succeed("again", of: "founder")
    let id = try #require(space.codes["code"]?.id)
    if how != "not told" { try space.makeCode("code", by: "again") }
    if how == "withdrawn" { try space.write("again", [.settle(invitation: id, accepted: [])]) }
    try space.claim("late", by: "code")
    #expect(try isIn("late") == (how != "withdrawn"))
    #expect(space.roster.invitations[id]?.isSettled == (how == "withdrawn"))
    // Who did not know of it comes by the code as it was.
    try space.claim("early", by: "code", knowing: known)
    #expect(try isIn("early"))
    let early = try stream("early")
    #expect(space.roster.invitations[id]?.accepted.contains(early) == true)
  }

  /// The one that was copied tells its codes again, so that no copy takes them from it.
  @Test mutating func aCopyTakesNoCodeFromItsOriginal() throws {
    try space.makeCode("code", by: "founder")
    try space.succeed("copy", of: "founder")
    try space.makeCode("code", by: "copy")
    let id = try #require(space.codes["code"]?.id)
    try space.makeCode("code", by: "founder")
    try space.write("copy", [.settle(invitation: id, accepted: [])])
    try space.remove("copy", by: "founder")
    try space.claim("rescue", by: "code")
    #expect(try isIn("rescue"))
  }

  /// The code of a vault that was itself brought back by a code.
  @Test mutating func aRecoveryCodeIsOfUseAgainAndAgain() throws {
    try space.makeCode("first", by: "founder")
    try space.claim("second", by: "first")
    try space.remove("founder", by: "second")
    try space.makeCode("later", by: "second")
    try space.claim("third", by: "later")
    try space.remove("second", by: "third")
    #expect(space.roster.owners.map(\.label) == ["third"])
    try space.add("guest", .writer, by: "third")
    #expect(space.members.contains("guest writer"))
  }

  @Test mutating func itIsTheSameInWhateverOrderStreamsCome() throws {
    try space.makeCode("code", by: "founder")
    try space.succeed("again", of: "writer")
    try space.write("writer", [])
    try space.succeed("once more", of: "again")
    try space.remove("again", by: "admin", knowing: ["again": 1, "founder": 9])
    try space.claim("rescue", by: "code")
    let names = space.people.keys.sorted()
    for shift in names.indices {
      let other = try space.reopened(in: Array(names[shift...] + names[..<shift]))
      #expect(
        PaperSpace.everything(of: Roster(other.records, upTo: other.frontier))
          == PaperSpace.everything(of: space.roster))
    }
  }
}
