import TestSupport
import Testing
import VaultCredentials
import VaultCredentialsTesting
import VaultSealing

/// The last change of items can be taken back, whichever it was, and the taking back too.
struct UndoTests {
  private func names(_ vault: ThrowawayVault) throws -> [String] {
    try vault.open.blocking.items().map(\.name.text)
  }

  @Test func whatWasMadeGoesToTheTrashAndComesBack() throws {
    let vault = try ThrowawayVault()
    try vault.open.blocking.set(name("a"), to: Secret("1"))
    #expect(try vault.open.blocking.undo() == [UndoneChange(name("a"), .removed)])
    #expect(try names(vault) == [])
    let again = UndoneChange(name: try name("a"), kind: .restored, isRedone: true)
    #expect(try vault.open.blocking.undo() == [again])
    #expect(try vault.open.blocking.get(name("a")).text == "1")
  }

  @Test func aSecretThatWasSetIsTheOneBefore() throws {
    let vault = try ThrowawayVault()
    var changes = ItemChanges()
    changes.note = "first"
    changes.kind = .login
    try vault.open.blocking.set(name("a"), to: Secret("1"), changes: changes)
    changes.note = "second"
    changes.kind = .token
    try vault.open.blocking.set(name("a"), to: Secret("2"), changes: changes)
    // Another item is no part of it; a rotation is no change of items.
    _ = try vault.open.blocking.get(name("a"))
    #expect(try vault.open.blocking.undo() == [UndoneChange(name("a"), .changedBack)])
    #expect(try vault.open.blocking.get(name("a")).text == "1")
    #expect(try vault.open.blocking.item(name("a")).note == "first")
    #expect(try vault.open.blocking.item(name("a")).kind == .login)
    try vault.open.blocking.undo()
    #expect(try vault.open.blocking.get(name("a")).text == "2")
    #expect(try vault.open.blocking.item(name("a")).kind == .token)
    #expect(try vault.open.blocking.check().isDamaged == false)
  }

  @Test func whatCameBackByAnotherNameGoesByItsOwn() throws {
    let vault = try ThrowawayVault()
    let blocking = vault.open.blocking
    try blocking.set(name("a"), to: Secret("old"))
    try blocking.remove(name("a"))
    try blocking.set(name("a"), to: Secret("new"))
    let back = try blocking.restoreFromTrash(name("a")).name
    #expect(back.text != "a")
    #expect(try blocking.undo() == [UndoneChange(name("a"), .removed)])
    #expect(try names(vault) == ["a"])
    var trash = ItemQuery()
    trash.isInTrash = true
    #expect(try blocking.items(matching: trash).map(\.name.text) == ["a"])
    // And the other way again.
    #expect(try blocking.undo().map(\.kind) == [.restored])
    #expect(try names(vault) == ["a", back.text].sorted())
    #expect(try blocking.get(back).text == "old")
    #expect(try blocking.get(name("a")).text == "new")
    #expect(try blocking.check().isDamaged == false)
  }

