import Foundation
import TestSupport
import Testing
import VaultCommand
import VaultExchange
import VaultStorage

/// What `vault export dotenv` writes, read by those who read such files.
struct DotenvExportTests {
  private static let values = [
    "plain", "", "pa$$w0rd", "x\"y", "a`touch PWNED`b", "$(touch PWNED)", "two\nlines\n", "it's",
    "it's\nover two lines", " blanks ", "# no comment", "a # b", "back\\slash", "\\n", "a=b",
    "é e\u{301}",
    "'\u{301}", "\"\u{301}", "!important", "semi;colon&", "{}[]*?~", "C:\\Users\\new",
    // Not alike to everybody.
    "a\\\\b", "end\\", "it's \"x\"", "it's $5", "it's `id`", "${HOME}", "carriage\r\nreturn",
    "it's a \\ backslash",
  ]

  /// Every value by its variable, as a reader prints them: hex, since values have lines.
  private func hex(_ text: String) -> String {
    text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private func exported() throws -> (home: TemporaryHome, file: String) {
    let vault = try ThrowawayVault()
    for (number, value) in Self.values.enumerated() { try vault.set("v\(number)", value) }
    let path = "\(vault.home.path)/e.env"
    let done = try vault("export", "dotenv", "--yes", "--out", path)
    #expect(done.status == 0, "\(done.errors)")
    let told = done.errors.split(separator: "\n").filter {
      $0.contains("would be read differently")
    }
    for (number, value) in Self.values.enumerated() {
      let isAlike = DotenvQuoting(value).readers.count == DotenvQuoting.Reader.allCases.count
      let isTold = told.contains { $0.contains("'v\(number)'") }
      #expect(isTold != isAlike, "\(value)")
    }
    let other = try ThrowawayVault()
    #expect(try other("import", "dotenv", path).status == 0)
    for (number, value) in Self.values.enumerated() {
      #expect(try other("get", "V\(number)").output == Data(value.utf8), "\(value)")
    }
    return (vault.home, path)
  }

  private func check(_ reader: DotenvQuoting.Reader, _ run: (String) -> [String]) throws {
    let (home, path) = try exported()
    let words = run(path)
    let process = VaultProcess(
      home: home.path, environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""],
      executable: "/usr/bin/env")
    let read = try process.run(words)
    try #require(read.status == 0, "\(read.errors)")
    let lines = read.text.split(separator: "\n", omittingEmptySubsequences: false)
    for (number, value) in Self.values.enumerated()
    where DotenvQuoting(value).readers.contains(reader) {
      #expect(lines.contains("V\(number) \(hex(value))"), "\(value)")
    }
    #expect(!home.names().contains("PWNED"))
  }

  @Test func aShellReadsEveryValueAndRunsNone() throws {
    let loop = Self.values.indices.map { "p V\($0) \"$V\($0)\"" }.joined(separator: "\n")
    try check(.shell) { path in
      [
        "sh", "-c",
        "p() { printf '%s %s\\n' \"$1\" \"$(printf %s \"$2\" | od -An -v -tx1 | tr -d ' \\n')\"; }\n. \(path)\n\(loop)",
      ]
    }
  }

  private static func has(_ words: String...) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return false }
    process.waitOrKill()
    return process.terminationStatus == 0
  }

  @Test(
    .enabled(
      if: has("python3", "-c", "import dotenv; dotenv.dotenv_values"),
      "python-dotenv is not installed"))
  func pythonDotenvReadsWhatIsSaidOfIt() throws {
    try check(.pythonDotenv) { path in
      [
        "python3", "-c",
        """
        import dotenv, sys
        for k, v in dotenv.dotenv_values(sys.argv[1]).items(): print(k, (v or '').encode().hex())
        """, path,
      ]
    }
  }

  @Test(
    .enabled(
      if: has("node", "-e", "process.exit(require('node:util').parseEnv ? 0 : 1)"),
      "there is no node with parseEnv"))
  func nodeReadsWhatIsSaidOfIt() throws {
    try check(.node) { path in
      [
        "node", "-e",
        """
        const v = require('node:util').parseEnv(require('fs').readFileSync(process.argv[1], 'utf8'));
        for (const k in v) console.log(k, Buffer.from(v[k]).toString('hex'));
        """, path,
      ]
    }
  }

  @Test func whatManyValuesHaveIsReadAlike() {
    for value in Self.values.prefix(22) {
      #expect(DotenvQuoting(value).readers.count == 3, "\(value)")
    }
    for value in Self.values { #expect(DotenvQuoting(value).readers.contains(.shell)) }
  }

  @Test func aDotenvFileIsReadByteByByte() {
    #expect(
      DotenvImport.entries(
        "A=1\r\nB='x'\r\n# no\r\nexport C=\"a\\`b\"\r\nD=\"\"\r\nE=\nF='a'b\nG='l\r\nm'")
        == [
          .value(name: "A", value: "1"), .value(name: "B", value: "x"),
          .value(name: "C", value: "a`b"),
          .value(name: "D", value: ""), .value(name: "E", value: ""),
          .damaged(line: 7, reason: "there is text after the closing quote"),
          .value(name: "G", value: "l\r\nm"),
        ])
    #expect(
      DotenvImport.entries("A='\u{301}x'\nB=\u{301}y")
        == [.value(name: "A", value: "\u{301}x"), .value(name: "B", value: "\u{301}y")])
    #expect(
      DotenvImport.entries("A='x\nB=1")
        == [.damaged(line: 1, reason: "a quote is not closed"), .value(name: "B", value: "1")])
  }
}
