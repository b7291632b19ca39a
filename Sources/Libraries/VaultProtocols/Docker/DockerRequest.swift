public import VaultCredentials
public import VaultSealing
import VaultStorage

/// A request of docker or podman to its credential helper: `store`, `get`, `erase`, `list`,
/// `version`.
///
/// github.com/docker/docker-credential-helpers, `credentials/credentials.go`. Errors go to stdout,
/// and docker compares the texts of ``Refusal`` word by word.
public struct DockerRequest: CredentialRequest {
  /// A failure that docker recognizes by its text.
  public enum Refusal: String, Error {
    /// No item has credentials for the server.
    case notFound = "credentials not found in native keychain"
    /// The request names no server.
    case noServer = "no credentials server URL"
    /// The request names no user.
    case noUsername = "no credentials username"
  }

  /// The longest input that is read, in bytes.
  public static let inputLimit = 4 << 20

  private static let client = "docker"

  private enum Action {
    case store(server: String, username: String, SecretBytes)
    case get(server: String)
    case erase(server: String)
    case list
    case version(String)
  }

  private let action: Action

  /// Reads a request.
  ///
  /// - Parameters:
  ///   - action: The word that docker says.
  ///   - version: The helper's version, for the action `version`.
  ///   - input: The server, or for `store` an object with it; not read for the other actions.
  /// - Throws: ``Refusal``; ``ProtocolError`` with code `.invalidRequest`; what `input` throws.
  public init(
    _ action: String, version: String, input: @autoclosure () throws -> SecretBytes
  ) throws {
    switch action {
    case "store": self.action = try Self.storing(input())
    case "get": self.action = .get(server: try Self.server(input()))
    case "erase": self.action = .erase(server: try Self.server(input()))
    case "list": self.action = .list
    case "version": self.action = .version(version)
    default:
      throw Self.failure("docker-credential-vault: unknown action: \(Quoting.visible(action))")
    }
  }

  /// The access to a vault: created to store credentials.
  public var access: VaultAccess {
    switch action {
    case .store: .created
    case .get, .erase, .list: .ifExists
    case .version: .none
    }
  }

  /// The registry; `nil` where the request is for none.
  var place: String? {
    switch action {
    case .store(let server, _, _), .get(let server), .erase(let server): server
    case .list, .version: nil
    }
  }

  /// Returns docker's answer.
  ///
  /// - Parameter snapshot: The vault, if there is one.
  /// - Returns: The output as docker reads it, and the changes.
  /// - Throws: ``Refusal``; ``ProtocolError`` with code `.invalidRequest`; `CredentialError` with
  ///   code `.damaged`.
  public func response(in snapshot: VaultSnapshot?) throws -> CredentialResponse {
    switch action {
    case .store(let server, let username, let secret):
      let draft = try draft(server, username, secret, in: snapshot)
      return CredentialResponse(changes: draft.map { [.store($0)] } ?? [])
    case .get(let server):
      guard let snapshot, let item = Self.find(server, in: Self.items(of: snapshot)) else {
        throw Refusal.notFound
      }
      return CredentialResponse(
        output: try document(of: item, in: snapshot), uses: [.init(item)])
    case .erase(let server):
      // Docker's own helpers also succeed where there is nothing to erase, as in a logout of an
      // unknown host.
      let item = snapshot.flatMap { Self.find(server, in: Self.items(of: $0)) }
      return CredentialResponse(changes: item.map { [.remove($0)] } ?? [])
    case .list:
      let items = snapshot.map(Self.items) ?? []
      return CredentialResponse(output: try RequestObject.text(Self.users(in: items)))
    case .version(let version):
      return CredentialResponse(
        output: try SecretBytes(text: "docker-credential-vault (vault) v\(version)\n"))
    }
  }

  static func failure(_ message: String) -> ProtocolError {
    ProtocolError(.invalidRequest, message)
  }

  // MARK: Requests

