import CVaultLinux
import Glibc
import VaultSealing
import VaultStorage

/// What the process was started with, and what it makes of that before anything else happens.
///
/// No core file, no debugger of the same user, no backtrace with registers on stderr, no file that others
/// may read. What a child should have instead is put back by ``restore()``.
enum ProcessState {
  private struct Original: Sendable {
    var coreLimit: UInt
    var umask: mode_t
    var ignoredSignals: [Int32]
    var closedStreams: [Int32]
  }

  // Swift's runtime may have put its backtracer here, which prints what lies in registers.
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

  /// Shuts out core files, debuggers and careless modes; the first thing in `main`.
  static func harden() { _ = original }

  /// Puts limits, mask and signals back as they were, for the program that takes this one's place.
  ///
  /// `PR_SET_DUMPABLE` is set by execve(2) itself.
  static func restore() {
    let original = original
    setCoreLimit(original.coreLimit)
    _ = Glibc.umask(original.umask)
    for signal in original.ignoredSignals { cvault_ignore_signal(signal) }
    for stream in original.closedStreams { close(stream) }
  }

  /// After an execve(2) that failed.
  static func hardenAgain() {
    setCoreLimit(0)
    _ = Glibc.umask(0o077)
    _ = occupyClosedStreams()
  }

  /// Takes the numbers 0 to 2 where they are closed, before anything else is opened under them: a secret for
  /// stdout would go there.
  ///
  /// What stands there can neither be read nor written, so that the error is the one that a closed stream gives.
  private static func occupyClosedStreams() -> [Int32] {
    // A list, not a range: to make the type of a range of these numbers takes a look at every conformance.
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

  /// The soft limit alone: the hard one could not be raised again.
  private static func setCoreLimit(_ soft: UInt) {
    var limit = rlimit()
    let core = __rlimit_resource_t(RLIMIT_CORE.rawValue)
    guard unsafe getrlimit(core, &limit) == 0 else { return }
    limit.rlim_cur = soft
    unsafe setrlimit(core, &limit)
  }

  /// A variable of the environment; `nil` where it is missing or empty.
  static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// The value of a variable in locked memory; `nil` where it is missing.
  static func secretVariable(_ name: String) throws -> SecretBytes? {
    guard let value = unsafe getenv(name) else { return nil }
    return try SecretBytes(
      copying: unsafe RawSpan(_unsafeStart: value, byteCount: strlen(value)))
  }

  /// Whether PATH has a program of this name.
  static func hasProgram(_ name: String) -> Bool { path(of: name) != nil }

  /// The file that a word starts, behind links; the word where there is none.
  static func resolvedProgram(_ word: String) -> String {
    guard let path = word.unicodeScalars.contains("/") ? word : path(of: word),
      let resolved = unsafe realpath(path, nil)
    else { return word }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  private static func path(of program: String) -> String? {
    (variable("PATH") ?? "/usr/local/bin:/usr/bin:/bin").parts(at: ":")
      .map { "\($0)/\(program)" }.first { unsafe access($0, X_OK) == 0 }
  }

  /// Whether there is a display on which the keyring could ask.
  static var hasDisplay: Bool {
    variable("DISPLAY") != nil || variable("WAYLAND_DISPLAY") != nil
  }

  /// How many columns a terminal has; `nil` where it is none, or does not say.
  static func columns(of descriptor: Int32) -> Int? {
    var (columns, rows): (UInt16, UInt16) = (0, 0)
    guard unsafe cvault_window_size(descriptor, &columns, &rows) == 0, columns > 0 else {
      return nil
    }
    return Int(columns)
  }

  /// Whether a descriptor is a terminal.
  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }
}
