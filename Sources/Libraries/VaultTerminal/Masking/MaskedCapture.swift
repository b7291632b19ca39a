import CVaultLinux
import Glibc
package import VaultRedaction
import VaultStorage

/// What a program has written, masked: its beginning and its end, where it is more than is kept.
package struct KeptText: Sendable {
  private let half: Int
  private var head: [UInt8] = []
  private var tail: [UInt8] = []
  /// The number of bytes between beginning and end that are not kept.
  package private(set) var leftOut = 0

  init(limit: Int) { half = limit / 2 }

  mutating func add(_ bytes: [UInt8]) {
    let room = half - head.count
    head += bytes.prefix(room)
    guard bytes.count > room else { return }
    tail += bytes.dropFirst(room)
    // Not at each call: what is removed at the beginning moves all the rest.
    if tail.count > 4 * half { trim() }
  }

  mutating func trim() {
    guard tail.count > half else { return }
    leftOut += tail.count - half
    tail.removeFirst(tail.count - half)
  }

  /// All of it as text, with U+FFFD for what is not UTF-8, and words in place of what is missing.
  package var text: String {
    guard leftOut > 0 else { return String(decoding: head + tail, as: UTF8.self) }
    // Of a scalar that is cut in two, neither part is text.
    let begin = head.dropLast(cutAtEnd)
    let end = tail.dropFirst(tail.prefix(3).prefix { $0 & 0xC0 == 0x80 }.count)
    let missing = leftOut + head.count - begin.count + tail.count - end.count
    return String(decoding: begin, as: UTF8.self)
      + "\n[… \(Plural.of(missing, "byte")) left out …]\n" + String(decoding: end, as: UTF8.self)
  }

  /// How many of the last bytes of the beginning are the first ones of a scalar: RFC 3629, section 3.
  private var cutAtEnd: Int {
    let more = head.suffix(3).reversed().prefix { $0 & 0xC0 == 0x80 }.count
    guard more < head.count else { return 0 }
    let first = head[head.count - 1 - more]
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1
    return length > more + 1 ? more + 1 : 0
  }
}

