import FoundationEssentials
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultTerminal

/// docker's and podman's credential helper: `store`, `get`, `erase`, `list`, `version`.
///
/// github.com/docker/docker-credential-helpers, `credentials/credentials.go`: errors go to stdout, and
/// three of them are compared word by word.
struct DockerHelper {
  let settings: VaultSettings

  static let client = "docker"
  private static let inputLimit = 4 << 20

  /// What docker compares with.
  private enum Refusal: String, Error {
    case notFound = "credentials not found in native keychain"
    case noServer = "no credentials server URL"
    case noUsername = "no credentials username"
  }

  private struct Credentials: Codable {
    var serverURL: String?
    var username: String?
    var secret: String?

    enum CodingKeys: String, CodingKey {
      case serverURL = "ServerURL"
      case username = "Username"
      case secret = "Secret"
    }
  }

  func run(_ words: [String]) throws {
    do {
      guard words.count == 1, let action = words.first else {
        throw Self.failure("usage: docker-credential-vault <store|get|erase|list|version>")
      }
      try perform(action)
    } catch {
      let text = (error as? Refusal)?.rawValue ?? Self.oneLine(ErrorReport(error))
      try StandardOutput.line(text)
      throw ExitStatusOnly(status: .no)
    }
  }

  private func perform(_ action: String) throws {
    switch action {
    case "store": try store()
    case "get": try get()
    case "erase": try erase()
    case "list": try list()
    case "version":
      try StandardOutput.line("docker-credential-vault (vault) v\(VaultTool.version)")
    default:
      throw Self.failure("docker-credential-vault: unknown action: \(Sanitizer.visible(action))")
    }
  }

  private static func failure(_ message: String) -> CommandError {
    CommandError(.usage, message)
  }

  /// What docker shows behind "error getting credentials": one line.
  private static func oneLine(_ report: ErrorReport) -> String {
    let hint = report.hint.map { " (\($0))" } ?? ""
    return Sanitizer.visible("vault: \(report.message)\(hint)")
  }

  // MARK: Actions

  private func store() throws {
    let bytes = try SecretInput.read(0, limit: Self.inputLimit)
    let given = try decoded(bytes)
    guard let server = given.serverURL, !server.isEmpty else { throw Refusal.noServer }
    guard let username = given.username, !username.isEmpty else { throw Refusal.noUsername }
    guard ServiceCredential.isPlain(server), ServiceCredential.isPlain(username) else {
      throw Self.failure("the server or the user name holds a control character")
    }
    let secret = try SecretBytes(copying: Array((given.secret ?? "").utf8))
    try settings.withVaultMade { vault in
      let items = try vault.items()
      let known = Self.find(server, in: items)
      if let known, ServiceCredential.isSame(known.attributes[ServiceCredential.account], username),
        ServiceCredential.isSame(known.attributes[ServiceCredential.server], server),
        try vault.get(known.name).bytes.isEqual(to: secret)
      {
        return
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
          ServiceCredential.name([Self.client] + Self.parts(server)), among: items)
      try vault.store([ItemDraft(name, main: secret, changes: changes)])
    }
  }

  private func decoded(_ bytes: SecretBytes) throws -> Credentials {
    let data = Data(bytes.withBytes { $0.array(0..<$0.byteCount) })
    do {
      return try JSONDecoder().decode(Credentials.self, from: data)
    } catch {
      throw Self.failure("the credentials on stdin are no JSON object with ServerURL")
    }
  }

  private func get() throws {
    let server = try serverOnInput()
    let found = try settings.withVaultIfAny { vault -> Credentials? in
      guard let item = Self.find(server, in: try vault.items()) else { return nil }
      guard let secret = try vault.get(item.name).text else {
        throw Self.failure("the stored secret is no text")
      }
      return Credentials(
        serverURL: item.attributes[ServiceCredential.server],
        username: item.attributes[ServiceCredential.account] ?? "", secret: secret)
    }
    guard let credentials = found ?? nil else { throw Refusal.notFound }
    try write(credentials)
  }

  private func erase() throws {
    let server = try serverOnInput()
    // Nothing to erase is as good as erased, as docker's own helpers have it: a logout of an unknown host.
    try settings.withVaultIfAny { vault in
      guard let item = Self.find(server, in: try vault.items()) else { return }
      try vault.remove(item.name)
    }
  }

  private func list() throws {
    let found = try settings.withVaultIfAny { vault in
      try vault.items().filter { $0.attributes[ServiceCredential.client] == Self.client }
    }
    var users: [String: String] = [:]
    for item in found ?? [] {
      guard let server = item.attributes[ServiceCredential.server] else { continue }
      users[server] = item.attributes[ServiceCredential.account] ?? ""
    }
    try write(users)
  }

  /// The URL, trimmed as docker's own helpers do.
  private func serverOnInput() throws -> String {
    let bytes = try SecretInput.read(0, limit: Self.inputLimit)
    guard let text = bytes.withBytes({ $0.text(0..<$0.byteCount) }) else {
      throw Self.failure("the server on stdin is no UTF-8")
    }
    let blanks: Set<Unicode.Scalar> = [" ", "\t", "\r", "\n"]
    let scalars = text.unicodeScalars
    let trimmed = String(
      String.UnicodeScalarView(
        scalars.drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed()))
    guard !trimmed.isEmpty else { throw Refusal.noServer }
    guard ServiceCredential.isPlain(trimmed) else {
      throw Self.failure("the server on stdin holds a control character")
    }
    return trimmed
  }

  private func write(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try StandardOutput.write(Array(try encoder.encode(value)) + [0x0A])
  }

  // MARK: Servers

  /// The item of a server: written the same, or else with another case of the host.
  static func find(_ server: String, in items: [Item]) -> Item? {
    let all = items.filter { $0.attributes[ServiceCredential.client] == client }
    let same = all.filter {
      ServiceCredential.isSame($0.attributes[ServiceCredential.server], server)
    }
    if let found = ServiceCredential.newest(same) { return found }
    return ServiceCredential.newest(
      all.filter {
        guard let stored = $0.attributes[ServiceCredential.server] else { return false }
        return ServiceCredential.isSame(withLowercaseHost(stored), withLowercaseHost(server))
      })
  }

  private static func withLowercaseHost(_ server: String) -> String {
    let start = server.utf8.firstRange(of: "://".utf8)?.upperBound ?? server.startIndex
    let end = server[start...].unicodeScalars.firstIndex(of: "/") ?? server.endIndex
    return server[..<start].lowercased() + server[start..<end].lowercased() + server[end...]
  }

  /// The parts of an item's name: without `https://`.
  private static func parts(_ server: String) -> [String] {
    let rest = server.begins(with: "https://") ? String(server.dropFirst(8)) : server
    return rest.parts(at: "/").map(String.init)
  }
}
