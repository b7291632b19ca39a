import Foundation
import TestSupport
import Testing
import VaultCommand
import VaultCompletion

/// The table that completion reads, against what the parser says of itself.
struct CompletionGrammarTests {
  @Test func theTableIsWhatTheParserSaysOfItself() throws {
    let described = try CommandGrammarDump().root
    let verbs = [(path: "", verb: described)] + described.allVerbs()
    #expect(CompletionGrammar.paths == verbs.map(\.path), "make completions")
    for (path, verb) in verbs {
      // Every verb takes it, but only the command itself shows it.
      let arguments = (verb.arguments ?? []).filter { argument in
        path.isEmpty || argument.names?.contains { $0.name == "version" } != true
      }
      #expect(
        CompletionGrammar.arguments(of: path) == arguments.map(Self.line),
        "make completions: \(path)")
      guard !path.isEmpty else { continue }
      #expect(CompletionGrammar.isVisible(path) == verb.shouldDisplay, "\(path)")
      #expect(CompletionGrammar.abstract(of: path) == Self.firstSentence(verb.abstract), "\(path)")
    }
  }

  /// What the table has to say of an argument, in the form of ``CompletionGrammar``.
  private static func line(_ argument: CommandGrammarDump.Verb.Argument) -> [String] {
    let names = (argument.names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }
    let valueName = argument.kind == "flag" ? "" : argument.valueName ?? ""
    let kind = argument.completionKind
    let value =
      kind?.file != nil
      ? "file"
      : kind?.directory != nil
        ? "directory"
        : kind?.custom != nil ? "live" : kind?.list.map { $0.values.joined(separator: ",") } ?? ""
    let takesRest = argument.isRepeating && argument.parsingStrategy != "default"
    return [
      argument.kind, names.joined(separator: " "), valueName, value, "\(argument.isRepeating)",
      "\(takesRest)", "\(argument.shouldDisplay)", firstSentence(argument.abstract),
    ]
  }

  private static func firstSentence(_ text: String?) -> String {
    String((text ?? "").prefix { $0 != ";" && $0 != "\n" && $0 != "\t" })
  }
}

extension CommandGrammarDump.Verb {
  /// The verbs below it, hidden ones too, each with its path, in the order of the help.
  fileprivate func allVerbs(below path: [String] = []) -> [(path: String, verb: Self)] {
    verbs.flatMap { verb in
      let path = path + [verb.commandName]
      return [(path.joined(separator: " "), verb)] + verb.allVerbs(below: path)
    }
  }
}
