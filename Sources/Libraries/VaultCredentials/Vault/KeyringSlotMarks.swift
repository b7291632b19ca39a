import VaultSealing
import VaultStorage

/// Notes which keys of slots are just being put into the keyring or taken out of it.
///
/// The vault's file and the keyring cannot change at once. For each key there is an empty file,
/// beside what this machine has seen of the vault, that its maker keeps locked; the key goes from
/// the keyring unless the vault has its slot. A file that nobody has locked is of a process that was
/// killed, and whoever opens the vault next does the same.
final class KeyringSlotMarks {
  private let vault: LockedVault
  private let vaultID: [UInt8]
  private var held: [(slotID: [UInt8], lock: FileLock?)] = []

  init(_ vault: LockedVault, vaultID: [UInt8]) {
    self.vault = vault
    self.vaultID = vaultID
  }

  /// Notes a slot whose key is about to be put into the keyring, or to be taken out of it.
  ///
  /// Where it cannot be noted, on a disk that is full, the change goes on: the key that a killed
  /// one leaves in the keyring opens nothing.
  func hold(_ slotID: [UInt8]) {
    let directory = try? Directory(vault.folder.location.state, create: true)
    held.append(
      (slotID, directory.flatMap { try? FileLock(name(of: slotID), in: $0, timeout: .zero) }))
  }

  /// Notes those of some slots that have a key in the keyring.
  func holdKeyringSlots(of slots: [SlotRecord]) {
    for slot in slots where KeySlot.Kind(type: slot.type) == .keyring { hold(slot.id) }
  }

  /// Takes the key of each noted slot that the vault does not have out of the keyring.
  func settle() {
    defer { held = [] }
    guard !held.isEmpty else { return }
    settle(held.map(\.slotID))
  }

  /// The same for slots that a killed process has noted.
  func settleAbandoned() {
    guard let directory = try? Directory(vault.folder.location.state),
      let names = try? directory.names()
    else { return }
    let (start, end) = (prefix, Self.ending)
    for name in names where name.hasPrefix(start) && name.hasSuffix(end) {
      let digits = name.utf8.dropFirst(start.utf8.count).dropLast(end.utf8.count)
      guard let slotID = Hexadecimal.bytes(String(Substring(digits))), slotID.count == 16,
        let lock = try? FileLock(name, in: directory, timeout: .zero)
      else { continue }
      settle([slotID])
      withExtendedLifetime(lock) {}
    }
  }

  private func settle(_ slotIDs: [[UInt8]]) {
    // What cannot be looked at is left to whoever comes next.
    guard let header = try? vault.folder.read()?.header, header.vaultID == vaultID,
      let directory = try? Directory(vault.folder.location.state)
    else { return }
    let keyring = KeyringSlotKeys(keyring: vault.keyring, options: vault.options)
    for slotID in slotIDs {
      let isSlot = header.slots.contains { $0.id == slotID }
      guard isSlot || (try? keyring.removeSlotKey(vaultID: vaultID, slotID: slotID)) == true
      else { continue }
      try? directory.remove(name(of: slotID))
    }
  }

  private static let ending = ".slot"

  private var prefix: String { vault.folder.slotPrefix(vaultID) }

  private func name(of slotID: [UInt8]) -> String {
    prefix + Hexadecimal.text(slotID) + Self.ending
  }
}
