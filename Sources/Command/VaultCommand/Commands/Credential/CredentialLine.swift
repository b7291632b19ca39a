import VaultCommandCore
import VaultCredentials
import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

/// A line of `vault credential`, recognized before the argument parser.
///
/// Prompts and services may begin with a `-` and are never options, so the parser must not see
/// them.
struct CredentialLine: Equatable {
  let face: CredentialProtocol
  let settings: VaultSettings
  let words: [String]

  init(face: CredentialProtocol, settings: VaultSettings, words: [String]) {
    self.face = face
    var settings = settings
    // What a program stores for itself is no change of the person's.
    settings.origin = .program
    self.settings = settings
    self.words = words
  }

  /// Reads a line; returns `nil` if its verb is not `credential`.
  ///
  /// Common options can stand before the verb, and behind the protocol's name.
  init?(_ arguments: [String]) {
    let (before, rest) = CommandLineParsing.leadingOptions(arguments)
    guard rest.first == CredentialCommand.verbName, let word = rest.dropFirst().first,
      let face = CredentialProtocol(rawValue: word)
    else { return nil }
    let said = Array(rest.dropFirst(2))
    guard said != ["--help"], said != ["-h"] else { return nil }
    let (behind, words) = Self.split(said, face)
    let options = before + behind
    guard
      let settings = VaultSettings(plain: options) ?? (try? VaultSettings(parsing: options))
    else { return nil }
    self.init(face: face, settings: settings, words: words)
  }

  /// Splits the words behind the protocol's name into common options and the program's own words.
  static func split(
    _ said: [String], _ face: CredentialProtocol
  ) -> (options: [String], words: [String]) {
    // A prompt can look like one of our options.
    guard face != .askpass else { return ([], said) }
    let (options, words) = CommandLineParsing.leadingOptions(said)
    return (options, Array(words))
  }

  func run() throws {
    if GuardClient.isInside, try runInside() { return }
    switch face {
    case .git: try runGit()
    case .docker: try runDocker()
    case .aws: try answer(try awsRequest())
    case .askpass:
      try answer(
        try AskpassRequest(
          words, kind: ProcessState.variable("SSH_ASKPASS_PROMPT"), caller: .parent))
    case .keyring: try answer(try keyringRequest())
    case .kubectl: try answer(try kubectlRequest())
    }
  }

  private func runGit() throws {
    let request = try GitRequest(
      words.last ?? "", input: try SecretInput.read(0, limit: GitRequest.inputLimit))
    do {
      try answer(request)
    } catch {
      // If the user cancels our prompt, git must not prompt as well: git-credential(1), `quit`.
      let isCancelled = CommandError(ownOrTerminal: error)?.code == .cancelled
      if isCancelled, words.last == "get" { try StandardOutput.write("quit=1\n") }
      throw error
    }
  }

  /// Sends the request out of the wall; false where its answer depends on no vault.
  private func runInside() throws -> Bool {
    switch (face, words) {
    case (.git, ["capability"]), (.docker, ["version"]): return false
    case (.docker, _): try tellingDocker { try GuardClient.answer(face, words) }
    default: try GuardClient.answer(face, words)
    }
    return true
  }

  private func runDocker() throws {
    try tellingDocker {
      guard words.count == 1, let action = words.first else {
        throw CommandError.usage("usage: docker-credential-vault <store|get|erase|list|version>")
      }
      try answer(
        try DockerRequest(
          action, version: VaultTool.version,
          input: try SecretInput.read(0, limit: DockerRequest.inputLimit)))
    }
  }

  /// Answers docker, which reads errors on stdout.
  private func tellingDocker(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch {
      try StandardOutput.line(
        (error as? DockerRequest.Refusal)?.rawValue ?? Self.oneLine(ErrorReport(error)))
      throw ExitStatusOnly(status: .no)
    }
  }

  /// The line that docker shows behind "error getting credentials".
  private static func oneLine(_ report: ErrorReport) -> String {
    let hint = report.hint.map { " (\($0))" } ?? ""
    return Sanitizer.visible("\(ProgramName.current): \(report.message)\(hint)")
  }

  private func awsRequest() throws -> AWSRequest {
    let hint = "\(ProgramName.current) credential aws PROFILE [get|store|erase]"
    guard let profile = words.first, !profile.isEmpty, !profile.begins(with: "-"), words.count <= 2
    else { throw CommandError.usage("no profile is named", hint: hint) }
    switch words.dropFirst().first ?? "get" {
    case "get": return try .get(profile: profile)
    case "store":
      return try .store(
        profile: profile, input: try SecretInput.read(0, limit: AWSRequest.inputLimit))
    case "erase": return try .erase(profile: profile)
    default: throw CommandError.usage("unknown action", hint: hint)
    }
  }

  private func kubectlRequest() throws -> KubectlRequest {
    let words = words.first == "--" ? Array(words.dropFirst()) : words
    guard words.count == 1, let user = words.first, !user.isEmpty else {
      throw CommandError.usage(
        "no user of a kubeconfig file is named",
        hint: "\(ProgramName.current) credential kubectl USER")
    }
    return try KubectlRequest(
      user: user, information: ProcessState.variable(KubectlRequest.informationVariable))
  }

  private func keyringRequest() throws -> KeyringRequest {
    let line = try KeyringLine(words)
    guard line.action == .set else { return KeyringRequest(line) }
    let secret =
      ProcessState.isTerminal(0)
      ? try Prompt.newSecret("Password for \(Sanitizer.visible(line.username ?? ""))")
      : try SecretInput.droppingNewline(SecretInput.read(0, limit: KeyringRequest.inputLimit))
    guard let secret else {
      throw CommandError.usage("there is no terminal to ask for the password")
    }
    return KeyringRequest(line, secret: secret)
  }

  /// Opens the vault as the request needs it, makes the changes, and writes the output.
  private func answer(_ request: some CredentialRequest) throws {
    let response: CredentialResponse
    switch request.access {
    case .none: response = try request.response(in: nil)
    case .ifExists:
      response =
        try settings.withVaultIfAny { try respond(to: request, in: $0) }
        ?? request.response(in: nil)
    case .required: response = try settings.withVault { try respond(to: request, in: $0) }
    case .created: response = try settings.withVaultMade { try respond(to: request, in: $0) }
    }
    if response.isNegative { throw ExitStatusOnly(status: .no) }
    if let output = response.output { try StandardOutput.write(output) }
  }

  private func respond(
    to request: some CredentialRequest, in vault: UnlockedVault.Blocking
  ) throws -> CredentialResponse {
    let snapshot = try vault.readInPlace()
    let response = try request.response(in: snapshot)
    let verb = UsageRecord.Verb(rawValue: face.rawValue)
    let account = UsageAccount(
      purpose: GuardRequest.place(of: request), reason: UsageAccount.stated.reason)
    snapshot.record(
      response.uses.map {
        Usage($0.item, field: .init($0.field), verb: verb, account: account)
      })
    if !response.changes.isEmpty { try vault.edit { try response.apply(to: &$0) } }
    return response
  }
}
