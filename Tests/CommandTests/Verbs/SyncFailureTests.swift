import Foundation
import TestSupport
import Testing

/// What the command does when a store, or a machine, is not as it should be: each row of
/// Documentation/sync.md, "When the store is wrong".
///
/// What needs two histories or a clock in one process is in SyncTests, too: HostileStoreTests,
/// CrashTests, GitEngineTests. A run that is killed is in SyncVerbTests and SyncRoundsTests.
struct SyncFailureTests {
  let laptop: ThrowawayVault
  let desktop: ThrowawayVault
  let store: TemporaryHome

  init() throws {
    (laptop, desktop, store) = try SyncedHomes.make()
    try laptop.set("token", "1")
  }

  private func join() throws { try SyncedHomes.join(laptop, desktop, at: store.path) }

  /// The newest record of the desktop, which the laptop does not have yet.
  private func unseenRecord() throws -> String {
    #expect(try laptop("sync", "now").status == 0)
    try desktop.set("other", "2")
    #expect(try desktop("sync", "now").status == 0)
    return try SyncedHomes.newestRecord(
      SyncedHomes.stream("desktop", on: laptop), in: store.path)
  }

  @Test func aStoreThatIsAwayIsToldAndLocalWorkGoesOn() throws {
    try join()
    try FileManager.default.moveItem(atPath: store.path, toPath: "\(store.path).away")
    defer { try? FileManager.default.removeItem(atPath: "\(store.path).away") }
    #expect(try laptop("sync", "now").says(69, "the store"))
    try laptop.set("token", "2")
    #expect(try laptop.get("token").text == "2")
    #expect(try laptop("status").text.contains("sync-unavailable, first "))
    try FileManager.default.moveItem(atPath: "\(store.path).away", toPath: store.path)
    #expect(try laptop("sync", "now").status == 0)
  }

