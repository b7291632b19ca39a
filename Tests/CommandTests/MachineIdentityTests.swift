import Foundation
import TestSupport
import Testing

/// The id by which records name the machine that wrote them belongs to the machine, not to a home.
@Suite(.enabled(if: OtherMachine.isPossible, "\(OtherMachine.needs)"))
struct MachineIdentityTests {
  private let vault: ThrowawayVault

  init() throws { vault = try ThrowawayVault() }

  private func machine(_ id: Character, home: String? = nil) -> OtherMachine {
    OtherMachine(home: home ?? vault.home.path, id: id, vault.command.environment)
  }

  private func set(on machine: OtherMachine) throws {
    let run = try machine.run(["set", "token", "--stdin", "--no-session"], input: Data("x".utf8))
    #expect(run.status == 0, "\(run.errors)")
  }

  /// The files with ids, by name.
  private func ids() throws -> [String: Data] {
    let names = vault.home.names(in: ".local/state/vault").filter { $0.hasPrefix("device") }
    let files = try names.map { try Data(contentsOf: URL(fileURLWithPath: "\(vault.state)/\($0)")) }
    return Dictionary(uniqueKeysWithValues: zip(names, files))
  }

  @Test func aHomeThatMachinesShareHasAnIDForEach() throws {
    let own = try ids()
    try set(on: machine("b"))
    try set(on: machine("c"))
    let shared = try ids()
    #expect(own.count == 1 && shared.count == 3, "\(shared.keys)")
    #expect(Set(shared.values).count == 3)
    for (name, id) in own { #expect(shared[name] == id) }
    try set(on: machine("b"))
    #expect(try ids() == shared)
    // The machine's own id is confidential.
    #expect(!shared.keys.contains { $0.contains("bbbb") || $0.contains("cccc") })
  }

  /// Earlier versions did not find the machine's id and kept theirs as one that has none.
  @Test func theIDOfAnEarlierVersionStaysWithItsMachine() throws {
    let (name, id) = try #require(try ids().first)
    try FileManager.default.moveItem(
      atPath: "\(vault.state)/\(name)", toPath: "\(vault.state)/device")
    try set(on: machine("b"))
    let kept = try #require(try ids().first)
    #expect(kept.key.hasPrefix("device-") && kept.key != name)
    #expect(kept.value == id)
    #expect(try ids().count == 1)
    try set(on: machine("c"))
    #expect(try ids().count == 2)
    #expect(try Set(ids().values).count == 2)
  }

  @Test func aCopiedHomeIsAnotherMachineInItsSpace() throws {
    let store = try TemporaryHome()
    #expect(try vault("sync", "init", store.path).status == 0)
    let copy = try SyncedHomes.copy(vault.home)
    let copied = machine("b", home: copy.path)
    let run = try copied.run(["sync", "now"])
    #expect(run.status == 0 && run.errors.contains("the machine goes on as"), "\(run.errors)")
    let own = try vault("sync", "now")
    #expect(own.status == 0 && own.errors.contains("a copy of this home goes on as"))
    #expect(try vault("sync", "devices").text.split(separator: "\n").count == 2)
  }
}
