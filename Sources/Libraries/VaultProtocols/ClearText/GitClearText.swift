import VaultCredentials
import VaultSealing
import VaultStorage

/// `~/.git-credentials`: an address with user and password on each line.
///
/// git-credential-store(1), "STORAGE FORMAT".
enum GitClearText: ClearTextFormat {
  private struct Address {
    let scheme: String
    let user: String
    let password: String
    /// The host and its port, as the line has them.
    let host: String
    /// The path behind them; empty without one.
    let path: String
    /// What stands before and behind the password in the line.
    let (front, rest): (String, String)

    init?(_ line: String) {
      guard let scheme = line.firstRange(ofBytes: "://"),
        let at = line.unicodeScalars[scheme.upperBound...].firstIndex(of: "@")
      else { return nil }
      let (account, rest) = (line[scheme.upperBound..<at], line[at...])
      guard let (user, password) = account.halves(at: ":"),
        let userBytes = PercentEncoding.decoded(user),
        let passwordBytes = PercentEncoding.decoded(password),
        let userText = String(validating: userBytes, as: UTF8.self),
        let passwordText = String(validating: passwordBytes, as: UTF8.self), !passwordText.isEmpty
      else { return nil }
      self.scheme = String(line[..<scheme.lowerBound])
      let isToken = passwordText.isSame(as: GitClearText.tokenPassword)
      (self.user, self.password) = GitClearText.account(userText, passwordText)
      front = "\(line[..<scheme.upperBound])\(isToken ? GitClearText.tokenUser : String(user)):"
      self.rest = String(rest)
      let place = rest.dropFirst()
      let end = place.unicodeScalars.firstIndex(of: "/") ?? place.endIndex
      host =
        PercentEncoding.decoded(place[..<end]).flatMap {
          String(validating: $0, as: UTF8.self)
        } ?? String(place[..<end])
      path = String(place[end...].dropFirst())
    }

    var entry: String { "\(front.dropLast())\(rest)" }
  }

  /// docs.github.com, "Authenticating to the REST API": the other order, which says the same.
  private static let (tokenPassword, tokenUser) = ("x-oauth-basic", "x-access-token")

  /// User and password; GitHub takes a token in the user's place, which then is the secret.
  static func account(_ user: String, _ password: String) -> (user: String, password: String) {
    password.isSame(as: tokenPassword) ? (tokenUser, user) : (user, password)
  }

  private static func addresses(_ text: String) -> [(line: Int, address: Address)] {
    text.parts(at: "\n", keepsEmpty: true).enumerated().compactMap { number, line in
      Address(line.trimmingBlanks).map { (number, $0) }
    }
  }

  static func secrets(in text: String) throws -> [ClearTextSecret] {
    var seen: Set<String> = []
    // Two passwords of one address are both kept.
    return try addresses(text).compactMap { _, address in
      guard seen.insert("\(address.entry) \(address.password)").inserted else { return nil }
      return try secret(
        address.entry, scheme: address.scheme, host: address.host, path: address.path,
        user: address.user, password: address.password)
    }
  }

  /// A secret as git stores it.
  static func secret(
    _ entry: String, scheme: String, host: String, path: String, user: String, password: String
  ) throws -> ClearTextSecret? {
    let values = [scheme, host, path, user, password]
    guard !host.isEmpty, values.allSatisfy(ServiceCredential.isPlain) else { return nil }
    var lines = [
      ("protocol", scheme), ("host", host), ("username", user), ("password", password),
    ]
    if !path.isEmpty { lines.append(("path", path)) }
    let input = try SecretBytes(text: lines.map { "\($0)=\($1)\n" }.joined())
    var found = [
      ServiceCredential.client: GitRequest.client, GitRequest.scheme: scheme,
      ServiceCredential.server: host, ServiceCredential.account: user,
    ]
    if !path.isEmpty { found[GitRequest.path] = path }
    return ClearTextSecret(
      entry, try SecretBytes(text: password),
      .request(try GitRequest("store", input: input), found: found))
  }

  static func removing(_ entries: Set<String>, from text: String) -> String {
    let gone = Set(addresses(text).filter { entries.contains($0.address.entry) }.map(\.line))
    return text.parts(at: "\n", keepsEmpty: true).enumerated().filter { !gone.contains($0.offset) }
      .map { String($0.element) }.joined(separator: "\n")
  }

  static func adding(_ value: ClearTextValue, to text: String) -> String {
    guard let at = value.entry.unicodeScalars.lastIndex(of: "@") else { return text }
    let line =
      "\(value.entry[..<at]):\(PercentEncoding.encoded(value.main))\(value.entry[at...])\n"
    return text.isEmpty || text.ends(with: "\n") ? text + line : "\(text)\n\(line)"
  }

  /// An address with a token for a user, or of another form.
  static func doubtfulLine(in text: String) -> Int? {
    line(in: text, comments: []) { $0.hasPasswordInAddress }
  }
}
