import Foundation
import TestSupport
import Testing

struct SettingsTests {
  @Test func howLongASessionLastsIsKeptInTheVault() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "b")
    #expect(try vault("settings").text.contains("session    15 minutes (the default)\n"))
    #expect(try vault("settings", "session", "1h").status == 0)
    #expect(try vault("settings").text.contains("session    1 hour\n"))
    #expect(try vault("settings", "session", "0").status == 0)
    #expect(try vault("settings", "--json").text.contains("\"session\": 0"))
    #expect(
      try vault("settings", "session").text == "session  0: every command unlocks the vault again\n"
    )
    #expect(try vault("settings", "session", "default").status == 0)
    #expect(try vault("settings", "--json").text.contains("\"session\": null"))
    for nonsense in ["31d", "soon", "-1"] {
      let refused = try vault("settings", "session", nonsense)
      #expect(refused.status == 64, "\(nonsense)")
    }
    #expect(try vault("settings").text.contains("clipboard  45 seconds (the default)\n"))
  }

  @Test func whenACopyIsClearedIsKeptInTheVault() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "b")
    #expect(try vault("settings", "clipboard", "20s").status == 0)
    #expect(try vault("settings", "clipboard").text == "clipboard  20 seconds\n")
    #expect(try vault("settings").text.contains("session    15 minutes ("))
    #expect(try vault("settings", "--json").text.contains("\"clipboard\": 20"))
    #expect(try vault("settings", "clipboard", "default").status == 0)
    #expect(try vault("settings", "--json").text.contains("\"clipboard\": null"))
  }
}
