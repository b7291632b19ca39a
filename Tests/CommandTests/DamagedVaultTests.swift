import Foundation
import TestSupport
import Testing

/// A damaged vault file through the command: 65, and nothing changed.
struct DamagedVaultTests {
  @Test func flippedBytesAreReportedByCheckAndNeverAnsweredWrongly() throws {
    let vault = try ThrowawayVault()
    try vault.set("one", "first")
    try vault.set("two", "second")
    let path = "\(vault.data)/secrets.vault"
    let whole = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    for offset in stride(from: 0, to: whole.count, by: 67) + [whole.count - 1] {
      var changed = whole
      changed[offset] ^= 0x10
      try rewrite(changed, path)
      let check = try vault.command.run(["check", "--no-session"])
      #expect(check.status == 65, "byte \(offset): \(check.errors)")
      let get = try vault.get("one")
      if get.status == 0 {
        #expect(get.text == "first", "byte \(offset)")
      } else {
        #expect(get.status == 65, "byte \(offset): \(get.errors)")
        #expect(get.output.isEmpty)
      }
      #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) == changed)
    }
    try rewrite(whole, path)
    #expect(try vault.command.run(["check", "--no-session"]).status == 0)
  }

  @Test func openModesAreRefusedWithTheLineThatMendsThem() throws {
    let vault = try ThrowawayVault()
    try vault.set("one", "first")
    let path = "\(vault.data)/secrets.vault"
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    let get = try vault.get("one")
    #expect(get.status == 77)
    #expect(get.errors.contains("chmod 600"))
  }

  private func rewrite(_ bytes: [UInt8], _ path: String) throws {
    try FileManager.default.removeItem(atPath: path)
    try #require(
      FileManager.default.createFile(
        atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o600]))
  }
}

private func + (left: StrideTo<Int>, right: [Int]) -> [Int] { Array(left) + right }
