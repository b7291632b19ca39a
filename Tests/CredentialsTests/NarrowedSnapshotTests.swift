import TestSupport
import Testing
import VaultCredentials
import VaultSealing

/// A part of a snapshot, as a program gets it that is to know nothing else.
struct NarrowedSnapshotTests {
  @Test func nothingElseIsFoundByNameQueryOrID() throws {
    let vault = try ThrowawayVault()
    let names = (0..<40).map { "\($0 % 2 == 0 ? "in" : "out")/\($0)" }
    let blocking = vault.open.blocking
    try blocking.edit { edit in
      for name in names {
        var changes = ItemChanges()
        changes.attributes = ["client": "git"]
        try edit.store(
          ItemDraft(
            ItemName(name), main: SecretBytes(text: "secret of \(name)"), changes: changes))
      }
    }
    let whole = try blocking.read()
    let part = whole.narrowed { $0.hasPrefix("in/") }
    let kept = names.filter { $0.hasPrefix("in/") }.sorted()
    #expect(part.items().map(\.name.text) == kept)
    #expect(part.names() == kept)
    var query = ItemQuery()
    query.attributes = ["client": "git"]
    #expect(part.items(matching: query).map(\.name.text) == kept)
    for item in whole.items() {
      let isKept = kept.contains(item.name.text)
      #expect((part[item.name] != nil) == isKept)
      #expect((part.item(withID: item.id) != nil) == isKept)
      let secret = try? part.secret(of: item).bytes.text
      #expect(secret == (isKept ? "secret of \(item.name.text)" : nil))
    }
    #expect(whole.items().count == 40)
    #expect(whole.narrowed { _ in false }.items().isEmpty)
  }
}
