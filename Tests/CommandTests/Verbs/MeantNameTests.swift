import Foundation
import TestSupport
import Testing

/// What was meant by the name of a missing item.
struct MeantNameTests {
  @Test func anItemIsNamedByItsNameAndAnotherAccountIsNotMeant() throws {
    let vault = try ThrowawayVault()
    for (name, user) in [("Site", "u1@example.com"), ("Site (u2@example.com)", "u2@example.com")] {
      try vault.set(name, "p")
      try #require(try vault("set", name, "--field", "user=\(user)").status == 0)
    }
    let found = try vault("get", "u1@example.com")
    #expect(found.status == 1)
    #expect(found.errors.contains("did you mean: Site, which"), "\(found.errors)")
    let other = try vault("get", "Site (u1@example.com)")
    #expect(!other.errors.contains("u2@"), "\(other.errors)")
    #expect(other.errors.contains("did you mean: Site\n"), "\(other.errors)")
  }

  /// As an unset variable leaves it.
  @Test func anEmptyFieldIsNotTheMainSecret() throws {
    let vault = try ThrowawayVault()
    try vault.set("d", "main")
    for words in [
      ["set", "d", "--field", "", "--generate"], ["set", "d", "--field", "", "--stdin"],
      ["set", "d", "--open", ""], ["get", "d", "--field", ""], ["get", "d", "--field="],
      ["remove", "d", "--field", ""], ["otp", "d", "--field", ""], ["read", "secret://d#"],
      ["run", "--env", "X=secret://d#", "--", "true"], ["get", "secret://d#"],
    ] {
      let run = try vault.command.run(words, input: Data("z".utf8))
      #expect(run.status == 64, "\(words) \(run.errors)")
      #expect(run.output.isEmpty, "\(words)")
    }
    #expect(try vault.get("d").text == "main")
    #expect(try vault("history", "d").text.split(separator: "\n").count == 1)
  }

  /// What lies in the trash is said to be there, by every verb that misses it.
  @Test func anItemInTheTrashIsSaidToBeThere() throws {
    let vault = try ThrowawayVault()
    try vault.set("app/K", "v")
    try #require(try vault("remove", "app/K").status == 0)
    try Data("K=secret://app/K\n".utf8).write(
      to: URL(fileURLWithPath: "\(vault.home.path)/vars"))
    for words in [
      ["get", "app/K"], ["show", "app/K"], ["read", "secret://app/K"],
      ["run", "app/K", "--", "true"],
      ["run", "--env-file", "\(vault.home.path)/vars", "--", "true"],
    ] {
      let run = try vault.command.run(words)
      #expect(run.status == 1, "\(words)")
      #expect(run.errors.contains("in the trash"), "\(words): \(run.errors)")
      #expect(run.errors.contains("restore app/K"), "\(words): \(run.errors)")
    }
    #expect(try vault("restore", "app/K").status == 0)
  }

  @Test(arguments: [
    ("db/prod.user", "db/prod --field user\n"), ("db/prod:user", "db/prod --field user\n"),
    ("db/prod/user", "db/prod --field user\n"), ("db/prod.password", "db/prod; its fields: "),
    ("secret/data/db/prod", "db/prod\n"), ("kv/db/prod", "db/prod\n"),
  ])
  func anotherProgramsSpellingLeadsToTheItem(typed: String, meant: String) throws {
    let vault = try ThrowawayVault()
    try vault.set("db/prod", "pw")
    try #require(try vault("set", "db/prod", "--field", "user=me").status == 0)
    let run = try vault("get", typed)
    #expect(run.errors.contains("did you mean: \(meant)"), "\(run.errors)")
  }

  /// What stands in the place of a field and is none may be a secret.
  @Test func whatIsNoFieldIsNotRepeated() throws {
    let vault = try ThrowawayVault()
    try vault.set("admin", "pw")
    let run = try vault("get", "admin:hunter2hunter2")
    #expect(!run.errors.contains("hunter2"), "\(run.errors)")
  }

  @Test func aBackupNamesItsFile() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "v")
    let file = "\(vault.home.path)/kept.vault"
    let run = try vault("backup", file)
    #expect(run.status == 0 && run.errors.contains("\(file) holds 1 item"), "\(run.errors)")
  }

  /// A link in the place of the file of references is refused before anything is stored.
  @Test func aLinkForReferencesIsRefusedFirst() throws {
    let vault = try ThrowawayVault()
    let (file, link) = ("\(vault.home.path)/vars", "\(vault.home.path)/link")
    try Data("K=value\n".utf8).write(to: URL(fileURLWithPath: file))
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
    let run = try vault("import", "dotenv", link, "--references", link, "--yes")
    #expect(run.status == 73, "\(run.errors)")
    #expect(run.errors.contains("nothing was changed"), "\(run.errors)")
    #expect(try vault("list").text.isEmpty)
  }
}
