import Glibc
import VaultCredentials
import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

extension Connection {
  /// The socket as ssh reads it: ssh_config(5), "TOKENS".
  ///
  /// It is where systemd has `%t`. A variable in its place would end ssh where it is not set, as in a
  /// job of cron.
  static var agentSocket: String {
    let usual = "/run/user/\(getuid())"
    let folder = ProcessState.variable("XDG_RUNTIME_DIR").flatMap { folder in
      folder.begins(with: "/") && !folder.isSame(as: usual)
        ? folder.parts(at: "%", keepsEmpty: true).joined(separator: "%%") : nil
    }
    return "\(folder ?? "/run/user/%i")/\(SSHAgentUnit.socketFile)"
  }

  // MARK: ssh

  func connectingSSH() throws -> [Change] {
    try SSHAgentUnit.check(socket: Self.agentSocket)
    let publicFiles = try publicFiles()
    return try adding(try agentFiles()) + makingLink(try agentLink()) + addingAgentLines()
      + publicFiles
  }

  func disconnectingSSH() throws -> [Change] {
    try removing(try agentFiles()) + removingLink(try agentLink()) + removingBlock()
      + removingPublicFiles()
  }

  private func agentFiles() throws -> [OwnFile] {
    let unit = SSHAgentUnit(
      command: try command(["ssh-agent", "--socket"], inOtherEnvironment: true))
    let folder = try configurationFolder()
    return Self.ownFiles(
      [
        ("\(folder)/\(SSHAgentUnit.socketPath)", unit.socket),
        ("\(folder)/\(SSHAgentUnit.servicePath)", unit.service),
      ], SSHAgentUnit.isOwn)
  }

  private func agentLink() throws -> Link {
    Link(
      path: try "\(configurationFolder())/\(SSHAgentUnit.linkPath)",
      target: SSHAgentUnit.linkTarget)
  }

  /// The lines of `~/.ssh/config`, which takes no file that others may write.
  private func addingAgentLines() throws -> [Change] {
    let path = try blockPath()
    try refuseOtherAgent(in: ConfigurationFile(path: path).text())
    return try addingBlock().map { change in
      Change(path: change.path, lines: change.lines) {
        try UserFile.makeFolders(UserFile.folder(of: path))
        try change.perform()
      }
    }
  }

