import Glibc
package import VaultSealing
package import VaultStorage
import VaultTerminal

/// Writes a secret to a file of the user's choosing.
package enum OutputFile {
  /// Why the contents cannot be written.
  package typealias WriteFailure = System.Failure

  /// Writes `secret` to a file with mode 0600, completely or not at all.
  ///
  /// A new file is renamed over an old one, so that nobody reads half of it and the old file's mode
  /// does not matter. Devices and pipes are written to directly. A symbolic link is refused, but for
  /// those by which a process names its own descriptors, `/dev/stdout` and the `/dev/fd/63` that a
  /// shell puts for `>(command)`; whoever opened them chose the mode.
  ///
  /// - Throws: ``CommandError`` with code `cannot-create` (73) or `input-output` (74).
  package static func write(_ secret: SecretBytes, to path: String) throws {
    try write(to: path) { file throws(System.Failure) in
      try secret.withBytes { bytes throws(System.Failure) in try System.writeAll(file, bytes) }
    }
  }

  /// Writes a file as ``write(_:to:)`` does.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - mode: Its mode once it is complete; 0600 until then.
  ///   - isPlainFile: Whether devices and pipes are refused.
  ///   - option: The option that names the file, for messages.
  ///   - body: Writes the contents to a descriptor.
  /// - Throws: ``CommandError`` with code `cannot-create` (73) or `input-output` (74).
  package static func write(
    to path: String, mode: UInt32 = 0o600, isPlainFile: Bool = false, option: String = "--out",
    _ body: (_ file: Int32) throws(WriteFailure) -> Void
  ) throws {
    func failed(_ why: String, hint: String? = nil) -> CommandError {
      CommandError(.cannotCreate, "the file of \(option) cannot be created: \(why)", hint: hint)
    }
    var old = stat()
    let exists = unsafe lstat(path, &old) == 0
    if exists {
      switch old.st_mode & S_IFMT {
      case S_IFREG: break
      case S_IFLNK:
        guard let descriptor = descriptor(of: path) else {
          throw failed("it is a symbolic link", hint: "name the file that it points to")
        }
        guard !isPlainFile else {
          throw failed("it is no plain file", hint: "write to stdout, without \(option)")
        }
        return try write(toDescriptor: descriptor, body)
      case S_IFDIR:
        let end = path.ends(with: "/") ? "" : "/"
        throw failed(
          "it is a directory", hint: "name a file in it: \(option) \(Quoting.typed(path + end))FILE"
        )
      case _ where isPlainFile:
        throw failed("it is a device or a pipe", hint: "write to stdout, without \(option)")
      default:
        // A pipe of another user's would hand him the secret.
        guard mayBeWrittenThrough(old) else {
          throw failed(
            "it is another user's pipe or device", hint: "name a file in a folder of your own")
        }
        return try writeThrough(path, body)
      }
    }
    let slash = path.unicodeScalars.lastIndex(of: "/")
    let folder = slash.map { String(path[...$0]) } ?? ""
    var isOpenToOthers = false
    do {
      try UserFile.writeUnnamed(
        path,
        atCreation: { error in
          failed(error.reason, hint: "check that its folder exists and can be written")
        }
      ) { file throws(System.Failure) in
        try body(file)
        // More than 0600 only if the caller asks for it, and only when the file is complete.
        if mode != 0o600, fchmod(file, mode) != 0 { throw System.Failure(errno: errno) }
        var written = stat()
        isOpenToOthers =
          unsafe fstat(file, &written) == 0 && written.st_mode & 0o777 & ~mode & 0o077 != 0
      }
    } catch let error as System.Failure {
      throw unwritten(error)
    }
    try syncFolder(folder.isEmpty ? "." : folder)
    if isOpenToOthers {
      StandardError.warning(
        "others can read \(Sanitizer.visible(path)): its file system gives it a mode of its own",
        hint: "such as FAT does: keep it elsewhere, or mount that with another umask")
    }
  }

  /// Refuses a place that ``write(to:mode:isPlainFile:option:_:)`` would refuse later, before anything is
  /// changed elsewhere.
  ///
  /// - Parameters:
  ///   - path: The file; it need not be there.
  ///   - option: The option that names it.
  /// - Throws: ``CommandError`` with code `cannot-create`.
  package static func checkIsPlainFile(_ path: String, option: String) throws {
    var old = stat()
    guard unsafe lstat(path, &old) == 0, old.st_mode & S_IFMT != S_IFREG else { return }
    let isLink = old.st_mode & S_IFMT == S_IFLNK
    throw CommandError(
      .cannotCreate,
      "the file of \(option) cannot be created: it is "
        + (isLink ? "a symbolic link" : "no plain file"),
      hint: (isLink ? "name the file that it points to" : "write to stdout: \(option) -")
        + "; nothing was changed")
  }

  /// Says what a file holds now: a line with `-o` must not look as if nothing had happened.
  ///
  /// - Parameters:
  ///   - count: How many bytes were written.
  ///   - path: The file; nothing is said of a device or a pipe.
  package static func tell(_ count: Int, in path: String) {
    var file = stat()
    guard unsafe lstat(path, &file) == 0, file.st_mode & S_IFMT == S_IFREG else { return }
    StandardError.note("wrote \(Plural.bytes(count)) to \(Sanitizer.visible(path))")
  }

  /// The new name is on the disk as well, where the file system has a say in that.
  private static func syncFolder(_ folder: String) throws {
    guard
      let descriptor = try? System.open(folder, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
    else { return }
    defer { System.close(descriptor) }
    do {
      try System.sync(descriptor)
    } catch  where error.errno != EINVAL {
      throw CommandError(
        .notDurable, "the file is written, but the disk did not confirm it: \(error.reason)")
    } catch {}
  }

  private static func unwritten(_ error: System.Failure) -> CommandError {
    CommandError(.inputOutput, "the file could not be written: \(error.reason)")
  }

  /// The number of the descriptor of this process that a path names.
  ///
  /// Nobody but root and the kernel makes such links.
  private static func descriptor(of path: String) -> Int32? {
    switch path {
    case "/dev/stdout": return STDOUT_FILENO
    case "/dev/stderr": return STDERR_FILENO
    default:
      let folder = ["/dev/fd/", "/proc/self/fd/"].first { path.begins(with: $0) }
      return folder.flatMap { Int32(path.dropFirst($0.count)) }
    }
  }

  /// Writes to a descriptor itself: opened again, a file would be written from its beginning, and a
  /// socket not at all.
  private static func write(
    toDescriptor number: Int32, _ body: (Int32) throws(System.Failure) -> Void
  ) throws {
    // Those of this program are closed for others; a number given by mistake may be that of a store.
    let isInherited = fcntl(number, F_GETFD) & FD_CLOEXEC == 0
    let isForReading = fcntl(number, F_GETFL) & O_ACCMODE == O_RDONLY
    do throws(System.Failure) {
      guard isInherited, !isForReading else { throw System.Failure(errno: EBADF) }
      try body(number)
    } catch {
      throw unwritten(error)
    }
  }

  /// Whether nobody else reads what is written: a pipe of the user's own, a device of the user's
  /// or the system's.
  private static func mayBeWrittenThrough(_ file: stat) -> Bool {
    file.st_uid == geteuid() || (file.st_mode & S_IFMT == S_IFCHR && file.st_uid == 0)
  }

  private static func writeThrough(
    _ path: String, _ body: (Int32) throws(System.Failure) -> Void
  ) throws {
    do throws(System.Failure) {
      let file = try System.open(path, in: AT_FDCWD, flags: O_WRONLY | O_NOCTTY | O_NOFOLLOW)
      defer { System.close(file) }
      // Put there since it was looked at: it would be written from its beginning, or be read by
      // another user.
      var opened = stat()
      guard unsafe fstat(file, &opened) == 0 else { throw System.Failure(errno: errno) }
      guard opened.st_mode & S_IFMT != S_IFREG, mayBeWrittenThrough(opened) else {
        throw System.Failure(errno: EEXIST)
      }
      try body(file)
    } catch {
      throw unwritten(error)
    }
  }
}
