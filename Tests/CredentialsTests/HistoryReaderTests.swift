import Foundation
import Glibc
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultStorage

/// Whoever reads many earlier versions opens the store once, not once for each.
struct HistoryReaderTests {
  private let vault: ThrowawayVault
  private static let versions = 30

  init() throws {
    vault = try ThrowawayVault { $0.historyLimit = Self.versions }
    for number in 0...Self.versions {
      try vault.open.blocking.set(name("k"), to: Secret("secret \(number)"))
    }
  }

  /// Calls `body`, which asks for the status of fewer files than ten for each version: to open the
  /// store takes twice as many.
  private func opensOnce<Result>(_ body: () throws -> Result) throws -> Result {
    let plan = FaultPlan(.error(EIO), at: 10 * Self.versions, of: [.status])
    let result = try System.withFaults(plan, body)
    #expect(!plan.hasFired)
    return result
  }

  @Test func aBackup() throws {
    let path = "\(vault.home.path)/backup"
    #expect(try opensOnce { try vault.open.blocking.backUp(to: path) }.earlierVersions == 30)
  }

  @Test func aCheck() throws {
    let report = try opensOnce { try vault.open.blocking.check() }
    #expect(report.earlierVersions == 30)
  }

  @Test func aNewVaultKey() throws {
    let rotated = try opensOnce { try vault.open.blocking.rotate(to: [.keyFile(vault.key)]) }
    #expect(try rotated.blocking.get(name("k"), version: 1).text == "secret 0")
  }
}
