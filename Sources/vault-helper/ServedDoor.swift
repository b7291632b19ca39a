import Synchronization
import VaultCredentials
import VaultDBus
import VaultKeyringService
import VaultSealing
import VaultStorage
import VaultTerminal

/// What keeps the vault open in this process: until `vault lock`, and from the next unlocking on.
final class ServedDoor: Sendable {
  /// How long a person has for an answer; the prompt is dismissed then.
  private static let patience = 120

  private let vault: LockedVault
  private let wakeUp: WakeUp
  private let permit = Mutex<(file: ServingPermit, watch: FileSignal.Watch?)?>(nil)

  init(_ vault: LockedVault, wakeUp: WakeUp) { (self.vault, self.wakeUp) = (vault, wakeUp) }

  /// Takes leave to keep the vault open.
  func keep(_ opened: UnlockedVault) throws {
    let file = try ServingPermit(opened.blocking)
    let watch = try? FileSignal.watch(file.name, in: file.folder) { [wakeUp] in wakeUp.call() }
    close()
    permit.withLock { $0 = (file, watch) }
  }

  /// The folder of the permits.
  var permits: String { permit.withLock { $0?.file.folder } ?? "" }

  /// Gives the leave back.
  func close() {
    permit.withLock { permit in
      permit?.watch?.stop()
      permit?.file.giveBack()
      permit = nil
    }
  }

  /// The door as the service uses it.
  var door: VaultDoor {
    var door = VaultDoor(
      mayStayOpen: { self.permit.withLock { $0?.file.isValid == true } }, close: close,
      reopen: {
        let opened = try self.vault.blocking.unlock(with: KeySource.standard)
        try self.keep(opened)
        return opened
      }, wake: wakeUp.call)
    if let program = AskpassProgram.configured {
      door.ask = { client, answer in self.ask(program, client, answer) }
    }
    return door
  }

  private func ask(
    _ program: String, _ client: LocalSocket.Peer,
    _ answer: @escaping @Sendable (UnlockedVault?) -> Void
  ) -> @Sendable () -> Void {
    let who = ProcessState.programName(of: client.process) ?? "a program"
    let question = AskpassProgram(
      program, "\(who) (process \(client.process)) wants the vault to be opened. Passphrase: ")
    BlockingThread.start(name: "vault-askpass") {
      guard let text = question.answer(within: Self.patience) else { return answer(nil) }
      let opened = try? self.vault.blocking.unlock(with: [.passphrase { text }])
      guard let opened, (try? self.keep(opened)) != nil else { return answer(nil) }
      answer(opened)
    }
    return { question.cancel() }
  }
}
