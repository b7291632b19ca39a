import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import VaultCredentials
import VaultCredentialsTesting
import VaultSealing
import VaultStorage

/// What a command that was killed has left is finished by the next one.
struct KilledChangeTests {
  /// What removes a generation before it with what it names.
  enum Purging: CaseIterable {
    case remove, removeSeveral, emptyTrash, removeSlot

    func prepare(_ vault: ThrowawayVault) throws {
      let open = vault.open.blocking
      for text in ["one", "two"] { try open.set(name("k"), to: Secret(text)) }
      try open.set(name("other"), to: Secret("untouched"))
      switch self {
      case .emptyTrash: try open.remove(name("k"))
      case .removeSlot:
        try open.addSlot(.keyFile(SecretBytes.random(count: 32), label: "second"))
      case .remove, .removeSeveral: break
      }
    }

    func run(_ open: UnlockedVault.Blocking) throws {
      switch self {
      case .remove: try open.remove(name("k"), purge: true)
      case .removeSeveral: try open.remove([name("k")], purge: true)
      case .emptyTrash: try open.remove([name("k")], purge: true)
      case .removeSlot: try open.removeSlot("second")
      }
    }

    func isDone(_ open: UnlockedVault.Blocking) throws -> Bool {
      var trash = ItemQuery()
      trash.isInTrash = true
      let purged = try name("k")
      return try self == .removeSlot
        ? open.slots().count == 1
        : !(open.items() + open.items(matching: trash)).contains { $0.name == purged }
    }
  }

  @Test(
    arguments: Purging.allCases, [FaultPlan.Fault.kill, .error(EIO)])
  func aPurgeThatWasKilledIsFinishedByTheNextCommand(
    purging: Purging, fault: FaultPlan.Fault
  ) throws {
    var number = 0
    var finished = 0
    while true {
      number += 1
      try #require(number < 100)
      let vault = try ThrowawayVault()
      try purging.prepare(vault)
      let blobs = try sealedBlobs(of: vault)
      try #require(!blobs.isEmpty)
      let plan = FaultPlan(fault, at: number)
      _ = code { try System.withFaults(plan) { try purging.run(vault.open.blocking) } }
      guard plan.hasFired else { break }
      let wasLeft = try !remains(of: blobs, vault).isEmpty
      let open = try vault.reopened().blocking
      #expect(try open.get(name("other")).text == "untouched")
      guard try purging.isDone(open) else {
        // Nothing has happened: neither has what belongs to it.
        if purging != .emptyTrash, purging != .removeSlot {
          #expect(try open.get(name("k"), version: 1).text == "one", "call \(number)")
        }
        continue
      }
      if wasLeft { finished += 1 }
      let left = try remains(of: blobs, vault)
      if purging == .removeSlot {
        #expect(try open.get(name("k"), version: 1).text == "one", "call \(number)")
        #expect(left.allSatisfy { $0.hasPrefix("store.sqlite") }, "call \(number): \(left)")
      } else {
        #expect(left.isEmpty, "call \(number): \(left)")
      }
    }
    #expect(finished > 0)
  }

  @Test func aBlobThatIsNamedAgainStaysAndASecondPurgeTakesOnlyItsOwn() throws {
    let vault = try ThrowawayVault()
    try Purging.remove.prepare(vault)
    let before = try Data(contentsOf: URL(fileURLWithPath: vault.path))
    let open = vault.open.blocking
    for text in ["a", "b"] { try open.set(name("l"), to: Secret(text)) }
    // Killed when the file is in place, before anything else.
    var number = 0
    repeat {
      number += 1
      let plan = FaultPlan(.kill, at: number, of: [.rename])
      _ = code {
        try System.withFaults(plan) { try open.remove(name("k"), purge: true) }
      }
    } while FileManager.default.fileExists(atPath: vault.path + ".purge") == false && number < 9
    // Somebody puts the file of before back, and its history is whole.
    try rewrite([UInt8](before), at: vault.path)
    var options = vault.options
    options.acceptsRollback = true
    let key = vault.key
    let again = try LockedVault(location: vault.location, options: options)
      .blocking.unlock(with: [.key { key }]).blocking
    #expect(try again.get(name("k"), version: 1).text == "one")
  }

  /// The names of files that still hold what was purged, or say that it is to be.
  private func remains(of blobs: [[UInt8]], _ vault: ThrowawayVault) throws -> [String] {
    try files(below: vault.home.path).filter { file in
      let (name, contents) = (file.lastPathComponent, try Data(contentsOf: file))
      return name.hasSuffix(".previous") || name.hasSuffix(".purge")
        || name.hasPrefix(".") && !name.contains(".seen.")
        || blobs.contains { contents.range(of: Data($0)) != nil }
    }.map(\.lastPathComponent)
  }

