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
  /// - Parameters:
  ///   - redactor: What replaces the secrets.
  ///   - handle: What another thread stops it by; then it leads a process group without a terminal,
  ///     too.
  ///   - earlier: Where signals were caught before.
  /// - Returns: How it ended, with everything that it wrote passed on and the terminal as it was.
  /// - Throws: ``TerminalError`` with code `.commandNotFound`, `.commandNotExecutable` or
  ///   `.inputOutput`.
  package func run(
    masking redactor: Redactor, beside handle: ProgramHandle? = nil,
    signals earlier: SignalPipe? = nil
  ) throws -> ProgramEnd {
    QuietTerminal.end()
    let streams = try MaskedStreams(redactor)
    var surroundings = Surroundings()
    surroundings.streams = (streams.program[0], streams.program[1], streams.program[2])
    surroundings.terminal = streams.hasSession ? streams.programTerminal : -1
    surroundings.events = streams.eventsWrite
    surroundings.control = streams.controlRead
    surroundings.leadsGroup = handle != nil && streams.terminal < 0
    let child = try start(surroundings)
    streams.closeProgramSides()
    return try MaskedRun(
      streams, child: child, handle: handle, earlier: earlier, leadsGroup: surroundings.leadsGroup,
      failure: { error($0) }
    ).wait()
  }

  /// What a program that runs beside this process has around it.
  struct Surroundings {
    /// What become its streams; negative: those of this process.
    var streams: (Int32, Int32, Int32) = (-1, -1, -1)
    /// Its controlling terminal, in a session of its own; negative: the session of this process.
    var terminal: Int32 = -1
    /// Where what happens to it is written, as `cvault_event`.
    var events: Int32 = -1
    /// From where the leader of its session continues it.
    var control: Int32 = -1
    var leadsGroup = false
    /// The terminal whose foreground its group takes; negative: none.
    var foreground: Int32 = -1
    /// What it gets when this process is killed.
    var deathSignal = SIGKILL
  }

  /// Starts the program; the process to wait for.
  func start(_ surroundings: Surroundings) throws -> pid_t {
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
        unsafe program.streams = surroundings.streams
        unsafe program.terminal = surroundings.terminal
        unsafe program.events = surroundings.events
        unsafe program.control = surroundings.control
        unsafe program.leads_group = surroundings.leadsGroup ? 1 : 0
        unsafe program.foreground = surroundings.foreground
        unsafe program.death_signal = surroundings.deathSignal
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
