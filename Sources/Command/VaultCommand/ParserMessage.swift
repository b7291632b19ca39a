import ArgumentParser
import VaultCommandCore
import VaultCompletion
import VaultStorage

/// What the argument parser says of a line, without what was typed: a word out of place may be a
/// secret.
///
/// The parser puts what it repeats between single quotes. Of that only stays what the command
/// itself knows: the names of options and what they take.
struct ParserMessage {
  /// One sentence.
  let text: String

  private static let hidden = "…"

  /// - Parameters:
  ///   - message: The parser's words; the first line counts.
  ///   - arguments: The line.
  init(_ message: String, for arguments: [String]) {
    var first = message.parts(at: "\n").first.map(String.init) ?? "the line is not complete"
    if let end = first.firstRange(ofBytes: Self.suggestion)?.lowerBound {
      // The parser suggests what has little in common with the word.
      let near = Self.suggestion(for: arguments)
      first = String(first[..<end])
      if near.isEmpty, first.hasSuffix(".") { first.removeLast() }
      first += near
    }
    let known = Self.words(of: arguments)
    var text = first
    // What was typed may hold a quote itself: it is looked for as a whole first.
    for typed in Self.pieces(of: arguments) where !known.contains(typed) {
      text = text.substituting("'\(typed)'", with: "'\(Self.shown(typed, known))'")
    }
    var parts = text.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false)
      .map(String.init)
    for index in parts.indices {
      if index % 2 == 1 {
        if !known.contains(parts[index]) { parts[index] = Self.hidden }
      } else {
        parts[index] = Self.withoutOptions(parts[index], known)
      }
    }
    self.text = parts.joined(separator: "'")
  }

  /// What stays of a word: of `--format=json` the option's name, which is no secret.
  private static func shown(_ word: String, _ known: Set<String>) -> String {
    guard let option = word.halves(at: "=").map({ String($0.before) }), known.contains(option)
    else { return hidden }
    return option
  }

  private static let suggestion = " Did you mean '"

  /// The option that is nearest to the first unknown one, as a sentence; empty if none is near.
  private static func suggestion(for arguments: [String]) -> String {
    let options = grammars(of: arguments).flatMap(\.arguments)
      .filter { $0.isVisible && $0.kind != .positional }.flatMap(\.names)
    let typed = arguments.prefix { $0 != "--" }.map {
      $0.halves(at: "=").map { String($0.before) } ?? $0
    }
    guard let unknown = typed.first(where: { $0.begins(with: "--") && !options.contains($0) }),
      let near = Suggestion.nearest(
        to: String(unknown.dropFirst(2)),
        among: options.filter { $0.begins(with: "--") }.map { String($0.dropFirst(2)) })
    else { return "" }
    return "\(suggestion)--\(near)'?"
  }

  /// Whether a word can only be the name of an option: a few small letters behind the hyphens.
  private static func isPlainOption(_ word: String) -> Bool {
    let name = word.unicodeScalars.drop { $0 == "-" }
    let hyphens = word.unicodeScalars.count - name.count
    guard hyphens == 2 ? name.count <= 20 : hyphens == 1 && name.count <= 2 else { return false }
    return !name.isEmpty && name.allSatisfy { ("a"..."z").contains($0) || $0 == "-" }
  }

  /// The words of a line as the parser may repeat them: whole, or before and behind an equals sign.
  private static func pieces(of arguments: [String]) -> [String] {
    arguments.flatMap { argument in
      guard let halves = argument.halves(at: "=") else { return [argument] }
      return [argument, String(halves.before), String(halves.after)]
    }
  }

  /// Hides options that are not known in what stands outside of quotes.
  private static func withoutOptions(_ text: String, _ known: Set<String>) -> String {
    text.unicodeScalars.split(separator: " ", omittingEmptySubsequences: false).map { scalars in
      let word = String(scalars)
      return word.begins(with: "-") && word != "-" && !known.contains(word) ? hidden : word
    }.joined(separator: " ")
  }

  /// What the verbs on the line know: their options, with and without what these take, and their
  /// words.
  private static func words(of arguments: [String]) -> Set<String> {
    var known: Set<String> = [hidden]
    known.formUnion(
      arguments.prefix { $0 != "--" }.map { $0.halves(at: "=").map { String($0.before) } ?? $0 }
        .filter(isPlainOption))
    for argument in grammars(of: arguments).flatMap(\.arguments) {
      let names = argument.names
      known.formUnion(names)
      if case .list(let values) = argument.value { known.formUnion(values) }
      guard let value = argument.valueName else { continue }
      known.formUnion(["<\(value)>", "<\(value)> ..."])
      known.formUnion(names.flatMap { ["\($0) <\(value)>", "\($0) [<\(value)>]"] })
    }
    return known
  }

  /// The grammar of the command and of each verb on the line.
  static func grammars(of arguments: [String]) -> [CommandGrammar] {
    var grammars = [CommandGrammar.root]
    for argument in arguments {
      guard let verb = grammars[grammars.count - 1].verbs.first(where: { $0.name == argument })
      else { continue }
      grammars.append(verb)
    }
    return grammars
  }
}
