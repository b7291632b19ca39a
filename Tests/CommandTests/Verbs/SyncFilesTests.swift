import Foundation
import TestSupport
import Testing

/// What lies beside a vault for its space, where the vault is backed up, put back, salvaged, copied
/// or leaves: no number of a machine is ever written twice.
struct SyncFilesTests {
  let laptop: ThrowawayVault
  let desktop: ThrowawayVault
  let store: TemporaryHome

  init() throws {
    (laptop, desktop, store) = try SyncedHomes.make()
    try laptop.set("token", "1")
    try SyncedHomes.join(laptop, desktop, at: store.path)
    #expect(try laptop("sync", "now").status == 0)
  }

  private var backup: String { "\(laptop.home.path)/backup" }

  private func remove(_ names: String..., from machine: ThrowawayVault) throws {
    for name in names { try FileManager.default.removeItem(atPath: "\(machine.data)/\(name)") }
  }

  /// Names beside the vault that are of its space.
  private func files(_ machine: ThrowawayVault) -> [String] {
    machine.home.names(in: ".local/share/vault").filter { $0.contains(".sync") }
  }

  /// Changes something on both, and brings it to both.
  private func bothGoOn(_ first: VaultProcess, _ second: VaultProcess) throws {
    for (number, machine) in [first, second].enumerated() {
      let set = try machine.run(["set", "after-\(number)", "--stdin"], input: Data("x".utf8))
      #expect(set.status == 0, "\(set.errors)")
    }
    for machine in [first, second, first] {
      let now = try machine.run(["sync", "now", "--json"])
      #expect(now.status == 0, "\(now.errors)")
      #expect(now.text.contains("\"problems\": []"))
    }
    #expect(try first.run(["list"]).text == second.run(["list"]).text)
  }

  @Test func aBackupThatIsPutBackInItsPlaceTakesNothingBack() throws {
    #expect(try laptop("backup", backup).status == 0)
    try laptop.set("token", "2")
    try laptop.set("new", "3")
    #expect(try laptop("sync", "now").status == 0)
    try remove("secrets.vault", "secrets.vault.previous", from: laptop)
    #expect(try laptop("init", "--from", backup).status == 0)
    #expect(try laptop("sync", "now").says(65, "the vault file is older"))
    let now = try laptop("sync", "now", "--accept-rollback")
    #expect(now.text == "added: new\nchanged: token\n", "\(now.errors)")
    #expect(try laptop.get("token").text == "2")
    #expect(try laptop.get("new").text == "3")
    try bothGoOn(laptop.command, desktop.command)
  }

  @Test func aBackupOnAnotherMachineIsNotInTheSpaceAndJoinsIt() throws {
    #expect(try laptop("sync", "auto", "on").status == 0)
    #expect(try laptop("backup", backup).status == 0)
    let home = try TemporaryHome()
    let machine = VaultProcess(home: home.path, environment: ["VAULT_KEY_FILE": laptop.keyFile])
    #expect(try machine.run(["init", "--from", backup]).status == 0)
    #expect(home.names(in: ".local/share/vault").filter { $0.contains(".sync") } == [])
    let refused = try machine.run(["sync", "now"])
    #expect(refused.says(78, "put back without what this machine knew"), "\(refused.errors)")
    #expect(try machine.run(["sync", "auto"]).status == 78)
    // The one that it was made of goes on as if nothing were.
    try laptop.set("token", "2")
    #expect(try laptop("sync", "now").status == 0)
    try SyncedHomes.join(machine, "server", invitedBy: laptop, at: store.path)
    #expect(try machine.run(["get", "token"]).text == "2")
    try bothGoOn(laptop.command, machine)
    #expect(try desktop("sync", "now").status == 0)
    let devices = try desktop("sync", "devices").text.split(separator: "\n")
    #expect(devices.map { $0.split(separator: " ").first } == ["laptop", "desktop", "server"])
  }

  @Test func aBackupFromBeforeTheSpaceJoinsAgain() throws {
    #expect(try laptop("backup", backup).status == 0)
    let early = try ThrowawayVault()
    try early.set("early", "1")
    #expect(try early("backup", "\(early.home.path)/b").status == 0)
    try SyncedHomes.join(early.command, "early", invitedBy: laptop, at: store.path)
    try remove("secrets.vault", "secrets.vault.previous", from: early)
    #expect(try early("init", "--from", "\(early.home.path)/b").status == 0)
    #expect(try early("sync", "now").says(78, "belongs to no space"))
    try SyncedHomes.join(
      early.command, "again", invitedBy: laptop, at: store.path, "--accept-rollback")
    #expect(try early.get("token").text == "1")
    try bothGoOn(laptop.command, early.command)
  }

  @Test func aBackupFromAnotherSpaceLeavesAndJoins() throws {
    #expect(try desktop("backup", backup).status == 0)
    #expect(try desktop("sync", "leave").status == 0)
    let other = try TemporaryHome()
    #expect(try desktop("sync", "init", other.path).status == 0)
    try remove("secrets.vault", "secrets.vault.previous", from: desktop)
    #expect(try desktop("init", "--from", backup).status == 0)
    let refused = try desktop("sync", "now", "--accept-rollback")
    #expect(refused.says(65, "what this machine remembers of its space"), "\(refused.errors)")
    #expect(try desktop("sync", "leave", "--accept-rollback").status == 0)
    try SyncedHomes.join(desktop.command, "back", invitedBy: laptop, at: store.path)
    try bothGoOn(laptop.command, desktop.command)
  }