  /// Another agent for all hosts comes first and would win.
  private func refuseOtherAgent(in text: String) throws {
    var isForAll = true
    let others = try SSHAgentUnit.configuration(socket: Self.agentSocket).removed(from: text)
    for line in ConfigurationFile.lines(of: others ?? text) {
      let words = line.utf8.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x3D }
        .map { String(decoding: Array($0), as: UTF8.self) }
      guard let word = words.first?.lowercased() else { continue }
      if ["host", "match"].contains(word) {
        isForAll = [["host", "*"], ["match", "all"]].contains(words.map { $0.lowercased() })
      } else if word == "identityagent", isForAll {
        throw CommandError(
          .connectedOtherwise, "\(try blockPath()) names another agent for all hosts",
          hint: "take the line with IdentityAgent out, and connect again")
      }
    }
  }

  // MARK: Public keys

  private func publicFolder() throws -> String { try home() + "/.ssh/vault" }

  /// A `.pub` file for each key, by which `IdentityFile` chooses one of the agent's.
  private func publicFiles() throws -> [Change] {
    let folder = try publicFolder()
    let keys =
      try settings.withVaultIfAny { try SSHKeyRequest.publicKeys(in: $0.read()) } ?? []
    var names: [String: ItemName] = [:]
    return try keys.compactMap { key in
      // A name may have folders, and ssh's own file is a line of words.
      let name = String(
        decoding: key.item.name.text.utf8.map { byte in
          (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
            || [0x2D, 0x2E, 0x5F].contains(byte) ? byte : 0x2D
        }, as: UTF8.self)
      let file = ConfigurationFile(path: "\(folder)/\(name).pub")
      if let other = names.updateValue(key.item.name, forKey: name) {
        throw CommandError(
          .connectedOtherwise,
          "\(StandardOutput.shown(other.text)) and \(StandardOutput.shown(key.item.name.text)) "
            + "would both have the file \(name).pub",
          hint: "rename one of them: \(ProgramName.current) rename "
            + "\(StandardOutput.shown(Quoting.shell(key.item.name.text))) NEW")
      }
      return try writing(
        SSHAgentUnit.publicFile(key.line), to: file, SSHAgentUnit.isOwnPublicFile)
    }
  }

  private func removingPublicFiles() throws -> [Change] {
    let folder = try publicFolder()
    let files = ((try? UserFile.names(in: folder)) ?? []).filter { $0.ends(with: ".pub") }.sorted()
    return try files.compactMap { name in
      let file = ConfigurationFile(path: "\(folder)/\(name)")
      return try removing(file, SSHAgentUnit.isOwnPublicFile)
    }
  }

  /// Writes a file, if nobody has written or changed it but this program.
  private func writing(
    _ text: String, to file: ConfigurationFile, _ isOwn: (String) -> Bool?
  ) throws -> Change? {
    let before = try file.text()
    if before == text { return nil }
    switch before.isEmpty ? true : isOwn(before) {
    case nil:
      throw CommandError(
        .connectedOtherwise, "\(file.path) contains something else",
        hint: "move it away, and connect again")
    case false?:
      throw CommandError(
        .connectionChanged, "\(file.path) has been changed since",
        hint: "move it away, and connect again")
    case true?:
      return Change(path: file.path, lines: ConfigurationFile.lines(of: text)) {
        try file.replace(with: text)
      }
    }
  }

  /// Removes a file that only this program has written.
  private func removing(_ file: ConfigurationFile, _ isOwn: (String) -> Bool?) throws -> Change? {
    let text = try file.text()
    switch isOwn(text) {
    case nil: return nil
    case false?:
      throw CommandError(
        .connectionChanged, "\(file.path) has been changed since",
        hint: "remove what you do not want, and the file")
    case true?:
      return Change(path: file.path, lines: file.removedLines(of: text)) {
        try file.removeText()
      }
    }
  }

  // MARK: git

  func signingFile() throws -> String {
    try "\(configurationFolder())/\(SigningConfiguration.settingsPath)"
  }

  private func signersFile() throws -> String {
    try "\(configurationFolder())/\(SigningConfiguration.signersPath)"
  }

  func connectingSigning() throws -> [Change] {
    let name = try signingKey.map { try ItemName($0) }
    let keys = try settings.withVault { vault in
      try SSHKeyRequest.publicKeys(in: vault.read(), names: [name].compactMap(\.self))
    }
    guard let key = keys.first, keys.count == 1 else {
      throw CommandError.usage(
        keys.isEmpty ? "the vault has no key of ssh" : "the vault has several keys of ssh",
        hint: keys.isEmpty
          ? "make one: \(ProgramName.current) ssh keygen NAME"
          : "name one: \(ProgramName.current) connect git-sign "
            + Quoting.shell(keys[0].item.name.text))
    }
    let signers = try signersFile()
    let email = try? ChildProgram.run(
      ["git", "config", "--global", "user.email"], input: .nothing, limit: 4096)
    let words = email?.output.withBytes { bytes in
      bytes.array(0..<bytes.byteCount).split { $0 == 0x20 || $0 == 0x0A }
        .map { String(decoding: $0, as: UTF8.self) }
    }
    let texts = [
      (
        try signingFile(), SigningConfiguration.settings(publicKey: key.line, signers: signers),
        SigningConfiguration.isOwnSettings
      ),
      (
        signers,
        SigningConfiguration.signers(
          publicKey: key.line, email: words?.count == 1 ? words?.first : nil),
        SigningConfiguration.isOwnSigners
      ),
    ]
    let files = try texts.compactMap { path, text, isOwn in
      try writing(text, to: ConfigurationFile(path: path), isOwn)
    }
    return try files + addingBlock()
  }

  func disconnectingSigning() throws -> [Change] {
    let files = try [
      (signingFile(), SigningConfiguration.isOwnSettings),
      (signersFile(), SigningConfiguration.isOwnSigners),
    ].compactMap { path, isOwn in try removing(ConfigurationFile(path: path), isOwn) }
    return try removingBlock() + files
  }
}
