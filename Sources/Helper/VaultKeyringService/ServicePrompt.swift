import Synchronization
package import VaultCredentials
package import VaultDBus

/// What keeps a vault open for the service, and opens it again when it was locked.
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

  /// A door.
  package init(
    mayStayOpen: @escaping @Sendable () -> Bool, close: @escaping @Sendable () -> Void,
    reopen: @escaping @Sendable () throws -> UnlockedVault
  ) {
    self.mayStayOpen = mayStayOpen
    self.close = close
    self.reopen = reopen
  }
}

/// A prompt: an object that a client has shown to the person, and that always completes.
final class ServicePrompt {
  /// What a person is asked for.
  enum Step {
    /// What opens a vault.
    case open(ServedVault)
    /// Whether the client may use an item.
    case permit(ServedItem, ServedVault)
  }

  let path: String
  /// The unique name of its client.
  let owner: String
  /// The result where it was dismissed.
  let nothing: DBusValue
  /// What is still to be asked for, in order.
  var steps: [Step]
  /// What is done when all is there; returns the result.
  let then: (KeyringService) throws -> DBusValue
  /// The client's process, from when the prompt is shown.
  var client: LocalSocket.Peer?
  /// The program that a person is being asked about, and that alone gets the answer.
  var program: LocalSocket.Program?
  /// Ends the question that is being asked.
  var cancel: (@Sendable () -> Void)?

  init(
    path: String, owner: String, steps: [Step], nothing: DBusValue,
    then: @escaping (KeyringService) throws -> DBusValue
  ) {
    self.path = path
    self.owner = owner
    self.steps = steps
    self.nothing = nothing
    self.then = then
  }
}

/// Answers that wait for the service's thread.
final class QuestionOutcomes: Sendable {
  /// What a question has led to.
  enum Outcome: Sendable {
    case opened(UnlockedVault?)
    case approval(Approval)
  }

  private let waiting = Mutex<[(id: String, outcome: Outcome)]>([])

  /// Adds the answer to a question: of a prompt, by its path, or of a call that waits.
  func add(_ id: String, _ outcome: Outcome) { waiting.withLock { $0.append((id, outcome)) } }

  func take() -> [(id: String, outcome: Outcome)] {
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
      guard prompt.client == nil else {
        throw BusError(SecretServiceError.alreadyExists, "The prompt is shown already")
      }
      prompt.client = caller
      try goOn(with: prompt)
      return []
    case ("Dismiss", ""):
      prompt.cancel?()
      try complete(prompt, nil)
      return []
    default: throw Self.unknownMethod(call)
    }
  }

  /// Asks for the next thing that is missing; completes the prompt if nothing is.
  private func goOn(with prompt: ServicePrompt) throws {
    guard let client = prompt.client else { return }
    let (path, outcomes, wake) = (prompt.path, outcomes, options.wake)
    while let step = prompt.steps.first {
      switch step {
      case .open(let vault):
        // Somebody else may have opened it meanwhile.
        guard vault.isLocked else { break }
        guard let ask = vault.door.ask else { return try complete(prompt, nil) }
        prompt.cancel = ask(client) { opened in
          outcomes.add(path, .opened(opened))
          wake()
        }
        return
      case .permit(let item, _):
        let program = permissions.program(of: client)
        guard let ask = options.confirm, standing(program, item) != true else {
          break
        }
        let asked = Asked(
          client: client, item: item.item.name.text, identity: identity(program, item))
        prompt.program = client.currentProgram
        prompt.cancel = ask(asked) { approval in
          outcomes.add(path, .approval(approval))
          wake()
        }
        return
      }
      prompt.steps.removeFirst()
    }
    let result = try? onBehalf(of: client, prompt.owner) { try prompt.then(self) }
    try complete(prompt, result)
  }

  /// Takes the answer to a prompt's question.
  func take(_ outcome: QuestionOutcomes.Outcome, for prompt: ServicePrompt) throws {
    prompt.cancel = nil
    guard let client = prompt.client, let step = prompt.steps.first else { return }
    switch (step, outcome) {
    case (.open(let vault), .opened(let opened?)):
      if vault.isLocked { try unlock(vault, opened) }
    case (.permit(let item, let vault), .approval(let given)):
      // Who asked may have run another program while the person thought.
      let isSame = client.currentProgram == prompt.program
      let approval = given.isAllowed && !isSame ? .changedProgram : given
      guard approval.isAllowed else {
        vault.record([item], by: client, isAllowed: false, [item.path: approval])
        return try complete(prompt, nil)
      }
      if standing(permissions.program(of: client), item) == nil {
        permissions.grantOnce(prompt.owner, item.path, approval, for: prompt.program)
      }
      // Nobody else may use it for that.
      var signal = try DBusMessage.signal(
        item.path, StandardInterfaces.properties, "PropertiesChanged",
        [
          .string(SecretServiceNames.item),
          .properties(["Locked": .boolean(vault.isLocked)]), .strings([]),
        ])
      signal.destination = prompt.owner
      later.append(signal)
    default: return try complete(prompt, nil)
    }
    prompt.steps.removeFirst()
    try goOn(with: prompt)
  }
}
