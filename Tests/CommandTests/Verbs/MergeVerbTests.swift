import Foundation
import TestSupport
import Testing

/// `vault merge` with two homes, as two machines have them.
struct MergeVerbTests {
  private static let file = ".local/share/vault/secrets.vault"

  /// A home with a copy of a vault's file, and the same key file.
  private struct Copy {
    let home: TemporaryHome
    let vault: VaultProcess

    init(of vault: ThrowawayVault) throws {
      home = try TemporaryHome()
      self.vault = VaultProcess(
        home: home.path, environment: ["VAULT_KEY_FILE": "\(vault.home.path)/key"])
      try FileManager.default.createDirectory(
        atPath: "\(home.path)/.local/share/vault", withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      try FileManager.default.copyItem(
        atPath: "\(vault.home.path)/\(MergeVerbTests.file)", toPath: path)
    }

    var path: String { "\(home.path)/\(MergeVerbTests.file)" }

    func callAsFunction(_ arguments: String..., input: String = "") throws -> VaultProcess.Result {
      try vault.run(arguments, input: Data(input.utf8))
    }
  }

  @Test func twoMachinesComeTogether() throws {
    let here = try ThrowawayVault()
    try here.set("token", "first")
    let there = try Copy(of: here)
    try here.set("token", "from here")
    try here.set("here", "1")
    #expect(try there("set", "there", "--stdin", input: "2").status == 0)
    #expect(try there("set", "token", "--stdin", input: "from there").status == 0)

    let trial = try here("merge", there.path, "--dry-run")
    #expect(trial.status == 0, "\(trial.errors)")
    #expect(try here("list").text == "here\ntoken\n")
    let merge = try here("merge", there.path)
    #expect(merge.status == 0, "\(merge.errors)")
    #expect(merge.text == trial.text)
    #expect(
      merge.text == """
        added: there
        changed: token
        conflict: token has two values; the other one is version 2

        """)
    #expect(merge.errors.contains("vault: merged: 1 added, 1 changed, 1 conflict\n"))
    for canary in ["from here", "from there"] {
      #expect(!merge.text.contains(canary))
      #expect(!merge.errors.contains(canary))
    }
    #expect(try here("list", "--conflicts").text == "token\n")
    let get = try here("get", "token")
    #expect(get.text == "from there")
    #expect(get.errors.contains("note: token has another value, from a merge: version 2"))
    #expect(try here("get", "token@2").text == "from here")

    #expect(try here("merge", "--resolve", "token", "--take").status == 0)
    #expect(try here("get", "token").text == "from here")
    #expect(try here("get", "token").errors == "")
    #expect(try here("list", "--conflicts").text == "")
    let again = try here("merge", "--resolve", "token")
    #expect(again.status == 1)
    #expect(again.errors.contains("the item has no other value from a merge"))

    let back = try there("merge", "\(here.home.path)/\(Self.file)", "--json")
    #expect(back.text.contains("\"relation\": \"newer\""))
    #expect(try there("get", "token").text == "from here")
    #expect(try there("get", "here").text == "1")
  }

  @Test func whatCannotBeMergedIsSaid() throws {
    let here = try ThrowawayVault()
    try here.set("a", "1")
    let other = try ThrowawayVault()
    let foreign = try here("merge", "\(other.home.path)/\(Self.file)")
    #expect(foreign.status == 65)
    #expect(foreign.errors.contains("is a file of another vault"))
    let none = try here("merge", "\(here.home.path)/none")
    #expect(none.status == 66)
    #expect(none.errors.contains("does not exist"))
    #expect(try here("merge").status == 64)
    #expect(try here("merge", "x", "--resolve", "a").status == 64)
    try Data("no vault".utf8).write(to: URL(fileURLWithPath: "\(here.home.path)/text"))
    #expect(try here("merge", "\(here.home.path)/text").status == 65)
    #expect(try here("get", "a").text == "1")
  }

  @Test func aForkSaysHowToKeepBoth() throws {
    let here = try ThrowawayVault()
    try here.set("a", "1")
    let there = try Copy(of: here)
    try here.set("here", "1")
    #expect(try there("set", "there", "--stdin", input: "2").status == 0)
    // A syncer puts the other file in place and keeps this one as a conflict copy.
    let path = "\(here.home.path)/\(Self.file)"
    try FileManager.default.moveItem(atPath: path, toPath: "\(path).conflict")
    try FileManager.default.copyItem(atPath: there.path, toPath: path)
    let refused = try here("set", "b", "--stdin", input: "3")
    #expect(refused.status == 65)
    #expect(refused.errors.contains("vault merge FILE"))
    #expect(try here("merge", "\(path).conflict").status == 0)
    #expect(try here("list").text == "a\nhere\nthere\n")
    #expect(try here("set", "b", "--stdin", input: "3").status == 0)
  }

  /// Two clones of a repository with the vault file: a real git, with this as its merge driver.
  @Test(.enabled(if: HelperLinks.isInstalled("git"), "git is not installed"))
  func gitMergesTheFile() throws {
    let here = try ThrowawayVault()
    let script = """
      set -eu
      umask 077
      VAULT=$1
      vault() { "$VAULT" "$@"; }
      git() { command git -c user.name=x -c user.email=x@example.org "$@"; }
      driver() { git config merge.vault.driver "'$VAULT' merge --base %O --into %A %B"; }
      export VAULT_KEY_FILE=$HOME/key
      first=$HOME/.local/share/vault
      mkdir -p "$HOME/second/.local/share"
      second=$HOME/second/.local/share/vault
      printf one | vault set x --stdin
      cd "$first"
      git init -q -b main .
      driver
      printf '*\\n!secrets.vault\\n!.gitattributes\\n!.gitignore\\n' > .gitignore
      echo 'secrets.vault merge=vault' > .gitattributes
      git add -A
      git commit -qm one
      git clone -q . "$second"
      printf 'from the first' | vault set x --stdin
      printf 1 | vault set first --stdin
      git commit -qam first
      export HOME=$HOME/second
      cd "$second"
      driver
      printf 'from the second' | vault set x --stdin
      printf 2 | vault set second --stdin
      git commit -qam second
      git pull -q --no-rebase origin main > /dev/null
      git status --porcelain
      vault list
      vault get x
      echo
      vault get x@3
      echo
      printf 3 | vault set third --stdin
      git commit -qam third
      git push -q origin HEAD:other
      cd "$first"
      export HOME=${HOME%/second}
      git merge -q other > /dev/null
      vault list
      printf 4 | vault set fourth --stdin
      """
    let result = try here.shell(script, VaultProcess.path)
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.text == """
        first
        second
        x
        from the second
        from the first
        first
        second
        third
        x

        """, "\(result.errors)")
  }
}
