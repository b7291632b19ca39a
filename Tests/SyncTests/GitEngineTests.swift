import Foundation
import TestSupport
import Testing
import VaultSync
import VaultSyncEngines

/// What a git repository has beside the contract of all stores.
struct GitEngineTests {
  let home: TemporaryHome
  let remote: BareRepository
  let space: SpaceID
  let stream: StreamID

  init() throws {
    home = try TemporaryHome()
    remote = try BareRepository(in: home)
    space = try #require(SpaceID([UInt8](repeating: 5, count: 16)))
    stream = try #require(StreamID([UInt8](repeating: 9, count: 16)))
  }

  private func append(
    _ engine: some SyncEngine, _ sequence: UInt64, _ text: String, to stream: StreamID? = nil
  ) throws {
    try engine.append(
      [Array(text.utf8)],
      head: StreamHead(
        stream: stream ?? self.stream, sequence: sequence,
        hash: [UInt8](repeating: 1, count: 32)), in: space)
  }

  private func records(_ engine: some SyncEngine) throws -> [String] {
    _ = try engine.heads(in: space)
    return try engine.records(of: stream, in: space, after: 0, limit: 1000)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  private func failure(_ body: () throws -> Void) -> SyncError? {
    do {
      try body()
      return nil
    } catch {
      return error as? SyncError
    }
  }

  @Test func oneBranchHasTwoLevelsOfNamesAndNothingElse() throws {
    let engine = try remote.engine("a")
    try engine.append(
      (1...300).map { Array("\($0)".utf8) },
      head: StreamHead(stream: stream, sequence: 300, hash: [UInt8](repeating: 1, count: 32)),
      in: space)
    #expect(
      try remote.git("for-each-ref", "--format=%(refname)") == "refs/heads/vault-sync/streams\n")
    let names = try remote.git("ls-tree", "-r", "--name-only", GitEngine.branch)
      .split(separator: "\n")
    #expect(names.count == 301)
    #expect(names.contains("\(space.text)/s/\(stream.text)/00000000000000/ff"))
    #expect(names.contains("\(space.text)/s/\(stream.text)/00000000000001/2c"))
    #expect(
      try remote.git("log", "--format=%an <%ae> %s", GitEngine.branch)
        == "vault <vault@localhost> vault sync\n")
    let all = try remote.engine("b").records(of: stream, in: space, after: 0, limit: 1000)
    #expect(all.map { String(decoding: $0, as: UTF8.self) } == (1...300).map { "\($0)" })
    // No file of it is ever checked out.
    #expect(!FileManager.default.fileExists(atPath: "\(try remote.copy("b"))/\(space.text)"))
  }

  @Test func aPushThatComesSecondGoesOnTop() throws {
    let (first, second) = (try remote.engine("a"), try remote.engine("b"))
    let other = try #require(StreamID([UInt8](repeating: 8, count: 16)))
    _ = try (first.heads(in: space), second.heads(in: space))
    try append(first, 1, "a")
    // It has not seen that.
    try append(second, 1, "b", to: other)
    #expect(try Set(first.heads(in: space).map(\.stream)) == [stream, other])
    #expect(try remote.git("rev-list", "--count", GitEngine.branch) == "2\n")
  }

  @Test func nothingNewIsOnePushLess() throws {
    let engine = try remote.engine("a")
    try append(engine, 1, "a")
    let before = try remote.git("rev-parse", GitEngine.branch)
    try append(engine, 1, "a")
    #expect(try remote.git("rev-parse", GitEngine.branch) == before)
  }

  @Test func aCopyThatWasLeftLockedOrDamagedIsMadeAnew() throws {
    let engine = try remote.engine("a")
    try append(engine, 1, "a")
    #expect(try records(engine) == ["a"])
    let copy = try remote.copy("a")
    // As a run leaves it that was killed, when another machine has pushed since.
    try append(try remote.engine("b"), 2, "b")
    let lock = "\(copy)/refs/vault/fetched/streams.lock"
    #expect(FileManager.default.createFile(atPath: lock, contents: Data()))
    #expect(try records(engine) == ["a", "b"])
    for name in ["objects", "refs", "HEAD", "config"] {
      try FileManager.default.removeItem(atPath: "\(try remote.copy("a"))/\(name)")
      try Data("damaged".utf8).write(to: URL(fileURLWithPath: "\(try remote.copy("a"))/\(name)"))
      #expect(try records(remote.engine("a")) == ["a", "b"], "\(name)")
    }
    try FileManager.default.removeItem(atPath: remote.cache("a"))
    try append(engine, 3, "c")
    #expect(try records(engine) == ["a", "b", "c"])
  }

  @Test func aBranchThatWasRewrittenIsRead() throws {
    let engine = try remote.engine("a")
    try append(engine, 1, "a")
    let old = try remote.git("rev-parse", GitEngine.branch).prefix(40)
    try append(engine, 2, "b")
    _ = try remote.git("update-ref", "refs/heads/\(GitEngine.branch)", String(old))
    #expect(try engine.heads(in: space).map(\.sequence) == [1])
    _ = try remote.git("update-ref", "-d", "refs/heads/\(GitEngine.branch)")
    #expect(try engine.heads(in: space).isEmpty)
    try append(engine, 1, "a")
    #expect(try records(engine) == ["a"])
  }

  @Test func aRepositoryThatWasPackedIsRead() throws {
    let engine = try remote.engine("a")
    for number in 1...5 { try append(engine, UInt64(number), "\(number)") }
    _ = try remote.git("gc", "--quiet", "--prune=now")
    _ = try BareRepository.git(["--git-dir=\(try remote.copy("a"))", "gc", "--quiet"])
    try append(engine, 6, "6")
    #expect(try records(engine) == (1...6).map { "\($0)" })
    #expect(try records(remote.engine("b")) == (1...6).map { "\($0)" })
  }

  @Test func aStoreThatRefusesIsTold() throws {
    _ = try remote.git("config", "receive.hideRefs", "refs/heads/vault-sync")
    let error = failure { try append(try remote.engine("a"), 1, "a") }
    #expect(error?.code == .unavailable)
    #expect(
      error?.message.contains("refuses what is pushed") == true, "\(String(describing: error))")
  }

  @Test func noHookAndNoVariableOfAnotherRepositoryCounts() throws {
    let hooks = "\(remote.path)/hooks"
    try FileManager.default.createDirectory(atPath: hooks, withIntermediateDirectories: true)
    let mark = "\(home.path)/ran"
    for hook in ["pre-receive", "update", "post-receive", "reference-transaction", "pre-push"] {
      let path = "\(hooks)/\(hook)"
      try Data("#!/bin/sh\ntouch '\(mark)'\n".utf8).write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    try append(try remote.engine("a"), 1, "a")
    #expect(try records(remote.engine("b")) == ["a"])
    #expect(!FileManager.default.fileExists(atPath: mark))
  }

  @Test func whatIsWrongIsSaidInOneSentence() throws {
    var error = failure { _ = try remote.engine("a", program: "no-such-git").spaces() }
    #expect(
      error
        == SyncError(
          .unavailable, "git is not installed, or not in PATH",
          hint: "install git, or use a folder as the store"))
    let nowhere = try GitEngine(
      remote: GitRemote(path: "\(home.path)/none.git"), cache: remote.cache("a"))
    error = failure { _ = try nowhere.spaces() }
    #expect(error?.code == .unavailable)
    #expect(error?.message.hasPrefix("there is no git repository at that address: fatal: ") == true)
    let closed = try GitEngine(
      remote: GitRemote("git://127.0.0.1:1/x"), cache: remote.cache("a"))
    error = failure { _ = try closed.spaces() }
    #expect(error?.message.hasPrefix("the store cannot be reached: fatal: ") == true)
  }

  @Test func aStoreThatSaysNothingIsGivenUp() throws {
    // A git that hangs, and its child.
    let program = try home.program(
      "#!/bin/sh\ncase \"$*\" in *' fetch --progress '*) sleep 300 & wait;; *) exec git \"$@\";; esac\n",
      named: "git-that-hangs")
    let error = failure {
      _ = try remote.engine("a", program: program, patience: 1).spaces()
    }
    #expect(error?.message == "the store does not answer")
  }

  @Test func whatSomebodyElsePushedIsNotTaken() throws {
    let engine = try remote.engine("a")
    try append(engine, 1, "a")
    // A head of the wrong size, names that are none, a directory and a link in the place of
    // records.
    let (space, stream) = (space.text, stream.text)
    let tip = try remote.git("rev-parse", GitEngine.branch).prefix(40)
    let script = """
      commit refs/heads/\(GitEngine.branch)
      committer x <x@localhost> 1 +0000
      data 0
      from \(tip)
      M 100644 inline \(space)/h/\(String(repeating: "ab", count: 16))
      data 3
      abc
      M 100644 inline \(space)/h/README
      data 56
      \(String(repeating: "x", count: 56))
      M 120000 inline \(space)/s/\(stream)/00000000000000/02
      data 11
      /etc/passwd
      M 100644 inline \(space)/s/\(stream)/00000000000000/03/x
      data 1
      x
      M 100644 inline README
      data 2
      hi

      """
    _ = try BareRepository.git(
      ["--git-dir=\(remote.path)", "fast-import", "--quiet"], input: Data(script.utf8))
    #expect(try engine.spaces().map(\.text) == [space])
    #expect(try engine.heads(in: self.space).map(\.stream) == [self.stream])
    #expect(try records(engine) == ["a"])
    try append(engine, 4, "d")
  }

  @Test func addressesAreToldFromPaths() throws {
    for text in [
      "https://git.example.org/me/s.git", "ssh://git@git.example.org:2222/s.git",
      "git@host:me/s.git",
      "host:s.git", "file:///srv/s.git",
    ] {
      #expect(GitRemote.isAddress(text), "\(text)")
      #expect(try StoreAddress(typed: text, in: "/home/me").kind == .git)
    }
    for text in ["/media/stick", "Sync/vault", "./a:b", "a/b:c"] {
      #expect(!GitRemote.isAddress(text), "\(text)")
      let address = try StoreAddress(typed: text, in: "/home/me")
      #expect(address.kind == .folder)
      #expect(address.text.hasPrefix("/"))
      #expect(StoreAddress(remembered: address.text) == address)
    }
    for text in [
      "ext::sh -c date", "fd::3", "ftp://host/x", "https://me:s3cret@git.example.org/s.git",
      "https://s3cret@git.example.org/s.git", "http://s3cret@git.example.org",
      "https://s3cret@x@git.example.org/s.git", "ssh://me:s3cret@git.example.org/s.git",
      "host:a\nb", "-x:y", "",
    ] {
      let error = failure { _ = try StoreAddress(typed: text, in: "/home/me") }
      #expect(error?.code == .notAllowed, "\(text)")
      #expect(error?.message.contains("s3cret") != true)
    }
    let bare = try StoreAddress(typed: remote.path, in: "/home/me")
    #expect(bare.kind == .git && bare.text == "file://\(remote.path)")
    #expect(StoreAddress(remembered: bare.text) == bare)
    // A folder that was one stays one, whatever is put into it.
    #expect(StoreAddress(remembered: remote.path).kind == .folder)
  }

  /// An earlier version took these; the text is shown, and a run refuses it.
  @Test func aTokenThatIsRememberedIsNotShown() throws {
    let remembered = StoreAddress(remembered: "https://s3cret@git.example.org/s.git")
    #expect(remembered.shown == "https://git.example.org/s.git")
    #expect(failure { _ = try remembered.engine(cache: remote.path) }?.code == .notAllowed)
    for text in ["git@host:me/s.git", "ssh://git@host/s.git", "/home/me/a@b", "https://h/a@b"] {
      #expect(StoreAddress(remembered: text).shown == text)
    }
  }

  @Test func aLinkIsFollowedOnceAndAWorkTreeNeedsAWord() throws {
    let home = try TemporaryHome()
    let files = FileManager.default
    try files.createDirectory(atPath: "\(home.path)/disk/Sync", withIntermediateDirectories: true)
    try files.createSymbolicLink(
      atPath: "\(home.path)/Sync", withDestinationPath: "disk/Sync")
    let linked = try StoreAddress(typed: "Sync", in: home.path)
    #expect(linked.text.hasSuffix("/disk/Sync") && linked.kind == .folder)
    for marker in ["tree/.git", "linked/.git"] {
      let folder = "\(home.path)/\(marker.prefix { $0 != "/" })/below/vault"
      try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let git = "\(home.path)/\(marker)"
      if marker.hasPrefix("tree") {
        try files.createDirectory(atPath: git, withIntermediateDirectories: true)
      } else {
        try Data("gitdir: elsewhere\n".utf8).write(to: URL(fileURLWithPath: git))
      }
      #expect(failure { _ = try StoreAddress(typed: folder, in: "/") }?.code == .notAllowed)
      let allowed = try StoreAddress(typed: folder, in: "/", allowsWorkTree: true)
      #expect(allowed.kind == .folder)
    }
  }

  /// However many others lie there.
  @Test func onlyTheOneBranchIsFetched() throws {
    let engine = try remote.engine("a")
    try append(engine, 1, "a")
    let branch = "refs/heads/vault-sync/streams"
    for number in 0..<5 {
      _ = try remote.git("update-ref", "refs/heads/vault-sync/other\(number)", branch)
    }
    #expect(try records(remote.engine("b")) == ["a"])
    let copy = "--git-dir=\(try remote.copy("b"))"
    let references = try BareRepository.git([copy, "for-each-ref", "--format=%(refname)"])
    #expect(!references.contains("other"), "\(references)")
    // A branch that is gone is gone here, too.
    _ = try remote.git("update-ref", "-d", branch)
    #expect(try remote.engine("b").heads(in: space).isEmpty)
  }

  @Test func whatTheServerSaysOfARefusalIsShown() throws {
    let text = """
      ssh: banner
      remote: error: GL-HOOK: the branch is protected\u{1b}[31m
      To git.example.org:s.git
      !\trefs/heads/x:refs/heads/y\t[remote rejected] (pre-receive hook declined)
      """
    let message = GitFailure.error(saying: text).message
    #expect(message.contains("the store refuses what is pushed"), "\(message)")
    #expect(message.contains("the branch is protected") && !message.contains("\u{1b}"))
    let key = GitFailure.error(saying: "Host key verification failed.\nfatal: x\n").message
    #expect(key.contains("host key"), "\(key)")
    let lock = GitFailure.error(
      saying: "! a:b [remote rejected] (failed to update ref)\n"
    ).message
    #expect(lock.contains("locked by another push"), "\(lock)")
  }

  /// `SYNC_PUSHES=250` has two machines push 500 times.
  @Test func twoMachinesPushAtOnce() async throws {
    let pushes = ProcessInfo.processInfo.environment["SYNC_PUSHES"].flatMap(Int.init) ?? 5
    let engines = [try remote.engine("a"), try remote.engine("b")]
    let space = space
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, engine) in engines.enumerated() {
        let stream = try #require(StreamID([UInt8](repeating: UInt8(number), count: 16)))
        group.addTask {
          for sequence in 1...pushes {
            try engine.append(
              [Array("\(number)-\(sequence)".utf8)],
              head: StreamHead(
                stream: stream, sequence: UInt64(sequence), hash: [UInt8](repeating: 1, count: 32)),
              in: space)
          }
        }
      }
      try await group.waitForAll()
    }
    let heads = try remote.engine("c").heads(in: space)
    #expect(heads.map(\.sequence) == [UInt64(pushes), UInt64(pushes)])
    #expect(try remote.git("rev-list", "--count", GitEngine.branch) == "\(2 * pushes)\n")
  }
}
