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
  /// It gets none of the variables that name this program's own sources.
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
    let file: Int32? = if case .bytes(let bytes) = input { try SealedFile.make(bytes) } else { nil }
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

  private static func spawn(
    _ arguments: [String], input: Input, file: Int32?, output: Int32
  ) -> pid_t? {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    if let file { unsafe posix_spawn_file_actions_adddup2(&actions, file, 0) }
    if case .nothing = input {
      unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
    let strings = unsafe CStrings(arguments)
    var environment: [UnsafeMutablePointer<CChar>?] = unsafe []
    var entry = unsafe cvault_environment()
    while let text = unsafe entry?.pointee {
      let isOwn = EnvironmentNames.all.contains {
        unsafe strncmp(text, "\($0)=", $0.utf8.count + 1) == 0
      }
      if !isOwn { unsafe environment.append(text) }
      unsafe entry = entry?.advanced(by: 1)
    }
    unsafe environment.append(nil)
    var child: pid_t = 0
    let status = unsafe posix_spawnp(
      &child, arguments[0], &actions, nil, strings.pointers, environment)
    return status == 0 ? child : nil
  }
}
