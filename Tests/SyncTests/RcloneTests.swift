import Foundation
import TestSupport
import Testing
import VaultSync
import VaultSyncEngines

/// What rclone's engine does beyond the contract: with folders, and with remotes that lie.
@Suite(.enabled(if: Rclone.isInstalled, "rclone or python3 is not installed"))
struct RcloneTests {
  private let space: SpaceID
  private let stream: StreamID
  private let home: TemporaryHome
  private let rclone: Rclone

  init() throws {
    space = try #require(SpaceID([UInt8](repeating: 7, count: 16)))
    stream = try #require(StreamID([UInt8](repeating: 8, count: 16)))
    home = try TemporaryHome()
    rclone = try Rclone(in: home)
  }

  private func record(_ number: UInt64) -> [UInt8] { Array("record \(number)".utf8) }

  private func head(_ number: UInt64) -> StreamHead {
    StreamHead(stream: stream, sequence: number, hash: [UInt8](repeating: 1, count: 32))
  }

  private func failure(_ body: () throws -> Void) -> SyncError? {
    do {
      try body()
      return nil
    } catch {
      return error as? SyncError
    }
  }

  private func append(_ numbers: ClosedRange<UInt64>, _ engine: any SyncEngine) throws {
    try engine.append(numbers.map(record), head: head(numbers.upperBound), in: space)
  }

  private func records(_ engine: any SyncEngine, after number: UInt64 = 0) throws -> [[UInt8]] {
    try engine.records(of: stream, in: space, after: number, limit: 10_000)
  }

  /// The path of a record of the remote `here`.
  private func file(_ number: UInt64) -> String {
    "\(rclone.folder)/vault/\(space.text)/s/\(stream.text)/\(FolderNames.name(number))"
  }

  private func expectNothingLeft() {
    #expect(!home.names().contains { $0.hasPrefix("vault-rclone-") })
  }

  // MARK: - Folders

