import Foundation
import TestSupport
import Testing
import VaultCommand
import VaultCompletion

/// The table that completion reads, against what the parser says of itself.
struct CompletionGrammarTests {
  @Test func theTableIsWhatTheParserSaysOfItself() throws {
    let verbs = try CommandGrammarDump().everyVerb
    #expect(CommandGrammar.all.map(\.path) == verbs.map(\.path), "make completions")
    for (row, (path, verb)) in zip(CommandGrammar.all, verbs) {
      // Every verb takes it, but only the command itself shows it.
      let arguments = (verb.arguments ?? []).filter { argument in
        path.isEmpty || argument.names?.contains { $0.name == "version" } != true
      }
      #expect(
        row.arguments.map(Self.line) == arguments.map(Self.line), "make completions: \(path)")
      #expect(row.positionals == row.arguments.filter { $0.kind == .positional }, "\(path)")
      guard !path.isEmpty else { continue }
      #expect(row.isVisible == verb.shouldDisplay, "\(path)")
      #expect(row.abstract == Self.firstSentence(verb.abstract), "\(path)")
    }
  }

  /// An argument of the table: its kind, names, placeholder and values, whether it may be repeated,
  /// takes the rest of the line, and is shown, and its explanation.
  private static func line(_ argument: CommandGrammar.Argument) -> [String] {
    let value =
      switch argument.value {
      case .anything: ""
      case .file: "file"
      case .directory: "directory"
      case .live: "live"
      case .list(let values): values.joined(separator: ",")
      }
    return [
      "\(argument.kind)", argument.names.joined(separator: " "), argument.valueName ?? "", value,
      "\(argument.isRepeating)", "\(argument.takesRest)", "\(argument.isVisible)",
      argument.explanation,
    ]
  }

  /// The same of an argument that the parser describes.
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
