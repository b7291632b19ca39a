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
        // Of any other line git knows no protocol: a comment, to whoever wrote it.
        line[..<scheme.lowerBound].utf8.allSatisfy(Self.isOfScheme),
        let at = line.unicodeScalars[scheme.upperBound...].firstIndex(of: "@")
      else { return nil }
      let (account, rest) = (line[scheme.upperBound..<at], line[at...])
      guard let (user, password) = account.halves(at: ":"),
        let userBytes = PercentEncoding.decoded(user),
        let passwordBytes = PercentEncoding.decoded(password),
        let userText = String(validating: userBytes, as: UTF8.self),
        let passwordText = String(validating: passwordBytes, as: UTF8.self)
      else { return nil }
      self.scheme = String(line[..<scheme.lowerBound])
      (self.user, self.password) = GitClearText.account(userText, passwordText)
      guard !self.password.isEmpty else { return nil }
      let isToken = !self.user.isSame(as: userText)
      front = "\(line[..<scheme.upperBound])\(isToken ? self.user : String(user)):"
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

    /// RFC 3986, 3.1.
    private static func isOfScheme(_ byte: UInt8) -> Bool {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E: true
      default: false
      }
    }
  }

  /// docs.github.com, "Authenticating to the REST API": the other order, which says the same.
  private static let tokenPassword = "x-oauth-basic"

  /// What stands in the password's place where a token is the user, beside nothing.
  private static let placeholders = [
    tokenPassword, "x-token-auth", "x-access-token", "oauth2", "x",
  ]

  /// How tokens begin, and the user that stands before them in the usual order: GitHub, "About
  /// authentication"; GitLab, "Token prefixes", which takes any user; Bitbucket, "App passwords" and
  /// "Using access tokens".
  private static let tokens: [(beginning: String, user: String)] =
    ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"].map { ($0, "x-access-token") }
    + ["glpat-", "gldt-", "glcbt-", "gloas-", "glrt-", "glptt-", "glsoat-"].map { ($0, "oauth2") }
    + ["ATBB", "ATCTT", "ATATT"].map { ($0, "x-token-auth") }

  /// The length of Bitbucket's shortest token: a name may begin with the same letters.
  private static let shortestToken = 20

  /// User and password; services take a token in the user's place, with a word or nothing for a password.
  ///
  /// The token is the secret then. What is returned says the same to the service.
  static func account(_ user: String, _ password: String) -> (user: String, password: String) {
    if password.isSame(as: tokenPassword), !user.isEmpty {
      return (tokenUser(of: user) ?? "x-access-token", user)
    }
    guard password.isEmpty || placeholders.contains(where: password.isSame(as:)),
      let tokenUser = tokenUser(of: user)
    else { return (user, password) }
    return (tokenUser, user)
  }

  private static func tokenUser(of text: String) -> String? {
    guard text.utf8.count >= shortestToken else { return nil }
    return tokens.first { text.begins(with: $0.beginning) }?.user
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
  static func doubtfulLines(in text: String) -> [Int] {
    lines(in: text, comments: []) { $0.hasPasswordInAddress }
  }
}
