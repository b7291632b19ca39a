import VaultStorage

/// The setting `exec` of a user in a kubeconfig file: the program that gives its credentials.
///
/// kubernetes.io, "Authenticating", client-go credential plugins. The lines are those that kubectl
/// writes, which may rewrite the file; so they are found by what they say.
package enum KubeConfiguration {
  /// The form of the answers, which every kubectl since 1.11 reads.
  static let version = "client.authentication.k8s.io/v1beta1"

  /// The words behind the command's options: `credential kubectl USER`.
  ///
  /// - Parameter user: The user's name.
  /// - Returns: The words.
  package static func words(for user: String) -> [String] {
    verb + (user.begins(with: "-") ? ["--", user] : [user])
  }

  private static let verb = ["credential", "kubectl"]

  /// What a user of a file has that kubectl takes before it asks a program.
  ///
  /// - Parameters:
  ///   - user: The user.
  ///   - text: The file.
  /// - Returns: The names of the settings.
  package static func settingsThatWin(of user: String, in text: String) -> [String] {
    let own = ["client-certificate-data", "client-key-data", "token"]
    return KubeUsers(text).settings(of: user).filter {
      KubeClearText.others.contains($0) || own.contains($0)
    }
  }

  /// The names of the users that a file has.
  ///
  /// - Parameter text: The file.
  /// - Returns: The names; none of a file in another form than kubectl's.
  package static func users(in text: String) -> [String] { KubeUsers(text).names }

  /// Adds the setting.
  ///
  /// - Parameters:
  ///   - user: The user, which the file has.
  ///   - command: The program and its words.
  ///   - text: The file.
  /// - Returns: The changed text and the lines that are new; `nil` if it has the setting.
  /// - Throws: ``ProtocolError`` with code `.configurationUnreadable` if the file has no such user;
  ///   `.connectedOtherwise` if another program gives its credentials.
  package static func added(
    _ user: String, command: [String], to text: String
  ) throws -> (text: String, lines: [String])? {
    var users = KubeUsers(text)
    guard users.names.contains(where: { $0.isSame(as: user) }) else {
      throw ProtocolError(
        .configurationUnreadable, "the file has no such user, or not in the form of kubectl",
        remedy: users.names.isEmpty ? nil : .choose(users.names))
    }
    if let known = users.program(of: user) {
      guard isOwn(known) else {
        throw ProtocolError(
          .connectedOtherwise,
          "another program gives the credentials of the user '\(Quoting.visible(user))' already",
          remedy: .takeOut("'exec' out of that user"))
      }
      if [known.command] + known.arguments == command { return nil }
      users.remove([KubeUsers.exec], of: user)
    }
    guard command.allSatisfy(ServiceCredential.isPlain) else {
      throw ProtocolError(
        .invalidRequest,
        "a path or name holds a control character, which cannot be written into kubectl's file")
    }
    let lines =
      ["exec:", "  apiVersion: \(version)", "  args:"]
      + command.dropFirst().map { "  - \(YAMLScalar.written($0))" }
      + [
        "  command: \(YAMLScalar.written(command.first ?? ""))", "  env: null",
        "  interactiveMode: IfAvailable", "  provideClusterInfo: false",
      ]
    users.add(lines, to: user)
    return (users.text, lines)
  }

  /// Removes the setting.
  ///
  /// - Parameters:
  ///   - user: The user; `nil` for all that have it.
  ///   - text: The file.
  /// - Returns: The changed text, and the users that had it; `nil` if none has it.
  package static func removed(
    _ user: String?, from text: String
  ) -> (text: String, users: [String])? {
    var users = KubeUsers(text)
    let own = users.names.filter { name in
      (user.map { $0.isSame(as: name) } ?? true)
        && (users.program(of: name).map { isOwn($0) } ?? false)
    }
    for name in own { users.remove([KubeUsers.exec], of: name) }
    return own.isEmpty ? nil : (users.text, own)
  }

  /// Whether a program was set by this type, perhaps for a user that had another name.
  static func isOwn(_ program: (command: String, arguments: [String])) -> Bool {
    let words = program.arguments
    return [3, 4].contains {
      words.suffix($0).starts(with: verb) && ($0 == 3 || words.suffix(2).first == "--")
    }
  }
}
