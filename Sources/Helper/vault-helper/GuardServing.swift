import Glibc
import Synchronization
import VaultCredentials
import VaultDBus
import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

/// The socket that leads out of `vault guard`: requests of credential helpers, one a connection.
enum GuardServing {
  static let verb = "guard"

  /// Serves one command, and ends the process.
  ///
  /// - Parameters:
  ///   - orders: Where the vault key and the order come from.
  ///   - answers: Where to say that the socket is ready, or why it is not.
  static func run(orders: Int32, answers: Int32) -> Never {
    do {
      try serve(orders: orders, answers: answers)
      exit(0)
    } catch {
      HelperAnswer.write(error, to: answers)
      exit(1)
    }
  }

  private static func serve(orders: Int32, answers: Int32) throws {
    let order = try ServingOrder.read(orders)
    // Without patterns nothing is let out, and nobody has to be here.
    guard let wakeUp = WakeUp(), let signals = SignalPipe(), let vault = order.vaults.first,
      let ended = ProcessEnd(of: order.process)
    else { throw HelperFailure("there are no descriptors left") }
    guard !order.patterns.isEmpty else { throw HelperFailure("the order cannot be read") }
    signals.catchSignals([SIGTERM, SIGINT, SIGHUP], always: [])
    // After `vault lock` this line gets nothing more, whatever key the environment names.
    let door = ServedDoor(vault, wakeUp: wakeUp, person: nil, reopens: false)
    let opened = try vault.opened
    try door.keep(opened)
    defer { door.close() }
    let folder = try SocketFolder("guard", file: "agent", outsideOf: order.writable)
    defer { folder.remove() }
    guard let listening = LocalSocket.listen(at: folder.socket) else {
      throw HelperFailure("a socket cannot be made at \(folder.socket)")
    }
    let desk = try desk(order)
    defer { desk?.close() }
    let agent = try order.servesKeys ? GuardedAgent(order, opened, door: door, desk: desk) : nil
    if let agent {
      guard let listening = LocalSocket.listen(at: folder.agentSocket) else {
        throw HelperFailure("a socket cannot be made at \(folder.agentSocket)")
      }
      agent.start(listening)
    }
    folder.leaveToCleaner(permits: door.permits)
    HelperAnswer.write(HelperProgram.readyAnswer, folder.socket, to: answers)
    let broker = GuardBroker(
      opened, door: door.door, patterns: order.patterns, isReadOnly: order.isReadOnly,
      confirmed: order.confirmed, program: order.program)
    GuardServer(
      listening: listening, broker: broker, wakeUp: wakeUp, command: order.process, desk: desk,
      agent: agent?.wakeUp
    ).run(until: [ended.descriptor, signals.descriptor])
  }

  /// Where questions lie; `nil` where nobody is asked.
  ///
  /// The terminal is not used: the command behind the wall reads what is typed there.
  private static func desk(_ order: ServingOrder) throws -> ApprovalDesk? {
    guard !order.confirmed.isEmpty else { return nil }
    let person = Person(terminal: nil, patience: order.patience)
    return try ApprovalDesk(
      ApprovalAccess(
        serves: verb, command: order.process, isWalled: true, patience: order.patience,
        writable: order.writable), ways: ApprovalWay.all(person))
  }
}

/// Takes in the connections, few at a time, and gives each its one answer.
///
/// A connection that has sent nothing loses its seat to the next one, and nothing is kept for a
/// length that was only announced. Those that wait for a person have seats of their own.
final class GuardServer {
  /// Clients at the same time that do not wait for a person.
  private static let maximumClients = 8

  private let listening: Int32
  private let broker: GuardBroker
  private let wakeUp: WakeUp
  /// The process that has started the command: what is behind the wall descends from it.
  private let command: Int32
  private let desk: ApprovalDesk?
  /// What wakes the agent of ssh beside it; `nil` where there is none.
  private let agent: WakeUp?
  private var clients: [GuardClient] = []
  private var lastNumber = 0
  private let outcomes = Outcomes()

  /// What persons have said, from the desk's thread.
  private final class Outcomes: Sendable {
    let all = Mutex<[(client: Int, approval: Approval)]>([])
  }

  init(
    listening: Int32, broker: GuardBroker, wakeUp: WakeUp, command: Int32, desk: ApprovalDesk?,
    agent: WakeUp?
  ) {
    self.agent = agent
    (self.listening, self.broker, self.wakeUp) = (listening, broker, wakeUp)
    (self.command, self.desk) = (command, desk)
  }

