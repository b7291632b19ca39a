import Glibc
import VaultSealing
import VaultStorage
import VaultSync
import VaultTerminal

/// The program of an engine that runs as a child, and what it is started with.
struct EngineProgram: Sendable {
  /// Whose program it is.
  enum Owner: Sendable {
    /// The person's, at this path.
    case person(path: String)
    /// A part of this software: `vault-helper engine NAME`.
    case own(name: String)
  }

  let owner: Owner
  /// What the engine is told of its store.
  let address: String

  /// What the person calls it.
  var name: String {
    switch owner {
    case .person(let path): Quoting.visible(path)
    case .own(let name): name
    }
  }

  /// Variables that an engine of this software gets: paths of files, and the language.
  ///
  /// What would lead it elsewhere, such as a proxy or `PGSSLMODE`, stays out.
  private static let kept: Set<String> = [
    "HOME", "LANG", "LC_ALL", "PATH", "PGPASSFILE", "PGSERVICEFILE", "TMPDIR", "TZ",
  ]

  /// Starts it.
  func start() throws -> ProgramConversation {
    let (path, arguments, keeps): (String, [String], (String) -> Bool)
    switch owner {
    case .person(let program):
      path = try Self.checked(program)
      (arguments, keeps) = ([], { _ in true })
    case .own(let name):
      do {
        path = try HelperProgram.path()
      } catch {
        throw SyncError(
          .unavailable, "the store needs the program \(HelperProgram.name), which is missing",
          hint: "install it beside this one")
      }
      let isRclone = name == StoreAddress.Kind.rclone.rawValue
      (arguments, keeps) = (
        ["engine", name], { isRclone ? RcloneEnvironment.keeps($0) : Self.kept.contains($0) }
      )
    }
    guard let conversation = ProgramConversation(path, arguments, keeping: keeps) else {
      throw SyncError(
        .unavailable, "the engine \(name) could not be started",
        hint: "see whether it can be run by hand")
    }
    return conversation
  }

  /// The file at the end of a path, unless another user could put another one there.
  ///
  /// - Parameter path: An absolute path.
  /// - Returns: The path without links.
  /// - Throws: `SyncError` with code `.notAllowed`, or `.unavailable` if it is not there.
  static func checked(_ path: String) throws -> String {
    do {
      let target = try UserFile.target(of: path)
      let status = try System.targetStatus(of: target, in: AT_FDCWD)
      guard status.isRegular, status.permissions & 0o111 != 0 else {
        throw SyncError(
          .unavailable, "the engine \(Quoting.visible(path)) is not a program",
          hint: "make it executable: chmod +x")
      }
      guard isSafe(status) else { throw othersMayWrite(path, target) }
      // Who may rename what a folder has may put another program there.
      for start in Set([path, target]) {
        var folder = start
        while folder != "/" {
          folder = UserFile.folder(of: folder)
          let status = try System.targetStatus(of: folder, in: AT_FDCWD)
          guard isSafe(status) || (status.permissions & 0o1000 != 0 && isTrusted(status.owner))
          else { throw othersMayWrite(path, folder) }
        }
      }
      return target
    } catch let error as System.Failure {
      throw SyncError(
        .unavailable, "the engine \(Quoting.visible(path)) cannot be used: \(error.reason)",
        hint: "see whether it is there")
    }
  }

  private static func isTrusted(_ owner: UInt32) -> Bool {
    owner == 0 || owner == System.effectiveUser
  }

  private static func isSafe(_ status: System.FileStatus) -> Bool {
    // As with the folders of a vault, a group that has one member is nobody else.
    let others: UInt32 =
      status.permissions & 0o020 != 0 && PrivateGroup.isOwnPrimary && status.group == getegid()
      ? 0o002 : 0o022
    return isTrusted(status.owner) && status.permissions & others == 0
  }

  private static func othersMayWrite(_ path: String, _ place: String) -> SyncError {
    SyncError(
      .notAllowed,
      "the engine \(Quoting.visible(path)) is not started: other users may write "
        + Quoting.visible(place),
      hint: "it and its folders must be yours or root's: chmod go-w")
  }
}
