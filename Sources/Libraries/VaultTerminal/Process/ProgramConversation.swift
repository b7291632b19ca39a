import CVaultLinux
import Glibc
import VaultStorage

/// A program that runs beside this one and answers: bytes to its stdin, bytes from its stdout.
///
/// It has no terminal, and a session of its own, so that it can be ended with all that it started.
/// Each call has a time in which something has to move. What it writes to stderr is kept, the last
/// 4 KiB of it. No secrets but those that are sent: this is ordinary memory.
@safe package struct ProgramConversation: Sendable {
  /// Why a conversation is over.
  package enum Failure: Error {
    /// Nothing came, or nothing was taken, for too long.
    case wasSilent
    /// It ended, or closed its streams.
    case hasEnded
  }

  private let child: pid_t
  private let input: Int32
  private let output: Int32
  private var errors: Int32
  private var inbox: [UInt8] = []
  private var complaints: [UInt8] = []
  private var isOver = false

  private static let errorsKept = 4 << 10

  /// Starts a program; `nil` if it could not be started.
  ///
  /// - Parameters:
  ///   - path: The program's file.
  ///   - arguments: Its arguments, without a secret.
  ///   - keeps: Which of this process's variables it gets.
  package init?(
    _ path: String, _ arguments: [String], keeping keeps: (String) -> Bool
  ) {
    // A socket, not a pipe: sending to a program that has gone is an error there, and no SIGPIPE.
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | O_CLOEXEC
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
    let (own, its) = (ends[0], ends[1])
    guard let output = Pipe(flags: O_CLOEXEC), let errors = Pipe(flags: O_CLOEXEC) else {
      close(own)
      close(its)
      return nil
    }
    let child = unsafe ChildProgram.launch(
      [path] + arguments, path: path, keeping: keeps, flags: ChildProgram.newSession
    ) { actions in
      unsafe posix_spawn_file_actions_adddup2(&actions, its, 0)
      unsafe posix_spawn_file_actions_adddup2(&actions, output.write, 1)
      unsafe posix_spawn_file_actions_adddup2(&actions, errors.write, 2)
    }
    for end in [its, output.write, errors.write] { close(end) }
    guard let child else {
      for end in [own, output.read, errors.read] { close(end) }
      return nil
    }
    self.child = child
    input = own
    self.output = output.read
    self.errors = errors.read
  }

  /// How long one answer may take at most: a quarter of an hour.
  private static let longest = Duration.seconds(900)

  /// Sends bytes; what comes meanwhile is kept.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - patience: How many milliseconds nothing may move.
  /// - Throws: ``Failure``.
  package mutating func send(_ bytes: RawSpan, patience: Int) throws(Failure) {
    var sent = 0
    while sent < bytes.byteCount {
      let rest = bytes.extracting(sent..<bytes.byteCount)
      let count = unsafe rest.withUnsafeBytes { buffer in
        unsafe Glibc.send(
          input, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count > 0 {
        sent += count
      } else if errno == EAGAIN || errno == EINTR {
        try move(awaitingRoom: true, patience)
      } else {
        throw .hasEnded
      }
    }
  }

  /// Takes bytes.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - patience: How many milliseconds nothing may come.
  /// - Returns: The bytes.
  /// - Throws: ``Failure``.
  package mutating func receive(_ count: Int, patience: Int) throws(Failure) -> [UInt8] {
    let began = ContinuousClock.now
    var (here, moved) = (inbox.count, began)
    while inbox.count < count {
      // What it complains of is no answer, and an answer has an end.
      let now = ContinuousClock.now
      let left = min(moved + .milliseconds(patience), began + Self.longest) - now
      guard left > .zero else { throw .wasSilent }
      try move(awaitingRoom: false, Int(left / .milliseconds(1)) + 1)
      if inbox.count > here { (here, moved) = (inbox.count, .now) }
    }
    let taken = Array(inbox[..<count])
    inbox.removeFirst(count)
    return taken
  }

  /// Waits until something has come, or the time is over.
  ///
  /// - Parameter milliseconds: The time.
  /// - Returns: Whether something has.
  /// - Throws: ``Failure/hasEnded``.
  package mutating func wait(milliseconds: Int) throws(Failure) -> Bool {
    if !inbox.isEmpty { return true }
    do {
      try move(awaitingRoom: false, milliseconds)
    } catch .wasSilent {
      return false
    }
    return !inbox.isEmpty
  }

  /// Waits for one of the streams, and takes what is there.
  private mutating func move(awaitingRoom: Bool, _ patience: Int) throws(Failure) {
    guard !isOver else { throw .hasEnded }
    // poll(2) passes over a negative descriptor.
    var waiting = [
      pollfd(fd: output, events: Int16(POLLIN), revents: 0),
      pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
      pollfd(fd: awaitingRoom ? input : -1, events: Int16(POLLOUT), revents: 0),
    ]
    let found = unsafe poll(&waiting, 3, Int32(clamping: patience))
    if found < 0, errno == EINTR { return }
    guard found > 0 else { throw .wasSilent }
    if waiting[1].revents != 0, !ChildProgram.take(errors, &complaints) {
      close(errors)
      errors = -1
    }
    if complaints.count > 2 * Self.errorsKept {
      complaints.removeFirst(complaints.count - Self.errorsKept)
    }
    if waiting[0].revents != 0, !ChildProgram.take(output, &inbox) { isOver = true }
    // A message has an end, which whoever sends and never listens does not know.
    if awaitingRoom, inbox.count > 64 << 20 { isOver = true }
  }

  /// Ends the program with all that it started.
  ///
  /// - Parameter isAsked: Whether it may end by itself first, since its stdin has ended: for a
  ///   tenth of a second.
  /// - Returns: The end of what it wrote to stderr, and its exit status: 128 + n for a signal.
  @discardableResult
  package mutating func end(isAsked: Bool) -> (complaints: [UInt8], status: Int32) {
    close(input)
    if isAsked {
      let descriptor = cvault_process_descriptor(child)
      var ending = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      _ = unsafe poll(&ending, 1, 100)
      if descriptor >= 0 { close(descriptor) }
    }
    // Not waited for yet, so the number is still its own, and that of its group.
    kill(-child, SIGKILL)
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    var rest = pollfd(fd: errors, events: Int16(POLLIN), revents: 0)
    while errors >= 0, complaints.count < 64 << 10, unsafe poll(&rest, 1, 0) > 0,
      ChildProgram.take(errors, &complaints)
    {}
    close(output)
    if errors >= 0 { close(errors) }
    return (complaints.suffix(Self.errorsKept), signal == 0 ? status >> 8 & 0xFF : 128 + signal)
  }
}
