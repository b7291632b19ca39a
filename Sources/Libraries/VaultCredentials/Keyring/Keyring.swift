import Synchronization
import VaultSealing
import VaultStorage

/// The desktop's keyring: what speaks the Secret Service API on the session bus.
///
/// Every call ends by its deadline, whatever the library, the bus or the service does: it runs on a
/// thread of its own, which is stopped at the deadline and left behind if it does not stop. The
/// first call connects; later ones use the same connection and session, and connect anew if the
/// service was started anew in between. All calls together wait no longer for a slow service than
/// one call does for one that hangs (``KeyringPatience``). Nothing is ever stored elsewhere because
/// of the keyring's state.
package final class Keyring: Sendable {
  /// How long it may take, and where it is.
  package let options: KeyringOptions
  private let lane: Mutex<KeyringLane>
  private let patience: Mutex<KeyringPatience>
  private let clear = Mutex(false)

  /// Touches nothing: the library is opened, and the bus connected to, by the first call.
  package init(options: KeyringOptions = KeyringOptions()) {
    self.options = options
    lane = Mutex(KeyringLane(options))
    patience = Mutex(KeyringPatience(limit: options.timeout))
  }

  /// How long a thread has to come back after it was told to stop.
  private static let grace = Duration.milliseconds(250)

  /// Runs `body` on a thread of its own and waits for it until the deadline.
  func perform<Success: Sendable>(
    _ body: @escaping @Sendable (ServiceConnection, KeyringCall) throws -> Success
  ) throws(KeyringError) -> Success {
    let limit = try begin()
    let start = ContinuousClock.now
    let outcome = KeyringOutcome<Success>()
    defer {
      let asked = outcome.runningCall?.timeOfPrompts ?? .zero
      if outcome.runningCall?.isInClear == true { clear.withLock { $0 = true } }
      finish(after: ContinuousClock.now - start - asked)
    }
    do throws(KeyringError) {
      return try perform(outcome, within: limit, body)
    } catch {
      noteSilence(error)
      throw error
    }
  }

  /// The time that an operation may take which begins now.
  private func begin() throws(KeyringError) -> Duration {
    let begun = patience.withLock { patience -> Result<Duration, KeyringError> in
      Result { () throws(KeyringError) in
        try patience.begin(by: KeyringPatience.end, waitsForEach: KeyringPatience.waitsForEach)
      }
    }
    return try begun.get()
  }

  private func finish(after time: Duration) {
    if !KeyringPatience.waitsForEach { patience.withLock { $0.end(after: time) } }
  }

  /// The secret by the program's own lookup; `nil` if libsecret has to say more.
  func lookedUp(_ identity: KeyringIdentity) throws(KeyringError) -> SecretBytes? {
    guard let lookup = options.lookup, let bus = try? options.environment.sessionBus() else {
      return nil
    }
    let limit = try begin()
    let start = ContinuousClock.now
    defer { finish(after: ContinuousClock.now - start) }
    do {
      return try lookup(identity, bus, start + limit)
    } catch let error as KeyringError {
      noteSilence(error)
      throw error
    } catch {
      return nil
    }
  }

  package var hasSentInClear: Bool { clear.withLock { $0 } }

  /// A program asks more than once: it waits for a service that hangs once.
  func noteSilence(_ error: KeyringError) {
    patience.withLock { $0.runOut(error.state) }
  }

  private func perform<Success: Sendable>(
    _ outcome: KeyringOutcome<Success>, within limit: Duration,
    _ body: @escaping @Sendable (ServiceConnection, KeyringCall) throws -> Success
  ) throws(KeyringError) -> Success {
    let start = Deadline.after(limit)
    let lane = lane.withLock { $0 }
    let options = options
    let waitsForEach = KeyringPatience.waitsForEach
    BlockingThread.start(name: "vault-keyring") {
      let result = KeyringLane.translating { () throws -> Success in
        let library = try LibSecret.open(name: options.libraryName)
        let call = KeyringCall(
          library, timeout: options.timeout, deadline: start, waitsForEach: waitsForEach)
        outcome.started(call)
        return try lane.run(call, body)
      }
      outcome.finished(result)
    }
    var deadline = start
    while !outcome.signal.wait(until: deadline) {
      guard let call = outcome.runningCall, !call.deadline.hasPassed else { break }
      deadline = call.deadline
    }
    outcome.runningCall?.cancellable.cancel()
    if !outcome.signal.wait(until: .after(Self.grace)) {
      // The thread is stuck, and whatever it holds with it.
      self.lane.withLock { if $0 === lane { $0 = KeyringLane(options) } }
      throw KeyringError(.notAnswering)
    }
    return try outcome.get()
  }
}

/// The connection that a keyring's operations share.
final class KeyringLane: Sendable {
  private let options: KeyringOptions
  private let connection = Mutex<ServiceConnection?>(nil)

  init(_ options: KeyringOptions) { self.options = options }

  /// Runs `body`; once more on a fresh connection if an old one led nowhere, or its session did.
  func run<Success>(
    _ call: KeyringCall, _ body: (ServiceConnection, KeyringCall) throws -> Success
  ) throws -> Success {
    let (connection, isFresh) = try connected(during: call)
    do {
      return try body(connection, call)
    } catch let failure as BusFailure {
      if failure.endsConnection || failure.mayBeOfSession { forget(connection) }
      guard failure.mayBeOfSession || (!isFresh && failure.wasNeverDelivered) else { throw failure }
      return try body(connected(during: call).connection, call)
    }
  }

  private func connected(
    during call: KeyringCall
  ) throws -> (connection: ServiceConnection, isFresh: Bool) {
    try connection.withLock { connection in
      if let connection, !connection.bus.isClosed { return (connection, false) }
      let opened = try ServiceConnection(options, during: call)
      connection = opened
      return (opened, true)
    }
  }

  private func forget(_ old: ServiceConnection) {
    connection.withLock { if $0 === old { $0 = nil } }
  }

  /// Every error as the keyring's.
  static func translating<Success>(
    _ body: () throws -> Success
  ) -> Result<Success, KeyringError> {
    do {
      return .success(try body())
    } catch let error as KeyringError {
      return .failure(error)
    } catch let failure as BusFailure {
      return .failure(failure.keyringError)
    } catch {
      return .failure(KeyringError(.refused, "no memory for the secret"))
    }
  }
}
