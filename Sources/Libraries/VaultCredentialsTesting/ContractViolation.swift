/// A rule of ``KeyringContract`` that a keyring breaks.
public struct ContractViolation: Error, Sendable, CustomStringConvertible {
  /// The rule that is broken.
  public let rule: KeyringContract.Rule
  /// One sentence that says what the keyring did; it never holds a secret.
  public let message: String

  /// The rule and the message.
  public var description: String { "\(rule.rawValue): \(message)" }
}
