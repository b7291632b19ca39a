public import VaultCredentials
public import VaultSealing

/// A request to Python's `keyring` as pip, uv and twine make it.
///
/// pip's subprocess provider: pip/_internal/network/auth.py; uv: uv-auth/src/keyring.rs.
public struct KeyringRequest: CredentialRequest {
  /// The longest input that is read, in bytes.
  public static let inputLimit = 1 << 20

  private static let client = "keyring"
  /// The service of published copies, in which an account is an item's name.
  private static let ownService = "vault"

  private let line: KeyringLine
  private let secret: SecretBytes?

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - line: The line that the program runs.
  ///   - secret: The new password, for the action `set`.
  public init(_ line: KeyringLine, secret: SecretBytes? = nil) {
    self.line = line
    self.secret = secret
  }

  /// The items that are stored for programs that ask `keyring`.
  package static func items(in snapshot: VaultSnapshot) -> [Item] {
    var query = ItemQuery()
    query.attributes = [ServiceCredential.client: client]
    return snapshot.items(matching: query)
  }

  /// Whether a line reads a password of another program's service: by the vault's own one, any item
  /// could be read, whatever program it is for.
  package static func readsOthers(_ line: KeyringLine) -> Bool {
    line.action == .get && line.service != ownService
  }

  /// The service, for the log.
  var place: String? { ApprovalQuestion.bounded(line.service) }

  /// The access to a vault: created to store a password.
  public var access: VaultAccess { line.action == .set ? .created : .ifExists }

  /// Returns the answer.
  ///
  /// - Parameter snapshot: The vault, if there is one.
  /// - Returns: The password, perhaps behind the user's name, or the changes.
  /// - Throws: ``ProtocolError`` with code `.itemNotFound`, `.severalUsers`, `.notALine`;
  ///   `CredentialError` with code `.invalidName`, `.damaged`.
  public func response(in snapshot: VaultSnapshot?) throws -> CredentialResponse {
    switch line.action {
    case .get:
      guard let snapshot, let item = try find(in: snapshot) else {
        // keyring(1) prints nothing if there is nothing.
        return CredentialResponse(isNegative: true)
      }
      return CredentialResponse(
        output: try answer(for: item, in: snapshot), uses: [.init(item)])
    case .set: return CredentialResponse(changes: try storing(in: snapshot))
    case .del:
      guard let snapshot, let item = try find(in: snapshot) else {
        throw ProtocolError(.itemNotFound, "there is no such password")
      }
      return CredentialResponse(changes: [.remove(item)])
    }
  }

  private func answer(for item: Item, in snapshot: VaultSnapshot) throws -> SecretBytes {
    let secret = try snapshot.secret(of: item).bytes
    let newline = try SecretBytes(text: "\n")
    guard line.wantsBoth else { return try SecretBytes.joined([secret, newline]) }
    let username =
      line.service == Self.ownService
      ? item.name.text : item.attributes[ServiceCredential.account] ?? ""
    guard ServiceCredential.isPlain(username), ServiceCredential.isLine(secret) else {
      throw ProtocolError(.notALine, "the user or the password holds a line break")
    }
    return try SecretBytes.joined([SecretBytes(text: username + "\n"), secret, newline])
  }

  private func storing(in snapshot: VaultSnapshot?) throws -> [CredentialResponse.Change] {
    guard let username = line.username, let secret else { return [] }
    if line.service == Self.ownService { return [.set(try ItemName(username), Secret(secret))] }
    var changes = ItemChanges()
    changes.kind = .genericPassword
    changes.attributes = [
      ServiceCredential.client: Self.client, ServiceCredential.service: line.service,
      ServiceCredential.account: username,
    ]
    let known = try snapshot.flatMap { try find(in: $0) }
    let name =
      try known?.name
      ?? ServiceCredential.freeName(
        ServiceCredential.name([Self.client, line.service, username]), in: snapshot)
    return [.store(ItemDraft(name, main: secret, changes: changes))]
  }

  /// Returns the item of a service and a user; without a user, the only one of the service.
  private func find(in snapshot: VaultSnapshot) throws -> Item? {
    if line.service == Self.ownService, let username = line.username {
      return (try? ItemName(username)).flatMap { snapshot[$0] }
    }
    var query = ItemQuery()
    query.attributes = [
      ServiceCredential.client: Self.client, ServiceCredential.service: line.service,
    ]
    query.attributes[ServiceCredential.account] = line.username
    let found = snapshot.items(matching: query)
    guard line.username != nil || found.count <= 1 else {
      throw ProtocolError(
        .severalUsers, "there are several users of this service", remedy: .nameUser)
    }
    return found.newest
  }
}
