import VaultProtocols
import VaultStorage
import VaultTerminal

// docker and podman: their settings, and the name by which both start this command.

extension Connection {
  /// That name: they look for it in PATH.
  private static let helper = "docker-credential-vault"

  // MARK: docker

  func connectingDocker() throws -> [Change] {
    try changingDocker {
      try registry?.added(to: $0) ?? (registry == nil ? DockerConfiguration.added(to: $0) : nil)
    } + makingHelperLink()
  }

  func disconnectingDocker() throws -> [Change] {
    let removed: (String) throws -> String? = {
      try registry?.removed(from: $0)
        ?? (registry == nil ? DockerConfiguration.removed(from: $0) : nil)
    }
    let text = try ConfigurationFile(path: dockerPath()).text()
    let isUsed = try DockerConfiguration.usesVault(removed(text) ?? text)
    return try changingDocker(removed)
      + (isUsed || isPodmanConnected() ? [] : removingHelperLink())
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

  private func isPodmanConnected() throws -> Bool {
    try podmanFile().text() == PodmanConfiguration.text
  }

  func connectingPodman() throws -> [Change] {
    let file = try podmanFile()
    switch try file.text() {
    case PodmanConfiguration.text: return try makingHelperLink()
    case "": break
    default:
      throw CommandError(
        .connectedOtherwise, "\(file.path) contains something else",
        hint: "move it away, and connect again")
    }
    let written = Change(path: file.path, lines: PodmanConfiguration.lines) {
      try file.replace(with: PodmanConfiguration.text)
    }
    return try [written] + makingHelperLink()
  }

  func disconnectingPodman() throws -> [Change] {
    let file = try podmanFile()
    let isUsed = DockerConfiguration.usesVault(
      (try? ConfigurationFile(path: dockerPath()).text()) ?? "")
    let link = isUsed ? [] : try removingHelperLink()
    guard try isPodmanConnected() else { return link }
    let removed = Change(
      path: file.path,
      lines: file.removedLines(of: PodmanConfiguration.lines.joined(separator: "\n"))
    ) { try file.removeText() }
    return [removed] + link
  }

  // MARK: The link

  /// A link beside the other programs of the user; `nil` where HOME names no home.
  private func helperLink() throws -> Link? {
    guard let home = try? home() else { return nil }
    return Link(path: "\(home)/.local/bin/\(Self.helper)", target: try executable())
  }

  /// Makes the link, unless PATH has a program of that name.
  private func makingHelperLink() throws -> [Change] {
    guard !ProcessState.isInPath(Self.helper), let link = try helperLink(),
      !UserFile.exists(link.path)
    else { return [] }
    // One that leads nowhere: this command stood elsewhere then.
    let isStale = UserFile.exists(link.path, followingLinks: false)
    let made = change(making: link)
    return [
      Change(path: made.path, lines: made.lines) {
        if isStale { try ConfigurationFile(path: link.path).remove() }
        try made.perform()
      }
    ]
  }

  private func removingHelperLink() throws -> [Change] {
    try helperLink().map { try removingLink($0) } ?? []
  }

  /// What a person is told of the program's environment, which no setting of its changes: the variable
  /// that says which vault is meant, and a PATH without its helper.
  ///
  /// - Returns: What is so, with what to do.
  package func stepsOutsideOfItsSettings() -> [(text: String, hint: String)] {
    var steps: [(text: String, hint: String)] = []
    if let variable = variableOfVault {
      steps.append(
        (
          "\(program.rawValue) cannot select a vault: this one is meant where \(variable) is set, as here",
          "set it for all programs of your session, such as in ~/.config/environment.d/vault.conf"
        ))
    }
    guard [.docker, .podman].contains(program), !ProcessState.isInPath(Self.helper) else {
      return steps
    }
    let folder = (try? home()).map { "\($0)/.local/bin" }
    // In a dry run the link is not there yet.
    if let folder, ProcessState.searchPath.contains(where: { $0.isSame(as: folder) }) {
      return steps
    }
    steps.append(
      (
        "\(program.rawValue) starts \(Self.helper) from PATH, where it is not: until it is, every "
          + "login fails",
        folder.map { "add its folder: export PATH=\(Quoting.typed($0)):$PATH" }
          ?? "make a link of that name to \(ProgramName.current) in a folder of PATH"
      ))
    return steps
  }
}
