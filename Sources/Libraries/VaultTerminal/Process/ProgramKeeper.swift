import CVaultLinux
import Glibc
import VaultStorage

/// Runs a program, and ends with it all that it has started.
///
/// This process is there for nothing else: whatever loses its parent below it becomes its child,
/// prctl(2), `PR_SET_CHILD_SUBREAPER`, also a program that has left its session, and is ended once the
/// program itself has ended.
@safe package enum ProgramKeeper {
  /// How long a program has that is asked to end.
  private static let grace = Duration.seconds(1)
  /// How long what it leaves behind is looked for: a program that makes processes faster than they
  /// can be ended is left to the system's limits.
  private static let patience = Duration.seconds(5)

  /// Runs a program in a session without a terminal.
  ///
  /// SIGTERM asks the program to end, and ends it after a second.
  ///
  /// - Parameter execution: The program.
  /// - Returns: How it ended.
  /// - Throws: ``TerminalError`` with code `.inputOutput` where nothing can be started.
  package static func run(_ execution: Execution) throws -> ProgramEnd {
    guard let signals = SignalPipe() else {
      throw TerminalError(.inputOutput, "there are no descriptors left")
    }
    signals.catchSignals([], always: [SIGTERM, SIGCHLD])
    _ = cvault_prctl(PR_SET_CHILD_SUBREAPER, 1)
    _ = setsid()
    var surroundings = Execution.Surroundings()
    surroundings.leadsGroup = true
    let child = try execution.start(surroundings)
    let end = wait(for: child, signals)
    endAll()
    return end
  }

  private static func wait(for child: pid_t, _ signals: SignalPipe) -> ProgramEnd {
    var deadline: ContinuousClock.Instant?
    while true {
      var status: Int32 = 0
      while case let ended = unsafe waitpid(-1, &status, WNOHANG), ended > 0 {
        if ended == child { return ProgramEnd(status: status) }
      }
      if let deadline, deadline <= .now {
        // It may have left its group for this one's. It is not reaped yet: the number is its own.
        for process in [-child, child] { kill(process, SIGKILL) }
        // What the kernel does not let go now must not keep all the others alive.
        if .now - deadline >= grace { return .killed(SIGKILL) }
      }
      var waiting = pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)
      _ = unsafe poll(&waiting, 1, deadline == nil ? -1 : 50)
      if signals.takeSignals().contains(SIGTERM), deadline == nil {
        kill(-child, SIGTERM)
        if getpgid(child) != child { kill(child, SIGTERM) }
        deadline = .now + grace
      }
    }
  }

  /// Ends all children, and those that become children then.
  private static func endAll() {
    let end = ContinuousClock.now + patience
    while end > .now {
      var status: Int32 = 0
      while case let ended = unsafe waitpid(-1, &status, WNOHANG), ended != 0 {
        if ended < 0, errno == ECHILD { return }
      }
      for child in children { kill(child, SIGKILL) }
      poll(nil, 0, 1)
    }
  }

  /// The processes whose parent this one is.
  ///
  /// The kernel's own list is one look, however many processes there are; where it was built without,
  /// each process is looked at.
  private static var children: [pid_t] { listedChildren ?? foundChildren }

  /// The list of the kernel: proc_tid_children(5).
  private static var listedChildren: [pid_t]? {
    guard
      let folder = try? System.open(
        "/proc/self/task", in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
    else { return nil }
    defer { System.close(folder) }
    guard let threads = try? System.names(in: folder) else { return nil }
    var children: [pid_t] = []
    for thread in threads.compactMap({ pid_t($0) }) {
      guard
        let bytes = try? UserFile.bytes(
          of: "/proc/self/task/\(thread)/children", limit: 1 << 20)
      else { return nil }
      children += bytes.split(separator: UInt8(ascii: " ")).compactMap {
        pid_t(String(decoding: $0, as: UTF8.self))
      }
    }
    return children
  }

  /// What proc_pid_stat(5) says of all processes.
  private static var foundChildren: [pid_t] {
    guard let folder = try? System.open("/proc", in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
    else { return [] }
    defer { System.close(folder) }
    let own = getpid()
    return ((try? System.names(in: folder)) ?? []).compactMap { pid_t($0) }.filter { process in
      guard let bytes = try? UserFile.bytes(of: "/proc/\(process)/stat", limit: 4096),
        // A program's own name, in parentheses, may have any bytes.
        let name = bytes.lastIndex(of: UInt8(ascii: ")"))
      else { return false }
      let fields = bytes[(name + 1)...].split(separator: UInt8(ascii: " "), maxSplits: 2)
      return fields.count > 1 && String(decoding: fields[1], as: UTF8.self) == String(own)
    }
  }
}
