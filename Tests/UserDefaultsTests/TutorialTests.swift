import Foundation
import TestSupport
import Testing

/// Programs as articles have them, each run a process of its own.
struct TutorialTests {
  private static func tutorial(_ name: String, _ home: TemporaryHome) -> VaultProcess {
    VaultProcess(home: home.path, executable: KeyringSession.product(name))
  }

  @Test(arguments: ["defaults-tutorial", "defaults-tutorial-6"])
  func whatOneRunWritesTheNextOneReads(_ program: String) throws {
    let home = try TemporaryHome()
    let run = Self.tutorial(program, home)
    for launch in 1...2 {
      let written = try run.run(["write"])
      #expect(written.status == 0 && written.text == "true\n", "\(written.errors)")
      let read = try run.run(["read", "-theme", "argument"])
      #expect(read.text.hasPrefix("argument \(launch) 7\n"), "\(read.text)")
    }
    #expect(
      try run.run(["read"]).text == """
        dark 2 7
        [3, 4]
        true me 5 1.25 green /tmp/file
        both both
        true
        true
        1.0

        """)
    // And the command reads the same.
    let command = VaultProcess(home: home.path)
    #expect(try command.run(["defaults", "read", program, "theme"]).text == "dark\n")
    #expect(try command.run(["defaults", "read", "com.example.shared", "shared"]).text == "both\n")
  }

  /// All names come through one file of the program; the others import Foundation, as on a Mac.
  @Test func filesThatImportFoundationAloneAreServedByOneMore() throws {
    let vault = try ThrowawayVault()
    let run = VaultProcess(
      home: vault.home.path, environment: ["VAULT_KEY_FILE": vault.keyFile],
      executable: KeyringSession.product("everywhere-tutorial"))
    let duplicate = "The specified item already exists in the keychain."
    #expect(try run.run([]).text == "1 system\n0 \(duplicate)\n")
    #expect(try run.run([]).text == "2 dark\n-25299 \(duplicate)\n")
    #expect(try vault("lock").status == 0)
  }

  /// What Foundation's class has stored on Linux, by the line that the page shows.
  @Test func theValuesOfFoundationsClassAreImported() throws {
    let home = try TemporaryHome()
    let values: [String: Any] = ["theme": "old", "launches": 7]
    let file = try PropertyListSerialization.data(
      fromPropertyList: values, format: .xml, options: 0)
    _ = try home.privateFile("tool.plist", String(decoding: file, as: UTF8.self))
    let imported = try VaultProcess(home: home.path).run(
      ["defaults", "import", "defaults-tutorial", "\(home.path)/tool.plist"])
    #expect(imported.status == 0, "\(imported.errors)")
    let read = try Self.tutorial("defaults-tutorial", home).run(["read"])
    #expect(read.text.hasPrefix("old 7 7\n"), "\(read.text)")
  }

  @Test func processesThatWriteAtOnceLoseNothing() throws {
    let home = try TemporaryHome()
    let run = Self.tutorial("defaults-tutorial", home)
    let running = try (0..<3).map { try run.start(["many", "p\($0)"]) }
    for run in running { #expect(run.finish().status == 0) }
    #expect(try run.run(["count"]).text == "600\n")
  }

  @Test func bothLanguageModesCompileTheSameText() throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Tutorials")
    for file in ["Settings.swift", "main.swift"] {
      let texts = try ["Defaults5", "Defaults6"].map {
        try Data(contentsOf: tests.appendingPathComponent("\($0)/\(file)"))
      }
      #expect(texts[0] == texts[1], "\(file)")
    }
  }
}