  @Test func aSalvagedVaultGoesOn() throws {
    try laptop.set("token", "2")
    #expect(try laptop("sync", "now").status == 0)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: laptop.path))
    bytes[100] ^= 1
    try bytes.write(to: URL(fileURLWithPath: laptop.path))
    #expect(try laptop("get", "token", "--no-session").status == 65)
    let salvaged = try laptop("check", "--salvage", "--no-session")
    #expect(FileManager.default.fileExists(atPath: "\(laptop.path).damaged"), "\(salvaged.errors)")
    let now = try laptop("sync", "now")
    #expect(now.status == 0, "\(now.errors)")
    #expect(try laptop.get("token").text == "2")
    try bothGoOn(laptop.command, desktop.command)
  }

  @Test func aCopiedHomeIsAnotherMachine() throws {
    let copied = try SyncedHomes.copy(laptop.home)
    let state = "\(copied.path)/.local/state/vault"
    for name in try FileManager.default.contentsOfDirectory(atPath: state)
    where name.hasPrefix("device") {
      try FileManager.default.removeItem(atPath: "\(state)/\(name)")
    }
    let copy = VaultProcess(home: copied.path, environment: ["VAULT_KEY_FILE": laptop.keyFile])
    // It goes, and the machine that it was copied from stays.
    let left = try copy.run(["sync", "leave"])
    #expect(left.status == 0 && !left.errors.contains("hint"), "\(left.errors)")
    #expect(try laptop("sync", "now").status == 0)
    try SyncedHomes.join(copy, "copy", invitedBy: laptop, at: store.path)
    try bothGoOn(laptop.command, copy)
    #expect(try desktop("sync", "now").status == 0)
  }

  @Test func aCopiedHomeGoesOnAsAnotherMachine() throws {
    let copied = try SyncedHomes.copy(laptop.home)
    let copy = VaultProcess(home: copied.path, environment: ["VAULT_KEY_FILE": laptop.keyFile])
    #expect(try copy.run(["sync", "status"]).status == 0)
    let first = try copy.run(["sync", "now"])
    #expect(first.status == 0 && first.errors.contains("the machine goes on as laptop"))
    let told = try laptop("sync", "now")
    #expect(told.errors.contains("a copy of this home goes on as laptop-2"), "\(told.errors)")
    #expect(told.errors.contains("sync remove laptop-2"))
    #expect(try !laptop("sync", "now").errors.contains("a copy"))
    try bothGoOn(laptop.command, copy)
    #expect(try desktop("sync", "now").status == 0)
    #expect(try desktop("sync", "devices").text.contains("laptop-2"))
    #expect(try laptop("sync", "remove", "laptop-2").status == 0)
    #expect(try copy.run(["sync", "now"]).status == 77)
    #expect(try laptop("sync", "now").status == 0)
  }

  @Test func aHomeThatWasPutBackOnItsMachineWritesNoNumberTwice() throws {
    let copied = try SyncedHomes.copy(laptop.home)
    try laptop.set("token", "2")
    #expect(try laptop("sync", "now").status == 0)
    let back = VaultProcess(home: copied.path, environment: ["VAULT_KEY_FILE": laptop.keyFile])
    #expect(try back.run(["set", "own", "--stdin"], input: Data("3".utf8)).status == 0)
    let now = try back.run(["sync", "now", "--json"])
    #expect(now.status == 0 && now.text.contains("\"successor\": \"laptop\""), "\(now.text)")
    #expect(now.errors.contains("the space's only owner, and no recovery code"), "\(now.errors)")
    #expect(try back.run(["get", "token"]).text == "2")
    #expect(try back.run(["get", "own"]).text == "3")
    #expect(try desktop("sync", "now").text.contains("added: own"))
    let devices = try desktop("sync", "devices").text
    #expect(devices.split(separator: "\n").count == 2, "\(devices)")
    try bothGoOn(back, desktop.command)
  }

  @Test func whatIsRemovedForGoodIsGoneOnAll() throws {
    #expect(try desktop("sync", "now").status == 0)
    #expect(try laptop("remove", "token", "--purge", "--yes").status == 0)
    #expect(!FileManager.default.fileExists(atPath: "\(laptop.path).previous"))
    #expect(try laptop("sync", "now").status == 0)
    #expect(try desktop("sync", "now").status == 0)
    for machine in [laptop, desktop] {
      #expect(try machine("get", "token").status == 1)
      #expect(try machine("list", "--trash").text.isEmpty)
    }
  }

  @Test func leavingTakesEverythingOfTheSpaceAway() throws {
    #expect(try desktop("sync", "auto", "on").status == 0)
    #expect(!files(desktop).filter { !$0.hasSuffix(".lock") }.isEmpty)
    #expect(try desktop("sync", "leave").status == 0)
    #expect(files(desktop).allSatisfy { $0.hasSuffix(".lock") || $0.hasSuffix(".turn") })
    #expect(try desktop.get("token").text == "1")
  }
}
