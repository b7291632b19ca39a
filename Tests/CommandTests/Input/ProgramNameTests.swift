import Foundation
import TestSupport
import Testing
import VaultCommand

struct ProgramNameTests {
  @Test(arguments: [
    ("/usr/bin/vault", "vault"), ("lvault", "lvault"), ("./kv", "kv"), ("", "vault"),
    ("/opt/git-credential-lvault", "lvault"), ("docker-credential-vault", "vault"),
    ("vault-askpass", "vault"), ("defaults", "vault"), ("a b", "vault"), ("x.xctest", "vault"),
  ])
  func theNameIsThatOfTheCall(path: String, name: String) {
    #expect(ProgramName.name(calledAs: path) == name)
  }

  @Test(arguments: [
    ("vault: error: no", "lvault: error: no"),
    ("make one with: vault init", "make one with: lvault init"),
    ("'vault lock' ends it", "'lvault lock' ends it"),
    ("x | vault set y --stdin", "x | lvault set y --stdin"),
    ("the vault is locked", "the vault is locked"),
    ("/home/me/vault set", "/home/me/vault set"), ("USAGE: vault <verb>", "USAGE: lvault <verb>"),
    ("a vault get", "a lvault get"), ("secrets.vault get", "secrets.vault get"),
  ])
  func whatIsToBeTypedIsSpeltWithTheName(text: String, spelt: String) {
    #expect(ProgramName.spelt(text, as: "lvault") == spelt)
    #expect(ProgramName.spelt(text, as: "vault") == text)
  }

  @Test func aLinkOfAnotherNameSpeaksOfItself() throws {
    let home = try TemporaryHome()
    let link = "\(home.path)/lvault"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: VaultProcess.path)
    let command = VaultProcess(home: home.path, executable: link)
    let failed = try command.run(["get", "k"])
    #expect(failed.status == 78)
    #expect(failed.errors.hasPrefix("lvault: error: "))
    #expect(failed.errors.contains("lvault init"))
    #expect(try command.run(["help", "set"]).text.contains("lvault set api-token"))
    #expect(try command.run(["completions", "bash"]).text.contains("_lvault()"))
  }
}
