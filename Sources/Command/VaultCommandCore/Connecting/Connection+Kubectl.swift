import VaultProtocols
import VaultStorage
import VaultTerminal

// kubectl gets the credentials of a user of its file from a program.

extension Connection {
  private static func files() -> [ConfigurationFile] {
    ClearTextProgram.kube.paths { ProcessState.variable($0) }.map { ConfigurationFile(path: $0) }
  }

  /// The user that is meant, and the first file that has it, as kubectl's own.
  private func place() throws -> (file: ConfigurationFile, user: String) {
    let files = try Self.files().map { ($0, KubeConfiguration.users(in: try $0.text())) }
    if let kubeUser {
      let file = files.first { $0.1.contains { $0.isSame(as: kubeUser) } } ?? files.first
      if let file { return (file.0, kubeUser) }
    }
    let all = files.flatMap { file, users in users.map { (file, $0) } }
    if all.count == 1 { return all[0] }
    let names = all.map { Sanitizer.visible($0.1) }.joined(separator: ", ")
    let program = ProgramName.current
    guard !all.isEmpty else {
      throw CommandError.usage(
        "kubectl's file has no users in the form in which kubectl writes them",
        hint: "\(program) set kubeconfig --file ~/.kube/config, then: "
          + "\(program) run --as-file kubeconfig -- sh -c 'KUBECONFIG=$KUBECONFIG_FILE kubectl get pods'"
      )
    }
    throw CommandError.usage(
      "kubectl has several users, and none is named",
      hint: "one of \(names): \(program) connect kubectl USER")
  }

  func connectingKubectl() throws -> [Change] {
    let (file, user) = try place()
    guard
      let (text, lines) = try KubeConfiguration.added(
        user, command: command(KubeConfiguration.words(for: user)), to: file.text())
    else { return [] }
    return [Change(path: file.path, lines: lines) { try file.replace(with: text, mode: 0o600) }]
  }

  func disconnectingKubectl() throws -> [Change] {
    try Self.files().compactMap { file in
      guard let (text, users) = KubeConfiguration.removed(kubeUser, from: try file.text())
      else { return nil }
      let lines = users.map { "users, \(Sanitizer.visible($0)): exec" }
      return Change(path: file.path, lines: lines) { try file.replace(with: text, mode: 0o600) }
    }
  }

  /// kubectl takes what the file has before it asks the program.
  func clearTextOfKubectl() throws -> [(text: String, hint: String)] {
    let (file, user) = try place()
    let text = try file.text()
    let settings = KubeConfiguration.settingsThatWin(of: user, in: text)
    guard let first = settings.first else { return [] }
    let isMovable = try ClearTextProgram.kube.secrets(in: text)
      .contains { $0.entry.isSame(as: user) }
    return [
      (
        "\(Sanitizer.visible(user)) in \(Sanitizer.visible(file.path)) has \(first), which wins: the vault is "
          + "not asked",
        isMovable
          ? "to move it into the vault: \(ProgramName.current) connect kubectl \(Quoting.shell(user)) --move"
          : "take it out, and store what is to be used: \(ProgramName.current) set "
            + Quoting.shell("kube/\(user)")
      )
    ]
  }
}
