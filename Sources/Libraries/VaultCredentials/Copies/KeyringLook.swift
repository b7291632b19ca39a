import Synchronization
import VaultSealing

/// What one look at the keyring said, which is taken once it is needed: most secrets need none.
final class KeyringLook: Sendable {
  private let keyring: any DesktopKeyring
  private let report = Mutex<KeyringReport?>(nil)

  init(of keyring: any DesktopKeyring) { self.keyring = keyring }

  /// Whether the keyring gives a secret back as it is.
  func keeps(_ secret: SecretBytes) -> Bool {
    guard secret.isBrokenByText else { return true }
    let report = report.withLock { report in
      let found = report ?? keyring.probe(openingSession: false)
      report = found
      return found
    }
    return report.keeps(secret)
  }
}
