import ArgumentParser
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
    let first = message.parts(at: "\n").first.map(String.init) ?? "the line is not complete"
    let known = Self.words(of: arguments)
    var text = first
    // What was typed may hold a quote itself: it is looked for as a whole first.
    for typed in Self.pieces(of: arguments) where !known.contains(typed) {
      text = text.substituting("'\(typed)'", with: "'\(Self.hidden)'")
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
    var grammars = [CommandGrammar.root]
    for argument in arguments {
      guard let verb = grammars[grammars.count - 1].verbs.first(where: { $0.name == argument })
      else { continue }
      grammars.append(verb)
    }
    var known: Set<String> = [hidden]
    for argument in grammars.flatMap(\.arguments) {
      let names = argument.names?.map(\.text) ?? []
      known.formUnion(names)
      known.formUnion(argument.completionKind?.list?.values ?? [])
      guard let value = argument.valueName else { continue }
      known.insert("<\(value)>")
      known.formUnion(names.flatMap { ["\($0) <\(value)>", "\($0) [<\(value)>]"] })
    }
    return known
  }
}
