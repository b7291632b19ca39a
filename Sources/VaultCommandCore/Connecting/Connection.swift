import FoundationEssentials
package import VaultProtocols
import VaultStorage
import VaultTerminal

/// The changes to another program's configuration that make it ask the vault.
///
/// VaultProtocols says what is written; this type finds the files and writes them.
package struct Connection {
  package enum Program: String, CaseIterable { case git, docker, podman, aws, pip, keyring }

  /// A change to a file, planned or made.
  package struct Change {
    package let path: String
    /// The lines that are added or removed.
    package let lines: [String]
    package let perform: () throws -> Void
  }

  package let program: Program
  /// The AWS profile.
  package let profile: String
  /// The docker registry; `nil` for all of them.
  package let registry: DockerRegistry?
  package let settings: VaultSettings

  package init(_ word: String, part: String?, settings: VaultSettings) throws {
    guard let program = Program(rawValue: word) else {
      throw CommandError.usage(
        "unknown program",
        hint: "known: \(Program.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    guard part == nil || program == .aws || program == .docker else {
      throw CommandError.usage("only aws has profiles, and only docker registries")
    }
    self.program = program
    profile = program == .aws ? part ?? "default" : "default"
    registry = program == .docker ? try part.map { try DockerRegistry($0) } : nil
    self.settings = settings
    try MarkedBlock.checkProfile(self.profile)
    if settings.vaultName != nil || settings.home != nil,
      [.docker, .podman, .pip].contains(program)
    {
      throw CommandError.usage(
        "\(program.rawValue) cannot select a vault", hint: "set VAULT_NAME in its environment")
    }
  }

  /// Returns the changes that connect the program; none if it is connected.
  package func connecting() throws -> [Change] {
    switch program {
    case .docker:
      return try changingDocker {
        try registry?.added(to: $0) ?? (registry == nil ? DockerConfiguration.added(to: $0) : nil)
      }
    case .podman: return try addingPodman()
    case .git, .aws: return try addingBlock()
    case .pip: return try makingLink() + addingBlock()
    case .keyring: return try addingActivation()
    }
  }

  /// Returns the changes that take back what ``connecting()`` did, and nothing else.
  package func disconnecting() throws -> [Change] {
    switch program {
    case .docker:
      return try changingDocker {
        try registry?.removed(from: $0)
          ?? (registry == nil ? DockerConfiguration.removed(from: $0) : nil)
      }
    case .podman: return try removingPodman()
    case .git, .aws: return try removingBlock()
    case .pip: return try removingBlock() + removingLink()
    case .keyring: return try removingActivation()
    }
  }

  // MARK: Files

  private func home() throws -> String {
    guard let home = ProcessState.variable("HOME"), home.begins(with: "/") else {
      throw CommandError(.noHome, "HOME is not set")
    }
    return home
  }

  private func configurationFolder() throws -> String {
    if let folder = ProcessState.variable("XDG_CONFIG_HOME"), folder.begins(with: "/") {
      return folder
    }
    return try home() + "/.config"
  }

  private func dockerPath() throws -> String {
    try (ProcessState.variable("DOCKER_CONFIG") ?? home() + "/.docker") + "/config.json"
  }

  private func blockPath() throws -> String {
    switch program {
    case .aws: return try ProcessState.variable("AWS_CONFIG_FILE") ?? home() + "/.aws/config"
    case .pip: return try configurationFolder() + "/pip/pip.conf"
    default:
      // git-config(1), FILES: the second file is used only if the first does not exist.
      if let path = ProcessState.variable("GIT_CONFIG_GLOBAL") { return path }
      let (first, second) = (try home() + "/.gitconfig", try configurationFolder() + "/git/config")
      let manager = FileManager.default
      return !manager.fileExists(atPath: first) && manager.fileExists(atPath: second)
        ? second : first
    }
  }

  private func changingDocker(_ change: (String) throws -> String?) throws -> [Change] {
    let file = ConfigurationFile(path: try dockerPath())
    guard let text = try change(try file.text()) else { return [] }
    return [
      Change(path: file.path, lines: [registry?.setting ?? DockerConfiguration.setting]) {
        try file.replace(with: text)
      }
    ]
  }

  // MARK: podman

  private func podmanFile() throws -> ConfigurationFile {
    ConfigurationFile(path: try configurationFolder() + "/" + PodmanConfiguration.path)
  }

  private func addingPodman() throws -> [Change] {
    let file = try podmanFile()
    switch try file.text() {
    case PodmanConfiguration.text: return []
    case "": break
    default:
      throw CommandError(
        .connectedOtherwise, "\(file.path) contains something else",
        hint: "move it away, and connect again")
    }
    return [
      Change(path: file.path, lines: PodmanConfiguration.lines) {
        try file.replace(with: PodmanConfiguration.text)
      }
    ]
  }

  private func removingPodman() throws -> [Change] {
    let file = try podmanFile()
    guard try file.text() == PodmanConfiguration.text else { return [] }
    return [
      Change(path: file.path, lines: PodmanConfiguration.lines) {
        try FileManager.default.removeItem(atPath: file.path)
      }
    ]
  }

  // MARK: The desktop keyring

  private func activationFiles() throws -> [(file: ConfigurationFile, text: String)] {
    let data =
      try ProcessState.variable("XDG_DATA_HOME").flatMap { $0.begins(with: "/") ? $0 : nil }
      ?? home() + "/.local/share"
    let activation = KeyringActivation(
      command: try command(["keyring", "serve", "--bus"], inOtherEnvironment: true))
    return [
      (ConfigurationFile(path: "\(data)/\(KeyringActivation.servicePath)"), activation.service),
      (
        ConfigurationFile(path: try configurationFolder() + "/\(KeyringActivation.unitPath)"),
        activation.unit
      ),
    ]
  }

  private func addingActivation() throws -> [Change] {
    try activationFiles().compactMap { file, text in
      let before = try file.text()
      if before == text { return nil }
      guard before.isEmpty || KeyringActivation.isOwn(before, like: text) == true else {
        throw CommandError(
          .connectedOtherwise, "\(file.path) contains something else",
          hint: "move it away, and connect again")
      }
      return Change(path: file.path, lines: ConfigurationFile.lines(of: text)) {
        try file.replace(with: text)
      }
    }
  }

  private func removingActivation() throws -> [Change] {
    try activationFiles().compactMap { file, text in
      let before = try file.text()
      switch KeyringActivation.isOwn(before, like: text) {
      case nil: return nil
      case false?:
        throw CommandError(
          .connectionChanged, "\(file.path) has been changed since",
          hint: "remove what you do not want, and the file")
      case true?:
        return Change(path: file.path, lines: ConfigurationFile.lines(of: before)) {
          try FileManager.default.removeItem(atPath: file.path)
        }
      }
    }
  }

  /// The key file that opens the vault where nobody can be asked; `nil` without one.
  package var keyFile: String? {
    settings.keyFile ?? ProcessState.variable(EnvironmentNames.keyFile)
  }

  // MARK: Blocks

  private func block() throws -> MarkedBlock {
    switch program {
    case .aws:
      return try .aws(profile: profile, command: command(["credential", "aws", profile]))
    case .pip: return .pip
    default: return try .git(command: command(["credential", "git"]))
    }
  }

  private func addingBlock() throws -> [Change] {
    let file = ConfigurationFile(path: try blockPath())
    let before = try file.text()
    let (after, block) = try block().added(to: before)
    guard after != before else { return [] }
    return [Change(path: file.path, lines: block) { try file.replace(with: after) }]
  }

  private func removingBlock() throws -> [Change] {
    let file = ConfigurationFile(path: try blockPath())
    let before = try file.text()
    guard let after = try block().removed(from: before) else { return [] }
    return [Change(path: file.path, lines: try lines(in: before)) { try file.replace(with: after) }]
  }

  private func lines(in text: String) throws -> [String] {
    let block = try block()
    return block.lines(in: text)
  }

  /// Returns the words that run this command for this vault.
  ///
  /// - Parameters:
  ///   - words: The verb and what follows it.
  ///   - hasOwnEnvironment: Whether the words are run with another environment than this one: then
  ///     they have what this environment says, and the key file.
  /// - Returns: The words, the first of which is the path of this program.
  /// - Throws: ``CommandError`` with code `no-proc` or `usage`.
  private func command(
    _ words: [String], inOtherEnvironment hasOwnEnvironment: Bool = false
  ) throws -> [String] {
    var options: [String] = []
    func variable(_ name: String) -> String? {
      hasOwnEnvironment ? ProcessState.variable(name) : nil
    }
    if let home = settings.home ?? variable(EnvironmentNames.home) { options += ["--home", home] }
    if let name = settings.vaultName ?? variable(EnvironmentNames.vaultName) {
      options += ["--vault", name]
    }
    if hasOwnEnvironment, let keyFile { options += ["--key-file", try absolute(keyFile)] }
    return [try executable()] + options + words
  }

  private func absolute(_ path: String) throws -> String {
    guard path != SecretInput.standardInput else {
      throw CommandError.usage(
        "a key file on stdin is there only once", hint: "name a file: --key-file PATH")
    }
    return path.begins(with: "/")
      ? path : FileManager.default.currentDirectoryPath + "/" + path
  }

  /// Returns the path of the running file, without links: a link may point elsewhere tomorrow.
  private func executable() throws -> String {
    do {
      return try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    } catch {
      throw CommandError(
        .noProc, "/proc is not mounted, so the path of this command is unknown")
    }
  }

  // MARK: The link for pip

  private func linkPath() throws -> String { try home() + "/.local/bin/keyring" }

  private func makingLink() throws -> [Change] {
    let (path, executable) = (try linkPath(), try executable())
    let manager = FileManager.default
    if let target = try? manager.destinationOfSymbolicLink(atPath: path) {
      if target == executable { return [] }
      throw otherKeyring(path)
    }
    guard !manager.fileExists(atPath: path) else { throw otherKeyring(path) }
    return [
      Change(path: path, lines: ["link to \(executable)"]) {
        try manager.createDirectory(
          atPath: String(path.dropLast("/keyring".count)), withIntermediateDirectories: true)
        try manager.createSymbolicLink(atPath: path, withDestinationPath: executable)
      }
    ]
  }

  private func otherKeyring(_ path: String) -> CommandError {
    CommandError(
      .connectedOtherwise, "\(path) is another program's",
      hint: "move it away, and connect again")
  }

  private func removingLink() throws -> [Change] {
    let (path, executable) = (try linkPath(), try executable())
    let manager = FileManager.default
    guard (try? manager.destinationOfSymbolicLink(atPath: path)) == executable else { return [] }
    return [
      Change(path: path, lines: ["link to \(executable)"]) { try manager.removeItem(atPath: path) }
    ]
  }
}
