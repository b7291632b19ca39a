package import VaultCredentials
package import VaultDBus

/// What programs may do with items where a person is asked: `--confirm`.
///
/// A program is its executable, as the kernel knows it: the file, under the path that it has for the
/// helper, too. An interpreter stands for all its scripts. A process that runs another program after
/// it has connected, or lives among other mounts, is asked about each time.
/// It belongs to the service's thread.
struct Permissions {
  private struct Use: Hashable {
    /// The unique name of a client.
    let who: String
    /// The path of the item.
    let item: String
  }

  /// Leave to use an item one time, for the program that a person was asked about.
  private struct Ticket {
    let approval: Approval
    let program: LocalSocket.Program?
  }

  /// Uses that prompts have allowed once, by client.
  private var tickets: [Use: Ticket] = [:]

  /// The executable of a client, as the file that it is; `nil` if the kernel does not say.
  func program(of client: LocalSocket.Peer?) -> String? {
    guard let client, let file = client.program,
      let program = UsageCaller(client).programs.first, program.isPath
    else { return nil }
    return "\(file.device):\(file.inode) \(String(decoding: program.name, as: UTF8.self))"
  }

  /// Lets a client use an item one time, as long as it is the program that was asked about.
  mutating func grantOnce(
    _ client: String, _ item: String, _ approval: Approval, for program: LocalSocket.Program?
  ) {
    tickets[Use(who: client, item: item)] = Ticket(approval: approval, program: program)
  }

  func hasTicket(
    _ client: String, _ item: String, as program: @autoclosure () -> LocalSocket.Program?
  ) -> Bool {
    tickets[Use(who: client, item: item)].map { $0.program == program() } ?? false
  }

  /// Takes the leave to use an item one time, if there is one for that program.
  mutating func takeTicket(
    _ client: String, _ item: String, as program: LocalSocket.Program?
  ) -> Approval? {
    guard let ticket = tickets.removeValue(forKey: Use(who: client, item: item)),
      ticket.program == program
    else { return nil }
    return ticket.approval
  }

  /// Forgets a client that has left.
  mutating func forget(_ client: String) { tickets = tickets.filter { $0.key.who != client } }
}

extension UsageCaller {
  /// Who is at the other end of a client's socket.
  package init(_ client: LocalSocket.Peer) {
    self.init(
      process: client.process, user: client.user, isSameProgram: client.isSameProgram)
  }
}

/// A call that waits for a person's answer.
final class WaitingCall {
  let message: DBusMessage
  let client: LocalSocket.Peer
  /// The item that is asked about.
  let item: ServedItem
  /// What was answered for this call, by the items' paths.
  var answers: [String: Approval]
  /// The program that is asked about, and that alone gets the answer.
  let program: LocalSocket.Program?
  /// Ends the question.
  var cancel: (@Sendable () -> Void)?

  init(
    _ message: DBusMessage, _ client: LocalSocket.Peer, _ item: ServedItem,
    _ answers: [String: Approval]
  ) {
    (self.message, self.client, self.item, self.answers) = (message, client, item, answers)
    program = client.currentProgram
  }
}

/// Thrown where a call needs an answer that nobody has given yet.
struct UnansweredQuestion: Error { let item: ServedItem }

extension KeyringService {
  /// What an answer that is kept is for; `nil` if none can be.
  func identity(_ program: String?, _ item: ServedItem) -> String? {
    program.map { "\($0)\n\(item.path)" }
  }

  /// What was answered for longer; `nil` if nothing was.
  func standing(_ program: String?, _ item: ServedItem) -> Bool? {
    standingApproval(program, item)?.isAllowed
  }

  private func standingApproval(_ program: String?, _ item: ServedItem) -> Approval? {
    identity(program, item).flatMap { options.standing($0) }
  }

  /// Whether whoever is asking may use an item: by an answer, or because nobody is asked here.
  ///
  /// - Throws: ``UnansweredQuestion`` if a person has to be asked.
  func mayUse(_ item: ServedItem, in vault: ServedVault) throws -> Bool {
    guard options.confirm != nil else { return true }
    guard let approval = standingApproval(program, item) ?? answers[item.path] else {
      let ticket = permissions.takeTicket(sender, item.path, as: caller.flatMap(\.currentProgram))
      guard let ticket else { throw UnansweredQuestion(item: item) }
      answers[item.path] = ticket
      return true
    }
    answers[item.path] = approval
    if !approval.isAllowed { record([item], in: vault, isAllowed: false) }
    return approval.isAllowed
  }

  /// Fails unless whoever is asking may use an item.
  func permit(_ item: ServedItem, in vault: ServedVault) throws {
    // A locked vault says so by itself, and nobody is asked for nothing.
    guard !vault.isLocked else { return }
    guard try mayUse(item, in: vault) else {
      throw BusError(BusErrorName.accessDenied, "The use of this item was refused")
    }
  }

  /// Records uses of whoever is asking, with who has allowed or refused them.
  func record(_ items: [ServedItem], in vault: ServedVault, isAllowed: Bool = true) {
    vault.record(items, by: caller, isAllowed: isAllowed, answers)
  }

  /// Whether an item is locked for whoever is asking: until a person allows its use, it is.
  func isLocked(_ item: ServedItem, in vault: ServedVault) -> Bool {
    guard !vault.isLocked else { return true }
    guard options.confirm != nil else { return false }
    if let isAllowed = standing(program, item) { return !isAllowed }
    return !permissions.hasTicket(sender, item.path, as: caller.flatMap(\.currentProgram))
  }

  /// Asks a person, and answers the call when there is an answer.
  ///
  /// - Throws: `BusError` if the client has too many calls that wait.
  func ask(
    about item: ServedItem, for call: DBusMessage, from client: LocalSocket.Peer
  ) throws {
    guard let ask = options.confirm else { return }
    guard
      waitingCalls.values.count(where: { $0.message.sender == call.sender })
        < Self.maximumPrompts
    else { throw BusError(BusErrorName.limitsExceeded, "too many calls that wait for an answer") }
    let id = "call \(nextWaitingCall)"
    nextWaitingCall += 1
    let waiting = WaitingCall(call, client, item, answers)
    waitingCalls[id] = waiting
    let (outcomes, wake) = (outcomes, options.wake)
    let asked = Asked(
      client: client, item: item.item.name.text,
      identity: identity(permissions.program(of: client), item))
    waiting.cancel = ask(asked) { approval in
      outcomes.add(id, .approval(approval))
      wake()
    }
  }

  /// Does what the answers have led to.
  ///
  /// - Returns: Replies and signals.
  func takeOutcomes() -> [DBusMessage] {
    var messages: [DBusMessage] = []
    for (id, outcome) in outcomes.take() {
      if let prompt = prompts[id] {
        try? take(outcome, for: prompt)
      } else if let waiting = waitingCalls.removeValue(forKey: id),
        case .approval(let approval) = outcome
      {
        // Who asked may have run another program while the person thought.
        let isSame = waiting.client.currentProgram == waiting.program
        waiting.answers[waiting.item.path] =
          approval.isAllowed && !isSame ? .changedProgram : approval
        messages += answer(waiting.message, from: waiting.client, answers: waiting.answers)
      }
      // Otherwise its client has given up, and nobody wants the answer.
    }
    return messages
  }
}
