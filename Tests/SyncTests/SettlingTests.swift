import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultSync

/// What two machines changed without knowing of each other is settled once, for all of them.
struct SettlingTests: SuiteOfTwoMachines {
  let machines: TwoMachines

  init() throws {
    machines = try TwoMachines(token: "old")
  }

  private func exchange() throws {
    for _ in 0..<2 {
      try first.synchronize()
      try second.synchronize()
    }
  }

  private func conflicts(_ machine: SyncMachine) throws -> [MergeReport.Conflict] {
    var query = ItemQuery()
    query.isConflicting = true
    return try machine.vault.blocking.items(matching: query).flatMap(\.conflicts)
  }

  private func expectSettled() throws {
    try exchange()
    for machine in [laptop, desktop] { #expect(try conflicts(machine).isEmpty) }
    #expect(try laptop.contents() == desktop.contents())
    #expect(try first.synchronize().sent == 0)
    #expect(try second.synchronize().sent == 0)
  }

  private func meet() throws {
    try laptop.set("token", "of the laptop")
    desktop.time.advance(60_000)
    try desktop.set("token", "of the desktop")
    try exchange()
  }

  @Test func theHistorySaysWhoWroteWhatMet() throws {
    try meet()
    for machine in [laptop, desktop] {
      let conflict = try #require(try conflicts(machine).first)
      #expect(conflict.kind == .secret && conflict.machine == "laptop")
      let snapshot = try machine.vault.blocking.read()
      let item = try snapshot.item(ItemName("token"))
      let other = try #require(try snapshot.history(of: item).first { $0.isConcurrent })
      #expect(other.machine == "laptop" && other.version == conflict.version)
      #expect(
        try snapshot.secret(of: item, version: other.version).string() == "of the laptop")
      #expect(try snapshot.history(of: item).filter(\.isConcurrent).count == 1)
    }
    // Also when it is settled.
    try first.resolve(ItemName("token"))
    try expectSettled()
    let versions = try desktop.vault.blocking.history(of: ItemName("token"))
    #expect(versions.filter(\.isConcurrent).map(\.machine) == ["laptop"])
  }

  @Test func theCurrentValueStaysUnlessAMachineIsNamed() throws {
    try meet()
    try first.resolve(ItemName("token"))
    try expectSettled()
    #expect(try laptop.get("token") == "of the desktop")
  }

  @Test(arguments: ["laptop", "desktop"])
  func theMachineThatIsNamedIsTaken(label: String) throws {
    try meet()
    // Any machine settles it, by the records that it has: the store may be away.
    engine.isAway = true
    let item = try second.resolve(ItemName("token"), taking: label)
    #expect(item.conflicts.isEmpty)
    engine.isAway = false
    try expectSettled()
    for machine in [laptop, desktop] {
      #expect(try machine.get("token") == "of the \(label)")
      #expect(try machine.values(of: "token") == ["old", "of the laptop", "of the desktop"])
    }
  }

  @Test func severalFieldsOfOneMachineAreTakenTogether() throws {
    func set(_ machine: SyncMachine, _ word: String) throws {
      try machine.vault.blocking.edit { edit in
        _ = try edit.set(ItemName("token"), to: Secret("\(word)-main"))
        _ = try edit.set(ItemName("token"), to: Secret("\(word)-user"), field: "user")
      }
    }
    try set(laptop, "l")
    desktop.time.advance(60_000)
    try set(desktop, "d")
    try desktop.vault.blocking.edit { edit in
      _ = try edit.set(ItemName("token"), to: Secret("host"), field: "host")
    }
    try exchange()
    #expect(try laptop.contents()["token"] == "d-main|host=host|user=d-user|")
    try first.resolve(ItemName("token"), taking: "laptop")
    try expectSettled()
    #expect(try desktop.contents()["token"] == "l-main|host=host|user=l-user|")
  }

