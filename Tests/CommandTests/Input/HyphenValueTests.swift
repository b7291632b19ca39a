import Foundation
import TestSupport
import Testing

/// Values that begin with a hyphen, and words that are secrets.
struct HyphenValueTests {
  @Test func aValueThatBeginsWithAHyphenIsTaken() throws {
    let vault = try ThrowawayVault()
    let table = "\(vault.home.path)/t.csv"
    try Data("a,Mail,s3cr3t\nb,Bank,t0p\n".utf8).write(to: URL(fileURLWithPath: table))
    let columns = ["--columns", "-,name,secret", "--no-headings"]
    let imported = try vault.command.run(["import", "csv", table] + columns)
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(try vault.get("Mail").text == "s3cr3t")
    let set = try vault("set", "x", "--note", "-5 degrees", "--tag", "-z", "--stdin", input: "1")
    #expect(set.status == 0, "\(set.errors)")
    #expect(try vault("show", "x").text.contains("-5 degrees"))
    #expect(try vault("list", "--tag", "-z").text == "x\n")
  }

  @Test func whatIsAnOptionStaysOne() throws {
    let vault = try ThrowawayVault()
    try vault.set("x", "1")
    // -n is --dry-run, -q is --quiet, and two hyphens are never a value.
    for words in [
      ["import", "csv", "f", "--columns", "-n"], ["set", "x", "--note", "-q", "--stdin"],
      ["set", "x", "--note", "--tagg", "--stdin"], ["list", "--tag", "--long"],
    ] {
      let run = try vault.command.run(words)
      #expect(run.says(64, "missing value for '--"), "\(words): \(run.errors)")
      #expect(run.errors.contains("a value that begins with a hyphen: --"), "\(run.errors)")
    }
    // Behind '--' all is the command's.
    try vault.set("y", "2")
    #expect(try vault("run", "--env", "A=x", "--", "echo", "--note", "-z").text == "--note -z\n")
  }

  @Test(arguments: [
    "sync join STORE CODE", "sync join CODE", "unlock c0de", "keyring unlock c0de", "key add c0de",
    "key rotate c0de", "key upgrade c0de",
  ])
  func aSecretWordIsRefusedAndNotRepeated(line: String) throws {
    let vault = try ThrowawayVault()
    let store = try TemporaryHome()
    #expect(try vault("sync", "init", store.path).status == 0)
    let code = try vault("sync", "invite").text.trimmingCharacters(in: .whitespacesAndNewlines)
    let words = line.split(separator: " ").map {
      String($0).replacing("STORE", with: store.path).replacing("CODE", with: code)
    }
    let other = try ThrowawayVault()
    let refused = try other.command.run(words)
    #expect(refused.says(64, "is never given on the command line"), "\(refused.errors)")
    #expect(refused.errors.contains("keeps it in its history"), "\(refused.errors)")
    #expect(
      refused.errors.contains("leave it out") || refused.errors.contains("leave the code out"))
    for secret in [code, "c0de"] { #expect(!refused.errors.contains(secret), "\(refused.errors)") }
  }
}
