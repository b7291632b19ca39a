import Glibc
import Synchronization
import VaultSealing

/// One question to a person through a program such as ssh-askpass, which writes the answer.
@safe package final class AskpassProgram: Sendable {
  /// The variable that names the program.
  package static let variable = "VAULT_ASKPASS"
  private static let limit = 64 << 10

  private let program: String
  private let question: String
  private let isChoice: Bool
  private let child = Mutex<(process: pid_t?, isOver: Bool)>((nil, false))

  /// The program that the environment names; `nil` if there is none.
  ///
  /// `VAULT_ASKPASS`, or on a display `SSH_ASKPASS`: ssh(1).
  package static var configured: String? {
    if let program = ProcessState.variable(variable), !program.isEmpty { return program }
    guard ProcessState.hasDisplay, let program = ProcessState.variable("SSH_ASKPASS"),
      !program.isEmpty
    else { return nil }
    return program
  }

  /// A question.
  ///
  /// - Parameters:
  ///   - program: The program.
  ///   - question: Its argument, without a secret.
  ///   - isChoice: Whether yes or no is wanted, and no text: `SSH_ASKPASS_PROMPT=confirm`.
  package init(_ program: String, _ question: String, isChoice: Bool = false) {
    (self.program, self.question, self.isChoice) = (program, question, isChoice)
  }

  /// Asks, and waits for the answer.
  ///
  /// - Parameter seconds: The longest wait; the program is killed then.
  /// - Returns: What it wrote, without the end of the line; a refusal if its status was 1, which is
  ///   how such programs say that the person wants no answer; nobody's answer if it could not be
  ///   started, failed otherwise, was ended, or had no more time.
  package func answer(within seconds: Int) -> PersonAnswer {
    guard let ends = Pipe(flags: O_CLOEXEC) else { return .nobody }
    defer { close(ends.read) }
    let started = child.withLock { child -> Bool in
      guard !child.isOver else { return false }
      child.process = unsafe ChildProgram.launch(
        [program, question], variables: isChoice ? ["SSH_ASKPASS_PROMPT": "confirm"] : [:]
      ) { actions in
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, ends.write, 1)
      }
      return child.process != nil
    }
    close(ends.write)
    guard started else { return .nobody }
    var waiting = pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0)
    while unsafe poll(&waiting, 1, Int32(seconds) * 1000) < 0, errno == EINTR {}
    if waiting.revents == 0 { cancel() }
    let output = try? SecretInput.read(ends.read, limit: Self.limit)
    // From here on nobody may kill it: its number may be another process's soon.
    let process = child.withLock { child in
      defer { child = (nil, true) }
      return child.process
    }
    var status: Int32 = 0
    while unsafe waitpid(process ?? -1, &status, 0) < 0, errno == EINTR {}
    // wait(2), `WIFEXITED` and `WEXITSTATUS`.
    if status & 0x7F == 0, status >> 8 & 0xFF == 1 { return .refused }
    guard status == 0, let output else { return .nobody }
    let length = output.withBytes { bytes in
      (0..<bytes.byteCount).first { [0x0A, 0x0D].contains(bytes.byte(at: $0)) } ?? bytes.byteCount
    }
    // Return alone in a field for text is no yes; a program of buttons writes nothing at all.
    guard !isChoice || length > 0 || output.count == 0 else { return .refused }
    return (try? output.slice(0..<length)).map(PersonAnswer.text) ?? .nobody
  }

  /// Ends the program, from any thread; nobody has answered then.
  package func cancel() {
    child.withLock { child in
      if let process = child.process { kill(process, SIGKILL) }
      child.isOver = true
    }
  }
}