  @Test func aMachineThatWroteNoneOfThemIsRefused() throws {
    try meet()
    do {
      try first.resolve(ItemName("token"), taking: "server")
      Issue.record("there is no such machine")
    } catch let error as SyncError {
      #expect(error.code == .deviceNotFound)
      #expect(error.hint?.contains("desktop, laptop") == true)
    }
    #expect(try conflicts(laptop).count == 1)
    try laptop.set("alone", "1")
    for name in ["alone", "nothing"] {
      #expect(throws: CredentialError.self) { try first.resolve(ItemName(name)) }
      #expect(throws: CredentialError.self) {
        try first.resolve(ItemName(name), taking: "laptop")
      }
    }
  }

  @Test func twoMachinesThatSettleItDifferentlyLoseNothing() throws {
    try meet()
    try first.resolve(ItemName("token"), taking: "laptop")
    try second.resolve(ItemName("token"), taking: "desktop")
    try exchange()
    #expect(try laptop.contents() == desktop.contents())
    #expect(
      try laptop.values(of: "token").isSuperset(of: ["old", "of the laptop", "of the desktop"]))
  }

  // MARK: - Two items of one name

  private func meetNames() throws {
    try laptop.set("github", "l")
    desktop.time.advance(60_000)
    try desktop.set("github", "d")
    try exchange()
    for machine in [laptop, desktop] {
      #expect(try machine.contents().keys.sorted() == ["github", "github~desktop", "token"])
      let conflict = try #require(try conflicts(machine).first)
      #expect(conflict.kind == .name && conflict.name.text == "github~desktop")
      #expect(conflict.formerName?.text == "github")
    }
  }

  @Test(arguments: ["github", "github~desktop"])
  func twoItemsOfOneNameStayBesideEachOther(name: String) throws {
    try meetNames()
    try first.resolve(ItemName(name))
    try expectSettled()
    #expect(try desktop.contents() == ["token": "old|", "github": "l|", "github~desktop": "d|"])
  }

  @Test(arguments: ["laptop", "desktop"], ["github", "github~desktop"])
  func ofTwoItemsOfOneNameAMachinesIsTaken(label: String, name: String) throws {
    try meetNames()
    try second.resolve(ItemName(name), taking: label)
    try expectSettled()
    for machine in [laptop, desktop] {
      #expect(
        try machine.contents() == ["token": "old|", "github": label == "laptop" ? "l|" : "d|"])
      #expect(try machine.values(of: "github") == ["l", "d"])
    }
  }

  @Test func aNewNameSettlesIt() throws {
    try meetNames()
    try laptop.vault.blocking.edit { edit in
      _ = try edit.rename(ItemName("github~desktop"), to: ItemName("github-work"))
    }
    try expectSettled()
    #expect(try desktop.contents().keys.sorted() == ["github", "github-work", "token"])
  }

  // MARK: - A removal for good

  private func removeAndChange() throws {
    try laptop.vault.blocking.edit { try $0.purge(ItemName("token")) }
    try desktop.set("token", "changed")
    try exchange()
    for machine in [laptop, desktop] {
      #expect(try machine.contents().isEmpty)
      #expect(try conflicts(machine).map(\.kind) == [.removal])
    }
  }

  @Test func whatCameBackStaysInTheTrash() throws {
    try removeAndChange()
    try first.resolve(ItemName("token"))
    try expectSettled()
    for machine in [laptop, desktop] {
      let trash = try machine.vault.blocking.read().items(matching: .trash)
      #expect(trash.map(\.name.text) == ["token"])
    }
    try laptop.vault.blocking.restore(ItemName("token"))
    try expectSettled()
    #expect(try desktop.get("token") == "changed")
  }

  @Test(arguments: [true, false])
  func whoeverChangedItGetsItBack(byItself: Bool) throws {
    try removeAndChange()
    if byItself {
      try second.resolve(ItemName("token"), taking: "desktop")
    } else {
      try laptop.vault.blocking.restore(ItemName("token"))
    }
    try expectSettled()
    for machine in [laptop, desktop] { #expect(try machine.get("token") == "changed") }
  }

  @Test func whoeverRemovedItRemovesIt() throws {
    try removeAndChange()
    try second.resolve(ItemName("token"), taking: "laptop")
    try expectSettled()
    for machine in [laptop, desktop] {
      #expect(try machine.vault.blocking.read().items(matching: .trash).isEmpty)
    }
  }
}
