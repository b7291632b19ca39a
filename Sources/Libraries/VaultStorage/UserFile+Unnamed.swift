import Glibc

extension UserFile {
  /// O_TMPFILE of open(2), which Glibc's module does not have: asm-generic/fcntl.h.
  private static let unnamed: Int32 = 0o20000000 | O_DIRECTORY

  /// Writes a file, completely or not at all: until all is written it has no name, so that nothing
  /// remains of a process that is killed.
  ///
  /// An old file of the name is replaced. Where the file system has no files without a name, the new
  /// one has that of ``leftovers(of:)`` meanwhile, and the next writer removes it.
  ///
  /// - Parameters:
  ///   - path: The file; a symbolic link of the name is replaced.
  ///   - atCreation: Makes the error for a file that cannot be made.
  ///   - body: Writes to a descriptor of a file with mode 0600.
  /// - Throws: What `atCreation` makes; ``System/Failure``.
  package static func writeUnnamed(
    _ path: String, atCreation: (System.Failure) -> any Error,
    _ body: (_ file: Int32) throws(System.Failure) -> Void
  ) throws {
    let (file, name): (Int32, String?)
    do {
      (file, name) = try makeUnnamed(for: path)
    } catch {
      throw atCreation(error)
    }
    // Its lock is held until it has its name.
    defer { System.close(file) }
    var temporary = name
    do {
      try body(file)
      try System.sync(file)
      if temporary == nil { temporary = try giveName(file, path) }
      if let temporary { try System.rename(temporary, to: path, in: AT_FDCWD) }
    } catch {
      if let temporary { try? System.unlink(temporary, in: AT_FDCWD) }
      throw error
    }
    _ = removeLeftovers(of: path)
  }

  /// Makes the file, and returns its name if it has one.
  private static func makeUnnamed(for path: String) throws(System.Failure) -> (Int32, String?) {
    do {
      let file = try System.open(
        folder(of: path), in: AT_FDCWD, flags: unnamed | O_WRONLY, mode: 0o600)
      System.waitForDirectoryLock(file)
      return (file, nil)
    } catch  where [EOPNOTSUPP, EISDIR, EINVAL, ENOENT].contains(error.errno) {
      let (file, name) = try makeTemporary(for: path, mode: 0o600)
      return (file, name)
    }
  }

  /// Gives a file the name that is free; returns another one, to be renamed, where it is not.
  private static func giveName(_ file: Int32, _ path: String) throws(System.Failure) -> String? {
    do {
      try System.link(descriptor: file, to: path)
      return nil
    } catch  where error.errno == EEXIST {
      let temporary = temporaryPath(for: path)
      try System.link(descriptor: file, to: temporary)
      return temporary
    }
  }
}