  private func sealedBlobs(of vault: ThrowawayVault) throws -> [[UInt8]] {
    let store = try Store.open(vault.location, mode: .read)
    let rows = try store?.connection.cached("SELECT sealed FROM credentials_blobs")
    defer { rows?.reset() }
    var blobs: [[UInt8]] = []
    while try rows?.step() == true { blobs.append(rows?.bytes(at: 0) ?? []) }
    return blobs
  }

  // MARK: The keyring

  /// What puts a key into the keyring, or takes one out of it.
  enum KeyChange: CaseIterable {
    case add, rotate, rotateAway, remove
  }

  @Test(arguments: KeyChange.allCases, [FaultPlan.Fault.kill, .error(EIO)])
  func aKeyOfASlotThatIsNotInTheFileGoesFromTheKeyring(
    change: KeyChange, fault: FaultPlan.Fault
  ) throws {
    var number = 0
    var states: Set<Int> = []
    let second = try SecretBytes.random(count: 32)
    while true {
      number += 1
      try #require(number < 150)
      let keyring = TestKeyring()
      let vault = try ThrowawayVault {
        $0.use(keyring)
        $0.usesKeyring = true
      }
      let open = vault.open.blocking
      if change != .add { try open.addSlot(.keyring(label: "desktop")) }
      let key = vault.key
      let plan = FaultPlan(fault, at: number)
      _ = code {
        try System.withFaults(plan) {
          switch change {
          case .add: _ = try open.addSlot(.keyring())
          case .rotate: _ = try open.rotate(to: [.keyring(), .keyFile(second)])
          case .rotateAway: _ = try open.rotate(to: [.keyFile(second)])
          case .remove: try open.removeSlot("desktop")
          }
        }
      }
      guard plan.hasFired else { break }
      // Killed before anything was noted, a process has put nothing into the keyring; this one,
      // whose files alone end, has.
      let state = (try? FileManager.default.contentsOfDirectory(atPath: vault.state)) ?? []
      guard fault != .kill || state.contains(where: { $0.hasSuffix(".slot") }) else { continue }
      let locked = try vault.locked.blocking
      let byFirst = try? locked.unlock(with: [.key { key }])
      let again = try byFirst ?? locked.unlock(with: [.key { second }])
      let slots = try again.blocking.slots().count { $0.kind == .keyring }
      let keys = keyring.attributes.count { $0["service"] == "vault-key" }
      #expect(keys == slots, "call \(number)")
      if slots > 0 { _ = try locked.unlock(with: [.keyring]) }
      states.insert(slots)
      let left = try FileManager.default.contentsOfDirectory(atPath: vault.state)
        .filter { $0.hasSuffix(".slot") }
      #expect(left.isEmpty, "call \(number): \(left)")
    }
    #expect(states == (change == .rotate ? [1] : [0, 1]))
  }

  @Test func aKeyThatIsBeingPutIntoTheKeyringIsNotTakenOutByAnother() throws {
    let keyring = TestKeyring()
    let vault = try ThrowawayVault {
      $0.use(keyring)
      $0.usesKeyring = true
    }
    try vault.open.blocking.addSlot(.keyring())
    // Another process opens the vault while a rotation holds its new key, and the old slot's.
    let key = vault.key
    var options = vault.options
    let other = try vault.locked
    let counts = Mutex<[Int]>([])
    options.progress = { _ in
      _ = try? other.blocking.unlock(with: [.key { key }])
      counts.withLock { $0.append(keyring.attributes.count { $0["service"] == "vault-key" }) }
    }
    let rotating = try LockedVault(location: vault.location, options: options)
      .blocking.unlock(with: [.key { key }])
    try rotating.blocking.set(name("k"), to: Secret("one"))
    let rotated = try rotating.blocking.rotate(to: [
      .keyring(), .keyFile(SecretBytes.random(count: 32)),
    ])
    #expect(counts.withLock { $0.contains(2) && $0.allSatisfy { $0 >= 1 } })
    #expect(try rotated.blocking.get(name("k")).text == "one")
    #expect(try vault.locked.blocking.unlock(with: [.keyring]).openedBy.source == .keyring)
  }

  @Test func aKeyFileThatCannotBeWrittenLeavesNoPartOfOne() throws {
    let home = try TemporaryHome()
    for fault in [FaultPlan.Fault.error(ENOSPC), .error(EIO)] {
      for number in 1...3 {
        let path = "\(home.path)/key"
        let plan = FaultPlan(fault, at: number, of: [.write, .sync])
        let failure = code { _ = try System.withFaults(plan) { try KeyFile.create(path) } }
        guard plan.hasFired else { continue }
        #expect(failure == .cannotCreate)
        #expect(!FileManager.default.fileExists(atPath: path))
      }
      try? FileManager.default.removeItem(atPath: "\(home.path)/key")
    }
  }
}
