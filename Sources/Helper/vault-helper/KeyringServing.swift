import Glibc
import VaultCredentials
import VaultDBus
import VaultKeyringService
import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

/// The keyring on a bus of its own, for one command: `vault keyring serve -- COMMAND`.
enum KeyringServing {
  static let verb = "keyring-serve"

  /// Does what the order says, and ends the process.
  ///
  /// - Parameters:
  ///   - orders: Where the vault key and the order come from.
  ///   - answers: Where to say that the bus is ready, or why it is not.
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
    let (wakeUp, signals) = try pipes()
    let order = try ServingOrder.read(orders)
    let serving = try open(order, wakeUp, terminal: order.terminal)
    defer { serving.close() }
    guard let ended = ProcessEnd(of: order.process) else {
      throw HelperFailure("there are no descriptors left")
    }
    signals.catchSignals([SIGTERM, SIGINT, SIGHUP], always: [])
    let folder = try SocketFolder("keyring", file: "bus")
    defer { folder.remove() }
    guard let listening = LocalSocket.listen(at: folder.socket) else {
      throw HelperFailure("a socket cannot be made at \(folder.socket)")
    }
    let server = BusServer(
      listening: listening, name: SecretServiceNames.serviceName, service: serving.service,
      wakeUp: wakeUp)
    folder.leaveToCleaner(permits: serving.permits)
    HelperAnswer.write(
      HelperProgram.readyAnswer, "\(folder.address),guid=\(server.id)", to: answers)
    server.run(until: [ended.descriptor, signals.descriptor])
  }

  static let busVerb = "keyring-bus"

  /// Serves the session bus that there is, and ends the process.
  ///
  /// - Parameter orders: Where the vault key and the order come from.
  static func runOnBus(orders: Int32) -> Never {
    do {
      try serveBus(orders: orders)
      exit(0)
    } catch {
      fail(error)
    }
  }

  static let socketVerb = "keyring-socket"

  /// Serves a bus of its own on a socket that systemd listens on, and ends the process.
  ///
  /// - Parameters:
  ///   - orders: Where the vault key and the order come from.
  ///   - listening: The socket.
  static func runOnSocket(orders: Int32, listening: Int32) -> Never {
    do {
      try serveSocket(orders: orders, listening: listening)
      exit(0)
    } catch {
      ActivatedSocket.refuseWaiting(at: listening)
      fail(error)
    }
  }

  /// Says why the keyring is not served, and ends the process.
  private static func fail(_ error: any Error) -> Never {
    let message =
      switch error {
      case let error as CredentialError: error.message
      case let error as HelperFailure: error.message
      case BusClient.Failure.refused: "the session bus does not let this user in"
      case BusClient.Failure.unreachable: "nothing answers at the address of the session bus"
      default: "the session bus gave an unusable reply"
      }
    StandardError.write("vault: error: \(message)\n")
    // EX_UNAVAILABLE, as for every keyring that cannot be used.
    exit(69)
  }

  private static func serveSocket(orders: Int32, listening: Int32) throws {
    let (wakeUp, signals) = try pipes()
    let serving = try open(try ServingOrder.read(orders), wakeUp, terminal: nil)
    defer { serving.close() }
    signals.catchSignals([SIGTERM, SIGINT, SIGHUP], always: [])
    let server = BusServer(
      listening: listening, name: SecretServiceNames.serviceName, service: serving.service,
      wakeUp: wakeUp)
    StandardError.write("vault: the vault is the keyring of a bus of its own\n")
    server.run(until: [signals.descriptor])
  }

  private static func serveBus(orders: Int32) throws {
    let (wakeUp, signals) = try pipes()
    let order = try ServingOrder.read(orders)
    let serving = try open(order, wakeUp, terminal: TerminalQuestion.openTerminal())
    defer { serving.close() }
    signals.catchSignals([SIGTERM, SIGINT, SIGHUP], always: [])
    let bus = try BusClient(try sessionBus())
    // By this name `vault` knows that the keyring is the vault itself.
    guard try bus.request(SecretServiceNames.servedName) else {
      throw HelperFailure("the vault is served on the session bus already")
    }
    guard try bus.request(SecretServiceNames.serviceName, replaces: order.replaces) else {
      let owner = bus.process(of: SecretServiceNames.serviceName)
      let program = owner.flatMap { ProcessState.programName(of: $0) } ?? "another program"
      let process = owner.map { " (process \($0))" } ?? ""
      throw HelperFailure(
        "\(program)\(process) is the keyring of the session bus; "
          + (order.replaces
            ? "it does not let itself be replaced: end it first" : "see --replace, or end it first")
      )
    }
    StandardError.write("vault: the vault is the keyring of the session bus\n")
    try bus.run(
      serving.service, name: SecretServiceNames.serviceName, wakeUp: wakeUp,
      until: [signals.descriptor])
  }

  /// The address of the session bus: the environment's, or systemd's.
  static func sessionBus() throws -> String {
    if let address = ProcessState.variable("DBUS_SESSION_BUS_ADDRESS"), !address.isEmpty {
      return address
    }
    guard let runtime = ProcessState.variable("XDG_RUNTIME_DIR"), !runtime.isEmpty else {
      throw HelperFailure("there is no session bus")
    }
    return "unix:path=\(runtime)/bus"
  }

  /// What wakes the one who serves: changes of a vault, and signals.
  private static func pipes() throws -> (WakeUp, SignalPipe) {
    guard let wakeUp = WakeUp(), let signals = SignalPipe() else {
      throw HelperFailure("there are no descriptors left")
    }
    return (wakeUp, signals)
  }

  /// What is served, and what is given back at the end.
  private struct Serving {
    let service: KeyringService
    let doors: [ServedDoor]
    let watches: [FileSignal.Watch]
    let questions: Person?
    let desk: ApprovalDesk?

    /// The folders of the permits.
    var permits: [String] { doors.first?.permits ?? [] }

    func close() {
      questions?.stopAsking()
      desk?.close()
      for watch in watches { watch.stop() }
      for door in doors { door.close() }
    }
  }

  /// Makes the service for the vaults of an order; nothing but the service keeps them.
  private static func open(
    _ order: ServingOrder, _ wakeUp: WakeUp, terminal: Int32?
  ) throws -> Serving {
    let person = Person(terminal: terminal, patience: order.patience)
    var options = KeyringService.Options(wake: wakeUp.call)
    options.scope = ServedScope(order.patterns)
    options.isReadOnly = order.isReadOnly
    var desk: ApprovalDesk?
    if order.confirms {
      let made = try ApprovalDesk(
        ApprovalAccess(
          serves: "keyring", command: order.command, isWalled: false, patience: order.patience),
        ways: ApprovalWay.all(person))
      desk = made
      options.standing = { made.kept.standing($0) }
      options.confirm = { asked, answer in
        made.ask(ApprovalRequest(asked), answer)
      }
    }
    let doors = order.vaults.map { ServedDoor($0, wakeUp: wakeUp, person: person) }
    do {
      for (door, vault) in zip(doors, order.vaults) { try door.keep(try vault.opened) }
      let collections = try zip(doors, order.vaults).map { door, vault in
        ServedCollection(
          name: vault.collection, label: vault.label, vault: try vault.opened, door: door.door)
      }
      let service = try KeyringService(collections, options: options)
      let watches = order.vaults.compactMap { vault in
        try? FileSignal.watch(vault.file.name, in: vault.file.folder) { wakeUp.call() }
      }
      return Serving(
        service: service, doors: doors, watches: watches, questions: person, desk: desk)
    } catch {
      for door in doors { door.close() }
      throw error
    }
  }
}

extension ApprovalRequest {
  /// The question whether a client of a keyring may use an item.
  init(_ asked: KeyringService.Asked) {
    let caller = UsageCaller(asked.client)
    self.init(
      identity: asked.identity ?? "a client \(asked.client.process) \(asked.item)",
      isKept: asked.identity != nil,
      question: ApprovalQuestion(
        item: asked.item, use: "secret-service",
        sentence: "\(Person.name(of: caller)) wants '\(Quoting.visible(asked.item))'.",
        programs: caller.approvalPrograms, folder: CallerPlace.folder(of: caller),
        reason: StatedReason.of(asked.client.process)))
  }
}

/// A failure of the helper itself.
struct HelperFailure: Error {
  /// One sentence, without a secret.
  let message: String

  init(_ message: String) { self.message = message }
}
