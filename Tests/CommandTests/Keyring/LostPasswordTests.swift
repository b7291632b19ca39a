import Foundation
import TestSupport
import Testing

/// A keyring whose password its owner takes away, as for automatic login: copies that were made before
/// make it unreadable at the next login.
@Suite(.enabled(if: KeyringSession.canMisbehave, "\(KeyringSession.missing)"))
struct LostPasswordTests {
  private static let pem = "-----BEGIN KEY-----\nMIIabc/xyz=\n-----END KEY-----\n"

  private let session: KeyringSession

  init() throws {
    session = try KeyringSession(.unlocked)
    _ = try session.run(
      "/usr/bin/secret-tool",
      ["store", "--label=other", "service", "other", "username", "me"], input: Data("hello".utf8))
    for (name, secret) in [("pem", Self.pem), ("two", "two"), ("web/three", "three")] {
      let set = try session.run(
        VaultProcess.path, ["set", name, "--stdin", "--exact", "--no-session"],
        input: Data(secret.utf8))
      try #require(set.status == 0, "\(set.errors)")
    }
    try #require(try copy("pem").contains("MIIabc"))
    let changed = try session.run(
      "/usr/bin/python3",
      [PythonScript.location("keyring_password.py"), KeyringSession.password, ""])
    try #require(changed.status == 0, "\(changed.errors)")
    let file = try String(
      contentsOfFile: "\(session.home)/.local/share/keyrings/login.keyring", encoding: .utf8)
    try #require(file.hasPrefix("[keyring]"))
  }

  private func vault(_ arguments: [String], input: String = "") throws -> KeyringSession.Run {
    try session.run(VaultProcess.path, arguments + ["--no-session"], input: Data(input.utf8))
  }

  private func copy(_ name: String) throws -> String {
    try session.run("/usr/bin/secret-tool", ["lookup", "service", "vault", "username", name]).text
  }

  /// Whatever writes a copy takes those away that the keyring cannot keep any more: the next login finds
  /// every program's secrets.
  @Test(arguments: [
    ["set", "two", "--stdin"], ["remove", "two"], ["rename", "two", "four"], ["keyring", "sync"],
    ["undo"],
  ])
  func theFirstVerbThatWritesWithdrawsWhatWouldBreakIt(words: [String]) throws {
    let run = try vault(words, input: "another")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("has no copy of it: pem"), "\(run.errors)")
    #expect(!run.errors.contains("at the next login"), "\(run.errors)")
    #expect(try copy("pem").isEmpty)
    try session.logInAgain()
    let other = try session.run(
      "/usr/bin/secret-tool", ["lookup", "service", "other", "username", "me"])
    #expect(other.text == "hello")
    let read = try vault(["get", "pem"])
    #expect(read.output == Data(Self.pem.utf8), "\(read.errors)")
  }

  @Test func whatOnlyReadsSaysWhichCopyItIsAndWhatToDo() throws {
    for words in [["get", "two"], ["list"], ["status"], ["check"]] {
      let run = try vault(words)
      let said = (run.text + run.errors).split(whereSeparator: \.isWhitespace)
        .joined(separator: " ")
      #expect(said.contains("the keyring has lost its password"), "\(words): \(said)")
      #expect(said.contains("1 copy of this vault's"), "\(words): \(said)")
      // The status names no item.
      #expect(said.contains("every program: pem") == (words != ["status"]), "\(words): \(said)")
      #expect(said.contains("keyring sync"), "\(words): \(said)")
      #expect(said.components(separatedBy: "lost its password").count == 2, "\(words): \(said)")
    }
    let document = try vault(["status", "--json"])
    #expect(document.text.contains("copy-breaks-keyring"), "\(document.text)")
    #expect(try vault(["keyring", "sync"]).status == 0)
    for words in [["get", "two"], ["status"], ["check"]] {
      let run = try vault(words)
      #expect(!(run.text + run.errors).contains("lost its password"), "\(words)")
    }
  }
}

/// A keyring's file that its program cannot read: for the bus there is no keyring at all.
@Suite(.enabled(if: KeyringSession.isAvailable, "\(KeyringSession.missing)"))
struct UnreadableKeyringTests {
  @Test func eachVerbNamesTheFileAndWhatToDo() throws {
    let session = try KeyringSession(.noPassword)
    func vault(_ arguments: [String], input: String = "") throws -> KeyringSession.Run {
      try session.run(VaultProcess.path, arguments, input: Data(input.utf8))
    }
    let first = try vault(["set", "one", "--stdin", "--no-session"], input: "one")
    try #require(first.status == 0, "\(first.errors)")
    // As another program does that knows nothing of the keyring's file.
    _ = try session.run(
      "/usr/bin/secret-tool",
      ["store", "--label=other", "service", "other", "username", "me"], input: Data("a\nb\n".utf8))
    try session.logInAgain()
    let file = "\(session.home)/.local/share/keyrings/login.keyring"
    for words in [
      ["get", "one", "--no-session"], ["set", "two", "--stdin", "--no-session"], ["unlock"],
      ["check", "--no-session"], ["status"], ["keyring", "status"],
    ] {
      let run = try vault(words, input: "two")
      let said = (run.text + run.errors).split(whereSeparator: \.isWhitespace)
        .joined(separator: " ")
      #expect(said.contains("cannot read its own file \(file)"), "\(words): \(said)")
      #expect(said.contains("holds the key of a vault"), "\(words): \(said)")
      #expect(said.contains("have no '='"), "\(words): \(said)")
      #expect(!said.contains("no keyring has been created"), "\(words): \(said)")
    }
    // What the hint says helps.
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let kept = text.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { $0.isEmpty || $0.contains("=") || $0.hasPrefix("[") }
    try kept.joined(separator: "\n").write(toFile: file, atomically: false, encoding: .utf8)
    try session.logInAgain()
    #expect(try vault(["get", "one", "--no-session"]).text == "one")
  }

  @Test func withoutAnyFileNoneIsNamed() throws {
    let session = try KeyringSession(.noKeyring)
    let status = try session.run(VaultProcess.path, ["keyring", "status"])
    #expect((status.text + status.errors).contains("no keyring has been created"))
  }
}
