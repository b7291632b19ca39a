import Glibc
import Synchronization
import VaultBrowser
import VaultCredentials
import VaultDBus
import VaultKeyringService
import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

/// The native messaging host that a browser starts for KeePassXC's extension, once a profile.
///
/// It takes messages from stdin, answers on stdout, and ends with either. What a browser sends is
/// whatever a page may have made of it: lengths are checked before anything is kept, and a browser
/// that does not read its answers is not read, either.
enum BrowserServing {
  static let verb = "browser"

  /// Bytes that go into a pipe at once, if it can be written at all: pipe(7), `PIPE_BUF`.
  private static let portion = 4096
  /// Answers that wait to be read, in bytes, before nothing more is taken in.
  private static let maximumWaiting = 2 << 20
  /// How many seconds a person has for an answer.
  private static let patience = 120

  /// Serves until the browser has gone, and ends the process.
  ///
  /// - Parameter arguments: What the browser has given: the manifest and the extension, or an origin.
  static func run(_ arguments: [String]) -> Never {
    do {
      guard BrowserManifest.isExtension(in: arguments) else {
        throw HelperFailure(
          "a browser starts this for the extension KeePassXC-Browser, and for no other")
      }
      try serve()
      exit(0)
    } catch {
      // Browsers show it in their own logs.
      StandardError.write("vault: error: \(HelperAnswer.words(of: error).message)\n")
      exit(69)
    }
  }

  private static func serve() throws {
    guard let wakeUp = WakeUp(), let signals = SignalPipe() else {
      throw HelperFailure("there are no descriptors left")
    }
    signals.catchSignals([SIGTERM, SIGINT, SIGHUP], always: [SIGPIPE])
    let browser = BrowserProcess.identity()
    // The terminal that a browser was started from is not where a person looks for a question, and
    // what is typed there is for the shell.
    let person = Person(terminal: nil, patience: patience)
    let desk = try ApprovalDesk(
      ApprovalAccess(serves: verb, command: getppid(), isWalled: false, patience: patience),
      ways: ApprovalWay.all(person))
    defer {
      person?.stopAsking()
      desk.close()
    }
    let caller = browser.caller
    var options = BrowserHost.Options(
      browser: browser,
      question: { question, answer in desk.ask(ApprovalRequest(question, of: caller), answer) },
      wake: wakeUp.call)
    options.standing = { desk.kept.standing($0) }
    options.warn = { StandardError.write("vault: warning: \($0)\n") }
    let host = BrowserHost(door: try BrowserVault(wakeUp).door, options: options)
    defer { host.close() }
    try NativeStream().run(host, wakeUp: wakeUp, until: signals.descriptor)
  }

  /// Stdin and stdout.
  private struct NativeStream {
    private let input: LockedBuffer
    private var output: [UInt8] = []

    init() throws { input = try LockedBuffer(capacity: 64 << 10) }

    consuming func run(_ host: BrowserHost, wakeUp: WakeUp, until end: Int32) throws {
      while true {
        for message in host.takeOutput() { output += message }
        let isReading = output.count < maximumWaiting
        let ready = LocalSocket.wait(
          for: [
            (end, true, false), (wakeUp.descriptor, true, false), (STDIN_FILENO, isReading, false),
            (STDOUT_FILENO, false, !output.isEmpty),
          ], milliseconds: milliseconds(to: host.nextLook))
        if ready[0].reads { return }
        if ready[1].reads { wakeUp.clear() }
        host.catchUp()
        // Whoever has closed stdout wants no answer any more.
        if ready[3].reads { return }
        if ready[3].writes { try write() }
        if isReading, ready[2].reads {
          guard try read() else { return }
          try takeMessages(host)
        } else if ready[2].reads {
          // It has ended, and reads no answers.
          return
        }
      }
    }

    private func milliseconds(to instant: ContinuousClock.Instant?) -> Int? {
      instant.map { max(10, Int(($0 - .now) / .milliseconds(1)) + 1) }
    }

    /// Reads what is there; `false` at the end.
    private func read() throws -> Bool {
      var failure: System.Failure?
      let count = try input.fill(atMost: 64 << 10) { span in
        do throws(System.Failure) {
          return try System.read(STDIN_FILENO, into: &span)
        } catch {
          failure = error
          return 0
        }
      }
      if failure?.errno == EAGAIN || failure?.errno == EINTR { return true }
      return count > 0
    }

