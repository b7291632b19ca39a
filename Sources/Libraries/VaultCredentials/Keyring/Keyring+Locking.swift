import Synchronization

/// Gives a prompt up from another thread: a person would rather type here.
package final class PromptCancellation: Sendable {
  private let flag = Mutex(false)
  private let isGivenUp: @Sendable () -> Bool

  /// - Parameter isGivenUp: Asked ten times a second while the prompt waits.
  package init(_ isGivenUp: @escaping @Sendable () -> Bool = { false }) {
    self.isGivenUp = isGivenUp
  }

  /// Dismisses the prompt.
  package func cancel() { flag.withLock { $0 = true } }

  var isCancelled: Bool { flag.withLock { $0 } || isGivenUp() }
}

extension Keyring {
  /// Unlocks the default collection, by the keyring's own prompt where the options allow one.
  ///
  /// - Parameters:
  ///   - cancellation: Gives the prompt up.
  ///   - identity: Of items to be unlocked too: KeePassXC lets each program read each item by a
  ///     person's word.
  /// - Throws: `.lockedWithDisplay`, `.lockedWithoutDisplay` where no prompt may be shown;
  ///   `.promptDismissed`, `.promptTimedOut`, `.promptGivenUp`, `.stillLocked`; `.noCollection`.
  package func unlock(
    cancellation: PromptCancellation?, for identity: KeyringIdentity?
  ) throws(KeyringError) {
    let options = options
    try perform { connection, call in
      guard let collection = try connection.defaultCollection(during: call) else {
        throw connection.noCollection(during: call)
      }
      if try connection.isLocked(collection, during: call) {
        try connection.unlock([collection], options, cancellation: cancellation, during: call)
        // "Done" may be a lie.
        guard try !connection.isLocked(collection, during: call) else {
          throw KeyringError(.stillLocked)
        }
      }
      guard let identity else { return }
      let locked = try connection.search(identity.attributes, during: call).locked
      guard !locked.isEmpty else { return }
      try connection.unlock(locked, options, cancellation: cancellation, during: call)
    }
  }

  /// Locks the default collection.
  package func lock() throws(KeyringError) {
    let options = options
    try perform { connection, call in
      guard let collection = try connection.defaultCollection(during: call) else {
        throw connection.noCollection(during: call)
      }
      let paths = try connection.library.array(of: "o", [connection.library.path(collection)])
      let reply = try connection.ask(
        SecretServiceNames.servicePath, SecretServiceNames.service, "Lock", [paths], reply: "(aoo)",
        during: call)
      if let prompt = reply.part(1)?.text, prompt != SecretServiceNames.nothing {
        try connection.run(prompt, options, cancellation: nil, during: call)
      }
      guard try connection.isLocked(collection, during: call) else {
        throw KeyringError(.refused, "the keyring is still unlocked")
      }
    }
  }
}

extension ServiceConnection {
  /// Unlocks collections or items, which are locked.
  func unlock(
    _ paths: [String], _ options: KeyringOptions, cancellation: PromptCancellation?,
    during call: KeyringCall
  ) throws {
    // Asked for before anything is shown: without a prompter it would end as "dismissed".
    guard options.canPrompt else { throw KeyringError(options.lockedState) }
    let objects = try library.array(of: "o", try paths.map { try library.path($0) })
    let reply = try ask(
      SecretServiceNames.servicePath, SecretServiceNames.service, "Unlock", [objects],
      reply: "(aoo)", during: call)
    guard let prompt = reply.part(1)?.text else { throw BusFailure(.unusable) }
    if prompt != SecretServiceNames.nothing {
      try run(prompt, options, cancellation: cancellation, during: call)
    }
  }

  /// Shows a prompt and waits until it is answered, given up, or its time is over.
  ///
  /// With `isUnlocked` nothing is locked: then the prompt may need nobody, and where nobody can be
  /// asked it has the time of the call to say so. Answers with the object that came of it, where it
  /// names one.
  @discardableResult
  func run(
    _ prompt: String, _ options: KeyringOptions, cancellation: PromptCancellation?,
    isUnlocked: Bool = false, during call: KeyringCall
  ) throws -> String? {
    guard options.canPrompt || isUnlocked else {
      dismiss(prompt, during: call)
      throw KeyringError(options.lockedState)
    }
    let completed = bus.messages.expectPrompt(prompt)
    let rule = """
      type='signal',sender='\(owner)',interface='\(SecretServiceNames.prompt)',member='Completed',path='\(prompt)'
      """
    _ = try Self.ask(bus, "AddMatch", [library.text(rule)], reply: "()", during: call)
    let leaving =
      "type='signal',sender='\(SecretServiceNames.bus)',member='NameOwnerChanged',arg0='\(owner)'"
    _ = try Self.ask(bus, "AddMatch", [library.text(leaving)], reply: "()", during: call)
    _ = try ask(
      prompt, SecretServiceNames.prompt, "Prompt", [library.text("")], reply: "()", during: call)

    var limit = call.deadline
    if options.canPrompt {
      limit = .after(options.promptTimeout)
      call.extend(to: .after(options.promptTimeout + options.timeout))
    } else {
      // Enough is left to take the prompt away.
      limit = .after(limit.remaining / 10 * 9)
    }
    let ending = wait(for: completed, until: limit, cancellation)
    if options.canPrompt { call.startAnew() }
    let result = bus.messages.promptResult(prompt)
    if let ending, result == nil {
      if ending != .serviceGone { dismiss(prompt, during: call) }
      throw KeyringError(ending)
    }
    switch result {
    case .completed(let object): return object
    case .dismissed: throw KeyringError(.promptDismissed)
    case .unusable, nil: throw BusFailure(.unusable)
    }
  }

  /// How often the wait looks whether it was given up, and whether the bus is still there.
  private static let pulse = Duration.milliseconds(100)

  private func wait(
    for signal: WaitFlag, until limit: Deadline, _ cancellation: PromptCancellation?
  ) -> KeyringError.State? {
    while !signal.wait(until: .after(min(Self.pulse, limit.remaining))) {
      if cancellation?.isCancelled == true { return .promptGivenUp }
      if limit.hasPassed { return .promptTimedOut }
      if bus.isClosed || bus.messages.hasLost(owner) { return .serviceGone }
    }
    return nil
  }

  /// Takes a prompt away, where the keyring survives that.
  ///
  /// gnome-keyring 42 does not: told to dismiss a prompt for unlocking, it aborts (measured), and
  /// every keyring is locked anew. There the window stays until somebody answers or closes it; so
  /// does that of a keyring of which it is not known what it is.
  private func dismiss(_ prompt: String, during call: KeyringCall) {
    guard let owner = try? process(during: call), owner.program != nil, !owner.isGnomeKeyring else {
      return
    }
    _ = try? ask(prompt, SecretServiceNames.prompt, "Dismiss", reply: "()", during: call)
  }
}
