import FoundationEssentials
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultTerminal

/// git's credential helper: `get`, `store`, `erase`, `capability`.
///
/// gitcredentials(7); the matching is that of git's own helper: builtin/credential-store.c.
struct GitHelper {
  let settings: VaultSettings

  static let client = "git"
  private static let scheme = "protocol"
  private static let path = "path"
  private static let authtype = "authtype"
  private static let refreshToken = "oauth_refresh_token"
  private static let stateKey = "state[]"
  private static let statePrefix = "vault:"
  private static let inputLimit = 4 << 20

  func run(_ words: [String]) throws {
    switch words.last {
    case "capability":
      try StandardOutput.write("version 0\ncapability authtype\ncapability state\n")
    case "get": try get(try description())
    case "store": try store(try description())
    case "erase": try erase(try description())
    // gitcredentials(7): operations to come are to be ignored in silence.
    default: return
    }
  }

  private func description() throws -> GitDescription {
    try GitDescription(try SecretInput.read(0, limit: Self.inputLimit))
  }

  /// Which credentials are meant; `nil` where the description says too little.
  struct Subject {
    let scheme: String
    let host: String
    let path: String?
    let username: String?

    init?(_ description: GitDescription) {
      guard let scheme = description["protocol"], !scheme.isEmpty,
        let host = description["host"], !host.isEmpty
      else { return nil }
      self.init(
        scheme: scheme, host: host, path: description["path"], username: description["username"])
    }

    init(scheme: String, host: String, path: String?, username: String?) {
      self.scheme = scheme
      self.host = host
      self.path = path.flatMap { $0.isEmpty ? nil : $0 }
      self.username = username
    }

    /// Whether an item is one of those that are meant: what was sent must be the same.
    func matches(_ item: Item) -> Bool {
      guard isOfServer(item) else { return false }
      if let path, !ServiceCredential.isSame(item.attributes[GitHelper.path], path) { return false }
      if let username,
        !ServiceCredential.isSame(item.attributes[ServiceCredential.account], username)
      {
        return false
      }
      return true
    }

    /// Whether an item is the one that is to be replaced: the same also in what was not sent.
    func isExactly(_ item: Item) -> Bool {
      isOfServer(item) && ServiceCredential.isSame(item.attributes[GitHelper.path], path)
        && ServiceCredential.isSame(item.attributes[ServiceCredential.account], username)
    }

    private func isOfServer(_ item: Item) -> Bool {
      ServiceCredential.has(
        item,
        [
          (ServiceCredential.client, GitHelper.client), (GitHelper.scheme, scheme),
          (ServiceCredential.server, host),
        ])
    }

    /// The credential to offer: one for every path before one for a single one, then the newest.
    func best(of items: [Item]) -> Item? {
      let found = items.filter(matches)
      let general = found.filter { $0.attributes[GitHelper.path] == nil }
      return ServiceCredential.newest(path == nil && !general.isEmpty ? general : found)
    }
  }

  // MARK: get

  private func get(_ description: GitDescription) throws {
    guard let subject = Subject(description) else { return }
    let answer = try quittingIfCancelled { vault in
      let items = try vault.items().filter { item in
        item.attributes[Self.authtype] == nil || capabilities(of: description).contains("authtype")
      }
      return try subject.best(of: items).map { try self.answer(for: $0, description, vault) }
    }
    if let answer = answer ?? nil { try StandardOutput.write(answer) }
  }

  /// If the user cancels our prompt, stops git from prompting too: git-credential(1), `quit`.
  private func quittingIfCancelled<Result>(
    _ body: (UnlockedVault.Blocking) throws -> Result
  ) throws -> Result? {
    do {
      return try settings.withVaultIfAny(body)
    } catch let error as TerminalError where error.code == .cancelled {
      try StandardOutput.write("quit=1\n")
      throw error
    }
  }

  private func capabilities(of description: GitDescription) -> [String] {
    description.lists["capability[]"] ?? []
  }

  private func answer(
    for item: Item, _ description: GitDescription, _ vault: UnlockedVault.Blocking
  ) throws -> SecretBytes {
    let capabilities = capabilities(of: description)
    var parts: [SecretBytes] = []
    func put(_ key: String, _ value: String) throws {
      guard ServiceCredential.isPlain(value) else { throw Self.notALine() }
      parts.append(try ServiceCredential.bytes("\(key)=\(value)\n"))
    }
    func put(_ key: String, _ value: SecretBytes) throws {
      guard ServiceCredential.isLine(value) else { throw Self.notALine() }
      parts += [try ServiceCredential.bytes("\(key)="), value, try ServiceCredential.bytes("\n")]
    }
    for known in ["authtype", "state"] where capabilities.contains(known) {
      try put("capability[]", known)
    }
    let isExpired = item.expires.map { $0 <= Date() } ?? false
    if let authtype = item.attributes[Self.authtype] {
      guard !isExpired else { return try SecretBytes(copying: []) }
      try put("authtype", authtype)
      try put("credential", try vault.get(item.name).bytes)
    } else {
      if let account = item.attributes[ServiceCredential.account] { try put("username", account) }
      if !isExpired { try put("password", try vault.get(item.name).bytes) }
      if let token = try Self.field(Self.refreshToken, of: item, in: vault) {
        try put(Self.refreshToken, token)
      } else if isExpired {
        return try SecretBytes(copying: [])
      }
    }
    if let expires = item.expires, !isExpired {
      try put("password_expiry_utc", String(Int64(expires.timeIntervalSince1970)))
    }
    if capabilities.contains("state") { try put(Self.stateKey, Self.statePrefix + item.id) }
    return try SecretInput.joined(parts)
  }

