public import Foundation
public import VaultCredentials
public import VaultSealing
import VaultStorageFoundation

// A module of its own: `LocalizedError` is a protocol of Foundation, which comes with 40 MB of ICU.
// Whoever does not import Foundation does not link it because of a vault.

extension CredentialError: LocalizedError {
  /// The message: what `localizedDescription` returns.
  public var errorDescription: String? { message }
  /// What to do about it, without the words of any program.
  public var recoverySuggestion: String? { recovery }
}

extension SealingError: LocalizedError {
  /// The message: what `localizedDescription` returns.
  public var errorDescription: String? { message }
}
