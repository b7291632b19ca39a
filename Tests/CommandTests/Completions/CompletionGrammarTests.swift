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

  /// What the fast path takes of a verb stands in the same table, of the same kind: an option is
  /// named in two places, and this holds both equal.
  @Test(arguments: FastPaths.verbs + [FastPaths.common])
  func theFastPathsOptionsAreThoseOfTheTable(verb: FastPaths.Verb) throws {
    // Those of every verb are those of any.
    let row = try #require(
      CommandGrammar.all.first { $0.path == (verb.name.isEmpty ? "status" : verb.name) })
    func argument(_ name: String) throws -> CommandGrammar.Argument {
      try #require(row.arguments.first { $0.names.contains(name) }, "\(verb) has no \(name)")
    }
    for name in verb.flags { #expect(try argument(name).kind == .flag, "\(name)") }
    for name in verb.options {
      let argument = try argument(name)
      #expect(argument.kind == .option, "\(name)")
      #expect(argument.isRepeating == verb.lists.contains(name), "\(name)")
    }
    // A letter stands for an option whose long name is read, too.
    let names = verb.flags + verb.options
    for letter in names where letter.utf8.count == 2 {
      #expect(
        try argument(letter).names.contains { $0 != letter && names.contains($0) }, "\(letter)")
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
