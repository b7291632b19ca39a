import Synchronization
import Testing
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultSync

/// Preferences by domain: what machines that added it have in common.
struct PreferencesTests {
  let engine = MemoryEngine()
  let machines: [SyncMachine]
  let stores: [MemoryPreferences]
  let synced: [SyncedVault]

  init() throws {
    let engine = engine
    let names = ["laptop", "desktop", "server"]
    let machines = try names.map { try SyncMachine($0) }
    stores = names.map { _ in MemoryPreferences() }
    var synced = [try machines[0].founding(engine)]
    synced += try machines.dropFirst().map { try $0.joining(synced[0], engine) }
    for number in synced.indices {
      synced[number].preferences = stores[number]
      synced[number].exchange.tuning.baseStep = 0
    }
    self.machines = machines
    self.synced = synced
  }

  private var laptop: MemoryPreferences { stores[0] }
  private var desktop: MemoryPreferences { stores[1] }
  private var server: MemoryPreferences { stores[2] }

  private func rounds(_ count: Int = 3) throws {
    for _ in 0..<count { for one in synced { try one.synchronize() } }
  }

  @Test func machinesThatAddADomainHaveEqualValues() throws {
    laptop.set("theme", "dark", at: 10)
    laptop.set("size", "12", at: 10)
    desktop.set("own", "1", at: 20)
    server.set("theme", "servers", at: 30)
    #expect(try synced[0].addDomain("tool"))
    #expect(try !synced[0].addDomain("tool"))
    #expect(try synced[1].addDomain("tool"))
    try rounds()
    let both = ["theme": "dark", "size": "12", "own": "1"]
    #expect(laptop.values() == both && desktop.values() == both)
    // A machine that did not add it takes nothing, and tells nothing.
    #expect(server.values() == ["theme": "servers"])
    laptop.set("theme", "light", at: 40)
    desktop.set("size", nil, at: 41)
    try rounds()
    #expect(laptop.values() == ["theme": "light", "own": "1"])
    #expect(laptop.values() == desktop.values())
    #expect(desktop.all.origins["theme"] == "laptop")
    #expect(try synced[2].status().otherDomains == ["tool"])
    #expect(try synced[0].status().domains == ["tool"])
    #expect(try synced[0].log().contains { $0.action == .preferences && $0.subject == "tool" })
    // At rest.
    for one in synced { #expect(try one.synchronize().sent == 0) }
  }

  @Test func ofTwoValuesTheLaterOneCounts() throws {
    for number in 0..<2 { try synced[number].addDomain("tool") }
    laptop.set("theme", "old", at: 1)
    try rounds()
    for (first, second) in [(100, 200), (400, 300)] {
      laptop.set("theme", "of the laptop", at: Int64(first))
      desktop.set("theme", "of the desktop", at: Int64(second))
      try rounds()
      let later = first < second ? "of the desktop" : "of the laptop"
      #expect(laptop.values() == ["theme": later] && desktop.values() == ["theme": later])
    }
    // A removal is a change, too; causality comes before clocks.
    laptop.set("theme", nil, at: 0)
    try rounds()
    #expect(laptop.values().isEmpty && desktop.values().isEmpty)
    // A change and a removal that do not know of each other.
    laptop.set("theme", "back", at: 500)
    try rounds()
    laptop.set("theme", nil, at: 600)
    desktop.set("theme", "later", at: 601)
    try rounds()
    #expect(laptop.values() == ["theme": "later"] && desktop.values() == ["theme": "later"])
  }

  @Test func whoAddsItLaterTakesTheLaterValueOfEach() throws {
    laptop.set("a", "laptop", at: 100)
    laptop.set("b", "laptop", at: 100)
    laptop.set("gone", "1", at: 100)
    try synced[0].addDomain("tool")
    try rounds()
    laptop.set("gone", nil, at: 150)
    try rounds()
    desktop.set("a", "desktop", at: 50)
    desktop.set("b", "desktop", at: 200)
    desktop.set("gone", "older", at: 60)
    desktop.set("c", "desktop", at: 1)
    try synced[1].addDomain("tool")
    try rounds()
    let both = ["a": "laptop", "b": "desktop", "c": "desktop"]
    #expect(laptop.values() == both && desktop.values() == both)
  }

  @Test func aDomainThatIsDroppedStaysAsItIs() throws {
    for number in 0..<2 { try synced[number].addDomain("tool") }
    laptop.set("theme", "dark", at: 1)
    try rounds()
    #expect(try synced[1].dropDomain("tool"))
    #expect(try !synced[1].dropDomain("tool"))
    laptop.set("theme", "light", at: 2)
    desktop.set("theme", "mine", at: 3)
    try rounds()
    #expect(laptop.values() == ["theme": "light"] && desktop.values() == ["theme": "mine"])
    #expect(try synced[1].status().domains.isEmpty)
  }

  @Test func lostPreferencesAreNotTakenForRemovedOnes() throws {
    for number in 0..<2 { try synced[number].addDomain("tool") }
    laptop.set("theme", "dark", at: 1)
    try rounds()
    desktop.all = MemoryPreferences.Contents()
    try rounds()
    #expect(laptop.values() == ["theme": "dark"] && desktop.values() == ["theme": "dark"])
    // A domain that somebody removes is gone everywhere.
    desktop.set("theme", nil, at: 2)
    try rounds()
    #expect(laptop.values().isEmpty && desktop.values().isEmpty)
  }

  @Test func preferencesThatWereLostAndUsedSinceRemoveNothing() throws {
    for number in 0..<2 { try synced[number].addDomain("tool") }
    laptop.set("theme", "dark", at: 1)
    laptop.set("size", "12", at: 1)
    laptop.set("gone", "1", at: 1)
    try rounds()
    desktop.all = MemoryPreferences.Contents()
    desktop.set("size", "14", at: 2)
    // Somebody removes what was lost already.
    desktop.set("gone", nil, at: 3)
    try rounds()
    let both = ["theme": "dark", "size": "14"]
    #expect(laptop.values() == both && desktop.values() == both)
  }

  @Test func whatTheAdministratorFixedIsNeitherToldNorChanged() throws {
    for number in 0..<2 { try synced[number].addDomain("tool") }
    laptop.set("fixed", "laptop", at: 1)
    desktop.set("fixed", "desktop", at: 2)
    desktop.all.domains["tool"]?.fixed = ["fixed"]
    try rounds()
    #expect(laptop.values() == ["fixed": "laptop"] && desktop.values() == ["fixed": "desktop"])
  }

  @Test func aProtectedDomainIsProtectedWhereItIsTaken() throws {
    for number in 0..<2 { try synced[number].addDomain("tool") }
    laptop.set("token", "1", at: 1)
    laptop.all.domains["tool"]?.isProtected = true
    try rounds()
    #expect(desktop.values() == ["token": "1"])
    #expect(desktop.all.domains["tool"]?.isProtected == true)
  }

  @Test func aReaderTakesAndIsNotBelieved() throws {
    let reader = try SyncMachine("reader")
    let store = MemoryPreferences()
    var joined = try reader.joining(synced[0], engine, role: .reader)
    joined.preferences = store
    try synced[0].addDomain("tool")
    try joined.addDomain("tool")
    laptop.set("theme", "dark", at: 1)
    try rounds()
    try joined.synchronize()
    #expect(store.values() == ["theme": "dark"])
    store.set("theme", "readers", at: 9)
    try joined.synchronize()
    try rounds()
    #expect(laptop.values() == ["theme": "dark"])
  }

  @Test func whatARemovedMachineWroteAfterwardsIsTakenBack() throws {
    for number in 0..<3 { try synced[number].addDomain("tool") }
    laptop.set("theme", "dark", at: 1)
    try rounds()
    try engine.apart {
      desktop.set("theme", "late", at: 2)
      desktop.set("more", "late", at: 2)
      try synced[1].synchronize()
      try synced[2].synchronize()
      #expect(server.values() == ["theme": "late", "more": "late"])
    } and: {
      try synced[0].remove("desktop")
    }
    for _ in 0..<2 { for number in [0, 2] { try synced[number].synchronize() } }
    #expect(server.values() == ["theme": "dark"] && laptop.values() == ["theme": "dark"])
  }

  @Test func aChangeInTheMiddleOfARunIsKeptAndTold() throws {
    for number in 0..<2 { try synced[number].addDomain("tool") }
    laptop.set("theme", "dark", at: 1)
    try rounds()
    laptop.set("theme", "light", at: 2)
    try synced[0].synchronize()
    desktop.meanwhile { [desktop] in desktop.set("theme", "meanwhile", at: 3) }
    try synced[1].synchronize()
    desktop.meanwhile(nil)
    #expect(desktop.values() == ["theme": "meanwhile"])
    try rounds()
    #expect(laptop.values() == ["theme": "meanwhile"] && desktop.values() == laptop.values())
  }

  /// What a run brought that was ended before it remembered that is not this machine's own change.
  @Test func whatAnEndedRunHasBroughtDoesNotUndoALaterChange() throws {
    for number in 0..<2 { try synced[number].addDomain("tool") }
    laptop.set("theme", "dark", at: 1)
    try rounds()
    laptop.set("theme", "light", at: 2)
    try synced[0].synchronize()
    let files = SyncFiles(vault: machines[1].vault.blocking.path)
    let ended = Mutex<[UInt8]?>(nil)
    desktop.meanwhile {
      let state = try? files.state()
      ended.withLock { $0 = $0 ?? state ?? nil }
    }
    try synced[1].synchronize()
    desktop.meanwhile(nil)
    #expect(desktop.values() == ["theme": "light"])
    try files.replaceState(#require(ended.withLock { $0 }))
    // When it was applied is later than any change of it.
    desktop.all.times["tool"] = ["theme": .max]
    laptop.set("theme", "blue", at: 3)
    try rounds()
    #expect(laptop.values() == ["theme": "blue"] && desktop.values() == ["theme": "blue"])
  }

  @Test func preferencesThatCannotBeWrittenDoNotHoldUpSecrets() throws {
    for number in 0..<2 { try synced[number].addDomain("tool") }
    laptop.set("theme", "dark", at: 1)
    try synced[0].synchronize()
    desktop.isRefusing = true
    try machines[1].set("token", "1")
    let report = try synced[1].synchronize()
    #expect(report.problems.map(\.code) == [.inputOutput])
    try synced[0].synchronize()
    #expect(try machines[0].get("token") == "1")
    #expect(try synced[1].synchronize().problems.count == 1)
    desktop.isRefusing = false
    #expect(try synced[1].synchronize().domains == ["tool"])
    #expect(desktop.values() == ["theme": "dark"])
  }

  @Test func whatIsTooLongStaysHereAndIsNamed() throws {
    for number in 0..<2 { try synced[number].addDomain("tool") }
    laptop.set("large", String(repeating: "x", count: 4 << 20), at: 1)
    for number in 0..<40 {
      laptop.set("key\(number)", String(repeating: "y", count: 20_000), at: 1)
    }
    #expect(try synced[0].synchronize().tooLong == ["tool large"])
    try rounds()
    #expect(desktop.values().count == 40)
    for wrong in ["", String(repeating: "x", count: 1001), "a\nb"] {
      #expect(throws: SyncError.self) { try synced[0].addDomain(wrong) }
    }
  }

  @Test func whatIsNotToldYetIsCounted() throws {
    for number in 0..<2 { try synced[number].addDomain("tool") }
    laptop.set("theme", "dark", at: 1)
    laptop.set("size", "12", at: 1)
    let vault = machines[0].vault
    func hasChanges() throws -> Bool {
      try #require(try SyncedVault.overview(of: vault, preferences: laptop)).hasChanges
    }
    #expect(try synced[0].status().changedPreferences == 2)
    #expect(try hasChanges())
    try rounds()
    #expect(try synced[0].status().changedPreferences == 0)
    #expect(try !hasChanges())
    laptop.set("theme", nil, at: 2)
    #expect(try synced[0].status().changedPreferences == 1)
    #expect(try hasChanges())
    #expect(try synced[1].status().changedPreferences == 0)
    // What another machine changed is not this one's to tell.
    desktop.set("size", "14", at: 3)
    try synced[1].synchronize()
    try synced[0].synchronize()
    #expect(try synced[0].status().changedPreferences == 0)
    // The items, too.
    #expect(try synced[0].status().changedItems == 0)
    try machines[0].set("token", "1")
    try machines[0].set("other", "1")
    #expect(try synced[0].status().changedItems == 2)
    try synced[0].synchronize()
    #expect(try synced[0].status().changedItems == 0)
    #expect(try synced[0].status().unsent == 0)
  }

  @Test func automaticRunsKnowTheDomainsWithoutTheVault() throws {
    let path = machines[0].vault.blocking.path
    func domains() -> Set<String> { SyncedVault.automaticDomains(vaultAt: path) }
    try synced[0].addDomain("tool")
    #expect(domains().isEmpty)
    try SyncedVault.setAutomatic(true, for: machines[0].vault)
    #expect(domains() == ["tool"])
    try synced[0].addDomain("com.example.editor")
    #expect(domains() == ["tool", "com.example.editor"])
    try synced[0].dropDomain("tool")
    #expect(domains() == ["com.example.editor"])
    #expect(SyncedVault.isAutomatic(vaultAt: path))
    try SyncedVault.setAutomatic(false, for: machines[0].vault)
    #expect(domains().isEmpty && !SyncedVault.isAutomatic(vaultAt: path))
  }

  /// Machines change, synchronize and are killed, by seeds; what they end with is equal.
  @Test(arguments: 0..<40) func machinesEndWithTheSame(seed: Int) throws {
    var (machines, synced) = (machines, synced)
    var dice = SimulatedSpace.Dice(seed: UInt64(seed))
    let clocks = (0..<3).map { _ in Int64(dice.below(1_000_000)) }
    for number in 0..<3 where number < 2 || dice.isOne(in: 2) {
      try synced[number].addDomain("tool")
    }
    var time: Int64 = 0
    for _ in 0..<30 {
      let number = dice.below(3)
      time += Int64(dice.below(100))
      switch dice.below(6) {
      case 0..<3:
        let value = dice.isOne(in: 4) ? nil : "v\(dice.below(9))"
        stores[number].set("key\(dice.below(4))", value, at: clocks[number] + time)
      case 3:
        // At some call of the system; the next process begins anew.
        let plan = FaultPlan(.kill, at: 1 + dice.below(40))
        _ = try? System.withFaults(plan) { try synced[number].synchronize() }
        machines[number] = try SyncMachine(at: machines[number].home, like: machines[number])
        synced[number] = try SyncedVault(machines[number].vault, engine: engine)
        synced[number].preferences = stores[number]
        if dice.isOne(in: 2) { synced[number].exchange.tuning.baseStep = 0 }
      default: try synced[number].synchronize()
      }
    }
    for _ in 0..<5 { for one in synced { try one.synchronize() } }
    let members = try (0..<3).filter { try synced[$0].status().domains == ["tool"] }
    for number in members { #expect(stores[number].values() == laptop.values(), "m\(number)") }
    for one in synced { #expect(try one.synchronize().sent == 0, "it has no end") }
  }

  /// A machine that only reads counts what was changed on it, and gives it back.
  @Test func aReaderGivesPreferencesBack() throws {
    for one in synced { try one.addDomain("tool") }
    laptop.set("theme", "dark", at: 10)
    laptop.set("size", "12", at: 10)
    try rounds()
    try synced[0].setRole(.reader, of: "desktop")
    try rounds()
    desktop.set("theme", "light", at: 20)
    desktop.set("size", nil, at: 20)
    desktop.set("own", "1", at: 20)
    for _ in 0..<2 {
      try rounds()
      #expect(try synced[1].status().changedPreferences == 3)
    }
    #expect(laptop.values() == ["theme": "dark", "size": "12"])
    #expect(try synced[1].discardLocalChanges() == (0, 3))
    #expect(desktop.values() == ["theme": "dark", "size": "12"])
    for _ in 0..<2 {
      #expect(try synced[1].status().changedPreferences == 0)
      try rounds()
    }
    #expect(laptop.values() == desktop.values() && desktop.values() == server.values())
  }
}
