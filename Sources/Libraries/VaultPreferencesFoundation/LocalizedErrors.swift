public import Foundation
public import VaultPreferences
import VaultStorageFoundation

extension PreferenceError: LocalizedError {
  /// The message: what `localizedDescription` returns.
  public var errorDescription: String? { message }
  /// What to do about it, without the words of any program.
  public var recoverySuggestion: String? { recovery }
}
