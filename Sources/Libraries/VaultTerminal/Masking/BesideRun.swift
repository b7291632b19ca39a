import CVaultLinux
import Glibc

/// Runs a program beside this process, which passes signals on, until it has ended.
///
/// The program leads a process group, so that what it has started can be stopped with it. In the
/// foreground of a terminal this group takes the place of ours, and stops and goes on with it, as a
/// shell's jobs do.
@safe final class BesideRun {
  private let child: pid_t
  private let signals: SignalPipe
  private let handle: ProgramHandle
  /// The terminal that it reads; negative without one.
  private let terminal: Int32
  private let leadsGroup: Bool
  private var end: ProgramEnd?

  /// Signals that are the program's business.
  static let forwarded = [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2]
  /// Those of them that ask for an end where no program runs.
  static let endings: Set<Int32> = [SIGTERM, SIGINT, SIGQUIT]

  init(
    child: pid_t, _ signals: SignalPipe, _ handle: ProgramHandle, leadsGroup: Bool, terminal: Int32
  ) {
    self.child = child
    self.signals = signals
    self.handle = handle
    self.leadsGroup = leadsGroup
    self.terminal = terminal
  }

  /// Waits for the end of the program.
  func wait() -> ProgramEnd {
    takeStatus()
    while end == nil {
      var waiting = pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)
      _ = unsafe poll(&waiting, 1, -1)
      for number in signals.takeSignals() {
        guard number != SIGCHLD else {
          takeStatus()
          continue
        }
        // A program may go on after the others: a dump of its threads, a question.
        if number == SIGTERM { handle.noteEnding() }
        // In one group, the terminal sends it to the program itself.
        let isTerminals = !leadsGroup && [SIGINT, SIGQUIT].contains(number)
        if !isTerminals {
          handle.send(number, toGroup: [SIGINT, SIGQUIT, SIGTERM].contains(number))
        }
      }
    }
    takeTerminal()
    return end ?? .exited(0)
  }

  private func takeStatus() {
    end = handle.takeEnd()
    var info = unsafe siginfo_t()
    guard end == nil,
      unsafe waitid(P_PID, id_t(child), &info, WSTOPPED | WNOHANG) == 0,
      unsafe info.si_signo == SIGCHLD
    else { return }
    if terminal >= 0, leadsGroup { stopWithProgram() }
  }

  /// Stops this process as its program was stopped, and goes on with it; a program that wants the
  /// terminal, and whose job was brought to the front, gets it.
  private func stopWithProgram() {
    if tcgetpgrp(terminal) != getpgrp() {
      takeTerminal()
      cvault_stop_group(SIGTSTP)
    }
    if tcgetpgrp(terminal) == getpgrp() { setForeground(child) }
    handle.send(SIGCONT, toGroup: true)
  }

  /// Takes the terminal from the program; never from a shell that has it by now.
  private func takeTerminal() {
    if terminal >= 0, tcgetpgrp(terminal) == child { setForeground(getpgrp()) }
  }

  /// Makes a group the terminal's foreground: from the background that stops a process, unless the
  /// signal is blocked.
  private func setForeground(_ group: pid_t) {
    var set = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, SIGTTOU)
    unsafe pthread_sigmask(SIG_BLOCK, &set, &before)
    tcsetpgrp(terminal, group)
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}

extension Execution {
  /// The signals to catch before ``run(beside:signals:deathSignal:)``, and while no program runs.
  package static var watchedSignals: [Int32] { BesideRun.forwarded }

  /// Those of them that ask for an end.
  package static var endingSignals: Set<Int32> { BesideRun.endings }

  /// Runs the program beside this process, with the streams of this process.
  ///
  /// - Parameters:
  ///   - handle: What another thread stops it by.
  ///   - signals: Where ``watchedSignals`` and SIGCHLD are caught.
  ///   - deathSignal: What the program gets when this process is killed.
  /// - Returns: How it ended.
  /// - Throws: ``TerminalError`` with code `.commandNotFound`, `.commandNotExecutable` or
  ///   `.inputOutput`.
  package func run(
    beside handle: ProgramHandle, signals: SignalPipe, deathSignal: Int32
  ) throws -> ProgramEnd {
    QuietTerminal.end()
    let terminal = unsafe cvault_open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC, 0)
    defer { if terminal >= 0 { close(terminal) } }
    let isAtTerminal =
      terminal >= 0 && ProcessState.isTerminal(STDIN_FILENO)
      && ProcessState.isTerminal(STDOUT_FILENO)
    let isInFront = terminal >= 0 && tcgetpgrp(terminal) == getpgrp()
    // In front of a pipe of the shell, a group of its own could not read the terminal.
    let leadsGroup =
      isAtTerminal || terminal < 0 || !ProcessState.isTerminal(STDIN_FILENO) || !isInFront
    guard let events = Pipe(flags: O_CLOEXEC) else {
      throw TerminalError(.inputOutput, "no file descriptors are left")
    }
    defer { close(events.read) }
    var surroundings = Surroundings()
    surroundings.leadsGroup = leadsGroup
    surroundings.foreground = isAtTerminal && isInFront ? terminal : -1
    surroundings.deathSignal = deathSignal
    // Above the numbers that the program may be promised.
    surroundings.events = cvault_fcntl(events.write, 1030, 256)  // F_DUPFD_CLOEXEC
    close(events.write)
    let child = try start(surroundings)
    close(surroundings.events)
    var event = cvault_event()
    let size = MemoryLayout<cvault_event>.size
    var count = -1
    repeat { count = unsafe read(events.read, &event, size) } while count < 0 && errno == EINTR
    // From here on it has its group.
    handle.begin(child, leadsGroup: leadsGroup)
    let run = BesideRun(
      child: child, signals, handle, leadsGroup: leadsGroup,
      terminal: isAtTerminal ? terminal : -1)
    guard count == size else { return run.wait() }
    _ = run.wait()
    throw error(event.value)
  }
}
