import FoundationEssentials
import Synchronization
import TestSupport
import Testing
import VaultCredentials

/// How old a secret is: a new tag does not make it younger.
struct SecretAgeTests {
  /// The time of a vault, in milliseconds.
  private final class Time: Sendable {
    let value = Mutex<Int64>(1_000_000)
    func pass(_ milliseconds: Int64) { value.withLock { $0 += milliseconds } }
  }

  private var tagged: ItemChanges {
    var changes = ItemChanges()
    changes.tags = ["t"]
    return changes
  }

  private func changed(_ vault: UnlockedVault, _ name: ItemName) throws -> Double {
    let snapshot = try vault.blocking.read()
    let item = try #require(snapshot.items().first { $0.name == name })
    let date = try #require(try snapshot.secretsChanged(of: [item]).first)
    return date.timeIntervalSince1970
  }

  @Test func onlyANewVersionMakesASecretYounger() async throws {
    let time = Time()
    let throwaway = try ThrowawayVault { $0.now = { time.value.withLock { $0 } } }
    defer { withExtendedLifetime(throwaway) {} }
    let vault = throwaway.open
    let a = try name("a")
    try await vault.set(a, to: Secret("one"))
    time.pass(1_000)
    _ = try await vault.edit { try $0.update(a, tagged) }
    #expect(try changed(vault, a) == 1_000)
    time.pass(1_000)
    try await vault.set(a, to: Secret("two"))
    #expect(try changed(vault, a) == 1_002)
    time.pass(1_000)
    try await vault.rename(a, to: name("b"))
    #expect(try changed(vault, name("b")) == 1_002)
    time.pass(1_000)
    try await vault.set(name("b"), to: Secret("three"))
    #expect(try changed(vault, name("b")) == 1_004)
  }

  /// Then the last change of any kind is all that is known.
  @Test func withoutAnEarlierVersionItsLastChangeCounts() async throws {
    let time = Time()
    let throwaway = try ThrowawayVault {
      $0.now = { time.value.withLock { $0 } }
      $0.historyLimit = 0
    }
    defer { withExtendedLifetime(throwaway) {} }
    let vault = throwaway.open
    let a = try name("a")
    try await vault.set(a, to: Secret("one"))
    time.pass(1_000)
    try await vault.set(a, to: Secret("two"))
    time.pass(1_000)
    _ = try await vault.edit { try $0.update(a, tagged) }
    #expect(try changed(vault, a) == 1_002)
  }
}
