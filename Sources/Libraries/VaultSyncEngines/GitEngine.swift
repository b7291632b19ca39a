import Synchronization
import VaultSealing
import VaultStorage
public import VaultSync

/// Streams in any git repository, through the user's `git` and its credentials.
///
/// The files lie on the branch ``branch``, which nobody checks out: a bare repository of this
/// machine, that may be deleted at any time, holds what was fetched. One synchronization fetches
/// once and, if there is something to send, pushes once. A push that another machine was faster
/// than is made again on top of what that one pushed; paths never clash.
///
/// `git` is a program of the user's, started as a child: no code that speaks to a network is in
/// this process. It gets no variables that would lead it to another repository, and runs no hooks.
///
/// ```swift
/// let engine = try GitEngine(
///   remote: try GitRemote("git@git.example.org:me/secrets.git"),
///   cache: "/home/me/.local/state/vault/sync")
/// ```
///
/// `<space>/s/<stream>/<14 digits>/<2 digits>` records, `<space>/h/<stream>` heads,
/// `<space>/i/<id>` invitations, `<space>/o/<hash>` parts of snapshots.
public final class GitEngine: SyncEngine {
  /// The branch with the files.
  public static let branch = "vault-sync/streams"

  /// Another machine sees a push as a whole.
  public let isEventual = false

  /// The repository.
  public let remote: GitRemote

  private let repository: GitRepository
  /// The commit that was fetched last; `nil` before the first look.
  private let seen = Mutex<Seen?>(nil)

  private struct Seen {
    /// `nil` for a repository without the branch.
    let commit: String?
  }

  /// How often a push is made again because another machine was faster.
  private static let attempts = 20
  /// Most bytes of records that are read at once.
  private static let batchLength = 64 << 20
  private static let maximumLength = 32 << 20

  /// Uses a repository.
  ///
  /// - Parameters:
  ///   - remote: The repository. It may be empty.
  ///   - cache: An absolute path: the directory for what is fetched, made if it is missing.
  ///   - asks: Whether git and ssh may ask the person at the terminal, as long as that takes. Else
  ///     they ask nobody, and a command that shows no progress for 10 seconds is ended.
  /// - Throws: `SealingError` where there is no libsodium.
  public convenience init(remote: GitRemote, cache: String, asks: Bool = false) throws {
    try self.init(remote: remote, cache: cache, asks: asks, program: "git")
  }

  package init(
    remote: GitRemote, cache: String, asks: Bool, program: String, patience: Int = 10
  ) throws {
    self.remote = remote
    repository = try GitRepository(
      remote: remote, folder: cache, asks: asks, program: program, patience: patience)
  }

  /// The spaces that have a directory on the branch.
  public func spaces() throws -> [SpaceID] {
    try using {
      guard let commit = try look() else { return [] }
      return try repository.folders(of: commit).compactMap { SpaceID(text: $0) }.sorted()
    }
  }

  /// Fetches, and reads the heads.
  public func heads(in space: SpaceID) throws -> [StreamHead] {
    try using {
      guard let commit = try look() else { return [] }
      let files = try repository.files(["\(space.text)/h/"], of: commit)
        .filter { $0.size == StreamHead.length }
      return zip(files, try repository.contents(of: files)).compactMap { file, bytes in
        guard let head = StreamHead(bytes), file.name == head.stream.text else { return nil }
        return head
      }
    }
  }

  /// The records that were fetched.
  public func records(
    of stream: StreamID, in space: SpaceID, after sequence: UInt64, limit: Int
  ) throws -> [[UInt8]] {
    try using {
      guard limit > 0, let commit = try known() else { return [] }
      let paths = (1...UInt64(limit)).map { Self.path(stream, space, sequence &+ $0) }
      let folders = Set(paths.map { String($0.dropLast(2)) }).sorted()
      var found: [String: GitRepository.File] = [:]
      for file in try repository.files(folders, of: commit) { found[file.path] = file }
      var files: [GitRepository.File] = []
      var length = 0
      for path in paths {
        guard let file = found[path], file.size <= Self.maximumLength,
          files.isEmpty || length + file.size <= Self.batchLength
        else { break }
        files.append(file)
        length += file.size
      }
      return try repository.contents(of: files)
    }
  }

  /// Commits the records and the head together, and pushes them.
  public func append(_ records: [[UInt8]], head: StreamHead, in space: SpaceID) throws {
    let first = head.sequence + 1 - UInt64(records.count)
    let new = records.enumerated().map { offset, record in
      (Self.path(head.stream, space, first + UInt64(offset)), record)
    }
    try push(new, replacing: [("\(space.text)/h/\(head.stream.text)", head.bytes)])
  }

