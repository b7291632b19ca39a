import Foundation
import TestSupport
import Testing

/// What goes to the keyring, counted by a service that keeps items; and every size of secret,
/// everywhere.
@Suite(.enabled(if: KeyringSession.canMisbehave, "\(KeyringSession.missing)"))
struct KeyringTrafficTests {
  /// The calls since the last look, by method, and how many connections made them.
  private func calls(_ session: KeyringSession) throws -> (methods: [String: Int], connections: Int)
  {
    let path = "\(session.home)/calls"
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    try? FileManager.default.removeItem(atPath: path)
    let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
    return (
      Dictionary(lines.map { (String($0[1]), 1) }, uniquingKeysWith: +),
      Set(lines.map { $0[0] }).count
    )
  }

  @Test func aRunOfTenSecretsAsksTheKeyringOnce() throws {
    let home = try TemporaryHome()
    let session = try KeyringSession("counting")
    func vault(_ arguments: [String], input: String = "") throws -> KeyringSession.Run {
      let run = try session.run(
        VaultProcess.path, arguments, input: Data(input.utf8),
        adding: ["VAULT_HOME": "\(home.path)/vault"])
      try #require(run.status == 0, "\(arguments): \(run.errors)")
      return run
    }
    let names = (0..<10).map { "name-\($0)" }
    for name in names { _ = try vault(["set", name, "--stdin", "--no-session"], input: name) }
    _ = try calls(session)
    let run = try vault(["run"] + names + ["--no-session", "--", "/usr/bin/printenv", "NAME_7"])
    #expect(run.text == "name-7")
    let counted = try calls(session)
    #expect(counted.connections == 1)
    #expect(counted.methods["GetSecrets"] == 1, "\(counted)")
    #expect(counted.methods["OpenSession"] == 1, "\(counted)")
    #expect(counted.methods["SearchItems"] == 1, "\(counted)")
    #expect(counted.methods.values.reduce(0, +) <= 5, "\(counted)")
    // A status of ten copies asks for all of them at once.
    _ = try vault(["status", "--no-session"])
    #expect(try calls(session).methods["GetSecrets"].map { $0 <= 2 } == true)
  }

  @Test(.enabled(if: KernelKeys.areAvailable, "\(KernelKeys.missing)"))
  func nothingGoesToTheKeyringInASession() throws {
    let home = try TemporaryHome()
    let session = try KeyringSession("counting")
    func vault(_ arguments: [String], input: String = "") throws {
      let run = try session.run(
        VaultProcess.path, arguments, input: Data(input.utf8),
        adding: ["VAULT_HOME": "\(home.path)/vault"])
      try #require(run.status == 0, "\(arguments): \(run.errors)")
    }
    let names = (0..<3).map { "name-\($0)" }
    for name in names { _ = try vault(["set", name, "--stdin", "--no-session"], input: name) }
    _ = try vault(["unlock"])
    #expect(try !calls(session).methods.isEmpty)
    _ = try vault(["run"] + names + ["--", "/usr/bin/true"])
    _ = try vault(["get", "name-2"])
    #expect(try calls(session).methods.isEmpty)
    _ = try vault(["lock"])
  }

  @Test func aKeyringThatCannotHoldASecretHasNoCopyOfItAndThatIsTold() throws {
    let home = try TemporaryHome()
    let session = try KeyringSession("cutting")
    func vault(_ arguments: [String], input: Data = Data()) throws -> KeyringSession.Run {
      try session.run(
        VaultProcess.path, arguments + ["--no-session"], input: input,
        adding: ["VAULT_HOME": "\(home.path)/vault"])
    }
    for (name, secret) in Self.sizes {
      // New, and in the place of what it could hold.
      let isHeld = !secret.contains(0) && secret.count <= 8_192
      for before in [nil, "plain"] {
        let name = "\(name) \(before ?? "")x"
        if let before { _ = try vault(["set", name, "--stdin"], input: Data(before.utf8)) }
        let set = try vault(["set", name, "--stdin", "--exact", "--allow-empty"], input: secret)
        #expect(set.status == 0, "\(name): \(set.errors)")
        #expect(set.errors.contains("cannot hold this secret exactly") == !isHeld, "\(name)")
        #expect(try vault(["get", name]).output == secret, "\(name)")
      }
    }
    let status = try JSONDecoder().decode(
      StatusTests.Status.self, from: vault(["status", "--json"]).output)
    let held = Self.sizes.count { !$0.1.contains(0) && $0.1.count <= 8_192 }
    #expect(status.copies.published == 2 * held, "\(status.copies)")
    #expect(status.copies.pending == 0 && status.copies.changedByOthers == 0)
    #expect(status.copies.foreign == 0 && status.copies.missing == 0, "\(status.copies)")
  }

