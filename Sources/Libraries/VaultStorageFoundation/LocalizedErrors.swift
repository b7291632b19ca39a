public import Foundation
public import VaultStorage

// All libraries throw it, and a conformance can be declared once only.

extension StorageError: LocalizedError {
  /// The message: what `localizedDescription` returns.
  public var errorDescription: String? { message }
  /// What to do about it, without the words of any program.
  public var recoverySuggestion: String? { recovery }
}
