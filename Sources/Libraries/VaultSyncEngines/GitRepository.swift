import FoundationEssentials
import Glibc
import VaultSealing
import VaultStorage
import VaultSync
import VaultTerminal

/// This machine's bare copy of a remote repository, and the runs of `git` on it.
///
/// The copy is a cache: where git cannot use it, it is made anew.
struct GitRepository: Sendable {
  /// A file of a commit.
  struct File: Sendable {
    let path: String
    let object: String
    let size: Int

    /// The last part of the path.
    var name: Substring { path.lastComponent }
  }

  /// The copy is damaged, or a run that was killed has left it locked.
  private struct Unusable: Error {
    let reason: SyncError
  }

  private let remote: GitRemote
  private let folder: String
  private let name: String
  private let asks: Bool
  private let program: String
  private let patience: Int

  private var path: String { "\(folder)/\(name)" }

  private static let fetched = "refs/vault/fetched/streams"
  private static let own = "refs/vault/own"
  /// Most bytes of a file that git writes: a store of sealed secrets is far smaller.
  private static let maximumPack = 1 << 30
  /// Most address space of a child, in KiB.
  ///
  /// Over HTTP git runs credential helpers, and some of these reserve more than a machine has; ssh
  /// may run a proxy, which takes a part of that.
  private var maximumMemory: String {
    if remote.text.hasPrefix("http") { return "unlimited" }
    return String((remote.text.hasPrefix("file:") ? 1 : 4) << 20)
  }
  /// The longest run that talks to the store, in seconds, also at a terminal.
  private static let longest = 900
  private static let maximumOutput = 128 << 20

  init(remote: GitRemote, folder: String, asks: Bool, program: String, patience: Int) throws {
    self.remote = remote
    self.folder = folder
    self.asks = asks
    self.program = program
    self.patience = patience
    name = try Hexadecimal.text(Hash.blake2b(Array(remote.text.utf8), count: 16)) + ".git"
  }

  /// Runs `body` alone on the copy; if that is unusable, once more on a new one.
  ///
  /// `forget` is called before that: what was fetched is no longer there.
  func using<Result>(forgetting forget: () -> Void, _ body: () throws -> Result) throws -> Result {
    let lock: FileLock
    do {
      lock = try FileLock(
        "\(name).lock", in: Directory(folder, create: true), timeout: .seconds(60))
    } catch {
      throw FolderEngine.unavailable(error.message)
    }
    return try withExtendedLifetime(lock) {
      do {
        try make()
        return try body()
      } catch is Unusable {
        do {
          try? UserFile.removeAll(path)
          forget()
          try make()
          return try body()
        } catch let error as Unusable {
          throw error.reason
        }
      }
    }
  }

  /// Waits before another attempt: longer after each, and not as long as another machine.
  static func pause(_ attempt: Int) {
    let longest = min(1000, 20 << attempt)
    usleep(UInt32(Int.random(in: longest / 2...longest)) * 1000)
  }

  // MARK: - From and to the remote

