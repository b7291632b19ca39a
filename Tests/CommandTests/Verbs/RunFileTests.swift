import Foundation
import TestSupport
import Testing

/// What `vault run` hands over beside single variables.
struct RunFileTests {
  private let vault: ThrowawayVault

  init() throws {
    vault = try ThrowawayVault()
    try vault.set("api-token", "s3cr3t")
    try vault.set("db", "p w")
  }

  private func write(_ text: String, _ name: String) throws -> String {
    let path = "\(vault.home.path)/\(name)"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  @Test func filesOfVariablesHoldReferences() throws {
    let first = try write(
      """
      # comment
      export PLAIN=value # and why
      HASH=$2a$10$abcdefgh
      QUOTED="two
      lines\\t$HOME"
      URL=db://me:secret://db@host
      TOKEN=first
      """, "first.env")
    let second = try write("TOKEN='secret://api-token'\nLINE=file\n", "second.env")
    let child = try vault(
      "run", "--env-file", first, "--env-file", second, "--env", "LINE=db", "--", "env", "-0")
    #expect(child.status == 0, "\(child.errors)")
    let variables = child.text.split(separator: "\0").map(String.init)
    for expected in [
      "PLAIN=value", "HASH=$2a$10$abcdefgh", "QUOTED=two\nlines\t$HOME", "URL=db://me:p w@host",
      "TOKEN=s3cr3t", "LINE=p w",
    ] {
      #expect(variables.contains(expected), "\(expected)")
    }
  }

  @Test func aByteOrderMarkIsNoPartOfTheFirstName() throws {
    let file = try write("\u{FEFF}FIRST=1\r\nB=\"two\"\r\n", "windows.env")
    let child = try vault("run", "--env-file", file, "--", "sh", "-c", "echo $FIRST $B")
    #expect(child.text == "1 two\n", "\(child.errors)")
    #expect(try vault("import", "dotenv", file).status == 0)
    #expect(try vault("get", "FIRST").text == "1")
  }

  @Test func aFileThatMakesNoSenseStartsNothing() throws {
    let mark = "\(vault.home.path)/started"
    let damaged = try vault(
      "run", "--env-file", write("A=1\nnonsense\n", "x.env"), "--", "touch", mark)
    #expect(damaged.status == 64)
    #expect(damaged.errors.contains("x.env:2: "))
    let missing = try vault(
      "run", "--env-file", write("A=secret://one\nB=secret://two\n", "y.env"), "--file", "three",
      "--", "touch", mark)
    #expect(missing.status == 1)
    for name in ["one", "two", "three"] { #expect(missing.errors.contains(name)) }
    #expect(
      try vault("run", "--env-file", "\(vault.home.path)/nowhere/x.env", "--", "touch", mark).status
        != 0)
    #expect(!FileManager.default.fileExists(atPath: mark))
  }

  @Test func onlyWhatAProgramNeedsIsLeft() throws {
    let child = try vault.command.run(
      ["run", "api-token", "--only", "--", "env"], adding: ["OTHER": "x", "LC_ALL": "C"])
    let names = Set(child.text.split(separator: "\n").map { String($0.prefix { $0 != "=" }) })
    #expect(names == ["API_TOKEN", "HOME", "PATH", "LC_ALL"])
  }

  @Test func secretsComeAsFilesThatNobodyCanChange() throws {
    let child = try vault(
      "run", "--fd", "api-token=7", "--fd", "db", "--file", "secret://db", "--stdin", "api-token",
      "--",
      "bash", "-c",
      """
      cat; echo; cat <&7; echo; cat <&"$DB_FD"; echo; cat "$DB_FILE"; echo; cat "$DB_FILE"; echo
      { echo x > "$DB_FILE"; } 2>/dev/null && echo changed
      env | grep -c -e s3cr3t -e 'p w'; ls -l /proc/self/fd | grep -c memfd
      """)
    #expect(child.status == 0, "\(child.errors)")
    // stdin and the three files; nothing else of ours is open.
    #expect(child.text == "s3cr3t\ns3cr3t\np w\np w\np w\n0\n4\n")
  }

  @Test(arguments: [["api-token=2"], ["api-token=999"], ["api-token=5", "db=5"]])
  func descriptorsThatCannotBeAreRefused(asked: [String]) throws {
    let options = asked.flatMap { ["--fd", $0] }
    let result = try vault.command.run(["run"] + options + ["--", "true"])
    #expect(result.status == 64)
  }
}
