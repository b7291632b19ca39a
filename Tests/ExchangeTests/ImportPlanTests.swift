import Testing
import VaultCredentials
import VaultCredentialsTesting
import VaultExchange
import VaultSealing

/// Plans against a vault in memory.
struct ImportPlanTests {
  private func item(_ name: String, _ secret: String) throws -> ImportedItem {
    ImportedItem(origin: name, name: name, main: try SecretBytes(text: secret))
  }

  @Test func everyItemIsComparedWithTheVault() throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    try vault.set(ItemName("old/same"), to: Secret("1"))
    try vault.set(ItemName("old/other"), to: Secret("1"))
    let reading = ImportReading(items: [
      try item("same", "1"), try item("other", "2"), try item("new", "3"), try item("new", "3"),
      try item("new", "4"), try item("empty", ""),
    ])
    let plan = try ImportPlan(reading, into: try vault.read(), prefix: "old/")
    #expect(
      plan.steps.map(\.name.text) == ["old/same", "old/other", "old/new", "old/new", "old/new~2"])
    #expect(plan.steps.map(\.action) == [.same, .exists, .new, .twice, .new])
    #expect(plan.losses.map(\.origin) == ["empty"])
    #expect(plan.drafts.map(\.name.text) == ["old/new", "old/new~2"])

    let replacing = try ImportPlan(reading, into: try vault.read(), prefix: "old/", replaces: true)
    #expect(replacing.steps[1].action == .replace)
    #expect(replacing.drafts.map(\.name.text) == ["old/other", "old/new", "old/new~2"])
  }

  @Test func withoutAVaultEverythingIsNew() throws {
    let reading = ImportReading(items: [try item("a\u{7}b", "1")])
    let plan = try ImportPlan(reading, into: nil)
    #expect(plan.steps.map(\.action) == [.new])
    #expect(plan.steps.map(\.name.text) == ["a b"])
    #expect(plan.notes.map(\.reason) == ["it is named 'a b'"])
  }

  @Test func jsonComesBackAsItWas() throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    let name = try ItemName("work/key")
    var changes = ItemChanges()
    changes.kind = .certificate
    changes.tags = ["a", "b"]
    changes.attributes = ["host": "x"]
    changes.note = "n"
    try vault.set(name, to: Secret(SecretBytes(copying: [0, 0xFF, 0x0A])), changes: changes)
    try vault.set(name, to: Secret("me\u{1B}"), field: "user")
    let snapshot = try vault.read()
    let document = try JSONExport.document(snapshot.items(), in: snapshot)

    let reading = try ImportFormat.json.read(
      document.withBytes { $0.array(0..<$0.byteCount) })
    #expect(reading.losses.isEmpty)
    let plan = try ImportPlan(reading, into: snapshot)
    #expect(plan.steps.map(\.action) == [.same])
    let step = try #require(plan.steps.first)
    #expect(step.item.kind == .certificate)
    #expect(step.item.tags == ["a", "b"])
    #expect(step.item.attributes == ["host": "x"])
    #expect(step.item.note == "n")
  }
}
