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
      let left = try FileManager.default.contentsOfDirectory(atPath: vault.data)
        .filter { $0.hasPrefix(".") }
      #expect(left.isEmpty, "call \(number) left \(left)")
    }
    // Short writes are counted among writes alone.
    #expect(number > (fault == .shortWrite ? 2 : 5))
  }

  @Test func fourWritersLoseNothing() async throws {
    let vault = try ThrowawayVault()
    let key = vault.key
    let location = try vault.location
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
}
