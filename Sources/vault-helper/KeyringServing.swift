import Glibc
import VaultCredentials
import VaultDBus
import VaultKeyringService
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
      let (code, message) =
        switch error {
        case let error as CredentialError: (error.code.rawValue, error.message)
        case let error as HelperFailure: ("unavailable", error.message)
        default: ("unexpected", "the helper has failed")
        }
      answer(code, message, answers)
      exit(1)
    }
  }

  private static func serve(orders: Int32, answers: Int32) throws {
    guard let wakeUp = WakeUp(), let signals = SignalPipe() else {
      throw HelperFailure("there are no descriptors left")
    }
    let (service, order, door) = try open(orders, wakeUp)
    defer { door.close() }
    guard let ended = ProcessEnd(of: order.process) else {
      throw HelperFailure("there are no descriptors left")
    }
    signals.catchSignals([SIGTERM, SIGINT, SIGHUP], always: [])
    let folder = try SocketFolder()
    defer { folder.remove() }
    guard let listening = LocalSocket.listen(at: folder.socket) else {
      throw HelperFailure("a socket cannot be made at \(folder.socket)")
    }
    let server = BusServer(
      listening: listening, name: KeyringService.name, service: service, wakeUp: wakeUp)
    let watch = try? FileSignal.watch(order.vaultFile.name, in: order.vaultFile.folder) {
      wakeUp.call()
    }
    defer { watch?.stop() }
    folder.leaveToCleaner(permits: door.permits)
    answer(HelperProgram.readyAnswer, "\(folder.address),guid=\(server.id)", answers)
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
  }

  private static func serveBus(orders: Int32) throws {
    guard let wakeUp = WakeUp(), let signals = SignalPipe() else {
      throw HelperFailure("there are no descriptors left")
    }
    let (service, order, door) = try open(orders, wakeUp)
    defer { door.close() }
    signals.catchSignals([SIGTERM, SIGINT, SIGHUP], always: [])
    let bus = try BusClient(try sessionBus())
    // By this name `vault` knows that the keyring is the vault itself.
    guard try bus.request(KeyringService.ownName) else {
      throw HelperFailure("the vault is served on the session bus already")
    }
    guard try bus.request(KeyringService.name, replaces: order.replaces) else {
      let owner = bus.process(of: KeyringService.name)
      let program = owner.flatMap { ProcessState.programName(of: $0) } ?? "another program"
      let process = owner.map { " (process \($0))" } ?? ""
      throw HelperFailure(
        "\(program)\(process) is the keyring of the session bus; "
          + (order.replaces
            ? "it does not let itself be replaced: end it first" : "see --replace, or end it first")
      )
    }
    let watch = try? FileSignal.watch(order.vaultFile.name, in: order.vaultFile.folder) {
      wakeUp.call()
    }
    defer { watch?.stop() }
    StandardError.write("vault: the vault is the keyring of the session bus\n")
    try bus.run(service, name: KeyringService.name, wakeUp: wakeUp, until: [signals.descriptor])
  }

  /// The address of the session bus: the environment's, or systemd's.
  private static func sessionBus() throws -> String {
    if let address = ProcessState.variable("DBUS_SESSION_BUS_ADDRESS"), !address.isEmpty {
      return address
    }
    guard let runtime = ProcessState.variable("XDG_RUNTIME_DIR"), !runtime.isEmpty else {
      throw HelperFailure("there is no session bus")
    }
    return "unix:path=\(runtime)/bus"
  }

  /// Opens the vault; nothing but the service keeps it.
  private static func open(
    _ orders: Int32, _ wakeUp: WakeUp
  ) throws -> (KeyringService, ServingOrder, ServedDoor) {
    let (vault, order) = try ServingOrder.read(orders)
    let door = ServedDoor(order.vault, wakeUp: wakeUp)
    try door.keep(vault)
    var options = KeyringService.Options(door: door.door)
    options.scope = ServedScope(order.patterns)
    options.isReadOnly = order.isReadOnly
    do {
      return (try KeyringService(vault, options: options), order, door)
    } catch {
      door.close()
      throw error
    }
  }

  /// Two lines, whose reader is the command that waits.
  private static func answer(_ kind: String, _ text: String, _ descriptor: Int32) {
    // A command that is gone by now wants no answer.
    try? Array("\(kind)\n\(text)".utf8).withRawSpan { try System.writeAll(descriptor, $0) }
    close(descriptor)
  }
}

/// A failure of the helper itself.
struct HelperFailure: Error {
  /// One sentence, without a secret.
  let message: String

  init(_ message: String) { self.message = message }
}
