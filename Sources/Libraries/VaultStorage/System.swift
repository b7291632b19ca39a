import CVaultLinux
import Glibc
import Synchronization

/// The system calls of this module, all in one place.
///
/// Each call goes through one funnel, which maps the status and retries on EINTR. Tests make the
/// n-th call fail with a ``FaultPlan``.
package enum System {
  /// The calls that a plan can distinguish.
  package enum Call: Sendable, CaseIterable {
    case open, read, write, sync, rename, link, unlink, makeDirectory, lock, status, truncate

    /// The calls that change something on the disk or make it durable.
    package static let changing: Set<Call> = [
      .open, .write, .sync, .rename, .link, .unlink, .makeDirectory, .truncate,
    ]
  }

  /// An `errno`; the caller adds what it was doing.
  package struct Failure: Error, Equatable {
    package let errno: Int32

    package init(errno: Int32) { self.errno = errno }

    /// The system's description.
    package var reason: String { unsafe String(cString: strerror(errno)) }
  }

  @TaskLocal static var plan: FaultPlan?
  private static let isAnyPlanned = Atomic(false)

  /// Runs `body` with a planned fault; only calls of this task are counted.
  package static func withFaults<Result>(
    _ plan: FaultPlan, _ body: () throws -> Result
  ) rethrows -> Result {
    isAnyPlanned.store(true, ordering: .relaxed)
    return try $plan.withValue(plan, operation: body)
  }

  /// The planned fault for a call that does not go through this type: SQLite's, in tests.
  package static func plannedFault(for call: Call) -> FaultPlan.Fault? { planned(call) }

  private static func planned(_ call: Call) -> FaultPlan.Fault? {
    guard isAnyPlanned.load(ordering: .relaxed) else { return nil }
    return plan?.fault(for: call)
  }

  static func perform<Status: SignedInteger>(
    _ call: Call, _ body: () -> Status
  ) throws(Failure) -> Status {
    switch planned(call) {
    case .error(let errno): throw Failure(errno: errno)
    case .kill: throw Failure(errno: ECANCELED)
    case .shortWrite, nil: break
    }
    while true {
      let status = body()
      if status >= 0 { return status }
      let errno = Glibc.errno
      if errno != EINTR { throw Failure(errno: errno) }
    }
  }

  // MARK: Opening

  /// openat(2), with `O_CLOEXEC` added.
  package static func open(
    _ name: String, in directory: Int32, flags: Int32, mode: UInt32 = 0
  ) throws(Failure) -> Int32 {
    try perform(.open) { unsafe cvault_openat(directory, name, flags | O_CLOEXEC, mode) }
  }

  /// openat2(2) without following any symbolic link; if the kernel does not have the call or
  /// seccomp refuses it, openat(2) with `O_NOFOLLOW`.
  package static func openNoLinks(
    _ name: String, in directory: Int32, flags: Int32, mode: UInt32 = 0
  ) throws(Failure) -> Int32 {
    let flags = flags | O_CLOEXEC | O_NOFOLLOW
    return try perform(.open) {
      let opened = unsafe cvault_openat2(
        directory, name, UInt64(UInt32(bitPattern: flags)), UInt64(mode),
        UInt64(RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS))
      if opened < 0, [ENOSYS, EPERM, EINVAL].contains(errno) {
        return unsafe cvault_openat(directory, name, flags, mode)
      }
      return opened
    }
  }

  /// Closes a descriptor with close(2).
  ///
  /// Never retried: Linux releases the descriptor even on EINTR.
  package static func close(_ descriptor: Int32) { Glibc.close(descriptor) }

  // MARK: Bytes

  /// read(2) into `buffer` from `offset` on; returns the number of bytes, 0 at the end.
  package static func read(
    _ descriptor: Int32, into buffer: inout MutableRawSpan, at offset: Int = 0
  ) throws(Failure) -> Int {
    let room = buffer.byteCount - offset
    precondition(offset >= 0 && room >= 0, "reading beyond the buffer")
    return try perform(.read) {
      unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe Glibc.read(descriptor, bytes.baseAddress.map { unsafe $0 + offset }, room)
      }
    }
  }

  /// pread(2) from `position` of a file into `range` of `buffer`; returns the number of bytes, 0 at
  /// the end.
  package static func read(
    _ descriptor: Int32, from position: Int, into buffer: inout MutableRawSpan, at range: Range<Int>
  ) throws(Failure) -> Int {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= buffer.byteCount, "reading beyond the buffer")
    return try perform(.read) {
      unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe Glibc.pread(
          descriptor, bytes.baseAddress.map { unsafe $0 + range.lowerBound }, range.count, position)
      }
    }
  }

  /// Writes all of `bytes`, in as many write(2) calls as it takes.
  package static func writeAll(_ descriptor: Int32, _ bytes: RawSpan) throws(Failure) {
    var written = 0
    while written < bytes.byteCount {
      let rest = bytes.extracting(written...)
      let isShort = planned(.write)
      switch isShort {
      case .error(let errno): throw Failure(errno: errno)
      case .kill: throw Failure(errno: ECANCELED)
      case .shortWrite, nil: break
      }
      let count = unsafe rest.withUnsafeBytes { buffer in
        unsafe Glibc.write(
          descriptor, buffer.baseAddress, isShort == nil ? buffer.count : min(1, buffer.count))
      }
      if count >= 0 {
        written += count
      } else if errno != EINTR {
        throw Failure(errno: errno)
      }
    }
  }

  /// Writes all of `bytes` at `position` of a file, in as many pwrite(2) calls as it takes.
  package static func writeAll(
    _ descriptor: Int32, _ bytes: RawSpan, at position: Int
  ) throws(Failure) {
    var written = 0
    while written < bytes.byteCount {
      let rest = bytes.extracting(written...)
      written += try perform(.write) {
        unsafe rest.withUnsafeBytes { buffer in
          unsafe pwrite(descriptor, buffer.baseAddress, buffer.count, position + written)
        }
      }
    }
  }

  /// ftruncate(2).
  package static func truncate(_ descriptor: Int32, to size: Int) throws(Failure) {
    _ = try perform(.truncate) { ftruncate(descriptor, off_t(size)) }
  }

  /// fsync(2), never retried: after an error the kernel may have dropped the pages, and a second
  /// call that succeeds proves nothing (wiki.postgresql.org/wiki/Fsync_Errors).
  package static func sync(_ descriptor: Int32) throws(Failure) {
    _ = try perform(.sync) { fsync(descriptor) }
  }

  // MARK: Names

  /// renameat(2) within one directory.
  package static func rename(
    _ old: String, to new: String, in directory: Int32
  ) throws(Failure) {
    _ = try perform(.rename) { unsafe renameat(directory, old, directory, new) }
  }

  /// linkat(2) within one directory.
  package static func link(_ old: String, to new: String, in directory: Int32) throws(Failure) {
    _ = try perform(.link) { unsafe linkat(directory, old, directory, new, 0) }
  }

  /// linkat(2) of an open file that has no name.
  package static func link(descriptor: Int32, to path: String) throws(Failure) {
    _ = try perform(.link) {
      unsafe linkat(
        AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW)
    }
  }

  /// linkat(2) of a file into another directory, with the same name.
  package static func link(
    _ name: String, in directory: Int32, to other: Int32
  ) throws(Failure) {
    _ = try perform(.link) { unsafe linkat(directory, name, other, name, 0) }
  }

  /// unlinkat(2).
  package static func unlink(_ name: String, in directory: Int32) throws(Failure) {
    _ = try perform(.unlink) { unsafe unlinkat(directory, name, 0) }
  }

  /// unlinkat(2) of an empty directory.
  package static func removeDirectory(
    _ name: String, in directory: Int32
  ) throws(Failure) {
    _ = try perform(.unlink) { unsafe unlinkat(directory, name, AT_REMOVEDIR) }
  }

  /// mkdirat(2).
  package static func makeDirectory(
    _ name: String, in directory: Int32, mode: UInt32
  ) throws(Failure) {
    _ = try perform(.makeDirectory) { unsafe mkdirat(directory, name, mode) }
  }

  // MARK: State

  /// The fields of fstat(2) that are used here.
  package struct FileStatus: Sendable, Equatable {
    package let isRegular: Bool
    package let isDirectory: Bool
    package let isCharacterDevice: Bool
    package let owner: UInt32
    package let group: UInt32
    package let permissions: UInt32
    package let linkCount: Int
    package let size: Int
    package let device: UInt64
    package let inode: UInt64
    /// The time of the last change of its contents or inode, in nanoseconds since 1970.
    package let changed: Int64
    /// The time of the last change of its contents, in nanoseconds since 1970.
    package let modified: Int64

    /// Whether both describe the same file.
    package func isSameFile(as other: FileStatus) -> Bool {
      device == other.device && inode == other.inode
    }

    init(_ status: stat) {
      isRegular = status.st_mode & S_IFMT == S_IFREG
      isDirectory = status.st_mode & S_IFMT == S_IFDIR
      isCharacterDevice = status.st_mode & S_IFMT == S_IFCHR
      owner = status.st_uid
      group = status.st_gid
      permissions = status.st_mode & 0o7777
      linkCount = Int(status.st_nlink)
      size = Int(status.st_size)
      device = UInt64(status.st_dev)
      inode = UInt64(status.st_ino)
      changed = Self.nanoseconds(status.st_ctim)
      modified = Self.nanoseconds(status.st_mtim)
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
      Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
  }

  /// Whether a directory has an access list beyond its mode, or that cannot be told: getxattr(2).
  ///
  /// Where it has one, the mode's bits for the group are the list's mask: acl(5).
  package static func hasAccessList(_ path: String) -> Bool {
    unsafe cvault_has_access_list(path) != 0
  }

  /// When a file or directory was made, in nanoseconds since 1970; `nil` if its file system does not
  /// keep that: statx(2).
  ///
  /// A copy has a time of its own; a file that was renamed keeps the one that it has.
  package static func birthTime(of path: String) -> Int64? {
    let time = unsafe cvault_birth_time(path)
    return time == 0 ? nil : time
  }

  /// fstat(2).
  package static func status(_ descriptor: Int32) throws(Failure) -> FileStatus {
    var status = stat()
    _ = try perform(.status) { unsafe fstat(descriptor, &status) }
    return FileStatus(status)
  }

  /// fstatat(2); of a symbolic link, the link itself.
  package static func status(
    of name: String, in directory: Int32
  ) throws(Failure) -> FileStatus {
    var status = stat()
    _ = try perform(.status) { unsafe fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) }
    return FileStatus(status)
  }

  /// Makes a symbolic link: symlink(2).
  package static func makeLink(_ path: String, to target: String) throws(Failure) {
    _ = try perform(.link) { unsafe symlink(target, path) }
  }

  /// The target of a symbolic link, byte by byte: readlink(2); `nil` if it cannot be read.
  package static func linkTarget(_ path: String) -> [UInt8]? {
    guard planned(.status) == nil else { return nil }
    let capacity = 4096
    let target = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      guard let start = buffer.baseAddress else { return }
      count = unsafe max(0, readlink(path, start, capacity))
    }
    return target.isEmpty ? nil : target
  }

  /// fstatat(2); of a symbolic link, its target.
  package static func targetStatus(
    of name: String, in directory: Int32
  ) throws(Failure) -> FileStatus {
    var status = stat()
    _ = try perform(.status) { unsafe fstatat(directory, name, &status, 0) }
    return FileStatus(status)
  }

  /// An open-file-description lock, tried once: fcntl(2), `F_OFD_SETLK`.
  package static func lock(_ descriptor: Int32, exclusive: Bool) throws(Failure) {
    _ = try perform(.lock) { cvault_ofd_lock(descriptor, exclusive ? 1 : 0) }
  }

  /// Takes an advisory lock on a directory, tried once: flock(2).
  ///
  /// It is released when the last descriptor closes that was duplicated or inherited from this one.
  ///
  /// - Returns: Whether the lock was free.
  package static func lockDirectory(_ descriptor: Int32) -> Bool {
    flock(descriptor, LOCK_EX | LOCK_NB) == 0
  }

  /// Waits for the lock of ``lockDirectory(_:)``.
  package static func waitForDirectoryLock(_ descriptor: Int32) {
    while flock(descriptor, LOCK_EX) != 0 && errno == EINTR {}
  }

  /// Whether the file system of an open file keeps the mode of each file; `nil` where that depends
  /// on how it was mounted, and on the program that serves it.
  ///
  /// The numbers: statfs(2), linux/magic.h.
  package static func keepsModes(_ descriptor: Int32) -> Bool? {
    var buffer = statfs()
    guard unsafe fstatfs(descriptor, &buffer) == 0 else { return nil }
    switch UInt32(truncatingIfNeeded: buffer.f_type) {
    // MSDOS_SUPER_MAGIC (also vfat), EXFAT_SUPER_MAGIC, NTFS.
    case 0x4D44, 0x2011_BAB0, 0x5346_544E, 0x7366_746E: return false
    // FUSE_SUPER_MAGIC, V9FS_MAGIC (WSL), SMB, CIFS, SMB2, NFS.
    case 0x6573_5546, 0x0102_1997, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x6969: return nil
    default: return true
    }
  }

  /// The names in a directory, without `.` and `..`.
  package static func names(in directory: Int32) throws(Failure) -> [String] {
    var names: [String] = []
    try unsafe forEachName(in: directory) { name in
      unsafe names.append(String(decoding: name, as: UTF8.self))
    }
    return names
  }

  /// The names in a directory, without `.` and `..`, byte by byte, each with a zero behind it.
  package static func nameBytes(in directory: Int32) throws(Failure) -> [[CChar]] {
    var names: [[CChar]] = []
    try unsafe forEachName(in: directory) { name in
      unsafe names.append(name.map { CChar(bitPattern: $0) } + [0])
    }
    return names
  }

  private static func forEachName(
    in directory: Int32, _ body: (UnsafeRawBufferPointer.SubSequence) -> Void
  ) throws(Failure) {
    // Opened again: readdir(3) moves the position, and an O_PATH descriptor cannot be read.
    let copy = try open(".", in: directory, flags: O_RDONLY | O_DIRECTORY)
    guard let stream = unsafe fdopendir(copy) else {
      let errno = Glibc.errno
      close(copy)
      throw Failure(errno: errno)
    }
    defer { unsafe closedir(stream) }
    while let entry = unsafe readdir(stream) {
      unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        let name = unsafe bytes.prefix { $0 != 0 }
        let isDots = unsafe name.count <= 2 && name.allSatisfy { $0 == 0x2E }
        if !isDots { unsafe body(name) }
      }
    }
  }

  /// The magic number of the file system that a descriptor is on: statfs(2).
  package static func fileSystemType(_ descriptor: Int32) throws(Failure) -> Int64 {
    var status = statfs()
    _ = try perform(.status) { unsafe fstatfs(descriptor, &status) }
    return Int64(status.f_type)
  }

  /// Sets the times of a file to now, which wakes its observers.
  ///
  /// utimensat(2); failures are ignored.
  package static func touch(_ name: String, in directory: Int32) {
    if planned(.status) == nil { _ = unsafe utimensat(directory, name, nil, AT_SYMLINK_NOFOLLOW) }
  }

  /// Sets the times of a file at a path to now, which wakes its observers.
  package static func touch(_ path: String) { touch(path, in: AT_FDCWD) }

  /// The status of the file at a path, through links; `nil` if there is none.
  package static func file(at path: String) -> FileStatus? {
    try? targetStatus(of: path, in: AT_FDCWD)
  }

  /// A file's size in bytes; 0 if there is none.
  package static func size(of path: String) -> Int {
    (try? targetStatus(of: path, in: AT_FDCWD))?.size ?? 0
  }

  /// The time since a file was written; `nil` if there is none.
  package static func age(of name: String, in directory: Int32) -> Duration? {
    var status = stat()
    guard unsafe fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return .seconds(max(0, now.tv_sec - status.st_mtim.tv_sec))
  }

  /// The time in UTC for a file name: `20260131T235959Z`.
  package static func timestamp() -> String {
    var now = time(nil)
    var parts = unsafe tm()
    unsafe gmtime_r(&now, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return unsafe "\(parts.tm_year + 1900)\(two(parts.tm_mon + 1))\(two(parts.tm_mday))"
      + "T\(two(parts.tm_hour))\(two(parts.tm_min))\(two(parts.tm_sec))Z"
  }

  /// Why no files can be created in a directory; `nil` if they can.
  static func refusalToWrite(in directory: Int32) -> Failure? {
    let isAllowed = unsafe faccessat(directory, ".", W_OK, AT_EACCESS) == 0
    return isAllowed ? nil : Failure(errno: errno)
  }

  /// Whether files can be created in a directory: faccessat(2), with the effective user's rights.
  package static func isWritable(_ directory: Int32) -> Bool {
    unsafe faccessat(directory, ".", W_OK, AT_EACCESS) == 0
  }

  /// The user whose rights apply: geteuid(2).
  package static var effectiveUser: UInt32 { geteuid() }
}
