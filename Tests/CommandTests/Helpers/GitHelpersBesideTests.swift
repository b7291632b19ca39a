import Foundation
import TestSupport
import Testing

/// git's helper `store` ends once its file is moved, whatever else git asks; the others go on.
struct GitHelpersBesideTests {
  private let made: ThrowawayVault
  private var home: String { made.home.path }

  init() throws { made = try ThrowawayVault() }

  private func read(_ path: String) -> String {
    (try? String(contentsOfFile: "\(home)/\(path)", encoding: .utf8)) ?? ""
  }

  private func write(_ path: String, _ text: String) throws {
    let file = URL(fileURLWithPath: "\(home)/\(path)")
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
  }

  private func git(_ words: [String], _ input: String = "") throws -> VaultProcess.Result {
    let git = VaultProcess(
      home: home,
      environment: made.command.environment.merging(
        ["GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"]) { $1 },
      executable: "/usr/bin/git")
    return try git.run(words, input: Data(input.utf8))
  }

  /// Once git no longer asks the file, what the vault has is newer.
  @Test(arguments: [["connect", "git", "--move"], ["import", "home", "--yes"]])
  func anOldPasswordDoesNotReplaceANewerOne(words: [String]) throws {
    try write(".gitconfig", "[credential]\n\thelper = store\n")
    try write(".git-credentials", "https://me:OLD@git.example\n")
    let system = ["GIT_CONFIG_NOSYSTEM": "1"]
    #expect(try made.command.run(["connect", "git"], adding: system).status == 0)
    _ = try git(
      ["credential", "approve"], "protocol=https\nhost=git.example\nusername=me\npassword=NEW\n\n")
    let later = try made.command.run(words, adding: system)
    #expect(later.status == 1 && later.errors.contains("is not asked for"), "\(later.errors)")
    let filled = try git(["credential", "fill"], "protocol=https\nhost=git.example\n\n")
    #expect(filled.text.contains("password=NEW"), "\(filled.text) \(filled.errors)")
    #expect(read(".git-credentials").contains("OLD"))
  }

  /// `store` with a file of its own is no all-clear, however often one looks.
  @Test func aFileOfStoresOwnIsNamedAtEachLook() throws {
    try write(".gitconfig", "[credential]\n\thelper = store --file ~/.my-git-creds\n")
    try write(".my-git-creds", "https://u:p@h.example\n")
    try write(".git-credentials", "https://a:p@g.example\n")
    let system = ["GIT_CONFIG_NOSYSTEM": "1"]
    let first = try made.command.run(["import", "home", "--yes"], adding: system)
    #expect(first.errors.contains("moved 1 secret"), "\(first.errors)")
    for words in [["--dry-run"], ["--yes"]] {
      let look = try made.command.run(["import", "home"] + words, adding: system)
      #expect(look.status == 1, "\(look.errors)")
      #expect(look.errors.contains("store --file ~/.my-git-creds"), "\(look.errors)")
      #expect(!look.errors.contains("no program whose files are known"), "\(look.errors)")
    }
    // Once its secrets are moved and the helper is gone, nothing is left to say.
    let file = "\(home)/.my-git-creds"
    try #require(try made("import", "git-credentials", file).status == 0)
    try write(".gitconfig", "")
    try FileManager.default.removeItem(atPath: file)
    let last = try made.command.run(["import", "home", "--dry-run"], adding: system)
    #expect(last.status == 0, "\(last.errors)")
  }

  @Test(
    arguments: [
      "[credential]\n\thelper = store\n[credential \"https://github.com\"]\n\thelper =\n"
        + "\thelper = !/usr/bin/gh auth git-credential\n",
      "[credential]\n\thelper = cache --timeout=1\n\thelper = store\n",
      "[credential]\n\thelper = !git credential-store\n\thelper = cache --timeout=1\n",
      "[credential]\n\thelper = store\n[credential \"https://a.example:8080/p\\\"q\"]\n\thelper = cache\n",
    ], [["connect", "git", "--move"], ["import", "home", "--yes"]])
  func nothingIsWrittenInClearAgain(configuration: String, words: [String]) throws {
    try write(".gitconfig", configuration)
    try write(".git-credentials", "https://ann:OLD@gitlab.com\n")
    let moved = try made.command.run(words, adding: ["GIT_CONFIG_NOSYSTEM": "1"])
    #expect(moved.status == 0, "\(moved.errors)")
    // What git does after each success.
    let login = "protocol=https\nhost=gitlab.com\nusername=ann\n"
    #expect(try git(["credential", "approve"], "\(login)password=NEW\n\n").status == 0)
    #expect(read(".git-credentials").isEmpty)
    #expect(try git(["credential", "fill"], "\(login)\n").text.contains("password=NEW"))
    // The others are set as before, once more.
    let kept = try git(["config", "--get-regexp", "credential.*helper"]).text
      .split(separator: "\n").filter { $0.contains("cache") || $0.contains("auth git-credential") }
    #expect(kept.count == 2 && kept[0] == kept[1], "\(kept)")
    // Again it is the same, and the way back is to the byte.
    let block = read(".gitconfig")
    #expect(
      try made.command.run(["connect", "git"], adding: ["GIT_CONFIG_NOSYSTEM": "1"]).status == 0)
    #expect(read(".gitconfig") == block)
    #expect(try made("disconnect", "git").status == 0)
    #expect(read(".gitconfig") == configuration)
    #expect(read(".git-credentials").contains("ann:NEW@gitlab.com"))
  }

  /// A file that only such a helper names is not looked at, and said.
  @Test func aStoreWithAFileOfItsOwnIsNamed() throws {
    try write(".gitconfig", "[credential]\n\thelper = store --file \(home)/own\n\thelper = store\n")
    try write(".git-credentials", "https://ann:OLD@gitlab.com\n")
    try write("own", "https://bob:C2@own.example\n")
    let moved = try made("connect", "git", "--move")
    #expect(
      moved.status == 0 && moved.errors.contains("it has a file of its own"), "\(moved.errors)")
    #expect(read("own").contains("C2"))
  }
}
