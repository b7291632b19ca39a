import Testing
import VaultCredentials
import VaultCredentialsTesting

/// A copy in the desktop keyring that was asked for one item alone.
struct CopiesInTheTrashTests {
  @Test(arguments: ["undo", "restore", "trash"])
  func aCopyOfOneItemComesBackWithIt(way: String) throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    let (one, other) = (try ItemName("one"), try ItemName("other"))
    for name in [one, other] { try vault.set(name, to: Secret("s")) }
    try vault.setPublishing(false)
    try vault.setPublishing(true, of: [one])
    #expect(try vault.read().item(one).publishedCopy != .none)
    try vault.remove([one, other])
    #expect(try vault.read().trash().map(\.item.publishedCopy) == [.none, .none])
    switch way {
    case "undo": try vault.undo()
    case "restore": for name in [one, other] { try vault.restore(name) }
    default: for name in [one, other] { try vault.restoreFromTrash(name) }
    }
    let snapshot = try vault.read()
    #expect(try snapshot.item(one).publishedCopy != .none)
    #expect(try snapshot.item(other).publishedCopy == .none)
  }

  @Test func whoEndsAllCopiesEndsThoseOfTheTrashToo() throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    let one = try ItemName("one")
    try vault.set(one, to: Secret("s"))
    try vault.setPublishing(true, of: [one])
    try vault.remove(one)
    try vault.setPublishing(false)
    try vault.restore(one)
    #expect(try vault.read().item(one).publishedCopy == .none)
  }
}