  private static func field(
    _ name: String, of item: Item, in vault: UnlockedVault.Blocking
  ) throws -> SecretBytes? {
    do {
      return try vault.get(item.name, field: name).bytes
    } catch let error as CredentialError where error.code == .fieldNotFound {
      return nil
    }
  }

  private static func notALine() -> CommandError {
    CommandError(
      .notALine,
      "the credential holds a line break or a control character, which git cannot take",
      hint: "use 'vault get' for it")
  }

  // MARK: store

  private func store(_ description: GitDescription) throws {
    guard let subject = Subject(description) else { return }
    // git-credential(1): such a credential is not to be saved.
    if ["1", "true"].contains(description["ephemeral"]) { return }
    let new: SecretBytes
    if let authtype = description["authtype"], let value = description.secrets["credential"] {
      guard !authtype.isEmpty else { return }
      new = value
    } else if let password = description.secrets["password"], subject.username != nil {
      new = password
    } else {
      return
    }
    let expires = try expiry(of: description)
    if let expires, expires <= Date() { return }
    var fields: [String: SecretBytes] = [:]
    fields[Self.refreshToken] = description.secrets[Self.refreshToken]
    try settings.withVaultMade { vault in
      let items = try vault.items()
      let known = ServiceCredential.newest(items.filter(subject.isExactly))
      if let known, try isUnchanged(known, new, fields, expires, description, in: vault) { return }
      var changes = ItemChanges()
      changes.kind = description["authtype"] == nil ? .internetPassword : .token
      changes.attributes = attributes(of: subject, description["authtype"])
      changes.expires = .some(expires)
      let name = try known?.name ?? ServiceCredential.freeName(Self.name(of: subject), among: items)
      try vault.store([ItemDraft(name, main: new, fields: fields, changes: changes)])
    }
  }

  private func expiry(of description: GitDescription) throws -> Date? {
    guard let text = description["password_expiry_utc"], let seconds = Int64(text) else {
      return nil
    }
    // git takes the largest number for "never".
    return seconds > 253_402_300_799 ? nil : Date(timeIntervalSince1970: Double(seconds))
  }

  /// git stores what it has just been given after every use: no new version for that.
  private func isUnchanged(
    _ item: Item, _ secret: SecretBytes, _ fields: [String: SecretBytes], _ expires: Date?,
    _ description: GitDescription, in vault: UnlockedVault.Blocking
  ) throws -> Bool {
    let token = try Self.field(Self.refreshToken, of: item, in: vault)
    let hasSameToken =
      switch (token, fields[Self.refreshToken]) {
      case (nil, nil): true
      case (let old?, let new?): old.isEqual(to: new)
      default: false
      }
    guard hasSameToken, item.expires == expires,
      ServiceCredential.isSame(item.attributes[Self.authtype], description["authtype"])
    else { return false }
    return try vault.get(item.name).bytes.isEqual(to: secret)
  }

  private func attributes(of subject: Subject, _ authtype: String?) -> [String: String] {
    var attributes = [
      ServiceCredential.client: Self.client, Self.scheme: subject.scheme,
      ServiceCredential.server: subject.host,
    ]
    attributes[Self.path] = subject.path
    attributes[ServiceCredential.account] = subject.username
    attributes[Self.authtype] = authtype
    return attributes
  }

  /// `git/github.com/david`, and the protocol where it is not https, and the path where there is one.
  private static func name(of subject: Subject) -> String {
    var parts = [client, subject.host]
    if subject.scheme != "https" { parts.insert(subject.scheme, at: 1) }
    if let username = subject.username, !username.isEmpty { parts.append(username) }
    if let path = subject.path { parts += path.parts(at: "/").map(String.init) }
    return ServiceCredential.name(parts)
  }

  // MARK: erase

  private func erase(_ description: GitDescription) throws {
    guard let subject = Subject(description) else { return }
    let sent = description.secrets["password"] ?? description.secrets["credential"]
    let state = (description.lists[Self.stateKey] ?? []).filter {
      $0.begins(with: Self.statePrefix)
    }
    try settings.withVaultIfAny { vault in
      for item in try vault.items() where subject.matches(item) {
        if !state.isEmpty, !state.contains(Self.statePrefix + item.id) { continue }
        // A newer password, stored by another process meanwhile, is not what was rejected.
        if let sent, !(try vault.get(item.name).bytes.isEqual(to: sent)) { continue }
        try vault.remove(item.name)
      }
    }
  }
}
