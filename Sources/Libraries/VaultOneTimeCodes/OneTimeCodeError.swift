/// The reason why a text is not a seed of one-time codes; never contains the seed.
package struct OneTimeCodeError: Error, Equatable, Sendable {
  /// A sentence that describes the problem.
  package let message: String
  /// A sentence that says what to do.
  package let hint: String

  init(_ message: String, hint: String = "an address looks like this: \(Self.example)") {
    self.message = message
    self.hint = hint
  }

  private static let example = "otpauth://totp/Example:me?secret=BASE32&issuer=Example"
}
