import ArgumentParser
import VaultCommandCore
import VaultCompletion
import VaultStorage
import VaultTerminal

/// `vault completions`.
struct CompletionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions",
    abstract: "Print the completion script of a shell.",
    discussion: """
      \(ProgramName.current) completions bash > ~/.local/share/bash-completion/completions/vault
      \(ProgramName.current) completions zsh > ~/.zfunc/_vault
      \(ProgramName.current) completions fish > ~/.config/fish/completions/vault.fish
      """)

  @Argument(help: "bash, zsh or fish.", completion: .list(["bash", "zsh", "fish"]))
  var shell: String

  @Option(help: ArgumentHelp("The name that the command is installed under.", valueName: "name"))
  var command = ProgramName.current

  func run() throws {
    guard Quoting.isPlainWord(command) else {
      throw CommandError.usage(
        "the command's name is not a plain word", hint: "letters, digits, '-', '_' and '.'")
    }
    guard let script = CompletionScript.text(for: shell, command: command) else {
      throw CommandError.usage("there is no script for this shell", hint: "bash, zsh or fish")
    }
    try StandardOutput.write(script)
  }
}

/// The hidden line by which a shell asks what may follow: `vault __complete INDEX WORD…`.
struct CompletionLine: Equatable {
  static let verb = "__complete"

  private let words: [String]
  private let current: String

  /// The line; `nil` if it is another one, or makes no sense.
  init?(_ arguments: [String]) {
    guard arguments.first == Self.verb, arguments.count > 2, let index = Int(arguments[1]),
      index > 0
    else { return nil }
    let line = arguments.dropFirst(2)
    words = CommandLineParsing.resolvingHabits(Array(line.prefix(index).dropFirst()))
    current = line.count > index ? line[line.startIndex + index] : ""
  }

  func run() throws {
    let answer = Completer(words: words, current: current, names: LiveNames()).answer(.root)
    let action =
      answer.action == .command ? "command \(answer.position)" : answer.action.rawValue
    // What a terminal would act on is not offered: the shells print candidates as they are.
    let candidates = answer.candidates.filter { Quoting.isVisible($0.text) }
    // Not by joined(): it would make types at each TAB.
    var text = "\(action)\n"
    for one in candidates { text += "\(one.text)\t\(Quoting.visible(one.explanation))\n" }
    try StandardOutput.write(text)
  }
}

extension CompletionKind {
  /// A value whose candidates ``LiveNames`` knows.
  static var live: CompletionKind { .custom { _, _, _ in [] } }
}