  /// Many new items are noted by their positions, a few by their ids.
  @Test(arguments: [1, 3, 40])
  func newItemsAmongOthersGoAndComeBack(count: Int) throws {
    let vault = try ThrowawayVault()
    let blocking = vault.open.blocking
    let old = (0..<20).map { "old\($0)" }.sorted()
    let new = (0..<count).map { "new\($0)" }.sorted()
    for text in old { try blocking.set(name(text), to: Secret(text)) }
    try blocking.edit { edit in
      for text in new { try edit.set(name(text), to: Secret(text)) }
      _ = try edit.rename(name("old7"), to: name("renamed"))
    }
    let all = try names(vault)
    // A look at one item is no change.
    #expect(try blocking.get(name("renamed")).text == "old7")
    let undone = try blocking.undo()
    #expect(undone.filter { $0.kind == .removed }.map(\.name.text) == new)
    #expect(undone.filter { $0.kind == .changedBack }.map(\.name.text) == ["old7"])
    #expect(try names(vault) == old)
    try blocking.undo()
    #expect(try names(vault) == all)
    for text in new { #expect(try blocking.get(name(text)).text == text) }
    #expect(try blocking.check().isDamaged == false)
  }

  /// A purge moves those behind it, so there is nothing left to take back.
  @Test func afterAPurgePositionsAreNotTakenForOtherItems() throws {
    let vault = try ThrowawayVault()
    let blocking = vault.open.blocking
    for number in 0..<20 { try blocking.set(name("old\(number)"), to: Secret("1")) }
    try blocking.edit { edit in
      for number in 0..<40 { try edit.set(name("new\(number)"), to: Secret("2")) }
    }
    try blocking.edit { edit in try edit.purge(name("old3")) }
    #expect(code { try blocking.undo() } == .versionNotFound)
    #expect(try names(vault).count == 59)
  }

  @Test func removalsNamesAndTagsComeBack() throws {
    let vault = try ThrowawayVault()
    let blocking = vault.open.blocking
    try blocking.set(name("a"), to: Secret("1"))
    try blocking.remove(name("a"))
    #expect(try blocking.undo() == [UndoneChange(name("a"), .restored)])
    #expect(try blocking.get(name("a")).text == "1")
    try blocking.rename(name("a"), to: name("b"))
    #expect(try blocking.undo() == [UndoneChange(name("a"), .changedBack)])
    #expect(try names(vault) == ["a"])
    var changes = ItemChanges()
    changes.tags = ["x", "y"]
    changes.attributes = ["service": "s"]
    try blocking.update(name("a"), changes)
    try blocking.undo()
    #expect(try blocking.item(name("a")).tags == [])
    try blocking.undo()
    #expect(try blocking.item(name("a")).tags == ["x", "y"])
    try blocking.copy(name("a"), to: name("c"))
    try blocking.undo()
    #expect(try names(vault) == ["a"])
    // The copy is in the trash, where the next undo finds it.
    let again = UndoneChange(name: try name("c"), kind: .restored, isRedone: true)
    #expect(try blocking.undo() == [again])
  }

  @Test func aRemovalOfSeveralIsOneChangeOfAllOrNone() throws {
    let vault = try ThrowawayVault()
    let blocking = vault.open.blocking
    for text in ["a", "b", "c", "d"] { try blocking.set(name(text), to: Secret(text)) }
    let before = try vault.locked.blocking.summary().generation
    #expect(code { try blocking.remove([name("a"), name("none"), name("b")]) } == .itemNotFound)
    #expect(try vault.locked.blocking.summary().generation == before)
    try blocking.remove([name("a"), name("b"), name("a"), name("c")])
    #expect(try vault.locked.blocking.summary().generation == before + 1)
    #expect(try names(vault) == ["d"])
    let undone = try blocking.undo()
    #expect(
      undone.map(\.name.text) == ["a", "b", "c"] && undone.allSatisfy { $0.kind == .restored })
    for text in ["a", "b", "c", "d"] { #expect(try blocking.get(name(text)).text == text) }
    // And all of them again.
    #expect(try blocking.undo().map(\.kind) == [.removed, .removed, .removed])
    #expect(try names(vault) == ["d"])
    // For good: what is in the trash under that name counts as being there.
    try blocking.remove([name("a"), name("d")], purge: true)
    #expect(code { try blocking.remove([name("a")], purge: true) } == .itemNotFound)
    var trash = ItemQuery()
    trash.isInTrash = true
    #expect(try blocking.items(matching: trash).map(\.name.text).sorted() == ["b", "c"])
    #expect(code { try blocking.undo() } == .versionNotFound)
  }

  @Test func aThousandRemovedItemsComeBackAtOnce() throws {
    let vault = try ThrowawayVault()
    let blocking = vault.open.blocking
    let names = try (0..<1_000).map { try name("item \($0)") }
    try blocking.store(names.map { ItemDraft($0, main: try SecretBytes(copying: [1])) })
    try blocking.remove(names)
    #expect(try self.names(vault).isEmpty)
    #expect(try blocking.undo().count == 1_000)
    #expect(try self.names(vault).count == 1_000)
    #expect(try blocking.undo().allSatisfy { $0.kind == .removed })
    #expect(try self.names(vault).isEmpty)
  }

  @Test func namesOfVeryManyItemsComeBack() throws {
    let vault = try ThrowawayVault()
    let blocking = vault.open.blocking
    let names = try (0..<3_000).map { try name("old/item \($0)") }
    try blocking.store(names.map { ItemDraft($0, main: try SecretBytes(copying: [1])) })
    try blocking.edit { edit in
      for (number, old) in names.enumerated() {
        _ = try edit.rename(old, to: name("new/item \(number)"))
      }
    }
    #expect(try blocking.undo().count == 3_000)
    #expect(try Set(blocking.items().map(\.name)) == Set(names))
  }

  @Test func takingSeveralChangedCopiesIsOneChange() throws {
    let keyring = TestKeyring()
    var options = VaultOptions()
    options.use(keyring)
    let test = try InMemoryVault(options: options)
    let open = test.open.blocking
    try open.setPublishing(true)
    for text in ["a", "b"] { try open.set(name(text), to: Secret("ours")) }
    for attributes in keyring.attributes {
      keyring.store(try Secret("theirs"), attributes: attributes)
    }
    #expect(try Set(open.takeChangedCopies()) == [name("a"), name("b")])
    for text in ["a", "b"] { #expect(try open.get(name(text)).text == "theirs") }
    #expect(try open.undo().map(\.kind) == [.changedBack, .changedBack])
    for text in ["a", "b"] { #expect(try open.get(name(text)).text == "ours") }
  }

  @Test func whatIsGoneForGoodStaysGoneAndLeavesNoTrace() throws {
    let vault = try ThrowawayVault()
    let blocking = vault.open.blocking
    #expect(code { try blocking.undo() } == .versionNotFound)
    try blocking.set(name("keep"), to: Secret("0"))
    try blocking.set(name("a"), to: Secret("1"))
    try blocking.set(name("a"), to: Secret("2"))
    try blocking.remove(name("a"), purge: true)
    #expect(code { try blocking.undo() } == .versionNotFound)
    #expect(try names(vault) == ["keep"])
  }

  @Test func aNameThatIsTakenByNowIsNotOverwritten() throws {
    let vault = try ThrowawayVault()
    let blocking = vault.open.blocking
    try blocking.set(name("a"), to: Secret("1"))
    try blocking.remove(name("a"))
    // The last change is another one now: only that is taken back.
    try blocking.set(name("a"), to: Secret("new"))
    #expect(try blocking.undo() == [UndoneChange(name("a"), .removed)])
    #expect(try names(vault) == [])
  }
}

extension UndoneChange {
  fileprivate init(_ name: ItemName, _ kind: Kind) { self = UndoneChange(name: name, kind: kind) }
}
