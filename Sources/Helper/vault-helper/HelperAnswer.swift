import Glibc
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultTerminal

/// What the helper says to the command that waits for it: two lines, a word and what follows it.
enum HelperAnswer {
  /// Writes an answer, and closes the pipe.
  static func write(_ kind: String, _ text: String, to descriptor: Int32) {
    // A command that is gone by now wants no answer.
    try? Array("\(kind)\n\(text)".utf8).withRawSpan { try System.writeAll(descriptor, $0) }
    close(descriptor)
  }

  /// Writes why it has failed, and closes the pipe.
  static func write(_ error: any Error, to descriptor: Int32) {
    let (code, message) = words(of: error)
    write(code, message, to: descriptor)
  }

  /// An error's code, and its words.
  static func words(of error: any Error) -> (code: String, message: String) {
    switch error {
    case let error as CredentialError: (error.code.rawValue, error.message)
    case let error as HelperFailure:
      (CredentialError.Code.keyringUnavailable.rawValue, error.message)
    default: ("unexpected", "the helper has failed")
    }
  }
}
