import TestSupport
import Testing
import VaultCredentials
import VaultCredentialsTesting
import VaultSealing

/// An undo takes back what its own person did, and nothing that others have changed since.
struct UndoOriginTests {
  private let vault: ThrowawayVault

  init() throws { vault = try ThrowawayVault() }

  /// The same vault, opened by somebody else.
  private func opened(by origin: ChangeOrigin) throws -> UnlockedVault.Blocking {
    var options = VaultOptions.alone
    options.origin = origin
    let other = try LockedVault(location: vault.location, options: options)
    return try other.blocking.unlock(with: [.key { vault.key }]).blocking
  }

  private func text(_ item: String) throws -> String? {
    try vault.open.blocking.get(name(item)).text
  }

  @Test(arguments: [ChangeOrigin.program, .others])
  func whatOthersChangedStays(_ origin: ChangeOrigin) throws {
    let person = vault.open.blocking
    try person.set(name("theirs"), to: Secret("1"))
    try person.set(name("mine"), to: Secret("a"))
    try person.remove(name("mine"))
    let other = try opened(by: origin)
    try other.set(name("theirs"), to: Secret("2"))
    try other.set(name("new"), to: Secret("n"))
    let mineUndone = UndoneChange(name: try name("mine"), kind: .restored)
    #expect(try person.undo() == [mineUndone])
    #expect(try text("theirs") == "2")
    #expect(try text("new") == "n")
  }

  /// What a program stored is undone where that is asked for.
  @Test func aProgramsStepIsUndoneByName() throws {
    let person = vault.open.blocking
    try person.set(name("git"), to: Secret("1"))
    try opened(by: .program).set(name("git"), to: Secret("2"))
    try person.set(name("mine"), to: Secret("a"))
    let gitUndone = UndoneChange(name: try name("git"), kind: .changedBack)
    #expect(try person.undo(of: .program) == [gitUndone])
    #expect(try text("git") == "1")
    let mineUndone = UndoneChange(name: try name("mine"), kind: .removed)
    #expect(try person.undo() == [mineUndone])
    #expect(throws: CredentialError.self) { try person.undo(of: .others) }
  }

  /// Property by property: what somebody else has changed since is said, and stays.
  @Test func aPropertyThatWasChangedSinceStays() throws {
    let person = vault.open.blocking
    var changes = ItemChanges()
    changes.note = "before"
    changes.tags = ["old"]
    changes.attributes = ["service": "a"]
    try person.set(name("a"), to: Secret("1"), changes: changes)
    changes.note = "mine"
    changes.tags = ["new"]
    changes.attributes = ["service": "b"]
    try person.set(name("a"), to: Secret("2"), changes: changes)
    var theirs = ItemChanges()
    theirs.note = "theirs"
    theirs.tags = ["new", "more"]
    theirs.attributes = ["service": "b", "account": "x"]
    try opened(by: .others).update(name("a"), theirs)
    let undone = try person.undo()
    let expected = UndoneChange(name: try name("a"), kind: .changedBack, kept: ["note"])
    #expect(undone == [expected])
    let item = try person.item(name("a"))
    #expect(item.note == "theirs")
    #expect(item.tags == ["more", "old"])
    #expect(item.attributes == ["service": "a", "account": "x"])
    #expect(try text("a") == "1")
  }

  @Test func whereAllWasChangedSinceNothingIsUndone() throws {
    let person = vault.open.blocking
    try person.set(name("a"), to: Secret("1"))
    try opened(by: .others).set(name("a"), to: Secret("2"))
    let generation = try vault.locked.blocking.summary().generation
    #expect(throws: CredentialError.self) { try person.undo() }
    #expect(try vault.locked.blocking.summary().generation == generation)
    #expect(try text("a") == "2")
  }

  @Test func severalStepsBackArePossible() throws {
    let person = vault.open.blocking
    for value in 1...8 { try person.set(name("a"), to: Secret("\(value)")) }
    try person.undo()
    #expect(try text("a") == "7")
    // Once more is the last one again, and is told so.
    let again = try person.undo()
    #expect(again.allSatisfy { $0.isRedone })
    #expect(try text("a") == "8")
    try person.undo(steps: 2)
    #expect(try text("a") == "6")
    try person.undo(steps: 1)
    #expect(try text("a") == "5")
    try person.set(name("b"), to: Secret("b"))
    try person.undo(steps: 2)
    #expect(try text("a") == "4")
    #expect(throws: CredentialError.self) { try person.get(name("b")) }
  }

  /// What one undo brought back, under another number, is nobody else's change.
  @Test func twoStepsBackAfterAnUndoAreNotBlamedOnOthers() throws {
    let person = vault.open.blocking
    try person.set(name("a"), to: Secret("1"))
    try person.set(name("a"), to: Secret("2"))
    try person.undo()
    let undone = try person.undo(steps: 2)
    #expect(undone == [UndoneChange(name: try name("a"), kind: .removed)])
    #expect(try person.items().isEmpty)
  }

  /// As an import that replaces everything does, and a new name for a whole folder.
  @Test func aChangeOfVeryManyItemsIsUndoneAsAWhole() throws {
    let blocking = vault.open.blocking
    let count = 19_999
    let names = try (0..<count).map { try name("folder/item \($0)") }
    func drafts(_ byte: UInt8, _ attribute: String) throws -> [ItemDraft] {
      try names.map { name in
        var changes = ItemChanges()
        changes.attributes = ["which": attribute]
        return ItemDraft(name, main: try SecretBytes(copying: [byte]), changes: changes)
      }
    }
    try blocking.store(drafts(1, "first"))
    try blocking.store(drafts(2, "second"))
    // A step of somebody else moves the positions.
    try opened(by: .others).set(name("another"), to: Secret("x"))
    // What a program renewed since stays.
    try opened(by: .program).set(names[7], to: Secret("renewed"))
    let undone = try blocking.undo()
    #expect(undone.count == count)
    #expect(undone.count { $0.kind == .changedBack && $0.kept.isEmpty } == count - 1)
    #expect(try blocking.get(names[7]).text == "renewed")
    for place in [0, 8, count - 1] {
      #expect(try blocking.get(names[place]).bytes.isEqual(to: SecretBytes(copying: [1])))
      #expect(try blocking.item(names[place]).attributes == ["which": "first"])
    }
    try blocking.undo()
    #expect(try blocking.get(names[8]).bytes.isEqual(to: SecretBytes(copying: [2])))
    #expect(try blocking.item(names[8]).attributes == ["which": "second"])
    #expect(try blocking.check().isDamaged == false)
  }

  /// Positions of new items in a note are those of the items as they are now.
  @Test func aStepOfManyNewItemsSurvivesItemsOfOthers() throws {
    let person = vault.open.blocking
    try person.edit { edit in
      for number in 0..<150 { try edit.set(name("new\(number)"), to: Secret("1")) }
    }
    let other = try opened(by: .others)
    for number in 0..<40 { try other.set(name("theirs\(number)"), to: Secret("2")) }
    #expect(try person.undo().count == 150)
    #expect(try person.items().count == 40)
    #expect(try person.items().allSatisfy { $0.name.text.hasPrefix("theirs") })
  }

  @Test func aStepSurvivesANewKey() throws {
    try vault.open.blocking.set(name("a"), to: Secret("1"))
    try vault.open.blocking.set(name("a"), to: Secret("2"))
    let rotated = try vault.open.blocking.rotate(to: [.keyFile(vault.key)])
    try rotated.blocking.undo()
    #expect(try rotated.blocking.get(name("a")).text == "1")
  }
}
