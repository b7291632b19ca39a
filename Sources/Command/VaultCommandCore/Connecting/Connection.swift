import Glibc
import VaultCredentials
package import VaultProtocols
import VaultStorage
import VaultSync
import VaultTerminal

/// The changes to another program's configuration that make it ask the vault.
///
/// VaultProtocols says what is written; this type finds the files and writes them.
package struct Connection {
  package enum Program: String, CaseIterable {
    case git, docker, podman, aws, pip, ssh, kubectl
    case gitSign = "git-sign"
    case keyring, session, sync, browser
  }

  /// A change to a file, planned or made.
  package struct Change {
    package let path: String
    /// The lines that are added or removed.
    package let lines: [String]
    package let perform: () throws -> Void

    package init(path: String, lines: [String], perform: @escaping () throws -> Void) {
      (self.path, self.lines, self.perform) = (path, lines, perform)
    }
  }

  package let program: Program
  /// The AWS profile.
  package let profile: String
  /// The item of the key that git signs with; `nil` for the only one.
  let signingKey: String?
  /// The user of kubectl's file; `nil` for the only one, or for all that are connected.
  let kubeUser: String?
  /// The browser; `nil` for all that are here.
  let browserName: String?
  /// The docker registry; `nil` for all of them.
  package let registry: DockerRegistry?
  /// Whether the keyring gets a bus of its own, on a socket of systemd.
  package let hasOwnBus: Bool
  /// Whether the vault and its store are kept together all the time, not every ten minutes.
  let isWatched: Bool
  /// Whether git's own helper in plain text goes on beside the vault: its files have more than what
  /// is moved.
  package var keepsClearTextHelper = false
  package let settings: VaultSettings

  /// The word for it.
  private static let socketPart = "socket"
  private static let watchPart = "watch"

  package init(_ word: String, part: String?, settings: VaultSettings) throws {
    guard let program = Program(rawValue: word) else {
      let file = ClearTextProgram(word: word)
      let move =
        file.map { _ in
          "; what it keeps in plain text: \(ProgramName.current) connect \(word) --move"
        } ?? ""
      if let line = Self.linesByHand[word] ?? file.flatMap({ Self.linesByHand[$0.connection] }) {
        throw CommandError.usage(
          "\(word) is set up by hand", hint: line + Self.variables(for: line, settings) + move)
      }
      if let file {
        throw CommandError.usage(
          "\(word) is a file of secrets, which \(file.connection) can get from the vault",
          hint: "\(ProgramName.current) connect \(file.connection)\(move)")
      }
      throw CommandError.usage(
        "unknown program",
        hint:
          "known: \(Program.allCases.map(\.rawValue).joined(separator: ", ")); with a line to type: "
          + Self.linesByHand.keys.filter { $0 != "all" }.sorted().joined(separator: ", "))
    }
    guard
      part == nil || [.aws, .docker, .gitSign, .kubectl, .browser].contains(program)
        || program == .keyring && part == Self.socketPart
        || program == .sync && part == Self.watchPart
    else {
      let choice: String? =
        switch program {
        case .keyring: Self.socketPart
        case .sync: Self.watchPart
        default: nil
        }
      throw CommandError.usage(
        "only aws has profiles, only docker registries, only kubectl users, only git-sign keys, only "
          + "browser browsers, only keyring '\(Self.socketPart)', and only sync '\(Self.watchPart)'",
        hint: Self.oneAtATime(part)
          ?? "\(ProgramName.current) connect \(word)"
          + (choice.map { ", or \(ProgramName.current) connect \(word) \($0)" } ?? ""))
    }
    hasOwnBus = program == .keyring && part != nil
    isWatched = program == .sync && part != nil
    self.program = program
    signingKey = program == .gitSign ? part : nil
    profile = program == .aws ? part ?? "default" : "default"
    browserName = program == .browser ? part : nil
    kubeUser = program == .kubectl ? part : nil
    registry = program == .docker ? try part.map { try DockerRegistry($0) } : nil
    self.settings = settings
    try MarkedBlock.checkProfile(self.profile)
    if settings.vaultName != nil || settings.home != nil,
      [.docker, .podman, .pip].contains(program)
    {
      throw CommandError.usage(
        "\(program.rawValue) cannot select a vault",
        hint: settings.home != nil
          ? "set VAULT_HOME in its environment, and here"
          : "set VAULT_NAME in its environment, and here")
    }
  }

  /// What says which vault is meant, where the line starts this command by another name.
  private static func variables(for line: String, _ settings: VaultSettings) -> String {
    guard line.contains(bytes: "vault-askpass") else { return "" }
    let named = [
      (EnvironmentNames.home, settings.home), (EnvironmentNames.vaultName, settings.vaultName),
    ]
    let words = named.compactMap { name, value in value.map { "\(name)=\(Quoting.shell($0))" } }
    return words.isEmpty ? "" : "; for this vault: export \(words.joined(separator: " "))"
  }

  /// What to type where a second program stands in the place of a part of the first.
  private static func oneAtATime(_ part: String?) -> String? {
    guard let part, Program(rawValue: part) != nil || linesByHand[part] != nil else { return nil }
    return "one program at a time: \(ProgramName.current) connect \(part)"
  }

  /// Refuses a part that is none, before a setting is written that nothing ever uses.
  private func checkPart() throws {
    switch program {
    case .docker:
      guard registry?.name.utf8.contains(0x40) != true else {
        throw CommandError.usage(
          "the address holds a user name or a password, which others could read",
          hint:
            "without what stands before the @: \(ProgramName.current) connect docker HOST; docker "
            + "login stores the password in the vault then")
      }
      // The reference grammar of images: without a dot, a port or this name it is no host.
      guard let name = registry?.name, !name.isSame(as: "localhost"),
        !name.utf8.contains(where: { ".:".utf8.contains($0) })
      else { return }
      throw CommandError.usage(
        "a registry is a host, and docker takes no '\(StandardOutput.shown(name))' for one",
        hint: Self.oneAtATime(name)
          ?? "such as: \(ProgramName.current) connect docker ghcr.io; in your network: HOST:PORT; all of "
          + "them: \(ProgramName.current) connect docker")
    case .aws:
      guard !profile.isSame(as: "default"), try !isProfile() else { return }
      let name = profile.utf8.contains(0x3D) ? "PROFILE" : Quoting.typed(profile)
      throw CommandError.usage(
        "aws has no profile \(LineValue.shown(profile)), and the vault has no keys for one",
        hint: Self.oneAtATime(profile)
          ?? "store its keys first: \(ProgramName.current) set aws/\(name) --attribute "
          + "\(AWSRequest.keyAttribute)=ID; it asks for the secret key")
    default: return
    }
  }

  /// Whether aws knows the profile, or the vault has its keys; a vault that does not open without a
  /// question may have them.
  private func isProfile() throws -> Bool {
    let credentials =
      try StoreLocation.place("AWS_SHARED_CREDENTIALS_FILE") ?? home() + "/.aws/credentials"
    for path in [try blockPath(), credentials] {
      let text = (try? ConfigurationFile(path: path).text()) ?? ""
      let sections = SectionedText(text).settings.map(\.section)
      if sections.contains(where: { ClearTextProgram.aws.part(of: $0).isSame(as: profile) }) {
        return true
      }
    }
    let vault = try settings.locked(asksNobody: true)
    guard try vault.blocking.exists() else { return false }
    guard
      let open = try? vault.blocking.unlock(
        with: UnlockSources(settings: settings, vault: vault).withoutAsking().map(\.source)),
      let snapshot = try? open.blocking.read()
    else { return true }
    return (try? ItemName("aws/\(profile)")).flatMap { snapshot[$0] } != nil
  }

  /// What ``connecting()`` returns.
  func changesToConnect() throws -> [Change] {
    try checkPart()
    switch program {
    case .docker: return try connectingDocker()
    case .podman: return try connectingPodman()
    case .git, .aws: return try addingBlock()
    case .pip: return try makingLink(try pipLink()) + addingBlock()
    case .ssh: return try connectingSSH()
    case .kubectl: return try connectingKubectl()
    case .gitSign: return try connectingSigning()
    case .keyring where hasOwnBus:
      return try adding(try socketFiles()) + makingLink(try socketLink())
    case .keyring: return try adding(try activationFiles())
    case .session: return try adding(try sessionFiles()) + makingLink(try sessionLink())
    case .sync where isWatched:
      return try adding(try watchFiles()) + makingLink(try watchLink())
    case .sync: return try adding(try timerFiles()) + makingLink(try timerLink())
    case .browser: return try connectingBrowsers()
    }
  }

  /// Returns the changes that take back what ``connecting()`` did, and nothing else.
  package func disconnecting() throws -> [Change] {
    switch program {
    case .docker: return try disconnectingDocker()
    case .podman: return try disconnectingPodman()
    case .git, .aws: return try removingBlock()
    case .pip: return try removingBlock() + removingLink(try pipLink())
    case .ssh: return try disconnectingSSH()
    case .kubectl: return try disconnectingKubectl()
    case .gitSign: return try disconnectingSigning()
    case .keyring where hasOwnBus:
      return try removing(try socketFiles()) + removingLink(try socketLink())
    case .keyring: return try removing(try activationFiles())
    case .session: return try removing(try sessionFiles()) + removingLink(try sessionLink())
    case .sync where isWatched:
      return try removing(try watchFiles()) + removingLink(try watchLink())
    case .sync: return try removing(try timerFiles()) + removingLink(try timerLink())
    case .browser: return try disconnectingBrowsers()
    }
  }

  // MARK: Files

  func home() throws -> String {
    guard let home = StoreLocation.namedHome(ProcessState.variable) else {
      throw Self.noHome
    }
    // Refused where it is no text: another folder would be made beside it.
    _ = try StoreLocation.place("HOME")
    return home
  }

  /// What is said where `HOME` names none, whatever the user database says.
  static let noHome = CommandError(
    .noHome, "HOME names no home in which files could be found or changed",
    hint: "set HOME to an absolute path")

  func configurationFolder() throws -> String {
    if let folder = try StoreLocation.place("XDG_CONFIG_HOME"), folder.begins(with: "/") {
      return folder
    }
    return try home() + "/.config"
  }

  func dockerPath() throws -> String {
    try (StoreLocation.place("DOCKER_CONFIG") ?? home() + "/.docker") + "/config.json"
  }

  func blockPath() throws -> String {
    switch program {
    case .aws: return try StoreLocation.place("AWS_CONFIG_FILE") ?? home() + "/.aws/config"
    case .pip: return try configurationFolder() + "/pip/pip.conf"
    case .ssh: return try home() + "/.ssh/config"
    default:
      // git-config(1), FILES: the second file is used only if the first does not exist.
      if let path = try StoreLocation.place("GIT_CONFIG_GLOBAL") { return path }
      let (first, second) = (try home() + "/.gitconfig", try configurationFolder() + "/git/config")
      return !UserFile.exists(first) && UserFile.exists(second) ? second : first
    }
  }

  // MARK: Units

  /// A file that is written as a whole, and known again by its first line.
  struct OwnFile {
    let file: ConfigurationFile
    let text: String
    /// `nil` if a text is none of ours; `false` if it was changed since.
    let isOwn: (String, String) -> Bool?
  }

  private func activationFiles() throws -> [OwnFile] {
    let data =
      try StoreLocation.place("XDG_DATA_HOME").flatMap { $0.begins(with: "/") ? $0 : nil }
      ?? home() + "/.local/share"
    let activation = KeyringActivation(
      command: try command(["keyring", "serve", "--bus"], inOtherEnvironment: true))
    let folder = try configurationFolder()
    return Self.ownFiles(
      [
        ("\(data)/\(KeyringActivation.servicePath)", activation.service),
        ("\(folder)/\(KeyringActivation.unitPath)", activation.unit),
      ], KeyringActivation.isOwn)
  }

  /// Files by their paths and texts, of one kind.
  static func ownFiles(
    _ files: [(path: String, text: String)], _ isOwn: @escaping (String, String) -> Bool?
  ) -> [OwnFile] {
    files.map { OwnFile(file: ConfigurationFile(path: $0.path), text: $0.text, isOwn: isOwn) }
  }

  private func socketFiles() throws -> [OwnFile] {
    let activation = KeyringActivation(
      command: try command(["keyring", "serve", "--socket"], inOtherEnvironment: true))
    let folder = try configurationFolder()
    return Self.ownFiles(
      [
        ("\(folder)/\(KeyringActivation.socketPath)", activation.socket),
        ("\(folder)/\(KeyringActivation.socketServicePath)", activation.socketService),
      ], KeyringActivation.isOwn)
  }

  private func socketLink() throws -> Link {
    Link(
      path: try "\(configurationFolder())/\(KeyringActivation.socketLinkPath)",
      target: KeyringActivation.socketLinkTarget)
  }

  private func sessionFiles() throws -> [OwnFile] {
    // All vaults: it is told of none.
    let unit = SessionUnit(command: [try executable(), "lock", "--watch"])
    return Self.ownFiles(
      [("\(try configurationFolder())/\(SessionUnit.path)", unit.text)], SessionUnit.isOwn)
  }

  private func sessionLink() throws -> Link {
    Link(
      path: "\(try configurationFolder())/\(SessionUnit.linkPath)", target: SessionUnit.linkTarget)
  }

  /// The timer that brings the vault and its store together.
  private func timer() throws -> SyncTimer {
    SyncTimer(
      vault: settings.vaultName ?? ProcessState.variable(EnvironmentNames.vaultName),
      command: try command(["sync", "now", "--unattended"], inOtherEnvironment: true))
  }

  /// What keeps the vault and its store together all the time.
  private func service() throws -> SyncService {
    SyncService(
      vault: settings.vaultName ?? ProcessState.variable(EnvironmentNames.vaultName),
      command: try command(["sync", "watch"], inOtherEnvironment: true))
  }

  private func watchFiles() throws -> [OwnFile] {
    let service = try service()
    return Self.ownFiles(
      [("\(try configurationFolder())/\(service.path)", service.text)], SyncService.isOwn)
  }

  private func watchLink() throws -> Link {
    let service = try service()
    return Link(
      path: "\(try configurationFolder())/\(service.linkPath)", target: service.linkTarget)
  }

  /// What a person is told after connecting: what is left to do, and the line for it.
  package func nextSteps() throws -> [(text: String, hint: String)] {
    let reload = "systemctl --user daemon-reload && systemctl --user start"
    var steps: [(text: String, hint: String)] = []
    if [.keyring, .sync, .ssh].contains(program), keyFile == nil {
      let starter =
        isWatched
        ? "systemd"
        : program == .sync ? "the timer" : hasOwnBus || program == .ssh ? "the socket" : "the bus"
      let words =
        program.rawValue
        + (hasOwnBus ? " \(Self.socketPart)" : isWatched ? " \(Self.watchPart)" : "")
      steps.append(
        (
          "nobody is asked when \(starter) starts the vault: a session or a systemd credential has to open it",
          "or a key file: \(ProgramName.current) connect \(words) --key-file PATH"
        ))
    }
    if program == .sync,
      let path = try? settings.locked(asksNobody: true).path, !SyncedVault.isJoined(vaultAt: path)
    {
      steps.append(
        (
          "this vault belongs to no space yet, and nothing is brought anywhere until it does",
          "begin: \(ProgramName.current) sync init STORE; or join: \(ProgramName.current) sync join STORE"
        ))
    }
    steps += stepsOutsideOfItsSettings()
    switch program {
    case .pip:
      steps.append(
        (
          "twine does not run this command: give it the token in the environment",
          "\(ProgramName.current) run --env TWINE_PASSWORD=NAME -- twine upload -u __token__ dist/*"
        ))
    case .session:
      steps += [
        (
          "the vaults lock on sleep, a locked screen and logout from your next login on",
          "now: \(reload) \(SessionUnit.name)"
        ),
        (
          "what opens without asking opens again: a key file, the desktop's keyring, a systemd credential",
          "to be asked, have a passphrase alone: \(ProgramName.current) key list"
        ),
      ]
    case .sync where isWatched:
      steps.append(
        (
          "the vault and its store are kept together from your next login on",
          "now: \(reload) \(try service().name)"
        ))
    case .sync:
      steps.append(
        ("the timer runs from your next login on", "now: \(reload) \(try timer().timerName)"))
    case .ssh:
      steps.append(
        (
          "the agent is there from your next login on",
          "now: \(reload) \(SSHAgentUnit.socketUnit)"
        ))
    case .gitSign:
      steps.append(
        (
          "git's ssh-keygen finds the agent by SSH_AUTH_SOCK alone",
          "\(ProgramName.current) ssh-agent -- git commit -S, or after '\(ProgramName.current) connect ssh': "
            + "export SSH_AUTH_SOCK=$XDG_RUNTIME_DIR/\(SSHAgentUnit.socketFile)"
        ))
    case .keyring where hasOwnBus:
      steps.append(
        (
          "programs find this keyring with DBUS_SESSION_BUS_ADDRESS=\(KeyringActivation.socketAddress)",
          "the socket is there from your next login on; now: \(reload) \(KeyringActivation.socketUnit)"
        ))
    case .browser: steps += try nextStepsOfBrowsers()
    default: break
    }
    return try steps + clearText()
  }

  private func timerFiles() throws -> [OwnFile] {
    let (timer, folder) = (try timer(), try configurationFolder())
    return Self.ownFiles(
      [
        ("\(folder)/\(timer.servicePath)", timer.service),
        ("\(folder)/\(timer.timerPath)", timer.timer),
      ], SyncTimer.isOwn)
  }

  private func timerLink() throws -> Link {
    let timer = try timer()
    return Link(path: "\(try configurationFolder())/\(timer.linkPath)", target: timer.linkTarget)
  }

  func adding(_ files: [OwnFile]) throws -> [Change] {
    try files.compactMap { own in
      let (file, text) = (own.file, own.text)
      let before = try file.text()
      if before == text { return nil }
      guard before.isEmpty || own.isOwn(before, text) == true else {
        throw CommandError(
          .connectedOtherwise, "\(file.path) contains something else",
          hint: "move it away, and connect again")
      }
      return Change(path: file.path, lines: ConfigurationFile.lines(of: text)) {
        try file.replace(with: text)
      }
    }
  }

  func removing(_ files: [OwnFile]) throws -> [Change] {
    try files.compactMap { own in
      let file = own.file
      let before = try file.text()
      switch own.isOwn(before, own.text) {
      case nil: return nil
      case false?:
        throw CommandError(
          .connectionChanged, "\(file.path) has been changed since",
          hint: "remove what you do not want, and the file")
      case true?:
        return Change(path: file.path, lines: file.removedLines(of: before)) {
          try file.removeText()
        }
      }
    }
  }

  /// The key file that opens the vault where nobody can be asked; `nil` without one.
  package var keyFile: String? {
    settings.keyFile ?? ProcessState.variable(EnvironmentNames.keyFile)
  }

  // MARK: Blocks

  func block() throws -> MarkedBlock {
    switch program {
    case .ssh: return SSHAgentUnit.configuration(socket: Self.agentSocket)
    case .gitSign: return SigningConfiguration.block(including: try signingFile())
    case .aws:
      return try .aws(
        profile: profile, command: command(["credential", "aws", profile]),
        in: ConfigurationFile(path: blockPath()).text())
    case .pip: return .pip
    default:
      let isAlone = try !keepsClearTextHelper && hasClearTextHelper()
      return try .git(
        command: command(["credential", "git"]), isAlone: isAlone,
        keeping: isAlone ? Self.helpersToKeep() : [])
    }
  }

  func addingBlock() throws -> [Change] {
    let file = ConfigurationFile(path: try blockPath())
    let before = try file.text()
    let (after, block) = try block().added(to: before)
    guard after != before else { return [] }
    return [Change(path: file.path, lines: block) { try file.replace(with: after) }]
  }

  func removingBlock() throws -> [Change] {
    let file = ConfigurationFile(path: try blockPath())
    let before = try file.text()
    guard let after = try block().removed(from: before) else { return [] }
    return [Change(path: file.path, lines: try lines(in: before)) { try file.replace(with: after) }]
  }

  private func lines(in text: String) throws -> [String] {
    let block = try block()
    return block.lines(in: text)
  }
}
