import Synchronization
package import VaultCredentials
package import VaultDBus

/// What keeps the vault open for the service, and opens it again when it was locked.
package struct VaultDoor: Sendable {
  /// Whether nobody has locked the vault since it was opened.
  package var mayStayOpen: @Sendable () -> Bool
  /// Gives up what ``mayStayOpen`` watches.
  package var close: @Sendable () -> Void
  /// Opens the vault without asking anyone; fails if nothing does.
  package var reopen: @Sendable () throws -> UnlockedVault
  /// Asks a person for what opens the vault, on another thread; `nil` where nobody can be asked.
  ///
  /// It takes who asks and what to do with the answer, which is the open vault, or `nil` where the
  /// person gave up or the time was over; that is called once. It returns what ends the question.
  package var ask:
    (
      @Sendable (_ client: LocalSocket.Peer, _ answer: @escaping @Sendable (UnlockedVault?) -> Void)
        -> @Sendable () -> Void
    )?
  /// Wakes the server.
  package var wake: @Sendable () -> Void

  /// A door.
  package init(
    mayStayOpen: @escaping @Sendable () -> Bool, close: @escaping @Sendable () -> Void,
    reopen: @escaping @Sendable () throws -> UnlockedVault, wake: @escaping @Sendable () -> Void
  ) {
    self.mayStayOpen = mayStayOpen
    self.close = close
    self.reopen = reopen
    self.wake = wake
  }
}

/// A prompt: an object that a client has shown to the person, and that always completes.
final class ServicePrompt {
  let path: String
  /// The unique name of its client.
  let owner: String
  /// The result where it was dismissed.
  let nothing: DBusValue
  /// What is done when the vault is open; returns the result.
  let then: (KeyringService) throws -> DBusValue
  /// Ends the question, from when the person is asked.
  var cancel: (@Sendable () -> Void)?

  init(
    path: String, owner: String, nothing: DBusValue,
    then: @escaping (KeyringService) throws -> DBusValue
  ) {
    self.path = path
    self.owner = owner
    self.nothing = nothing
    self.then = then
  }
}

/// Answers that wait for the service's thread.
final class PromptOutcomes: Sendable {
  private let waiting = Mutex<[(path: String, vault: UnlockedVault?)]>([])

  func add(_ path: String, _ vault: UnlockedVault?) {
    waiting.withLock { $0.append((path, vault)) }
  }

  func take() -> [(path: String, vault: UnlockedVault?)] {
    waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }
}

extension KeyringService {
  func promptMethod(
    _ member: String, _ signature: String, _ prompt: ServicePrompt, _ call: DBusMessage
  ) throws -> [DBusValue] {
    guard prompt.owner == call.sender else {
      throw BusError(SecretServiceError.noSuchObject, "The prompt is another program's")
    }
    switch (member, signature) {
    case ("Prompt", "s"):
      guard prompt.cancel == nil else {
        throw BusError(SecretServiceError.alreadyExists, "The prompt is shown already")
      }
      // Somebody else may have opened it meanwhile.
      if !vault.isLocked {
        try complete(prompt, prompt.then(self))
      } else if let ask = options.door.ask, let caller {
        let (path, outcomes, wake) = (prompt.path, outcomes, options.door.wake)
        prompt.cancel = ask(caller) { opened in
          outcomes.add(path, opened)
          wake()
        }
      } else {
        try complete(prompt, nil)
      }
      return []
    case ("Dismiss", ""):
      prompt.cancel?()
      try complete(prompt, nil)
      return []
    default: throw Self.unknownMethod(call)
    }
  }

  /// Completes the prompts that were answered.
  func finishPrompts() throws {
    for (path, opened) in outcomes.take() {
      guard let prompt = prompts[path] else {
        // Its client has given up; so nobody has asked for an open vault.
        continue
      }
      if let opened, vault.isLocked { try unlock(opened) }
      let result = vault.isLocked ? nil : try? prompt.then(self)
      try complete(prompt, result)
    }
  }
}
