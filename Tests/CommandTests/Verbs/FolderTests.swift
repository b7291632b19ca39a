import Foundation
import TestSupport
import Testing

/// Folders and patterns as objects of `rename`, `copy`, `remove`, `list` and `export`.
struct FolderTests {
  private func vault(_ names: String...) throws -> ThrowawayVault {
    let vault = try ThrowawayVault()
    for name in names { try vault.set(name, "secret of \(name)") }
    return vault
  }

  private func names(_ vault: ThrowawayVault) throws -> [String] {
    try vault("list").text.split(separator: "\n").map(String.init)
  }

  @Test func aFolderIsRenamedInOneChange() throws {
    let vault = try vault("web/a", "web/b/c", "website", "old/x")
    let done = try vault("rename", "web/", "old/")
    #expect(done.status == 0, "\(done.errors)")
    #expect(done.text.isEmpty && done.errors.isEmpty, "quiet in a pipe")
    #expect(try names(vault) == ["old/a", "old/b/c", "old/x", "website"])
    #expect(try vault("get", "old/b/c").text == "secret of web/b/c")
    #expect(try vault("undo").status == 0)
    #expect(try names(vault) == ["old/x", "web/a", "web/b/c", "website"])
  }

  @Test func aFolderMovesIntoItselfAndOutOfItself() throws {
    let vault = try vault("a/x", "a/b/x", "a/b/b/x")
    #expect(try vault("rename", "a/", "a/b").status == 0)
    #expect(try names(vault) == ["a/b/b/b/x", "a/b/b/x", "a/b/x"])
    #expect(try vault("get", "a/b/b/x").text == "secret of a/b/x")
    #expect(try vault("rename", "a/b/", "a/").status == 0)
    #expect(try vault("get", "a/x").text == "secret of a/x")
    #expect(try vault("rename", "a/", "/").status == 0)
    #expect(try names(vault) == ["b/b/x", "b/x", "x"])
  }

  @Test func aNameThatIsTakenStopsTheWholeChange() throws {
    let vault = try vault("web/a", "web/b", "old/b")
    for verb in ["rename", "copy"] {
      let refused = try vault(verb, "web/", "old/")
      #expect(refused.status == 1, "\(refused.errors)")
      #expect(try names(vault) == ["old/b", "web/a", "web/b"])
    }
  }

