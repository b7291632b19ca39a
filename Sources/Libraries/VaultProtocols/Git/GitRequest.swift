import FoundationEssentials
public import VaultCredentials
public import VaultSealing
import VaultStorage

/// A request of git to its credential helper: `get`, `store`, `erase`, `capability`.
///
/// gitcredentials(7); the matching follows git's own helper, builtin/credential-store.c.
public struct GitRequest: CredentialRequest {
  /// The longest input that is read, in bytes.
  public static let inputLimit = 4 << 20

  static let client = "git"
  static let scheme = "protocol"
  /// The attribute of an item that is for http, too: of a `.netrc` file, which names no protocol.
  static let anyScheme = "netrc"
  static let path = "path"
  private static let authtype = "authtype"
  private static let refreshToken = "oauth_refresh_token"
  private static let stateKey = "state[]"
  private static let statePrefix = "vault:"

  private enum Action {
    case get(GitDescription)
    case store(GitSubject, NewCredential)
    case erase(GitDescription)
    case capability
    case ignored
  }

  /// A credential that git asks to store.
  private struct NewCredential: Sendable {
    let secret: SecretBytes
    let refreshToken: SecretBytes?
    let expires: Date?
    let authtype: String?
  }

  private let action: Action

  /// Reads a request.
  ///
  /// - Parameters:
  ///   - action: The word that git says; unknown ones are ignored, as gitcredentials(7) asks.
  ///   - input: git's description; not read for actions without one.
  /// - Throws: ``ProtocolError`` with code `.invalidDescription`; what `input` throws.
  public init(_ action: String, input: @autoclosure () throws -> SecretBytes) throws {
    switch action {
    case "capability": self.action = .capability
    case "get": self.action = .get(try GitDescription(input()))
    case "store": self.action = try Self.storing(GitDescription(input()))
    case "erase": self.action = .erase(try GitDescription(input()))
    default: self.action = .ignored
    }
  }

  /// The access to a vault: created for a credential that is worth storing.
  public var access: VaultAccess {
    switch action {
    case .get(let description), .erase(let description):
      GitSubject(description) == nil ? .none : .ifExists
    case .store: .created
    case .capability, .ignored: .none
    }
  }

  /// The remote, as far as git says it; `nil` if it names none.
  var place: String? {
    switch action {
    case .get(let description), .erase(let description): GitSubject(description)?.place
    case .store(let subject, _): subject.place
    case .capability, .ignored: nil
    }
  }

  /// Returns git's answer.
  ///
  /// - Parameter snapshot: The vault, if there is one.
  /// - Returns: The credential as git reads it, and the changes.
  /// - Throws: ``ProtocolError`` with code `.notALine`; `CredentialError` with code `.damaged`.
  public func response(in snapshot: VaultSnapshot?) throws -> CredentialResponse {
    switch action {
    case .ignored: return CredentialResponse()
    case .capability:
      return CredentialResponse(
        output: try SecretBytes(text: "version 0\ncapability authtype\ncapability state\n"))
    case .get(let description):
      return try snapshot.map { try get(description, in: $0) } ?? CredentialResponse()
    case .store(let subject, let new):
      let draft = try draft(of: new, for: subject, in: snapshot)
      return CredentialResponse(changes: draft.map { [.store($0)] } ?? [])
    case .erase(let description):
      let items = try snapshot.map { try rejected(by: description, in: $0) } ?? []
      return CredentialResponse(changes: items.map { .remove($0) })
    }
  }

  // MARK: get

  private func get(
    _ description: GitDescription, in snapshot: VaultSnapshot
  ) throws -> CredentialResponse {
    guard let subject = GitSubject(description) else { return CredentialResponse() }
    let capabilities = description.lists["capability[]"] ?? []
    let items = snapshot.items(matching: subject.query).filter { item in
      item.attributes[Self.authtype] == nil || capabilities.contains("authtype")
    }
    let best = subject.best(of: items) ?? subject.ofAnyScheme?.best(in: snapshot)
    return try best.flatMap { try answer(for: $0, capabilities, in: snapshot) }
      ?? subject.tokenOfGitHub(in: snapshot).map { try answer(forToken: $0, in: snapshot) }
      ?? CredentialResponse()
  }

  /// A token of gh's, which gh itself gives to git: `gh auth git-credential`.
  private func answer(
    forToken item: Item, in snapshot: VaultSnapshot
  ) throws -> CredentialResponse {
    let token = try snapshot.secret(of: item).bytes
    guard ServiceCredential.isLine(token) else { throw Self.notALine() }
    // The item of the active user is called by its name; beside a token the login counts for nothing.
    let parts = item.name.text.parts(at: "/").map(String.init)
    let named = parts.count == 3 && parts[0] == "gh" ? parts[2] : "x-access-token"
    let name = item.attributes[GitSubject.tokenUser] ?? ""
    let user = name.isEmpty ? named : name
    return CredentialResponse(
      output: try SecretBytes.joined([
        SecretBytes(text: "username=\(user)\npassword="), token, SecretBytes(text: "\n"),
      ]),
      uses: [.init(item)])
  }

