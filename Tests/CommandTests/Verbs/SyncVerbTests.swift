import Foundation
import TestSupport
import Testing
import VaultCredentials

/// `vault sync` with two homes and a folder, as two machines have them.
struct SyncVerbTests {
  let laptop: ThrowawayVault
  let desktop: ThrowawayVault
  let store: TemporaryHome

  init() throws {
    (laptop, desktop, store) = try SyncedHomes.make()
  }

  /// Both homes in one space.
  private func join() throws { try SyncedHomes.join(laptop, desktop, at: store.path) }

  private static let canPlay =
    (try? PythonScript.run(
      "/usr/bin/env",
      [
        "unshare", "--map-root-user", "--uts", "sh", "-c", "hostname a; command -v tmux python3",
      ]
    ).status) == 0

  /// Word for word what the pages show, typed at a terminal for each machine.
  @Test(
    .enabled(if: canPlay, "needs tmux, python3 and a host name of its own"),
    arguments: [["sync.md", "--secret"], ["guides/team.md"], ["guides/lost-machine.md"]])
  func theSessionOfTheDocumentationIsWhatTheTerminalsShow(_ words: [String]) throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../..").standardized.path
    let played = try PythonScript.run(
      "\(root)/scripts/sync-session",
      [VaultProcess.path, "\(root)/Documentation/\(words[0])"] + words.dropFirst())
    #expect(played.status == 0, "\(played.errors)")
  }

  /// Who joined with `--vault team` is not led to a new space.
  @Test func aVaultWithoutASpaceNamesTheOneThatHasIt() throws {
    #expect(try laptop("sync", "init", store.path, "--label", "laptop").status == 0)
    let key = ["--key-file", desktop.keyFile]
    let named = try desktop.command.run(["--vault", "team", "init", "--no-recovery"] + key)
    #expect(named.status == 0, "\(named.errors)")
    try SyncedHomes.join(
      desktop.command, "desktop", invitedBy: laptop, at: store.path, "--vault", "team")
    for verb in ["now", "status", "devices", "leave"] {
      let lost = try desktop("sync", verb)
      #expect(lost.says(78, "belongs to no space"), "\(lost.errors)")
      #expect(
        lost.errors.contains("another one does: vault --vault team sync status;"), "\(lost.errors)")
      #expect(lost.errors.contains("sync join STORE"), "\(lost.errors)")
    }
    // With the home that was given.
    let there = try desktop.command.run(
      ["--home", desktop.data, "sync", "now"])
    #expect(
      there.errors.contains("does: vault --home '\(desktop.data)' --vault team sync status"),
      "\(there.errors)")
    // The other way round, the default one has it.
    let other = try laptop.command.run(
      ["--vault", "own", "init", "--no-recovery", "--key-file", laptop.keyFile])
    #expect(other.status == 0, "\(other.errors)")
    let own = try laptop("--vault", "own", "sync", "now")
    #expect(own.says(78, "belongs to no space"), "\(own.errors)")
    #expect(own.errors.contains("the default one, without --vault"), "\(own.errors)")
    #expect(own.errors.contains("vault --vault own sync join STORE"), "\(own.errors)")
    // Where none does, joining comes first.
    let alone = try ThrowawayVault()("sync", "now")
    #expect(alone.errors.contains("hint: vault sync join STORE"), "\(alone.errors)")
  }

  /// The folder is made, if the one that it is in is there: a stick that is not connected is not.
  @Test func aStoreThatIsNotThereIsMadeInAFolderThatIs() throws {
    #expect(try laptop("sync", "init", "\(store.path)/new").status == 0)
    let missing = try desktop("sync", "init", "\(store.path)/stick/vault")
    #expect(missing.status == 69)
    #expect(missing.errors.contains("see whether the folder is there"))
    #expect(try desktop("sync", "join", "\(store.path)/other").status != 0)
    #expect(!FileManager.default.fileExists(atPath: "\(store.path)/other"))
  }

  @Test func aSecretComesToTheOtherMachine() throws {
    try laptop.set("api-token", "c4n4ry-s3cr3t")
    try join()
    #expect(try desktop.get("api-token").text == "c4n4ry-s3cr3t")
    try desktop.set("api-token", "changed-c4n4ry")
    #expect(try desktop("sync", "now").status == 0)
    let now = try laptop("sync", "now")
    #expect(now.text == "changed: api-token\n")
    #expect(now.errors.contains("synchronized: "))
    #expect(try laptop.get("api-token").text == "changed-c4n4ry")
    for result in [now, try laptop("sync", "log", "--no-pager"), try laptop("sync", "status")] {
      #expect(!(result.text + result.errors).contains("c4n4ry"))
    }
    let devices = try laptop("sync", "devices").text.split(separator: "\n")
    #expect(devices.map { $0.split(separator: " ").first } == ["laptop", "desktop"])
    // The store has no word of it.
    let files = try #require(FileManager.default.enumerator(atPath: store.path))
    for case let name as String in files {
      let bytes = FileManager.default.contents(atPath: "\(store.path)/\(name)") ?? Data()
      for word in ["api-token", "c4n4ry", "laptop", "desktop"] {
        #expect(!name.contains(word) && bytes.range(of: Data(word.utf8)) == nil)
      }
    }
  }

  @Test func whatALostMachineCouldReadIsListed() throws {
    try laptop.set("token", "1")
    try laptop.set("other", "2")
    try join()
    #expect(try laptop("sync", "now").status == 0)
    #expect(try laptop("sync", "rotate").status == 0)
    #expect(try desktop("sync", "rotate").status == 77)
    let removed = try laptop("sync", "remove", "desktop")
    #expect(removed.errors.contains("list --exposed-to desktop"))
    #expect(try laptop("list", "--exposed-to", "desktop").text == "other\ntoken\n")
    try laptop.set("token", "3")
    #expect(try laptop("list", "--exposed-to", "desktop").text == "other\n")
    #expect(try laptop("list", "tok", "--exposed-to", "desktop", "--exit-code").status == 1)
    #expect(try laptop("list", "--exposed-to", "nobody").status == 1)
    let alone = try ThrowawayVault()
    try alone.set("token", "1")
    #expect(try alone("list", "--exposed-to", "desktop").status == 78)
  }

  @Test func aRepositoryIsAStoreToo() throws {
    let made = try laptop.shell("git init --quiet --bare \"$1\"", "\(store.path)/store.git")
    try #require(made.status == 0, "\(made.errors)")
    try laptop.set("api-token", "c4n4ry")
    let initialized = try laptop("sync", "init", "\(store.path)/store.git", "--label", "laptop")
    #expect(initialized.status == 0, "\(initialized.errors)")
    let invitation = try laptop("sync", "invite")
    let joined = try desktop(
      "sync", "join", "file://\(store.path)/store.git", "--stdin", input: invitation.text)
    #expect(joined.status == 0, "\(joined.errors)")
    #expect(try desktop.get("api-token").text == "c4n4ry")
    #expect(
      try laptop("sync", "status").text.contains("git file://\(store.path)/store.git\n"))
    #expect(try laptop("sync", "status", "--json").text.contains("\"engine\": \"git\""))
    try FileManager.default.removeItem(atPath: "\(store.path)/store.git")
    let gone = try laptop("sync", "now")
    #expect(gone.status == 69)
    #expect(gone.errors.contains("there is no git repository at that address"))
  }

  @Test func aChangeGoesToTheStoreByItself() throws {
    try join()
    #expect(try laptop("sync", "auto").text == "off\n")
    #expect(try laptop("sync", "auto", "on").status == 0)
    #expect(try laptop("sync", "auto", "--json").text.contains("\"auto\": true"))
    for number in 1...3 { try laptop.set("token-\(number)", "\(number)") }
    // The run that brings them there is another process.
    let end = Date().addingTimeInterval(60)
    while try !desktop("list").text.contains("token-3"), Date() < end {
      #expect(try desktop("sync", "now").status == 0)
    }
    #expect(try desktop("list").text == "token-1\ntoken-2\ntoken-3\n")
    #expect(try laptop("sync", "auto", "off").status == 0)
    #expect(try laptop("sync", "auto", "maybe").status == 64)
    #expect(try laptop("sync", "leave", "--force").status == 0)
    #expect(try laptop("sync", "auto", "on").status == 78)
  }

  @Test func theStatusSaysHowSyncStands() throws {
    #expect(try laptop("status", "--json").text.contains("\"sync\": null"))
    try join()
    #expect(try laptop("sync", "now").status == 0)
    let fresh = try laptop("status", "--json").text
    #expect(fresh.contains("\"hasChanges\": false"))
    #expect(fresh.contains("\"failure\": null"))
    try laptop.set("token", "1")
    #expect(try laptop("status").text.contains("changes to be sent"))
    try FileManager.default.moveItem(atPath: store.path, toPath: "\(store.path).away")
    #expect(try laptop("sync", "now").status == 69)
    let failing = try laptop("status")
    #expect(failing.text.contains("sync-unavailable, first "))
    #expect(try laptop("status", "--json").text.contains("\"failure\": \"sync-unavailable\""))
    try FileManager.default.moveItem(atPath: "\(store.path).away", toPath: store.path)
    #expect(try laptop("sync", "now", "--unattended").status == 0)
    #expect(try !laptop("status").text.contains("sync-unavailable"))
  }

  @Test func aConflictIsToldAndSettledForAll() throws {
    try laptop.set("token", "1")
    try join()
    #expect(try laptop("sync", "now").status == 0)
    try laptop.set("token", "of the laptop")
    try desktop.set("token", "of the desktop")
    #expect(try laptop("sync", "now").status == 0)
    let met = try desktop("sync", "now")
    #expect(met.text.contains("conflict: token has two values"))
    #expect(met.errors.contains("sync resolve NAME"))
    let hint = try desktop.get("token").errors
    #expect(hint.contains("sync resolve token --take laptop") && !hint.contains("merge"))
    #expect(try desktop("list", "--conflicts").text == "token\n")
    #expect(try desktop("merge", "--resolve", "token").status == 0)
    #expect(try desktop("sync", "now").status == 0)
    #expect(try laptop("sync", "now").status == 0)
    #expect(try laptop("list", "--conflicts").text.isEmpty)
    #expect(try laptop.get("token").text == desktop.get("token").text)
  }

  @Test func aMachinesValueIsTakenAndTheHistorySaysWhose() throws {
    try laptop.set("token", "1")
    try join()
    #expect(try laptop("sync", "now").status == 0)
    try laptop.set("token", "of the laptop")
    try desktop.set("token", "of the desktop")
    #expect(try laptop("sync", "now").status == 0)
    #expect(try desktop("sync", "now").text.contains("is version 4, from laptop\n"))
    let shown = try desktop("show", "token").text
    #expect(
      shown.contains("conflict  token has two values; the other one is version 4, from laptop\n"))
    let page = try desktop("show", "token", "--json").text
    #expect(page.contains("\"kind\": \"secret\"") && page.contains("\"machine\": \"laptop\""))
    #expect(try desktop("history", "token").text.contains("  from laptop, concurrent\n"))
    let versions = try desktop("history", "token", "--json").text
    #expect(versions.contains("\"isConcurrent\": true"))
    #expect(versions.contains("\"machine\": \"laptop\""))
    #expect(try desktop("sync", "resolve", "token", "--take", "server").status == 1)
    let taken = try desktop("sync", "resolve", "token", "--take", "laptop")
    #expect(taken.status == 0)
    #expect(taken.errors == "vault: token is settled\n")
    #expect(try desktop("sync", "resolve", "token").status == 1)
    #expect(try !desktop("show", "token").text.contains("conflict "))
    #expect(try desktop("sync", "now").status == 0)
    #expect(try laptop("sync", "now").status == 0)
    for machine in [laptop, desktop] {
      #expect(try machine.get("token").text == "of the laptop")
      #expect(try machine("list", "--conflicts").text.isEmpty)
    }
    #expect(try ThrowawayVault()("sync", "resolve", "token").status == 78)
  }

  @Test func theRecoveryCodeLetsAnAdminIn() throws {
    try laptop.set("token", "1")
    let alone = try laptop("sync", "init", store.path, "--label", "laptop")
    #expect(alone.errors.contains("a recovery code would open the space, too: vault key add"))
    #expect(try laptop("sync", "status").text.contains("none opens the space"))
    let code = try laptop("key", "add", "--recovery").text
    #expect(try laptop("sync", "now").status == 0)
    #expect(try laptop("sync", "status", "--json").text.contains("\"recoveryCodes\": 1"))
    let joined = try desktop(
      "sync", "join", store.path, "--stdin", "--label", "desktop", input: code)
    #expect(joined.status == 0, "\(joined.errors)")
    #expect(try desktop.get("token").text == "1")
    #expect(try desktop("sync", "status").text.contains("desktop, owner"))
    #expect(try laptop("key", "remove", "recovery").status == 0)
    #expect(try laptop("sync", "now").status == 0)
    let third = try ThrowawayVault()
    let late = try third("sync", "join", store.path, "--stdin", input: code)
    #expect(late.status == 77)
    #expect(late.errors.contains("that recovery code was replaced by another one, or withdrawn"))
    #expect(!late.errors.contains(code.prefix(6)))
  }

  @Test func aRemovedMachineIsToldSo() throws {
    try join()
    #expect(try laptop("sync", "remove", "nobody").status == 1)
    let removed = try laptop("sync", "remove", "desktop")
    #expect(removed.status == 0)
    #expect(removed.errors.contains("desktop is out"))
    let refused = try desktop("sync", "now")
    #expect(refused.status == 77)
    #expect(refused.errors.contains("this machine was removed"))
    #expect(try desktop("sync", "leave").status == 0)
    #expect(try desktop("sync", "now").status == 78)
  }

  @Test func whatIsTypedWronglyIsSaid() throws {
    #expect(try laptop("sync", "now").status == 78)
    for store in ["ftp://example.org/x", "ext::sh -c date", "https://me:w0rd@example.org/x"] {
      let wrong = try laptop("sync", "init", store)
      #expect(wrong.status == 64)
      #expect(!wrong.errors.contains("w0rd"))
    }
    #expect(try laptop("sync", "init", "\(store.path)/none/none").status == 69)
    try join()
    #expect(try laptop("sync", "init", store.path).status == 1)
    #expect(try laptop("sync", "invite", "--role", "king").status == 64)
    #expect(try laptop("sync", "invite", "--for", "ever").status == 64)
    #expect(try desktop("sync", "invite").status == 77)
    let third = try ThrowawayVault()
    let wrong = try third("sync", "join", store.path, "--stdin", input: "7KQ2M9")
    #expect(wrong.status == 77)
    #expect(!wrong.errors.contains("7KQ2M9"))
    #expect(try third("sync", "join", store.path).status == 77)
  }

  @Test func aStoreThatWasPutBackIsNoticed() throws {
    try laptop.set("token", "1")
    try join()
    let kept = "\(store.path).kept"
    defer { try? FileManager.default.removeItem(atPath: kept) }
    try FileManager.default.copyItem(atPath: store.path, toPath: kept)
    try laptop.set("token", "2")
    #expect(try laptop("sync", "now").status == 0)
    try FileManager.default.removeItem(atPath: store.path)
    try FileManager.default.copyItem(atPath: kept, toPath: store.path)
    let noticed = try laptop("sync", "now", "--json")
    #expect(noticed.status == 65)
    #expect(noticed.text.contains("sync-rolled-back"))
    #expect(try laptop("sync", "now", "--accept-rollback").status == 0)
    #expect(try desktop("sync", "now").status == 0)
    #expect(try desktop.get("token").text == "2")
  }

  /// Each machine changes items while the other does, and every other run is killed at some moment.
  @Test func nothingIsLostWhenRunsAreKilled() throws {
    try laptop.set("shared", "0")
    try join()
    var typed: Set<String> = ["0"]
    for round in 1...6 {
      for (name, machine) in [("laptop", laptop), ("desktop", desktop)] {
        try machine.set("\(name)-\(round)", "\(round)")
        let value = "\(name) \(round)"
        try machine.set("shared", value)
        typed.insert(value)
        try Self.killed(machine, after: 0.004 * Double(round) * (name == "laptop" ? 1 : 2))
      }
    }
    for _ in 0..<2 {
      for machine in [laptop, desktop] {
        let now = try machine("sync", "now")
        #expect(now.status == 0, "\(now.errors)")
      }
    }
    #expect(try laptop("list").text == desktop("list").text)
    #expect(try laptop("list").text.split(separator: "\n").count == 13)
    #expect(try laptop.get("shared").text == desktop.get("shared").text)
    for machine in [laptop, desktop] {
      let snapshot = try machine.reopened().blocking.read()
      let item = try snapshot.item(ItemName("shared"))
      let values = try snapshot.history(of: item).compactMap {
        try snapshot.secret(of: item, version: $0.isCurrent ? nil : $0.version).text
      }
      #expect(Set(values).isSubset(of: typed))
      // Ten earlier ones are kept, the newest among them.
      #expect(Set(values).isSuperset(of: ["laptop 6", "desktop 6"]))
    }
    #expect(try laptop("sync", "now", "--json").text.contains("\"sent\": 0"))
  }

  /// Runs `sync now` and kills it after a while.
  private static func killed(_ machine: ThrowawayVault, after seconds: Double) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: VaultProcess.path)
    process.arguments = ["sync", "now"]
    process.environment = [
      "HOME": machine.home.path, "VAULT_KEY_FILE": machine.keyFile, "PATH": "/usr/bin:/bin",
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    Thread.sleep(forTimeInterval: seconds)
    kill(process.processIdentifier, SIGKILL)
    process.waitOrKill()
  }
}
