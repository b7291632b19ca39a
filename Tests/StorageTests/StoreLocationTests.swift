import Testing
import VaultStorage

struct StoreLocationTests {
  private func location(_ variables: [String: String]) throws -> StoreLocation {
    try StoreLocation { variables[$0] }
  }

  @Test func theSpecificationsDefaults() throws {
    let found = try location(["HOME": "/home/u"])
    #expect(found.data == "/home/u/.local/share/vault")
    #expect(found.state == "/home/u/.local/state/vault")
    #expect(found.store == "/home/u/.local/share/vault/store.sqlite")
  }

  @Test func variablesThatAreAbsoluteCount() throws {
    let found = try location(["HOME": "/h", "XDG_DATA_HOME": "/d/", "XDG_STATE_HOME": "relative"])
    #expect(found.data == "/d/vault")
    #expect(found.state == "/h/.local/state/vault")
  }

  @Test func withoutHomeTheUserDatabaseIsAsked() throws {
    #expect(try location([:]).data.hasSuffix("/.local/share/vault"))
    // One that is set and names no folder is no reason to take another one.
    for home in ["not/absolute", ""] {
      #expect(throws: StorageError.self) { try location(["HOME": home]) }
    }
  }

  @Test func aHomeOfOnesOwnHoldsItsState() {
    let found = StoreLocation(home: "/x/y//")
    #expect(found.data == "/x/y")
    #expect(found.state == "/x/y/state")
    #expect(StoreLocation(home: "rel").data.hasPrefix("/"))
  }

  @Test func vaultsLieBesideTheDefaultOne() throws {
    let found = StoreLocation(home: "/x")
    #expect(try found.vaultFile(named: nil) == ("/x", "secrets.vault"))
    #expect(try found.vaultFile(named: "work") == ("/x/secrets", "work.vault"))
    #expect(try found.lockName(forVault: nil) == "vault.lock")
    #expect(try found.lockName(forVault: "work") == "work.lock")
  }

  @Test(arguments: [
    "", ".", "..", "a/b", "-x", ".x", "ü", "a b", String(repeating: "x", count: 65),
  ])
  func aNameThatIsNoFileNameIsRefused(name: String) {
    let error = #expect(throws: StorageError.self) {
      try StoreLocation(home: "/x").vaultFile(named: name)
    }
    #expect(error?.code == .invalidName)
  }
}
