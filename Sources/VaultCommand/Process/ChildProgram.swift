import CVaultLinux
import Glibc
import VaultSealing
import VaultStorage

/// Runs another program with bytes on its stdin and takes what it prints, in locked memory.
@safe enum ChildProgram {
  /// What a run gave.
  struct Result {
    /// 0 to 255, or 128 and the signal.
    let status: Int32
    let output: SecretBytes
  }

  /// Runs a program that is found in PATH; its stderr is ours.
  ///
  /// It gets none of the variables that name this program's own sources.
  ///
  /// - Parameters:
  ///   - arguments: The program and its arguments; no secret.
  ///   - input: Its stdin; `nil` for ours.
  ///   - limit: More output than this is refused.
  /// - Returns: Its status and its output.
  /// - Throws: ``CommandError`` with code `program-missing` where it cannot be started.
  static func run(
    _ arguments: [String], input: SecretBytes?, limit: Int = 64 << 20
  ) throws -> Result {
    guard let ends = Pipe(flags: O_CLOEXEC) else { throw missing(arguments[0]) }
    defer { close(ends.read) }
    // A file in memory and no pipe: a program that ends early cannot end us.
    let file = try input.map { try inputFile($0) }
    let child = spawn(arguments, input: file, output: ends.write)
    close(ends.write)
    if let file { close(file) }
    guard let child else { throw missing(arguments[0]) }
    // Drained before it is waited for: a full pipe would never let it end.
    let output = Swift.Result { try SecretInput.read(ends.read, limit: limit) }
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
    let code = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    return Result(status: code, output: try output.get())
  }

  private static func inputFile(_ bytes: SecretBytes) throws -> Int32 {
    let file = unsafe cvault_memfd_create("input", UInt32(MFD_CLOEXEC))
    guard file >= 0 else {
      throw CommandError("input-output", "no memory for a program's input", status: .inputOutput)
    }
    try bytes.withBytes { bytes throws(System.Failure) in try System.writeAll(file, bytes) }
    lseek(file, 0, SEEK_SET)
    return file
  }

  private static func spawn(_ arguments: [String], input: Int32?, output: Int32) -> pid_t? {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    if let input { unsafe posix_spawn_file_actions_adddup2(&actions, input, 0) }
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

  private static func missing(_ program: String) -> CommandError {
    CommandError(
      "program-missing", "\(program) could not be started", hint: "install it",
      status: .unavailable)
  }
}