/// A program that runs beside this process, without a stdin, and whose output is masked and kept.
@safe package final class MaskedCapture: Sendable {
  /// Why the program has ended.
  package enum Ending: Sendable {
    case byItself
    /// It took too long.
    case tookTooLong
    /// It was stopped from here.
    case stopped
  }

  /// What became of it.
  package struct Result: Sendable {
    package let end: ProgramEnd
    package let ending: Ending
    package let output: KeptText
    package let errors: KeptText
    /// Whether all output was read: what there was no memory to mask is left out.
    package let isComplete: Bool
  }

  /// How long the process has that is asked to end; ``ProgramKeeper`` needs less.
  private static let grace = Duration.seconds(8)
  private static let portion = 64 << 10

  private let process: pid_t
  private let output: Int32
  private let errors: Int32
  private let redactor: Redactor
  private let limit: Int

  /// Starts a program.
  ///
  /// It gets SIGTERM when the thread ends that calls this, and with it when this process is killed.
  ///
  /// - Parameters:
  ///   - execution: The program; best one that uses ``ProgramKeeper``.
  ///   - redactor: What replaces the secrets.
  ///   - limit: The most bytes that are kept of each stream.
  /// - Throws: ``TerminalError`` with code `.inputOutput`.
  package init(_ execution: Execution, masking redactor: Redactor, limit: Int) throws {
    (self.redactor, self.limit) = (redactor, limit)
    let nothing = unsafe cvault_open("/dev/null", O_RDONLY | O_CLOEXEC, 0)
    guard nothing >= 0 else { throw Self.noDescriptors }
    defer { close(nothing) }
    guard let output = Pipe(flags: O_CLOEXEC) else { throw Self.noDescriptors }
    guard let errors = Pipe(flags: O_CLOEXEC) else {
      for end in [output.read, output.write] { close(end) }
      throw Self.noDescriptors
    }
    (self.output, self.errors) = (output.read, errors.read)
    var surroundings = Execution.Surroundings()
    surroundings.streams = (nothing, output.write, errors.write)
    surroundings.deathSignal = SIGTERM
    let started = Swift.Result { try execution.start(surroundings) }
    for end in [output.write, errors.write] { close(end) }
    for end in [output.read, errors.read] { _ = cvault_fcntl(end, F_SETFL, Int(O_NONBLOCK)) }
    do {
      process = try started.get()
    } catch {
      for end in [output.read, errors.read] { close(end) }
      throw error
    }
  }

  private static let noDescriptors = TerminalError(.inputOutput, "there are no descriptors left")

  /// One of its streams.
  private struct Stream {
    var source: Int32
    let masked: RedactingStream
    var kept: KeptText
    /// Whether there was no memory for what came: it cannot be masked, and is read and left out.
    private(set) var isLost = false

    init(_ source: Int32, _ redactor: Redactor, limit: Int) throws {
      (self.source, kept) = (source, KeptText(limit: limit))
      masked = try RedactingStream(redactor)
    }

    /// Takes what is there; whether there may be more.
    mutating func read() -> Bool {
      guard source >= 0 else { return false }
      var failure: Int32 = 0
      var count = 0
      if !isLost {
        do {
          count = try masked.append(upTo: MaskedCapture.portion) { [source] room in
            do { return try System.read(source, into: &room) } catch let error as System.Failure {
              failure = error.errno
              return 0
            }
          }
        } catch {
          isLost = true
        }
      }
      if isLost {
        (count, failure) = readAway()
        // A program that nobody reads would be ended by that.
        if count > 0 { return true }
      }
      if count == 0 {
        if failure == EAGAIN || failure == EINTR { return false }
        close(source)
        source = -1
        return false
      }
      var bytes: [UInt8] = []
      masked.take(into: &bytes)
      kept.add(bytes)
      return true
    }

    /// Reads what cannot be masked, and gives none of it.
    private func readAway() -> (count: Int, failure: Int32) {
      var bytes = [UInt8](repeating: 0, count: 4096)
      var span = bytes.mutableSpan
      var room = unsafe span.mutableBytes
      do { return (try System.read(source, into: &room), 0) } catch { return (0, error.errno) }
    }

    /// What is left at the end: nothing of what is the beginning of a secret for certain.
    ///
    /// A byte or a few may be one by accident, and are given.
    mutating func finish() {
      if source >= 0 { close(source) }
      source = -1
      var bytes: [UInt8] = []
      masked.take(into: &bytes)
      kept.add(bytes)
      bytes = []
      masked.takeAfterPause(&bytes)
      kept.add(masked.isHolding ? Redactor.replacement : bytes)
      kept.trim()
    }
  }

  /// Waits for the end of the program; once, and not on the thread that has started it.
  ///
  /// - Parameters:
  ///   - seconds: How long it may take.
  ///   - stop: A descriptor that can be read when it is to be ended.
  /// - Returns: How it ended, and what it wrote.
  /// - Throws: `SealingError` with code `.outOfMemory`; then it has been ended.
  package func wait(seconds: Int, until stop: Int32) throws -> Result {
    var streams: [Stream] = []
    do {
      for source in [output, errors] {
        streams.append(try Stream(source, redactor, limit: limit))
      }
    } catch {
      kill(process, SIGTERM)
      _ = ended(isAwaited: true)
      for source in [output, errors] { close(source) }
      throw error
    }
    let watched = cvault_process_descriptor(process)
    defer { if watched >= 0 { close(watched) } }
    var deadline = ContinuousClock.now + .seconds(seconds)
    var ending = Ending.byItself
    var end: ProgramEnd?
    while end == nil {
      let left = max(0, Int((deadline - .now) / .milliseconds(1)))
      var waiting = [
        pollfd(fd: ending == .byItself ? stop : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: watched, events: Int16(POLLIN), revents: 0),
      ]
      waiting += streams.map { pollfd(fd: $0.source, events: Int16(POLLIN), revents: 0) }
      // Without a descriptor of the process it is looked at five times a second.
      _ = unsafe poll(
        &waiting, nfds_t(waiting.count), Int32(clamping: watched < 0 ? min(left, 200) : left))
      for index in streams.indices where waiting[2 + index].revents != 0 {
        _ = streams[index].read()
      }
      end = ended(isAwaited: false)
      guard end == nil else { break }
      let isStopped = waiting[0].revents != 0
      guard isStopped || deadline <= .now else { continue }
      guard ending == .byItself else {
        kill(process, SIGKILL)
        continue
      }
      ending = isStopped ? .stopped : .tookTooLong
      kill(process, SIGTERM)
      deadline = .now + Self.grace
    }
    for index in streams.indices {
      // What it left behind could write for ever.
      for _ in 0..<64 { guard streams[index].read() else { break } }
      streams[index].finish()
    }
    return Result(
      end: end ?? .exited(0), ending: ending, output: streams[0].kept, errors: streams[1].kept,
      isComplete: !streams.contains(where: \.isLost))
  }

  private func ended(isAwaited: Bool) -> ProgramEnd? {
    var status: Int32 = 0
    var ended: pid_t = -1
    repeat {
      ended = unsafe waitpid(process, &status, isAwaited ? 0 : WNOHANG)
    } while ended < 0
      && errno == EINTR
    return ended == process ? ProgramEnd(status: status) : nil
  }
}
