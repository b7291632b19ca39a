/// A failure to answer another program, to change its configuration, or to read a reference.
///
/// A message never holds a secret.
public struct ProtocolError: Error, Sendable, CustomStringConvertible {
  /// The kind of a failure; stable across releases.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code's text, as it stands in the command's `--json` errors.
    public let rawValue: String

    /// Creates a code from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The request, the name or the reference does not follow its grammar.
    public static let invalidRequest = Code(rawValue: "usage")
    /// git's description of a credential cannot be read.
    public static let invalidDescription = Code(rawValue: "invalid-description")
    /// No item answers the request.
    public static let itemNotFound = Code(rawValue: "item-not-found")
    /// Several users have a password for the service.
    public static let severalUsers = Code(rawValue: "several-users")
    /// The secret holds a line break, and the protocol has no place for one.
    public static let notALine = Code(rawValue: "not-a-line")
    /// The secret is not text, and text is needed.
    public static let notText = Code(rawValue: "not-text")
    /// The secret of an AWS profile is not text.
    public static let accessKeyNotText = Code(rawValue: "access-key-not-text")
    /// The item of an AWS profile has no access key ID.
    public static let noAccessKey = Code(rawValue: "no-access-key")
    /// The credentials have expired.
    public static let expired = Code(rawValue: "expired")
    /// The question of an askpass prompt is left unanswered.
    public static let askpassCancelled = Code(rawValue: "askpass-cancelled")
    /// The configuration names another helper already.
    public static let connectedOtherwise = Code(rawValue: "connected-otherwise")
    /// The lines that were written have been changed since.
    public static let connectionChanged = Code(rawValue: "connection-changed")
    /// The configuration is not in a form that can be changed safely.
    public static let configurationUnreadable = Code(rawValue: "configuration-unreadable")
  }

  /// A way out that a program can offer to a person.
  public enum Remedy: Sendable {
    /// Give an item this attribute.
    case setAttribute(String)
    /// Store the profile's keys, whose item needs this attribute.
    case storeProfile(attribute: String)
    /// Store new credentials for the profile.
    case storeNewCredentials
    /// Store a secret under this name.
    case setItem(String)
    /// Feed the output of AWS's own command.
    case exportProfile
    /// Name an item so that it answers, or give it the attribute that makes it answer.
    case markItem
    /// Add an item that answers, or mark one.
    case addItem
    /// Read the secret directly.
    case readSecret
    /// Use a line that Python's keyring has.
    case keyringLine
    /// Name the user in the address.
    case nameUser
    /// Take something out of the configuration, and connect again; the text follows the word
    /// "take".
    case takeOut(String)
    /// Do by hand what the text says.
    case editByHand(String)
    /// Choose one of these.
    case choose([String])
    /// Write a reference like `secret://work/github#user`.
    case exampleReference
    /// Write a template's reference in double braces.
    case exampleTemplate
    /// Ask for base64.
    case useBase64
    /// Give the item a secret that the form can hold.
    case setOtherSecret
  }

  /// The kind of failure.
  public let code: Code
  /// One sentence that says what happened.
  public let message: String
  /// A way out, if there is one.
  public let remedy: Remedy?

  init(_ code: Code, _ message: String, remedy: Remedy? = nil) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  /// Returns the error with a place before its message.
  package func prefixed(with place: String) -> ProtocolError {
    ProtocolError(code, "\(place): \(message)", remedy: remedy)
  }

  /// The message.
  public var description: String { message }
}
