import Glibc
import Synchronization
import VaultCredentials
import VaultStorage
import VaultSync
import VaultTerminal

/// Keeps a vault and its store together until it is asked to end.
///
/// It runs when the store signals, when the vault file changes, and every minute or so: a stream may
/// be silent, and a pooler may swallow. Nothing of a signal is believed: it is a reason to look.
package final class StoreWatch: Sendable {
  private let settings: VaultSettings
  /// A byte in it wakes the main loop.
  private let wake: Pipe
  /// Whether the store has signaled since the last run.
  private let isSignaled = Mutex(false)
  private let machines = Mutex(1)
  /// Whether the vault follows a feed, as far as is known.
  private let follows = Mutex(false)
  /// What a monitor reads.
  private let metrics: WatchMetrics
  /// Until when a run may go on without the manager's help; `nil` between two of them.
  private let runEnds = Mutex<ContinuousClock.Instant?>(nil)

  /// How long the vault file is quiet before a run, in milliseconds.
  private static let settling = 200
  /// Runs are a second apart at least.
  private static let pause = Duration.seconds(1)
  private static let timer = 48_000...72_000
  /// Of a feed: thousands ask one server, and not all at one moment.
  private static let feedTimer = 15_000...45_000
  /// What somebody mends at the store, who need not know of this machine: a role, a schema, a copy
  /// of the servers that was put back.
  static let waitedFor: Set<CommandError.Code> = [
    .syncRolledBack, .syncNotAllowed, .syncNotPrepared,
  ]
  /// Beside these, what whoever hands out a feed may show: he is to end nobody's watching.
  private static let waitedForAtFeeds: Set<CommandError.Code> = [
    .syncTampered, .syncWithheld, .syncForked,
  ]
  /// How long a run may take, of which a manager hears that it goes on.
  private static let longest = Duration.seconds(3600)

  /// Watches the store of the vault that a line means.
  ///
  /// - Parameters:
  ///   - settings: What opens it, as often as it changes.
  ///   - metrics: What a monitor reads.
  /// - Throws: ``CommandError`` with code `.usage` for a source that can be read once.
  package init(_ settings: VaultSettings, _ metrics: WatchMetrics) throws {
    guard let wake = Pipe(flags: O_CLOEXEC | O_NONBLOCK) else {
      throw CommandError(.inputOutput, "this process has too many open files")
    }
    self.wake = wake
    self.metrics = metrics
    self.settings = try settings.openingAgain()
  }

  /// Runs until SIGTERM, SIGINT or SIGHUP.
  ///
  /// - Throws: What no later run can better: a vault that nothing opens, a machine that was removed.
  package func run() throws {
    guard let signals = SignalPipe() else {
      throw CommandError(.inputOutput, "this process has too many open files")
    }
    let ends = [SIGTERM, SIGINT, SIGHUP]
    signals.catchSignals([], always: ends)
    signals.unblock(ends)
    let vault = try settings.locked(asksNobody: true).path
    let path = FileLocation(path: vault)
    follows.withLock { $0 = SyncedVault.followsFeed(vaultAt: vault) }
    let watch = try FileSignal.watch(path.name, in: path.directoryPath) { [self] in wakeUp() }
    defer { watch.stop() }
    // A first run may take longer than a manager waits for a start.
    ServiceNotice.send("READY=1", "STATUS=the vault and its store are kept together")
    if let interval = ServiceNotice.interval {
      BlockingThread.start(name: "vault-watchdog") { [self] in tick(every: interval) }
    }
    var (told, isListening): (Set<CommandError.Code>, Bool) = ([], false)
    while true {
      let began = ContinuousClock.now
      runEnds.withLock { $0 = began + Self.longest }
      told = try runOnce(after: told)
      runEnds.withLock { $0 = nil }
      if !isListening {
        isListening = true
        BlockingThread.start(name: "vault-listen") { [self] in listen() }
      }
      let end =
        ContinuousClock.now
        + .milliseconds(
          Int.random(in: follows.withLock { $0 } ? Self.feedTimer : Self.timer))
      guard waitForReason(until: end, signals) else { break }
      let isStore = isSignaled.withLock { signaled in
        defer { signaled = false }
        return signaled
      }
      // Many machines hear of one change at one moment, and do not all come at once.
      let settling =
        isStore ? Int.random(in: 0...min(10_000, 5 * machines.withLock { $0 })) : Self.settling
      let rest = max(Self.pause - (.now - began), .milliseconds(settling))
      guard sleep(until: .now + rest, signals) else { break }
      drain()
    }
    metrics.end()
    ServiceNotice.send("STOPPING=1")
  }

  /// One run; what is wrong with the store is said when it is new, and is a later run's to look at.
  ///
  /// - Parameter told: What was wrong in the run before.
  /// - Returns: What is wrong now.
  /// - Throws: What no later run can better.
  private func runOnce(after told: Set<CommandError.Code>) throws -> Set<CommandError.Code> {
    do {
      let (report, status) = try settings.withSpace { space in
        (try space.synchronize(), try space.status())
      }
      machines.withLock { $0 = status.devices }
      follows.withLock { $0 = status.feedAge != nil }
      if report.sent > 0 || !report.changes.isUnchanged || report.mended > 0 {
        try settings.writesJSON ? StandardOutput.write(report.members) : report.tell()
      }
      var codes: Set<CommandError.Code> = []
      for problem in report.problems.map({ ErrorReport($0) }) {
        if codes.insert(problem.code).inserted, !told.contains(problem.code) {
          problem.write(asJSON: settings.writesJSON)
        }
      }
      if codes.isEmpty, !told.isEmpty {
        StandardError.note("the store is in order again", hint: nil)
      }
      metrics.note(report, status, codes)
      return codes
    } catch {
      let report = ErrorReport(error)
      metrics.note(report.code)
      guard
        [.unavailable, .busy, .inputOutput].contains(report.status)
          || Self.waitedFor.contains(report.code)
          || follows.withLock({ $0 }) && Self.waitedForAtFeeds.contains(report.code)
      else { throw error }
      if !told.contains(report.code) { report.write(asJSON: settings.writesJSON) }
      return [report.code]
    }
  }

  /// Tells the manager that a run goes on, until it has taken too long.
  private func tick(every interval: Duration) {
    let microseconds = UInt32(min(interval / .microseconds(1), 600_000_000))
    while true {
      if let end = runEnds.withLock({ $0 }), ContinuousClock.now < end {
        ServiceNotice.send("WATCHDOG=1")
      }
      usleep(max(1000, microseconds))
    }
  }

  // MARK: - Reasons

  private func wakeUp() {
    let byte: [UInt8] = [1]
    _ = unsafe write(wake.write, byte, 1)
  }

  private func drain() {
    var byte: [UInt8] = [0]
    while unsafe read(wake.read, &byte, 1) > 0 {}
  }

  /// Waits for a reason to run; false where it was asked to end.
  private func waitForReason(
    until end: ContinuousClock.Instant, _ signals: SignalPipe
  ) -> Bool {
    while ContinuousClock.now < end {
      var waiting = [
        pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0),
      ]
      ServiceNotice.send("WATCHDOG=1")
      _ = unsafe poll(&waiting, 2, Self.milliseconds(until: end))
      if !signals.takeSignals().isEmpty { return false }
      if waiting[1].revents != 0 { return true }
    }
    return true
  }

  /// Sleeps; false where it was asked to end.
  private func sleep(until end: ContinuousClock.Instant, _ signals: SignalPipe) -> Bool {
    while ContinuousClock.now < end {
      var waiting = pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)
      ServiceNotice.send("WATCHDOG=1")
      _ = unsafe poll(&waiting, 1, Self.milliseconds(until: end))
      if !signals.takeSignals().isEmpty { return false }
    }
    return true
  }

  private static func milliseconds(until end: ContinuousClock.Instant) -> Int32 {
    let left = min(end - .now, ServiceNotice.interval ?? .seconds(3600))
    let (seconds, rest) = left.components
    return Int32(clamping: max(1, seconds * 1000 + rest / 1_000_000_000_000_000))
  }

  // MARK: - The store's signal

  /// Listens to the store, as long as it signals; begins again after each end, later each time.
  private func listen() {
    var (tries, isTold): (UInt32, Bool) = (0, false)
    while true {
      let began = ContinuousClock.now
      do {
        // A store that cannot tell is looked at by the timer alone.
        guard let signal = try settings.withSpace({ try $0.changes() }) else { return }
        signaled()
        while true {
          if try signal.wait(for: .seconds(3600)) { signaled() }
        }
      } catch {
        if tries == 0 { wakeUp() }
        // A connection may end; one that cannot be made again is said, once.
        if tries > 0, !isTold {
          isTold = true
          StandardError.note(
            "the store does not signal, and is looked at once a minute: "
              + ErrorReport(error).message)
        }
      }
      // Full jitter; from the start again after a minute that was well.
      let wasWell = ContinuousClock.now - began > .seconds(60)
      tries = wasWell ? 0 : min(tries + 1, 7)
      if wasWell { isTold = false }
      usleep(UInt32.random(in: 0...min(60_000_000, 500_000 << tries)))
    }
  }

  private func signaled() {
    isSignaled.withLock { $0 = true }
    wakeUp()
  }
}