    private mutating func write() throws {
      let chunk = Array(output.prefix(portion))
      try chunk.withRawSpan { try System.writeAll(STDOUT_FILENO, $0) }
      output.removeFirst(chunk.count)
    }

    /// Takes all messages that are whole.
    private mutating func takeMessages(_ host: BrowserHost) throws {
      while let length = input.withBytes({ NativeMessage.length($0) }) {
        guard (1...NativeMessage.maximumInput).contains(length) else {
          throw HelperFailure(
            "the browser has announced a message of \(length) bytes: at most "
              + "\(NativeMessage.maximumInput) are taken")
        }
        guard input.count - 4 >= length else { return }
        input.withBytes { host.take($0.extracting(4..<4 + length)) }
        input.removeFirst(4 + length)
        for message in host.takeOutput() { output += message }
      }
    }
  }
}

/// The vault of a browser's host: opened by what asks nobody, and after a lock by a session alone.
private final class BrowserVault: Sendable {
  private struct State: Sendable {
    /// Until when the session lasts that has opened it; `nil` if something else has.
    var end: ContinuousClock.Instant?
    var wasLocked = false
    var isOpen = false
  }

  private let locked: LockedVault
  private let served: ServedDoor
  private let state = Mutex(State())

  init(_ wakeUp: WakeUp) throws {
    var options = VaultOptions()
    // The desktop's keyring may ask, and this thread has answers to give.
    options.usesKeyring = false
    options.sessionSeconds = 0
    options.origin = .program
    let home = ProcessState.variable("VAULT_HOME").flatMap { $0.isEmpty ? nil : $0 }
    let name = ProcessState.variable("VAULT_NAME").flatMap { $0.isEmpty ? nil : $0 }
    let location = try home.map { StoreLocation(home: $0) } ?? StoreLocation()
    locked = try LockedVault(location: location, name: name, options: options)
    served = ServedDoor(locked, name: name, wakeUp: wakeUp, person: nil)
  }

  var door: BrowserDoor {
    BrowserDoor(
      mayStayOpen: mayStayOpen, end: { self.state.withLock(\.end) },
      close: {
        self.served.close()
        self.state.withLock { state in
          // Whether it was locked or a session is over: who locks it later is not heard here.
          if state.isOpen { state.wasLocked = true }
          (state.end, state.isOpen) = (nil, false)
        }
      }, open: open,
      lock: { _ = try? self.locked.blocking.lock() })
  }

  private func open(_ isLooking: Bool) throws -> UnlockedVault {
    let sources =
      isLooking || state.withLock(\.wasLocked) ? [KeySource.session] : KeySource.standard
    let opened = try locked.blocking.unlock(with: sources)
    try served.keep(opened)
    let end = opened.openedBy.source == .session ? sessionEnd() : nil
    if sources.count == 1, let end, end <= .now {
      // Its last moment would be open, locked and open again.
      served.close()
      throw CredentialError(.locked, "the session is over")
    }
    state.withLock { state in
      state = State(end: end, wasLocked: false, isOpen: true)
    }
    return opened
  }

  private func sessionEnd() -> ContinuousClock.Instant? {
    guard case .active(let seconds)? = try? locked.blocking.session() else { return .now }
    return .now + .seconds(seconds)
  }

  private func mayStayOpen() -> Bool {
    guard served.door.mayStayOpen() else { return false }
    guard let end = state.withLock(\.end), end <= .now else { return true }
    // It may have been made longer meanwhile.
    guard case .active(let seconds)? = try? locked.blocking.session(), seconds > 0 else {
      return false
    }
    state.withLock { $0.end = .now + .seconds(seconds) }
    return true
  }
}

extension ApprovalRequest {
  /// The question of a browser's host.
  fileprivate init(_ asked: BrowserQuestion, of caller: UsageCaller) {
    self.init(
      identity: asked.identity,
      question: ApprovalQuestion(
        item: asked.item, use: BrowserServing.verb, purpose: asked.site,
        sentence: "\(Person.name(of: caller)) \(asked.words)",
        programs: caller.approvalPrograms, isOnlyRefused: !asked.isKept,
        mayBeAlways: asked.mayBeAlways))
  }
}
