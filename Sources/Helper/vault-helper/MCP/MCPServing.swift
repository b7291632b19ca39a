import Glibc
import VaultCredentials
import VaultDBus
import VaultKeyringService
import VaultProtocols
import VaultStorage
import VaultTerminal

/// Tools for a coding agent over stdin and stdout: `vault mcp`.
///
/// MCP is the Model Context Protocol, version 2025-06-18, by its stdio transport.
enum MCPServing {
  static let verb = "mcp"

  /// Serves the client that has started this process, and ends it.
  ///
  /// - Parameter orders: Where the vault key, if there is one, and the order come from.
  static func run(orders: Int32) -> Never {
    do {
      try serve(try ServingOrder.read(orders))
      exit(0)
    } catch {
      StandardError.write("vault: error: \(HelperAnswer.words(of: error).message)\n")
      // EX_UNAVAILABLE.
      exit(69)
    }
  }

  private static func serve(_ order: ServingOrder) throws {
    guard let wakeUp = WakeUp(), let signals = SignalPipe(), let vault = order.vaults.first else {
      throw HelperFailure("there are no descriptors left")
    }
    // A client that has gone is seen by what stdout says.
    signals.catchSignals([SIGTERM, SIGINT, SIGHUP], always: [SIGPIPE])
    let client = getppid()
    let door = ServedDoor(vault, wakeUp: wakeUp, person: nil)
    defer { door.close() }
    if let opened = vault.openedIfAny { try door.keep(opened) }
    // Nothing is asked on the client's terminal: it is the client that reads there, and whatever the
    // client has started could answer.
    let person = Person(terminal: nil, patience: order.patience)
    defer { person?.stopAsking() }
    let desk = try ApprovalDesk(
      ApprovalAccess(
        serves: verb, command: GuardedProcess.top(of: client), isWalled: true,
        patience: order.patience),
      ways: ApprovalWay.all(person))
    defer { desk.close() }
    let watch = try? FileSignal.watch(vault.file.name, in: vault.file.folder) { wakeUp.call() }
    defer { watch?.stop() }
    MCPServer(
      MCPVault(vault.openedIfAny, door: door.door, order), desk: desk,
      outcomes: MCPOutcomes(wakeUp), client: client, order
    ).run(until: [signals.descriptor])
  }
}
