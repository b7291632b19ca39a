import Foundation
import Glibc
import TestSupport
import Testing
import VaultCredentials
import VaultStorage

/// A change that is made is told as made, also where this machine cannot note having seen it.
struct NotRecordedTests {
  private let vault: ThrowawayVault

  init() throws {
    vault = try ThrowawayVault()
    try vault.open.blocking.set(name("k"), to: Secret("old"))
  }

  /// Fails to rename the record, which comes after `files`.
  @discardableResult
  private func withoutRecord<Result>(after files: Int, _ body: () throws -> Result) throws -> Result
  {
    let plan = FaultPlan(.error(EROFS), at: files + 1, of: [.rename])
    let result = try System.withFaults(plan, body)
    #expect(plan.hasFired)
    return result
  }

  @Test func aNewSecret() throws {
    let open = vault.open.blocking
    // The generation before, and the vault file.
    try withoutRecord(after: 2) { try open.set(name("k"), to: Secret("new")) }
    #expect(open.takeNotices().contains { $0.code == .notRecorded })
    #expect(try open.get(name("k")).text == "new")
    // The next change notes both.
    try open.set(name("k"), to: Secret("newer"))
    #expect(try vault.reopened().blocking.get(name("k")).text == "newer")
  }

  @Test func whatIsPurgedIsGoneFromTheGenerationBefore() throws {
    // The note of what is to go, and the vault file.
    try withoutRecord(after: 2) { try vault.open.blocking.remove(name("k"), purge: true) }
    #expect(!FileManager.default.fileExists(atPath: "\(vault.path).previous"))
  }
}
