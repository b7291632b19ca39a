import CVaultLinux
import Glibc
import VaultSealing
import VaultStorage

/// Runs the command of `--passphrase cmd:COMMAND` and takes what it prints.
@safe enum PassphraseCommand {
  /// What `command` prints, read from a pipe straight into locked memory.
  ///
  /// It runs under `/bin/sh`, without the variables that name this program's own sources. Its stdin is
  /// empty, since ours may carry the secret to store.
  ///
  /// - Throws: ``CommandError`` with code `passphrase-command-failed`.
  static func output(of command: String) throws -> SecretBytes {
    guard let ends = Pipe(flags: O_CLOEXEC) else { throw failed("no pipe") }
    defer { close(ends.read) }
    let child = spawn(command, output: ends.write)
    close(ends.write)
    guard let child else { throw failed("it could not be started") }
    // Drained before it is waited for: a full pipe would never let it end.
    let result = Result { try SecretInput.read(ends.read, limit: SecretSource.maximumLength) }
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
    let hasExited = status & 0x7F == 0
    guard hasExited, status >> 8 & 0xFF == 0 else {
      throw failed(
        hasExited
          ? "it ended with status \(status >> 8 & 0xFF)" : "signal \(status & 0x7F) ended it")
    }
    return try result.get()
  }

  private static func spawn(_ command: String, output: Int32) -> pid_t? {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
    let arguments = unsafe CStrings(["sh", "-c", command])
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
    let status = unsafe posix_spawn(
      &child, "/bin/sh", &actions, nil, arguments.pointers, environment)
    return status == 0 ? child : nil
  }

  private static func failed(_ why: String) -> CommandError {
    CommandError(
      "passphrase-command-failed", "the command of --passphrase gave no passphrase: \(why)",
      hint: "run it by itself to see what it says", status: .noPermission)
  }
}
