import VaultCredentials
import VaultSealing
import VaultStorage

/// The users of `~/.kube/config`: their tokens, and their keys with the certificates.
///
/// The item is one that ``KubectlRequest`` answers with: a token as its secret, and a key beside it as
/// a field; or a key alone.
enum KubeClearText: ClearTextFormat {
  private static let token = "token"
  private static let (key, certificate) = ("client-key-data", "client-certificate-data")
  /// What kubectl takes before it asks a program, or takes from another one: beside it nothing is moved,
  /// since the user would be another one afterwards.
  static let others: Set<String> = [
    "client-certificate", "client-key", "tokenFile", "username", "password", "auth-provider",
  ]

  /// Whether what a user has is all that kubectl knows of it.
  private static func isWhole(_ user: String, in users: KubeUsers) -> Bool {
    let isServed = users.program(of: user).map { !KubeConfiguration.isOwn($0) } ?? false
    return !isServed && others.isDisjoint(with: users.settings(of: user))
  }

  /// A PEM text in base64, as the file has it.
  private static func text(_ base64: String?) -> String? {
    base64.flatMap { Base64Text.decode($0.utf8) }.flatMap { String(validating: $0, as: UTF8.self) }
  }

  static func secrets(in text: String) throws -> [ClearTextSecret] {
    let users = KubeUsers(text)
    guard Set(users.names).count == users.names.count else {
      throw ClearTextProgram.unreadable("it has two users of one name")
    }
    return try users.names.compactMap { name in
      guard isWhole(name, in: users) else { return nil }
      let token = users.value(token, of: name).flatMap { $0.isEmpty ? nil : $0 }
      var fields: [String: SecretBytes] = [:]
      var main = token
      // A key is of no use without its certificate, nor can kubectl get one of them alone.
      if let key = Self.text(users.value(key, of: name)), !key.isEmpty,
        let certificate = Self.text(users.value(certificate, of: name))
      {
        fields[KubectlRequest.certificateField] = try SecretBytes(text: certificate)
        if token != nil { fields[KubectlRequest.keyField] = try SecretBytes(text: key) }
        main = main ?? key
      }
      guard let main else { return nil }
      var found = ClearTextSecret(
        name, try SecretBytes(text: main),
        .item(
          parts: KubectlRequest.parts(of: name), attributes: KubectlRequest.attributes(of: name),
          kind: .token))
      found.fields = fields
      return found
    }
  }

  static func removing(_ entries: Set<String>, from text: String) -> String {
    var users = KubeUsers(text)
    for name in users.names where entries.contains(name) {
      var keys = [token]
      if Self.text(users.value(key, of: name)) != nil,
        Self.text(users.value(certificate, of: name)) != nil
      {
        keys += [key, certificate]
      }
      users.remove(keys, of: name)
    }
    return users.text
  }

  static func adding(_ value: ClearTextValue, to text: String) throws -> String {
    var users = KubeUsers(text)
    guard users.canHave(value.entry) else {
      throw ClearTextProgram.unreadable("the file has users in a form that kubectl does not write")
    }
    var lines: [String] = []
    let certificate = value.fields[KubectlRequest.certificateField]
    let separate = value.fields[KubectlRequest.keyField]
    let key = separate ?? (certificate == nil ? nil : value.main)
    if let certificate, let key {
      lines = [
        "\(Self.certificate): \(Base64Text.encode(Array(certificate.utf8)))",
        "\(Self.key): \(Base64Text.encode(Array(key.utf8)))",
      ]
    }
    if separate != nil || certificate == nil {
      guard ServiceCredential.isPlain(value.main) else { throw ClearTextProgram.notALine }
      lines.append("\(token): \(YAMLScalar.written(value.main))")
    }
    users.add(lines, to: value.entry)
    return users.text
  }

  static func doubtfulLines(in text: String) -> [Int] {
    let names = [
      key, token, "password", "id-token", "refresh-token", "access-token", "client-secret",
    ]
    return lines(in: text, comments: ["#"]) { sets(names, $0) }
  }
}