  @Test func aFolderAndTheEngineMeet() throws {
    let path = "\(rclone.folder)/vault"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let (folder, engine) = (FolderEngine(path: path), try rclone.engine())
    try append(1...200, folder)
    try folder.pack([1...64, 65...128], of: stream, in: space) { $0.map(record) }
    #expect(try engine.spaces() == [space])
    #expect(try engine.heads(in: space) == [head(200)])
    #expect(try records(engine) == (1...200).map(record))
    #expect(try records(engine, after: 100) == (101...200).map(record))
    // Another machine puts together what this one has just seen.
    let third: ClosedRange<UInt64> = 129...192
    try folder.pack([third], of: stream, in: space) { $0.map(record) }
    #expect(try records(engine, after: 130) == (131...200).map(record))
    // The same again, also of what lies in packs; another one under such a number is noticed.
    try append(190...201, engine)
    #expect(
      failure { try engine.append([[1]], head: head(100), in: space) }?.code == .taken)
    try folder.append([record(202)], head: head(202), in: space)
    #expect(try records(folder) == (1...202).map(record))
    #expect(try engine.heads(in: space) == [head(202)])
    try engine.retire(upTo: 130, of: stream, in: space)
    #expect(try folder.oldest(of: stream, in: space) == 129)
    expectNothingLeft()
  }

  /// An older head that lies over a newer one hides nothing: the records behind it count.
  @Test func anOldHeadHidesNothing() throws {
    let engine = try rclone.engine()
    let path = "\(rclone.folder)/vault/\(space.text)/h/\(stream.text)"
    try append(1...2, engine)
    let old = try #require(FileManager.default.contents(atPath: path))
    try append(3...9, engine)
    try old.write(to: URL(fileURLWithPath: path))
    let found = try #require(engine.heads(in: space).first)
    #expect(found.sequence == 9)
    // What is half there counts only as far as it is whole; so does a head.
    try Data(old.prefix(20)).write(to: URL(fileURLWithPath: path))
    #expect(try engine.heads(in: space).isEmpty)
    try append(3...9, engine)
    #expect(try engine.heads(in: space) == [head(9)])
  }

  @Test func whatIsHalfThereIsWrittenAgainAndAnotherOneIsNot() throws {
    let engine = try rclone.engine()
    try append(1...3, engine)
    try Data(record(2).prefix(4)).write(to: URL(fileURLWithPath: file(2)))
    try FileManager.default.removeItem(atPath: file(3))
    try append(2...3, engine)
    #expect(try records(engine) == (1...3).map(record))
    // Nothing is written where another one wrote in the stream: not the numbers behind, either.
    let taken = failure {
      try engine.append([[9], [9, 9]], head: head(4), in: space)
    }
    #expect(taken?.code == .taken)
    #expect(!FileManager.default.fileExists(atPath: file(4)))
    #expect(try records(engine) == (1...3).map(record))
  }

  @Test func whatIsNoSpaceIsNotBrought() throws {
    let engine = try rclone.engine()
    try append(1...2, engine)
    // Sparse: the remote tells 200 MiB.
    let handle = try #require(FileHandle(forWritingAtPath: file(2)))
    try handle.truncate(atOffset: 200 << 20)
    try handle.close()
    let error = failure { _ = try records(engine) }
    #expect(error?.message.contains("more than a space has") == true, "\(error?.message ?? "")")
    for name in ["notes.txt", "s/\(stream.text)/12", "h/../../x", "h/nobody"] {
      let path = "\(rclone.folder)/vault/\(space.text)/\(name)"
      try? Data("x".utf8).write(to: URL(fileURLWithPath: path))
    }
    #expect(try engine.heads(in: space) == [head(2)])
    expectNothingLeft()
  }

  // MARK: - Refusals

  @Test func refusalsAreToldApart() throws {
    func error(_ address: String = "rclone:here:vault") -> SyncError? {
      failure { _ = try rclone.engine(address).heads(in: space) }
    }
    let nowhere = error("rclone:elsewhere:vault")
    #expect(nowhere?.code == .notPrepared)
    #expect(nowhere?.message.contains("no such remote") == true, "\(nowhere?.message ?? "")")
    // Nobody listens there.
    try rclone.configure("[here]\ntype = webdav\nurl = http://127.0.0.1:1\nvendor = other\n")
    let away = error()
    #expect(away?.code == .unavailable)
    #expect(away?.message.contains("cannot be reached") == true, "\(away?.message ?? "")")
    // Sealed, and nothing opens it; nothing is asked.
    try rclone.configure("# Encrypted rclone configuration File\n\nRCLONE_ENCRYPT_V0:\nAAAA\n")
    let sealed = error()
    #expect(sealed?.hint?.contains("RCLONE_PASSWORD_COMMAND") == true, "\(sealed?.message ?? "")")
    // A folder that this user may not write, as root may.
    if getuid() != 0 {
      try rclone.configure("[here]\ntype = alias\nremote = \(rclone.folder)\n")
      try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: rclone.folder)
      let refused = failure { try append(1...1, rclone.engine()) }
      #expect(refused?.code == .notAllowed, "\(refused?.message ?? "")")
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: rclone.folder)
    }
    let missing = failure { _ = try rclone.engine(path: "\(home.path)/none").heads(in: space) }
    #expect(missing?.message.contains("not installed") == true, "\(missing?.message ?? "")")
    expectNothingLeft()
  }

  /// rclone's own password opens its configuration: by a program, or by its variable.
  @Test func aSealedConfigurationIsOpened() throws {
    // `[here]`, `type = local`, as `rclone config` 1.60 seals it with canary-config.
    try rclone.configure(
      """
      # Encrypted rclone configuration File

      RCLONE_ENCRYPT_V0:
      ElxgmH9yUDaFDYGgavhImfVmjFL7rZkEd3lBrZJRwp31wbIDSg8uTe7Yxw3uX2KjqlcCt2Ev30Jg7tuRMg==

      """)
    let address = "rclone:here:\(rclone.folder)/vault"
    for (number, variables) in [
      ["RCLONE_PASSWORD_COMMAND": "echo canary-config"], ["RCLONE_CONFIG_PASS": "canary-config"],
    ].enumerated() {
      try append(1...UInt64(number + 1), rclone.engine(address, adding: variables))
    }
    #expect(try records(FolderEngine(path: "\(rclone.folder)/vault")) == [record(1), record(2)])
    for command in ["echo canary-wrong", "false"] {
      let engine = try rclone.engine(address, adding: ["RCLONE_PASSWORD_COMMAND": command])
      let error = try #require(failure { _ = try engine.heads(in: space) })
      #expect(error.code == .unavailable)
      #expect(error.hint?.contains("RCLONE_PASSWORD_COMMAND") == true, "\(error.description)")
      #expect(!error.description.contains("canary"))
    }
  }

  /// Any option of rclone may be a variable; these do not get there.
  @Test func variablesLeadNowhereElse() throws {
    let engine = try rclone.engine(
      adding: [
        "RCLONE_DRY_RUN": "true", "RCLONE_EXCLUDE": "*", "RCLONE_MAX_SIZE": "1",
        "RCLONE_LOG_FILE": "\(home.path)/log",
      ])
    try append(1...3, engine)
    #expect(try records(engine) == (1...3).map(record))
    #expect(!FileManager.default.fileExists(atPath: "\(home.path)/log"))
    for name in ["RCLONE_CONFIG", "RCLONE_CONFIG_PASS", "RCLONE_CONFIG_DRIVE_TOKEN", "HTTPS_PROXY"]
    {
      #expect(RcloneEnvironment.keeps(name))
    }
    for name in ["RCLONE_DUMP", "RCLONE_CONFIGURATION", "LD_PRELOAD", "VAULT_KEY_FILE"] {
      #expect(!RcloneEnvironment.keeps(name))
    }
  }

  @Test func addressesHoldNoOptions() throws {
    func address(_ text: String) -> StoreAddress? { try? StoreAddress(typed: text, in: "/x") }
    #expect(address("rclone:drive:a/b/")?.text == "rclone:drive:a/b")
    #expect(address("rclone:drive:")?.kind == .rclone)
    #expect(address("rclone:my drive:/x")?.kind == .rclone)
    #expect(address("rclone:repository.git")?.kind == .git)
    #expect(StoreAddress(remembered: "rclone:drive:a").kind == .rclone)
    #expect(StoreAddress(remembered: "rclone:repository.git").kind == .git)
    #expect(address("rclone:drive:a")?.takesPassword == false)
    for text in [
      "rclone::webdav,pass=canary:a", "rclone:drive,pass=canary:a", "rclone:-drive:a",
      "rclone:drive:a/../b", "rclone::a", "rclone:drive:a\nb", "rclone: drive:a",
    ] {
      let error = failure { _ = try StoreAddress(typed: text, in: "/x") }
      #expect(error?.code == .notAllowed, "\(text)")
      #expect(error?.description.contains("canary") == false)
    }
  }

  // MARK: - A remote that lies

  @Test func headsAreToldByTheirContents() throws {
    let server = try TestServer("rclone_server.py", [])
    let (mine, other) = (try rclone.engine(webDAV: server), try rclone.engine(webDAV: server))
    // With all files of one time and all heads of one size, a syncer that compares them is even.
    try server.tell("future")
    try append(1...2, mine)
    #expect(try other.heads(in: space) == [head(2)])
    try append(3...4, mine)
    #expect(try other.heads(in: space) == [head(4)])
    try server.tell("none")
    #expect(try other.heads(in: space) == [head(4)])
    // An old list: the head is read all the same, and what is not listed comes later.
    try server.tell("frozen")
    try append(5...6, mine)
    #expect(try other.heads(in: space) == [head(6)])
    try server.tell("none")
    #expect(try records(other) == (1...6).map(record))
  }

  @Test func whatARemoteLosesIsWrittenAgain() throws {
    let server = try TestServer("rclone_server.py", [])
    let engine = try rclone.engine(webDAV: server)
    try append(1...2, engine)
    try server.tell("lose 2")
    try append(3...5, engine)
    #expect(try records(engine) == (1...5).map(record))
    try server.tell("lose 1")
    try engine.put([SyncObject(name: [UInt8](repeating: 3, count: 32), bytes: [1])], in: space)
    #expect(try engine.object([UInt8](repeating: 3, count: 32), in: space) == [1])
    // A remote that keeps nothing is never taken for one that does.
    try server.tell("lose 100000")
    let lost = failure { try append(6...7, engine) }
    #expect(lost?.message.contains("does not show it") == true, "\(lost?.message ?? "")")
    try server.tell("none")
    try append(6...7, engine)
    #expect(try records(engine) == (1...7).map(record))
    expectNothingLeft()
  }

  @Test func whatIsCutIsNotBelieved() throws {
    let server = try TestServer("rclone_server.py", [])
    let engine = try rclone.engine(webDAV: server)
    try append(1...3, engine)
    for lie in ["cut", "short"] {
      try server.tell(lie)
      // All of it, or an error: no half of a record.
      let error = failure {
        let found = try records(engine)
        #expect(found == (1...3).map(record))
      }
      #expect(error == nil || error?.code == .unavailable)
    }
    try server.tell("none")
    #expect(try records(engine) == (1...3).map(record))
  }

  /// Names and sizes have the digits of statuses, too.
  @Test(arguments: [0x401, 0x403, 0x405, 0x429, 0x507])
  func digitsOfANameAreNoStatus(_ number: UInt64) throws {
    let server = try TestServer("rclone_server.py", [])
    let engine = try rclone.engine(webDAV: server)
    try append(number...number, engine)
    try server.tell("short")
    let error = try #require(failure { try append(number...number, engine) })
    #expect(error.code == .unavailable, "\(error.message)")
    #expect(error.message.contains("something else than what was sent"), "\(error.message)")
  }

  @Test func refusalsOfAServerAreToldApart() throws {
    let server = try TestServer("rclone_server.py", [])
    let wrong = try rclone.engine(webDAV: server, password: "canary-wrong")
    let refused = try #require(failure { _ = try wrong.heads(in: space) })
    #expect(refused.code == .unavailable)
    #expect(refused.message.contains("refused the credentials"), "\(refused.message)")
    #expect(!refused.description.contains("canary"))
    let engine = try rclone.engine(webDAV: server)
    for (status, code, words) in [
      (403, SyncError.Code.notAllowed, "does not allow"), (507, .unavailable, "is full"),
      (429, .unavailable, "no more requests"), (500, .unavailable, "500"),
    ] {
      try server.tell("status \(status)")
      let error = try #require(failure { try append(1...1, engine) })
      #expect(error.code == code, "\(status): \(error.message)")
      #expect(error.message.contains(words), "\(status): \(error.message)")
    }
    // Silence has an end before the patience of who asks has.
    try server.tell("hang")
    let hasty = try rclone.engine(webDAV: server, patience: 10)
    let silent = try #require(failure { _ = try hasty.heads(in: space) })
    #expect(silent.message.contains("in time"), "\(silent.message)")
    try server.tell("none")
    try append(1...1, engine)
    expectNothingLeft()
  }

  // MARK: - Machines

  /// Whatever the remote does meanwhile: what each machine has set is on both in the end.
  @Test func machinesAreEvenAfterAllLies() throws {
    let server = try TestServer("rclone_server.py", [])
    let (mine, other) = (try rclone.engine(webDAV: server), try rclone.engine(webDAV: server))
    let (laptop, desktop) = (try SyncMachine("laptop"), try SyncMachine("desktop"))
    let first = try laptop.founding(mine)
    let second = try desktop.joining(first, other)
    try first.synchronize()
    for (round, lie) in ["lose 3", "short", "frozen", "status 503", "future", "cut"].enumerated() {
      try server.tell(lie)
      for (machine, synced) in [(laptop, first), (desktop, second)] {
        try machine.set("\(machine.label)-\(round)", lie)
        do {
          for problem in try synced.synchronize().problems {
            #expect(problem.code == .withheld, "\(lie): \(problem)")
          }
        } catch let error as SyncError {
          #expect(error.code == .unavailable, "\(lie): \(error)")
        }
      }
    }
    try server.tell("none")
    for synced in [first, second, first, second] {
      #expect(try synced.synchronize().problems.isEmpty)
    }
    let contents = try laptop.contents()
    #expect(contents.count == 12)
    #expect(try desktop.contents() == contents)
  }

  /// One machine has a folder that `rclone copy --update` keeps even, the other one has the remote.
  @Test func aMachineWithACarriedFolderAndOneWithTheRemoteAreEven() throws {
    let server = try TestServer("rclone_server.py", [])
    let engine = try rclone.engine(webDAV: server)
    let carried = "\(home.path)/carried"
    try FileManager.default.createDirectory(atPath: carried, withIntermediateDirectories: true)
    func carry() throws {
      for places in [[carried, "dav:vault"], ["dav:vault", carried]] {
        try #require(try rclone.run(["copy", "--update", "--exclude", ".vault.*"] + places) == 0)
      }
    }
    let (laptop, desktop) = (try SyncMachine("laptop"), try SyncMachine("desktop"))
    let first = try laptop.founding(FolderEngine(path: carried))
    let code = try first.invite()
    try carry()
    let second = try SyncedVault.join(
      desktop.vault, in: engine, at: "store", invitation: code.text, label: "desktop")
    try second.synchronize()
    for round in 0..<3 {
      try laptop.set("a", "\(round)")
      try desktop.set("b", "\(round)")
      try carry()
      _ = try first.synchronize()
      try carry()
      _ = try second.synchronize()
    }
    try carry()
    #expect(try first.synchronize().problems.isEmpty)
    try carry()
    #expect(try second.synchronize().problems.isEmpty)
    #expect(try desktop.contents() == laptop.contents())
    #expect(try laptop.get("b") == "2")
    #expect(try desktop.get("a") == "2")
  }
}
