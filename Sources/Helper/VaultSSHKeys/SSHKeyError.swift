/// A failure with a key of ssh.
package struct SSHKeyError: Error, Equatable {
  /// What is wrong.
  package enum Code: String, Sendable {
    /// It is no key, or a damaged one.
    case notAKey = "ssh-not-a-key"
    /// A kind of key that is not known here, such as DSA or one on a token.
    case unsupported = "ssh-key-unsupported"
    /// It needs a passphrase.
    case encrypted = "ssh-key-encrypted"
    /// The passphrase is not the key's.
    case wrongPassphrase = "ssh-key-wrong-passphrase"
    /// The signature that was asked for is not made: SHA-1.
    case weakSignature = "ssh-weak-signature"
    /// The library has failed.
    case failed = "ssh-key-failed"
  }

  package let code: Code
  /// One sentence, without anything of the key.
  package let message: String

  package init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

  static let damaged = SSHKeyError(.notAKey, "the key is damaged: its parts do not fit together")
}
