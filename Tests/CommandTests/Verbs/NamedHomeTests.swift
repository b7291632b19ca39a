import Foundation
import TestSupport
import Testing
import VaultStorage

/// `HOME` that is set and names no folder: no other home is read, written or emptied in its place.
struct NamedHomeTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func run(_ words: [String], _ value: String) throws -> VaultProcess.Result {
    try VaultProcess(home: home.path).run(
      words, input: Data("x".utf8),
      adding: ["HOME": value, "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": ""])
  }

  @Test(arguments: ["", "relative", "./x"])
  func noVerbTakesAnotherHome(value: String) throws {
    let dump = "\(home.path)/dump.toml"
    try Data("[\"com.example.tool\"]\ntheme = \"dark\"\n".utf8)
      .write(to: URL(fileURLWithPath: dump))
    let lines = [
      ["set", "a", "--stdin"], ["get", "a"], ["list"], ["init", "--no-recovery"], ["undo"],
      ["connect", "git"], ["connect", "ssh"], ["connect", "keyring"], ["disconnect", "git"],
      ["import", "pass"], ["defaults", "write", "com.example.tool", "a", "1"],
      ["defaults", "dump", "--output", dump], ["defaults", "delete", "com.example.tool"],
      ["defaults", "export", "com.example.tool", "\(home.path)/x.plist"], ["data", "stores"],
    ]
    for line in lines {
      let result = try run(line, value)
      #expect(result.status != 0, "\(line): \(result)")
      #expect(result.errors.contains("HOME"), "\(line): \(result.errors)")
    }
    #expect(try String(contentsOfFile: dump, encoding: .utf8).contains("dark"))
    #expect(home.names() == ["dump.toml"])
  }

  @Test func oneRuleSaysWhereTheHomeIs() throws {
    for value in ["", "relative"] {
      #expect(throws: StorageError.self) {
        try StoreLocation.home { $0 == "HOME" ? value : nil }
      }
      #expect(StoreLocation.namedHome { _ in value } == nil)
      #expect(throws: StorageError.self) { try StoreLocation { $0 == "HOME" ? value : nil } }
    }
    #expect(try StoreLocation.home { $0 == "HOME" ? "/h" : nil } == "/h")
    #expect(StoreLocation.namedHome { _ in "/h" } == "/h")
    // Not set: cron and services of systemd have the user database alone.
    #expect(try StoreLocation.home { _ in nil }.isEmpty == false)
    #expect(StoreLocation.namedHome { _ in nil } == nil)
    let chosen = try StoreLocation(environment: { $0 == "HOME" ? "" : "/x" })
    #expect(chosen.data == "/x/vault")
  }
}
