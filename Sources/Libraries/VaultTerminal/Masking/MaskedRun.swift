import CVaultLinux
import Glibc
import VaultRedaction
import VaultSealing
import VaultStorage

/// Passes everything between a masked program and the streams of this process, until it has ended.
@safe final class MaskedRun {
  /// After such a pause, what is held back is looked at again: somebody may be waiting for it.
  private static let pause: Int32 = 30
  /// How long it is waited for output of what a program has left behind.
  private static let lastWait: Int32 = 100
  /// How often a program in the background looks whether it is in the foreground.
  private static let foregroundCheck: Int32 = 250
  /// poll(2) promises that so much can be written without waiting: PIPE_BUF.
  private static let mostWritten = 4096

  private let streams: MaskedStreams
  /// The child of this process: the program, or the leader of its session.
  private let child: pid_t
  /// The program.
  private var program: pid_t
  private let failure: (Int32) -> TerminalError
  /// What another thread stops the program by.
  private let handle: ProgramHandle?
  private let leadsGroup: Bool
  private let signals: SignalPipe
  /// Where signals came before this run had its own pipe.
  private let earlier: SignalPipe?
  /// The signals that are ignored for this run alone.
  private var ignored: [Int32] = []
  private let keys: LockedArea
  private var keysPending = 0..<0
  private var keysEnded = false
  private var mode = termios()
  private var isRaw = false
  private var end: ProgramEnd?
  /// Whether the session's leader has something to tell.
  private var told = false

  init(
    _ streams: MaskedStreams, child: pid_t, handle: ProgramHandle? = nil,
    earlier: SignalPipe? = nil, leadsGroup: Bool = false,
    failure: @escaping (Int32) -> TerminalError
  ) throws {
    self.streams = streams
    self.child = child
    self.handle = handle
    self.leadsGroup = leadsGroup
    self.earlier = earlier
    self.failure = failure
    program = child
    keys = try LockedArea(capacity: 1024)
    guard let signals = SignalPipe() else {
      kill(child, SIGKILL)
      throw TerminalError(.inputOutput, "no file descriptors are left")
    }
    self.signals = signals
  }

  /// Waits for the end of the program.
  func wait() throws -> ProgramEnd {
    catchSignals()
    defer {
      signals.release()
      for number in ignored { _ = cvault_default_signal(number) }
    }
    enterRaw()
    defer { leaveRaw() }
    if !streams.hasSession {
      try takeEvents()
      handle?.begin(child, leadsGroup: leadsGroup)
      // It may have ended before its end was a signal that is caught.
      takeEnd()
    }
    defer { handle?.end() }
    // What came before this run had a pipe.
    try handleSignals()
    while end == nil {
      step(timeout: timeout)
      try handleSignals()
      if told {
        told = false
        try takeEvents()
      }
    }
    if streams.hasSession {
      var status: Int32 = 0
      while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
    }
    drain()
    guard !streams.outputs.contains(where: \.isLost) else {
      throw TerminalError(
        .inputOutput,
        "there was no memory to mask what the command wrote: a part of it is missing")
    }
    return end ?? .exited(0)
  }

  // MARK: - Signals

  private func catchSignals() {
    var forwarded = [SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGWINCH]
    // In the same session, the terminal sends these to the program itself.
    if streams.hasSession || streams.terminal < 0 { forwarded += [SIGINT, SIGQUIT] }
    if streams.hasSession { forwarded += [SIGTSTP, SIGCONT] }
    signals.catchSignals(forwarded, always: [SIGCHLD])
    if !streams.hasSession, streams.terminal >= 0 {
      for number in [SIGINT, SIGQUIT] { ignore(number) }
    }
    // A reader that has gone is the program's business: its pipe is closed.
    ignore(SIGPIPE)
    var child = sigset_t()
    unsafe sigemptyset(&child)
    unsafe sigaddset(&child, SIGCHLD)
    unsafe pthread_sigmask(SIG_UNBLOCK, &child, nil)
  }

  private func ignore(_ number: Int32) {
    if cvault_is_ignored(number) == 0 { ignored.append(number) }
    cvault_ignore_signal(number)
  }

  /// Passes signals on.
  private func handleSignals() throws {
    for number in (earlier?.takeSignals() ?? []) + signals.takeSignals() {
      switch number {
      case SIGCHLD:
        if !streams.hasSession { takeEnd() }
      case SIGWINCH:
        streams.resize()
        // Its terminal is not the one whose size it asks for.
        if !streams.hasSession { kill(program, SIGWINCH) }
      case SIGCONT: enterRaw()
      default:
        if number == SIGTERM { handle?.noteEnding() }
        kill(program, number)
      }
    }
  }

