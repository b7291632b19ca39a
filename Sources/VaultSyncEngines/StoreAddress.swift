import VaultStorage
public import VaultSync

/// Where a store is: a folder, or a git repository.
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
  /// - Throws: `SyncError` with code `.notAllowed` for an address that git is not
  ///   trusted with, or that holds a password; for a folder in a work tree.
  public init(
    typed text: String, in directory: String, allowsWorkTree: Bool = false
  ) throws {
    if GitRemote.isAddress(text) {
      kind = .git
      self.text = try GitRemote(text).text
      return
    }
    guard !text.contains(bytes: "://"), !text.contains(bytes: "::"), !text.isEmpty else {
      throw SyncError(
        .notAllowed, "the store must be a folder or a git repository",
        hint: "such as ~/Sync/vault, or git@git.example.org:me/secrets.git")
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
  public var shown: String { kind == .git ? GitRemote.shown(text) : text }

  /// Reads what a vault remembers: `SyncedVault.store(of:)`.
  ///
  /// - Parameter text: What ``text`` was.
  public init(remembered text: String) {
    self.text = text
    kind = text.hasPrefix("/") ? .folder : .git
  }

  /// Opens the store; nothing is read yet.
  ///
  /// - Parameters:
  ///   - cache: An absolute path: the directory for what is fetched from repositories.
  ///   - asks: Whether git may ask at the terminal.
  /// - Returns: The engine.
  /// - Throws: `SyncError` with code `.notAllowed`.
  public func engine(cache: String, asks: Bool = false) throws -> any SyncEngine {
    switch kind {
    case .folder: FolderEngine(path: Self.end(of: text))
    case .git: try GitEngine(remote: GitRemote(text), cache: cache, asks: asks)
    }
  }
}
