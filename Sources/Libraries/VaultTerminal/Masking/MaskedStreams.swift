import CVaultLinux
import Glibc
import VaultRedaction
import VaultStorage

/// What a masked program has instead of the streams of this process.
@safe final class MaskedStreams {
  /// One way from the program to a stream of this process.
  final class Output {
    /// Where the program's output is read; -1 at its end.
    var source: Int32
    /// The stream of this process.
    let target: Int32
    let stream: RedactingStream
    /// What is to be written, from `written` on.
    var pending: [UInt8] = []
    var written = 0
    /// Whether nothing has come since the last pause.
    var isPaused = true
    /// Whether there was no memory for what came: it cannot be masked, and is read and left out.
    var isLost = false

    init(source: Int32, target: Int32, _ redactor: Redactor) throws {
      self.source = source
      self.target = target
      stream = try RedactingStream(redactor)
    }

    var hasPending: Bool { written < pending.count }
  }

  // Above the numbers that a program may be promised: SealedMemoryFile.
  private static let firstDescriptor = 256

  private(set) var outputs: [Output] = []
  /// What becomes the program's streams; -1 for what it inherits.
  private(set) var program: [Int32] = [-1, -1, -1]
  /// Whether the program has a session of its own on the pseudo-terminal.
  let hasSession: Bool
  /// The side of the pseudo-terminal that is ours; -1 without one.
  private(set) var controller: Int32 = -1
  private(set) var programTerminal: Int32 = -1
  /// The real terminal; -1 without one.
  private(set) var terminal: Int32 = -1
  private(set) var eventsRead: Int32 = -1
  private(set) var eventsWrite: Int32 = -1
  private(set) var controlRead: Int32 = -1
  private(set) var controlWrite: Int32 = -1

  init(_ redactor: Redactor) throws {
    let terminals = [1, 2].filter { ProcessState.isTerminal($0) }
    let own = unsafe cvault_open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC, 0)
    hasSession = own >= 0 && ProcessState.isTerminal(0) && ProcessState.isTerminal(1)
    if own >= 0 { terminal = try Self.moved(own) }
    (eventsRead, eventsWrite) = try Self.pipe()
    (controlRead, controlWrite) = try Self.pipe()
    if let first = terminals.first { try openTerminal(like: first) }
    if let first = terminals.first {
      outputs.append(try Output(source: controller, target: first, redactor))
      for stream in terminals { program[Int(stream)] = programTerminal }
      if hasSession { program[0] = programTerminal }
    }
    let others = [Int32(1), 2].filter { !terminals.contains($0) && ProcessState.wasOpen($0) }
    var last: (write: Int32, target: Int32)?
    for stream in others {
      // Two streams into one file stay in order only if they are one here, too.
      if let last, Self.isSameFile(last.target, stream) {
        program[Int(stream)] = last.write
        continue
      }
      let (read, write) = try Self.pipe()
      outputs.append(try Output(source: read, target: stream, redactor))
      program[Int(stream)] = write
      last = (write, stream)
    }
    for output in outputs { _ = cvault_fcntl(output.source, F_SETFL, Int(O_NONBLOCK)) }
  }

  deinit {
    let own = outputs.map(\.source) + [controller, terminal, eventsRead, controlWrite]
    for descriptor in Set(own) where descriptor >= 0 { close(descriptor) }
  }

  /// Closes what belongs to the program, once it has it.
  func closeProgramSides() {
    for descriptor in Set(program + [eventsWrite, controlRead, programTerminal])
    where descriptor >= 0 {
      close(descriptor)
    }
  }

  /// Gives the pseudo-terminal the size of the real one.
  func resize() {
    guard controller >= 0, let target = outputs.first?.target else { return }
    _ = cvault_set_window_size(controller, target)
  }

  private func openTerminal(like stream: Int32) throws {
    let opened = cvault_open_pseudoterminal()
    guard opened >= 0 else { throw Self.failure("make a pseudo-terminal") }
    controller = try Self.moved(opened)
    let peer = cvault_open_pseudoterminal_peer(controller)
    guard peer >= 0 else { throw Self.failure("open a pseudo-terminal") }
    programTerminal = try Self.moved(peer)
    var mode = termios()
    if unsafe tcgetattr(stream, &mode) == 0 {
      // Where it is for output alone, the real terminal makes line ends of newlines.
      if !hasSession { mode.c_oflag &= ~tcflag_t(OPOST) }
      unsafe tcsetattr(programTerminal, TCSANOW, &mode)
    }
    _ = cvault_set_window_size(controller, stream)
  }

  private static func pipe() throws -> (Int32, Int32) {
    guard let ends = Pipe(flags: O_CLOEXEC) else { throw failure("make a pipe") }
    return (try moved(ends.read), try moved(ends.write))
  }

  /// The same file under a higher number.
  private static func moved(_ descriptor: Int32) throws -> Int32 {
    let duplicateCloseOnExec: Int32 = 1030  // F_DUPFD_CLOEXEC, which Glibc's module lacks.
    let higher = cvault_fcntl(descriptor, duplicateCloseOnExec, firstDescriptor)
    guard higher >= 0 else { throw failure("keep a descriptor") }
    close(descriptor)
    return higher
  }

  private static func isSameFile(_ one: Int32, _ other: Int32) -> Bool {
    guard let one = try? System.status(one), let other = try? System.status(other) else {
      return false
    }
    return one.isSameFile(as: other)
  }

  private static func failure(_ what: String) -> TerminalError {
    TerminalError(
      .inputOutput, "cannot \(what) for the command: \(System.Failure(errno: errno).reason)")
  }
}
