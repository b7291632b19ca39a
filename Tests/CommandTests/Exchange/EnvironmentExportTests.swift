import Foundation
import TestSupport
import Testing

/// What `vault export docker|kubectl|systemd|shell|node|compose` writes, read by that program.
struct EnvironmentExportTests {
  private static let values = [
    "plain", "", "pa$$w0rd", "x\"y", "a`touch PWNED`b", "$(touch PWNED)", "it's", " blanks ",
    "# no comment", "a # b", "back\\slash", "\\n", "a=b", "é e\u{301} 日本", "!important",
    "semi;colon&", "{}[]*?~", "C:\\Users\\new", "a\\\\b", "end\\", "it's \"x\"", "it's $5",
    "it's `id`", "${HOME}", "it's a \\ backslash", "'", "\"", "`", "'\"", "\tx\t", "export A=1",
    "it's `x` \"y\" \\n", "two\nlines\n", "it's\nover two lines", "carriage\rreturn", "end\r",
    "it's `x` \"y\"", "-----BEGIN KEY-----\nAAAA=\n-----END KEY-----\n",
    String(repeating: "x", count: 70_000),
  ]

  /// The values that a format holds, and what the command said of the others.
  private func exported(_ format: String) throws -> (home: TemporaryHome, path: String, Set<Int>) {
    let vault = try ThrowawayVault()
    for (number, value) in Self.values.enumerated() { try vault.set("app/v\(number)", value) }
    _ = try vault("set", "app/binary", "--stdin", input: "\u{0}x")
    let path = "\(vault.home.path)/vars"
    let line = ["export", format, "app/", "--yes", "--out", path]
    let done = try vault.command.run(line)
    let left = Set(
      Self.values.indices.filter { done.errors.contains("not exported: app/v\($0):") })
    #expect(done.errors.contains("not exported: app/binary:"))
    #expect(done.status == 1, "\(done.errors)")
    let option = try vault("export", "--format", format, "app/", "--yes")
    #expect(option.output == FileManager.default.contents(atPath: path))
    return (vault.home, path, left)
  }

  private func check(
    _ format: String, left expected: (String) -> Bool,
    _ read: (String, String) throws -> [String: String]
  ) throws {
    let (home, path, left) = try exported(format)
    #expect(left == Set(Self.values.indices.filter { expected(Self.values[$0]) }))
    let variables = try read(path, home.path)
    for (number, value) in Self.values.enumerated() where !left.contains(number) {
      let found = variables["V\(number)"]
      #expect(found.map { Array($0.utf8) } == Array(value.utf8), "V\(number) is \(value)")
    }
    for number in left { #expect(variables["V\(number)"] == nil) }
    #expect(!home.names().contains("PWNED"))
  }

  private func run(_ words: [String], in home: String) throws -> Data {
    let process = VaultProcess(
      home: home, environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""],
      executable: "/usr/bin/env")
    let read = try process.run(words)
    try #require(read.status == 0, "\(read.errors)")
    return read.output
  }

