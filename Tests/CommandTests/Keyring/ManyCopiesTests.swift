import Foundation
import TestSupport
import Testing

/// A thousand items beside a keyring that takes its time with each call.
@Suite(.enabled(if: KeyringSession.canMisbehave, "\(KeyringSession.missing)"))
struct ManyCopiesTests {
  @Test func aCommandMakesItsOwnCopyFirstAndTakesNoLongerThanItMay() throws {
    let home = try TemporaryHome()
    let session = try KeyringSession("slow-calls")
    func vault(_ arguments: [String], input: String = "") throws -> KeyringSession.Run {
      try session.run(
        VaultProcess.path, arguments + ["--no-session"], input: Data(input.utf8),
        adding: ["VAULT_HOME": "\(home.path)/vault", "VAULT_KEY_FILE": "\(home.path)/key"])
    }
    try #require(try vault(["init", "--key-file", "\(home.path)/key"]).status == 0)
    try #require(try vault(["keyring", "publish", "on"]).status == 0)
    let file = "\(home.path)/many.env"
    let lines = (0..<1_000).map { "NAME_\($0)=value-\($0)" }.joined(separator: "\n")
    try Data("\(lines)\n".utf8).write(to: URL(fileURLWithPath: file))
    // What this machine takes for the same without a keyring is no matter of the keyring's.
    let idle = try vault(["check", "--no-keyring"]).duration
    let limit = Duration.seconds(12) + idle * 12

    let many = try vault(["import", "dotenv", file])
    #expect(many.status == 0, "\(many.errors)")
    #expect(many.duration < limit, "an import of 1,000 took \(many.duration)")
    #expect(many.errors.contains("still to be brought up to date"), "\(many.errors)")

    for name in ["AAA", "own", "zzz"] {
      let set = try vault(["set", name, "--stdin"], input: "of \(name)")
      #expect(set.status == 0, "\(set.errors)")
      #expect(set.duration < limit, "a set took \(set.duration)")
      let service = try Data(contentsOf: URL(fileURLWithPath: "\(home.path)/vault/secrets.vault"))
      let id = service[16..<20].map { String(format: "%02x", $0) }.joined()
      let copy = try session.run(
        "/usr/bin/secret-tool", ["lookup", "service", "vault:\(id)", "username", name])
      #expect(copy.text == "of \(name)")
    }
    // All of it, in calls that take longer together than one command waits: a thousand and more.
    let sync = try vault(["keyring", "sync", "--json", "--keyring-timeout", "3s"])
    #expect(sync.status == 0, "\(sync.errors)")
    #expect(sync.compactText.contains("\"current\":1003,\"pending\":0"), "\(sync.text)")
  }
}
