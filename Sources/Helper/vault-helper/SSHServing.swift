import Glibc
import VaultCredentials
import VaultDBus
import VaultKeyringService
import VaultProtocols
import VaultSSHAgent
import VaultStorage
import VaultTerminal

/// The agent of ssh over a vault: `vault ssh-agent`.
enum SSHServing {
  /// For one command, on a socket of its own.
  static let verb = "ssh-agent"
  /// In the foreground, on a socket at a path.
  static let pathVerb = "ssh-agent-at"
  /// On a socket that systemd listens on.
  static let socketVerb = "ssh-agent-socket"

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
    let serving = try Serving(order, terminal: order.terminal)
    defer { serving.close() }
    guard let ended = ProcessEnd(of: order.process) else {
      throw HelperFailure("there are no descriptors left")
    }
    let folder = try SocketFolder("ssh", file: "agent")
    defer { folder.remove() }
    guard let listening = LocalSocket.listen(at: folder.socket) else {
      throw HelperFailure("a socket cannot be made at \(folder.socket)")
    }
    folder.leaveToCleaner(permits: serving.door.permits)
    HelperAnswer.write(HelperProgram.readyAnswer, folder.socket, to: answers)
    serving.run(listening, until: [ended.descriptor])
  }

  /// Serves a socket at a path, and ends the process.
  ///
  /// - Parameter orders: Where the vault key and the order come from.
  static func runAtPath(orders: Int32) -> Never {
    do {
      try serveAtPath(orders: orders)
      exit(0)
    } catch {
      fail(error)
    }
  }

  private static func serveAtPath(orders: Int32) throws {
    let order = try ServingOrder.read(orders)
    guard let path = order.path else { throw HelperFailure("the order cannot be read") }
    let serving = try Serving(order, terminal: TerminalQuestion.openTerminal())
    defer { serving.close() }
    let listening = try AgentSocket(at: path)
    defer { listening.remove() }
    // As ssh-agent(1) says it, for `eval`.
    StandardOutput.tellSocket(path)
    serving.run(listening.descriptor, until: [])
  }

  /// Serves a socket that systemd listens on, and ends the process.
  ///
  /// - Parameters:
  ///   - orders: Where the vault key and the order come from.
  ///   - listening: The socket.
  static func runOnSocket(orders: Int32, listening: Int32) -> Never {
    do {
      try serve(try ServingOrder.read(orders), on: listening)
      exit(0)
    } catch {
      ActivatedSocket.refuseWaiting(at: listening)
      fail(error)
    }
  }

  private static func serve(_ order: ServingOrder, on listening: Int32) throws {
    let serving = try Serving(order, terminal: nil)
    defer { serving.close() }
    StandardError.write("vault: the vault is an agent of ssh\n")
    serving.run(listening, until: [])
  }

  private static func fail(_ error: any Error) -> Never {
    StandardError.write("vault: error: \(HelperAnswer.words(of: error).message)\n")
    // EX_UNAVAILABLE.
    exit(69)
  }

  /// What is served, and what is given back at the end.
  private struct Serving {
    let agent: SSHAgent
    let door: ServedDoor
    private let wakeUp: WakeUp
    private let signals: SignalPipe
    private let watch: FileSignal.Watch?
    private let person: Person?
    private let desk: ApprovalDesk

    init(_ order: ServingOrder, terminal: Int32?) throws {
      guard let wakeUp = WakeUp(), let signals = SignalPipe(), let vault = order.vaults.first else {
        throw HelperFailure("there are no descriptors left")
      }
      (self.wakeUp, self.signals) = (wakeUp, signals)
      signals.catchSignals([SIGTERM, SIGINT, SIGHUP], always: [SIGUSR1])
      let person = Person(terminal: terminal, patience: order.patience)
      self.person = person
      // A key that is added may ask by itself: `ssh-add -c`.
      let desk = try ApprovalDesk(
        ApprovalAccess(
          serves: "ssh-agent", command: order.command,
          isWalled: false, patience: order.patience), ways: ApprovalWay.all(person))
      self.desk = desk
      var options = SSHAgent.Options(wake: wakeUp.call)
      options.patterns = order.patterns
      options.isReadOnly = order.isReadOnly
      options.confirms = { [confirms = order.confirms] _ in confirms }
      options.knownHosts = SSHServing.knownHosts
      options.ask(by: desk)
      door = ServedDoor(vault, wakeUp: wakeUp, person: person)
      let opened = try vault.opened
      try door.keep(opened)
      do {
        agent = try SSHAgent(opened, door: SSHAgent.Door(door.door), options: options)
      } catch {
        door.close()
        throw error
      }
      watch = try? FileSignal.watch(vault.file.name, in: vault.file.folder) { wakeUp.call() }
    }

    func run(_ listening: Int32, until ends: [Int32]) {
      AgentServer(listening: listening, agent: agent, wakeUp: wakeUp)
        .run(until: ends + [signals.descriptor]) {
          let caught = signals.takeSignals()
          // ssh-agent(1): its keys go, and it stays.
          if caught.contains(SIGUSR1) { agent.removeAdded() }
          return caught.isEmpty || caught.contains { $0 != SIGUSR1 }
        }
    }

    func close() {
      person?.stopAsking()
      desk.close()
      watch?.stop()
      door.close()
    }
  }

  /// ssh_config(5), `UserKnownHostsFile` and `GlobalKnownHostsFile`.
  static var knownHosts: [String] {
    let home = StoreLocation.namedHome(ProcessState.variable).map {
      ["\($0)/.ssh/known_hosts", "\($0)/.ssh/known_hosts2"]
    }
    return (home ?? []) + ["/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"]
  }
}

extension SSHAgent.Options {
  /// Has a person asked at a desk.
  mutating func ask(by desk: ApprovalDesk) {
    standing = { desk.kept.standing($0) }
    question = { asked, answer in desk.ask(ApprovalRequest(asked), answer) }
  }
}

extension ApprovalRequest {
  /// The question whether a key may sign.
  fileprivate init(_ asked: SSHAgent.Asked) {
    let caller = UsageCaller(asked.client)
    self.init(
      identity: asked.identity, isKept: asked.isKept,
      question: ApprovalQuestion(
        item: asked.key, use: "ssh-agent", purpose: asked.purpose,
        sentence: "\(Person.name(of: caller)) \(asked.words)",
        programs: caller.approvalPrograms, folder: CallerPlace.folder(of: caller),
        reason: StatedReason.of(asked.client.process), isOnlyRefused: asked.isOnlyRefused))
  }
}

extension SSHAgent.Door {
  init(_ door: VaultDoor) {
    self.init(mayStayOpen: door.mayStayOpen, close: door.close, reopen: door.reopen)
    ask = door.ask
  }
}
