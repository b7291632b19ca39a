import VaultCredentials
import VaultSealing
import VaultStorage

/// `auths` of docker's `config.json`: for each registry user and password as base64, or a token.
///
/// github.com/docker/cli, `cli/config/configfile` and `types/authconfig.go`.
enum DockerClearText: ClearTextFormat {
  /// What docker calls the user of a token.
  private static let tokenUser = "<token>"

  static func secrets(in text: String) throws -> [ClearTextSecret] {
    guard !text.trimmingBlanks.isEmpty else { return [] }
    return try members(of: "auths", in: document(text)).compactMap { registry, entry in
      guard let (user, secret) = account(entry), !secret.isEmpty else { return nil }
      let input = try RequestObject.text([
        ("ServerURL", .string(registry)), ("Username", .string(user)), ("Secret", .string(secret)),
      ])
      let request: DockerRequest
      do {
        request = try DockerRequest("store", version: "", input: input)
      } catch is DockerRequest.Refusal {
        // No helper of docker's would be asked for it.
        return nil
      }
      return ClearTextSecret(
        registry, try SecretBytes(text: secret),
        .request(
          request,
          found: [
            ServiceCredential.client: "docker", ServiceCredential.server: registry,
            ServiceCredential.account: user,
          ]))
    }
  }

  private static func document(_ text: String) throws -> JSONValue {
    guard let document = try? JSONValue.parse(Array(text.utf8)), case .object = document else {
      throw ClearTextProgram.unreadable("it is not JSON")
    }
    return document
  }

  private static func members(of name: String, in document: JSONValue) -> [(String, JSONValue)] {
    guard case .object(let members)? = document[name] else { return [] }
    return members
  }

  /// The names under `auths`, whether or not they have a secret.
  static func names(in text: String) throws -> [String] {
    guard !text.trimmingBlanks.isEmpty else { return [] }
    return try members(of: "auths", in: document(text)).map(\.0)
  }

  private static func account(_ entry: JSONValue) -> (user: String, secret: String)? {
    if case .string(let token)? = entry["identitytoken"], !token.isEmpty {
      return (tokenUser, token)
    }
    if case .string(let auth)? = entry["auth"], !auth.isEmpty,
      let bytes = Base64Text.decode(auth.utf8), let text = String(validating: bytes, as: UTF8.self),
      let (user, secret) = text.halves(at: ":")
    {
      return (String(user), String(secret))
    }
    if case .string(let user)? = entry["username"], case .string(let secret)? = entry["password"] {
      return (user, secret)
    }
    return nil
  }

  static func removing(_ entries: Set<String>, from text: String) throws -> String {
    try changing(text) { members in
      for place in members.indices where entries.contains(members[place].0) {
        // docker keeps the registry's name, and asks the helper for it.
        members[place].1 = .object([])
      }
    }
  }

  static func adding(_ value: ClearTextValue, to text: String) throws -> String {
    let user = value.attributes[ServiceCredential.account] ?? ""
    let entry: JSONValue =
      user.isSame(as: tokenUser)
      ? .object([
        ("auth", .string(Base64Text.encode(Array("\(tokenUser):".utf8)))),
        ("identitytoken", .string(value.main)),
      ])
      : .object([("auth", .string(Base64Text.encode(Array("\(user):\(value.main)".utf8))))])
    return try changing(text.trimmingBlanks.isEmpty ? "{}" : text) { members in
      members.removeAll { $0.0.isSame(as: value.entry) }
      members.append((value.entry, entry))
    }
  }

  static func changing(
    _ text: String, _ change: (inout [(String, JSONValue)]) -> Void
  ) throws -> String {
    guard case .object(var all) = try document(text) else { return text }
    var registries = members(of: "auths", in: .object(all))
    change(&registries)
    if let place = all.firstIndex(where: { $0.0 == "auths" }) {
      all[place].1 = .object(registries)
    } else {
      all.append(("auths", .object(registries)))
    }
    return JSONValue.object(all).text(isPretty: true) + "\n"
  }

  /// An entry that no helper of docker's would be asked for, or a token of another kind.
  static func doubtfulLines(in text: String) throws -> [Int] {
    guard !text.trimmingBlanks.isEmpty else { return [] }
    let names = ["auth", "password", "identitytoken", "registrytoken"]
    let registries = try members(of: "auths", in: document(text))
    let isDoubtful = registries.contains { _, entry in
      names.contains { entry[$0]?.scalarText.map { !$0.isEmpty } ?? false }
    }
    if isDoubtful { return [0] }
    // A proxy may have one in its address.
    return lines(in: text, comments: []) { $0.hasPasswordInAddress }
  }
}
