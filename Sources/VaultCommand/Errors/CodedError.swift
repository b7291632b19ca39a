import VaultCredentials
import VaultExchange
import VaultPreferences
import VaultSealing
import VaultStorage
import VaultTerminal

/// An error of a library, as ``ErrorReport`` reads it.
///
/// Each library has an error type of its own, with codes that have no exit status: that is the
/// command's business. The text of every code is one of ``CommandError/Code``'s raw values; a test
/// reads the libraries' sources and fails for one that is not.
protocol CodedError: Error {
  /// The code's stable text.
  var codeText: String { get }
  /// One sentence that says what happened.
  var message: String { get }
  /// One sentence that says what to do.
  var hint: String? { get }
}

extension CodedError {
  var hint: String? { nil }
}

extension CredentialError: CodedError {
  var codeText: String { code.rawValue }
}

extension PreferenceError: CodedError {
  var codeText: String { code.rawValue }
}

extension SealingError: CodedError {
  var codeText: String { code.rawValue }
}

extension StorageError: CodedError {
  var codeText: String { code.rawValue }

  var hint: String? {
    switch code {
    case .invalidQuery: "see: vault data schema STORE, and: vault help data fetch"
    case .unknownStore: "see: vault data stores"
    default: nil
    }
  }
}
