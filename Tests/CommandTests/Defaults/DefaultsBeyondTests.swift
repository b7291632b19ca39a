import Foundation
import TestSupport
import Testing
import VaultPreferences
import VaultSealing
import VaultStorage

/// Features that macOS's `defaults` does not have.
struct DefaultsBeyondTests {
  private let defaults: DefaultsRunner

  init() throws { defaults = try DefaultsRunner() }

  @Test func aDamagedStoreIsReportedAndRecoveredOnRequest() throws {
    #expect(defaults("recover").message == "There is no store.\n")
    defaults("write", "d", "first", "1")
    let keys = (0..<10_000).map { "k\($0) = \"value \($0)\";" }.joined()
    defaults("import", "d", "-", input: "{first = 1; \(keys)}")
    #expect(defaults("recover").message == "The store is not damaged.\n")
    let store = "\(defaults.home.location.data)/store.sqlite"
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: store))
    try file.seek(toOffset: 4_096 * 12)
    try file.write(contentsOf: Data(repeating: 0xa5, count: 4_096 * 20))
    try file.close()

    let read = defaults("read", "d")
    #expect(read.status == 1)
    #expect(read.error.contains("vault defaults recover"))
    #expect(read.error.contains("last good copy"))
    #expect(read.output.isEmpty)
    let done = defaults("recover")
    #expect(done.status == 0, "\(done.error)")
    let aside = try #require(done.output.firstMatch(of: /store\.sqlite\.damaged-[0-9TZ]+/)?.output)
    #expect(
      FileManager.default.fileExists(atPath: "\(defaults.home.location.data)/\(aside)"))
    #expect(defaults("read", "d", "first").output == "1\n")
    #expect(try defaults.value("first") == .string("1"))
    #expect(defaults("recover").message == "The store is not damaged.\n")
  }

  @Test func effectiveReadingShowsWinnersAndOrigins() throws {
    defaults("write", "-g", "k", "global")
    defaults("write", "d", "k", "application")
    defaults("write", "d", "own", "1")
    #expect(defaults("read", "--effective", "d", "k").output == "application\n")
    #expect(
      defaults("read", "--effective", "--show-origin", "d", "k").output
        == "application:d\tapplication\n")
    try FileManager.default.createDirectory(
      atPath: defaults.managed, withIntermediateDirectories: true)
    let file = "\(defaults.managed)/d.plist"
    try Data("{k = managed;}".utf8).write(to: URL(fileURLWithPath: file))
    #expect(
      defaults("read", "--effective", "--all-layers", "d", "k").output
        == "* managed:\(file)\tmanaged\n  application:d\tapplication\n"
        + "  global:Apple Global Domain\tglobal\n")
    let json = defaults("read", "--effective", "--json", "d", "k").output
    #expect(json.contains("\"locked\": true"))
    #expect(
      defaults("read", "--effective", "d").output == "{\n    k = managed;\n    own = 1;\n}\n")
    let refused = defaults("write", "d", "k", "mine")
    #expect(refused.status == 1)
    #expect(refused.message.contains(file))
    #expect(defaults("read", "d", "k").output == "application\n")
    #expect(defaults("read", "--effective", "d", "none").status == 1)
  }

  @Test func historyAndUndo() throws {
    defaults("write", "d", "k", "-array", "a")
    defaults("delete", "d", "k")
    let lines = defaults("history", "d", "k").output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.last?.hasSuffix("\"k\"\t[\"a\"] -> (none)") == true)
    let would = defaults("undo", "--dry-run").output.split(separator: "\n")
    #expect(would == [try #require(lines.last), "Would take back 1 change of 1 transaction."])
    #expect(try defaults.value("k") == nil)
    let undone = defaults("undo").output.split(separator: "\n")
    #expect(undone == [try #require(lines.last), "Took back 1 change of 1 transaction."])
    #expect(try defaults.value("k") == ["a"])
    #expect(defaults("undo", "--since", "1h").status == 0)
    #expect(defaults("read", "d").status == 1)
    let nothing = defaults("undo")
    #expect(nothing.status == 1)
    #expect(nothing.message == "There is nothing to undo.\n")
    #expect(defaults("history", "--json", "d", "k").output.contains("\"undoes\":"))
    #expect(defaults("undo", "--transaction", "77").status == 1)
    #expect(defaults("undo", "many").status == 255)
  }

  /// A transaction whose undo was undone counts again, as the latest one.
  @Test func whatWasRedoneIsUndoneFirst() throws {
    /// The number of the latest transaction.
    func latest() throws -> String {
      let line = defaults("history", "--json", "--limit", "1").output
      return String(try #require(line.firstMatch(of: /"txn":([0-9]+)/)).1)
    }
    defaults("write", "first", "k", "-int", "1")
    defaults("write", "d", "k", "-int", "1")
    defaults("write", "d", "k", "-int", "2")
    for _ in 0..<3 {
      #expect(defaults("undo").status == 0)
      #expect(try defaults.value("k") == 1)
      let undo = try latest()
      #expect(defaults("undo", "--transaction", undo).status == 0)
      #expect(try defaults.value("k") == 2)
      // The undo of a redo takes it back, and the undo of that one brings it again.
      let redo = try latest()
      #expect(defaults("undo", "--transaction", redo).status == 0)
      #expect(try defaults.value("k") == 1)
      let back = try latest()
      #expect(defaults("undo", "--transaction", back).status == 0)
      #expect(try defaults.value("k") == 2)
    }
    // Each step is taken back once.
    for (value, first) in [(1, 1), (nil, 1), (nil, nil)] as [(PreferenceValue?, PreferenceValue?)] {
      #expect(defaults("undo").status == 0)
      #expect(try defaults.value("k") == value)
      #expect(try defaults.value("k", "first") == first)
    }
    #expect(defaults("undo").message == "There is nothing to undo.\n")
  }

  /// What a moment ago was, however often it was taken back and done again since.
  @Test func whatWasRedoneIsTakenBackSinceItsOwnTime() throws {
    defaults("write", "d", "k", "-int", "1")
    defaults("undo")
    let line = defaults("history", "--json", "--limit", "1").output
    let undo = String(try #require(line.firstMatch(of: /"txn":([0-9]+)/)).1)
    #expect(defaults("undo", "--transaction", undo).status == 0)
    #expect(defaults("undo", "--since", "1h").output.hasSuffix("of 1 transaction.\n"))
    #expect(defaults("read", "d", "k").status == 1)
  }

  @Test func snapshotsAndDifferences() {
    defaults("write", "d", "same", "1")
    defaults("write", "d", "changed", "1")
    #expect(defaults("snapshot", "before").output == "Snapshot 'before' taken.\n")
    #expect(defaults("diff", "before") == .init(status: 0, output: "", error: ""))
    defaults("write", "d", "changed", "-int", "2")
    let difference = defaults("diff", "before")
    #expect(difference.status == 1)
    #expect(difference.output == "- d\t\"changed\"\t\"1\"\n+ d\t\"changed\"\t2\n")
    #expect(defaults("snapshot", "--restore", "before").status == 0)
    #expect(defaults("diff", "before").status == 0)
    #expect(defaults("snapshot", "--list").output.hasPrefix("before\t"))
    #expect(defaults("snapshot", "--remove", "before").status == 0)
    #expect(defaults("diff", "before").status == 1)
  }

  @Test func watchingContinuesAfterASequenceNumber() {
    defaults("write", "d", "a", "1")
    defaults("write", "e", "b", "-bool", "yes")
    let lines = defaults("watch", "--json", "--since", "0", "--count", "2").output
    #expect(lines.contains("\"key\":\"a\",\"old\":null,\"new\":\"1\""))
    #expect(lines.contains("\"domain\":\"e\",\"layer\":\"application\",\"key\":\"b\""))
    #expect(defaults("watch", "--since", "0", "--count", "1", "e").output.contains("\"b\""))
  }

  @Test func aProtectedDomainNeedsItsKey() throws {
    defaults("write", "d", "k", "canary-value")
    #expect(defaults("protect", "d").status == 1)
    defaults.keys = FixedDataKeys()
    #expect(defaults("protect", "d") == .init(status: 0, output: "", error: ""))
    #expect(defaults("read", "d", "k").output == "canary-value\n")
    defaults.keys = nil
    let locked = defaults("read", "d", "k")
    #expect(locked.status == 1)
    #expect(locked.output == "")
    #expect(!locked.error.contains("canary"))
    defaults("write", "open", "k", "1")
    let all = defaults("read")
    #expect(all.output == "{\n    open =     {\n        k = 1;\n    };\n}\n")
    #expect(all.error.contains("the domain d is protected"))
    defaults.keys = FixedDataKeys()
    #expect(defaults("unprotect", "d").status == 0)
    defaults.keys = nil
    #expect(defaults("read", "d", "k").output == "canary-value\n")
  }

  /// Lines as Mac scripts have them; every one is taken, and every value lands with its type.
  @Test func aMacsScriptRunsUnchanged() throws {
    let script: [([String], String, String, String)] = [
      (["com.apple.dock", "tilesize", "-int", "36"], "com.apple.dock", "tilesize", "integer"),
      (["com.apple.dock", "autohide", "-bool", "true"], "com.apple.dock", "autohide", "boolean"),
      (["com.apple.dock", "delay", "-float", "0"], "com.apple.dock", "delay", "float"),
      (
        ["NSGlobalDomain", "AppleLanguages", "-array", "en", "nl"], "-g", "AppleLanguages", "array"
      ),
      (["-g", "KeyRepeat", "-int", "1"], "NSGlobalDomain", "KeyRepeat", "integer"),
      (
        ["com.apple.finder", "FXInfoPanesExpanded", "-dict", "General", "-bool", "true"],
        "com.apple.finder", "FXInfoPanesExpanded", "dictionary"
      ),
      (
        ["com.apple.screencapture", "location", "-string", "~/Desktop"], "com.apple.screencapture",
        "location", "string"
      ),
      (
        [
          "com.apple.spotlight", "orderedItems", "-array",
          "{\"enabled\" = 1;\"name\" = \"APPLICATIONS\";}",
        ], "com.apple.spotlight", "orderedItems", "array"
      ),
      (
        ["com.apple.terminal", "StringEncodings", "-array", "4"], "com.apple.terminal",
        "StringEncodings", "array"
      ),
      (
        [
          "com.apple.dock", "persistent-apps", "-array-add",
          "<dict><key>tile-data</key><dict/></dict>",
        ],
        "com.apple.dock", "persistent-apps", "array"
      ),
    ]
    for (words, domain, key, type) in script {
      #expect(defaults.run(["write"] + words) == .init(status: 0, output: "", error: ""))
      #expect(defaults("read-type", domain, key).output == "Type is \(type)\n")
    }
  }

  /// Real processes: two writers, 50 keys each; then writers that are killed.
  @Test func processesLoseNothingAlsoWhenKilled() throws {
    let vault = VaultProcess(home: defaults.home.path)
    let home = ["--home", defaults.home.location.data, "defaults"]
    for n in 0..<50 {
      let writers = try ["a", "b"].map { writer in
        try vault.start(home + ["write", "d", "\(writer)\(n)", "-int", "\(n)"])
      }
      for writer in writers { #expect(writer.finish().status == 0) }
    }
    let database = try #require(
      try PreferenceDatabase.open(defaults.home.location, mode: .read, process: "test"))
    #expect(try database.contents(of: PreferenceDomain("d"))?.count == 100)
    let time = try ContinuousClock().measure {
      _ = try vault.run(home + ["write", "k", "value", "-string", "0"])
    }
    var moments = Moments(40, within: time, of: "defaults write")
    for n in 0..<40 {
      let victim = try vault.start(home + ["write", "k", "value", "-string", "\(n)"])
      moments.wait()
      kill(victim.pid, SIGKILL)
      let status = victim.finish().status
      let found = try database.value("value", in: PreferenceDomain("k"))
      // An acknowledged value is stored; otherwise it is this one or an earlier one. The store is
      // intact.
      if status == 0 { #expect(found == .string("\(n)")) }
      if case .string(let text)? = found { #expect((Int(text) ?? 99) <= n) }
    }
    #expect(try vault.run(home + ["write", "k", "value", "-string", "end"]).status == 0)
    #expect(try database.value("value", in: PreferenceDomain("k")) == "end")
    let store = try #require(try Store.open(defaults.home.location, mode: .read))
    #expect(try store.check() == [])
  }
}

/// A key that is always available.
final class FixedDataKeys: DataKeyProvider {
  private let id = Array(repeating: UInt8(9), count: 16)

  func currentDataKey(for purpose: String) throws -> (id: [UInt8], key: SecretBytes) {
    (id, try SecretBytes(copying: Array(repeating: 7, count: 32)))
  }

  func dataKey(id: [UInt8]) throws -> SecretBytes {
    try SecretBytes(copying: Array(repeating: 7, count: 32))
  }
}
