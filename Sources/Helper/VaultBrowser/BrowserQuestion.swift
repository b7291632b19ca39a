package import VaultCredentials

/// What a person is asked about a browser.
package struct BrowserQuestion: Sendable {
  /// Asks on another thread; what it returns ends the question.
  package typealias Asking =
    @Sendable (_ question: BrowserQuestion, _ answer: @escaping @Sendable (Approval) -> Void)
    -> @Sendable () -> Void

  /// The item's name, or what is asked about in its place.
  package let item: String
  /// The site; `nil` where it is for none.
  package var site: String?
  /// The question, from its verb on, as a sentence or two.
  package let words: String
  /// What an answer that is kept is for.
  package let identity: String
  /// Whether a yes can be kept; a no always can.
  package var isKept = true
  /// Whether it can be kept with the item.
  package var mayBeAlways = false
}

/// The browser that has started the host.
package struct BrowserIdentity: Sendable {
  /// The path of its executable; `nil` where the kernel does not name it.
  package let executable: String?
  /// Its profile, as far as that is known.
  package let profile: String
  /// The number of the user.
  package let user: UInt32
  /// For the log.
  package let caller: UsageCaller

  package init(executable: String?, profile: String, user: UInt32, caller: UsageCaller) {
    (self.executable, self.profile, self.user) = (executable, profile, user)
    self.caller = caller
  }
}

/// What keeps the vault open, and opens it again.
package struct BrowserDoor: Sendable {
  /// Whether nobody has locked the vault since it was opened, and what has opened it still would.
  package var mayStayOpen: @Sendable () -> Bool
  /// When that may end by itself.
  package var end: @Sendable () -> ContinuousClock.Instant?
  /// Gives up what ``mayStayOpen`` watches.
  package var close: @Sendable () -> Void
  /// Opens the vault without asking anyone; looking, by a session alone.
  package var open: @Sendable (_ isLooking: Bool) throws -> UnlockedVault
  /// Locks the vault everywhere.
  package var lock: @Sendable () -> Void

  package init(
    mayStayOpen: @escaping @Sendable () -> Bool,
    end: @escaping @Sendable () -> ContinuousClock.Instant?,
    close: @escaping @Sendable () -> Void,
    open: @escaping @Sendable (Bool) throws -> UnlockedVault,
    lock: @escaping @Sendable () -> Void
  ) {
    (self.mayStayOpen, self.end, self.close) = (mayStayOpen, end, close)
    (self.open, self.lock) = (open, lock)
  }
}
