import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultStorage

/// The log of `store.sqlite`, to which each replaced secret adds its former version.
struct HistoryLogTests {
  @Test func replacedSecretsDoNotLetTheLogGrow() throws {
    let vault = try ThrowawayVault()
    let log = "\(vault.data)/store.sqlite-wal"
    var longest = 0
    for number in 0..<120 {
      _ = try vault.open.blocking.set(name("token"), to: Secret("secret \(number)"))
      let length = (try? FileManager.default.attributesOfItem(atPath: log)[.size] as? Int) ?? 0
      longest = max(longest, length)
    }
    #expect(longest > 0)
    #expect(longest < 256 * 1_024)
    #expect(try vault.open.blocking.history(of: name("token")).count > 9)
    #expect(try vault.open.blocking.check().findings.contains { $0.severity == .damage } == false)
  }
}
