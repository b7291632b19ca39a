import CVaultLinux
import Glibc
import VaultSealing
package import VaultStorage

extension ChildProgram {
  /// How a program ended, and what it wrote.
  ///
  /// No secrets: this is ordinary memory.
  package struct Captured: Sendable {
    /// Why the program was ended from here.
    package enum Ending: Sendable {
      /// It wrote nothing for too long.
      case wasSilent
      /// It wrote more than was wanted.
      case wroteTooMuch
    }

    /// The exit status; 0 if a signal ended the program.
    package let exitStatus: Int32
    /// The signal that ended the program.
    package let signal: Int32?
    /// What it wrote to stdout.
    package let output: [UInt8]
    /// The end of what it wrote to stderr.
    package let errors: [UInt8]
    /// Why it was ended from here; `nil` if it ended by itself.
    package let ending: Ending?

    /// Whether the program ended by itself, with 0.
    package var isSuccess: Bool { exitStatus == 0 && signal == nil && ending == nil }
  }

  /// The surroundings of a program whose output is captured.
  package struct Surroundings: Sendable {
    /// Variables to add to its environment or to replace.
    package var variables: [String: String] = [:]
    /// Which of this process's variables it gets.
    package var keeps: @Sendable (String) -> Bool = { _ in true }
    /// Whether it keeps the terminal, and may ask there.
    package var hasTerminal = false
    /// How long it may write nothing, in seconds; `nil` for ever.
    package var patience: Int?

    package init() {}
  }

  private static let errorsKept = 64 << 10

  /// Runs a program from PATH and waits for its end.
  ///
  /// A program that is silent for too long, or writes too much, is ended with all that it started.
  ///
  /// - Parameters:
  ///   - arguments: The program and its arguments.
  ///   - input: Its stdin.
  ///   - limit: The most bytes of output that are accepted.
  ///   - surroundings: Its environment.
  /// - Returns: Its end and its output; `nil` if it could not be started.
  /// - Throws: `System.Failure` where there is no memory for the input.
  package static func capture(
    _ arguments: [String], input: [UInt8] = [], limit: Int,
    in surroundings: Surroundings
  ) throws(System.Failure) -> Captured? {
    guard let output = Pipe(flags: O_CLOEXEC) else { return nil }
    defer { close(output.read) }
    guard let errors = Pipe(flags: O_CLOEXEC) else {
      close(output.write)
      return nil
    }
    defer { close(errors.read) }
    let file = input.isEmpty ? nil : try memoryFile(input)
    let child = unsafe launch(
      arguments, variables: surroundings.variables, keeping: surroundings.keeps,
      flags: surroundings.hasTerminal ? 0 : newSession
    ) { actions in
      if let file {
        unsafe posix_spawn_file_actions_adddup2(&actions, file, 0)
      } else {
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      }
      unsafe posix_spawn_file_actions_adddup2(&actions, output.write, 1)
      unsafe posix_spawn_file_actions_adddup2(&actions, errors.write, 2)
    }
    close(output.write)
    close(errors.write)
    if let file { close(file) }
    guard let child else { return nil }
    return collect(
      child, output.read, errors.read, limit: limit, patience: surroundings.patience,
      isLeader: !surroundings.hasTerminal)
  }

  private static func memoryFile(_ bytes: [UInt8]) throws(System.Failure) -> Int32 {
    let file = unsafe cvault_memfd_create("input", UInt32(MFD_CLOEXEC))
    guard file >= 0 else { throw System.Failure(errno: errno) }
    do throws(System.Failure) {
      try bytes.withRawSpan { span throws(System.Failure) in try System.writeAll(file, span) }
    } catch {
      close(file)
      throw error
    }
    lseek(file, 0, SEEK_SET)
    return file
  }

  private static func collect(
    _ child: pid_t, _ output: Int32, _ errors: Int32, limit: Int, patience: Int?, isLeader: Bool
  ) -> Captured {
    var (written, complaints): ([UInt8], [UInt8]) = ([], [])
    var ending: Captured.Ending?
    var status: Int32 = 0
    // poll(2) passes over a negative descriptor.
    var (awaited, complained) = (output, errors)
    while awaited >= 0, ending == nil {
      var waiting = [
        pollfd(fd: awaited, events: Int16(POLLIN), revents: 0),
        pollfd(fd: complained, events: Int16(POLLIN), revents: 0),
      ]
      let found = unsafe poll(&waiting, 2, patience.map { Int32($0) * 1000 } ?? -1)
      if found < 0, errno == EINTR { continue }
      if found == 0 { ending = .wasSilent }
      if waiting[0].revents != 0, !take(output, &written) { awaited = -1 }
      if waiting[1].revents != 0, !take(errors, &complaints) { complained = -1 }
      if written.count > limit { ending = .wroteTooMuch }
      if complaints.count > 2 * errorsKept { complaints.removeFirst(errorsKept) }
    }
    if ending != nil { kill(isLeader ? -child : child, SIGKILL) }
    // Something that it started, such as a shared connection of ssh, may hold its stderr for long:
    // what counts is its own end.
    var hasEnded = false
    while !hasEnded {
      var waiting = pollfd(fd: complained, events: Int16(POLLIN), revents: 0)
      if unsafe poll(&waiting, 1, 5) > 0, !take(errors, &complaints) { complained = -1 }
      let ended = unsafe waitpid(child, &status, WNOHANG)
      hasEnded = ended == child || (ended < 0 && errno != EINTR)
    }
    var rest = pollfd(fd: complained, events: Int16(POLLIN), revents: 0)
    while complained >= 0, unsafe poll(&rest, 1, 0) > 0, take(errors, &complaints) {}
    let signal = status & 0x7F
    return Captured(
      exitStatus: signal == 0 ? status >> 8 & 0xFF : 0, signal: signal == 0 ? nil : signal,
      output: written, errors: complaints.suffix(errorsKept), ending: ending)
  }

  /// Reads what is there, or waits for it; false at the end.
  static func take(_ descriptor: Int32, _ bytes: inout [UInt8]) -> Bool {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64 << 10) { buffer in
      var span = unsafe MutableSpan(_unsafeElements: buffer)
      var room = unsafe span.mutableBytes
      guard let count = try? System.read(descriptor, into: &room), count > 0 else { return false }
      unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[..<count]))
      return true
    }
  }
}
