import Foundation
import TestSupport
import Testing

/// One command's changes are one step back.
struct UndoVerbTests {
  @Test func aRemovalOfSeveralItemsIsTakenBackWhole() throws {
    let vault = try ThrowawayVault()
    for name in ["a", "b", "c"] { try vault.set(name, "secret of \(name)") }
    func run(_ arguments: String...) throws -> VaultProcess.Result {
      try vault.command.run(arguments + ["--no-session"])
    }
    let missing = try run("remove", "a", "none", "b")
    #expect(missing.status == 1, "\(missing.errors)")
    #expect(try run("list").text == "a\nb\nc\n")
    #expect(try run("remove", "c", "a").status == 0)
    #expect(try run("list").text == "b\n")
    let undo = try run("undo")
    #expect(undo.status == 0, "\(undo.errors)")
    #expect(undo.errors == "vault: a is back\nvault: c is back\n")
    for name in ["a", "b", "c"] { #expect(try vault.get(name).text == "secret of \(name)") }
    let purge = try run("remove", "--purge", "--yes", "a", "b", "--json")
    #expect(purge.text.contains("\"purged\""))
    #expect(try run("list").text == "c\n")
    #expect(try run("undo").status == 1)
  }

  @Test func aMendedVaultWarnsNobody() throws {
    let vault = try ThrowawayVault()
    for text in ["one", "two"] { try vault.set("k", text) }
    let path = URL(fileURLWithPath: "\(vault.data)/secrets.vault")
    var bytes = try Data(contentsOf: path)
    bytes[70] ^= 1
    try bytes.write(to: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path.path)
    #expect(try vault.get("k").status == 65)
    let salvage = try vault.command.run(["check", "--salvage", "--no-session"])
    // The last change is lost, and that is said once.
    #expect(salvage.status == 65, "\(salvage.errors)")
    #expect(salvage.errors.contains("the last change of the vault"))
    let get = try vault.get("k")
    #expect(get.status == 0 && get.text == "one" && get.errors.isEmpty, "\(get.errors)")
    let set = try vault.set("k", "three")
    #expect(set.status == 0 && set.errors.isEmpty, "\(set.errors)")
    #expect(try vault.command.run(["check", "--no-session"]).status == 0)
  }
}
