import Foundation
import TestSupport
import Testing

/// What was moved, and where it lay, is in an item: one for each machine, which puts back its own.
struct MovedRecordTests: ClearTextHome {
  let made: ThrowawayVault

  init() throws { made = try Self.make() }

  /// A vault may be shared: another machine says neither which files are written here, nor what else
  /// they say.
  ///
  /// What this home has not written into the record is not believed.
  @Test(arguments: [
    (".bashrc", "//registry.npmjs.org/:_authToken"), (".npmrc", "x=1\nregistry"),
    ("../npmrc", "//registry.npmjs.org/:_authToken"),
  ])
  func whatAnotherMachineWroteIntoTheRecordDoesNoHarm(_ path: String, _ entry: String) throws {
    #expect(try made("connect", "npm", "--move").status == 0)
    let before = read(".npmrc")
    let record = try JSONSerialization.jsonObject(with: made.get("moved-files").output)
    var entries = try #require(record as? [[String: String]])
    entries[0]["path"] = "\(home)/\(path)"
    entries[0]["entry"] = entry
    let changed = try JSONSerialization.data(withJSONObject: entries)
    #expect(try made.command.run(["set", "moved-files", "--stdin"], input: changed).status == 0)
    let back = try made("disconnect", "npm")
    #expect(
      back.status == 1 && back.errors.contains("moved-files does not say what this machine wrote"),
      "\(back.errors)")
    #expect(read(".npmrc") == before && read(path) == (path == ".npmrc" ? before : ""))
    // The record as it was brings the secret back.
    #expect(try made("restore", "moved-files").status == 0)
    #expect(try made("disconnect", "npm").errors.contains("is in plain text again"))
    #expect(read(".npmrc").contains("npm_c4n4ry"))
  }

  /// What is purged is nowhere in the record either: not in it, its history or the trash.
  @Test func aPurgedSecretIsNotInTheRecord() throws {
    try write(
      "//a.example/:_authToken=npm_first\n//b.example/:_authToken=npm_second\n", to: ".npmrc")
    #expect(try made("connect", "npm", "--move").status == 0)
    #expect(try made.get("moved-files").text.contains("npm_first"))
    let purged = try made("remove", "npm/a.example", "--purge", "--yes")
    #expect(purged.status == 0, "\(purged.errors)")
    #expect(try !made.get("moved-files").text.contains("npm_first"))
    #expect(try !made("export", "json", "--yes").text.contains("npm_first"))
    for version in 1...3 {
      let earlier = try made("get", "moved-files", "--revision", "\(version)")
      #expect(!earlier.text.contains("npm_first"), "\(version)")
    }
    // The other one still goes back.
    let back = try made("disconnect", "npm")
    #expect(back.status == 0, "\(back.errors)")
    #expect(read(".npmrc").contains("npm_second") && !read(".npmrc").contains("npm_first"))
  }

  /// What stays in the vault alone leaves no copy of its file there.
  @Test func whatIsKeptLeavesNoRecord() throws {
    #expect(try made("connect", "npm", "--move").status == 0)
    #expect(try made("disconnect", "npm", "--keep").status == 0)
    #expect(try made("list", "--trash").text.isEmpty)
    #expect(try made("list").text.contains("npm"))
    #expect(try !made("list").text.contains("moved-files"))
  }

  /// The record has whole files, and goes out only where it is named.
  @Test func theRecordIsNoSecretOfAProgram() throws {
    try made.set("api-token", "t")
    #expect(try made("import", "home", "--yes").status == 0)
    let run = try made("run", "*", "--", "env")
    #expect(run.status == 0 && run.text.contains("API_TOKEN=t"), "\(run.errors)")
    #expect(!run.text.contains("MOVED_FILES") && !run.text.contains("c4n4ry"))
    for format in ["dotenv", "docker", "shell", "bitwarden"] {
      let export = try made("export", format, "*", "--yes", "--prefix-names")
      #expect(export.text.contains("api-token") || export.text.contains("API_TOKEN"), "\(format)")
      #expect(!(export.text + export.errors).lowercased().contains("moved"), "\(format)")
    }
    #expect(try !made("audit", "--json").text.contains("moved-files"))
    // All of it, and what a line names.
    #expect(try made("export", "json", "--yes").text.contains("moved-files"))
    #expect(try made("run", "moved-files", "--", "env").text.contains("MOVED_FILES"))
    #expect(try made("list").text.contains("moved-files"))
  }

  /// Another member's record, in the name of this machine: no file is written by it.
  @Test func aRecordOfAnotherMachineIsNotUsedHere() throws {
    #expect(try made("connect", "cargo", "--move").status == 0)
    let own = try made("show", "moved-files", "--json").text
    let home = try #require(own.firstMatch(of: #/"home": "([0-9a-f]{32})"/#)).output.1
    let item = try made("show", "cargo/crates-io", "--json").text
    let id = try #require(item.firstMatch(of: #/"id": "([0-9a-f-]+)"/#)).output.1
    let entry = [
      "program": "npmrc", "path": "\(self.home)/.npmrc", "entry": "//evil.example/:_authToken",
      "item": String(id),
    ]
    let forged = try JSONSerialization.data(withJSONObject: [entry])
    let before = read(".npmrc")
    for words in [["set", "moved-files"], ["set", "aa", "--attribute", "client=moved"]] {
      let more = words[1] == "aa" ? ["--attribute", "home=\(home)"] : []
      #expect(try made.command.run(words + more + ["--stdin"], input: forged).status == 0)
      for program in ["npm", "cargo"] { _ = try made("disconnect", program) }
      #expect(read(".npmrc") == before && read(".cargo/credentials.toml").isEmpty)
    }
  }

  /// Two machines of one vault have files of the same names: each has its own record, and the first
  /// one that disconnects leaves the other its way back.
  @Test func twoMachinesOfOneVaultEachHaveTheirOwnWayBack() throws {
    let store = try TemporaryHome()
    let other = try ThrowawayVault()
    for (path, text) in Self.files where path == ".npmrc" || path == ".pgpass" {
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(other.home.path)/\(path)"))
    }
    try SyncedHomes.join(made, other, at: store.path)
    for program in ["npm", "psql"] {
      #expect(try made("connect", program, "--move").status == 0)
      #expect(try made("sync", "now").status == 0)
      #expect(try other("sync", "now").status == 0)
      let moved = try other("connect", program, "--move")
      #expect(moved.status == 0, "\(moved.errors)")
      #expect(try other("sync", "now").status == 0)
      #expect(try made("sync", "now").status == 0)
    }
    let first = try made("disconnect", "npm")
    #expect(first.status == 0 && read(".npmrc").contains("npm_c4n4ry"), "\(first.errors)")
    #expect(try made("sync", "now").status == 0)
    #expect(try other("sync", "now").status == 0)
    for program in ["npm", "psql"] {
      let back = try other("disconnect", program)
      #expect(
        back.status == 0 && back.errors.contains("is in plain text again"), "\(back.errors)")
    }
    let text = try String(contentsOfFile: "\(other.home.path)/.npmrc", encoding: .utf8)
    #expect(text.contains("npm_c4n4ry"))
    #expect(try other("sync", "now").status == 0)
    #expect(try made("sync", "now").status == 0)
    #expect(try made("disconnect", "psql").status == 0)
    #expect(read(".pgpass").contains("c4n4ry"))
  }

  /// Two lines at once each keep the other's way back.
  @Test func movesAtOnceWaitForEachOther() throws {
    let before = try canaries()
    let programs = ["npm", "psql", "cargo", "gh"]
    let running = try programs.map { try vault.start(["connect", $0, "--move"]) }
    for one in running {
      let result = one.finish()
      #expect(result.status == 0, "\(result.errors)")
    }
    #expect(try canaries().count == before.count - programs.count - 1)
    for program in programs {
      let back = try made("disconnect", program)
      #expect(back.status == 0 && back.errors.contains("is in plain text again"), "\(program)")
    }
    #expect(try canaries() == before)
  }

  /// A secret that came into the file anew goes back as the newer one, and nothing is said of a record
  /// that somebody has changed.
  @Test func aSecretThatIsMovedTwiceGoesBackOnce() throws {
    #expect(try made("connect", "npm", "--move").status == 0)
    try write("//registry.npmjs.org/:_authToken=npm_c4n4ry_2\n", to: ".npmrc")
    #expect(try made("connect", "npm", "--move").status == 0)
    let back = try made("disconnect", "npm")
    #expect(back.status == 0 && !back.errors.contains("does not say"), "\(back.errors)")
    #expect(read(".npmrc") == "//registry.npmjs.org/:_authToken=npm_c4n4ry_2\n")
  }

  /// The way back is not lost by an `undo`, nor silently with the state folder.
  @Test func withoutItsRecordNothingIsDisconnected() throws {
    let before = read(".aws/credentials")
    #expect(try made("import", "home", "--yes").status == 0)
    #expect(try made("remove", "moved-files").status == 0)
    for _ in 0..<2 {
      let refused = try made("disconnect", "aws")
      #expect(refused.status == 1 && refused.errors.contains("restore moved-files"))
      #expect(read(".aws/config").contains("credential aws work"))
    }
    #expect(try made("restore", "moved-files").status == 0)
    #expect(try made("disconnect", "aws").status == 0)
    #expect(read(".aws/credentials") == before)
    for name in try FileManager.default.contentsOfDirectory(atPath: made.state)
    where name.hasPrefix("moved") {
      try FileManager.default.removeItem(atPath: "\(made.state)/\(name)")
    }
    let lost = try made("disconnect", "netrc")
    #expect(lost.status == 1 && lost.errors.contains("nothing goes back by it"), "\(lost.errors)")
  }

  /// A word that is no entry of what was moved, such as a second program.
  @Test func disconnectNamesNoOtherHomeForAWrongWord() throws {
    try #require(try made("import", "home", "--yes").status == 0)
    let wrong = try made("disconnect", "cargo", "npm")
    #expect(wrong.status == 64 && wrong.errors.contains("is called 'npm'"), "\(wrong.errors)")
    #expect(wrong.errors.contains("vault disconnect cargo"), "\(wrong.errors)")
    #expect(try made("disconnect", "cargo").status == 0)
  }
}
