import Synchronization
import VaultCredentials
import VaultDBus
import VaultKeyringService
import VaultSealing
import VaultStorage
import VaultTerminal

/// What keeps a vault open in this process: until `vault lock`, and from the next unlocking on.
final class ServedDoor: Sendable {
  private let vault: LockedVault
  /// The vault in words.
  private let name: String
  private let wakeUp: WakeUp
  private let person: Person?
  private let reopens: Bool
  private let permit = Mutex<(file: ServingPermit, watches: [FileSignal.Watch])?>(nil)

  /// The door of a vault.
  ///
  /// - Parameters:
  ///   - vault: The vault.
  ///   - wakeUp: Is called when the vault is locked.
  ///   - person: Whom to ask for what opens it.
  ///   - reopens: Whether it is opened again after `vault lock`, by a session, a key file or another
  ///     source that asks nobody.
  convenience init(
    _ vault: ServingOrder.Vault, wakeUp: WakeUp, person: Person?, reopens: Bool = true
  ) {
    self.init(vault.locked, name: vault.name, wakeUp: wakeUp, person: person, reopens: reopens)
  }

  /// The door of a vault that need not be open yet.
  init(
    _ vault: LockedVault, name: String?, wakeUp: WakeUp, person: Person?, reopens: Bool = true
  ) {
    (self.vault, self.reopens) = (vault, reopens)
    self.name = name.map { "the vault '\($0)'" } ?? "the vault"
    (self.wakeUp, self.person) = (wakeUp, person)
  }

  /// Takes leave to keep the vault open.
  func keep(_ opened: UnlockedVault) throws {
    let file = try ServingPermit(opened.blocking)
    let watches = file.folders.compactMap { folder in
      try? FileSignal.watch(file.name, in: folder) { [wakeUp] in wakeUp.call() }
    }
    close()
    permit.withLock { $0 = (file, watches) }
  }

  /// The folders of the permits.
  var permits: [String] { permit.withLock { $0?.file.folders } ?? [] }

  /// Gives the leave back.
  func close() {
    permit.withLock { permit in
      for watch in permit?.watches ?? [] { watch.stop() }
      permit?.file.giveBack()
      permit = nil
    }
  }

  /// The door as the service uses it.
  var door: VaultDoor {
    var door = VaultDoor(
      mayStayOpen: { self.permit.withLock { $0?.file.isValid == true } }, close: close,
      reopen: {
        guard self.reopens else {
          throw CredentialError(.locked, "\(self.name) was locked, and nothing is let out any more")
        }
        let opened = try self.vault.blocking.unlock(with: KeySource.standard)
        try self.keep(opened)
        return opened
      })
    if let person {
      door.ask = { client, answer in
        person.passphrase("\(Person.name(of: client)) wants \(self.name) to be opened.") { text in
          answer(text.flatMap { self.open(with: $0) })
        }
      }
    }
    return door
  }

  private func open(with text: SecretBytes) -> UnlockedVault? {
    guard let opened = try? vault.blocking.unlock(with: [.passphrase { text }]),
      (try? keep(opened)) != nil
    else { return nil }
    return opened
  }
}