  private func answer(
    for item: Item, _ capabilities: [String], in snapshot: VaultSnapshot
  ) throws -> CredentialResponse? {
    var parts: [SecretBytes] = []
    var uses: [CredentialResponse.Use] = []
    func put(_ key: String, _ value: String) throws {
      guard ServiceCredential.isPlain(value) else { throw Self.notALine() }
      parts.append(try SecretBytes(text: "\(key)=\(value)\n"))
    }
    func put(_ key: String, _ value: SecretBytes) throws {
      guard ServiceCredential.isLine(value) else { throw Self.notALine() }
      parts += [try SecretBytes(text: "\(key)="), value, try SecretBytes(text: "\n")]
    }
    for known in ["authtype", "state"] where capabilities.contains(known) {
      try put("capability[]", known)
    }
    let isExpired = item.expires.map { $0 <= Date() } ?? false
    if let authtype = item.attributes[Self.authtype] {
      guard !isExpired else { return nil }
      try put("authtype", authtype)
      try put("credential", try snapshot.secret(of: item).bytes)
      uses.append(.init(item))
    } else {
      if let account = item.attributes[ServiceCredential.account] { try put("username", account) }
      if !isExpired {
        try put("password", try snapshot.secret(of: item).bytes)
        uses.append(.init(item))
      }
      if let token = try snapshot.secretIfAny(of: item, field: Self.refreshToken) {
        try put(Self.refreshToken, token)
        uses.append(.init(item, field: Self.refreshToken))
      } else if isExpired {
        return nil
      }
    }
    if let expires = item.expires, !isExpired {
      try put("password_expiry_utc", String(Int64(expires.timeIntervalSince1970)))
    }
    if capabilities.contains("state") { try put(Self.stateKey, Self.statePrefix + item.id) }
    return CredentialResponse(output: try SecretBytes.joined(parts), uses: uses)
  }

  private static func notALine() -> ProtocolError {
    ProtocolError(
      .notALine,
      "the credential holds a line break or a control character, which git cannot take",
      remedy: .readSecret)
  }

  // MARK: store

  /// Returns what git asks to store, or `.ignored` if it is not to be kept.
  private static func storing(_ description: GitDescription) throws -> Action {
    guard let subject = GitSubject(description) else { return .ignored }
    // git-credential(1): an ephemeral credential must not be saved.
    if ["1", "true"].contains(description["ephemeral"]) { return .ignored }
    let secret: SecretBytes
    if let authtype = description["authtype"], let value = description.secrets["credential"] {
      guard !authtype.isEmpty else { return .ignored }
      secret = value
    } else if let password = description.secrets["password"], subject.username != nil {
      secret = password
    } else {
      return .ignored
    }
    let expires = expiry(of: description)
    if let expires, expires <= Date() { return .ignored }
    return .store(
      subject,
      NewCredential(
        secret: secret, refreshToken: description.secrets[refreshToken], expires: expires,
        authtype: description["authtype"]))
  }

  /// Returns the item to store; `nil` if it is there already.
  private func draft(
    of new: NewCredential, for subject: GitSubject, in snapshot: VaultSnapshot?
  ) throws -> ItemDraft? {
    let known = snapshot?.items(matching: subject.query).filter(subject.isExactly).newest
    if let known, let snapshot, try isUnchanged(known, new, in: snapshot) { return nil }
    var changes = ItemChanges()
    changes.kind = new.authtype == nil ? .internetPassword : .token
    changes.attributes = attributes(of: subject, new.authtype)
    changes.expires = .some(new.expires)
    let name =
      try known?.name ?? ServiceCredential.freeName(Self.name(of: subject), in: snapshot)
    var fields: [String: SecretBytes] = [:]
    fields[Self.refreshToken] = new.refreshToken
    return ItemDraft(name, main: new.secret, fields: fields, changes: changes)
  }

  private static func expiry(of description: GitDescription) -> Date? {
    guard let text = description["password_expiry_utc"], let seconds = Int64(text) else {
      return nil
    }
    // git writes the largest number for "never".
    return seconds > 253_402_300_799 ? nil : Date(timeIntervalSince1970: Double(seconds))
  }

  /// git stores a credential after every use of it; that is not worth a new version.
  private func isUnchanged(
    _ item: Item, _ new: NewCredential, in snapshot: VaultSnapshot
  ) throws -> Bool {
    let token = try snapshot.secretIfAny(of: item, field: Self.refreshToken)
    let hasSameToken =
      switch (token, new.refreshToken) {
      case (nil, nil): true
      case (let old?, let new?): old.isEqual(to: new)
      default: false
      }
    guard hasSameToken, item.expires == new.expires,
      ServiceCredential.isSame(item.attributes[Self.authtype], new.authtype)
    else { return false }
    return try snapshot.secret(of: item).bytes.isEqual(to: new.secret)
  }

  private func attributes(of subject: GitSubject, _ authtype: String?) -> [String: String] {
    var attributes = [
      ServiceCredential.client: Self.client, Self.scheme: subject.scheme,
      ServiceCredential.server: subject.host,
    ]
    attributes[Self.path] = subject.path
    attributes[ServiceCredential.account] = subject.username
    attributes[Self.authtype] = authtype
    return attributes
  }

  /// `git/github.com/david`, and the protocol where it is not https, and the path where there is
  /// one.
  private static func name(of subject: GitSubject) -> String {
    var parts = [client, subject.host]
    if subject.scheme != "https" { parts.insert(subject.scheme, at: 1) }
    if let username = subject.username, !username.isEmpty { parts.append(username) }
    if let path = subject.path { parts += path.parts(at: "/").map(String.init) }
    return ServiceCredential.name(parts)
  }

  // MARK: erase

  private func rejected(
    by description: GitDescription, in snapshot: VaultSnapshot
  ) throws -> [Item] {
    guard let subject = GitSubject(description) else { return [] }
    let sent = description.secrets["password"] ?? description.secrets["credential"]
    let state = (description.lists[Self.stateKey] ?? []).filter {
      $0.begins(with: Self.statePrefix)
    }
    return try snapshot.items(matching: subject.query).filter { item in
      guard subject.matches(item) else { return false }
      if !state.isEmpty, !state.contains(Self.statePrefix + item.id) { return false }
      // A newer password, stored by another process meanwhile, is not the one that was rejected.
      guard let sent else { return true }
      return try snapshot.secret(of: item).bytes.isEqual(to: sent)
    }
  }
}
