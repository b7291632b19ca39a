import Foundation
import TestSupport
import Testing

/// What is typed and must not go wrong: a format as a file's name, a value in a name, a forgotten
/// separator.
struct TypingTests {
  private func vault() throws -> ThrowawayVault {
    let vault = try ThrowawayVault()
    try vault.set("db/prod", "s3cr3t")
    return vault
  }

  private func files(_ vault: ThrowawayVault) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: vault.home.path).filter {
      !$0.hasPrefix(".") && $0 != "key"
    }
  }

  @Test(arguments: [
    "json", "yaml", "yml", "table", "wide", "text", "name", "JSON", "jsonpath={.data}",
    "go-template={{.x}}", "custom-columns=A:.b", "tsv", "csv", "env",
  ])
  func aFormatInThePlaceOfAFileIsRefused(word: String) throws {
    let vault = try vault()
    for line in [
      ["get", "db/prod", "-o", word], ["get", "-o", word, "db/prod"],
      ["get", "db/prod", "--out=\(word)"], ["export", "json", "-y", "--out", word],
    ] {
      let refused = try vault.command.run(line)
      #expect(refused.status == 64, "\(line)")
      #expect(refused.output.isEmpty)
      #expect(refused.errors.contains("takes a file, and that word is a format"), "\(line)")
      #expect(refused.errors.contains("a file of this name: "), "\(line): \(refused.errors)")
      #expect(try files(vault).isEmpty)
    }
    #expect(try vault("get", "db/prod", "-o", word).errors.contains("vault get NAME --json"))
  }

  @Test func whatWasWrittenToAFileIsSaid() throws {
    let vault = try vault()
    let file = "\(vault.home.path)/json"
    for name in [file, "./json"] {
      let written = try vault("get", "db/prod", "-o", name)
      #expect(written.status == 0)
      #expect(written.errors == "vault: wrote 6 bytes to \(name)\n")
    }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "s3cr3t")
    #expect(try vault("get", "db/prod", "-o", file, "--quiet").errors.isEmpty)
    #expect(try vault("get", "db/prod", "-o", "/dev/stdout").errors.isEmpty)
    #expect(try vault("get", "db/prod", "-o", "-").errors.isEmpty)
    let exported = try vault("export", "dotenv", "db/", "-y", "--out", "\(file).env")
    #expect(exported.errors.contains(" bytes to \(file).env\n"), "\(exported.errors)")
  }

  @Test(arguments: [
    ["set", "TOKEN=s3cr3t"], ["set", "token=s3cr3t", "--tag", "ci"], ["set", "c2VjcmV0Cg=="],
  ])
  func aValueBehindTheNameIsRefusedAsAValueIs(line: [String]) throws {
    let vault = try vault()
    let refused = try vault.command.run(line)
    #expect(refused.status == 64)
    #expect(refused.errors.contains("never given on the command line"), "\(refused.errors)")
    #expect(refused.errors.contains("vault set NAME asks for it"))
    #expect(!refused.errors.contains(line[1]))
    #expect(try vault("list").text == "db/prod\n")
    // No vault is made for it either.
    let home = try TemporaryHome()
    let fresh = VaultProcess(home: home.path)
    #expect(try fresh.run(line).errors.contains("never given on the command line"))
    #expect(try fresh.run(["list"]).status == 78)
  }

  @Test func anItemWhoseNameHasAnEqualsSignIsKept() throws {
    let vault = try vault()
    #expect(try vault("set", "a=b", "--stdin", input: "x").status == 0)
    #expect(try vault("set", "a=b", "--tag", "t").status == 0)
    #expect(try vault("get", "a=b").text == "x")
  }

  @Test func aForgottenSeparatorIsAnsweredWithTheLineAsItWasMeant() throws {
    let vault = try vault()
    func hint(_ line: String) throws -> String {
      let refused = try vault.command.run(line.split(separator: " ").map(String.init))
      #expect(refused.status == 64, "\(line)")
      return refused.errors.split(separator: "\n").last.map(String.init) ?? ""
    }
    #expect(try hint("run db/ env") == "vault: hint: vault run db/ -- env")
    #expect(try hint("run db/prod ls -la") == "vault: hint: vault run db/prod -- ls …")
    #expect(try hint("run db env") == "vault: hint: vault run db/ -- env")
    #expect(
      try hint("run db/prod --only npm start")
        == "vault: hint: vault run db/prod --only -- npm start")
    #expect(
      try hint("run --env-file .env.vault npm start")
        == "vault: hint: vault run --env-file .env.vault -- npm start")
    #expect(
      try hint("run --env P=secret://db/prod psql -U bob")
        == "vault: hint: vault run --env P=secret://db/prod -- psql …")
    // These are the command's own, where there is one.
    for words in ["-h db.example", "--help", "--version", "-U bob -h db.example"] {
      #expect(
        try hint("run db/prod psql \(words)") == "vault: hint: vault run db/prod -- psql …")
    }
    #expect(
      try hint("run --env P=secret://db/prod psql -h db")
        == "vault: hint: vault run --env P=secret://db/prod -- psql …")
    for line in ["run --help", "run db/prod -h", "run --env P=secret://db/prod --help"] {
      #expect(
        try vault.command.run(line.split(separator: " ").map(String.init)).status == 0, "\(line)")
    }
    #expect(try hint("exec db/prod bash") == "vault: hint: vault run db/prod -- bash")
    #expect(try hint("run db/*") == "vault: hint: vault run 'db/*' -- COMMAND")
    #expect(try hint("run env") == "vault: hint: vault run NAME… -- env")
    #expect(
      try hint("--vault deploy run db/ env") == "vault: hint: vault --vault deploy run db/ -- env")
    #expect(
      try hint("run db/ npm run dev -- --port 3") == "vault: hint: vault run db/ -- npm run dev …")
    // Behind an option there may be a secret.
    #expect(try !hint("run db/prod mysql -phunter2").contains("hunter2"))
    #expect(try !hint("run db/prod mysql --password hunter").contains("hunter"))
  }

  @Test func aFolderOrFieldThatWasMeantIsNamed() throws {
    let vault = try vault()
    #expect(
      try vault("run", "db", "--", "true").errors.contains("did you mean the folder: db/"))
    #expect(
      try vault("read", "secret://db/prod/user").errors.contains(
        "did you mean the field: secret://db/prod#user"))
    #expect(try vault("run", "db/prd", "--", "true").errors.contains("did you mean: db/prod"))
  }

  @Test(arguments: ["/db/prod", "db/prod/", "db//prod", "db\\prod", "DB/Prod", "db/prdo"])
  func aNameThatIsNearlyOneIsNamed(name: String) throws {
    for verb in ["get", "show", "history"] {
      let refused = try vault()(verb, name)
      #expect(refused.errors.contains("did you mean: db/prod\n"), "\(verb): \(refused.errors)")
      #expect(refused.output.isEmpty)
    }
  }

  @Test func theGroupsHelpIsThereWithAVaultNamedBefore() throws {
    let vault = try vault()
    for group in ["sync", "key", "keyring", "data"] {
      let help = try vault("--vault", "work", group)
      #expect(help.status == 0, "\(group): \(help.errors)")
      #expect(help.text.hasPrefix("OVERVIEW: "), "\(group)")
    }
  }
}
