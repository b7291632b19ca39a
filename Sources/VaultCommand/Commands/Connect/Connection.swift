import FoundationEssentials
import VaultProtocols
import VaultStorage
import VaultTerminal

/// Another program's settings that make it ask the vault.
struct Connection {
  enum Program: String, CaseIterable { case git, docker, podman, aws, pip }

  /// What is to be changed, or was.
  struct Change {
    let path: String
    /// The lines that are added or taken away.
    let lines: [String]
    let perform: () throws -> Void
  }

  let program: Program
  /// For aws.
  let profile: String
  /// For docker: the only registry that is meant.
  let registry: DockerRegistry?
  let settings: VaultSettings

  init(_ word: String, part: String?, settings: VaultSettings) throws {
    guard let program = Program(rawValue: word) else {
      throw CommandError.usage(
        "there is no such program",
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
        "\(program.rawValue) cannot be told which vault to ask", hint: "set VAULT_NAME for it")
    }
  }

  /// The changes that connect; none where all is done.
  func connecting() throws -> [Change] {
    switch program {
    case .docker:
      return try changingDocker {
        try registry?.added(to: $0) ?? (registry == nil ? DockerConfiguration.added(to: $0) : nil)
      }
    case .podman: return try addingPodman()
    case .git, .aws: return try addingBlock()
    case .pip: return try makingLink() + addingBlock()
    }
  }

  /// The changes that take back what ``connecting()`` did, and nothing else.
  func disconnecting() throws -> [Change] {
    switch program {
    case .docker:
      return try changingDocker {
        try registry?.removed(from: $0)
          ?? (registry == nil ? DockerConfiguration.removed(from: $0) : nil)
      }
    case .podman: return try removingPodman()
    case .git, .aws: return try removingBlock()
    case .pip: return try removingBlock() + removingLink()
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
      // git-config(1), FILES: the second one only where the first is missing.
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
        .connectedOtherwise, "\(file.path) holds something else",
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

  /// This command with the options of this vault, and further words.
  private func command(_ words: [String]) throws -> [String] {
    var options: [String] = []
    if let home = settings.home { options += ["--home", home] }
    if let name = settings.vaultName { options += ["--vault", name] }
    return [try executable()] + options + words
  }

  /// The file that runs: a link on the way to it may be somebody else's tomorrow.
  private func executable() throws -> String {
    do {
      return try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    } catch {
      throw CommandError(
        .noProc, "/proc is not there to say where this command is")
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
