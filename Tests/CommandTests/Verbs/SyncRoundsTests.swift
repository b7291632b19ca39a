import Foundation
import TestSupport
import Testing
import VaultCredentials

/// Two homes that change at once, round after round, and are killed in between: then both are
/// equal, and nothing is lost.
///
/// `SYNC_ROUNDS=20` has 20 rounds of 50 changes on each.
struct SyncRoundsTests {
  private static let rounds =
    ProcessInfo.processInfo.environment["SYNC_ROUNDS"].flatMap(Int.init) ?? 3

  let laptop: ThrowawayVault
  let desktop: ThrowawayVault
  let store: TemporaryHome

  init() throws {
    laptop = try ThrowawayVault()
    desktop = try ThrowawayVault()
    store = try TemporaryHome()
  }

  @Test func overABareRepository() throws {
    try makeRepository()
    try run("\(store.path)/store.git", "\(store.path)/store.git")
  }

  @Test(.enabled(if: LoopbackSSH.works, "needs openssh-server, with its user and /run/sshd"))
  func overSSH() throws {
    try makeRepository()
    let server = try LoopbackSSH(in: laptop)
    let stranger = try desktop.command.run(
      ["sync", "init", "store:\(store.path)/store.git"],
      adding: ["GIT_SSH_COMMAND": server.strangersCommand])
    #expect(stranger.says(69, "the store refused the credentials"), "\(stranger.errors)")
    try run(
      "store:\(store.path)/store.git", "ssh://store\(store.path)/store.git",
      ["GIT_SSH_COMMAND": server.command])
  }

  /// A file syncer: files come in any order, some half, and some later.
  @Test func overFoldersThatAreCopied() throws {
    for name in ["laptop", "desktop"] {
      try FileManager.default.createDirectory(
        atPath: "\(store.path)/\(name)", withIntermediateDirectories: true)
    }
    try run("\(store.path)/laptop", "\(store.path)/desktop") { isComplete in
      try copy("laptop", "desktop", isComplete)
      try copy("desktop", "laptop", isComplete)
    }
  }

  private func makeRepository() throws {
    let made = try laptop.shell("git init --quiet --bare \"$1\"", "\(store.path)/store.git")
    try #require(made.status == 0, "\(made.errors)")
  }

  // MARK: - Rounds

  private func run(
    _ first: String, _ second: String, _ environment: [String: String] = [:],
    between: (Bool) throws -> Void = { _ in }
  ) throws {
    var typed: [String: Set<String>] = [:]
    let homes = [("laptop", laptop), ("desktop", desktop)].map { name, home in
      var command = home.command
      command.environment.merge(environment) { $1 }
      return (name: name, home: home, command: command)
    }
    let initialized = try homes[0].command.run(["sync", "init", first, "--label", "laptop"])
    try #require(initialized.status == 0, "\(initialized.errors)")
    let invitation = try homes[0].command.run(["sync", "invite"])
    try between(true)
    let joined = try homes[1].command.run(
      ["sync", "join", second, "--stdin", "--label", "desktop"], input: invitation.output)
    try #require(joined.status == 0, "\(joined.errors)")
    for round in 1...Self.rounds {
      // Half of the changes, a run of both at once, which one or both may not survive; twice.
      for half in 0..<2 {
        for (name, home, _) in homes {
          let number = half * 20 + 1
          try home.open.blocking.edit { edit in
            for own in number..<number + 20 {
              let item = "\(name)-\(round)-\(own)"
              _ = try edit.set(ItemName(item), to: Secret(item))
              typed[item] = [item]
            }
            for shared in half * 5..<half * 5 + 5 {
              let item = "shared-\(round)-\(shared)"
              _ = try edit.set(ItemName(item), to: Secret("\(name) \(item)"))
              typed[item, default: []].insert("\(name) \(item)")
            }
          }
        }
        let runs = try homes.map { try $0.command.start(["sync", "now"]) }
        if half == 0 {
          Thread.sleep(forTimeInterval: Double.random(in: 0..<0.5))
          for run in runs where Bool.random() { kill(run.pid, SIGKILL) }
        }
        for run in runs {
          let result = run.finish()
          #expect([0, 128 + SIGKILL].contains(result.status), "\(result.errors)")
        }
        try between(false)
      }
    }
    for _ in 0..<2 {
      for (_, _, command) in homes {
        try between(true)
        let result = try command.run(["sync", "now"])
        #expect(result.status == 0, "\(result.errors)")
      }
    }
    for (name, home, command) in homes {
      let snapshot = try home.reopened().blocking.read()
      let items = snapshot.items()
      // Two new items with one name: the later one is called after its machine.
      var found: [String: Set<String>] = [:]
      for item in items {
        let name = item.name.text.split(separator: "~")[0]
        for version in try snapshot.history(of: item) {
          let secret = try snapshot.secret(
            of: item, version: version.isCurrent ? nil : version.version)
          found[String(name), default: []].insert(secret.text ?? "")
        }
      }
      #expect(found == typed, "\(name)")
      #expect(try command.run(["sync", "now", "--json"]).text.contains("\"sent\": 0"))
    }
    #expect(try laptop("list").text == desktop("list").text)
  }

  /// Carries files from one folder to the other in random order: whole ones under a temporary name
  /// first, as rsync(1) does; some not at all yet.
  private func copy(_ from: String, _ to: String, _ isComplete: Bool) throws {
    let manager = FileManager.default
    let (source, target) = ("\(store.path)/\(from)", "\(store.path)/\(to)")
    let names = manager.enumerator(atPath: source)?.compactMap { $0 as? String } ?? []
    for name in names.shuffled() where !name.contains("/.half.") {
      let attributes = try manager.attributesOfItem(atPath: "\(source)/\(name)")
      guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
      let there = try? manager.attributesOfItem(atPath: "\(target)/\(name)")
      let (new, old) = (attributes[.modificationDate] as? Date, there?[.modificationDate] as? Date)
      if let old, let new, old >= new { continue }
      guard isComplete || Int.random(in: 0..<3) > 0 else { continue }
      let path = "\(target)/\(name)"
      try manager.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      let folder = (path as NSString).deletingLastPathComponent
      let temporary = "\(folder)/.half.\(UInt32.random(in: 0...UInt32.max))"
      let bytes = try #require(manager.contents(atPath: "\(source)/\(name)"))
      if !isComplete, Int.random(in: 0..<10) == 0 {
        // It stops half way.
        try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: temporary))
        continue
      }
      try bytes.write(to: URL(fileURLWithPath: temporary))
      if let new { try manager.setAttributes([.modificationDate: new], ofItemAtPath: temporary) }
      try? manager.removeItem(atPath: path)
      try manager.moveItem(atPath: temporary, toPath: path)
    }
  }
}
