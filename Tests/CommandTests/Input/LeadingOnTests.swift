import Foundation
import TestSupport
import Testing

/// Lines that miss their mark by a word: each is answered with the line that does what was meant.
struct LeadingOnTests {
  private func vault() throws -> ThrowawayVault {
    let vault = try ThrowawayVault()
    for name in ["github", "work/api", "work/db"] { try vault.set(name, "s3cr3t") }
    return vault
  }

  /// What a line of `words` says, in the home.
  private func hint(_ vault: ThrowawayVault, _ line: String) throws -> String {
    let script = "cd \"$HOME\" && exec \"$0\" \(line)"
    let run = try VaultProcess(
      home: vault.home.path, environment: vault.command.environment, executable: "/bin/sh"
    ).run(["-c", script, VaultProcess.path])
    #expect(run.status != 0, "\(line): \(run.text)")
    #expect(run.errors.split(separator: "\n").count == 2, "\(line): \(run.errors)")
    return run.errors
  }

  @Test(arguments: [
    ("open github", "vault get github"), ("unlock github", "vault get github"),
    ("open work", "vault list work/"), ("login deploy", "vault --vault deploy unlock"),
    ("open deploy", "vault --vault deploy unlock"), ("open nothing", "vault get NAME"),
    ("unlock hunter2", "--passphrase SOURCE"),
  ])
  func aNameBehindOpenIsUnderstood(line: String, answer: String) throws {
    let vault = try vault()
    #expect(try vault("--vault", "deploy", "init").status == 0)
    let said = try hint(vault, line)
    #expect(said.contains(answer), "\(said)")
    #expect(!said.contains("hunter2") && !said.contains("nothing"))
  }

  @Test(arguments: [
    (".env", "vault import dotenv .env"), ("./.env", "vault import dotenv ./.env"),
    (".env.local", "vault import dotenv .env.local"),
    ("'my table.csv'", "vault import csv 'my table.csv'"),
    (".aws/credentials", "vault import aws .aws/credentials"),
    ("notes.txt", "vault import FORMAT notes.txt"),
    ("notes.txt csv", "vault import csv notes.txt"), ("gone.csv", "vault import csv FILE"),
  ])
  func aFileInTheFormatsPlaceGetsItsFormat(words: String, answer: String) throws {
    let vault = try vault()
    try FileManager.default.createDirectory(
      atPath: "\(vault.home.path)/.aws", withIntermediateDirectories: true)
    for file in [".env", ".env.local", "my table.csv", ".aws/credentials", "notes.txt"] {
      try "A=b\n".write(toFile: "\(vault.home.path)/\(file)", atomically: true, encoding: .utf8)
    }
    #expect(try hint(vault, "import \(words)").contains(answer))
  }

  /// It is a word for its program, too: nothing is there to be imported.
  @Test func aFileOfAProgramsNameIsItsWord() throws {
    #expect(try vault()("import", ".pypirc").status != 64)
  }

