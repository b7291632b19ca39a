import Foundation
import TestSupport
import Testing

/// Every state of the keyring, with every verb that reads or changes items, with and without a
/// second slot: in time, with the right status and advice, nothing half done, no secret said.
@Suite(.enabled(if: KeyringSession.canMisbehave, "\(KeyringSession.missing)"))
struct KeyringTableTests {
  @Test func theTableIsWhole() {
    #expect(KeyringTable.rows.count == 40)
    #expect(KeyringTable.rows.allSatisfy { $0.cells.count == 6 })
    #expect(KeyringTable.rows.allSatisfy { row in row.cells.allSatisfy { $0.status >= 0 } })
  }

  @Test(arguments: KeyringTable.rows)
  func aStateIsToldInTimeAndNothingIsHalfDone(_ row: KeyringTable.Row) async throws {
    let vaults = try PreparedVaults.shared.get()
    let session = try KeyringSession(row.rig, seed: row.isSeeded ? vaults.seed : nil)
    if !row.hangs {
      for cell in row.cells { try check(cell, row, session, vaults) }
    }
    // What hangs does so for all of them at once, on threads that Swift's own do not wait for.
    try await withThrowingTaskGroup { group in
      for cell in row.cells where row.hangs {
        group.addTask {
          try await Thread.running { try check(cell, row, session, vaults) }
        }
      }
      try await group.waitForAll()
    }
  }

  private func check(
    _ cell: KeyringTable.Cell, _ row: KeyringTable.Row, _ session: KeyringSession,
    _ vaults: PreparedVaults
  ) throws {
    let vault = try vaults.copy(hasKeyFile: row.hasKeyFile)
    if row.rig == "prompt-ok" { try vaults.lock(session) }
    let before = try vault.contents()
    var options = ["--no-session"]
    if row.requiresEncryption { options.append("--require-encrypted-session") }
    let marker = "\(vault.home.path)/marker"
    let (words, input, rest): ([String], String, [String]) =
      switch cell.verb {
      case "get": (["get", "api-token"], "", [])
      case "set": (["set", "other", "--stdin"], PreparedVaults.otherSecret, [])
      case "remove": (["remove", "api-token"], "", [])
      case "run":
        (["run", "api-token"], "", ["--", "/bin/sh", "-c", "printenv API_TOKEN >\"$0\"", marker])
      default: ([cell.verb], "", [])
      }
    var variables = ["VAULT_HOME": vault.path]
    if row.hasKeyFile { variables["VAULT_KEY_FILE"] = vaults.keyFile }
    if row.hasDisplay { variables["DISPLAY"] = ":99" }
    // How slow this machine is at the moment is no matter of the keyring's.
    let idle = try session.run(
      VaultProcess.path, ["list", "--no-session", "--no-keyring"], adding: variables)
    let run = try session.run(
      VaultProcess.path, words + options + rest, input: Data(input.utf8), adding: variables)

    let place: Comment = "\(row.description), \(cell.verb): \(run.errors)"
    #expect(run.status == cell.status, place)
    let isBusy = idle.duration > .milliseconds(100)
    let limit = Duration.seconds(row.hangs ? 6 : 3) + (isBusy ? idle.duration * 12 : .zero)
    #expect(run.duration < limit, "\(place) took \(run.duration)")
    let hints = run.errors.split(separator: "\n").filter { $0.hasPrefix("vault: hint: ") }
      .map { $0.dropFirst("vault: hint: ".count) }
      .filter { cell.verb != "status" || $0 != "add a recovery code: vault key add --recovery" }
    if let advice = cell.advice {
      #expect(hints.count == (advice.isEmpty ? 0 : 1), place)
      #expect(hints.allSatisfy { $0.hasPrefix(advice) }, place)
    }
    for secret in [PreparedVaults.secret, PreparedVaults.otherSecret] {
      #expect(!run.errors.contains(secret), place)
      if cell.verb != "get" { #expect(!run.text.contains(secret), place) }
    }

    let isDone = cell.status == 0
    switch cell.verb {
    case "get": #expect(run.text == (isDone ? PreparedVaults.secret : ""), place)
    case "list": #expect(run.text == (isDone ? "api-token" : ""), place)
    case "run":
      let seen = try? String(contentsOfFile: marker, encoding: .utf8)
      #expect(seen == (isDone ? "\(PreparedVaults.secret)\n" : nil), place)
    case "status": #expect(!run.text.isEmpty, place)
    default: #expect(run.output.isEmpty, place)
    }
    let isChanged =
      cell.verb == "set" && isDone
      || cell.verb == "remove" && (isDone || hints.contains { $0.contains("vault keyring sync") })
    guard isChanged else {
      #expect(try vault.contents() == before, place)
      return
    }
    // Where everything is well again, the vault says the same, and all of it can be read.
    let names = try vaults.onTheDesktop(["list"], vault)
    #expect(names.text == (cell.verb == "set" ? "api-token\nother" : ""), "\(names.errors)")
    if cell.verb == "set" {
      #expect(try vaults.onTheDesktop(["get", "other"], vault).text == PreparedVaults.otherSecret)
    }
  }
}

/// Two vaults that a real keyring opens, one of them by a key file too, and what that keyring holds
/// of them.
final class PreparedVaults: Sendable {
  static let secret = "s3cr3t-Canary"
  static let otherSecret = "0ther-Canary"