  private func takeEnd() {
    if let handle {
      end = handle.takeEnd() ?? end
      return
    }
    var status: Int32 = 0
    if unsafe waitpid(child, &status, WNOHANG) == child { end = ProgramEnd(status: status) }
  }

  /// Takes what the leader of the session tells; without one, whether the program was started.
  private func takeEvents() throws {
    var event = cvault_event()
    let size = MemoryLayout<cvault_event>.size
    let count = unsafe Glibc.read(streams.eventsRead, &event, size)
    if count < 0, errno == EINTR { return }
    guard count == size else {
      if streams.hasSession {
        // The leader was killed, and the program with it.
        end = end ?? .killed(SIGKILL)
      }
      return
    }
    switch event.kind {
    case 1:
      var status: Int32 = 0
      leaveRaw()
      while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
      throw failure(event.value)
    case 2:
      program = event.value
      handle?.begin(program, leadsGroup: true)
    default:
      if event.value & 0xFF == 0x7F {
        stop(by: event.value >> 8 & 0xFF)
      } else {
        // What it has started is in its group, and keeps the terminal.
        handle?.end()
        end = ProgramEnd(status: event.value)
      }
    }
  }

  /// Stops this process as the program was stopped, and continues both.
  private func stop(by signal: Int32) {
    for _ in 0..<2 { step(timeout: 0, watchesEvents: false) }
    for output in streams.outputs { flush(output) }
    leaveRaw()
    cvault_stop_group(signal == SIGSTOP ? SIGSTOP : SIGTSTP)
    enterRaw()
    streams.resize()
    var go: UInt8 = 1
    _ = unsafe Glibc.write(streams.controlWrite, &go, 1)
  }

  // MARK: - The terminal's mode

  private var isInForeground: Bool { tcgetpgrp(streams.terminal) == getpgrp() }

