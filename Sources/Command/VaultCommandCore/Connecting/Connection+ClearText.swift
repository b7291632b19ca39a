import VaultProtocols
import VaultStorage
import VaultTerminal

// What other programs keep in clear, and go on using beside the vault or in its place.

extension Connection {
  /// What a person is told of it after connecting, with what to do.
  package func clearText() throws -> [(text: String, hint: String)] {
    switch program {
    case .git: try clearTextOfGit()
    case .docker: try clearTextOfDocker()
    case .aws: try clearTextOfAWS()
    case .kubectl: try clearTextOfKubectl()
    case .podman: clearTextOfPodman()
    case .pip, .ssh, .gitSign, .keyring, .session, .sync, .browser: []
    }
  }

  private func text(of path: String) -> String {
    // What cannot be read is another program's to complain about.
    (try? ConfigurationFile(path: path).text()) ?? ""
  }

  // MARK: git

  /// Whether git's own helper `store` is set up, which writes each password to a file in clear, and
  /// answers before a helper that comes later.
  package func hasClearTextHelper() throws -> Bool {
    let files = [
      "/etc/gitconfig", try configurationFolder() + "/git/config", try home() + "/.gitconfig",
      try blockPath(),
    ]
    let isWritten = Set(files).contains { file in
      SectionedText(text(of: file)).settings.contains { setting in
        setting.section.lowercased().begins(with: "credential") && setting.key == "helper"
          && Self.keepsClearText(helper: setting.value)
      }
    }
    return isWritten
      || Self.clearTextHelpersThatGitSees().contains { !$0.isOfRepository }
  }

  /// Whether git's helper `store` was set up and is ended by this command: git no longer asks its file.
  package func hasEndedClearTextHelper() throws -> Bool {
    try block().lines(in: text(of: blockPath())).contains {
      $0.trimmingBlanks.isSame(as: "helper =")
    }
  }

  /// A helper of git's configuration.
  private struct GitHelper {
    /// Whether it is set in the repository alone, and so is asked after those of the user.
    let isOfRepository: Bool
    let key: String
    let value: String

    /// From an entry of `git config -z --show-scope`: the scope; and the key, a line end, the value.
    init?(scope: ArraySlice<UInt8>, _ entry: ArraySlice<UInt8>) {
      guard let scope = String(validating: scope, as: UTF8.self),
        let text = String(validating: entry, as: UTF8.self),
        let (key, value) = text.halves(at: "\n")
      else { return nil }
      isOfRepository = scope == "local" || scope == "worktree"
      (self.key, self.value) = (String(key), String(value))
    }

    /// The address that it is for; `nil` for all: `credential.ADDRESS.helper`.
    var address: String? {
      let (begin, end) = ("credential.", ".helper")
      guard key.utf8.count > begin.utf8.count + end.utf8.count else { return nil }
      return String(
        decoding: key.utf8.dropFirst(begin.utf8.count).dropLast(end.utf8.count), as: UTF8.self)
    }
  }

  /// The helpers in plain text that git itself finds: in files that others include, and in the
  /// repository where one is; none where git cannot say.
  private static func clearTextHelpersThatGitSees() -> [GitHelper] {
    helpersThatGitSees().filter { keepsClearText(helper: $0.value) }
  }

  /// The helpers of the user that git goes on asking beside this command, for people; all but `store`
  /// with its usual file.
  ///
  /// - Returns: Their settings.
  package static func otherGitHelpers() -> [String] {
    helpersToKeep().filter { !$0.value.isEmpty }.map { helper in
      "credential\(helper.address.map { ".\($0)" } ?? "").helper = \(helper.value)"
    }
  }

  /// Those of them that write passwords in clear: `store` with a file of its own.
  package static func otherClearTextHelpers() -> [String] {
    helpersToKeep().map(\.value).filter(keepsClearText(helper:))
  }

  /// The helpers that go on where the list before this command is ended for the sake of `store`, in
  /// git's order.
  ///
  /// An empty helper of all addresses has ended what stands before it; one of an address ends the list
  /// for that address alone, and stays.
  static func helpersToKeep() -> [MarkedBlock.GitHelper] {
    var kept: [MarkedBlock.GitHelper] = []
    for helper in helpersThatGitSees() where !helper.isOfRepository {
      if helper.value.isEmpty, helper.address == nil {
        kept = []
      } else if !isUsualStore(helper.value), !isOurs(helper.value) {
        kept.append(MarkedBlock.GitHelper(address: helper.address, value: helper.value))
      }
    }
    return kept
  }

  private static func isOurs(_ helper: String) -> Bool { helper.contains(bytes: "credential git") }

  /// Whether a helper is `store` with its usual file, which a move has emptied.
  private static func isUsualStore(_ helper: String) -> Bool {
    let words = helper.parts(at: " ").map(String.init)
    return words == ["store"] || words == ["!git", "credential-store"]
      || words.count == 1 && !helper.begins(with: "!") && keepsClearText(helper: helper)
  }

  /// Whether `store` with its usual file is among the helpers that git finds.
  private static func hasUsualStore() -> Bool {
    helpersThatGitSees().contains { isUsualStore($0.value) }
  }

  /// Whether gh gives its tokens to git: `gh auth setup-git`.
  package static func givesTokensToGit() -> Bool {
    helpersThatGitSees().contains { $0.value.contains(bytes: "gh auth git-credential") }
  }

