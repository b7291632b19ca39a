import CVaultLinux
import Glibc
import Synchronization
package import VaultSealing
import VaultStorage

/// The state that the process was started with, hardened before anything else happens.
///
/// Hardening prevents core files, debuggers of the same user, backtraces with registers on stderr,
/// and files that others may read. ``restore()`` undoes it for a program that replaces this one.
package enum ProcessState {
  /// Whether a program runs that this process has started: waitid(2), which takes nobody's status here.
  static var hasChildren: Bool {
    waitid(P_ALL, 0, nil, WEXITED | WNOHANG | WNOWAIT) == 0
  }

  private struct Original: Sendable {
    var coreLimit: UInt
    var umask: mode_t
    var ignoredSignals: [Int32]
    var closedStreams: [Int32]
  }

  // Swift's runtime may have installed its backtracer here, which prints the contents of registers.
  private static let crashSignals = [
    SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGQUIT,
  ]

  // Evaluated once: the first use hardens the process.
  private static let original: Original = {
    let closed = occupyClosedStreams()
    let ignored = crashSignals.filter { cvault_default_signal($0) != 0 }
    let limit = coreLimit()
    setCoreLimit(0)
    _ = cvault_prctl(PR_SET_DUMPABLE, 0)
    return Original(
      coreLimit: limit, umask: Glibc.umask(0o077), ignoredSignals: ignored,
      closedStreams: closed)
  }()

  /// Hardens the process; the first call in `main`.
  package static func harden() { _ = original }

  /// Restores limits, mask and signals for the program that replaces this one.
  ///
  /// execve(2) itself resets `PR_SET_DUMPABLE`.
  package static func restore() {
    let original = original
    setCoreLimit(original.coreLimit)
    _ = Glibc.umask(original.umask)
    for signal in original.ignoredSignals { cvault_ignore_signal(signal) }
    let empty = emptyStreams.load(ordering: .relaxed)
    for stream in original.closedStreams where empty & 1 << UInt32(stream) == 0 { close(stream) }
  }

  /// The streams, a bit each, that were closed and are /dev/null for the program that replaces this one.
  private static let emptyStreams = Atomic<UInt32>(0)

  /// Puts /dev/null in the place of streams that were closed: for a program that would take the next
  /// file that it opens for one of them.
  package static func emptyClosedStreams() {
    for stream in original.closedStreams {
      let null = unsafe cvault_open("/dev/null", O_RDWR, 0)
      guard null >= 0 else { continue }
      if dup2(null, stream) == stream {
        emptyStreams.bitwiseOr(1 << UInt32(stream), ordering: .relaxed)
      }
      if null != stream { close(null) }
    }
  }

  /// Hardens the process again after a failed execve(2).
  static func hardenAgain() {
    setCoreLimit(0)
    _ = Glibc.umask(0o077)
    _ = occupyClosedStreams()
  }

  /// Opens descriptors 0 to 2 if they are closed.
  ///
  /// Otherwise the next file that is opened would get such a number, and a secret for stdout would
  /// be written to it. What is opened here can be neither read nor written, so that using it fails
  /// with EBADF, as a closed stream does.
  private static func occupyClosedStreams() -> [Int32] {
    // An array instead of a range: instantiating the range's type scans all protocol conformances.
    [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].filter { stream in
      guard fcntl(stream, F_GETFD) < 0 else { return false }
      // The lowest number that is free.
      return unsafe cvault_open("/", cvault_o_path | O_DIRECTORY, 0) == stream
    }
  }

  private static func coreLimit() -> UInt {
    var limit = rlimit()
    unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    return limit.rlim_cur
  }

  /// Sets the soft limit alone: the hard one could not be raised again.
  private static func setCoreLimit(_ soft: UInt) {
    var limit = rlimit()
    let core = __rlimit_resource_t(RLIMIT_CORE.rawValue)
    guard unsafe getrlimit(core, &limit) == 0 else { return }
    limit.rlim_cur = soft
    unsafe setrlimit(core, &limit)
  }

  /// A variable of the environment; `nil` if it is missing or empty.
  package static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// Whether a variable is set, even to nothing.
  package static func hasVariable(_ name: String) -> Bool { unsafe getenv(name) != nil }

  /// The value of a variable in locked memory; `nil` if it is missing.
  package static func secretVariable(_ name: String) throws -> SecretBytes? {
    guard let value = unsafe getenv(name) else { return nil }
    return try SecretBytes(
      copying: unsafe RawSpan(_unsafeStart: value, byteCount: strlen(value)))
  }

  /// Whether PATH has a program of this name.
  package static func hasProgram(_ name: String) -> Bool { path(of: name) != nil }

  /// The path of the program that a word names, with links resolved; the word itself if there is
  /// none.
  static func resolvedProgram(_ word: String) -> String {
    guard let path = word.unicodeScalars.contains("/") ? word : path(of: word),
      let resolved = unsafe realpath(path, nil)
    else { return word }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// Whether PATH has a program of this name.
  package static func isInPath(_ program: String) -> Bool { path(of: program) != nil }

  /// The folders in which programs are looked for, in their order.
  package static var searchPath: [Substring] {
    (variable("PATH") ?? "/usr/local/bin:/usr/bin:/bin").parts(at: ":")
  }

  private static func path(of program: String) -> String? {
    searchPath
      .map { "\($0)/\(program)" }.first { unsafe access($0, X_OK) == 0 }
  }

  /// The name of the file that a process runs; `nil` if the kernel does not say.
  package static func programName(of process: Int32) -> String? {
    let link = "/proc/\(process)/exe"
    let path = resolvedProgram(link)
    guard path != link, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    return String(path[path.utf8.index(after: slash)...])
  }

  /// Whether there is a display.
  package static var hasDisplay: Bool {
    variable("DISPLAY") != nil || variable("WAYLAND_DISPLAY") != nil
  }

  /// The width of a terminal in columns; `nil` if it is not a terminal, or its width is unknown.
  package static func columns(of descriptor: Int32) -> Int? {
    var (columns, rows): (UInt16, UInt16) = (0, 0)
    guard unsafe cvault_window_size(descriptor, &columns, &rows) == 0, columns > 0 else {
      return nil
    }
    return Int(columns)
  }

  /// The height of a terminal in rows; `nil` if it is not a terminal, or its height is unknown.
  package static func rows(of descriptor: Int32) -> Int? {
    var (columns, rows): (UInt16, UInt16) = (0, 0)
    guard unsafe cvault_window_size(descriptor, &columns, &rows) == 0, rows > 0 else { return nil }
    return Int(rows)
  }

  /// Whether the process has a controlling terminal: tty(4).
  package static var hasTerminal: Bool {
    guard let file = try? System.open("/dev/tty", in: AT_FDCWD, flags: O_RDONLY | O_NOCTTY) else {
      return false
    }
    System.close(file)
    return true
  }

  /// Whether a stream was open when the process started.
  package static func wasOpen(_ stream: Int32) -> Bool {
    !original.closedStreams.contains(stream)
  }

  /// Whether a path names a stdin that was closed when the process started.
  package static func isClosedInput(_ path: String) -> Bool {
    ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(path) && !wasOpen(STDIN_FILENO)
  }

  /// Whether a descriptor is a terminal.
  package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Whether a descriptor is a file, a pipe or a socket, and no device.
  static func isFileOrPipe(_ descriptor: Int32) -> Bool {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return false }
    return [S_IFREG, S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
  }
}
