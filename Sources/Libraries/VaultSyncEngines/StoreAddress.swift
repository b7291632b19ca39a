public import VaultSealing
import VaultStorage
public import VaultSync

/// Where a store is: a folder, a git repository, or behind a program.
///
/// ```swift
/// let address = try StoreAddress(typed: "git@git.example.org:me/secrets.git", in: "/home/me")
/// let engine = try address.engine(cache: "/home/me/.local/state/vault/sync")
/// let laptop = try SyncedVault.create(vault, in: engine, at: address.text, label: "laptop")
/// ```
public struct StoreAddress: Sendable, Hashable {
  /// What holds the streams.
  public enum Kind: String, Sendable {
    /// A folder: ``FolderEngine``.
    case folder
    /// A git repository: ``GitEngine``.
    case git
    /// A program of the person's: ``ProgramEngine``.
    case program
    /// An etcd, through a program of this software.
    case etcd
    /// A PostgreSQL, through a program of this software.
    case postgresql
    /// A remote of rclone, through a program of this software.
    case rclone
    /// The feed of a mirror, which is only read.
    case feed
  }

  /// What holds the streams.
  public let kind: Kind
  /// The text to remember: an absolute path, or the address of a repository.
  public let text: String

  /// Reads what a person typed.
  ///
  /// A path where a bare repository lies means that repository. This is decided here, once: a
  /// folder that others write to cannot become a repository later, whose settings git would obey.
  ///
  /// - Parameters:
  ///   - text: A path, a URL, or `host:path`.
  ///   - directory: The directory that a relative path begins at, absolute.
  ///   - allowsWorkTree: Whether a folder may lie in a work tree of git.
  /// `etcd://host/prefix` is an etcd, `postgresql://user@host/database` a PostgreSQL,
  /// `rclone:REMOTE:path` a folder of a remote that rclone is configured for.
  ///
  /// `exec:/path/to/program` or `exec:/path/to/program?STORE` is a program, and what it is told of
  /// its store. No invitation and no record has an address: only what was typed here is ever run.
  ///
  /// - Throws: `SyncError` with code `.notAllowed` for an address that git is not
  ///   trusted with, or that holds a password; for a folder in a work tree.
  public init(
    typed text: String, in directory: String, allowsWorkTree: Bool = false
  ) throws {
    if text.hasPrefix(Self.programScheme) {
      kind = .program
      self.text = try Self.checkedProgram(text)
      return
    }
    if Self.isEtcd(text) {
      kind = .etcd
      _ = try EtcdAddress(text)
      self.text = text
      return
    }
    if PostgresAddress.isAddress(text) {
      kind = .postgresql
      _ = try PostgresAddress(text)
      self.text = text
      return
    }
    if RcloneAddress.isAddress(text) {
      kind = .rclone
      self.text = try RcloneAddress(text).text
      return
    }
    if GitRemote.isAddress(text) {
      kind = .git
      self.text = try GitRemote(text).text
      return
    }
    guard !text.contains(bytes: "://"), !text.contains(bytes: "::"), !text.isEmpty else {
      throw Self.noStore
    }
    let typed = text.hasPrefix("/") ? text : "\(directory)/\(text)"
    // Once, here: a link that somebody else changes later leads nowhere else.
    let path = (try? UserFile.target(ofFolder: typed)) ?? typed
    let isRepository = ["HEAD", "objects", "refs"].allSatisfy {
      UserFile.exists("\(path)/\($0)")
    }
    guard isRepository || allowsWorkTree || !Self.isInWorkTree(path) else {
      throw SyncError(
        .notAllowed,
        "the folder lies in a work tree of git: sealed files would lie in that project",
        hint: "choose another folder; a repository that is the store has an address, "
          + "or is a bare one")
    }
    kind = isRepository ? .git : .folder
    self.text = isRepository ? try GitRemote(path: path).text : path
  }

  /// Reads the address of a feed that a person typed.
  ///
  /// - Parameters:
  ///   - text: `https://…/feed`, `file:///…/feed` or a path; `http://` of this machine alone.
  ///   - directory: The directory that a relative path begins at, absolute.
  /// - Throws: `SyncError` with code `.notAllowed`, also for an address that holds a password.
  public init(feed text: String, in directory: String) throws {
    kind = .feed
    self.text = try FeedAddress(typed: text, in: directory).remembered
  }

  /// Where a folder lies now: it may have been moved, and a link of the user's own be left.
  ///
  /// A link that another user may have made, or that leads to nothing, is refused by the engine, as
  /// soon as the store is needed.
  private static func end(of folder: String) -> String {
    guard System.linkTarget(folder) != nil else { return folder }
    return (try? Directory.end(ofOwnLinks: folder, to: "folder")) ?? folder
  }

  private static func isInWorkTree(_ path: String) -> Bool {
    var folder = path[...]
    while true {
      if UserFile.exists("\(folder)/.git") { return true }
      guard let slash = folder.lastIndex(of: "/") else { return false }
      folder = folder[..<slash]
    }
  }

