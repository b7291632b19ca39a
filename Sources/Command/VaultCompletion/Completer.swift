import VaultCommandCore
import VaultStorage

/// Completes a line that is being typed.
package struct Completer {
  /// What the shell does besides showing the candidates.
  package enum Action: String {
    case none, files, directories
    /// The words from a position on are a command line of another program.
    case command
  }

  package struct Candidate: Equatable {
    package let text: String
    package let explanation: String
  }

  package struct Answer {
    package var action = Action.none
    /// The position of the other command, for ``Action/command``.
    package var position = 0
    package var candidates: [Candidate] = []
  }

  /// The words before the one that is being completed, without the command's own name.
  // The parser adds this verb; verbs follow it.
  private static let helpVerb = "help"

  private let words: [String]
  private let current: String
  private let names: any NameSource

  /// A source of names that are not in the grammar.
  package protocol NameSource {
    /// Returns names for a value, by the name of its option or placeholder.
    ///
    /// - Parameters:
    ///   - value: The kind of value.
    ///   - typed: The part of it that is on the line.
    ///   - words: The whole line before it.
    ///   - positionals: The words before it that are neither verbs nor options.
    /// - Returns: The candidates, whether or not they begin with `typed`; at least those that do, or,
    ///   where there are none, those that have it.
    func names(
      for value: String, typed: String, words: [String], positionals: [String]
    ) -> [String]
  }

  package init(words: [String], current: String, names: any NameSource) {
    self.words = words
    self.current = current
    self.names = names
  }

  /// Returns the candidates that begin with what was typed.
  package func answer(_ grammar: CommandGrammar) -> Answer {
    var verb = grammar
    var path: [String] = []
    var index = 0
    var positionals: [String] = []
    var used: [String] = []
    var pending: CommandGrammar.Argument?
    while index < words.count {
      let word = words[index]
      index += 1
      if pending != nil {
        pending = nil
      } else if word == "--" {
        var answer = Answer()
        if path == ["run"] {
          (answer.action, answer.position) = (.command, index + 1)
        }
        return answer
      } else if path.first == "defaults" {
        positionals.append(word)
      } else if word.hasPrefix("-"), word.count > 1 {
        let name = String(word.unicodeScalars.prefix { $0 != "=" })
        used.append(name)
        let known = path.isEmpty ? commonOption(name, grammar) : option(name, of: verb)
        if let known, known.kind == .option, !word.unicodeScalars.contains("=") { pending = known }
      } else if path.isEmpty, word == Self.helpVerb {
        continue
      } else if let next = verb.verbs.first(where: { $0.name == word }) {
        verb = next
        path.append(word)
      } else {
        positionals.append(word)
      }
    }
    if let pending { return values(of: pending, typed: current, prefix: "", positionals) }
    if current.hasPrefix("--"), let equals = current.unicodeScalars.firstIndex(of: "=") {
      let name = String(current[..<equals])
      let option = path.isEmpty ? commonOption(name, grammar) : option(name, of: verb)
      guard let known = option else {
        return Answer()
      }
      let typed = String(current[current.unicodeScalars.index(after: equals)...])
      return values(of: known, typed: typed, prefix: "\(name)=", positionals)
    }
    if current.hasPrefix("-"), path.first != "defaults" {
      return options(of: verb, used: used)
    }
    return words(of: verb, positionals)
  }

  private func options(of verb: CommandGrammar, used: [String]) -> Answer {
    var answer = Answer()
    for argument in verb.arguments
    where argument.kind != .positional && argument.isVisible {
      if !argument.isRepeating, argument.names.contains(where: used.contains) { continue }
      for text in argument.names where text.hasPrefix(current) && text.count > 2 {
        guard !answer.candidates.contains(where: { $0.text == text }) else { continue }
        answer.candidates.append(
          Candidate(
            text: text,
            explanation: argument.explanation.substituting("{}", with: ProgramName.current)))
      }
    }
    return answer
  }

  private func words(of verb: CommandGrammar, _ positionals: [String]) -> Answer {
    if !verb.verbs.isEmpty, positionals.isEmpty {
      let found = verb.verbs.filter { $0.isVisible && $0.name.hasPrefix(current) }
      return Answer(
        candidates: found.map { Candidate(text: $0.name, explanation: $0.abstract) })
    }
    let places = verb.positionals.filter(\.isVisible)
    guard let last = places.last else { return Answer() }
    if positionals.count < places.count {
      return values(of: places[positionals.count], typed: current, prefix: "", positionals)
    }
    return last.isRepeating
      ? values(of: last, typed: current, prefix: "", positionals) : Answer()
  }

  private func values(
    of argument: CommandGrammar.Argument, typed: String, prefix: String, _ positionals: [String]
  ) -> Answer {
    var answer = Answer()
    var texts: [String] = []
    switch argument.value {
    case .anything, .live: break
    case .file: answer.action = .files
    case .directory: answer.action = .directories
    case .list(let values): texts = values
    }
    if let live = argument.liveName {
      texts = names.names(for: live, typed: typed, words: words, positionals: positionals)
      // A store may also be given by its path.
      if live == "store", !texts.contains(where: { $0.hasPrefix(typed) }) { answer.action = .files }
      // A word that is on the line already is not offered again.
      if argument.isRepeating, !argument.takesRest {
        texts.removeAll { positionals.contains($0) }
      }
    }
    var found = texts.filter { $0.hasPrefix(typed) }
    // `get github` for work/github: the shell puts the whole name in its place.
    if found.isEmpty, argument.liveName != nil { found = Self.having(Self.word(of: typed), texts) }
    answer.candidates = found.map { Candidate(text: prefix + $0, explanation: "") }
    return answer
  }

  /// The part of what was typed that is looked for: what stands behind `VARIABLE=` and `secret://`.
  private static func word(of typed: String) -> String {
    let start = typed.firstRange(ofBytes: "://")?.upperBound ?? typed.startIndex
    let rest = typed[start...]
    return String(rest.halves(at: "=")?.after ?? rest)
  }

  /// The texts of which a part begins with a word, in any case; or else those that have it anywhere.
  private static func having(_ word: String, _ texts: [String]) -> [String] {
    let word = word.lowercased()
    guard !word.isEmpty else { return [] }
    let texts = texts.filter { $0.lowercased().contains(bytes: word) }
    let parts = texts.filter { text in
      let text = text.lowercased()
      return text.ranges(ofBytes: word).contains { range in
        guard range.lowerBound > text.startIndex else { return true }
        return "/=-_.@: ".utf8.contains(text.utf8[text.utf8.index(before: range.lowerBound)])
      }
    }
    return parts.isEmpty ? texts : parts
  }

  private func option(_ name: String, of verb: CommandGrammar) -> CommandGrammar.Argument? {
    verb.arguments.first { $0.kind != .positional && $0.names.contains(name) }
  }

  /// Finds a common option before the verb; every verb describes it in the same way.
  private func commonOption(
    _ name: String, _ grammar: CommandGrammar
  ) -> CommandGrammar.Argument? {
    grammar.verbs.first { $0.name == "get" }.flatMap { option(name, of: $0) }
  }
}
