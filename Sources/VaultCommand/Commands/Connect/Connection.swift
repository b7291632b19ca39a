import FoundationEssentials
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
    guard ServiceCredential.isPlain(self.profile), !self.profile.unicodeScalars.contains("]"),
      !self.profile.isEmpty
    else { throw CommandError.usage("this is no name of a profile") }
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

  /// A file of our own beside podman's, which is read in addition.
  ///
  /// A registries.conf of the user's would take the place of the system's. containers-registries.conf.d(5).
  private func podmanFile() throws -> ConfigurationFile {
    ConfigurationFile(
      path: try configurationFolder() + "/containers/registries.conf.d/50-vault.conf")
  }

  private static let podmanLines = [
    "# >>> vault connect podman", "credential-helpers = [\"vault\", \"containers-auth.json\"]",
    "# <<< vault connect podman",
  ]

  private static var podmanText: String { podmanLines.map { $0 + "\n" }.joined() }

  private func addingPodman() throws -> [Change] {
    let file = try podmanFile()
    switch try file.text() {
    case Self.podmanText: return []
    case "": break
    default:
      throw CommandError(
        .connectedOtherwise, "\(file.path) holds something else",
        hint: "move it away, and connect again")
    }
    return [
      Change(path: file.path, lines: Self.podmanLines) { try file.replace(with: Self.podmanText) }
    ]
  }

  private func removingPodman() throws -> [Change] {
    let file = try podmanFile()
    guard try file.text() == Self.podmanText else { return [] }
    return [
      Change(path: file.path, lines: Self.podmanLines) {
        try FileManager.default.removeItem(atPath: file.path)
      }
    ]
  }

  // MARK: Blocks

  private func block() throws -> MarkedBlock {
    switch program {
    case .aws:
      let section = profile == "default" ? "[default]" : "[profile \(profile)]"
      return MarkedBlock(
        title: "connect aws \(profile)", section: section,
        settings: ["credential_process = \(try command(["credential", "aws", profile]))"])
    case .pip:
      return MarkedBlock(
        title: "connect pip", section: "[global]", settings: ["keyring-provider = subprocess"])
    default:
      let command = try command(["credential", "git"])
      // gitcredentials(7): an absolute path is taken for a command with its words.
      let value = command.begins(with: "/") ? command : "!\(command)"
      return MarkedBlock(
        title: "connect git", section: "[credential]",
        settings: ["helper = \(Quoting.gitSetting(value))"],
        allowsOthers: true)
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

  /// This command, as a shell and AWS's own splitting both read it: some of AWS's tools start a shell, others
  /// split the line themselves.
  private func command(_ words: [String]) throws -> String {
    var options: [String] = []
    if let home = settings.home { options += ["--home", home] }
    if let name = settings.vaultName { options += ["--vault", name] }
    let double = program == .aws
    return try ([try executable()] + options + words).map { word in
      let isPlain = word.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
          || [0x2D, 0x2E, 0x2F, 0x5F, 0x2B, 0x3A, 0x40].contains($0)
      }
      if isPlain, !word.isEmpty { return word }
      // In double quotes a shell acts on more than the quote.
      let special = (double ? "\"$`" : "'") + "\\"
      guard !word.utf8.contains(where: special.utf8.contains), ServiceCredential.isPlain(word)
      else {
        throw CommandError.usage(
          "a path or name holds \(double ? "one of \" $ ` \\" : "' or \\"), "
            + "which cannot be written there")
      }
      return double ? "\"\(word)\"" : "'\(word)'"
    }.joined(separator: " ")
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
