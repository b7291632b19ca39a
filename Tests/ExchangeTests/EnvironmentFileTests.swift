import Testing
import VaultCredentials
import VaultCredentialsTesting
import VaultExchange
import VaultSealing

/// Values that one reader of a file of variables cannot take.
struct EnvironmentFileTests {
  @Test(arguments: [0xFDD0, 0xFDEF, 0xFFFE, 0xFFFF, 0x1FFFE, 0x10FFFF] as [UInt32])
  func aNoncharacterIsLeftOutOfTheFileOfSystemdAlone(character: UInt32) throws {
    let scalar = try #require(Unicode.Scalar(character))
    let test = try InMemoryVault()
    let vault = test.open.blocking
    try vault.set(ItemName("odd"), to: Secret("a\(String(scalar))b"))
    try vault.set(ItemName("plain"), to: Secret("\u{FDCF}\u{FDF0}\u{FFFD}\u{10000}"))
    let snapshot = try vault.read()
    for file in EnvironmentFile.allCases {
      let export = try EnvironmentExport(snapshot.items(), in: snapshot, as: file)
      #expect(export.left.map(\.text) == (file == .systemd ? ["odd"] : []), "\(file)")
      #expect(export.document.text?.contains("PLAIN") == true)
    }
  }

  /// An item may name its variable.
  @Test func whatAShellKeepsForItselfIsLeftOutOfItsScript() throws {
    let test = try InMemoryVault()
    let vault = test.open.blocking
    for variable in ["status", "argv", "UID", "BASH_ALIASES", "_", "mine"] {
      var changes = ItemChanges()
      changes.attributes = ["variable": variable]
      try vault.set(ItemName("of \(variable)"), to: Secret("v"), changes: changes)
    }
    let snapshot = try vault.read()
    let export = try EnvironmentExport(
      snapshot.items(), in: snapshot, as: .shell, naming: .lastPart)
    #expect(export.document.text == "export mine='v'\n")
    let other = try EnvironmentExport(
      snapshot.items(), in: snapshot, as: .systemd, naming: .lastPart)
    #expect(other.left.isEmpty)
  }
}
