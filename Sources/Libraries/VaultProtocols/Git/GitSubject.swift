import VaultCredentials
import VaultStorage

/// The credentials that a description asks for.
struct GitSubject {
  let scheme: String
  let host: String
  let path: String?
  let username: String?

  /// Creates a subject; returns `nil` if the description names no server.
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

  /// The subject as an address, which the program has chosen.
  var place: String { "\(scheme)://\(host)\(path.map { "/\($0)" } ?? "")" }

  /// Finds the items of the server, which ``matches(_:)`` and ``isExactly(_:)`` choose from.
  var query: ItemQuery {
    var query = ItemQuery()
    query.attributes = [
      ServiceCredential.client: GitRequest.client, GitRequest.scheme: scheme,
      ServiceCredential.server: host,
    ]
    return query
  }

  /// Whether an item matches: whatever was sent must be the same.
  func matches(_ item: Item) -> Bool {
    guard isOfServer(item) else { return false }
    if let path, !ServiceCredential.isSame(item.attributes[GitRequest.path], path) { return false }
    if let username,
      !ServiceCredential.isSame(item.attributes[ServiceCredential.account], username)
    {
      return false
    }
    return true
  }

  /// Whether an item is the one to replace: whatever was not sent must be absent from it, too.
  func isExactly(_ item: Item) -> Bool {
    isOfServer(item) && ServiceCredential.isSame(item.attributes[GitRequest.path], path)
      && ServiceCredential.isSame(item.attributes[ServiceCredential.account], username)
  }

  private func isOfServer(_ item: Item) -> Bool {
    ServiceCredential.has(
      item,
      [
        (ServiceCredential.client, GitRequest.client), (GitRequest.scheme, scheme),
        (ServiceCredential.server, host),
      ])
  }

  /// The same over https, where this one is over http.
  var ofAnyScheme: GitSubject? {
    scheme == "http"
      ? GitSubject(scheme: "https", host: host, path: path, username: username) : nil
  }

  /// The credential to offer of those that are for each protocol.
  func best(in snapshot: VaultSnapshot) -> Item? {
    best(
      of: snapshot.items(matching: query).filter { $0.attributes[GitRequest.anyScheme] == "yes" })
  }

  /// The attribute of gh's items with the user; empty for the one that is active.
  static let tokenUser = "username"

  /// The token that gh keeps for the host, of the user that is asked for or the active one.
  func tokenOfGitHub(in snapshot: VaultSnapshot) -> Item? {
    guard scheme == "https" else { return nil }
    var query = ItemQuery()
    query.attributes = [ServiceCredential.service: "gh:\(host)"]
    let items = snapshot.items(matching: query)
    func item(of user: String) -> Item? {
      items.filter { ServiceCredential.isSame($0.attributes[Self.tokenUser] ?? "", user) }.newest
    }
    // The login of GitHub counts for nothing beside a token.
    return username.flatMap { item(of: $0) } ?? item(of: "")
      ?? (username == nil ? items.newest : nil)
  }

  /// Returns the credential to offer: one for all paths rather than one for a single path, then the
  /// newest.
  func best(of items: [Item]) -> Item? {
    let found = items.filter(matches)
    let general = found.filter { $0.attributes[GitRequest.path] == nil }
    return (path == nil && !general.isEmpty ? general : found).newest
  }
}
