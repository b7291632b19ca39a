import TestSupport
import Testing
import VaultCredentials
import VaultSealing

/// An edit is one write of the file and one step for undo.
struct EditTests {
  let test: ThrowawayVault
  let vault: UnlockedVault.Blocking

  init() throws {
    test = try ThrowawayVault()
    vault = test.open.blocking
  }

  private func generation() throws -> UInt64 { try test.locked.blocking.summary().generation }

  @Test func severalChangesAreOneWriteAndOneUndo() throws {
    let (one, two, three) = (try name("one"), try name("two"), try name("three"))
    try vault.set(one, to: Secret("1"))
    try vault.set(two, to: Secret("2"))
    let before = try generation()
    try vault.edit { edit in
      try edit.set(one, to: Secret("1b"))
      try edit.remove(two)
      try edit.set(three, to: Secret("3"))
      try edit.rename(three, to: name("four"))
    }
    #expect(try generation() == before + 1)
    #expect(try vault.items().map(\.name.text) == ["four", "one"])
    #expect(try vault.get(one).text == "1b")

    try vault.undo()
    #expect(try vault.items().map(\.name.text) == ["one", "two"])
    #expect(try vault.get(one).text == "1")
  }

  @Test func whatThrowsLeavesTheFileAsItWas() throws {
    let before = try generation()
    let failure = code {
      try vault.edit { edit in
        try edit.set(name("one"), to: Secret("1"))
        try edit.remove(name("none"))
      }
    }
    #expect(failure == .itemNotFound)
    #expect(try generation() == before)
    #expect(try vault.items().isEmpty)
  }

  @Test func anEditSeesItsOwnChanges() throws {
    let name = try ItemName("one")
    try vault.edit { edit in
      try edit.set(name, to: Secret("1"))
      try edit.set(name, to: Secret("2"))
      #expect(edit[name]?.version == 2)
      #expect(try edit.secret(of: name).text == "2")
      // The version before has not been stored anywhere yet.
      try edit.restore(name, version: 1)
      try edit.remove(name)
      #expect(edit[name] == nil)
      try edit.restore(name)
      #expect(edit.items().map(\.name) == [name])
    }
    #expect(try vault.get(name).text == "1")
    #expect(try vault.get(name, version: 2).text == "2")
  }

  @Test func anItemIsStoredWithAllItsFields() throws {
    var draft = ItemDraft(try name("login"), main: try Secret("password"))
    draft.fields = ["user": try Secret("me"), "pin": try Secret("1234")]
    draft.changes.tags = ["web"]
    try vault.store([draft])
    draft.fields["pin"] = nil
    let item = try #require(try vault.store([draft]).first)
    #expect(item.version == 2)
    #expect(item.tags == ["web"])
    #expect(try vault.fields(of: draft.name) == ["user"])
  }

  @Test(arguments: ["", "\u{7}", String(repeating: "x", count: 256)])
  func oneRuleHoldsForTheNamesOfFields(field: String) throws {
    var draft = ItemDraft(try name("login"), main: try Secret("password"))
    draft.fields = [field: try Secret("x")]
    #expect(code { try vault.store([draft]) } == .invalidName)
    // An empty name means the main secret there.
    if !field.isEmpty {
      #expect(code { try vault.set(draft.name, to: Secret("x"), field: field) } == .invalidName)
    }
  }

  @Test func aRevisedSecretKeepsItsVersion() throws {
    let name = try ItemName("counter")
    try vault.set(name, to: Secret("1"))
    let old = try vault.revise(name) { secret in (try Secret("2"), secret.text) }
    #expect(old == "1")
    #expect(try vault.get(name).text == "2")
    #expect(try vault.history(of: name).map(\.version) == [1])
  }

  @Test func itRunsOffTheCooperativeThreads() async throws {
    let vault = test.open
    let name = try ItemName("one")
    let version = try await vault.edit { edit in
      try edit.set(name, to: Secret("1"))
      return edit[name]?.version
    }
    #expect(version == 1)
    #expect(try await vault.get(name).text == "1")
  }
}
