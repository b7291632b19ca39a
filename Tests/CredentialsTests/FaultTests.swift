import Foundation
import Glibc
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultStorage

/// Every file operation of a change fails once: the old or the new is there, never neither.
struct FaultTests {
  @Test(arguments: [
    FaultPlan.Fault.error(ENOSPC), .error(EIO), .error(EROFS), .shortWrite, .kill,
  ])
  func whateverFailsTheOldOrTheNewIsThereAndTheNextCommandWorks(fault: FaultPlan.Fault) throws {
    let vault = try ThrowawayVault()
    let open = vault.open.blocking
    try open.set(name("other"), to: Secret("untouched"))
    var value = 0
    try open.set(name("k"), to: Secret("0"))
    var number = 0
    while true {
      number += 1
      try #require(number < 200)
      let plan = FaultPlan(fault, at: number)
      let failure = code {
        _ = try System.withFaults(plan) {
          try open.set(name("k"), to: Secret("\(value + 1)"))
        }
      }
      guard plan.hasFired else {
        #expect(failure == nil)
        break
      }
      let found = try vault.reopened().blocking.get(name("k")).text
      switch failure {
      case nil, .notDurable: #expect(found == "\(value + 1)", "call \(number)")
      default: #expect(found == "\(value)" || found == "\(value + 1)", "call \(number)")
      }
      value = try #require(found.flatMap { Int($0) })
      #expect(try open.get(name("other")).text == "untouched")
      // The next change works, and takes away what a killed one left.
      value += 1
      try open.set(name("k"), to: Secret("\(value)"))
      let left = try FileManager.default.contentsOfDirectory(atPath: "\(vault.home.path)/vault")
        .filter { $0.hasPrefix(".") }
      #expect(left.isEmpty, "call \(number) left \(left)")
    }
    // Short writes are counted among writes alone.
    #expect(number > (fault == .shortWrite ? 2 : 5))
  }

  @Test func fourWritersLoseNothing() async throws {
    let vault = try ThrowawayVault()
    let key = vault.key
    let location = vault.home.location
    let options = vault.options
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          let open = try await LockedVault(location: location, options: options)
            .unlock(with: [.key { key }])
          for number in 0..<50 {
            try await open.set(name("w\(writer)/\(number)"), to: Secret("\(writer).\(number)"))
          }
        }
      }
      try await group.waitForAll()
    }
    let items = try vault.open.blocking.items()
    #expect(items.count == 200)
    #expect(try vault.open.blocking.get(name("w3/49")).text == "3.49")
  }

  @Test func aSessionOpensTheVaultUntilItIsLocked() throws {
    let vault = try ThrowawayVault { $0.sessionSeconds = 60 }
    let locked = try vault.locked.blocking
    guard case .active(let seconds) = try locked.session() else {
      // A sandbox that refuses the kernel's key service: said, and no failure of ours.
      #expect(vault.open.blocking.takeNotices().map(\.code) == [.noSession])
      return
    }
    #expect((1...60).contains(seconds))
    try vault.open.blocking.set(name("k"), to: Secret("one"))
    let open = try locked.unlock(with: [.session])
    #expect(open.openedBy.source == .session)
    #expect(try open.blocking.get(name("k")).text == "one")
    #expect(try locked.lock())
    #expect(try locked.session() == .none)
    #expect(code { _ = try locked.unlock(with: [.session]) } == .locked)
    #expect(try !locked.lock())
  }

  @Test func aSessionOfTheKeyBeforeARotationIsNotTakenForDamage() throws {
    let vault = try ThrowawayVault()
    try vault.open.blocking.set(name("k"), to: Secret("one"))
    // Another machine rotates the key: another home with a copy of the file.
    let elsewhere = try TemporaryHome()
    let folder = "\(elsewhere.path)/vault"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let mine = try [UInt8](Data(contentsOf: URL(fileURLWithPath: vault.path)))
    try rewrite(mine, at: "\(folder)/secrets.vault")
    let (key, newKey) = (vault.key, try SecretBytes.random(count: 32))
    _ = try LockedVault(location: elsewhere.location, options: vault.options)
      .blocking.unlock(with: [.key { key }]).blocking.rotate(to: [.keyFile(newKey)])
    // Here a session of the old key goes on, and the rotated file arrives.
    var withSession = vault
    withSession.options.sessionSeconds = 60
    _ = try withSession.reopened()
    let rotated = try [UInt8](Data(contentsOf: URL(fileURLWithPath: "\(folder)/secrets.vault")))
    try rewrite(rotated, at: vault.path)
    let locked = try vault.locked.blocking
    #expect(code { _ = try locked.unlock(with: [.session]) } == .locked)
    let open = try locked.unlock(with: [.session, .key { newKey }])
    #expect(open.openedBy.source == .keyFile)
    #expect(try open.blocking.get(name("k")).text == "one")
    _ = try locked.lock()
  }
}
