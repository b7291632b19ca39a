import VaultCredentials
import VaultStorage

/// `~/.config/gh/hosts.yml`, as gh writes it: a host, and below it `oauth_token: TOKEN`; since gh 2.40
/// also below each of its `users`.
///
/// github.com/cli/cli, `internal/config`. This is no YAML: lines of another form are left alone. The
/// item has the attributes under which gh looks into a keyring.
enum GitHubClearText: ClearTextFormat {
  private struct Token {
    let line: Int
    let host: String
    /// The user below whose name it lies; `nil` for that of the host itself.
    let user: String?
    let value: String

    var entry: String { user.map { "\(host) \($0)" } ?? host }
  }

  private static let key = "oauth_token"

  /// The tokens, and the user of each host.
  private static func tokens(_ text: String) -> (tokens: [Token], users: [String: String]) {
    var (tokens, users): ([Token], [String: String]) = ([], [:])
    // The names above a line, with how far each is indented.
    var path: [(indent: Int, name: String)] = []
    for (number, part) in text.parts(at: "\n", keepsEmpty: true).enumerated() {
      let line = String(part)
      let content = line.trimmingBlanks
      guard !content.isEmpty, !content.begins(with: "#"),
        let (name, value) = content.halves(at: ":")
      else { continue }
      let indent = line.utf8.prefix { $0 == 0x20 }.count
      path.removeAll { $0.indent >= indent }
      let key = name.trimmingBlanks.withoutQuotes
      // One that is not understood is no token, and is said.
      let text = YAMLScalar.value(String(value)) ?? ""
      if let host = path.first?.name {
        if key == self.key, !text.isEmpty {
          let isOfUser = path.count == 3 && path[1].name == "users"
          tokens.append(
            Token(line: number, host: host, user: isOfUser ? path[2].name : nil, value: text))
        } else if key == "user", path.count == 1 {
          users[host] = text
        }
      }
      path.append((indent, key))
    }
    return (tokens, users)
  }

  /// The variable from which gh takes the token of a host; cli/go-gh, `pkg/auth`.
  private static func variable(of host: String) -> String {
    let host = host.lowercased()
    let isGitHubs =
      ["github.com", "github.localhost"].contains { host.isSame(as: $0) }
      || host.ends(with: ".ghe.com")
    return isGitHubs ? "GH_TOKEN" : "GH_ENTERPRISE_TOKEN"
  }

  static func secrets(in text: String) throws -> [ClearTextSecret] {
    let (tokens, users) = tokens(text)
    return try tokens.map { token in
      // gh asks a keyring for `gh:HOST` and the user, or no user for the one that is active.
      let user = token.user ?? ""
      // Since gh 2.40 it stands there twice: for the host, and for each of its users.
      let isTwice = { (name: String) in
        tokens.contains { $0.host.isSame(as: token.host) && $0.user?.isSame(as: name) == true }
      }
      let name = token.user ?? users[token.host].flatMap { isTwice($0) ? nil : $0 }
      return try .inVariable(
        token.entry, token.value, name: ["gh", token.host] + (name.map { [$0] } ?? []),
        ["service": "gh:\(token.host)", "username": user], variable(of: token.host))
    }
  }

  static func removing(_ entries: Set<String>, from text: String) -> String {
    let gone = Set(tokens(text).tokens.filter { entries.contains($0.entry) }.map(\.line))
    return text.parts(at: "\n", keepsEmpty: true).enumerated().filter { !gone.contains($0.offset) }
      .map { String($0.element) }.joined(separator: "\n")
  }

  static func adding(_ value: ClearTextValue, to text: String) throws -> String {
    guard ServiceCredential.isPlain(value.main) else {
      throw ClearTextProgram.unreadable("the token has a line end")
    }
    let (host, user) =
      value.entry.halves(at: " ").map { (String($0.before), String($0.after)) }
      ?? (value.entry, "")
    var lines = text.parts(at: "\n", keepsEmpty: true).map(String.init)
    let isHost = { (line: String) in
      !line.begins(with: " ") && line.trimmingBlanks.isSame(as: "\(host):")
    }
    guard let place = lines.firstIndex(where: isHost) else {
      let token = "    \(key): \(YAMLScalar.written(value.main))\n"
      let entry =
        user.isEmpty
        ? "\(host):\n\(token)" : "\(host):\n    users:\n        \(user):\n        \(token)"
      return text.isEmpty || text.ends(with: "\n") ? text + entry : "\(text)\n\(entry)"
    }
    let end = lines[(place + 1)...].firstIndex { !$0.begins(with: " ") } ?? lines.count
    let below = lines[place + 1..<end]
    if user.isEmpty {
      let indent = String(repeating: " ", count: below.first?.utf8.prefix { $0 == 0x20 }.count ?? 4)
      lines.insert("\(indent)\(key): \(YAMLScalar.written(value.main))", at: place + 1)
    } else if let name = below.firstIndex(where: {
      $0.trimmingBlanks.isSame(as: "\(user):") || $0.trimmingBlanks.isSame(as: "\(user): {}")
    }) {
      let indent = String(repeating: " ", count: lines[name].utf8.prefix { $0 == 0x20 }.count + 4)
      lines[name] = lines[name].substituting(": {}", with: ":")
      lines.insert("\(indent)\(key): \(YAMLScalar.written(value.main))", at: name + 1)
    } else {
      lines.insert(
        contentsOf: [
          "    users:", "        \(user):", "            \(key): \(YAMLScalar.written(value.main))",
        ], at: end
      )
    }
    return lines.joined(separator: "\n")
  }

  static func doubtfulLines(in text: String) -> [Int] {
    lines(in: text, comments: ["#"]) { sets([key], $0) }
  }
}