  @Test func credentialsThatAreRefusedAreTold() throws {
    let programs = "\(laptop.home.path)/bin"
    try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
    try Data("#!/bin/sh\necho 'git@host: Permission denied (publickey).' >&2\nexit 255\n".utf8)
      .write(to: URL(fileURLWithPath: "\(programs)/ssh"))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: "\(programs)/ssh")
    let refused = try laptop.command.run(
      ["sync", "init", "git@host.invalid:me/secrets.git"],
      adding: ["PATH": "\(programs):/usr/bin:/bin"])
    #expect(refused.says(69, "the store refused the credentials"), "\(refused.errors)")
    #expect(try laptop("sync", "status").says(78, "belongs to no space"))
  }

  @Test func recordsThatAreOnTheirWayAreWaitedFor() throws {
    try join()
    let record = try unseenRecord()
    try FileManager.default.moveItem(atPath: record, toPath: "\(record).later")
    let waiting = try laptop("sync", "now")
    #expect(waiting.status == 0, "\(waiting.errors)")
    #expect(waiting.errors.contains("records of desktop are still on their way"))
    try FileManager.default.moveItem(atPath: "\(record).later", toPath: record)
    #expect(try laptop("sync", "now").text == "added: other\n")
  }

  @Test func anAlteredRecordStopsItsMachineAndTheRestGoesOn() throws {
    try join()
    let record = try unseenRecord()
    let whole = try Data(contentsOf: URL(fileURLWithPath: record))
    var altered = whole
    altered[altered.count - 70] ^= 1
    try altered.write(to: URL(fileURLWithPath: record))
    try laptop.set("token", "2")
    let refused = try laptop("sync", "now", "--json")
    #expect(refused.status == 65)
    #expect(refused.text.contains("\"sent\": 1"))
    #expect(refused.text.contains("sync-tampered"))
    #expect(try laptop("sync", "now").says(65, "record "))
    #expect(try laptop("get", "other").status == 1)
    try whole.write(to: URL(fileURLWithPath: record))
    #expect(try laptop("sync", "now").status == 0)
    #expect(try laptop.get("other").text == "2")
  }

  @Test func aRecordOfANewerVersionIsTold() throws {
    try join()
    let record = try unseenRecord()
    var newer = try Data(contentsOf: URL(fileURLWithPath: record))
    newer[3] = UInt8(ascii: "2")
    try newer.write(to: URL(fileURLWithPath: record))
    #expect(try laptop("sync", "now").says(78, "newer version"))
    #expect(try laptop.get("token").text == "1")
  }

  @Test func aStoreThatWasPutBackGetsNothingUntilThatIsAccepted() throws {
    try join()
    let kept = try SyncedHomes.copy(store)
    try laptop.set("token", "2")
    #expect(try laptop("sync", "now").status == 0)
    for name in store.names() {
      try FileManager.default.removeItem(atPath: "\(store.path)/\(name)")
      try FileManager.default.copyItem(
        atPath: "\(kept.path)/\(name)", toPath: "\(store.path)/\(name)")
    }
    try laptop.set("token", "3")
    let noticed = try laptop("sync", "now", "--json")
    #expect(noticed.status == 65)
    #expect(noticed.text.contains("\"sent\": 0"))
    #expect(try laptop("sync", "now").says(65, "older state"))
    #expect(try laptop("sync", "now", "--accept-rollback").status == 0)
    #expect(try desktop("sync", "now").status == 0)
    #expect(try desktop.get("token").text == "3")
  }

  @Test func whatAnotherMachineHasSeenCannotBeWithheld() throws {
    let repository = "\(store.path)/store.git"
    let made = try laptop.shell("git init --quiet --bare --template= \"$1\"", repository)
    try #require(made.status == 0, "\(made.errors)")
    try SyncedHomes.join(laptop, desktop, at: repository)
    let server = try ThrowawayVault()
    try SyncedHomes.join(server.command, "server", invitedBy: laptop, at: repository)
    for machine in [laptop, desktop, server] { #expect(try machine("sync", "now").status == 0) }
    let stream = try SyncedHomes.stream("server", on: laptop)
    let before = try laptop.shell("git --git-dir=\"$1\" rev-parse vault-sync/streams", repository)
    // The desktop sees what the server writes, and says so; then the store shows it no longer.
    try server.set("of-the-server", "1")
    #expect(try server("sync", "now").status == 0)
    #expect(try desktop("sync", "now").status == 0)
    try desktop.set("of-the-desktop", "2")
    #expect(try desktop("sync", "now").status == 0)
    let hidden = try laptop.shell(
      """
      set -e
      export GIT_DIR="$1" GIT_INDEX_FILE="$1/withheld" branch=refs/heads/vault-sync/streams
      git read-tree "$branch"
      git ls-files | grep "$3" |
        sed 's/^/0 0000000000000000000000000000000000000000\\t/' | git update-index --index-info
      git ls-tree -r "$2" | grep "$3" | git update-index --index-info
      commit=$(git -c user.name=x -c user.email=x@localhost commit-tree -p "$branch" -m x \\
        "$(git write-tree)")
      git update-ref "$branch" "$commit"
      """, repository, before.text.trimmingCharacters(in: .newlines), stream)
    try #require(hidden.status == 0, "\(hidden.errors)")
    try laptop.set("token", "2")
    let withheld = try laptop("sync", "now", "--json")
    #expect(withheld.status == 65)
    #expect(withheld.text.contains("sync-withheld"))
    // What others say of each other keeps nobody from writing.
    #expect(withheld.text.contains("\"sent\": 1"))
    #expect(try laptop("sync", "now").says(65, "which 'desktop' has seen"))
    let accepted = try laptop("sync", "now", "--accept-rollback")
    #expect(accepted.status == 0, "\(accepted.errors)")
    #expect(try laptop.get("token").text == "2")
  }

  /// The laptop's disk and the store are put back as they were, and go on.
  ///
  /// The desktop knows what the laptop wrote first, and then the store shows the other history; at
  /// last the laptop's disk has the first one again.
  private func fork() throws {
    try join()
    #expect(try laptop("sync", "now").status == 0)
    let (before, home) = (try SyncedHomes.copy(store), try SyncedHomes.copy(laptop.home))
    func putBack(_ files: TemporaryHome) throws {
      // In the folders that there are: a copy in new ones would go on as another machine.
      let names = FileManager.default.enumerator(atPath: files.path)?.compactMap { $0 as? String }
      for name in names ?? [] {
        let (kept, own) = ("\(files.path)/\(name)", "\(laptop.home.path)/\(name)")
        let type = try? FileManager.default.attributesOfItem(atPath: own)[.type]
        if type as? FileAttributeType == .typeDirectory { continue }
        if type != nil { try FileManager.default.removeItem(atPath: own) }
        try FileManager.default.copyItem(atPath: kept, toPath: own)
      }
    }
    try laptop.set("token", "2")
    #expect(try laptop("sync", "now").status == 0)
    #expect(try desktop("sync", "now").status == 0)
    for name in store.names() {
      try FileManager.default.removeItem(atPath: "\(store.path)/\(name)")
      try FileManager.default.copyItem(
        atPath: "\(before.path)/\(name)", toPath: "\(store.path)/\(name)")
    }
    let after = try SyncedHomes.copy(laptop.home)
    try putBack(home)
    try laptop.set("token", "forked")
    #expect(try laptop("sync", "now").status == 0)
    try putBack(after)
  }

  @Test func twoHistoriesOfAMachineAreTold() throws {
    try fork()
    let forked = try desktop("sync", "now")
    #expect(forked.says(65, "two records with the number"), "\(forked.errors)")
    #expect(try desktop.get("token").text == "2")
    #expect(try laptop("sync", "now").says(65, "this vault was copied or put back, and both"))
    #expect(try desktop("sync", "status").text.contains("forked          laptop "))
  }

  /// Both signed records are kept, and whoever has the machine's public keys can check them.
  @Test(.enabled(if: PythonScript.hasSodium, "python3 and libsodium's shared library are needed"))
  func theProofsOfTwoHistoriesCanBeShown() throws {
    try fork()
    #expect(try desktop("sync", "now").status == 65)
    let status = try desktop("sync", "status", "--json").text
    let path = "\(desktop.home.path)/status.json"
    for (text, isProof) in [(status, true), (status.replacing("\"VlNS", with: "\"VlNT"), false)] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      let checked = try PythonScript("check_forks").run([path])
      #expect((checked.status == 0) == isProof, "\(checked.errors)")
    }
  }

  @Test func aRemovedMachineKeepsItsVaultAndIsTold() throws {
    try join()
    #expect(try laptop("sync", "remove", "desktop").status == 0)
    #expect(try desktop("sync", "now").says(77, "this machine was removed"))
    #expect(try desktop.get("token").text == "1")
  }

  @Test func aMachineThatSaysNothingHasAnAge() throws {
    try join()
    #expect(try laptop("sync", "now").status == 0)
    let devices = try laptop("sync", "devices")
    #expect(devices.status == 0)
    #expect(devices.text.contains("heard "))
    #expect(try laptop("sync", "status").text.contains("last contact"))
  }
}