  @Test func anItemMovesIntoAFolderAndAPatternKeepsItsParts() throws {
    let vault = try vault("web/token", "web/test-a", "web/test-b/c")
    #expect(try vault("rename", "web/token", "old/").status == 0)
    #expect(try vault("copy", "web/test-*", "archive").status == 0)
    #expect(
      try names(vault) == [
        "archive/test-a", "archive/test-b/c", "old/token", "web/test-a", "web/test-b/c",
      ])
    let json = try vault("rename", "web/", "new/", "--json").text
    #expect(json.contains("\"items\"") && json.contains("new/test-b/c"))
    #expect(try vault("rename", "old/token", "token", "--json").text.contains("\"item\""))
  }

  @Test func aDryRunOfEachShowsAndChangesNothing() throws {
    let vault = try vault("web/a", "web/b")
    #expect(
      try vault("rename", "web/", "old/", "-n").text == "web/a  ->  old/a\nweb/b  ->  old/b\n")
    #expect(try vault("copy", "web/a", "c", "--dry-run").text == "web/a  ->  c\n")
    #expect(try vault("remove", "web/*", "-n").text == "web/a\nweb/b\n")
    #expect(try vault("remove", "web/a", "--purge", "-n", "--json").text.contains("isDryRun"))
    #expect(try vault("remove", "nope", "-n").status == 1)
    #expect(try vault("rename", "nope", "x", "-n").status == 1)
    #expect(try names(vault) == ["web/a", "web/b"])
  }

  @Test func removingAFolderIsOneChange() throws {
    let vault = try vault("web/a", "web/b/c", "token", "other")
    #expect(try vault("remove", "web/", "token", "web/a").status == 0)
    #expect(try names(vault) == ["other"])
    #expect(try vault("undo").status == 0)
    #expect(try names(vault).count == 4)
    #expect(try vault("remove", "nope/").status == 1)
    #expect(try vault("remove", "web").errors.contains("did you mean: web/"))
    #expect(try vault("remove", "/").status == 64)
    #expect(try names(vault).count == 4)
  }

  @Test func anItemWhoseNameIsAPatternIsMeantAlone() throws {
    let vault = try vault("a*", "ab", "a?c")
    #expect(try vault("remove", "a*").status == 0)
    #expect(try names(vault) == ["a?c", "ab"])
  }

  @Test func aWordFindsAPartOfANameAndAFolderItself() throws {
    let vault = try vault("web/GitHub", "work/mail", "Work2", "a/web")
    #expect(try vault("list", "github").text == "web/GitHub\n")
    #expect(try vault("list", "WORK").text == "Work2\nwork/mail\n")
    #expect(try vault("list", "web/").text == "web/GitHub\n")
    #expect(try vault("list", "*/web").text == "a/web\n")
    let nothing = try vault("list", "zzz")
    #expect(nothing.status == 0 && nothing.errors.isEmpty)
    #expect(try vault("list", "zzz", "--exit-code").status == 1)
    #expect(try vault("list", "work", "--exit-code").status == 0)
    #expect(try vault("list", "zzz", "--exit-code", "--json").status == 1)
  }

  @Test func theOrderIsChosen() throws {
    let vault = try vault("b", "a", "c")
    try vault.set("b", "changed")
    #expect(try vault("list", "--sort", "modified").text.hasPrefix("b\n"))
    #expect(try vault("list", "--sort", "created").text == "c\na\nb\n")
    #expect(try vault("set", "c", "--stdin", "--expires", "3d", input: "x").status == 0)
    #expect(try vault("list", "--sort", "expires").text.hasPrefix("c\n"))
    #expect(try vault("list", "--sort", "modified", "--tree").status == 64)
    #expect(try vault("list", "--sort", "size").status == 64)
  }

  @Test func theVaultsAreListed() throws {
    let vault = try vault("a")
    let key = "\(vault.home.path)/key"
    #expect(try vault("--vault", "work", "init", "--key-file", key).status == 0)
    let lines = try vault("list", "--vaults").text.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix("(default)  ") == true)
    #expect(lines.last?.hasPrefix("work ") == true)
    #expect(try vault("vaults", "--json").text.contains("\"name\": null"))
    #expect(try vault("list", "x", "--vaults").status == 64)
  }

  /// `@work/token` means another vault's item in a reference: none of that name is made here.
  @Test func aNameOfAnotherVaultIsRefused() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "x")
    try vault.set("@none/a", "no vault has that name")
    let made = try vault("init", "--vault", "work", "--key-file", vault.keyFile, "--no-session")
    try #require(made.status == 0, "\(made.errors)")
    for words in [
      ["copy", "a", "@work/a"], ["rename", "a", "@work/a"], ["set", "@work/a", "--stdin"],
      ["copy", "a", "@work/"],
    ] {
      let refused = try vault.command.run(words, input: Data("x".utf8))
      #expect(refused.status == 64, "\(words): \(refused.errors)")
      #expect(refused.errors.contains("vault --vault work set"), "\(refused.errors)")
    }
    #expect(try vault("list").text == "@none/a\na\n")
  }

  /// A folder means what is there; what the trash has of it is named.
  @Test func aPurgedFolderSaysWhatItsTrashHas() throws {
    let vault = try ThrowawayVault()
    for name in ["w/a", "w/b", "c"] { try vault.set(name, "x") }
    #expect(try vault("remove", "w/a", "c").status == 0)
    let purged = try vault("remove", "--purge", "--yes", "w/")
    #expect(purged.status == 0)
    #expect(purged.errors.contains("the trash still has 1 item of that"), "\(purged.errors)")
    // Without a terminal, a pattern that a script made of an empty variable takes nothing along.
    let unasked = try vault("remove", "--purge", "*")
    #expect(unasked.status == 64 || unasked.status == 1, "\(unasked.errors)")
    try vault.set("d", "x")
    let refused = try vault("remove", "--purge", "*")
    #expect(refused.status == 64 && refused.errors.contains("--yes"), "\(refused.errors)")
    #expect(try vault("list").text == "d\n")
    let other = try vault("remove", "--purge", "--yes", "c")
    #expect(!other.errors.contains("still has"), "\(other.errors)")
  }
}
