/// What makes a text no seed of one-time codes; the seed itself is never repeated.
package struct OneTimeCodeError: Error, Equatable, Sendable {
  /// One sentence that says what is wrong.
  package let message: String
  /// One sentence that says what to do.
  package let hint: String

  init(_ message: String, hint: String = "an address looks like this: \(Self.example)") {
    self.message = message
    self.hint = hint
  }

  private static let example = "otpauth://totp/Example:me?secret=BASE32&issuer=Example"
}
