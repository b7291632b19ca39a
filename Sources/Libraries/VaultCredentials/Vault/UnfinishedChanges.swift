import Glibc
package import VaultSealing
import VaultStorage

extension UnlockedVault {
  /// Finishes what a killed command has left undone, as far as that is possible without waiting.
  ///
  /// - Parameter withKeyring: Whether the keyring may be asked.
  func finishWhatWasKilled(withKeyring: Bool) {
    if locked.folder.hasPurgeMark() {
      try? locked.folder.locked(timeout: .zero) { directory in
        let file = try locked.blocking.sealedFile()
        let isGone = try locked.folder.finishPurge(
          file, try file.openIndex(keys), history, in: directory)
        if !isGone { note([.stillInLog]) }
      }
    }
    if withKeyring, locked.options.usesKeyring {
      KeyringSlotMarks(locked, vaultID: vaultID).settleAbandoned()
    }
  }
}

extension LockedVault {
  /// Takes back a key file that ``KeyFile/create(_:)`` made, after what it was made for has failed.
  ///
  /// It stays if it does not hold the key any more, or if it opens this vault after all, as where the
  /// change is stored and the disk did not confirm it.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - key: What was written to it.
  package func takeBack(keyFile path: String, holding key: SecretBytes) {
    guard let held = try? OutsideFile.read(path, limit: KeyFile.length),
      (try? SecretBytes(copying: held))?.isEqual(to: key) == true
    else { return }
    do {
      if try blocking.exists() {
        _ = try blocking.unlock(with: [.key { key }])
      } else {
        try System.unlink(path, in: AT_FDCWD)
      }
    } catch let error as CredentialError where error.code == .wrongKey {
      try? System.unlink(path, in: AT_FDCWD)
    } catch {
      // It may open the vault: nobody can tell.
    }
  }
}
