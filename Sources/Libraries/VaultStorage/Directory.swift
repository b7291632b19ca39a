import CVaultLinux
import Glibc

/// An open directory that only its owner can write to, and the files in it.
///
/// The descriptor is opened once, checked with fstat(2), and used to reach every file, so that
/// nothing can be swapped between check and use. The rules are those of ssh for its own files:
/// sshd(8), `StrictModes`. Symbolic links in the middle of the path are followed, and the
/// directories that contain them are checked, too.
package final class Directory: Sendable {
  /// The absolute path, for messages and for SQLite.
  package let path: String
  /// Opened with `O_PATH`.
  package let descriptor: Int32

  /// Opens a directory.
  ///
  /// - Parameters:
  ///   - path: Absolute. Its last component may be a symbolic link that only the user or root can
  ///     have made, as ``end(ofOwnLinks:)`` says.
  ///   - create: Creates it and missing parents with mode 0700.
  /// - Throws: ``StorageError`` with code `.notFound`, `.refused`, `.cannotCreate`,
  ///   `.accessDenied`.
  package convenience init(_ path: String, create: Bool = false) throws(StorageError) {
    try self.init(path, create: create, isChecked: true)
  }

  /// Opens a directory that a program chose for its own data; its owner is not checked.
  ///
  /// For stores whose location and protection are up to the application.
  ///
  /// - Parameters:
  ///   - path: Absolute.
  ///   - create: Creates it and missing parents with mode 0700.
  ///   - followsLink: Whether its last component may be a symbolic link, unless somebody else may
  ///     have made it. One that leads to nothing is refused: what it leads to is not made.
  /// - Throws: As ``init(_:create:)``.
  package convenience init(
    anyOwner path: String, create: Bool = false, followsLink: Bool = false
  ) throws(StorageError) {
    try self.init(path, create: create, isChecked: false, followsLink: followsLink)
  }

  /// Opens such a directory; `nil` if there is none.
  ///
  /// - Throws: ``StorageError``, where there is one that cannot be opened.
  package static func ifThere(
    anyOwner path: String, followsLink: Bool = false
  ) throws(StorageError) -> Directory? {
    do {
      return try Directory(anyOwner: path, followsLink: followsLink)
    } catch  where error.code == .notFound {
      return nil
    }
  }

  private init(
    _ path: String, create: Bool, isChecked: Bool, followsLink: Bool = false
  ) throws(StorageError) {
    self.path = path
    let links: Links = isChecked ? .own : followsLink ? .anyOwner : .refused
    var made: [String] = []
    if let opened = try Self.open(path, isMissingAllowed: create, links) {
      descriptor = opened
    } else {
      made = try Self.make(path)
      guard let opened = try Self.open(path, isMissingAllowed: false, links) else {
        throw StorageError(.notFound, "there is no directory \(path)")
      }
      descriptor = opened
    }
    guard isChecked else { return }
    do {
      if !made.isEmpty {
        try checkMade()
        try checkHome()
      }
      try checkOwnership()
    } catch {
      System.close(descriptor)
      // The deepest first; one that somebody has put something into stays.
      for folder in made.reversed() { try? System.removeDirectory(folder, in: AT_FDCWD) }
      throw error
    }
  }

  /// Refuses a new directory that is open to others although it was made with mode 0700.
  private func checkMade() throws(StorageError) {
    guard let status = try? System.status(descriptor), status.permissions & 0o077 != 0 else {
      return
    }
    throw Self.keepsNoModes(path, status)
  }

  /// Refuses to make something in the home of another user, who would be locked out of it: `sudo -E`
  /// and `su` leave `HOME` as it is.
  ///
  /// In a job of CI nobody is: containers of GitHub's actions run as root with the runner's home.
  private func checkHome() throws(StorageError) { try Self.checkHome(of: path) }

  /// Refuses to make something below a path in the home of another user; see ``checkHome()``.
  ///
  /// - Parameters:
  ///   - path: A file or folder.
  ///   - environment: Returns `HOME` and `CI`.
  /// - Throws: ``StorageError`` with code `.refused`.
  package static func checkHome(
    of path: String, _ environment: (String) -> String? = StoreLocation.variable
  ) throws(StorageError) {
    let user = System.effectiveUser
    guard let home = try? StoreLocation.home(environment), path.begins(with: "\(home)/"),
      !home.isEmpty, let status = try? System.targetStatus(of: home, in: AT_FDCWD),
      status.owner != user, status.owner != 0, (environment("CI") ?? "").isEmpty
    else { return }
    throw StorageError(
      .refused, "the home \(home) belongs to another user (\(status.owner), not \(user))",
      advice: "work as that user, or with a HOME of your own")
  }

  /// Which symbolic links are followed at the end of a path.
  private enum Links { case refused, own, anyOwner }

  deinit { System.close(descriptor) }

  private static func open(
    _ path: String, isMissingAllowed: Bool, _ links: Links
  ) throws(StorageError) -> Int32? {
    do {
      return try System.open(
        path, in: AT_FDCWD, flags: cvault_o_path | O_DIRECTORY | O_NOFOLLOW)
    } catch  where error.errno == ENOENT && isMissingAllowed {
      return nil
    } catch  where error.errno == ENOTDIR && System.linkTarget(path) != nil {
      if links != .refused { return try openFollowing(path, links) }
      throw StorageError(
        .refused, "\(path) is a symbolic link; a folder must lie there",
        systemError: error.errno, advice: "name the folder itself")
    } catch {
      throw failure(error, "open the directory", path)
    }
  }

  private static func openFollowing(_ link: String, _ links: Links) throws(StorageError) -> Int32 {
    let own = links == .own ? try end(ofOwnLinks: link, to: "folder") : nil
    do {
      let end = if let own { own } else { try UserFile.target(ofFolder: link) }
      return try System.open(
        end, in: AT_FDCWD, flags: cvault_o_path | O_DIRECTORY | O_NOFOLLOW)
    } catch  where error.errno == ENOENT {
      throw leadsNowhere(link, "folder", error)
    } catch {
      throw failure(error, "open the directory", link)
    }
  }

  /// Makes a directory and missing parents; returns those that were made, from above.
  private static func make(_ path: String) throws(StorageError) -> [String] {
    var all: [String] = []
    var made = ""
    let components = path.parts(at: "/")
    // From the end, so that a parent that exists but cannot be searched does not matter.
    var missing = 0
    while missing < components.count {
      do {
        try System.makeDirectory(
          "/" + components.dropLast(missing).joined(separator: "/"), in: AT_FDCWD, mode: 0o700)
        all.append("/" + components.dropLast(missing).joined(separator: "/"))
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
        all.append(made)
      } catch  where error.errno == EEXIST {
        continue
      } catch {
        throw failure(error, "create the directory", path, .cannotCreate)
      }
    }
    return all
  }

  /// The status of the user's home; `nil` where it cannot be looked at.
  static func homeStatus() -> System.FileStatus? {
    (try? StoreLocation.home()).flatMap {
      try? System.targetStatus(of: $0.isEmpty ? "/" : $0, in: AT_FDCWD)
    }
  }

  /// Checks owner and mode of the directory and of its parent.
  ///
  /// Anyone who can write to the parent can replace this directory, unless the parent is sticky
  /// (`/tmp`). A group that is the user's alone is nobody else: ``PrivateGroup``.
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
      if System.keepsModes(descriptor) == false { throw Self.keepsNoModes(path, own) }
      throw StorageError(.refused, "others may write in \(path); run: chmod go-w \(path)")
    }
    guard let parent else { return }
    if parent.owner != user, parent.owner != 0 {
      throw StorageError(.refused, "the directory above \(path) belongs to another user")
    }
    if Self.isOpenToOthers(parent, at: "\(path)/..") {
      throw StorageError(
        .refused, "others may write in the directory above \(path); run: chmod go-w \(path)/..")
    }
    try checkAncestors(own, parent)
  }

  /// Refuses an ancestor that others may write to, up to the user's home or else the root.
  ///
  /// Checks the ancestors by `..` and those named in the path, which differ if the path contains a
  /// link.
  private func checkAncestors(
    _ own: System.FileStatus, _ parent: System.FileStatus
  ) throws(StorageError) {
    let home = Self.homeStatus()
    func isHome(_ status: System.FileStatus) -> Bool { home?.isSameFile(as: status) ?? false }
    if isHome(own) || isHome(parent) { return }
    var (below, name) = (parent, "..")
    while true {
      name += "/.."
      // An ancestor that this process cannot examine cannot be walked by it either.
      guard let status = try? System.targetStatus(of: name, in: descriptor),
        !status.isSameFile(as: below)
      else { break }
      try Self.check(ancestor: status, of: path, at: "\(path)/\(name)")
      if isHome(status) { break }
      below = status
    }
    try Self.checkNamed(Self.above(Self.above(path)), of: path, isHome: isHome)
  }

  /// Refuses a directory that others may write to, or a link of somebody else, in a path.
  ///
  /// - Parameters:
  ///   - named: The path, whose last component is looked at, too.
  ///   - path: What lies there, for the message.
  ///   - isHome: Whether a directory is the user's home: nothing above it is looked at.
  /// - Throws: ``StorageError`` with code `.refused`.
  static func checkNamed(
    _ named: String, of path: String, isHome: (System.FileStatus) -> Bool
  ) throws(StorageError) {
    var named = named
    while !named.isEmpty {
      let above = named
      named = Self.above(above)
      guard let link = try? System.status(of: above, in: AT_FDCWD),
        let target = link.isDirectory ? link : try? System.targetStatus(of: above, in: AT_FDCWD)
      else { break }
      if link.owner != System.effectiveUser, link.owner != 0, !link.isDirectory {
        throw othersLink(above)
      }
      try check(ancestor: target, of: path, at: above)
      if isHome(target) { break }
    }
  }

  /// The path without its last component; empty for one component.
  ///
  /// By hand: joining a list of components costs more than all the calls of the kernel here, since
  /// its types are looked up at run time.
  static func above(_ path: String) -> String {
    let bytes = path.utf8.span
    var end = bytes.count
    func drop(while isDropped: (UInt8) -> Bool) {
      while end > 0, isDropped(bytes[end - 1]) { end -= 1 }
    }
    drop { $0 == 0x2F }
    drop { $0 != 0x2F }
    drop { $0 == 0x2F }
    return String(decoding: path.utf8.prefix(end), as: UTF8.self)
  }

  /// Whether somebody else may replace what is in a directory.
  ///
  /// Not so if only the user's own private group may write, or if the directory is sticky.
  private static func isOpenToOthers(
    _ status: System.FileStatus, at place: @autoclosure () -> String
  ) -> Bool {
    guard status.permissions & 0o022 != 0, status.permissions & 0o1000 == 0 else { return false }
    return status.permissions & 0o002 != 0 || !PrivateGroup.isOwn(status.group)
      || System.hasAccessList(place())
  }

  private static func check(
    ancestor: System.FileStatus, of path: String, at place: @autoclosure () -> String
  ) throws(StorageError) {
    guard isOpenToOthers(ancestor, at: place()) else { return }
    let place = place()
    throw StorageError(
      .refused, "others may write in \(place), where \(path) lies; run: chmod go-w \(place)")
  }

  /// Whether this process may create files here: faccessat(2).
  package var isWritable: Bool { System.isWritable(descriptor) }

  // MARK: Files

  /// Opens a file for reading if it is private to the user.
  ///
  /// The file must be regular, belong to the user, have one name, and be closed to others. A
  /// symbolic link, a FIFO or a device is refused without blocking.
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
    let status: System.FileStatus
    do {
      status = try System.status(file)
    } catch {
      throw Self.failure(error, "look at", "\(path)/\(name)")
    }
    if status.linkCount > 1, acceptingPrevious, hasOnlyOwnNames(file, name, status) {
      try check(status, name, maximumLinkCount: status.linkCount)
    } else {
      try check(status, name)
    }
    return status
  }

  /// Refuses a file that is not regular, not the user's, or open to others.
  package func check(
    _ status: System.FileStatus, _ name: String, maximumLinkCount: Int = 1
  ) throws(StorageError) {
    // The path is put together for an error alone.
    var file: String { "\(path)/\(name)" }
    guard status.isRegular else { throw StorageError(.refused, "\(file) is not a regular file") }
    guard status.owner == System.effectiveUser else {
      throw StorageError(
        .refused, "\(file) belongs to another user (\(status.owner), not \(System.effectiveUser))")
    }
    guard status.permissions & 0o077 == 0 else {
      if System.keepsModes(descriptor) == false { throw Self.keepsNoModes(file, status) }
      throw StorageError(.refused, "others may read or write \(file); run: chmod 600 \(file)")
    }
    guard status.linkCount <= maximumLinkCount else {
      throw StorageError(
        .refused, "\(file) has a second name (a hard link)",
        advice:
          "remove the other name, or make this one a file of its own: copy it, and move the copy "
          + "over it")
    }
  }

  /// Whether every further name of a file is one that a writer of ours has given it: two of them
  /// where one writer after another was killed.
  ///
  /// A writer may rename one of them while they are counted, so that it is found under neither
  /// name: they are counted again. No writer renames a name of one file twice, so that only killed
  /// writers, one after another, could be in the way more often.
  private func hasOnlyOwnNames(_ file: Int32, _ name: String, _ status: System.FileStatus) -> Bool {
    var linkCount = status.linkCount
    for _ in 1...8 {
      let others = try? AtomicFile.countOfOtherNames(of: name, inode: status.inode, in: self)
      if others == linkCount - 1 { return true }
      // A writer may have continued meanwhile and removed them.
      guard let now = try? System.status(file).linkCount else { return false }
      if now <= 1 { return true }
      linkCount = now
    }
    return false
  }

  /// The whole contents of a file that ``openForReading(_:acceptingPrevious:)`` accepts.
  ///
  /// - Parameters:
  ///   - name: The file's name in the directory.
  ///   - limit: The maximum number of bytes; a larger file is an error, not truncated.
  ///   - acceptingPrevious: Whether to accept a second name that ``AtomicFile`` gave the file as
  ///     the previous generation.
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

  /// Whether an entry with this name exists.
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

  /// Removes a file; does nothing if there is none.
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

  /// The names of the directory's entries.
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

  /// Maps a failed system call to the error that the caller sees.
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
      code, "cannot \(verb) \(path): \(failure.reason)", systemError: failure.errno,
      advice: failure.errno == ENOTDIR
        ? "a part of that path is a file: name a folder, also in HOME" : nil)
  }
}
