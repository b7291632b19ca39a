import Glibc

extension Directory {
  /// The path at the end of symbolic links that nobody but the user or root can have made.
  ///
  /// Whoever may exchange a link decides where a vault is read and written. So each link belongs to
  /// the user or to root, and nobody else may write in the folder that it lies in, nor in those
  /// above it, up to the user's home or the root: what ``Directory`` requires of folders.
  ///
  /// - Parameters:
  ///   - path: Absolute; it may also be no link at all.
  ///   - kind: What is expected there, for messages.
  /// - Returns: The path of what is there, whose own folders have not been looked at.
  /// - Throws: ``StorageError`` with code `.refused`, also for a link that leads to nothing: the
  ///   disk that it leads to may not be there yet, and nothing must be made in its place.
  package static func end(
    ofOwnLinks path: String, to kind: String = "file"
  ) throws(StorageError) -> String {
    let home = homeStatus()
    var end = path
    // As many as the kernel follows: path_resolution(7).
    for hop in 0...40 {
      while end.utf8.count > 1, end.utf8.last == UInt8(ascii: "/") { end.removeLast() }
      let status: System.FileStatus
      do {
        status = try System.status(of: end, in: AT_FDCWD)
      } catch  where error.errno == ENOENT && hop > 0 {
        throw leadsNowhere(path, kind, error)
      } catch {
        throw failure(error, "look at", end)
      }
      guard let target = System.linkTarget(end), !status.isDirectory, !status.isRegular else {
        return end
      }
      guard status.owner == System.effectiveUser || status.owner == 0 else {
        throw othersLink(end)
      }
      try checkNamed(above(end), of: end) { home?.isSameFile(as: $0) ?? false }
      let text = String(decoding: target, as: UTF8.self)
      end = text.utf8.first == UInt8(ascii: "/") ? text : "\(above(end))/\(text)"
    }
    throw StorageError(
      .refused, "\(path) leads through more symbolic links than can be followed",
      systemError: ELOOP,
      advice: "they may lead back to themselves: remove one of them, or name what is meant")
  }

  static func othersLink(_ link: String) -> StorageError {
    StorageError(
      .refused, "the link \(link) belongs to another user",
      advice: "name what it leads to, or make a link of your own")
  }

  static func leadsNowhere(_ link: String, _ kind: String, _ error: System.Failure) -> StorageError
  {
    StorageError(
      .refused, "\(link) is a symbolic link to a \(kind) that is not there",
      systemError: error.errno,
      advice: "mount the disk that it leads to, or make what it leads to, or remove the link")
  }

  /// The error for a file system that gives each file the mode of its mount, as FAT does.
  static func keepsNoModes(_ path: String, _ status: System.FileStatus) -> StorageError {
    StorageError(
      .refused,
      "the file system of \(path) keeps no modes: all files there are open to others, and chmod "
        + "changes nothing",
      advice: "use a disk with a file system of Linux; or mount this one for yourself alone, with "
        + "umask=077; a key file alone may lie there")
  }

  /// Whether a new file here has the mode that it is made with; `nil` if none can be made.
  ///
  /// Only for an error: it makes a file and removes it.
  func keepsModesOfFiles() -> Bool? {
    let name = AtomicFile.temporaryName(for: "modes")
    guard
      let file = try? System.open(
        name, in: descriptor, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    else { return nil }
    defer {
      System.close(file)
      try? System.unlink(name, in: descriptor)
    }
    return (try? System.status(file)).map { $0.permissions & 0o077 == 0 }
  }
}
