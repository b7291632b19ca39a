import TestSupport
import Testing
import VaultAppData
import VaultCredentials
import VaultStorage

// What comes after a save: the history, undo, and stores whose model or key changes.
extension SealedAttributeTests {
  // MARK: History and undo

  @Test func theHistoryKeepsPreservedValuesSealed() throws {
    let (_, context) = try open(key)
    let account = full()
    context.insert(account)
    try context.save()
    context.delete(account)
    try context.save()
    #expect(try files(with: Self.mark).isEmpty)
    func tombstone(_ context: ModelContext) throws -> HistoryTombstone<Account>? {
      let all = HistoryDescriptor<DefaultHistoryTransaction>()
      for change in try context.fetchHistory(all).flatMap(\.changes) {
        if case .delete(let change as DefaultHistoryDelete<Account>) = change {
          return change.tombstone
        }
      }
      return nil
    }
    let kept = try #require(try tombstone(context))
    #expect(kept[\.hint] as? String == "hint \(Self.mark)")
    #expect((kept[\.scan] as? Data)?.count == 20_000 * Self.mark.utf8.count)
    #expect(kept[\.password] == nil)
    let (_, stranger) = try open(nil)
    let closed = try #require(try tombstone(stranger))
    #expect(closed[\.hint] == nil)
    #expect(Array(closed).isEmpty)
  }

  @Test func undoBringsBackWhatWasNotRead() throws {
    do {
      let (_, context) = try open(key)
      context.insert(full())
      try context.save()
    }
    let (_, context) = try open(key)
    context.undoManager = UndoManager()
    let account = try #require(try context.fetch(FetchDescriptor<Account>()).first)
    account.password = "new"
    account.scan = nil
    try context.save()
    context.undoManager?.undo()
    try context.save()
    context.delete(account)
    try context.save()
    context.undoManager?.undo()
    try context.save()
    let (_, other) = try open(key)
    let found = try #require(try other.fetch(FetchDescriptor<Account>()).first)
    #expect(try found.opened(\.password).hasPrefix(Self.mark))
    #expect(found.scan?.count == 20_000 * Self.mark.utf8.count)
    #expect(found.turn?.degrees == 90)
  }

  @Test func whatCannotBeReadIsNeverOverwrittenByUndo() throws {
    do {
      let (_, context) = try open(key)
      context.insert(full())
      try context.save()
    }
    let (_, context) = try open(nil)
    context.undoManager = UndoManager()
    let account = try #require(try context.fetch(FetchDescriptor<Account>()).first)
    context.delete(account)
    context.processPendingChanges()
    context.undoManager?.undo()
    // The first one tells of what could not be read.
    #expect(throws: SwiftDataError.sealedAttribute) { try context.save() }
    try context.save()
    account.pin = 5
    context.processPendingChanges()
    context.undoManager?.undo()
    #expect(throws: SwiftDataError.sealedAttribute) { try context.save() }
    // And the second one that it is not written again.
    #expect(throws: SwiftDataError.sealedAttribute) { try context.save() }
    context.rollback()
    let (_, own) = try open(key)
    let whole = try #require(try own.fetch(FetchDescriptor<Account>()).first)
    #expect(whole.password.hasPrefix(Self.mark))
    #expect(whole.pin == 1234)
  }

  // MARK: Migration and keys

  @Test func aRenamedPropertyOpensAndAPlainOneIsSealedByAStage() throws {
    let file = ModelConfiguration(url: url("safe"), sealingKey: key)
    do {
      let container = try ModelContainer(
        for: Schema(versionedSchema: SafeV1.self), configurations: file)
      let context = context(container)
      context.insert(SafeV1.Safe(code: "1-2-3", plain: "plain \(Self.mark)"))
      try context.save()
    }
    let container = try ModelContainer(
      for: Schema(versionedSchema: SafeV2.self), migrationPlan: SafePlan.self, configurations: file)
    let own = context(container)
    let safe = try #require(try own.fetch(FetchDescriptor<SafeV2.Safe>()).first)
    #expect(try safe.opened(\.combination) == "1-2-3")
    #expect(try safe.opened(\.plain) == "plain \(Self.mark)")
    safe.combination = "4-5-6"
    try own.save()
    let other = context(container)
    let again = try #require(try other.fetch(FetchDescriptor<SafeV2.Safe>()).first)
    #expect(try again.opened(\.combination) == "4-5-6")
  }

  @Test func theVaultHasTheKey() throws {
    let vault = try ThrowawayVault()
    let unlocked = try vault.reopened()
    do {
      let (_, context) = try open(SealingKey(unlocked.blocking))
      context.insert(Account(name: "a", password: "kept by the vault"))
      try context.save()
    }
    let (_, context) = try open(SealingKey(try vault.reopened().blocking))
    let account = try #require(try context.fetch(FetchDescriptor<Account>()).first)
    #expect(try account.opened(\.password) == "kept by the vault")
    // Another purpose is another key, which does not seal what is read.
    let (_, other) = try open(SealingKey(unlocked.blocking, purpose: "else"))
    let same = try #require(try other.fetch(FetchDescriptor<Account>()).first)
    #expect(try same.opened(\.password) == "kept by the vault")
    let stranger = try ThrowawayVault()
    let (_, third) = try open(SealingKey(try stranger.reopened().blocking))
    let closed = try #require(try third.fetch(FetchDescriptor<Account>()).first)
    let error = #expect(throws: SwiftDataError.sealedAttribute) { try closed.opened(\.password) }
    #expect(error?.message.hasPrefix("Account.password of object 1") == true)
  }

  @Test func aKeyPrintsAsNothing() throws {
    var dumped = ""
    dump(ModelConfiguration(url: url(), sealingKey: key), to: &dumped)
    #expect(dumped.contains("<redacted>"))
    #expect(!dumped.contains("Source"))
    #expect("\(key)" == "<redacted>" && String(reflecting: key) == "<redacted>")
  }
}