  /// Made once; everything that is changed is changed in a copy.
  static let shared = Result { try PreparedVaults() }

  private let session: KeyringSession
  /// In the session's home, which goes with it: what is shared is never released.
  private var home: String { "\(session.home)/prepared" }

  var keyFile: String { "\(home)/vault.key" }
  /// What a session's keyring begins with.
  var seed: String { "\(home)/seed" }

  struct NotPrepared: Error {
    let why: String
  }

  private init() throws {
    session = try KeyringSession(.unlocked)
    try FileManager.default.createDirectory(
      atPath: home, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    var items: [[String: Any]] = []
    for isAlone in [true, false] {
      let path = "\(home)/\(isAlone ? "keyring" : "both")"
      func vault(_ arguments: [String], input: String = "") throws {
        let run = try session.run(
          VaultProcess.path, arguments + ["--no-session"], input: Data(input.utf8),
          adding: ["VAULT_HOME": path])
        guard run.status == 0 else { throw NotPrepared(why: run.errors) }
      }
      try vault(["set", "api-token", "--stdin"], input: Self.secret)
      if !isAlone { try vault(["key", "add", "--new-key-file", keyFile]) }
      // Documentation/design/file-format.md, section 2: the vault's id, and that of its first slot.
      let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(path)/secrets.vault"))
      func hex(_ range: Range<Int>) -> String {
        bytes[range].map { String(format: "%02x", $0) }.joined()
      }
      for (service, user) in [
        ("vault-key", "\(hex(16..<32)):\(hex(68..<84))"), ("vault:\(hex(16..<20))", "api-token"),
      ] {
        let found = try session.run(
          "/usr/bin/secret-tool", ["lookup", "service", service, "username", user])
        guard found.status == 0 else {
          throw NotPrepared(why: "no item for \(service)")
        }
        items.append([
          "attributes": ["service": service, "username": user, "application": "vault"],
          "secret": found.text,
        ])
      }
    }
    try FileManager.default.createDirectory(atPath: seed, withIntermediateDirectories: false)
    let keyrings = "\(session.home)/.local/share/keyrings"
    try FileManager.default.copyItem(
      atPath: "\(keyrings)/login.keyring", toPath: "\(seed)/login.keyring")
    try JSONSerialization.data(withJSONObject: items)
      .write(to: URL(fileURLWithPath: "\(seed)/items.json"))
  }

  struct Copy {
    let home: TemporaryHome
    var path: String { "\(home.path)/vault" }

    /// Every file below the vault's home, with its bytes.
    ///
    /// Which vault was seen at which path is left out: the copy is at a path of its own, which the
    /// first command that opens the vault there notes.
    func contents() throws -> [String: Data] {
      let names = try FileManager.default.subpathsOfDirectory(atPath: path)
        // Each use of a secret is recorded in the log of uses.
        .filter { name in ![".place", ".uses", ".uses-head"].contains { name.hasSuffix($0) } }
      return names.reduce(into: [:]) { files, name in
        files[name] = FileManager.default.contents(atPath: "\(path)/\(name)")
      }
    }
  }

  func copy(hasKeyFile: Bool) throws -> Copy {
    let copy = Copy(home: try TemporaryHome())
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/cp")
    process.arguments = ["-a", "\(home)/\(hasKeyFile ? "both" : "keyring")", copy.path]
    try process.run()
    process.waitOrKill()
    guard process.terminationStatus == 0 else {
      throw NotPrepared(why: "cp failed")
    }
    return copy
  }

  /// Runs a command where the keyring is well, and has the vault's key.
  func onTheDesktop(_ arguments: [String], _ vault: Copy) throws -> KeyringSession.Run {
    try session.run(
      VaultProcess.path, arguments + ["--no-session"], adding: ["VAULT_HOME": vault.path])
  }

  /// Locks the collection of the tests' own service.
  func lock(_ session: KeyringSession) throws {
    _ = try session.run(
      "/usr/bin/dbus-send",
      [
        "--session", "--print-reply", "--dest=org.freedesktop.secrets", "/org/freedesktop/secrets",
        "org.freedesktop.Secret.Service.Lock",
        "array:objpath:/org/freedesktop/secrets/collection/main",
      ])
  }
}

extension Thread {
  /// Runs `body` on a thread of its own.
  fileprivate static func running<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
  }
}
