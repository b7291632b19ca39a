import CVaultLinux
import Glibc
package import VaultRedaction
import VaultSealing
import VaultStorage

/// How a program ended.
package enum ProgramEnd: Equatable, Sendable {
  /// It exited with a status.
  case exited(Int32)
  /// A signal ended it.
  case killed(Int32)

  /// The meaning of a status of waitpid(2).
  init(status: Int32) {
    let signal = status & 0x7F
    self = signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal)
  }

  /// Ends this process in the same way.
  package func endProcess() -> Never {
    switch self {
    case .exited(let status): exit(status)
    case .killed(let signal):
      _ = cvault_default_signal(signal)
      var set = sigset_t()
      unsafe sigemptyset(&set)
      unsafe sigaddset(&set, signal)
      unsafe sigprocmask(SIG_UNBLOCK, &set, nil)
      raise(signal)
      exit(128 + signal)
    }
  }
}

extension Execution {
  /// Runs the program beside this process, which replaces secrets in what it writes.
  ///
  /// Where stdin and stdout are terminals, the program has a pseudo-terminal of its own with a
  /// session. Otherwise each stream that is a terminal becomes one that is for output alone, and
  /// the program stays in the session. What is a pipe or a file becomes a pipe.
  ///
  /// - Returns: How it ended, with everything that it wrote passed on and the terminal as it was.
  /// - Throws: ``TerminalError`` with code `.commandNotFound`, `.commandNotExecutable` or
  ///   `.inputOutput`.
  package func run(masking redactor: Redactor) throws -> ProgramEnd {
    QuietTerminal.end()
    let streams = try MaskedStreams(redactor)
    let child = try start(streams)
    streams.closeProgramSides()
    return try MaskedRun(streams, child: child, failure: { error($0) }).wait()
  }

  /// Starts the program; the process to wait for.
  private func start(_ streams: MaskedStreams) throws -> pid_t {
    let arguments = unsafe CStrings(command)
    var environment = unsafe inherited()
    let first = unsafe environment.count
    for secret in secrets {
      // A NULL in its place would end the list, and the program would lack the rest.
      guard let entry = unsafe Self.assignment(secret.variable, secret.value) else {
        throw TerminalError(.inputOutput, "there is no memory for the environment")
      }
      unsafe environment.append(entry)
    }
    let last = unsafe environment.count
    unsafe environment.append(nil)
    let placements = files.flatMap { [$0.file, $0.number] }
    ProcessState.restore()
    defer { ProcessState.hardenAgain() }
    let child = unsafe environment.withUnsafeBufferPointer { environment in
      unsafe placements.withUnsafeBufferPointer { placements in
        var program = unsafe cvault_program()
        unsafe program.arguments = unsafe UnsafePointer(arguments.pointers)
        unsafe program.environment = environment.baseAddress
        unsafe program.streams = (streams.program[0], streams.program[1], streams.program[2])
        unsafe program.terminal = streams.hasSession ? streams.programTerminal : -1
        unsafe program.events = streams.eventsWrite
        unsafe program.control = streams.controlRead
        unsafe program.placements = placements.baseAddress
        unsafe program.placement_count = Int32(files.count)
        unsafe program.secrets = environment.baseAddress.map { unsafe $0 + first }
        unsafe program.secret_count = Int32(last - first)
        return unsafe cvault_start_program(&program)
      }
    }
    guard child > 0 else {
      throw TerminalError(
        .inputOutput, "no process can be started: \(System.Failure(errno: errno).reason)")
    }
    return child
  }
}