  /// Leaves everything to the program's own terminal: echo, lines, signals.
  private func enterRaw() {
    guard streams.hasSession, !isRaw, isInForeground,
      unsafe tcgetattr(streams.terminal, &mode) == 0
    else { return }
    var raw = mode
    raw.c_iflag &= ~tcflag_t(
      IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON | IXANY | IXOFF)
    raw.c_oflag &= ~tcflag_t(OPOST)
    raw.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG | IEXTEN)
    unsafe withUnsafeMutableBytes(of: &raw.c_cc) { characters in
      unsafe characters[Int(VMIN)] = 1
      unsafe characters[Int(VTIME)] = 0
    }
    isRaw = unsafe tcsetattr(streams.terminal, TCSANOW, &raw) == 0
  }

  private func leaveRaw() {
    guard isRaw else { return }
    isRaw = false
    unsafe tcsetattr(streams.terminal, TCSANOW, &mode)
  }

  // MARK: - Bytes

  private var timeout: Int32 {
    let isHolding = streams.outputs.contains {
      !$0.isPaused && !$0.isLost && $0.stream.isHolding
    }
    if isHolding { return Self.pause }
    return streams.hasSession && !isRaw && !keysEnded ? Self.foregroundCheck : -1
  }

  /// Waits for the next bytes or signals, and passes bytes on.
  private func step(timeout: Int32, watchesEvents: Bool = true) {
    var waiting = [pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)]
    let watched = streams.hasSession && watchesEvents
    waiting.append(
      pollfd(fd: watched ? streams.eventsRead : -1, events: Int16(POLLIN), revents: 0))
    let readsKeys = isRaw && !keysEnded && keysPending.isEmpty
    waiting.append(
      pollfd(fd: readsKeys ? streams.terminal : -1, events: Int16(POLLIN), revents: 0))
    waiting.append(
      pollfd(
        fd: keysPending.isEmpty ? -1 : streams.controller, events: Int16(POLLOUT), revents: 0))
    let first = waiting.count
    for output in streams.outputs {
      waiting.append(
        pollfd(
          fd: output.hasPending ? -1 : output.source, events: Int16(POLLIN), revents: 0))
      waiting.append(
        pollfd(
          fd: output.hasPending ? output.target : -1, events: Int16(POLLOUT), revents: 0))
    }
    let count = unsafe poll(&waiting, nfds_t(waiting.count), timeout)
    if count == 0 {
      for output in streams.outputs where !output.isPaused && !output.isLost {
        output.isPaused = true
        output.stream.takeAfterPause(&output.pending)
      }
      enterRaw()
      return
    }
    guard count > 0 else { return }
    if waiting[2].revents != 0 { readKeys() }
    if waiting[3].revents != 0 { writeKeys() }
    for (index, output) in streams.outputs.enumerated() {
      if waiting[first + 2 * index].revents != 0 { read(output) }
      if waiting[first + 2 * index + 1].revents != 0 || output.hasPending { write(output) }
    }
    if waiting[1].revents != 0 { told = true }
  }

  private func readKeys() {
    let count = keys.withMutableBytes { room in
      (try? System.read(streams.terminal, into: &room)) ?? 0
    }
    keysEnded = count == 0
    keysPending = 0..<count
    writeKeys()
  }

  private func writeKeys() {
    let written = keys.withBytes { bytes in
      unsafe bytes.extracting(keysPending).withUnsafeBytes { bytes in
        unsafe Glibc.write(streams.controller, bytes.baseAddress, bytes.count)
      }
    }
    if written > 0 {
      keysPending = keysPending.lowerBound + written..<keysPending.upperBound
    } else if errno != EAGAIN, errno != EINTR {
      keysPending = 0..<0
    }
  }

  private func read(_ output: MaskedStreams.Output) {
    guard !output.isLost else { return readAway(output) }
    var failure: Int32 = 0
    var count = 0
    do {
      count = try output.stream.append(upTo: 64 << 10) { room in
        do { return try System.read(output.source, into: &room) } catch let error as System.Failure
        {
          failure = error.errno
          return 0
        }
      }
    } catch {
      // What is held is the beginning of a secret, of which the rest is not seen any more.
      output.isLost = true
      output.stream.take(into: &output.pending)
      if output.stream.isHolding { output.pending += Redactor.replacement }
      return
    }
    if failure == EAGAIN { return }
    if count == 0 {
      // EIO: nobody has the pseudo-terminal any more.
      output.source = -1
      output.stream.takeAll(into: &output.pending)
    } else {
      output.isPaused = false
      output.stream.take(into: &output.pending)
    }
  }

  /// Reads what cannot be masked, and gives none of it: a program that nobody reads would be ended.
  private func readAway(_ output: MaskedStreams.Output) {
    var bytes = [UInt8](repeating: 0, count: 4096)
    var span = bytes.mutableSpan
    var room = unsafe span.mutableBytes
    do {
      if try System.read(output.source, into: &room) == 0 { output.source = -1 }
    } catch {
      if error.errno != EAGAIN, error.errno != EINTR { output.source = -1 }
    }
  }

  private func write(_ output: MaskedStreams.Output) {
    guard output.hasPending else { return }
    let end = min(output.pending.count, output.written + Self.mostWritten)
    let count = output.pending[output.written..<end].withRawSpan { bytes in
      unsafe bytes.withUnsafeBytes { unsafe Glibc.write(output.target, $0.baseAddress, $0.count) }
    }
    if count >= 0 {
      output.written += count
    } else if errno != EAGAIN, errno != EINTR {
      // The reader has gone. The program learns it when it writes again.
      if output.source >= 0 { close(output.source) }
      output.source = -1
      output.written = output.pending.count
    }
    if !output.hasPending {
      output.pending.removeAll(keepingCapacity: true)
      output.written = 0
    }
  }

  /// Writes what is left, waiting for the reader.
  private func flush(_ output: MaskedStreams.Output) {
    while output.hasPending {
      var waiting = pollfd(fd: output.target, events: Int16(POLLOUT), revents: 0)
      if unsafe poll(&waiting, 1, -1) > 0 { write(output) }
    }
  }

  /// Takes what the program has written before it ended; where another run follows, not for ever what
  /// it has left behind.
  private func drain() {
    let end = handle.map { _ in ContinuousClock.now + .seconds(2) }
    for output in streams.outputs {
      while output.source >= 0, end.map({ ContinuousClock.now < $0 }) ?? true {
        flush(output)
        var waiting = pollfd(fd: output.source, events: Int16(POLLIN), revents: 0)
        let count = unsafe poll(&waiting, 1, Self.lastWait)
        if count == 0 { break }
        if count > 0 { read(output) }
      }
      if !output.isLost { output.stream.takeAll(into: &output.pending) }
      flush(output)
    }
  }
}
