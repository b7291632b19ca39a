import Glibc

/// Files of a person's, or of other programs, by their paths.
///
/// Links are followed as any program follows them, and nobody's ownership is checked; ``Directory``
/// is for what the vault itself keeps.
package enum UserFile {
  /// Whether something is there: at the end of symbolic links, or a link that leads nowhere if
  /// `followingLinks` is false.
  package static func exists(_ path: String, followingLinks: Bool = true) -> Bool {
    if followingLinks { return (try? System.targetStatus(of: path, in: AT_FDCWD)) != nil }
    return (try? System.status(of: path, in: AT_FDCWD)) != nil
  }

  /// Whether a folder is at the end of symbolic links.
  package static func isFolder(_ path: String) -> Bool {
    (try? System.targetStatus(of: path, in: AT_FDCWD).isDirectory) ?? false
  }

  /// Whether a path is a symbolic link itself.
  package static func isLink(_ path: String) -> Bool {
    ((try? destination(ofLink: path)) ?? nil) != nil
  }

  /// All bytes of a file or pipe.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - limit: The maximum number of bytes.
  /// - Returns: The bytes.
  /// - Throws: ``System/Failure``, with `EFBIG` for a file that is too large; it is never treated
  ///   as empty.
  package static func bytes(of path: String, limit: Int) throws(System.Failure) -> [UInt8] {
    let file = try System.open(path, in: AT_FDCWD, flags: O_RDONLY)
    defer { System.close(file) }
    let size = try System.status(file).size
    guard let bytes = try System.readAll(file, expected: size, limit: limit) else {
      throw System.Failure(errno: EFBIG)
    }
    return bytes
  }

  /// All bytes of a regular file; nothing else is waited for.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - limit: The maximum number of bytes.
  /// - Returns: The bytes; `nil` for a pipe, a device or a folder.
  /// - Throws: ``System/Failure``, with `EFBIG` for a file that is too large.
  package static func bytes(
    ofRegular path: String, limit: Int
  ) throws(System.Failure) -> [UInt8]? {
    // A pipe without a writer would block at once.
    let file = try System.open(path, in: AT_FDCWD, flags: O_RDONLY | O_NONBLOCK)
    defer { System.close(file) }
    let status = try System.status(file)
    guard status.isRegular else { return nil }
    guard let bytes = try System.readAll(file, expected: status.size, limit: limit) else {
      throw System.Failure(errno: EFBIG)
    }
    return bytes
  }

  /// The names in a folder, sorted.
  ///
  /// - Parameter folder: The folder.
  /// - Returns: The names, without `.` and `..`.
  /// - Throws: ``System/Failure``.
  package static func names(in folder: String) throws(System.Failure) -> [String] {
    let handle = try System.open(folder, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
    defer { System.close(handle) }
    return try System.names(in: handle).sorted()
  }

  /// The paths of all that is below a folder, relative to it and sorted.
  ///
  /// Links are listed, and not followed.
  ///
  /// - Parameter folder: The folder.
  /// - Returns: The paths of files and of folders, each folder before what is in it.
  /// - Throws: ``System/Failure``.
  package static func paths(below folder: String) throws(System.Failure) -> [String] {
    var found: [String] = []
    var rest = try names(in: folder)
    while let path = rest.popLast() {
      found.append(path)
      // A name that is no UTF-8 is listed with its bad bytes replaced, and nothing is found under it.
      guard let status = try? System.status(of: "\(folder)/\(path)", in: AT_FDCWD),
        status.isDirectory
      else { continue }
      for name in try names(in: "\(folder)/\(path)") { rest.append("\(path)/\(name)") }
    }
    return found.sorted()
  }

  /// Makes a folder and those that it lies in, as `mkdir -p` does.
  ///
  /// - Parameter path: The folder.
  /// - Throws: ``System/Failure``.
  package static func makeFolders(_ path: String) throws(System.Failure) {
    guard !isFolder(path) else { return }
    let parent = folder(of: path)
    if parent != path { try makeFolders(parent) }
    do {
      try System.makeDirectory(path, in: AT_FDCWD, mode: 0o777)
    } catch  where error.errno == EEXIST && isFolder(path) {
      return
    }
  }

  /// Removes a file, or a folder with all that is in it; a link is removed, and not what it leads
  /// to.
  ///
  /// - Parameter path: What is removed.
  /// - Throws: ``System/Failure``.
  package static func removeAll(_ path: String) throws(System.Failure) {
    guard try System.status(of: path, in: AT_FDCWD).isDirectory else {
      return try System.unlink(path, in: AT_FDCWD)
    }
    for name in try names(in: path) { try removeAll("\(path)/\(name)") }
    try System.removeDirectory(path, in: AT_FDCWD)
  }

  /// The directory that relative paths are taken from; empty if it has been removed.
  package static var workingDirectory: String {
    guard let path = unsafe getcwd(nil, 0) else { return "" }
    defer { unsafe free(path) }
    return unsafe String(cString: path)
  }

  // MARK: Replacing

  /// Writes a file beside the old one, renames it over, and has both on the disk when it returns.
  ///
  /// The mode and owner of the old file stay, and so does a symbolic link to it. Devices and pipes
  /// are written directly, if they are the user's own or, of devices, the system's.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - bytes: The contents.
  ///   - mode: The mode of a new file, less what umask(2) takes away.
  ///   - isForEveryone: Whether a new file has that mode whatever umask(2) takes away: the command
  ///     takes all from others.
  /// - Throws: ``System/Failure``.
  package static func replace(
    _ path: String, with bytes: [UInt8], mode: UInt32, isForEveryone: Bool = false
  ) throws(System.Failure) {
    let target = try self.target(of: path)
    let old = try status(of: target)
    if let old, !old.isRegular {
      // A pipe of another user's would hand him what is written.
      guard old.owner == geteuid() || old.owner == 0 else { throw System.Failure(errno: EACCES) }
      let file = try System.open(target, in: AT_FDCWD, flags: O_WRONLY | O_NOCTTY)
      defer { System.close(file) }
      let opened = try System.status(file)
      guard opened.owner == geteuid() || opened.owner == 0 && opened.isCharacterDevice else {
        throw System.Failure(errno: EACCES)
      }
      return try System.writeAll(file, unsafe bytes.span.bytes)
    }
    let (file, temporary) = try makeTemporary(for: target, mode: mode)
    // Its lock is held until it has its name.
    defer { System.close(file) }
    do {
      try write(bytes, to: file, inPlaceOf: old, mode: mode, isForEveryone)
      try System.rename(temporary, to: target, in: AT_FDCWD)
      let directory = try openFolder(of: target)
      defer { System.close(directory) }
      try System.sync(directory)
    } catch {
      try? System.unlink(temporary, in: AT_FDCWD)
      throw error
    }
    _ = removeLeftovers(of: target)
  }

  /// Makes the file that will be renamed, and takes its lock, by which others see that its writer
  /// lives.
  static func makeTemporary(
    for target: String, mode: UInt32
  ) throws(System.Failure) -> (file: Int32, path: String) {
    while true {
      let path = temporaryPath(for: target)
      let file = try System.open(
        path, in: AT_FDCWD, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
      System.waitForDirectoryLock(file)
      // Before the lock was taken it looked like one that was left, and may have been removed.
      guard let status = try? System.status(file), status.linkCount == 0 else {
        return (file, path)
      }
      System.close(file)
    }
  }

  static func temporaryPath(for target: String) -> String {
    "\(target).\(AtomicFile.randomSuffix())~"
  }

  // MARK: What killed writers leave

  /// What ``replace(_:with:mode:isForEveryone:)`` left beside a file when it was killed: the text
  /// that was to be the new one.
  ///
  /// - Parameter path: The file, which need not exist; links are followed.
  /// - Returns: Paths of files of this user's that no living writer holds.
  package static func leftovers(of path: String) -> [String] {
    var found: [String] = []
    forEachLeftover(of: path) { found.append($0) }
    return found
  }

  /// Removes what ``leftovers(of:)`` finds.
  ///
  /// - Parameter path: The file.
  /// - Returns: What was removed, and what could not be.
  package static func removeLeftovers(of path: String) -> (removed: [String], kept: [String]) {
    var (removed, kept): ([String], [String]) = ([], [])
    forEachLeftover(of: path) { leftover in
      let isRemoved = (try? System.unlink(leftover, in: AT_FDCWD)) != nil
      if isRemoved { removed.append(leftover) } else { kept.append(leftover) }
    }
    return (removed, kept)
  }

  /// Calls `body` with each of them, while nobody else can take it for a living writer's.
  private static func forEachLeftover(of path: String, _ body: (String) -> Void) {
    guard let target = try? target(of: path) else { return }
    let folder = folder(of: target)
    let prefix = target.utf8.lastIndex(of: 0x2f).map { String(target[$0...].dropFirst()) } ?? target
    for name in (try? names(in: folder)) ?? [] where isTemporary(name, of: prefix) {
      let leftover = "\(folder)/\(name)"
      guard let status = try? System.status(of: leftover, in: AT_FDCWD), status.isRegular,
        status.owner == System.effectiveUser
      else { continue }
      // NFS locks what is open for writing alone. A file that may not be opened has no writer of ours.
      let flags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
      let file =
        (try? System.open(leftover, in: AT_FDCWD, flags: O_RDWR | flags))
        ?? (try? System.open(leftover, in: AT_FDCWD, flags: O_RDONLY | flags))
      defer { if let file { System.close(file) } }
      if file.map({ System.lockDirectory($0) }) ?? true { body(leftover) }
    }
  }

  /// Whether a name is one of ``temporaryPath(for:)``.
  private static func isTemporary(_ name: String, of file: String) -> Bool {
    let rest = name.utf8.dropFirst(file.utf8.count)
    return name.utf8.starts(with: file.utf8) && rest.count == 18
      && rest.first == UInt8(ascii: ".") && rest.last == UInt8(ascii: "~")
      && rest.dropFirst().dropLast().allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x66).contains($0)
      }
  }

  /// Makes a file that is not there.
  ///
  /// - Parameters:
  ///   - path: The file; no link is followed.
  ///   - bytes: The contents.
  ///   - mode: Its mode, less what umask(2) takes away.
  /// - Throws: ``System/Failure``, with `EEXIST` if there is one; if it cannot be written, it is
  ///   removed again.
  package static func make(
    _ path: String, with bytes: [UInt8], mode: UInt32
  ) throws(System.Failure) {
    let file = try System.open(
      path, in: AT_FDCWD, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
    defer { System.close(file) }
    do {
      try System.writeAll(file, unsafe bytes.span.bytes)
    } catch {
      try? System.unlink(path, in: AT_FDCWD)
      throw error
    }
  }

  private static func write(
    _ bytes: [UInt8], to file: Int32, inPlaceOf old: System.FileStatus?, mode: UInt32,
    _ isForEveryone: Bool
  ) throws(System.Failure) {
    try System.writeAll(file, unsafe bytes.span.bytes)
    if let old {
      // Only root may change a file's owner; otherwise it becomes the writer's, as on a Mac.
      _ = fchown(file, old.owner, old.group)
      _ = fchmod(file, old.permissions & 0o777)
    } else if isForEveryone {
      _ = fchmod(file, mode)
    }
    try System.sync(file)
  }

  /// The path without its last component; `.` where there is none.
  package static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: 0x2f) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Opens the folder that a file is in, for its lock and for ``System/sync(_:)``.
  ///
  /// - Parameter path: The file, which need not exist.
  /// - Returns: A descriptor that the caller closes.
  /// - Throws: ``System/Failure``.
  package static func openFolder(of path: String) throws(System.Failure) -> Int32 {
    try System.open(folder(of: path), in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
  }

  /// The file at the end of symbolic links, even if it does not exist yet.
  ///
  /// - Parameter path: The path.
  /// - Returns: The path of the file.
  /// - Throws: ``System/Failure``, with `EACCES` for a link that somebody else may have made.
  package static func target(of path: String) throws(System.Failure) -> String {
    // `/dev/stdout` leads to something that may have no name.
    try followed(path) { link throws(System.Failure) in try status(of: link)?.isRegular ?? true }
  }

  /// The folder at the end of symbolic links.
  ///
  /// - Parameter path: The path.
  /// - Returns: The path of the folder, which need not exist.
  /// - Throws: As ``target(of:)``.
  package static func target(ofFolder path: String) throws(System.Failure) -> String {
    try followed(path) { _ in true }
  }

  /// A name in a folder.
  package struct Step: Hashable, Sendable {
    /// A path without symbolic links.
    package let folder: String
    /// The name.
    package let name: String
  }

  /// What a path depends on: each symbolic link that it leads through, and the file at the end, or
  /// what is missing on the way to it.
  ///
  /// - Parameter path: An absolute path.
  /// - Returns: The places, in the order of the way.
  package static func steps(to path: String) -> [Step] {
    var steps: [Step] = []
    var way = path.parts(at: "/").map(String.init)[...]
    var folder = ""
    // As many as the kernel follows: path_resolution(7).
    var links = 40
    while let name = way.popFirst() {
      if name == "." { continue }
      if name == ".." {
        folder = folder.isEmpty ? "" : self.folder(of: folder)
        if folder == "/" { folder = "" }
        continue
      }
      let place = Step(folder: folder.isEmpty ? "/" : folder, name: name)
      let here = "\(folder)/\(name)"
      if links > 0, let target = System.linkTarget(here) {
        links -= 1
        steps.append(place)
        let text = String(decoding: target, as: UTF8.self)
        if text.utf8.first == 0x2f { folder = "" }
        way = text.parts(at: "/").map(String.init)[...] + way
      } else if way.isEmpty || (try? status(of: here)) == nil {
        steps.append(place)
        break
      } else {
        folder = here
      }
    }
    return steps
  }

  private static func followed(
    _ path: String, while isFollowed: (_ link: String) throws(System.Failure) -> Bool
  ) throws(System.Failure) -> String {
    var target = path
    // As many as the kernel follows: path_resolution(7).
    for _ in 0..<40 {
      guard let next = try destination(ofLink: target), try isFollowed(target) else { break }
      target = next
    }
    return target
  }

  /// Where a symbolic link points to; `nil` for anything else.
  ///
  /// - Throws: `EACCES` if somebody else may have created the link: in a directory like `/tmp`,
  ///   only links of the user and of the directory's owner are followed. That is the rule of
  ///   protected_symlinks in proc(5), which may be switched off in the kernel.
  private static func destination(ofLink path: String) throws(System.Failure) -> String? {
    // Behind a slash at the end, the kernel has followed the link already.
    var path = path
    while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
    guard let bytes = System.linkTarget(path) else { return nil }
    if let folder = try status(of: folder(of: path)), folder.permissions & 0o1002 == 0o1002 {
      let owner = try System.status(of: path, in: AT_FDCWD).owner
      guard owner == System.effectiveUser || owner == folder.owner else {
        throw System.Failure(errno: EACCES)
      }
    }
    let target = String(decoding: bytes, as: UTF8.self)
    return target.utf8.first == 0x2f ? target : "\(folder(of: path))/\(target)"
  }

  /// The status of a file at the end of symbolic links; `nil` if there is none.
  private static func status(of path: String) throws(System.Failure) -> System.FileStatus? {
    do {
      return try System.targetStatus(of: path, in: AT_FDCWD)
    } catch  where error.errno == ENOENT {
      return nil
    }
  }
}
