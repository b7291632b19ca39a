/// A failure of sealing, opening or deriving keys.
///
/// The message never contains key material, plaintext or ciphertext.
///
/// ```swift
/// do {
///   _ = try AuthenticatedEncryption.open(sealed, key: key, context: [])
/// } catch let error as SealingError where error.code == .authenticationFailed {
///   print("damaged, or another key")
/// }
/// ```
public struct SealingError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure; stable across releases.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code's text, as in `--json` errors.
    public let rawValue: String

    /// Creates a code from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The bytes were changed, or sealed with another key or context.
    public static let authenticationFailed = Code(rawValue: "authentication-failed")
    /// A key, salt or nonce has the wrong length, or a cost is out of range.
    public static let invalidParameter = Code(rawValue: "invalid-parameter")
    /// The plaintext or context is larger than the limit.
    public static let tooLarge = Code(rawValue: "too-large")
    /// Memory for a secret or a password hash could not be allocated.
    public static let outOfMemory = Code(rawValue: "out-of-memory")
    /// libsodium could not be initialized.
    public static let unavailable = Code(rawValue: "unavailable")
  }

  /// The kind of failure.
  public let code: Code
  /// A sentence that describes the failure.
  public let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