  @Test func twoVaultsOfOneLineShareAConnection() throws {
    let home = try TemporaryHome()
    let session = try KeyringSession("counting")
    func vault(_ arguments: [String], input: String = "") throws -> KeyringSession.Run {
      let run = try session.run(
        VaultProcess.path, arguments, input: Data(input.utf8),
        adding: ["VAULT_HOME": "\(home.path)/vault"])
      try #require(run.status == 0, "\(arguments): \(run.errors)")
      return run
    }
    for options in [[], ["--vault", "work"]] {
      let line = ["set", "token", "--stdin", "--allow-empty", "--no-session"] + options
      _ = try vault(line, input: "of \(options.last ?? "the first")")
    }
    _ = try calls(session)
    let run = try vault([
      "run", "--env", "ONE=token", "--env", "TWO=secret://@work/token", "--no-session", "--",
      "/usr/bin/printenv", "ONE", "TWO",
    ])
    #expect(run.text == "of the first\nof work")
    let counted = try calls(session)
    #expect(counted.connections == 1, "\(counted)")
    #expect(counted.methods["OpenSession"] == 1, "\(counted)")
  }

  /// Bytes that something on the way might take for an end, a line, or text.
  static let sizes: [(String, Data)] = [
    ("empty", Data()), ("one", Data([0x61])), ("nul", Data("a\0b".utf8)),
    ("newline", Data("x\n".utf8)), ("crlf", Data("a\r\nb\r\n".utf8)),
    ("not-utf8", Data([0xff, 0xfe, 0x80])), ("8193", Data(repeating: 0x62, count: 8193)),
    ("1-mib", Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) })),
  ]

  @Test func everySizeComesBackExactlyAndSoDoesItsCopy() throws {
    let home = try TemporaryHome()
    let session = try KeyringSession(.unlocked)
    func vault(_ arguments: [String], input: Data = Data()) throws -> KeyringSession.Run {
      try session.run(
        VaultProcess.path, arguments + ["--no-session"], input: input,
        adding: ["VAULT_HOME": "\(home.path)/vault"])
    }
    for (name, secret) in Self.sizes {
      let set = try vault(["set", name, "--stdin", "--exact", "--allow-empty"], input: secret)
      #expect(set.status == 0, "\(name): \(set.errors)")
      #expect(try vault(["get", name]).output == secret, "\(name)")
      let path = "\(home.path)/\(name).bin"
      try secret.write(to: URL(fileURLWithPath: path))
      let file = try vault(["set", "\(name)-file", "--file", path, "--allow-empty"])
      #expect(file.status == 0, "\(name): \(file.errors)")
      let out = "\(home.path)/\(name).out"
      #expect(try vault(["get", "\(name)-file", "--out", out]).status == 0)
      #expect(FileManager.default.contents(atPath: out) == secret, "\(name)")
    }
    // The keyring holds all of them exactly, or the status says which it does not.
    let sync = try vault(["keyring", "sync"])
    #expect(sync.status == 0, "\(sync.errors)")
    let status = try JSONDecoder().decode(
      StatusTests.Status.self, from: vault(["status", "--json"]).output)
    #expect(status.copies.published == 2 * Self.sizes.count, "\(status.copies)")
    #expect(status.copies.pending == 0 && status.copies.changedByOthers == 0)
    let tooLong = try vault(["set", "more", "--stdin"], input: Data(count: (1 << 20) + 1))
    #expect(tooLong.status == 73, "\(tooLong.errors)")
    #expect(try vault(["get", "more"]).status == 1)
  }
}