  /// The variables that `env -0` has written.
  private func variables(_ data: Data) -> [String: String] {
    Dictionary(
      data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }.compactMap { line in
        line.firstIndex(of: "=").map {
          (String(line[..<$0]), String(line[line.index(after: $0)...]))
        }
      }, uniquingKeysWith: { first, _ in first })
  }

  private static func has(_ words: String...) -> Bool {
    (try? VaultProcess(home: "/tmp", executable: "/usr/bin/env").run(words).status) == 0
  }

  @Test func aShellReadsEveryValueAndRunsNone() throws {
    try check("shell", left: { _ in false }) { path, home in
      variables(try run(["sh", "-c", ". \"$1\"; cd \"$2\"; env -0", "sh", path, home], in: home))
    }
  }

  @Test(
    .enabled(
      if: has("node", "-e", "process.exit(require('node:util').parseEnv ? 0 : 1)"),
      "there is no node with parseEnv"))
  func nodeReadsWhatIsWrittenForIt() throws {
    try check(
      "node",
      left: { value in
        value.contains("\r") || ["'", "`", "\""].allSatisfy { value.contains($0) }
      }
    ) { path, home in
      let code = "process.stdout.write(JSON.stringify(process.env))"
      return try JSONDecoder().decode(
        [String: String].self, from: run(["node", "--env-file=\(path)", "-e", code], in: home))
    }
  }

  private static func isNotOneLine(_ value: String) -> Bool {
    value.contains("\n") || value.hasSuffix("\r") || value.utf8.count > 65_000
  }

  @Test(
    .enabled(if: has("kubectl", "version", "--client"), "kubectl is not installed"))
  func kubectlReadsWhatIsWrittenForIt() throws {
    struct Secret: Decodable { let data: [String: Data] }
    try check("kubectl", left: Self.isNotOneLine) { path, home in
      let data = try run(
        [
          "kubectl", "create", "secret", "generic", "x", "--from-env-file", path,
          "--dry-run=client", "--output", "json",
        ], in: home)
      return try JSONDecoder().decode(Secret.self, from: data).data.mapValues {
        String(decoding: $0, as: UTF8.self)
      }
    }
  }

  @Test(
    .enabled(
      if: has("docker", "--version") && has("python3", "-c", ""),
      "docker's client or python3 is not installed"))
  func dockerReadsWhatIsWrittenForIt() throws {
    try check("docker", left: Self.isNotOneLine) { path, home in
      try JSONDecoder().decode(
        [String: String].self,
        from: run(["python3", PythonScript.location("docker_create.py"), path], in: home))
    }
  }

  @Test(
    .enabled(
      if: SystemdTests.canRun, "needs root, systemd, and a cgroup hierarchy that can be written to")
  )
  func systemdReadsWhatIsWrittenForIt() throws {
    try check("systemd", left: { _ in false }) { path, home in
      let output = "\(home)/environment"
      let done = try SystemdTests.inContainer(
        "systemd_environment.sh", [path, output], home: home)
      try #require(done.status == 0, "\(done.errors)")
      return variables(FileManager.default.contents(atPath: output) ?? Data())
    }
  }

  /// Compose itself has no package here; what compose-go's parser makes of quotes and escapes, a
  /// value at a time.
  @Test func composeGetsFormsThatItsParserTakesApart() throws {
    let (home, path, left) = try exported("compose")
    #expect(left == Set(Self.values.indices.filter { Self.values[$0].contains("\r") }))
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(home.names().contains("vars"))
    for line in ["V3='x\"y'\n", "V6=\"it's\"\n", "V19=\"end\\\\\"\n", "V21=\"it's \\$5\"\n"] {
      #expect(text.contains(line), "\(line)")
    }
  }

  /// The shells that are here, each with what it calls its variables.
  private static let shells = [
    ["dash", "-c", "set | sed -n 's/=.*//p'"], ["bash", "-c", "compgen -v"],
    ["bash", "--posix", "-c", "compgen -v"], ["zsh", "-f", "-c", "print -l ${(k)parameters}"],
  ].filter { has("which", $0[0]) }

  /// Whatever variables a shell has by itself: each is read as it is, or is left out.
  @Test(arguments: shells)
  func aShellReadsEachVariableThatIsWritten(_ shell: [String]) throws {
    let vault = try ThrowawayVault()
    let home = vault.home.path
    let more = "OPTIND OPTARG RANDOM SECONDS UID EUID PPID LINENO TMOUT FUNCNEST USERNAME"
    let own = try String(decoding: run(shell, in: home), as: UTF8.self) + " " + more
    let names = Set(own.split { $0 == " " || $0 == "\n" }.map(String.init)).filter { name in
      !name.isEmpty && name.allSatisfy { "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789".contains($0) }
    }
    let json = names.map { "\"app/\($0)\": \"sec-\($0)\"" }.joined(separator: ",")
    #expect(try vault("import", "json", "-", input: "{\(json)}").status == 0)
    _ = try vault("export", "shell", "app/", "--yes", "--out", "\(home)/vars")
    let text = try String(contentsOfFile: "\(home)/vars", encoding: .utf8)
    let written = names.filter { text.contains("export \($0)=") }
    #expect(!written.isEmpty)
    let script = ". '\(home)/vars'; exec /usr/bin/env -0"
    let options = Array(shell.dropLast()) + [script]
    let read = try variables(run(options, in: home))
    for name in written { #expect(read[name] == "sec-\(name)", "\(shell[0]): \(name)") }
  }

  /// As `run` takes them: of a folder its own items win, and a star does not cross a slash.
  @Test func aFoldersOwnItemsWinOverThoseBelow() throws {
    let vault = try ThrowawayVault()
    for (name, value) in [
      ("shop/URL", "prod"), ("shop/KEY", "k"), ("shop/test/URL", "test"), ("shop/test/ONLY", "o"),
    ] { try vault.set(name, value) }
    for format in ["docker", "dotenv", "kubectl", "systemd", "shell", "node", "compose"] {
      let folder = try vault("export", format, "shop/", "--yes")
      #expect(folder.status == 0, "\(format): \(folder.errors)")
      #expect(folder.text.contains("prod") && folder.text.contains("ONLY"), "\(folder.text)")
      #expect(!folder.text.contains("test"), "\(folder.text)")
      let star = try vault("export", format, "shop/*", "--yes")
      #expect(star.status == 0 && !star.text.contains("ONLY"), "\(format): \(star.errors)")
    }
    try vault.set("shop/a/X", "1")
    try vault.set("shop/b/X", "2")
    #expect(try vault("export", "docker", "shop/", "--yes").status == 64)
    #expect(try vault("export", "docker", "shop/", "--prefix-names", "--yes").status == 0)
  }

  @Test func theFormatIsNamedOnce() throws {
    let vault = try ThrowawayVault()
    try vault.set("a/x", "1")
    #expect(try vault("export", "docker", "a/", "--format", "node", "--yes").status == 64)
    #expect(try vault("export", "--yes").status == 64)
    #expect(try vault("export", "nothing", "--yes").errors.contains("systemd"))
    #expect(try vault("export", "docker", "--yes").text == "A_X=1\n")
    #expect(try vault("export", "--format", "docker", "--yes").text == "A_X=1\n")
  }

  @Test func manyItemsAreSaidInFewLines() throws {
    let vault = try ThrowawayVault()
    let rows = (0..<100).map { "n\($0),me,'\"\\\\p\($0)\n" }.joined()
    #expect(
      try vault(
        "import", "csv", "-", input: "name,username,password\n" + rows.replacing("\"", with: "")
      )
      .status == 0)
    for format in ["dotenv", "docker"] {
      let done = try vault("export", format, "--yes", "--out", "\(vault.home.path)/\(format)")
      #expect(done.errors.split(separator: "\n").count < 10, "\(done.errors)")
    }
  }
}
