import Glibc
import Synchronization
import VaultCredentials
import VaultProtocols
package import VaultSealing
import VaultStorage
package import VaultTerminal

/// Keeps what a command of `vault run` was given like the vault, while it runs.
///
/// The vault's file is the signal: nothing of it is believed but that it is time to look. Only what
/// the command was given counts; another item, a tag or a note is no change. A vault that nothing
/// opens, an item that is missing, expired or in conflict, changes nothing either: the command goes
/// on with what it has, and never starts with less.
package final class RunWatch: Sendable {
  /// What a change does.
  package enum Action: String, CaseIterable, Sendable {
    /// Stop the command, and start it with the new values.
    case restart
    /// Replace the files of the command, and send it a signal.
    case signal
    /// Stop the command and end, for a service manager that starts it again.
    case exit
  }

  /// How a command is watched.
  package struct Options: Equatable, Sendable {
    package var action: Action
    /// What tells the command of new files.
    package var signal: Int32
    package var stopSignal: Int32
    /// How long the command may take to stop.
    package var stopTimeout: Duration
    /// How long the vault is quiet before a change counts.
    package var settle: Duration
    /// The longest of the random waits before a stop.
    package var splay: Duration

    /// Makes options; see the properties.
    package init(
      action: Action, signal: Int32 = SIGHUP, stopSignal: Int32 = SIGTERM,
      stopTimeout: Duration = .seconds(10), settle: Duration = .milliseconds(200),
      splay: Duration = .zero
    ) {
      self.action = action
      self.signal = signal
      self.stopSignal = stopSignal
      self.stopTimeout = stopTimeout
      self.settle = settle
      self.splay = splay
    }
  }

  /// The status that ends `--watch=exit`: EX_TEMPFAIL of sysexits.h, start me again.
  package static let changedStatus: Int32 = 75
  /// How long a busy vault is waited for.
  private static let longestSettling = Duration.seconds(5)
  /// How often the file is looked at without a signal.
  private static let interval = Duration.seconds(30)

  /// What the command was given, by a keyed hash that no other process can make.
  private typealias Digest = [UInt8]

  private struct State {
    /// What the command was given.
    var current: Digest
    /// What it gets when it is started again; `nil` while nothing has changed.
    var next: RunPlan.Given?
    /// Whether the command was stopped since something has changed.
    var isStopped = false
  }

  private let plan: RunPlan
  private let settings: VaultSettings
  private let options: Options
  private let isMasked: Bool
  private let key: SecretBytes
  private let state: Mutex<State>
  private let handle = ProgramHandle()
  /// A byte in it wakes the watching thread.
  private let wake: Pipe
  /// Puts new contents under the paths that the command has.
  private let replaceFiles: @Sendable ([SecretBytes]) throws -> Void

  /// Makes a watch of what a command was given.
  ///
  /// - Parameters:
  ///   - plan: What it was given.
  ///   - given: Its values.
  ///   - settings: What opens the vaults, again and again.
  ///   - options: What a change does.
  ///   - isMasked: Whether all secrets are kept, since the command's output is masked.
  ///   - replaceFiles: Puts new contents under the paths that the command has, for `signal`.
  /// - Throws: ``CommandError`` with code `.usage` for a vault that can be opened only once.
  package init(
    _ plan: RunPlan, given: RunPlan.Given, _ settings: VaultSettings, _ options: Options,
    isMasked: Bool, replaceFiles: @escaping @Sendable ([SecretBytes]) throws -> Void
  ) throws {
    guard let wake = Pipe(flags: O_CLOEXEC | O_NONBLOCK) else {
      throw CommandError(.inputOutput, "this process has too many open files")
    }
    self.wake = wake
    self.plan = plan
    self.options = options
    self.isMasked = isMasked
    self.replaceFiles = replaceFiles
    self.settings = try settings.openingAgain()
    key = try SecretBytes.random(count: 32)
    state = Mutex(State(current: try Self.digest(of: given, key)))
  }

  // MARK: - The command

  /// Runs a command, as often as it takes, until it ends by itself or somebody ends it.
  ///
  /// - Parameters:
  ///   - given: What it is given first.
  ///   - start: Runs it once, until it has ended.
  /// - Returns: How it ended; `nil` where it was stopped since something has changed.
  /// - Throws: What `start` throws; ``CommandError``.
  package func run(
    _ given: RunPlan.Given,
    _ start: (RunPlan.Given, ProgramHandle, SignalPipe) throws -> ProgramEnd
  ) throws -> ProgramEnd? {
    guard let signals = SignalPipe() else {
      throw CommandError(.inputOutput, "this process has too many open files")
    }
    signals.catchSignals(Execution.watchedSignals, always: [SIGCHLD])
    // A parent may have blocked them.
    signals.unblock(Execution.watchedSignals + [SIGCHLD])
    let watches = try vaultFiles().map { path in
      try FileSignal.watch(path.name, in: path.directoryPath) { [self] in wakeUp() }
    }
    defer { for watch in watches { watch.stop() } }
    BlockingThread.start(name: "vault-watch") { [self] in watch() }
    var given = given
    while true {
      let end = try start(given, handle, signals)
      guard let next = takeNext(after: end) else { return end }
      if options.action == .exit { return nil }
      if let signal = signals.takeSignals().first(where: Execution.endingSignals.contains) {
        return .killed(signal)
      }
      StandardError.note("the secrets have changed: the command is started again")
      given = next
    }
  }

  /// What the command is started with again; `nil` where it has ended for another reason.
  private func takeNext(after end: ProgramEnd) -> RunPlan.Given? {
    state.withLock { state in
      defer {
        state.next = nil
        state.isStopped = false
      }
      guard state.isStopped, !handle.isEnding else { return nil }
      // The person's own Ctrl-C goes to the command alone.
      if options.stopSignal != SIGINT, [.killed(SIGINT), .exited(128 + SIGINT)].contains(end) {
        return nil
      }
      return state.next
    }
  }

  private func vaultFiles() throws -> [FileLocation] {
    var names: [String?] = []
    for name in plan.vaultNames where !names.contains(name) { names.append(name) }
    return try names.map {
      FileLocation(path: try settings.locked(named: $0, asksNobody: true).path)
    }
  }

  // MARK: - Watching

  private func wakeUp() {
    let byte: [UInt8] = [1]
    _ = unsafe write(wake.write, byte, 1)
  }

  /// Waits for a signal of the file; false when the time has passed.
  private func wait(_ time: Duration) -> Bool {
    let (seconds, rest) = time.components
    let milliseconds = seconds * 1000 + rest / 1_000_000_000_000_000
    var waiting = pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&waiting, 1, Int32(clamping: max(1, milliseconds))) > 0 else { return false }
    var bytes = [UInt8](repeating: 0, count: 256)
    while unsafe Glibc.read(wake.read, &bytes, bytes.count) > 0 {}
    return true
  }

  private func watch() {
    var (seen, told) = (fingerprint(), "")
    // What has changed since it was read for the command.
    wakeUp()
    while true {
      let isSignaled = wait(Self.interval)
      // A change may come without a signal; and what was wrong may be over without a change.
      let now = fingerprint()
      guard isSignaled || now != seen || !told.isEmpty else { continue }
      let begin = ContinuousClock.now
      while wait(options.settle), .now - begin < Self.longestSettling {}
      seen = fingerprint()
      do {
        try look()
        if !told.isEmpty {
          told = ""
          StandardError.note("what the command was given can be read again")
        }
      } catch {
        let text = ErrorReport(error).message
        if text != told {
          told = text
          StandardError.warning(
            text, hint: "the command goes on with what it has; this is looked at again")
        }
      }
    }
  }

  /// The vault files as the file system has them.
  private func fingerprint() -> [System.FileStatus?] {
    ((try? vaultFiles()) ?? []).map { try? System.targetStatus(of: $0.path, in: AT_FDCWD) }
  }

  /// Looks whether the command was given something else, and acts.
  private func look() throws {
    guard try read(isComparing: true).digest != state.withLock({ $0.current }) else { return }
    let pause = Duration.nanoseconds(
      Int64.random(in: 0...max(0, Int64(options.splay / .nanoseconds(1)))))
    if pause > .zero { usleep(UInt32(clamping: Int64(pause / .microseconds(1)))) }
    // What has changed meanwhile counts, too.
    let (given, digest) = try read(isComparing: false)
    guard digest != state.withLock({ $0.current }) else { return }
    switch options.action {
    case .signal:
      try replaceFiles(given.contents.map(\.value))
      state.withLock { $0.current = digest }
      handle.send(options.signal)
    case .restart, .exit: stop(given, digest)
    }
  }

  /// Reads what the command would be given now.
  ///
  /// - Parameter isComparing: Whether it is only to be compared: then a one-time code, which the next
  ///   start makes anew, is left out.
  /// - Returns: It, and its digest.
  /// - Throws: What stands in the way of starting the command with it.
  private func read(isComparing: Bool) throws -> (given: RunPlan.Given, digest: Digest) {
    let reading = ReferenceReading(settings, for: .run)
    reading.isRepeated = true
    reading.leavesOutCodes = isComparing
    reading.keepsSecrets = isMasked && !isComparing
    let given = try plan.given(try plan.variables(reading), reading)
    if !isComparing { reading.recordUses() }
    return (given, try Self.digest(of: given, key))
  }

  private static func digest(of given: RunPlan.Given, _ key: SecretBytes) throws -> Digest {
    var hashes: [UInt8] = []
    for value in given.values.sorted(by: { $0.variable < $1.variable }) {
      hashes += try Hash.blake2b(Array(value.variable.utf8), key: key)
      if !value.isCode { hashes += try value.value.withBytes { try Hash.blake2b($0, key: key) } }
    }
    for content in given.contents where !content.isCode {
      hashes += try content.value.withBytes { try Hash.blake2b($0, key: key) }
    }
    return try Hash.blake2b(hashes, key: key)
  }

  /// Stops the command, those that it has started with it, and whoever does not stop in time.
  private func stop(_ given: RunPlan.Given, _ digest: Digest) {
    let run = handle.send(options.stopSignal, toGroup: true, isStop: true) { [self] in
      state.withLock { state in
        state.current = digest
        state.next = given
        state.isStopped = true
      }
    }
    guard let run else {
      // Between two runs, or at the end: the next one is looked at again.
      usleep(100_000)
      return wakeUp()
    }
    let end = ContinuousClock.now + options.stopTimeout
    while ContinuousClock.now < end, state.withLock({ $0.isStopped }) { usleep(20_000) }
    handle.send(SIGKILL, toGroup: true, ofRun: run)
  }
}