  @Test func aFolderOrAVaultByTheWrongOptionIsFound() throws {
    let vault = try vault()
    #expect(try vault("--vault", "deploy", "init").status == 0)
    #expect(try vault("--home", "\(vault.home.path)/folder", "init").status == 0)
    #expect(try hint(vault, "--vault folder list").contains("vault --home ./folder list"))
    #expect(try hint(vault, "--vault work get api").contains("vault list work/"))
    #expect(try hint(vault, "--vault github list").contains("vault get github"))
    #expect(try hint(vault, "--home deploy list").contains("vault --vault deploy list"))
    #expect(try hint(vault, "list --home deploy").contains("vault --vault deploy list"))
    #expect(
      try hint(vault, "--home ./empty --vault deploy list").contains("vault --vault deploy list"))
    #expect(try hint(vault, "--vault none list").contains("vault list --vaults"))
  }

  /// Wherever the line says which vault it means, what is to be typed says so, too.
  @Test(arguments: [
    "get --vault deploy", "set --vault deploy", "restore --vault deploy", "rename a --vault deploy",
    "history --vault deploy", "copy a --vault deploy", "remove --vault deploy",
    "ge --vault deploy a", "key --vault deploy lst", "sync now x --vault deploy",
  ])
  func hintsNameTheVaultOfALineThatIsRefused(_ line: String) throws {
    let vault = try vault()
    #expect(try vault("--vault", "deploy", "init").status == 0)
    let hint = try hint(vault, line)
    #expect(hint.contains("vault --vault deploy "), "\(hint)")
  }

  @Test func aCommandBehindAnItemIsARun() throws {
    let vault = try vault()
    for (line, answer) in [
      ("github -- sh -c 'echo \"a b\"'", "vault run github -- sh …"),
      ("github psql -h x", "vault run github -- psql …"), ("work -- env", "vault run work/ -- env"),
    ] {
      let said = try hint(vault, line)
      #expect(said.contains(answer), "\(said)")
    }
    try vault.set("it's", "s3cr3t")
    #expect(try hint(vault, "run \"it's\" sh -c 'x'").contains("vault run 'it'\\''s' -- sh …"))
  }

  @Test func aFolderIsNoFile() throws {
    let vault = try vault()
    for option in ["--as-file", "--fd", "--to-stdin"] {
      let said = try hint(vault, "run \(option) work/ -- env")
      #expect(said.contains("vault run work/ -- COMMAND"), "\(said)")
      #expect(said.contains("\(option) work/NAME"), "\(said)")
    }
    let said = try hint(vault, "run --env X=hunter2/ -- env")
    #expect(said.contains("--env VARIABLE=FOLDER/NAME") && !said.contains("hunter2"), "\(said)")
    #expect(try hint(vault, "run --as-file none/ -- env").contains("a folder's"))
    #expect(try hint(vault, "get github --out ./").contains("--out ./FILE"))
  }

  @Test(arguments: [
    ("clone x", "vault sync join STORE"), ("setup", "vault sync init STORE"),
    ("ls", "vault sync devices"), ("remote", "vault sync move STORE"),
    ("disable", "vault sync auto off"), ("rm", "vault sync devices"),
    ("reset", "vault history NAME"), ("login", "vault sync join STORE"),
    ("git push", "vault help sync init"), ("restart", "vault sync now"),
    ("upload", "vault sync now"), ("pair", "vault sync invite"),
  ])
  func whatPeopleTypeBehindSyncLeadsOn(words: String, answer: String) throws {
    let said = try hint(try vault(), "sync \(words)")
    #expect(said.contains(answer) && !said.contains("vault sync has:"), "\(said)")
  }

  @Test func macOSToolsAreThereBehindTheProgramsName() throws {
    let vault = try vault()
    let file = "\(vault.home.path)/a.plist"
    #expect(try vault("plutil", "-create", "xml1", file).status == 0)
    #expect(try vault("plutil", "-insert", "a", "-string", "b", file).status == 0)
    #expect(try vault("plutil", "-extract", "a", "raw", file).text == "b\n")
    #expect(try vault("PlistBuddy", "-c", "Print a", file).text == "b\n")
    #expect(try vault("plutil", "-lint", "\(file).none").status == 1)
    #expect(try hint(vault, "help plutil").contains("vault defaults read"))
  }

  @Test func whatIsNoBackupIsNotCalledADamagedOne() throws {
    let vault = try vault()
    try "a text\n".write(
      toFile: "\(vault.home.path)/t.txt", atomically: true, encoding: .utf8)
    for line in ["check t.txt", "--vault new init --from t.txt"] {
      let said = try hint(vault, line)
      #expect(said.contains("t.txt: this is not a backup, or its beginning is damaged"), "\(said)")
    }
    let folder = try hint(vault, "check .local/share/vault")
    #expect(folder.contains("vault --home '.local/share/vault' check"), "\(folder)")
    #expect(try vault("backup", "\(vault.home.path)/b").status == 0)
    #expect(
      try vault.shell("head -c 4 \"$HOME/b\" >\"$HOME/cut\"; : >\"$HOME/empty\"").status == 0)
    #expect(try hint(vault, "check cut").contains("the backup is damaged: it ends too early"))
    #expect(try hint(vault, "check empty").contains("the backup is damaged: the file is empty"))
  }
}