  /// The address as it may be shown: without a token that an earlier version has taken.
  public var shown: String {
    switch kind {
    case .git: GitRemote.shown(text)
    case .feed: FeedAddress(remembered: text)?.text ?? text
    default: text
    }
  }

  /// Whether the address is the same on each machine that reaches it: no path of this one, and no
  /// name from a configuration here.
  package var isOfNetwork: Bool {
    switch kind {
    case .etcd, .postgresql: true
    case .git: !text.hasPrefix("file:") && !text.hasPrefix("/")
    case .feed: FeedAddress(remembered: text)?.file == nil
    case .folder, .program, .rclone: false
    }
  }

  /// The mirror of a feed; `nil` for another store.
  ///
  /// - Parameter asks: Whether a person waits.
  /// - Returns: The mirror; nothing is read yet.
  package func mirror(asks: Bool = false) -> (any FeedEngine)? {
    guard let feed = FeedAddress(remembered: text) else { return nil }
    guard let path = feed.file else {
      return FeedStore(WebFeedFiles(feed, patience: asks ? 20 : 60))
    }
    return FeedStore(FolderFeedFiles(path: path))
  }

  /// Reads what a vault remembers: `SyncedVault.store(of:)`.
  ///
  /// - Parameter text: What ``text`` was.
  public init(remembered text: String) {
    self.text = text
    if text.hasPrefix("/") {
      kind = .folder
    } else if FeedAddress(remembered: text) != nil {
      kind = .feed
    } else if text.hasPrefix(Self.programScheme) {
      kind = .program
    } else if Self.isEtcd(text) {
      kind = .etcd
    } else if RcloneAddress.isAddress(text) {
      kind = .rclone
    } else {
      kind = PostgresAddress.isAddress(text) ? .postgresql : .git
    }
  }

  /// Opens the store; nothing is read yet.
  ///
  /// - Parameters:
  ///   - cache: An absolute path: the directory for what is fetched from repositories.
  ///   - asks: Whether git may ask at the terminal.
  ///   - password: What opens the store for this machine, where a program stands before it.
  /// - Returns: The engine.
  /// - Throws: `SyncError` with code `.notAllowed`.
  public func engine(
    cache: String, asks: Bool = false, password: SecretBytes? = nil
  ) throws -> any SyncEngine {
    switch kind {
    case .feed:
      guard let mirror = mirror(asks: asks) else { throw Self.noStore }
      return mirror
    case .folder: return FolderEngine(path: Self.end(of: text))
    case .git: return try GitEngine(remote: GitRemote(text), cache: cache, asks: asks)
    case .program: return try Self.program(text, password: password, patience: asks ? 20 : 60)
    case .etcd, .postgresql:
      return ProgramEngine(
        EngineProgram(owner: .own(name: kind.rawValue), address: text), password: password,
        patience: asks ? 20 : 60)
    case .rclone:
      // A storage far away takes its time for many small files.
      return ProgramEngine(
        EngineProgram(owner: .own(name: kind.rawValue), address: text), password: nil,
        patience: asks ? 60 : 300)
    }
  }

  private static let noStore = SyncError(
    .notAllowed, "the store must be a folder, a git repository, a server or a program",
    hint: "such as ~/Sync/vault, or git@git.example.org:me/secrets.git")

  private static func isEtcd(_ text: String) -> Bool {
    text.hasPrefix("etcd://") || text.hasPrefix("etcd+http://")
  }

  /// Whether the store asks for a password of this user, unless something else says who this is.
  public var asksForPassword: String? {
    switch kind {
    case .folder, .git, .program, .rclone, .feed: nil
    case .etcd: (try? EtcdAddress(text))?.user
    case .postgresql: (try? PostgresAddress(text)).flatMap { $0.asksForPassword ? $0.user : nil }
    }
  }

  /// Whether a password goes anywhere: git and rclone have their own ways.
  public var takesPassword: Bool { ![.folder, .git, .rclone, .feed].contains(kind) }

  // MARK: - Programs

  private static let programScheme = "exec:"

  private static func parts(ofProgram text: String) -> (path: String, store: String) {
    let rest = text.dropFirst(programScheme.count)
    let end = rest.utf8.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
    return (String(rest[..<end]), String(rest[end...].dropFirst()))
  }

  private static func checkedProgram(_ text: String) throws -> String {
    let (path, _) = parts(ofProgram: text)
    let isWhole =
      path.hasPrefix("/") && !path.split(separator: "/").contains("..") && !path.hasSuffix("/")
    guard isWhole, text.utf8.count <= 4096, Quoting.isVisible(text) else {
      throw SyncError(
        .notAllowed, "after exec: stands the whole path of a program",
        hint: "such as exec:/usr/local/lib/engine, or exec:/usr/local/lib/engine?STORE")
    }
    return text
  }

  private static func program(
    _ text: String, password: SecretBytes?, patience: Int
  ) throws -> ProgramEngine {
    let (path, store) = parts(ofProgram: text)
    return ProgramEngine(path: path, store: store, password: password, patience: patience)
  }
}
