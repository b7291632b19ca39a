import CVaultLinux
import Glibc
package import VaultSealing
import VaultStorage

/// Runs other programs, with secrets on their stdin and their output in locked memory.
///
/// A secret never stands in an argument or a variable, and no program inherits
/// ``PrivateVariables``.
@safe package enum ChildProgram {
  /// The stdin of a program.
  package enum Input {
    /// The stdin of this process.
    case inherited
    /// An empty one.
    case nothing
    /// A file in memory with these bytes.
    case bytes(SecretBytes)
  }

  /// The result of a run.
  package struct Result {
    /// The exit status; 0 if a signal ended the program.
    package let exitStatus: Int32
    /// The signal that ended the program.
    package let signal: Int32?
    /// The program's stdout.
    package let output: SecretBytes

    package var isSuccess: Bool { exitStatus == 0 && signal == nil }
  }

  /// Runs a program from PATH, whose stderr is this process's.
  ///
  /// - Parameters:
  ///   - arguments: The program and its arguments, without a secret.
  ///   - input: Its stdin.
  ///   - limit: The most bytes of output that are accepted.
  /// - Returns: Its end and its output; `nil` if it could not be started.
  /// - Throws: ``TerminalError`` with code `.tooLong`, or if its output cannot be read.
  package static func run(
    _ arguments: [String], input: Input, limit: Int = 64 << 20
  ) throws -> Result? {
    guard let ends = Pipe(flags: O_CLOEXEC) else { return nil }
    // A file in memory instead of a pipe: a program that exits early causes no SIGPIPE.
    let file: Int32? =
      if case .bytes(let bytes) = input { try SealedMemoryFile.make(bytes) } else { nil }
    let child = spawn(arguments, input: input, file: file, output: ends.write)
    close(ends.write)
    if let file { close(file) }
    guard let child else {
      close(ends.read)
      return nil
    }
    // Read before waiting, because a program with a full pipe never exits. For the same reason the
    // reading end is closed before the wait even if there was too much.
    let output = Swift.Result { try SecretInput.read(ends.read, limit: limit) }
    close(ends.read)
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return Result(
      exitStatus: signal == 0 ? status >> 8 & 0xFF : 0, signal: signal == 0 ? nil : signal,
      output: try output.get())
  }

  /// Runs a program as ``run(_:input:limit:)`` does.
  ///
  /// - Throws: ``TerminalError`` with code `.programMissing` if it could not be started.
  package static func runInstalled(
    _ arguments: [String], input: Input, limit: Int = 64 << 20
  ) throws -> Result {
    guard let result = try run(arguments, input: input, limit: limit) else {
      throw TerminalError(
        .programMissing, "\(arguments[0]) could not be started", .install(nil))
    }
    return result
  }

  /// Passes bytes to a program that has the terminal, such as a pager, and waits for its end.
  ///
  /// Ctrl-C is the program's business meanwhile, and not this process's.
  ///
  /// - Parameters:
  ///   - arguments: The program and its arguments.
  ///   - bytes: Its stdin.
  ///   - variables: Variables to add to its environment.
  /// - Returns: Whether it was found and started.
  /// - Throws: ``TerminalError`` with code `.inputOutput` if there is no file in memory.
  static func show(
    _ arguments: [String], _ bytes: SecretBytes, adding variables: [String: String]
  ) throws -> Bool {
    let file = try SealedMemoryFile.make(bytes)
    QuietTerminal.end()
    // Before the program starts: it may be ready, and Ctrl-C be pressed, before this process goes on.
    let wasIgnored = cvault_is_ignored(SIGINT) != 0
    cvault_ignore_signal(SIGINT)
    defer { if !wasIgnored { _ = cvault_default_signal(SIGINT) } }
    let child = unsafe launch(
      arguments, variables: variables, restoring: wasIgnored ? nil : SIGINT
    ) { actions in
      unsafe posix_spawn_file_actions_adddup2(&actions, file, 0)
    }
    close(file)
    guard let child else { return false }
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
    // A shell's words for "not executable" and "not found": POSIX, 2.8.2.
    return status & 0x7F != 0 || ![126, 127].contains(status >> 8 & 0xFF)
  }

  /// Passes bytes to a program that may leave a child behind, like the owner of a selection.
  ///
  /// Its output goes to /dev/null.
  ///
  /// - Parameters:
  ///   - arguments: The program and its arguments, without a secret.
  ///   - bytes: Its stdin; `nil` for none.
  ///   - seconds: The time limit on an idle machine, since a display may never answer. On a busy
  ///     one, the program has more time.
  /// - Returns: Whether it exited with 0.
  /// - Throws: ``TerminalError`` with code `.inputOutput` if there is no file in memory.
  package static func feed(_ arguments: [String], _ bytes: SecretBytes?, within seconds: Int = 5)
    throws
    -> Bool
  {
    let file = try bytes.map { try SealedMemoryFile.make($0) }
    let child = unsafe launch(arguments) { actions in
      if let file {
        unsafe posix_spawn_file_actions_adddup2(&actions, file, 0)
      } else {
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      }
      for output: Int32 in [1, 2] {
        unsafe posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
      }
    }
    if let file { close(file) }
    guard let child else { return false }
    var status: Int32 = 0
    // waitpid(2) has no time limit, so this polls. It counts its own turns instead of looking at
    // the clock: where the machine is so busy that they take longer, the program needs longer, too.
    let pause: Int32 = 2
    var turns = seconds * 1000 / Int(pause)
    while true {
      let ended = unsafe waitpid(child, &status, WNOHANG)
      if ended == child { return status == 0 }
      if ended < 0, errno != EINTR { return false }
      turns -= 1
      if turns <= 0 { kill(child, SIGKILL) }
      poll(nil, 0, pause)
    }
  }

  /// Starts this program once more, detached: in a session of its own, without inherited streams.
  ///
  /// - Parameters:
  ///   - arguments: The program's name, as ps(1) shows it, and its arguments.
  ///   - input: Its stdin.
  ///   - terminal: A descriptor that it gets as ``detachedTerminal``.
  /// - Returns: Whether it was started.
  /// - Throws: ``TerminalError`` with code `.inputOutput` if there is no file in memory.
  static func detach(_ arguments: [String], input: SecretBytes, terminal: Int32?) throws -> Bool {
    let file = try SealedMemoryFile.make(input)
    defer { close(file) }
    let child = unsafe launch(
      arguments, path: "/proc/self/exe", flags: newSession
    ) { actions in
      unsafe posix_spawn_file_actions_adddup2(&actions, file, 0)
      for output: Int32 in [1, 2] {
        unsafe posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
      }
      if let terminal {
        unsafe posix_spawn_file_actions_adddup2(&actions, terminal, detachedTerminal)
      }
    }
    return child != nil
  }

  /// Starts this program once more, without its streams, and waits for nothing.
  ///
  /// It gets the whole environment, also ``PrivateVariables``: it is the same program.
  ///
  /// - Parameter arguments: Its arguments.
  /// - Returns: Whether it was started.
  @discardableResult
  package static func startAgain(_ arguments: [String]) -> Bool {
    let child = unsafe launch(
      ["vault"] + arguments, path: "/proc/self/exe", leaving: [], flags: newSession
    ) { actions in
      unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      for output: Int32 in [1, 2] {
        unsafe posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
      }
    }
    return child != nil
  }

  /// POSIX_SPAWN_SETSID, which Glibc's module does not import.
  static let newSession: Int16 = 0x80

  /// The descriptor of a detached process's terminal.
  static let detachedTerminal: Int32 = 3

  private static func spawn(
    _ arguments: [String], input: Input, file: Int32?, output: Int32
  ) -> pid_t? {
    unsafe launch(arguments) { actions in
      if let file { unsafe posix_spawn_file_actions_adddup2(&actions, file, 0) }
      if case .nothing = input {
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      }
      unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
    }
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - arguments: The program, as PATH finds it, and its arguments, without a secret.
  ///   - path: The program's path, if PATH is not to be searched.
  ///   - variables: Variables to add to its environment or to replace.
  ///   - keeps: Which of this process's variables it gets.
  ///   - secret: Those that it does not get in any case.
  ///   - flags: Flags of posix_spawnattr_setflags(3).
  ///   - signal: One that this process ignores, and the program does not.
  ///   - prepare: Adds actions on descriptors: posix_spawn_file_actions_addopen(3).
  /// - Returns: The process id; `nil` if it could not be started.
  @unsafe static func launch(
    _ arguments: [String], path: String? = nil, variables: [String: String] = [:],
    keeping keeps: (String) -> Bool = { _ in true },
    leaving secret: Set<String> = PrivateVariables.all, flags: Int16 = 0,
    restoring signal: Int32? = nil, _ prepare: (inout posix_spawn_file_actions_t) -> Void
  ) -> pid_t? {
    QuietTerminal.end()
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe prepare(&actions)
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    unsafe sigemptyset(&defaults)
    if let signal { unsafe sigaddset(&defaults, signal) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    let restores = signal == nil ? 0 : Int16(POSIX_SPAWN_SETSIGDEF)
    unsafe posix_spawnattr_setflags(&attributes, flags | restores)
    let strings = unsafe CStrings(arguments)
    let added = unsafe CStrings(variables.map { "\($0.key)=\($0.value)" })
    let left = secret.union(variables.keys)
    var environment: [UnsafeMutablePointer<CChar>?] = unsafe []
    for index in 0..<variables.count { unsafe environment.append(added.pointers[index]) }
    var entry = unsafe cvault_environment()
    while let text = unsafe entry?.pointee {
      let isLeft = left.contains {
        unsafe strncmp(text, "\($0)=", $0.utf8.count + 1) == 0
      }
      if !isLeft, keeps(unsafe name(of: text)) { unsafe environment.append(text) }
      unsafe entry = entry?.advanced(by: 1)
    }
    unsafe environment.append(nil)
    var child: pid_t = 0
    let status =
      if let path {
        unsafe posix_spawn(&child, path, &actions, &attributes, strings.pointers, environment)
      } else {
        unsafe posix_spawnp(
          &child, arguments[0], &actions, &attributes, strings.pointers, environment)
      }
    return status == 0 ? child : nil
  }

  /// The name of a variable in an entry of the environment.
  @unsafe private static func name(of entry: UnsafePointer<CChar>) -> String {
    let length = unsafe strcspn(entry, "=")
    let bytes = unsafe UnsafeRawBufferPointer(start: entry, count: length)
    return unsafe String(decoding: bytes, as: UTF8.self)
  }
}
