import CVaultLinux
import Glibc

/// An open directory that only its owner can write, and the files in it.
///
/// What is checked is what was opened: the descriptor is opened once, checked by fstat(2), and every
/// file is reached through it, so that nothing can be exchanged in between. The rules are those of
/// ssh for its own files: sshd(8), `StrictModes`. Symbolic links in the middle of the path are followed, and where
/// they stand is checked as well.
package final class Directory: Sendable {
  /// The absolute path, for messages and for SQLite.
  package let path: String
  /// Opened with `O_PATH`.
  package let descriptor: Int32

  /// Opens a directory.
  ///
  /// - Parameters:
  ///   - path: Absolute. Its last component must not be a symbolic link.
  ///   - create: Makes it, and parents that are missing, with mode 0700.
  /// - Throws: ``StorageError`` with code `.notFound`, `.refused`, `.cannotCreate`, `.accessDenied`.
  package convenience init(_ path: String, create: Bool = false) throws(StorageError) {
    try self.init(path, create: create, isChecked: true)
  }

  /// Opens a directory that a program named for its own data: it may be anybody's.
  ///
  /// For stores whose place and protection are the application's affair.
  package convenience init(anyOwner path: String, create: Bool = false) throws(StorageError) {
    try self.init(path, create: create, isChecked: false)
  }

  private init(_ path: String, create: Bool, isChecked: Bool) throws(StorageError) {
    self.path = path
    if let opened = try Self.open(path, isMissingAllowed: create) {
      descriptor = opened
    } else {
      try Self.make(path)
      guard let opened = try Self.open(path, isMissingAllowed: false) else {
        throw StorageError(.notFound, "there is no directory \(path)")
      }
      descriptor = opened
    }
    guard isChecked else { return }
    do {
      try checkOwnership()
    } catch {
      System.close(descriptor)
      throw error
    }
  }

  deinit { System.close(descriptor) }

  private static func open(
    _ path: String, isMissingAllowed: Bool
  ) throws(StorageError) -> Int32? {
    do {
      return try System.open(
        path, in: AT_FDCWD, flags: cvault_o_path | O_DIRECTORY | O_NOFOLLOW)
    } catch  where error.errno == ENOENT && isMissingAllowed {
      return nil
    } catch {
      throw failure(error, "open the directory", path)
    }
  }

  private static func make(_ path: String) throws(StorageError) {
    var made = ""
    let components = path.parts(at: "/")
    // From the end, so that a parent that exists but cannot be searched is not asked for.
    var missing = 0
    while missing < components.count {
      do {
        try System.makeDirectory(
          "/" + components.dropLast(missing).joined(separator: "/"), in: AT_FDCWD, mode: 0o700)
        break
      } catch  where error.errno == ENOENT {
        missing += 1
      } catch  where error.errno == EEXIST {
        break
      } catch {
        throw failure(error, "create the directory", path, .cannotCreate)
      }
    }
    made = "/" + components.dropLast(missing).joined(separator: "/")
    for component in components.suffix(missing) {
      made += "/\(component)"
      do {
        try System.makeDirectory(made, in: AT_FDCWD, mode: 0o700)
      } catch  where error.errno == EEXIST {
        continue
      } catch {
        throw failure(error, "create the directory", path, .cannotCreate)
      }
    }
  }

  /// Checks owner and mode of the directory, and of the one that holds it.
  ///
  /// Who can write that one can put another in our place. A sticky parent (`/tmp`) does not allow it.
  private func checkOwnership() throws(StorageError) {
    let user = System.effectiveUser
    let own: System.FileStatus
    let parent: System.FileStatus?
    do {
      own = try System.status(descriptor)
      parent = try? System.status(of: "..", in: descriptor)
    } catch {
      throw Self.failure(error, "look at the directory", path)
    }
    if own.owner != user {
      throw StorageError(.refused, "\(path) belongs to another user (\(own.owner), not \(user))")
    }
    if own.permissions & 0o022 != 0 {
      throw StorageError(.refused, "others may write in \(path); run: chmod go-w \(path)")
    }
    guard let parent else { return }
    if parent.owner != user, parent.owner != 0 {
      throw StorageError(.refused, "the directory above \(path) belongs to another user")
    }
    if parent.permissions & 0o022 != 0, parent.permissions & 0o1000 == 0 {
      throw StorageError(
        .refused, "others may write in the directory above \(path); run: chmod go-w \(path)/..")
    }
    try checkAncestors(own, parent)
  }

  /// Refuses a directory further up in which others may write, as far as the user's home or else the root.
  ///
  /// Those that `..` leads to, and those that the path names: a link in one of them leads elsewhere.
  private func checkAncestors(
    _ own: System.FileStatus, _ parent: System.FileStatus
  ) throws(StorageError) {
    let home = (try? StoreLocation.home()).flatMap {
      try? System.targetStatus(of: $0.isEmpty ? "/" : $0, in: AT_FDCWD)
    }
    func isHome(_ status: System.FileStatus) -> Bool { home?.isSameFile(as: status) ?? false }
    if isHome(own) || isHome(parent) { return }
    var (below, name) = (parent, "..")
    while true {
      name += "/.."
      // Where the way up cannot be looked at, it cannot be gone either.
      guard let status = try? System.targetStatus(of: name, in: descriptor),
        !status.isSameFile(as: below)
      else { break }
      try check(ancestor: status, at: "\(path)/\(name)")
      if isHome(status) { break }
      below = status
    }
    var components = path.unicodeScalars.split(separator: "/").map(String.init).dropLast(2)
    while !components.isEmpty {
      let above = "/" + components.joined(separator: "/")
      components.removeLast()
      guard let link = try? System.status(of: above, in: AT_FDCWD),
        let target = try? System.targetStatus(of: above, in: AT_FDCWD)
      else { break }
      if link.owner != System.effectiveUser, link.owner != 0, !link.isDirectory {
        throw StorageError(.refused, "the link \(above) belongs to another user")
      }
      try check(ancestor: target, at: above)
      if isHome(target) { break }
    }
  }

  private func check(ancestor: System.FileStatus, at place: String) throws(StorageError) {
    guard ancestor.permissions & 0o022 != 0, ancestor.permissions & 0o1000 == 0 else { return }
    throw StorageError(
      .refused, "others may write in \(place), where \(path) lies; run: chmod go-w \(place)")
  }

  /// Whether this process may make files here: faccessat(2).
  package var isWritable: Bool { System.isWritable(descriptor) }

  // MARK: Files

  /// Opens a file for reading, if it is one of ours.
  ///
  /// A regular file of the user's own, with one name, closed to others; a symbolic link, a fifo or a
  /// device is refused and not waited for.
  ///
  /// - Returns: A descriptor that the caller closes, and its status.
  /// - Throws: ``StorageError`` with code `.notFound`, `.refused`, `.accessDenied`, `.inputOutput`.
  package func openForReading(
    _ name: String, acceptingPrevious: Bool = false
  ) throws(StorageError) -> (descriptor: Int32, status: System.FileStatus) {
    let file: Int32
    do {
      file = try System.openNoLinks(name, in: descriptor, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
    } catch {
      throw Self.failure(error, "open", "\(path)/\(name)")
    }
    do {
      let status = try checkFile(file, name, acceptingPrevious: acceptingPrevious)
      return (file, status)
    } catch {
      System.close(file)
      throw error
    }
  }

  /// Checks an open file as ``openForReading(_:acceptingPrevious:)`` does.
  @discardableResult
  package func checkFile(
    _ file: Int32, _ name: String, acceptingPrevious: Bool = false
  ) throws(StorageError) -> System.FileStatus {
    let path = "\(path)/\(name)"
    let status: System.FileStatus
    do {
      status = try System.status(file)
    } catch {
      throw Self.failure(error, "look at", path)
    }
    if status.linkCount > 1, acceptingPrevious, isOwnSecondName(file, name, status) {
      try check(status, name, maximumLinkCount: 2)
    } else {
      try check(status, name)
    }
    return status
  }

  /// Refuses what is no regular file of the user's own, closed to others.
  package func check(
    _ status: System.FileStatus, _ name: String, maximumLinkCount: Int = 1
  ) throws(StorageError) {
    let path = "\(path)/\(name)"
    guard status.isRegular else { throw StorageError(.refused, "\(path) is no regular file") }
    guard status.owner == System.effectiveUser else {
      throw StorageError(
        .refused, "\(path) belongs to another user (\(status.owner), not \(System.effectiveUser))")
    }
    guard status.permissions & 0o077 == 0 else {
      throw StorageError(.refused, "others may read or write \(path); run: chmod 600 \(path)")
    }
    guard status.linkCount <= maximumLinkCount else {
      throw StorageError(.refused, "\(path) has a second name (a hard link)")
    }
  }

  private func isOwnSecondName(_ file: Int32, _ name: String, _ status: System.FileStatus) -> Bool {
    guard status.linkCount == 2 else { return false }
    if (try? AtomicFile.isKeptTwice(name, inode: status.inode, in: self)) == true { return true }
    // A writer may have gone on meanwhile, and removed the second name.
    return ((try? System.status(file).linkCount) ?? 2) <= 1
  }

  /// The whole contents of a file that ``openForReading(_:acceptingPrevious:)`` accepts.
  ///
  /// - Parameters:
  ///   - name: The file's name in the directory.
  ///   - limit: How many bytes are accepted; more is an error, not a shorter answer.
  ///   - acceptingPrevious: Whether a second name is accepted that ``AtomicFile`` gave the file, to
  ///     keep it as the generation before.
  /// - Returns: All bytes.
  /// - Throws: ``StorageError``, also with code `.tooLarge`.
  package func read(
    _ name: String, limit: Int, acceptingPrevious: Bool = false
  ) throws(StorageError) -> [UInt8] {
    let (file, status) = try openForReading(name, acceptingPrevious: acceptingPrevious)
    defer { System.close(file) }
    do {
      guard let bytes = try System.readAll(file, expected: status.size, limit: limit) else {
        throw StorageError(.tooLarge, "\(path)/\(name) is larger than \(limit) bytes")
      }
      return bytes
    } catch let error as System.Failure {
      throw Self.failure(error, "read", "\(path)/\(name)", .inputOutput)
    } catch let error as StorageError {
      throw error
    } catch {
      throw StorageError(.inputOutput, "cannot read \(path)/\(name)")
    }
  }

  /// Whether there is anything with this name.
  package func contains(_ name: String) throws(StorageError) -> Bool {
    do {
      _ = try System.status(of: name, in: descriptor)
      return true
    } catch  where error.errno == ENOENT {
      return false
    } catch {
      throw Self.failure(error, "look at", "\(path)/\(name)")
    }
  }

  /// Removes a file; it is no error if there is none.
  ///
  /// - Throws: ``StorageError`` with code `.inputOutput`.
  package func remove(_ name: String) throws(StorageError) {
    do {
      try System.unlink(name, in: descriptor)
    } catch  where error.errno == ENOENT {
      return
    } catch {
      throw Self.failure(error, "remove", "\(path)/\(name)", .inputOutput)
    }
  }

  /// The names of what is in the directory.
  package func names() throws(StorageError) -> [String] {
    do {
      return try System.names(in: descriptor)
    } catch {
      throw Self.failure(error, "list", path)
    }
  }

  /// Makes the directory's entries durable: fsync(2) of a directory.
  package func sync() throws(System.Failure) {
    // An O_PATH descriptor cannot be synced.
    let readable = try System.open(".", in: descriptor, flags: O_RDONLY | O_DIRECTORY)
    defer { System.close(readable) }
    try System.sync(readable)
  }

  /// The error for a failed system call, by what it means for the caller.
  package static func failure(
    _ failure: System.Failure, _ verb: String, _ path: String, _ code: StorageError.Code? = nil
  ) -> StorageError {
    let code: StorageError.Code =
      switch failure.errno {
      case ENOENT: .notFound
      case ELOOP, ENXIO: .refused
      case ENOTDIR where code == nil: .refused
      case EACCES, EPERM: .accessDenied
      default: code ?? .inputOutput
      }
    if failure.errno == ELOOP {
      return StorageError(
        code, "\(path) is a symbolic link", systemError: failure.errno)
    }
    return StorageError(
      code, "cannot \(verb) \(path): \(failure.reason)", systemError: failure.errno)
  }
}