  /// Serves until one of the descriptors can be read.
  func run(until ends: [Int32]) {
    while true {
      var waits: [(descriptor: Int32, reads: Bool, writes: Bool)] = ends.map { ($0, true, false) }
      waits.append((wakeUp.descriptor, true, false))
      waits.append((listening, true, false))
      waits += clients.map { ($0.socket, !$0.isAnswered, $0.isAnswered) }
      let ready = LocalSocket.wait(for: waits, milliseconds: nil)
      if ready[..<ends.count].contains(where: \.reads) { return }
      if ready[ends.count].reads {
        wakeUp.clear()
        // The vault may have been locked or changed.
        agent?.call()
      }
      broker.lockIfAsked()
      takeOutcomes()
      for (client, ready) in zip(clients, ready[(ends.count + 2)...]) {
        if client.isAnswered {
          if ready.writes || ready.reads { client.write() }
        } else if ready.reads {
          client.read()
          if let request = client.takeMessage(broker.request) { goOn(client, request) }
        }
      }
      if ready[ends.count + 1].reads { accept() }
      for client in clients where client.hasEnded {
        client.cancel?()
        close(client.socket)
      }
      clients.removeAll(where: \.hasEnded)
    }
  }

  /// Answers a client, or asks a person first.
  private func goOn(_ client: GuardClient, _ request: GuardRequest) {
    switch broker.outcome(of: request, from: client.peer, client.approvals) {
    case .answer(let answer): client.give(answer)
    case .question(let use, let asked):
      guard let desk else { return client.end() }
      client.waiting = (request, use)
      let (number, outcomes, wakeUp) = (client.number, outcomes, wakeUp)
      client.cancel = desk.ask(asked) { approval in
        outcomes.all.withLock { $0.append((number, approval)) }
        wakeUp.call()
      }
    }
  }

  private func takeOutcomes() {
    let all = outcomes.all.withLock { all in
      defer { all = [] }
      return all
    }
    for (number, approval) in all {
      // Otherwise it has left.
      guard let client = clients.first(where: { $0.number == number }), !client.hasEnded,
        let (request, use) = client.waiting
      else { continue }
      (client.waiting, client.cancel) = (nil, nil)
      client.approvals[use] = approval
      goOn(client, request)
    }
  }

  private func accept() {
    for _ in 0..<Self.maximumClients {
      guard let socket = LocalSocket.accept(listening) else { return }
      lastNumber += 1
      guard let peer = LocalSocket.peer(of: socket), peer.user == geteuid(),
        GuardedProcess.isWithin(peer.process, below: command),
        let client = try? GuardClient(number: lastNumber, socket: socket, peer: peer)
      else {
        close(socket)
        continue
      }
      makeSeat()
      clients.append(client)
    }
  }

  /// Ends one where all seats are taken: who has said nothing first, then who came first.
  private func makeSeat() {
    let seated = clients.filter { !$0.hasEnded && $0.waiting == nil }
    guard seated.count >= Self.maximumClients else { return }
    (seated.first { !$0.hasSpoken } ?? seated.first)?.end()
  }
}

/// One connection.
private final class GuardClient {
  private static let portion = 16 << 10

  let number: Int
  let socket: Int32
  let peer: LocalSocket.Peer
  /// The request that waits for a person, and for which use.
  var waiting: (GuardRequest, GuardUse)?
  /// What the person has said so far.
  var approvals = GuardBroker.Approvals()
  /// Ends the question.
  var cancel: (@Sendable () -> Void)?
  private let input: LockedBuffer
  private var answer: SecretBytes?
  private var written = 0
  private(set) var hasEnded = false

  init(number: Int, socket: Int32, peer: LocalSocket.Peer) throws {
    (self.number, self.socket, self.peer) = (number, socket, peer)
    input = try LockedBuffer(capacity: 1024)
  }

  var isAnswered: Bool { answer != nil }
  var hasSpoken: Bool { isAnswered || input.count > 0 }

  func end() { hasEnded = true }

  func read() {
    switch try? LocalSocket.receive(socket, into: input, atMost: Self.portion) {
    // Behind the one request nothing may follow.
    case .moved? where waiting != nil: end()
    case .moved?, .later?: break
    case .ended?, nil: end()
    }
  }

  /// The request, if the message is whole; a length that is none ends the connection.
  func takeMessage(_ body: (RawSpan) throws -> GuardRequest) -> GuardRequest? {
    guard !hasEnded, waiting == nil, let length = input.withBytes({ GuardMessage.length($0) })
    else { return nil }
    guard length <= GuardRequest.maximumLength, input.count <= length else {
      end()
      return nil
    }
    guard input.count == length else { return nil }
    do {
      defer { input.removeFirst(length) }
      return try input.withBytes { try body($0.extracting(4..<length)) }
    } catch {
      give(GuardBroker.answer(error))
      return nil
    }
  }

  /// Answers.
  func give(_ given: GuardAnswer) {
    let tooLong = GuardAnswer.failure(code: "too-long", message: "the answer is too long")
    guard let message = (try? given.message()) ?? (try? tooLong.message()) else { return end() }
    answer = message
    write()
  }

  func write() {
    guard let answer, !hasEnded else { return }
    switch LocalSocket.send(socket, answer, from: written) {
    case .moved(let count):
      written += count
      if written == answer.count { end() }
    case .later: break
    case .ended: end()
    }
  }
}
