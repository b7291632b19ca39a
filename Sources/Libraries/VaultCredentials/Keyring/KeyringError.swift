/// Why the desktop keyring did not do what it was asked to.
///
/// The message is one sentence. It never holds a secret, nor text that the service sent: a hostile
/// one could put anything there.
package struct KeyringError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Every state that is told apart; the text is stable.
  package enum State: String, Sendable, CaseIterable {
    /// libsecret is not installed here.
    case libraryMissing = "library-missing"
    /// No session bus is named by the environment.
    case noBus = "no-bus"
    /// A session bus is named, and nothing listens there.
    case deadBus = "dead-bus"
    /// No program on the bus is a keyring, and none can be started.
    case noProvider = "no-provider"
    /// The keyring's program could not be started.
    case activationFailed = "activation-failed"
    /// The keyring's program was being started, and did not come up in time.
    case activationTimedOut = "activation-timed-out"
    /// The keyring did not answer in time.
    case notAnswering = "not-answering"
    /// There is a keyring service, but no keyring was ever made.
    case noCollection = "no-collection"
    /// Locked, and a prompt can be shown.
    case lockedWithDisplay = "locked-with-display"
    /// Locked, and there is no display to ask on.
    case lockedWithoutDisplay = "locked-without-display"
    /// The keyring's prompt was dismissed, by a person or for want of a prompter.
    case promptDismissed = "prompt-dismissed"
    /// The keyring's prompt was not answered in time.
    case promptTimedOut = "prompt-timed-out"
    /// The caller gave the keyring's prompt up.
    case promptGivenUp = "prompt-given-up"
    /// The prompt says it is done, and the keyring is still locked.
    case stillLocked = "still-locked"
    /// The item is there, and locked.
    case itemLocked = "item-locked"
    /// There is no such item.
    case itemMissing = "item-missing"
    /// The service answered with something that makes no sense, or is not what was asked for.
    case unusableReply = "unusable-reply"
    /// The service or the bus went away in the middle of a call.
    case serviceGone = "service-gone"
    /// The service offers no encrypted session, and one was asked for.
    case plainSessionOnly = "plain-session-only"
    /// The service has an encrypted session, and opens none.
    case sessionRefused = "session-refused"
    /// The keyring's password is wrong.
    case wrongPassword = "wrong-password"
    /// This keyring cannot be unlocked with a password from outside.
    case unlockUnsupported = "unlock-unsupported"
    /// The service refused for a reason of its own.
    case refused
    /// The request cannot be put on the bus: a NUL in a text, or no object path.
    case invalidRequest = "invalid-request"
  }

  /// Which state it is.
  package let state: State
  /// One sentence.
  package let message: String
  /// The program that is the keyring, where what helps depends on it.
  package let provider: KeyringProvider?
  /// One sentence that helps in this case; `nil` for that of the state.
  let remedy: String?

  package init(
    _ state: State, _ message: String? = nil, provider: KeyringProvider? = nil,
    remedy: String? = nil
  ) {
    self.state = state
    self.provider = provider
    self.remedy = remedy
    self.message = message ?? state.sentence
  }

  package var description: String { message }
}

extension KeyringError.State {
  /// What the state is, in one sentence.
  package var sentence: String {
    switch self {
    case .libraryMissing: "libsecret is not installed"
    case .noBus: "there is no session bus"
    case .deadBus: "nothing answers at the address of the session bus"
    case .noProvider: "no program on the session bus is a keyring"
    case .activationFailed: "the keyring's program could not be started"
    case .activationTimedOut: "the keyring's program did not start in time"
    case .notAnswering: "the keyring did not answer in time"
    case .noCollection: "no keyring has been created"
    case .lockedWithDisplay: "the keyring is locked"
    case .lockedWithoutDisplay: "the keyring is locked, and there is no display to ask on"
    case .promptDismissed: "the keyring's prompt was dismissed"
    case .promptTimedOut: "the keyring's prompt was not answered in time"
    case .promptGivenUp: "the wait for the keyring's prompt was cancelled"
    case .stillLocked: "the keyring says it was unlocked, and is still locked"
    case .itemLocked: "the keyring holds the item, and is locked"
    case .itemMissing: "the keyring does not hold the item"
    case .unusableReply: "the keyring gave an unusable reply"
    case .serviceGone: "the keyring went away in the middle of a call"
    case .plainSessionOnly: "the keyring offers no encrypted session"
    case .sessionRefused: "the keyring refused to open an encrypted session"
    case .wrongPassword: "the keyring's password is wrong"
    case .unlockUnsupported: "this keyring cannot be unlocked with a password from here"
    case .refused: "the keyring refused"
    case .invalidRequest: "the keyring cannot be asked for this"
    }
  }

  /// Whether the keyring is there and only has to be unlocked.
  package var isLocked: Bool {
    switch self {
    case .lockedWithDisplay, .lockedWithoutDisplay, .promptDismissed, .promptTimedOut,
      .promptGivenUp, .stillLocked, .itemLocked:
      true
    default: false
    }
  }
}
