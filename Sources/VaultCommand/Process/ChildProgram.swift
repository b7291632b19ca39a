import CVaultLinux
import Glibc
import VaultSealing
import VaultStorage

/// Runs another program with bytes on its stdin and takes what it prints, in locked memory.
@safe enum ChildProgram {
  /// What the program reads.
  enum Input {
    /// Our own stdin.
    case inherited
    case nothing
    case bytes(SecretBytes)
  }

  /// What a run gave.
  struct Result {
    /// The exit status; 0 where a signal ended it.
    let exitStatus: Int32
    /// The signal that ended it.
    let signal: Int32?
    let output: SecretBytes

    var isSuccess: Bool { exitStatus == 0 && signal == nil }
  }

  /// Runs a program that is found in PATH; its stderr is ours.
  ///
  /// It gets none of ``PrivateVariables``.
  ///
  /// - Parameters:
  ///   - arguments: The program and its arguments; no secret.
  ///   - input: Its stdin.
  ///   - limit: More output than this is refused.
  /// - Returns: How it ended and its output; `nil` where it could not be started.
  /// - Throws: ``CommandError`` where its output cannot be taken.
  static func run(
    _ arguments: [String], input: Input, limit: Int = 64 << 20
  ) throws -> Result? {
    guard let ends = Pipe(flags: O_CLOEXEC) else { return nil }
    // A file in memory and no pipe: a program that ends early cannot end us.
    let file: Int32? =
      if case .bytes(let bytes) = input { try SealedMemoryFile.make(bytes) } else { nil }
    let child = spawn(arguments, input: input, file: file, output: ends.write)
    close(ends.write)
    if let file { close(file) }
    guard let child else {
      close(ends.read)
      return nil
    }
    // Drained before it is waited for: a full pipe would never let it end. Nor would one that nobody reads
    // on, since there was too much.
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
  /// - Throws: ``CommandError`` with code `program-missing` where it cannot be started.
  static func runInstalled(_ arguments: [String], input: Input) throws -> Result {
    guard let result = try run(arguments, input: input) else {
      throw CommandError(
        "program-missing", "\(arguments[0]) could not be started", hint: "install it",
        status: .unavailable)
    }
    return result
  }

  /// Hands bytes to a program that may stay behind, as the owner of a selection does; what it says is dropped.
  ///
  /// - Parameters:
  ///   - arguments: The program and its arguments; no secret.
  ///   - bytes: Its stdin; `nil` for none.
  ///   - seconds: Then it is ended: a display that does not answer must not hold up anybody.
  /// - Returns: Whether it ended with 0.
  /// - Throws: ``CommandError`` where there is no file in memory.
  static func feed(_ arguments: [String], _ bytes: SecretBytes?, within seconds: Int = 5) throws
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
    let end = ContinuousClock.now + .seconds(seconds)
    while true {
      let ended = unsafe waitpid(child, &status, WNOHANG)
      if ended == child { return status == 0 }
      if ended < 0, errno != EINTR { return false }
      if ContinuousClock.now > end { kill(child, SIGKILL) }
      // There is no wait with a time limit: waitpid(2).
      poll(nil, 0, 2)
    }
  }

  /// Starts this program once more, for itself: in a session of its own, without our streams and folder.
  ///
  /// - Parameters:
  ///   - arguments: What it is to do.
  ///   - input: Its stdin.
  ///   - terminal: A descriptor that it gets as ``detachedTerminal``.
  /// - Returns: Whether it was started.
  /// - Throws: ``CommandError`` where there is no file in memory.
  static func detach(_ arguments: [String], input: SecretBytes, terminal: Int32?) throws -> Bool {
    let file = try SealedMemoryFile.make(input)
    defer { close(file) }
    let newSession: Int16 = 0x80  // POSIX_SPAWN_SETSID, which Glibc's module does not import.
    let child = unsafe launch(
      [ProgramName.current] + arguments, path: "/proc/self/exe", flags: newSession
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

  /// Where a detached run of this program finds its terminal.
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

  /// Starts a program, without ``PrivateVariables``.
  ///
  /// - Parameters:
  ///   - arguments: The program, as PATH finds it, and its arguments; no secret.
  ///   - path: The program, where PATH is not to be asked.
  ///   - variables: What is added to its environment, or replaces what is there.
  ///   - flags: Of posix_spawnattr_setflags(3).
  ///   - prepare: Adds what is to be done with descriptors.
  /// - Returns: Its id; `nil` where it could not be started.
  @unsafe static func launch(
    _ arguments: [String], path: String? = nil, variables: [String: String] = [:], flags: Int16 = 0,
    _ prepare: (inout posix_spawn_file_actions_t) -> Void
  ) -> pid_t? {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe prepare(&actions)
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    unsafe posix_spawnattr_setflags(&attributes, flags)
    let strings = unsafe CStrings(arguments)
    let added = unsafe CStrings(variables.map { "\($0.key)=\($0.value)" })
    let left = PrivateVariables.all.union(variables.keys)
    var environment: [UnsafeMutablePointer<CChar>?] = unsafe []
    for index in 0..<variables.count { unsafe environment.append(added.pointers[index]) }
    var entry = unsafe cvault_environment()
    while let text = unsafe entry?.pointee {
      let isLeft = left.contains {
        unsafe strncmp(text, "\($0)=", $0.utf8.count + 1) == 0
      }
      if !isLeft { unsafe environment.append(text) }
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
}
