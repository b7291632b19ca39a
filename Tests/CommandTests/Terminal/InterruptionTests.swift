import Foundation
import Glibc
import TestSupport
import Testing
import VaultDataStore
import VaultStorage

/// ^C at any moment: what was being done has happened whole, or not at all.
@Suite(
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "needs python3"))
struct InterruptionTests {
  // A test runner's threads block signals, and children inherit that.
  private static let unblocking = """
    import os, signal, sys
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execv(sys.argv[1], sys.argv[1:])
    """

  private static let count = 400

  /// Runs a line, interrupts it after a part of the time that it takes, and looks at what is there.
  private func sweep(
    _ vault: VaultProcess, _ words: [String], rounds: Int = 12, prepare: () throws -> Void = {},
    check: (_ wasInterrupted: Bool) throws -> Void
  ) throws {
    let command = VaultProcess(
      home: vault.home, environment: vault.environment,
      executable: "/usr/bin/python3")
    let words = ["-c", Self.unblocking, VaultProcess.path] + words
    try prepare()
    let start = ContinuousClock.now
    let whole = try command.run(words)
    try #require(whole.status == 0, "\(whole.errors)")
    var moments = Moments(
      rounds, within: .now - start, of: words.dropFirst(3).prefix(2).joined(separator: " "))
    try check(false)
    var interrupted = 0
    for _ in 0..<rounds {
      try prepare()
      let running = try command.start(words)
      moments.wait()
      kill(running.pid, SIGINT)
      let result = running.finish()
      #expect(result.status == 0 || result.status == 128 + SIGINT, "\(result.errors)")
      if result.status != 0 { interrupted += 1 }
      try check(result.status != 0)
    }
    #expect(interrupted > 0)
  }

  @Test func anImportIsThereOrNot() throws {
    let vault = try ThrowawayVault()
    let items = (0..<Self.count).map { "\"item\($0)\": \"secret \($0)\"" }
    let path = "\(vault.home.path)/in.json"
    try Data("{\(items.joined(separator: ","))}".utf8).write(to: URL(fileURLWithPath: path))
    try vault.set("before", "1")
    let file = "\(vault.data)/secrets.vault"
    let old = try Data(contentsOf: URL(fileURLWithPath: file))
    try sweep(vault.command, ["import", "json", path, "--no-session"]) {
      try old.write(to: URL(fileURLWithPath: file))
      try? FileManager.default.removeItem(atPath: "\(vault.home.path)/.local/state")
    } check: { wasInterrupted in
      let list = try vault.command.run(["list", "--no-session", "--accept-rollback"])
      let count = list.text.split(separator: "\n").count
      #expect(count == 1 || count == Self.count + 1, "\(count) \(list.errors)")
      #expect(wasInterrupted || count == Self.count + 1)
    }
    #expect(try vault.get("before").text == "1")
    #expect(try vault.set("after", "2").status == 0)
    let left = try FileManager.default.contentsOfDirectory(atPath: vault.data)
      .filter { $0.hasPrefix(".") }
    #expect(left.isEmpty)
  }

  /// An application's store with so many rows that something takes a while with it.
  private func store() throws -> DataStoreHome {
    let data = try DataStoreHome()
    let (connection, _) = try data.file.open(.write)
    defer { connection.close() }
    try connection.executeScript(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<100000) "
        + "INSERT INTO Stop(place) SELECT 'place ' || i FROM n")
    return data
  }

  @Test(arguments: ["export", "backup"])
  func aCopyOfAStoreIsTheOldOneOrTheNewOne(verb: String) throws {
    let data = try store()
    let folder = "\(data.home.path)/out"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
    let url = URL(fileURLWithPath: "\(folder)/copy")
    let old = Data("before".utf8)
    let words = ["data", verb, data.application] + (verb == "export" ? ["--out"] : [])
    try sweep(data.vault, words + [url.path], rounds: 8) {
      try old.write(to: url)
    } check: { wasInterrupted in
      let now = try Data(contentsOf: url)
      if now == old {
        #expect(wasInterrupted)
      } else if verb == "export" {
        let whole = try JSONSerialization.jsonObject(with: now) as? [String: Any]
        let stops = (whole?["entities"] as? [String: [Any]])?["Stop"]
        #expect(stops?.count == 100_002)
      } else {
        let checked = try data("check", url.path)
        #expect(checked.text == "no problems found\n", "\(checked.errors)")
        #expect(try data("count", url.path, "Stop").text == "100002\n")
      }
    }
    // What an interrupted one left is swept away by the next.
    #expect(try data.vault.run(words + [url.path]).status == 0)
    let left = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(Set(left).subtracting([".copy_SUPPORT"]) == ["copy"])
  }

  @Test func aStoreThatIsWrittenAnewLosesNothing() throws {
    let data = try store()
    try sweep(
      data.vault, ["data", "vacuum", data.application], rounds: 8,
      check: { _ in
        let (checked, counted) = (
          try data("check", data.application), try data("count", data.application, "Stop")
        )
        #expect(checked.text == "no problems found\n" && counted.text == "100002\n")
      })
  }

  @Test func aStoreFromAMacIsThereOrNot() throws {
    let data = try DataStoreHome()
    let home = data.home.path
    try MacStoreFile.make(at: "\(home)/Mac.store", tags: 50_000)
    let folder = "\(home)/.local/share/com.example.tags"
    try sweep(
      data.vault, ["data", "import", "\(home)/Mac.store", "--application", "com.example.tags"],
      rounds: 8
    ) {
      try? FileManager.default.removeItem(atPath: "\(folder)/default.store")
    } check: { wasInterrupted in
      if FileManager.default.fileExists(atPath: "\(folder)/default.store") {
        let (checked, counted) = (
          try data("check", "com.example.tags"), try data("count", "com.example.tags", "Tag")
        )
        #expect(checked.text == "no problems found\n" && counted.text == "50000\n")
      } else {
        #expect(wasInterrupted)
      }
    }
  }

  @Test func aRotationIsDoneOrNot() throws {
    let vault = try ThrowawayVault()
    let items = (0..<Self.count).map { "\"item\($0)\": \"secret \($0)\"" }
    _ = try vault.command.run(
      ["import", "json", "-", "--no-session"],
      input: Data("{\(items.joined(separator: ","))}".utf8))
    let (one, two) = ("\(vault.home.path)/key", "\(vault.home.path)/second.key")
    var current = one
    func opens(_ key: String) throws -> Bool {
      let result = try vault.command.run(["get", "item17", "--no-session", "--key-file", key])
      #expect(result.status == 0 ? result.text == "secret 17" : result.status == 77)
      return result.status == 0
    }
    try sweep(vault.command, ["key", "rotate", "--no-session", "--new-key-file", two]) {
      // Back to the first key, by a rotation that is left alone.
      if current == two {
        let back = try vault.command.run([
          "key", "rotate", "--no-session", "--key-file", two, "--new-key-file", one,
        ])
        try #require(back.status == 0, "\(back.errors)")
        current = one
      }
    } check: { wasInterrupted in
      let (byOne, byTwo) = (
        try opens(one), FileManager.default.fileExists(atPath: two) ? try opens(two) : false
      )
      #expect(byOne != byTwo)
      #expect(wasInterrupted || byTwo)
      current = byTwo ? two : one
      let checked = try vault.command.run(["check", "--no-session", "--key-file", current])
      #expect(checked.status == 0, "\(checked.text)")
    }
  }
}
