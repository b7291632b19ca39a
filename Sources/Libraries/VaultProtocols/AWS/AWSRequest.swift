import FoundationEssentials
public import VaultCredentials
public import VaultSealing
import VaultStorage

/// A request of AWS's `credential_process`: the keys of a profile as the SDKs read them.
///
/// docs.aws.amazon.com/sdkref/latest/guide/feature-process-credentials.html. The item is
/// `aws/PROFILE`, and its main secret is the secret access key.
public struct AWSRequest: CredentialRequest {
  /// The longest input that is read, in bytes.
  public static let inputLimit = 1 << 20
  /// The name of the attribute that holds the access key ID.
  public static let keyAttribute = "access-key-id"

  private static let client = "aws"
  private static let accountAttribute = "account-id"
  private static let tokenField = "session-token"

  private struct Credentials {
    static let version = "1"

    var accessKeyId: String
    var secretAccessKey: String
    var sessionToken: String?
    var expiration: String?
    var accountId: String?
  }

  private enum Action {
    case get(ItemName)
    case store(ItemDraft)
    case erase(ItemName)
  }

  private let action: Action

  private init(_ action: Action) { self.action = action }

  /// Asks for the keys of a profile.
  ///
  /// - Parameter profile: The name of the profile.
  /// - Returns: The request.
  /// - Throws: `CredentialError` with code `.invalidName`.
  public static func get(profile: String) throws -> AWSRequest {
    AWSRequest(.get(try itemName(profile)))
  }

  /// Removes the keys of a profile.
  ///
  /// - Parameter profile: The name of the profile.
  /// - Returns: The request.
  /// - Throws: `CredentialError` with code `.invalidName`.
  public static func erase(profile: String) throws -> AWSRequest {
    AWSRequest(.erase(try itemName(profile)))
  }

  /// Stores the keys of a profile.
  ///
  /// - Parameters:
  ///   - profile: The name of the profile.
  ///   - input: An object in the form of `credential_process`, as printed by
  ///     `aws configure export-credentials`.
  /// - Returns: The request.
  /// - Throws: ``ProtocolError`` with code `.invalidRequest`; `CredentialError` with code
  ///   `.invalidName`.
  public static func store(profile: String, input: SecretBytes) throws -> AWSRequest {
    AWSRequest(.store(try draft(try itemName(profile), input)))
  }

  /// The access to a vault: created to store keys.
  public var access: VaultAccess { if case .store = action { .created } else { .required } }

  /// Returns the answer.
  ///
  /// - Parameter snapshot: The vault.
  /// - Returns: The object that the SDKs read, and the changes.
  /// - Throws: ``ProtocolError`` with code `.itemNotFound`, `.noAccessKey`, `.expired`,
  ///   `.accessKeyNotText`; `CredentialError` with code `.itemNotFound`, `.damaged`.
  public func response(in snapshot: VaultSnapshot?) throws -> CredentialResponse {
    switch action {
    case .get(let name):
      guard let snapshot, let item = snapshot[name] else {
        throw ProtocolError(
          .itemNotFound, "there is no item for this profile",
          remedy: .storeProfile(attribute: Self.keyAttribute))
      }
      let credentials = try credentials(of: item, in: snapshot)
      return CredentialResponse(
        output: try Self.document(credentials),
        uses: [.init(item)]
          + (credentials.sessionToken == nil ? [] : [.init(item, field: Self.tokenField)]))
    case .store(let draft): return CredentialResponse(changes: [.store(draft)])
    case .erase(let name):
      // As of the other helpers: what is not stored is erased.
      return CredentialResponse(changes: snapshot?[name].map { [.remove($0)] } ?? [])
    }
  }

  private static func itemName(_ profile: String) throws -> ItemName {
    try ItemName(ServiceCredential.name([client, profile]))
  }

  private func credentials(of item: Item, in snapshot: VaultSnapshot) throws -> Credentials {
    guard let key = item.attributes[Self.keyAttribute], !key.isEmpty else {
      throw ProtocolError(
        .noAccessKey, "the item of the profile has no access key id",
        remedy: .setAttribute(Self.keyAttribute))
    }
    // Without an expiry the SDKs never ask again, so an expired key must not be an answer.
    if let expires = item.expires, expires <= Date() {
      throw ProtocolError(
        .expired, "the credentials of the profile have expired", remedy: .storeNewCredentials)
    }
    guard let secret = try snapshot.secret(of: item).text else { throw Self.notText() }
    var token: String?
    if let bytes = try snapshot.secretIfAny(of: item, field: Self.tokenField) {
      guard let text = bytes.text else { throw Self.notText() }
      token = text
    }
    return Credentials(
      accessKeyId: key, secretAccessKey: secret, sessionToken: token,
      expiration: item.expires.map(Timestamp.text),
      accountId: item.attributes[Self.accountAttribute])
  }

  private static func notText() -> ProtocolError {
    ProtocolError(.accessKeyNotText, "the keys of the profile are not text")
  }

  private static func document(_ credentials: Credentials) throws -> SecretBytes {
    try RequestObject.text([
      ("AccessKeyId", .string(credentials.accessKeyId)),
      ("AccountId", .optional(credentials.accountId)),
      ("Expiration", .optional(credentials.expiration)),
      ("SecretAccessKey", .string(credentials.secretAccessKey)),
      ("SessionToken", .optional(credentials.sessionToken)),
      ("Version", .number(digits: Credentials.version)),
    ])
  }

  private static func draft(_ name: ItemName, _ input: SecretBytes) throws -> ItemDraft {
    let given: Credentials
    let version: String
    do {
      let document = try RequestObject(input)
      // What `aws sts assume-role` and its like print has no version.
      let nested = try document.objectIfAny("Credentials")
      let object = nested ?? document
      version = try nested == nil ? object.number("Version") : Credentials.version
      given = Credentials(
        accessKeyId: try object.text("AccessKeyId"),
        secretAccessKey: try object.text("SecretAccessKey"),
        sessionToken: try object.textIfAny("SessionToken"),
        expiration: try object.textIfAny("Expiration"),
        accountId: try object.textIfAny("AccountId"))
    } catch {
      throw ProtocolError(
        .invalidRequest, "stdin has no credentials in the format of credential_process",
        remedy: .exportProfile)
    }
    guard version == Credentials.version, !given.accessKeyId.isEmpty,
      ServiceCredential.isPlain(given.accessKeyId)
    else {
      throw ProtocolError(
        .invalidRequest, "the credentials are of another version, or have no access key id")
    }
    var changes = ItemChanges()
    changes.kind = .token
    changes.expires = .some(try given.expiration.map(expiry))
    var attributes = [ServiceCredential.client: client, keyAttribute: given.accessKeyId]
    attributes[accountAttribute] = given.accountId
    changes.attributes = attributes
    var fields: [String: SecretBytes] = [:]
    fields[tokenField] = try given.sessionToken.map { try SecretBytes(text: $0) }
    return ItemDraft(
      name, main: try SecretBytes(text: given.secretAccessKey), fields: fields, changes: changes)
  }

  private static func expiry(_ text: String) throws -> Date {
    // `+00:00` is what AWS's command writes for UTC.
    let utc = text.ends(with: "+00:00") ? "\(text.dropLast(6))Z" : text
    guard let date = Timestamp.absolute(utc) else {
      throw ProtocolError(
        .invalidRequest, "the expiry time is not in UTC, such as 2026-11-21T12:00:00Z")
    }
    return date
  }
}
