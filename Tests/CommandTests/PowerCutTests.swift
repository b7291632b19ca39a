import Foundation
import TestSupport
import Testing

/// What was acknowledged is there after a power cut, also when nothing else was written since.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct PowerCutTests {
  /// How often each thing is done, acknowledged, and the power cut, on each file system.
  static let rounds = 30

  /// Where everything is on a disk whose power can be cut, a new home now and then: the first write
  /// of a file and the later ones take different ways.
  private final class Rig {
    let disk: PowerCut
    private(set) var command: VaultProcess
    private(set) var home = ""

    init(_ type: PowerCut.FileSystem) throws {
      disk = try PowerCut(type)
      command = VaultProcess(home: disk.path)
    }

    func move(to name: String) throws {
      home = "\(disk.path)/\(name)"
      try FileManager.default.createDirectory(
        atPath: home, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      try disk.sync()
      command = VaultProcess(home: home, environment: ["VAULT_KEY_FILE": "\(home)/vault.key"])
    }

    /// Runs a line that must succeed; what it prints.
    @discardableResult
    func acknowledged(_ words: String..., input: String = "") throws -> String {
      let result = try command.run(words, input: Data(input.utf8))
      try #require(result.status == 0, "\(words): \(result.errors)")
      return result.text
    }

    func makeVault() throws {
      try acknowledged("init", "--key-file", "\(home)/vault.key", "--no-recovery", "--no-session")
    }

    func set(_ text: String) throws {
      try acknowledged("set", "k", "--stdin", "--no-session", input: text)
    }

    /// What is wrong with the secret, if anything; a line on stderr would be a warning of a
    /// rollback.
    ///
    /// The record of what was seen last is not synced, and may be empty:
    /// Documentation/design/file-format.md, section 6. That is told, and costs no secret.
    func complaint(expecting text: String) throws -> String? {
      let result = try command.run(["get", "k", "--no-session"])
      let renewed = "vault: the record of the last seen vault file was empty"
      let isQuiet = result.errors.isEmpty || result.errors.hasPrefix(renewed)
      if result.status == 0, isQuiet, result.text == text { return nil }
      return "\(text): '\(result.text)', \(result.status) \(result.errors)"
    }
  }

  private func secrets(_ type: PowerCut.FileSystem) throws {
    let rig = try Rig(type)
    for round in 1...Self.rounds {
      if round % 6 == 1 {
        try rig.move(to: "home\(round)")
        try rig.makeVault()
        try rig.disk.cut()
      }
      try rig.set("\(round)")
      try rig.disk.cut()
      let complaint = try rig.complaint(expecting: "\(round)")
      try #require(complaint == nil)
    }
  }

  private func preferences(_ type: PowerCut.FileSystem) throws {
    let rig = try Rig(type)
    for round in 1...Self.rounds {
      if round % 6 == 1 { try rig.move(to: "home\(round)") }
      try rig.acknowledged("defaults", "write", "d", "k", "\(round)")
      try rig.disk.cut()
      let found = try rig.command.run(["defaults", "read", "d", "k"])
      try #require(found.text == "\(round)\n", "\(found.errors)")
    }
  }

  private func backups(_ type: PowerCut.FileSystem) throws {
    let rig = try Rig(type)
    try rig.move(to: "home")
    try rig.makeVault()
    for round in 1...Self.rounds {
      try rig.set("\(round)")
      // A new name, and one that is replaced.
      let path = "\(rig.disk.path)/backup\(round % 2 == 0 ? "" : "\(round)")"
      try rig.acknowledged("backup", path, "--no-session")
      let before = try Data(contentsOf: URL(fileURLWithPath: path))
      try rig.disk.cut()
      let after = FileManager.default.contents(atPath: path)
      try #require(after == before, "round \(round)")
      let complaint = try rig.complaint(expecting: "\(round)")
      try #require(complaint == nil)
    }
  }

  // MARK: Rounds

  @Test(.enabled(if: PowerCut.isPossible(.ext4), Comment(rawValue: PowerCut.needs)))
  func aSecretIsThereOnExt4() throws { try secrets(.ext4) }

  @Test(.enabled(if: PowerCut.isPossible(.xfs), Comment(rawValue: PowerCut.needs)))
  func aSecretIsThereOnXFS() throws { try secrets(.xfs) }

  @Test(.enabled(if: PowerCut.isPossible(.ext4), Comment(rawValue: PowerCut.needs)))
  func aPreferenceIsThereOnExt4() throws { try preferences(.ext4) }

  @Test(.enabled(if: PowerCut.isPossible(.xfs), Comment(rawValue: PowerCut.needs)))
  func aPreferenceIsThereOnXFS() throws { try preferences(.xfs) }

  @Test(.enabled(if: PowerCut.isPossible(.ext4), Comment(rawValue: PowerCut.needs)))
  func aBackupIsThereOnExt4() throws { try backups(.ext4) }

  @Test(.enabled(if: PowerCut.isPossible(.xfs), Comment(rawValue: PowerCut.needs)))
  func aBackupIsThereOnXFS() throws { try backups(.xfs) }

  // MARK: In the middle

  /// The command ends before one of its system calls, and the power goes with it.
  private func middle(_ type: PowerCut.FileSystem, of call: String) throws {
    let rig = try Rig(type)
    try rig.move(to: "home")
    try rig.makeVault()
    var status: Int32 = -1
    var number = 0
    while status != 0 {
      number += 1
      try #require(number <= 40, "the process makes more than 40 calls of \(call)")
      try rig.set("old")
      status = try straced(
        rig, ["trace=\(call)", "inject=\(call):signal=KILL:when=\(number)"], "new")
      try rig.disk.cut()
      let found = try rig.command.run(["get", "k", "--no-session"])
      #expect(
        found.status == 0 && (found.text == "new" || status != 0 && found.text == "old"),
        "\(call) number \(number): \(found.text) \(found.errors)")
    }
  }

  private func straced(_ rig: Rig, _ expressions: [String], _ text: String) throws -> Int32 {
    let strace = VaultProcess(
      home: rig.home, environment: rig.command.environment, executable: "/usr/bin/strace")
    let words = expressions.flatMap { ["-e", $0] } + [VaultProcess.path]
    return try strace.run(
      ["-f", "-o", "/dev/null"] + words + ["set", "k", "--stdin", "--no-session"],
      input: Data(text.utf8)
    ).status
  }

  private static let canStrace = FileManager.default.isExecutableFile(atPath: "/usr/bin/strace")

  @Test(
    .enabled(if: canStrace, "needs strace"),
    .enabled(if: PowerCut.isPossible(.ext4), Comment(rawValue: PowerCut.needs)),
    arguments: ["fsync", "renameat2", "renameat"])
  func inTheMiddleTheOldOrTheNewSecretIsThereOnExt4(call: String) throws {
    try middle(.ext4, of: call)
  }

  @Test(
    .enabled(if: canStrace, "needs strace"),
    .enabled(if: PowerCut.isPossible(.xfs), Comment(rawValue: PowerCut.needs)),
    arguments: ["fsync", "renameat2", "renameat"])
  func inTheMiddleTheOldOrTheNewSecretIsThereOnXFS(call: String) throws {
    try middle(.xfs, of: call)
  }

  // MARK: The rig itself

  /// The same command without its syncs must lose what it acknowledged, or the rounds above prove
  /// nothing.
  @Test(
    .enabled(if: canStrace, "needs strace"),
    .enabled(
      if: PowerCut.FileSystem.allCases.allSatisfy(PowerCut.isPossible),
      Comment(rawValue: PowerCut.needs)),
    arguments: PowerCut.FileSystem.allCases)
  func aCommandThatDoesNotSyncIsCaught(type: PowerCut.FileSystem) throws {
    let rig = try Rig(type)
    try rig.move(to: "home")
    try rig.makeVault()
    try rig.set("old")
    var isCaught = false
    // The kernel may write it down by itself in between.
    for _ in 0..<5 where !isCaught {
      let status = try straced(
        rig, ["trace=fsync,fdatasync", "inject=fsync,fdatasync:retval=0"], "new")
      #expect(status == 0)
      try rig.disk.cut()
      isCaught = try rig.command.run(["get", "k", "--no-session"]).text != "new"
    }
    #expect(isCaught)
  }
}
