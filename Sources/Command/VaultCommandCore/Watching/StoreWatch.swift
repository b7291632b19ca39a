import Glibc
import Synchronization
import VaultCredentials
import VaultDataSync
import VaultStorage
import VaultSync
import VaultTerminal

/// Keeps a vault and its store together until it is asked to end.
///
/// It runs when the store signals, when something is changed here that goes along, and every minute
/// or so: a stream may be silent, and a pooler may swallow. Nothing of a signal is believed: it is a
/// reason to look.
package final class StoreWatch: Sendable {
  private let settings: VaultSettings
  private let desktop: any DesktopSettings
  /// A byte in it wakes the main loop.
  private let wake: Pipe
  /// Whether the store has signaled since the last run.
  private let isSignaled = Mutex(false)
  private let machines = Mutex(1)
  /// About what the store is listened to, each on a thread of its own.
  private let listened = Mutex<Set<Subject>>([])
  /// Whether the vault follows a feed, as far as is known.
  private let follows = Mutex(false)
  /// What a monitor reads.
  private let metrics: WatchMetrics
  /// Whether a run has opened the vault.
  private let hasOpened = Mutex(false)
  /// Until when a run may go on without the manager's help; `nil` between two of them.
  private let runEnds = Mutex<ContinuousClock.Instant?>(nil)

  /// About what a store signals.
  private enum Subject: Hashable {
    case vault
    /// A store of an application that goes along, by its name.
    case rows(String)
  }

  /// How long a run waits for further changes, in milliseconds.
  private static let settling = 200
  /// Runs are a second apart at least, and a slow store has no more than a fifth of the time: an
  /// application may save all the time.
  private static let (pause, share) = (Duration.seconds(1), 4)
  private static let timer = 48_000...72_000
  /// Of a feed: thousands ask one server, and not all at one moment.
  private static let feedTimer = 15_000...45_000
  /// What somebody mends at the store, who need not know of this machine: a role, a schema, a copy
  /// of the servers that was put back.
  private static let waitedFor: Set<CommandError.Code> = [
    .syncRolledBack, .syncNotAllowed, .syncNotPrepared,
  ]
  /// Beside these, what whoever hands out a feed may show: he is to end nobody's watching.
  private static let waitedForAtFeeds: Set<CommandError.Code> = [
    .syncTampered, .syncWithheld, .syncForked,
  ]
  /// What is in order again once the vault's key has been replaced as a whole, file and all: while it is,
  /// nothing opens the vault that opened it before.
  private static let waitedForOnceOpened: Set<CommandError.Code> = [
    .wrongKey, .locked, .sourceMissing, .fileNotFound, .permissionDenied, .passphraseCommandFailed,
  ]
  /// How long a run may take, of which a manager hears that it goes on.
  private static let longest = Duration.seconds(3600)

  /// Watches the store of the vault that a line means.
  ///
  /// - Parameters:
  ///   - settings: What opens it, as often as it changes.
  ///   - desktop: Makes the desktop's settings of this user.
  ///   - metrics: What a monitor reads.
  /// - Throws: ``CommandError`` with code `.usage` for a source that can be read once.
  package init(
    _ settings: VaultSettings, beside desktop: (VaultSettings) -> any DesktopSettings,
    _ metrics: WatchMetrics
  ) throws {
    guard let wake = Pipe(flags: O_CLOEXEC | O_NONBLOCK) else {
      throw CommandError(.inputOutput, "this process has too many open files")
    }
    self.wake = wake
    self.metrics = metrics
    self.settings = try settings.openingAgain()
    self.desktop = desktop(self.settings)
  }

  /// Runs until SIGTERM or SIGINT, at a terminal also until SIGHUP: a service looks at once by that.
  ///
  /// - Throws: What no later run can better: a vault that nothing has opened yet, a machine that was
  ///   removed.
  package func run() throws {
    guard let signals = SignalPipe() else {
      throw CommandError(.inputOutput, "this process has too many open files")
    }
    let caught = [SIGTERM, SIGINT, SIGHUP]
    signals.catchSignals([], always: caught)
    signals.unblock(caught)
    let vault = try settings.locked(asksNobody: true).path
    follows.withLock { $0 = SyncedVault.followsFeed(vaultAt: vault) }
    let here = try LocalChanges(vaultAt: vault) { [self] in wakeUp() }
    // A first run may take longer than a manager waits for a start.
    ServiceNotice.send("READY=1", "STATUS=the vault and its store are kept together")
    if let interval = ServiceNotice.interval {
      BlockingThread.start(name: "vault-watchdog") { [self] in tick(every: interval) }
    }
    var told = Told()
    while true {
      let began = ContinuousClock.now
      runEnds.withLock { $0 = began + Self.longest }
      told = try runOnce(after: told, here)
      runEnds.withLock { $0 = nil }
      let ended = ContinuousClock.now
      // A store that is away is heard of when it is back.
      listen(to: .vault)
      let timer = follows.withLock { $0 } ? Self.feedTimer : Self.timer
      let end = ContinuousClock.now + .milliseconds(Int.random(in: timer))
      guard waitForReason(until: end, signals) else { break }
      let isStore = isSignaled.withLock { signaled in
        defer { signaled = false }
        return signaled
      }
      // Many machines hear of one change at one moment, and do not all come at once.
      let settling =
        isStore ? Int.random(in: 0...min(10_000, 5 * machines.withLock { $0 })) : Self.settling
      let next = max(began + Self.pause, ended + (ended - began) * Self.share)
      let rest = max(next - .now, .milliseconds(settling))
      guard sleep(until: .now + rest, signals) else { break }
      drain()
    }
    metrics.end()
    ServiceNotice.send("STOPPING=1")
  }

  /// What was said of a run: of what lasts, it is not said again.
  private struct Told {
    /// What was wrong.
    var codes: Set<CommandError.Code> = []
    /// How the stores of applications are, by their names.
    var stores: [String: Set<String>] = [:]
    var desktop: String?
  }

  /// One run; what is wrong with the store is said when it is new, and is a later run's to look at.
  ///
  /// - Parameters:
  ///   - told: What was said of the run before.
  ///   - here: What is watched on this machine.
  /// - Returns: What was said of this one, too.
  /// - Throws: What no later run can better.
  private func runOnce(after told: Told, _ here: LocalChanges) throws -> Told {
    do {
      let (run, status, stores) = try settings.withSpace { space in
        hasOpened.withLock { $0 = true }
        let run = try SpaceRun(space, beside: desktop)
        let stores = try DataSync(space).stores()
        listen(in: space, about: [.vault] + stores.map { .rows($0.name) })
        return (run, try space.status(), stores)
      }
      machines.withLock { $0 = status.devices }
      follows.withLock { $0 = status.feedAge != nil }
      try here.follow(
        preferences: status.domains.isEmpty ? nil : settings.location(),
        stores: stores.map(\.path))
      var now = try tell(run, after: told)
      now.codes = ErrorReport.tell(
        run.report.problems + run.data.compactMap(\.problem), after: told.codes,
        asJSON: settings.writesJSON)
      if now.codes.isEmpty, !told.codes.isEmpty {
        StandardError.note("the store is in order again", hint: nil)
      }
      metrics.note(run, status, now.codes)
      return now
    } catch {
      let report = ErrorReport(error)
      metrics.note(report.code)
      guard
        Self.mayPass(report)
          || follows.withLock({ $0 }) && Self.waitedForAtFeeds.contains(report.code)
          || hasOpened.withLock({ $0 }) && Self.waitedForOnceOpened.contains(report.code)
      else { throw error }
      if !told.codes.contains(report.code) { report.write(asJSON: settings.writesJSON) }
      return Told(codes: [report.code], stores: told.stores, desktop: told.desktop)
    }
  }

  /// Says what a run did, if it did anything.
  private func tell(_ run: SpaceRun, after told: Told) throws -> Told {
    var now = Told(desktop: run.desktopProblem?.message)
    if let problem = run.desktopProblem, problem.message != told.desktop {
      StandardError.note(problem.message, hint: problem.hint)
    }
    let report = run.report
    let isNews = report.sent > 0 || !report.changes.isUnchanged || report.mended > 0
    if settings.writesJSON {
      if isNews || run.data.contains(where: \.isNews) { try run.tell(asJSON: true) }
      return now
    }
    for store in run.data {
      now.stores[store.name] = try store.tell(after: told.stores[store.name] ?? [])
    }
    if isNews { try report.tell() }
    return now
  }

  /// Whether a later run may find it in order, so that a service goes on.
  static func mayPass(_ report: ErrorReport) -> Bool {
    [.unavailable, .busy, .inputOutput].contains(report.status) || waitedFor.contains(report.code)
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

  /// The signals that end it: a terminal that goes away takes it along.
  private let endings: Set<Int32> =
    ServiceNotice.hasManager || !ProcessState.hasTerminal
    ? [SIGTERM, SIGINT] : [SIGTERM, SIGINT, SIGHUP]

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
      let caught = signals.takeSignals()
      if caught.contains(where: endings.contains) { return false }
      if !caught.isEmpty || waiting[1].revents != 0 { return true }
    }
    return true
  }

  /// Sleeps; false where it was asked to end.
  private func sleep(until end: ContinuousClock.Instant, _ signals: SignalPipe) -> Bool {
    while ContinuousClock.now < end {
      var waiting = pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)
      ServiceNotice.send("WATCHDOG=1")
      _ = unsafe poll(&waiting, 1, Self.milliseconds(until: end))
      if signals.takeSignals().contains(where: endings.contains) { return false }
    }
    return true
  }

  private static func milliseconds(until end: ContinuousClock.Instant) -> Int32 {
    let left = min(end - .now, ServiceNotice.interval ?? .seconds(3600))
    let (seconds, rest) = left.components
    return Int32(clamping: max(1, seconds * 1000 + rest / 1_000_000_000_000_000))
  }

  // MARK: - The store's signal

  /// Listens to the store about these subjects from now on, and about no other.
  ///
  /// One of which the store cannot tell now is looked at by the timer alone, and asked for again
  /// after the next run: in a folder nobody has written about it yet.
  private func listen(in space: SyncedVault, about subjects: [Subject]) {
    listened.withLock { $0.formIntersection(subjects) }
    for subject in subjects where !listened.withLock({ $0.contains(subject) }) {
      do {
        if let signal = try signal(of: subject, in: space) { listen(to: subject, signal) }
      } catch {
        listen(to: subject)
      }
    }
  }

  /// Listens to the store about a subject, unless that is done already.
  ///
  /// - Parameters:
  ///   - subject: The subject.
  ///   - signal: What tells of it; `nil` to ask the store for it.
  private func listen(to subject: Subject, _ signal: (any StoreSignal)? = nil) {
    guard listened.withLock({ $0.insert(subject).inserted }) else { return }
    BlockingThread.start(name: "vault-listen") { [self] in keepListening(to: subject, signal) }
  }

  /// Listens as long as the store signals and the subject is one; begins again after each end, later
  /// each time.
  private func keepListening(to subject: Subject, _ first: (any StoreSignal)?) {
    var (next, tries, isTold): ((any StoreSignal)?, UInt32, Bool) = (first, 0, false)
    while listened.withLock({ $0.contains(subject) }) {
      let began = ContinuousClock.now
      do {
        let found = try next ?? settings.withSpace { try signal(of: subject, in: $0) }
        next = nil
        guard let found else {
          listened.withLock { _ = $0.remove(subject) }
          return
        }
        signaled()
        while listened.withLock({ $0.contains(subject) }) {
          if try found.wait(for: .seconds(3600)) { signaled() }
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

  private func signal(
    of subject: Subject, in space: SyncedVault
  ) throws -> (any StoreSignal)? {
    switch subject {
    case .vault: try space.changes()
    case .rows(let name): try DataSync(space).changes(of: name)
    }
  }

  private func signaled() {
    isSignaled.withLock { $0 = true }
    wakeUp()
  }
}