  /// Fetches the branch; returns its commit, or `nil` if the remote has none.
  func fetch() throws -> String? {
    let result = try run(
      [
        "fetch", "--progress", "--prune", "--force", "--no-tags", "--no-write-fetch-head",
        "--no-recurse-submodules", "--", remote.text,
        // This branch alone: others, however many, are nobody's business here.
        "+refs/heads/\(GitEngine.branch):\(Self.fetched)",
      ], isRemote: true)
    guard result.isSuccess else {
      if Self.lacksBranch(result) {
        // What was fetched before is not there any more.
        _ = try local(["update-ref", "-d", Self.fetched])
        return nil
      }
      throw failure(result)
    }
    let found = try local(["for-each-ref", "--format=%(objectname)", Self.fetched])
    let commit = String(decoding: found.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    return Self.isObject(commit) ? commit : nil
  }

  /// Whether git says that the remote has no such branch, as a new repository has none.
  private static func lacksBranch(_ result: ChildProgram.Captured) -> Bool {
    guard result.ending == nil, result.signal == nil else { return false }
    let text = String(decoding: result.errors, as: UTF8.self)
    return text.split(separator: "\n").contains { line in
      line.contains(bytes: "couldn't find remote ref refs/heads/\(GitEngine.branch)")
        && !line.hasPrefix("remote:")
    }
  }

  /// Pushes a commit; returns why it was refused.
  func push(_ commit: String) throws -> SyncError? {
    // The hooks of a repository on this machine would run here, whoever put them there.
    let result = try run(
      [
        "push", "--progress", "--porcelain", "--no-verify", "--no-follow-tags",
        "--recurse-submodules=no",
      ] + (isHere ? ["--receive-pack=git -c core.hooksPath=/dev/null receive-pack"] : [])
        + ["--", remote.text, "\(commit):refs/heads/\(GitEngine.branch)"], isRemote: true)
    if result.isSuccess { return nil }
    if isUnusable(result) { throw Unusable(reason: reason(result)) }
    return reason(result)
  }

  private var isHere: Bool { remote.text.hasPrefix("file:") }

  // MARK: - Commits

  /// The files in folders of a commit, as far as there are any.
  ///
  /// - Parameters:
  ///   - folders: Paths with a slash at the end, or of files.
  ///   - commit: The commit.
  /// - Returns: The files.
  /// - Throws: `SyncError` with code `.unavailable`.
  func files(_ folders: [String], of commit: String) throws -> [File] {
    guard !folders.isEmpty else { return [] }
    return try entries(folders, of: commit).compactMap { entry in
      // A link or a program is none of ours.
      entry.mode == "100644" && entry.file.size >= 0 ? entry.file : nil
    }
  }

  /// The names of the folders at the top of a commit.
  func folders(of commit: String) throws -> [String] {
    try entries([], of: commit).compactMap { $0.mode == "040000" ? $0.file.path : nil }
  }

  private func entries(
    _ paths: [String], of commit: String
  ) throws -> [(mode: String, file: File)] {
    let list = try local(["ls-tree", "-z", "-l", "--full-tree", commit, "--"] + paths)
    // git-ls-tree(1): mode SP type SP object SP size TAB path NUL; the size is padded.
    return list.split(separator: 0).compactMap { line in
      let parts = line.split(separator: UInt8(ascii: "\t"), maxSplits: 1)
      guard parts.count == 2, let path = String(validating: parts[1], as: UTF8.self) else {
        return nil
      }
      let words = parts[0].split(separator: UInt8(ascii: " "))
        .map { String(decoding: $0, as: UTF8.self) }
      guard words.count == 4, Self.isObject(words[2]) else { return nil }
      return (words[0], File(path: path, object: words[2], size: Int(words[3]) ?? -1))
    }
  }

  /// What is in files, in their order.
  func contents(of files: [File]) throws -> [[UInt8]] {
    guard !files.isEmpty else { return [] }
    let length = files.reduce(0) { $0 + $1.size + 128 }
    let bytes = try local(
      ["cat-file", "--batch"], input: Array(files.map { $0.object + "\n" }.joined().utf8),
      limit: length)
    // git-cat-file(1): object SP type SP size LF contents LF.
    var contents: [[UInt8]] = []
    var offset = 0
    for file in files {
      let header = Array("\(file.object) blob \(file.size)\n".utf8)
      let end = offset + header.count + file.size
      guard end < bytes.count, bytes[offset...].starts(with: header) else {
        throw Unusable(reason: Self.damaged)
      }
      contents.append(Array(bytes[offset + header.count..<end]))
      offset = end + 1
    }
    return contents
  }

  /// Makes a commit, which says nothing but when it was made.
  ///
  /// - Parameters:
  ///   - files: The files that it adds or replaces.
  ///   - parent: The commit before.
  /// - Returns: The commit.
  /// - Throws: `SyncError` with code `.unavailable`.
  func commit(_ files: [(path: String, bytes: [UInt8])], after parent: String?) throws -> String {
    // git-fast-import(1).
    let message = "vault sync"
    var stream = Array(
      """
      commit \(Self.own)
      mark :1
      committer vault <vault@localhost> \(Int(Date().timeIntervalSince1970)) +0000
      data \(message.utf8.count)
      \(message)

      """.utf8)
    if let parent { stream += Array("from \(parent)\n".utf8) }
    for file in files {
      stream += Array("M 100644 inline \(file.path)\ndata \(file.bytes.count)\n".utf8)
      stream += file.bytes
      stream.append(UInt8(ascii: "\n"))
    }
    stream += Array("\nget-mark :1\ndone\n".utf8)
    let written = try local(["fast-import", "--quiet", "--force", "--done"], input: stream)
    let commit = String(decoding: written.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    guard Self.isObject(commit) else { throw Unusable(reason: Self.damaged) }
    return commit
  }

  // MARK: - Runs

  private func make() throws {
    guard !UserFile.exists("\(path)/HEAD") else { return }
    // No templates: these may bring hooks.
    _ = try local(["init", "--quiet", "--bare", "--template="])
  }

  /// Runs git on the copy alone; a failure means that the copy is unusable.
  private func local(
    _ arguments: [String], input: [UInt8] = [], limit: Int = maximumOutput
  ) throws -> [UInt8] {
    let result = try run(arguments, input: input, limit: limit, isRemote: false)
    guard result.isSuccess else {
      if result.exitStatus == 127 { throw Self.missingGit }
      throw Unusable(reason: reason(result))
    }
    return result.output
  }

  private func run(
    _ arguments: [String], input: [UInt8] = [], limit: Int = maximumOutput, isRemote: Bool
  ) throws -> ChildProgram.Captured {
    var surroundings = ChildProgram.Surroundings()
    surroundings.hasTerminal = isRemote && asks
    surroundings.keeps = { [asks] name in GitEnvironment.keeps(name, asks: asks) }
    surroundings.variables = GitEnvironment.variables(asks: asks)
    if !asks || !isRemote { surroundings.patience = isRemote ? patience : 60 }
    let settings = GitEnvironment.settings.flatMap { ["-c", $0] }
    // sh(1): no file may become larger than so many blocks of 512 bytes, and git itself not larger
    // than so many KiB: a tree or commit of 2 GiB takes 2 MiB in the store, and all of it in memory.
    // timeout(1) of coreutils, where it is there, ends what a store feeds for ever.
    let script = #"""
      ulimit -f \#(Self.maximumPack / 512) 2>/dev/null
      ulimit -v \#(maximumMemory) 2>/dev/null
      if \#(isRemote) && command -v timeout >/dev/null 2>&1
      then exec timeout --foreground -k 5 \#(Self.longest) "$@"; else exec "$@"; fi
      """#
    let words =
      ["/bin/sh", "-c", script, "sh", program, "--git-dir=\(path)"] + settings + arguments
    do {
      guard
        let result = try ChildProgram.capture(
          words, input: input, limit: limit, in: surroundings)
      else { throw Self.missingGit }
      return result
    } catch let error as System.Failure {
      throw FolderEngine.unavailable(error.reason)
    }
  }

  private static func isObject(_ text: String) -> Bool {
    [40, 64].contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  // MARK: - Failures

  private func failure(_ result: ChildProgram.Captured) -> any Error {
    isUnusable(result) ? Unusable(reason: reason(result)) : reason(result)
  }

  /// Whether a failure is the copy's: a lock that was left, an object that is damaged.
  private func isUnusable(_ result: ChildProgram.Captured) -> Bool {
    guard result.ending == nil else { return false }
    let text = String(decoding: result.errors, as: UTF8.self)
    let own = text.split(separator: "\n").filter { !$0.hasPrefix("remote:") }
    return own.contains { line in
      [path, "bad object", "corrupt", "is empty"].contains(where: line.contains(bytes:))
    }
  }

  private func reason(_ result: ChildProgram.Captured) -> SyncError {
    GitFailure(result).error
  }

  static let missingGit = SyncError(
    .unavailable, "git is not installed, or not in PATH",
    hint: "install git, or use a folder as the store")

  private static let damaged = SyncError(
    .unavailable, "this machine's copy of the store is damaged", hint: "try again")
}
