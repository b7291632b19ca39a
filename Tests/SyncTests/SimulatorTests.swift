import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultStorage
import VaultSync

/// Machines that change, synchronize and crash at random: they come to the same, and nothing that
/// was typed is lost.
///
/// `SYNC_SEEDS=1000` runs more of them.
struct SimulatorTests {
  /// Numbers that a seed gives.
  struct Dice: RandomNumberGenerator {
    var state: UInt64

    // SplitMix64, Steele and others, "Fast splittable pseudorandom number generators", 2014.
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  /// A run of machines.
  struct World {
    var dice: Dice
    let machines: [SyncMachine]
    let synced: [SyncedVault]
    var typed: Set<String> = []
    var sets: [String: Int] = [:]

    init(seed: UInt64) throws {
      dice = Dice(state: seed)
      let engine = MemoryEngine(isEventual: seed.isMultiple(of: 2))
      machines = try (0..<3).map { number in
        // Clocks that are up to a year off.
        try SyncMachine(
          "m\(number)",
          SyncMachine.TestTime(1_790_000_000_000 + Int64(number) * 100 * 86_400_000))
      }
      let first = try machines[0].founding(engine)
      var all = [first]
      for machine in machines.dropFirst() {
        let code = try first.invite(role: .writer, uses: 1, seconds: 30 * 86_400)
        // Its clock may say that the code has expired: it joins by the clock of who invited it.
        let ahead = machine.time.next() - machines[0].time.next()
        machine.time.advance(-ahead)
        all.append(
          try SyncedVault.join(
            machine.vault, in: engine, at: "memory", invitation: code.text, label: machine.label))
        try all.last?.synchronize()
        machine.time.advance(ahead)
      }
      // What the first records come to is kept after each call, or hardly ever.
      if seed.isMultiple(of: 3) { for number in all.indices { all[number].baseStep = 0 } }
      synced = all
    }

    mutating func step() throws {
      let number = Int.random(in: 0..<machines.count, using: &dice)
      let machine = machines[number]
      machine.time.advance(Int64.random(in: 0..<5000, using: &dice))
      let name = "item\(Int.random(in: 0..<4, using: &dice))"
      let isThere = try machine.vault.blocking.read()[ItemName(name)] != nil
      switch Int.random(in: 0..<12, using: &dice) {
      case 0..<4:
        // Earlier versions are kept, but not for ever.
        guard sets[name, default: 0] < 8 else { return }
        sets[name, default: 0] += 1
        let value = "v\(typed.count)"
        typed.insert(value)
        try machine.set(name, value)
      case 4 where isThere:
        try machine.vault.blocking.edit { edit in
          var changes = ItemChanges()
          changes.note = "note \(number)"
          changes.tags = ["t\(number)"]
          _ = try edit.update(ItemName(name), changes)
        }
      case 5 where isThere:
        try machine.vault.blocking.edit { try $0.remove(ItemName(name)) }
      case 6 where isThere:
        let other = "item\(Int.random(in: 4..<7, using: &dice))"
        guard try machine.vault.blocking.read()[ItemName(other)] == nil else { return }
        try machine.vault.blocking.edit { edit in
          _ = try edit.rename(ItemName(name), to: ItemName(other))
        }
      case 7:
        let plan = FaultPlan(.kill, at: Int.random(in: 1..<25, using: &dice))
        _ = try? System.withFaults(plan) { try synced[number].synchronize() }
      case 8..<12: try synced[number].synchronize()
      default: break
      }
    }

    /// Synchronizes until nobody has anything new.
    func settle() throws {
      for _ in 0..<4 { for one in synced { try one.synchronize() } }
    }

    /// What of all that was typed a machine does not have.
    func lost(on machine: SyncMachine) throws -> Set<String> {
      let snapshot = try machine.vault.blocking.read()
      var found: Set<String> = []
      for item in snapshot.items() + snapshot.items(matching: .trash) {
        for version in try snapshot.history(of: item) {
          found.insert(
            try snapshot.secret(of: item, version: version.isCurrent ? nil : version.version)
              .string())
        }
      }
      return typed.subtracting(found)
    }
  }

  static let seeds: ClosedRange<UInt64> =
    1...(ProcessInfo.processInfo.environment["SYNC_SEEDS"].flatMap(UInt64.init) ?? 8)

  @Test(arguments: seeds)
  func machinesComeToTheSameAndLoseNothing(_ seed: UInt64) throws {
    var world = try World(seed: seed)
    for _ in 0..<40 { try world.step() }
    try world.settle()
    let first = try world.machines[0].contents()
    for machine in world.machines {
      #expect(try machine.contents() == first, "seed \(seed)")
      #expect(try world.lost(on: machine).isEmpty, "seed \(seed)")
    }
    for one in world.synced { #expect(try one.synchronize().sent == 0, "seed \(seed)") }
  }

  /// The check finds what a merge that drops a value would do.
  @Test func aValueThatIsDroppedIsFound() throws {
    var world = try World(seed: 1)
    try world.machines[0].set("item0", "v0")
    world.typed = ["v0"]
    try world.settle()
    #expect(try world.lost(on: world.machines[1]).isEmpty)
    try world.machines[1].vault.blocking.edit { try $0.purge(ItemName("item0")) }
    #expect(try world.lost(on: world.machines[1]) == ["v0"])
    #expect(try world.machines[1].contents() != world.machines[0].contents())
  }
}
