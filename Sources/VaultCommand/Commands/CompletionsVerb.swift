import ArgumentParser
import VaultCredentials

/// `vault completions`.
struct CompletionsVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions",
    abstract: "Print the completion script of a shell.",
    discussion: """
      vault completions bash > ~/.local/share/bash-completion/completions/vault
      vault completions zsh > ~/.zfunc/_vault
      vault completions fish > ~/.config/fish/completions/vault.fish
      """)

  /// The shells that are served.
  enum Shell: String, CaseIterable, ExpressibleByArgument { case bash, zsh, fish }

  @Argument(help: "bash, zsh or fish.")
  var shell: Shell

  func run() throws { try StandardOutput.line(Self.script(for: shell)) }

  static func script(for shell: Shell) -> String {
    switch shell {
    case .bash: VaultTool.completionScript(for: .bash)
    case .zsh: VaultTool.completionScript(for: .zsh)
    case .fish: VaultTool.completionScript(for: .fish)
    }
  }
}

extension CompletionKind {
  /// The names of items, while a session is open.
  static var items: CompletionKind {
    .custom { words, _, prefix in
      LiveNames(words: words)?.items(beginningWith: prefix) ?? []
    }
  }

  /// Ids and labels of key slots, while a session is open.
  static var slots: CompletionKind {
    .custom { words, _, prefix in
      (LiveNames(words: words)?.slots() ?? []).filter { $0.hasPrefix(prefix) }
    }
  }
}

/// Names for completion: silent, quick, by the session alone.
///
/// It never asks, waits or reaches for a keyring.
struct LiveNames {
  private let vault: UnlockedVault.Blocking

  /// Opens the vault that the line being typed means; `nil` where it is not open.
  init?(words: [String]) {
    var settings = VaultSettings()
    settings.home = Self.value(of: "--home", in: words)
    settings.vaultName = Self.value(of: "--vault", in: words)
    guard let locked = try? settings.locked(),
      let open = try? locked.blocking.unlock(with: Doors.sessionOnly)
    else { return nil }
    vault = open.blocking
  }

  func items(beginningWith prefix: String) -> [String] {
    ((try? vault.items()) ?? []).map(\.name.text).filter { $0.hasPrefix(prefix) }
  }

  func slots() -> [String] {
    ((try? vault.slots()) ?? []).map { $0.label.isEmpty ? String($0.id.prefix(8)) : $0.label }
  }

  static func value(of option: String, in words: [String]) -> String? {
    for (index, word) in words.enumerated() {
      if word == option, words.indices.contains(index + 1) { return words[index + 1] }
      if word.hasPrefix("\(option)=") { return String(word.dropFirst(option.count + 1)) }
    }
    return nil
  }
}
