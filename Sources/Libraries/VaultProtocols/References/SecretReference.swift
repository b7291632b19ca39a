import VaultCredentials
import VaultSealing
import VaultStorage

/// A reference to a secret: `secret://NAME[?attribute=…&json=…&encoding=…&default=…][#FIELD]`, or
/// `secret://@VAULT/NAME` in another vault.
///
/// Names may hold slashes, so the field is the fragment. Percent-encoding as in RFC 3986.
public struct SecretReference: Hashable, Sendable {
  /// Something that a reference can ask for instead of the secret.
  public enum Attribute: String, CaseIterable, Sendable {
    /// The length and a short hash of the secret.
    case fingerprint
    /// The time when the secret expires.
    case expiry
    /// A one-time code.
    case otp
  }

  /// The beginning of every reference.
  public static let scheme = "secret://"

  /// The reference as it was written; for a bare name, the name.
  public let text: String
  /// The name of another vault.
  public var vaultName: String?
  /// The item's name, not checked yet.
  public var name: String
  /// The name of a further field.
  public var field: String?
  /// The attribute that is asked for instead of the secret.
  public var attribute: Attribute?
  /// A member of the JSON that the secret is, such as `a.b` or `list.0.name`, instead of all of it.
  public var member: String?
  /// The encoding of the result.
  public var encoding: SecretEncoding?
  /// The text to use if there is no such item or field.
  public var fallback: String?
  /// The variable that the name was given for; `nil` for a name that cannot be anything else.
  ///
  /// In other programs a value stands there, which may be a secret: it is not shown.
  package var variable: String?

  /// Reads a reference.
  ///
  /// - Parameter text: The reference.
  /// - Throws: ``ProtocolError`` with code `.invalidRequest`.
  public init(_ text: String) throws {
    self.text = text
    guard text.begins(with: Self.scheme) else {
      throw ProtocolError(
        .invalidRequest,
        "a reference begins with secret://", remedy: .exampleReference)
    }
    var rest = text.dropFirst(Self.scheme.count)
    if let hash = rest.unicodeScalars.firstIndex(of: "#") {
      field = try Self.decode(rest[rest.unicodeScalars.index(after: hash)...])
      rest = rest[..<hash]
      guard field?.isEmpty == false else {
        throw ProtocolError(
          .invalidRequest, "the reference names no field after '#'", remedy: .exampleReference)
      }
    }
    var query: Substring = ""
    if let mark = rest.unicodeScalars.firstIndex(of: "?") {
      query = rest[rest.unicodeScalars.index(after: mark)...]
      rest = rest[..<mark]
    }
    if rest.begins(with: "@") {
      guard let slash = rest.unicodeScalars.firstIndex(of: "/") else {
        throw ProtocolError(
          .invalidRequest, "the reference names a vault but no item")
      }
      vaultName = try Self.decode(rest[rest.index(after: rest.startIndex)..<slash])
      rest = rest[rest.unicodeScalars.index(after: slash)...]
    }
    name = try Self.decode(rest)
    guard !name.isEmpty else {
      throw ProtocolError(
        .invalidRequest, "the reference names no item")
    }
    for pair in query.parts(at: "&") { try take(pair) }
    guard member == nil || attribute == nil else {
      throw ProtocolError(
        .invalidRequest, "the reference asks for an attribute and for a member of the JSON",
        remedy: .choose(["attribute", "json"]))
    }
  }

  /// Creates a reference to an item's main secret.
  ///
  /// - Parameter name: The item's name.
  public init(name: String) {
    text = name
    self.name = name
  }

  /// The reference in full, with the vault; for a bare name, too.
  ///
  /// ``ReferenceText`` finds its end in other text.
  package var fullText: String {
    guard !text.begins(with: Self.scheme) else { return text }
    func encoded(_ text: String) -> String {
      PercentEncoding.encoded(text) { PercentEncoding.isUnreserved($0) || $0 == 0x2F }
    }
    let vault = vaultName.map { "@\(encoded($0))/" } ?? ""
    return Self.scheme + vault + encoded(name) + (field.map { "#\(encoded($0))" } ?? "")
  }

  /// The item and field, safe to show on a terminal.
  public var shownName: String {
    if let variable { return "… (of \(variable))" }
    // Also behind an equals sign.
    if let equals = name.utf8.firstIndex(of: 0x3D), equals != name.startIndex {
      return Quoting.visible("\(name[..<equals])=…")
    }
    return Quoting.visible(name) + (field.map { "#\(Quoting.visible($0))" } ?? "")
  }

  /// Reads a reference, or takes a text without the scheme for an item's name.
  ///
  /// - Parameter text: The name or reference.
  /// - Throws: ``ProtocolError`` with code `.invalidRequest`.
  public init(nameOrReference text: String) throws {
    self = text.begins(with: Self.scheme) ? try SecretReference(text) : SecretReference(name: text)
  }

  private mutating func take(_ pair: Substring) throws {
    let parts = pair.parts(at: "=", maxSplits: 1, keepsEmpty: true)
    let value = try parts.count == 2 ? Self.decode(parts[1]) : ""
    switch parts[0] {
    case "default": fallback = value
    case "json": member = value
    case "encoding":
      guard let known = SecretEncoding(rawValue: value) else {
        throw ProtocolError(
          .invalidRequest,
          "the reference asks for an unknown encoding",
          remedy: .choose(SecretEncoding.allCases.map(\.rawValue)))
      }
      encoding = known
    case "attribute":
      guard let known = Attribute(rawValue: value) else {
        throw ProtocolError(
          .invalidRequest,
          "the reference asks for an unknown attribute",
          remedy: .choose(Attribute.allCases.map(\.rawValue)))
      }
      attribute = known
    default:
      throw ProtocolError(
        .invalidRequest,
        "the reference has an unknown part after '?'",
        remedy: .choose(["attribute", "json", "encoding", "default"]))
    }
  }

  private static func decode(_ text: Substring) throws -> String {
    guard let bytes = PercentEncoding.decoded(text) else {
      throw ProtocolError(
        .invalidRequest, "the reference has a '%' without two hex digits")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ProtocolError(
        .invalidRequest, "the percent-decoded reference is not UTF-8")
    }
    return text
  }
}