  /// The helpers that git itself finds: in files that others include, and in the repository where one
  /// is; none where git cannot say.
  private static func helpersThatGitSees() -> [GitHelper] {
    var surroundings = ChildProgram.Surroundings()
    surroundings.patience = 10
    let line = [
      "git", "config", "-z", "--show-scope", "--get-regexp", #"^credential\..*helper$"#,
    ]
    guard
      let found = try? ChildProgram.capture(line, limit: 1 << 20, in: surroundings),
      found.isSuccess
    else { return [] }
    // The scope, and the entry; a zero behind each.
    let parts = found.output.split(separator: 0, omittingEmptySubsequences: false)
    return stride(from: 0, to: parts.count - 1, by: 2).compactMap {
      GitHelper(scope: parts[$0], parts[$0 + 1])
    }
  }

  /// Whether a helper is git's `store`, by name, by path, or in a line for the shell:
  /// git-config(1), `credential.helper`.
  private static func keepsClearText(helper: String) -> Bool {
    if helper.begins(with: "!") { return helper.contains(bytes: "credential-store") }
    let program = helper.parts(at: " ").first.map(String.init) ?? ""
    return program.isSame(as: "store") || program.ends(with: "git-credential-store")
  }

  private func clearTextOfGit() throws -> [(text: String, hint: String)] {
    let ofRepository = Self.clearTextHelpersThatGitSees().filter(\.isOfRepository).map { helper in
      (
        text: "this repository has 'store' as \(Sanitizer.visible(helper.key)): git gives it each "
          + "password, too, and it writes them in clear",
        hint: "take it out: git config --unset-all \(Quoting.shell(helper.key))"
      )
    }
    let goingOn = Self.otherClearTextHelpers().map { helper in
      (
        text: "git goes on giving each password to its helper '\(Sanitizer.visible(helper))', too, "
          + "which writes them in clear",
        hint: "move what it has: \(ProgramName.current) import git-credentials FILE; then take the "
          + "helper out of git's configuration"
      )
    }
    let found = ofRepository + goingOn
    guard try hasClearTextHelper() else { return found }
    let files = [
      try home() + "/.git-credentials", try configurationFolder() + "/git/credentials",
    ].filter { UserFile.exists($0) }
    let names = files.joined(separator: ", ")
    let move = "to move them into the vault: \(ProgramName.current) connect git --move"
    guard goingOn.isEmpty || Self.hasUsualStore() else {
      return files.isEmpty ? found : found + [("passwords are in clear in \(names)", move)]
    }
    let kept = files.isEmpty ? "" : "; some are still in \(names)"
    return found + [
      (
        "git no longer asks its helper 'store', which writes passwords in clear\(kept)",
        files.isEmpty ? "take 'helper = store' out of git's configuration" : move
      )
    ]
  }

  // MARK: docker

  private func clearTextOfDocker() throws -> [(text: String, hint: String)] {
    let path = try dockerPath()
    let names = DockerConfiguration.registriesWithPasswords(in: text(of: path))
    guard !names.isEmpty else { return [] }
    let shown = names.map(Sanitizer.visible).joined(separator: ", ")
    return [
      (
        "\(path) still has passwords in clear (auths): \(shown)",
        "to move them into the vault: \(ProgramName.current) connect docker --move"
      )
    ]
  }

  // MARK: podman

  private func clearTextOfPodman() -> [(text: String, hint: String)] {
    ClearTextProgram.podman.paths { ProcessState.variable($0) }.compactMap { path in
      let names = DockerConfiguration.registriesWithPasswords(in: text(of: path))
      guard !names.isEmpty else { return nil }
      let shown = names.map(Sanitizer.visible).joined(separator: ", ")
      return (
        "\(Sanitizer.visible(path)) still has passwords in clear: \(shown)",
        "to move them into the vault: \(ProgramName.current) connect podman --move"
      )
    }
  }

  // MARK: aws

  /// Settings of a profile that AWS's programs use before a `credential_process`: botocore's
  /// providers, in their order.
  private static let earlier: Set<String> = [
    "sso_session", "sso_start_url", "role_arn", "web_identity_token_file", "aws_access_key_id",
    "login_session",
  ]

  private func clearTextOfAWS() throws -> [(text: String, hint: String)] {
    var found: [(text: String, hint: String)] = []
    let credentials =
      try ProcessState.variable("AWS_SHARED_CREDENTIALS_FILE") ?? home() + "/.aws/credentials"
    let keys = SectionedText(text(of: credentials)).settings
    if keys.contains(where: { $0.section.isSame(as: profile) && $0.key == "aws_access_key_id" }) {
      found.append(
        (
          "\(credentials) has keys of [\(profile)] in clear, and they win: the vault is not asked",
          "to move them into the vault: \(ProgramName.current) connect aws \(Quoting.typed(profile)) --move"
        ))
    }
    let path = try blockPath()
    let others = SectionedText(text(of: path)).settings.filter { setting in
      let isNamed = profile == "default" || setting.section.begins(with: "profile ")
      return isNamed && ClearTextProgram.aws.part(of: setting.section).isSame(as: profile)
        && Self.earlier.contains(setting.key)
    }.map(\.key)
    if let first = others.first {
      found.append(
        (
          "the profile \(profile) in \(path) has \(first), which wins: the vault is not asked",
          "take it out, or use a profile of another name"
        ))
    }
    return found
  }
}
