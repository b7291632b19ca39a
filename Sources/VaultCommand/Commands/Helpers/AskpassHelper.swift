import VaultCredentials
import VaultSealing
import VaultStorage
import VaultTerminal

/// SSH_ASKPASS, GIT_ASKPASS, SUDO_ASKPASS: the answer to a prompt that is known to the letter.
///
/// ssh(1), "SSH_ASKPASS". Which item answers is a rule, not a guess: one that says so by its attribute
/// `askpass`, or for git the one of the credential helper, or the item of the documented name. None, or
/// several: cancelled, and told on stderr.
struct AskpassHelper {
  let settings: VaultSettings

  /// What an item answers: a key's path, `user@host`, or `sudo:user`.
  static let attribute = "askpass"

  func run(_ words: [String]) throws {
    // ssh(1): `none` only shows, `confirm` takes the status for the answer, which nobody gave here.
    switch ProcessState.variable("SSH_ASKPASS_PROMPT") {
    case "none": return
    case "confirm": throw Self.cancelled("a confirmation is for a person")
    default: break
    }
    guard words.count == 1, let text = words.first, let prompt = AskpassPrompt(text) else {
      throw Self.cancelled("this prompt is not known, and nothing is guessed")
    }
    let answer = try settings.withVaultIfAny { vault in try self.answer(to: prompt, in: vault) }
    guard let answer = answer ?? nil else {
      throw Self.cancelled("no item answers this prompt: see 'vault help credential'")
    }
    guard ServiceCredential.isLine(answer) else {
      throw Self.cancelled("the answer is not one line")
    }
    try StandardOutput.write(SecretInput.joined([answer, ServiceCredential.bytes("\n")]))
  }

  private func answer(
    to prompt: AskpassPrompt, in vault: UnlockedVault.Blocking
  ) throws -> SecretBytes? {
    switch prompt {
    case .key(let path):
      // A relative path means another file in another folder.
      guard path.begins(with: "/") else { return nil }
      return try secret(marked: path, named: "ssh\(path)", in: vault)
    case .host(let host): return try secret(marked: host, named: "ssh/\(host)", in: vault)
    case .sudo(let user):
      return try secret(marked: "sudo:\(user)", named: "sudo/\(user)", in: vault)
    case .gitUsername(let scheme, let host, let path):
      let item = try gitItem(scheme, host, path, nil, in: vault)
      return try item?.attributes[ServiceCredential.account].map { try ServiceCredential.bytes($0) }
    case .gitPassword(let scheme, let host, let path, let username):
      return try gitItem(scheme, host, path, username, in: vault).map {
        try vault.get($0.name).bytes
      }
    }
  }

  private func gitItem(
    _ scheme: String, _ host: String, _ path: String?, _ username: String?,
    in vault: UnlockedVault.Blocking
  ) throws -> Item? {
    let items = try vault.items()
    let subject = GitHelper.Subject(scheme: scheme, host: host, path: path, username: username)
    if let found = subject.best(of: items) { return found }
    // git's prompt has the path also where the helper is not told it.
    return GitHelper.Subject(scheme: scheme, host: host, path: nil, username: username)
      .best(of: items.filter { $0.attributes["path"] == nil })
  }

  private func secret(
    marked mark: String, named name: String, in vault: UnlockedVault.Blocking
  ) throws -> SecretBytes? {
    let marked = try vault.items().filter {
      ServiceCredential.isSame($0.attributes[Self.attribute], mark)
    }
    guard marked.count <= 1 else {
      throw Self.cancelled("several items have the attribute of this prompt")
    }
    if let item = marked.first { return try vault.get(item.name).bytes }
    guard let name = try? ItemName(name) else { return nil }
    do {
      return try vault.get(name).bytes
    } catch let error as CredentialError where error.code == .itemNotFound {
      return nil
    }
  }

  private static func cancelled(_ why: String) -> CommandError {
    CommandError(
      .askpassCancelled, why,
      hint: "an item answers by its name, such as ssh/home/me/.ssh/id_ed25519, or by --attribute "
        + "askpass=/home/me/.ssh/id_ed25519")
  }
}
