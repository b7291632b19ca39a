import VaultCredentials
import VaultDBus
import VaultKeyringService
import VaultSSHAgent
import VaultStorage

/// The agent of ssh behind `vault guard --ssh`: keys whose items match sign there, and are not seen.
///
/// It serves on a thread of its own, and ends with the process. Nothing is added to it: what is behind
/// the wall has no key that it would have to keep.
struct GuardedAgent: Sendable {
  /// Makes it look at what has changed, from any thread.
  let wakeUp: WakeUp
  private let vault: UnlockedVault
  private let door: SSHAgent.Door
  private let options: SSHAgent.Options
  /// The process that has started the command: what is behind the wall descends from it.
  private let command: Int32

  /// An agent.
  ///
  /// - Parameters:
  ///   - order: Which keys, and which of them a person is asked about.
  ///   - vault: The vault.
  ///   - door: What keeps it open, for the others behind this wall, too.
  ///   - desk: Where questions lie; `nil` where nobody is asked.
  /// - Throws: ``HelperFailure`` if there are no descriptors left; `CredentialError` if the vault
  ///   cannot be read.
  init(
    _ order: ServingOrder, _ vault: UnlockedVault, door: ServedDoor, desk: ApprovalDesk?
  ) throws {
    guard let wakeUp = WakeUp() else { throw HelperFailure("there are no descriptors left") }
    var options = SSHAgent.Options(wake: wakeUp.call)
    options.patterns = order.patterns
    options.isReadOnly = true
    let confirmed = order.confirmed.map { NamePattern($0) }
    options.confirms = { name in confirmed.contains { $0.matches(name.text) } }
    // For the log, too, where nobody is asked.
    options.knownHosts = SSHServing.knownHosts
    if let desk { options.ask(by: desk) }
    let shared = door.door
    // Who else holds the door gives it up.
    self.door = SSHAgent.Door(
      mayStayOpen: shared.mayStayOpen, close: {}, reopen: shared.reopen)
    (self.wakeUp, self.vault, self.options) = (wakeUp, vault, options)
    command = order.process
    // What is wrong with the vault is said while somebody listens.
    _ = try SSHAgent(vault, door: self.door, options: options)
  }

  /// Serves a socket that listens, until the process ends.
  func start(_ listening: Int32) {
    BlockingThread.start(name: "vault-guard-ssh") {
      guard let agent = try? SSHAgent(vault, door: door, options: options) else { return }
      AgentServer(listening: listening, agent: agent, wakeUp: wakeUp) {
        GuardedProcess.isWithin($0.process, below: command)
      }.run(until: [])
    }
  }
}