  /// Commits the record in the place of what is there, and pushes it: a member can remove a file.
  public func restore(
    _ record: [UInt8], of stream: StreamID, at sequence: UInt64, in space: SpaceID
  ) throws {
    try push([], replacing: [(Self.path(stream, space, sequence), record)])
  }

  /// The invitation's file.
  public func invitation(_ id: [UInt8], in space: SpaceID) throws -> [UInt8]? {
    try file(Self.path(invitation: id, space))
  }

  /// Commits the invitation and pushes it.
  public func putInvitation(_ bytes: [UInt8], id: [UInt8], in space: SpaceID) throws {
    try push([], replacing: [(Self.path(invitation: id, space), bytes)])
  }

  /// The object's file.
  public func object(_ name: [UInt8], in space: SpaceID) throws -> [UInt8]? {
    try file(Self.path(object: name, space))
  }

  /// Commits the objects together, and pushes them.
  public func put(_ objects: [SyncObject], in space: SpaceID) throws {
    try push([], replacing: objects.map { (Self.path(object: $0.name, space), $0.bytes) })
  }

  /// A small file that was fetched.
  private func file(_ path: String) throws -> [UInt8]? {
    try using {
      guard let commit = try known() else { return nil }
      let files = try repository.files([path], of: commit)
        .filter { $0.path == path && $0.size <= 1 << 20 }
      return try repository.contents(of: files).first
    }
  }

  // MARK: - Commits

  /// Two levels of directories, so that a commit rewrites a list of 256 names at most.
  private static func path(_ stream: StreamID, _ space: SpaceID, _ sequence: UInt64) -> String {
    let name = FolderNames.name(sequence)
    return "\(space.text)/s/\(stream.text)/\(name.dropLast(2))/\(name.suffix(2))"
  }

  private static func path(invitation id: [UInt8], _ space: SpaceID) -> String {
    "\(space.text)/i/\(Hexadecimal.text(id))"
  }

  private static func path(object name: [UInt8], _ space: SpaceID) -> String {
    "\(space.text)/o/\(Hexadecimal.text(name))"
  }

  /// Runs `body` alone on this machine's copy.
  private func using<Result>(_ body: () throws -> Result) throws -> Result {
    try repository.using(forgetting: { seen.withLock { $0 = nil } }, body)
  }

  /// Fetches.
  private func look() throws -> String? {
    let commit = try repository.fetch()
    seen.withLock { $0 = Seen(commit: commit) }
    return commit
  }

  /// The commit that was fetched last.
  private func known() throws -> String? {
    if let seen = seen.withLock({ $0 }) { return seen.commit }
    return try look()
  }

  /// Puts files on the branch: new ones, whose names nothing else has, and some that are replaced.
  private func push(
    _ new: [(path: String, bytes: [UInt8])], replacing old: [(path: String, bytes: [UInt8])]
  ) throws {
    try using {
      var parent = try known()
      for attempt in 0..<Self.attempts {
        let missing = try missing(new, in: parent)
        let moved = try self.missing(old, in: parent, isReplaced: true)
        guard !missing.isEmpty || !moved.isEmpty else { return }
        let commit = try repository.commit(missing + moved, after: parent)
        let refusal = try repository.push(commit)
        guard let refusal else { return seen.withLock { $0 = Seen(commit: commit) } }
        let now = try look()
        // A store that stays as it is has refused; another machine's lock is given a moment.
        if now == parent, attempt >= 2 { throw refusal }
        parent = now
        GitRepository.pause(attempt)
      }
      throw SyncError(
        .unavailable, "other machines write to the store all the time", hint: "try again later")
    }
  }

  /// Those of the files that a commit does not have.
  private func missing(
    _ files: [(path: String, bytes: [UInt8])], in commit: String?, isReplaced: Bool = false
  ) throws -> [(path: String, bytes: [UInt8])] {
    guard let commit, !files.isEmpty else { return files }
    var there: [String: GitRepository.File] = [:]
    let folders = Set(files.map { file in Self.folder(of: file.path) }).sorted()
    for file in try repository.files(folders, of: commit) { there[file.path] = file }
    let same = files.filter { there[$0.path]?.size == $0.bytes.count }
    let contents = try repository.contents(of: same.compactMap { there[$0.path] })
    let equal = Set(zip(same, contents).filter { $0.0.bytes == $0.1 }.map(\.0.path))
    let missing = files.filter { !equal.contains($0.path) }
    guard isReplaced || missing.allSatisfy({ there[$0.path] == nil }) else {
      throw FolderEngine.taken
    }
    return missing
  }

  private static func folder(of path: String) -> String {
    let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
    return "\(path[..<end])/"
  }
}