  private static func storing(_ input: SecretBytes) throws -> Action {
    let (server, username, secret): (String?, String?, String?)
    do {
      let object = try RequestObject(input)
      server = try object.textIfAny("ServerURL")
      username = try object.textIfAny("Username")
      secret = try object.textIfAny("Secret")
    } catch {
      throw failure("the credentials on stdin are not a JSON object with ServerURL")
    }
    guard let server, !server.isEmpty else { throw Refusal.noServer }
    guard let username, !username.isEmpty else { throw Refusal.noUsername }
    guard ServiceCredential.isPlain(server), ServiceCredential.isPlain(username) else {
      throw failure("the server or the user name holds a control character")
    }
    return .store(
      server: server, username: username, try SecretBytes(text: secret ?? ""))
  }

  /// Returns the server's address, trimmed as docker's own helpers do it.
  private static func server(_ input: SecretBytes) throws -> String {
    guard let text = input.text else { throw failure("the server on stdin is not UTF-8") }
    let blanks: Set<Unicode.Scalar> = [" ", "\t", "\r", "\n"]
    let scalars = text.unicodeScalars
    let trimmed = String(
      String.UnicodeScalarView(
        scalars.drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed()))
    guard !trimmed.isEmpty else { throw Refusal.noServer }
    guard ServiceCredential.isPlain(trimmed) else {
      throw failure("the server on stdin holds a control character")
    }
    return trimmed
  }

  // MARK: Responses

  /// Returns the item to store; `nil` if it is there already.
  private func draft(
    _ server: String, _ username: String, _ secret: SecretBytes, in snapshot: VaultSnapshot?
  ) throws -> ItemDraft? {
    let known = snapshot.flatMap { Self.find(server, in: Self.items(of: $0)) }
    if let known, let snapshot,
      ServiceCredential.isSame(known.attributes[ServiceCredential.account], username),
      ServiceCredential.isSame(known.attributes[ServiceCredential.server], server),
      try snapshot.secret(of: known).bytes.isEqual(to: secret)
    {
      return nil
    }
    var changes = ItemChanges()
    changes.kind = .login
    changes.attributes = [
      ServiceCredential.client: Self.client, ServiceCredential.server: server,
      ServiceCredential.account: username,
    ]
    let name =
      try known?.name
      ?? ServiceCredential.freeName(
        ServiceCredential.name([Self.client] + Self.parts(server)), in: snapshot)
    return ItemDraft(name, main: secret, changes: changes)
  }

  private func document(of item: Item, in snapshot: VaultSnapshot) throws -> SecretBytes {
    guard let secret = try snapshot.secret(of: item).text else {
      throw Self.failure("the stored secret is not text")
    }
    return try RequestObject.text([
      ("Secret", .string(secret)),
      ("ServerURL", .optional(item.attributes[ServiceCredential.server])),
      ("Username", .string(item.attributes[ServiceCredential.account] ?? "")),
    ])
  }

  private static func users(in items: [Item]) -> [(String, JSONValue)] {
    var users: [String: String] = [:]
    for item in items {
      guard let server = item.attributes[ServiceCredential.server] else { continue }
      users[server] = item.attributes[ServiceCredential.account] ?? ""
    }
    return users.map { ($0.key, .string($0.value)) }
  }

  // MARK: Servers

  /// The items that docker stores.
  private static func items(of snapshot: VaultSnapshot) -> [Item] {
    var query = ItemQuery()
    query.attributes = [ServiceCredential.client: client]
    return snapshot.items(matching: query)
  }

  /// Returns the item of a server: with the same text, or else with another case of the host.
  private static func find(_ server: String, in all: [Item]) -> Item? {
    let same = all.filter {
      ServiceCredential.isSame($0.attributes[ServiceCredential.server], server)
    }
    if let found = same.newest { return found }
    return all.filter {
      guard let stored = $0.attributes[ServiceCredential.server] else { return false }
      return ServiceCredential.isSame(withLowercaseHost(stored), withLowercaseHost(server))
    }.newest
  }

  private static func withLowercaseHost(_ server: String) -> String {
    let start = server.firstRange(ofBytes: "://")?.upperBound ?? server.startIndex
    let end = server[start...].unicodeScalars.firstIndex(of: "/") ?? server.endIndex
    return server[..<start].lowercased() + server[start..<end].lowercased() + server[end...]
  }

  /// Returns the parts of an item's name, without `https://`.
  private static func parts(_ server: String) -> [String] {
    let rest = server.begins(with: "https://") ? String(server.dropFirst(8)) : server
    return rest.parts(at: "/").map(String.init)
  }
}
