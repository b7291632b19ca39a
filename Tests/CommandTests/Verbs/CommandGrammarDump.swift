import Foundation
import TestSupport

/// The verbs and options of the built command, from `--experimental-dump-help`.
struct CommandGrammarDump {
  struct Verb: Decodable {
    struct Argument: Decodable {
      struct Name: Decodable {
        let kind: String
        let name: String
      }

      struct Values: Decodable {
        struct List: Decodable { let values: [String] }
        struct Anything: Decodable {}

        let list: List?
        let file: Anything?
        let directory: Anything?
        let custom: Anything?
      }

      let kind: String
      let names: [Name]?
      let valueName: String?
      let abstract: String?
      let shouldDisplay: Bool
      let isRepeating: Bool
      let parsingStrategy: String
      let defaultValue: String?
      let completionKind: Values?
    }

    let commandName: String
    let abstract: String?
    let discussion: String?
    let shouldDisplay: Bool
    let arguments: [Argument]?
    let subcommands: [Verb]?

    /// Its verbs, without the one for help.
    var verbs: [Verb] { (subcommands ?? []).filter { $0.commandName != "help" } }

    /// Its visible long options, with their hyphens.
    var longOptions: Set<String> {
      let shown = (arguments ?? []).filter(\.shouldDisplay)
      let names: [Argument.Name] = shown.flatMap { $0.names ?? [] }
      return Set(names.filter { $0.kind == "long" }.map { "--\($0.name)" })
    }
  }

  private struct Dump: Decodable { let command: Verb }

  let root: Verb

  init() throws {
    let home = try TemporaryHome()
    let text = try VaultProcess(home: home.path).run(["--experimental-dump-help"]).output
    root = try JSONDecoder().decode(Dump.self, from: text).command
  }

  /// Every verb that is shown, with its path: `key`, `key list`.
  var all: [(path: String, verb: Verb)] { Self.below(root, []) { $0.shouldDisplay } }

  /// The command itself, whose path is empty, and every verb, hidden ones too, in the order of the
  /// help.
  var everyVerb: [(path: String, verb: Verb)] { [("", root)] + Self.below(root, []) { _ in true } }

  /// The verbs that do something by themselves.
  var leaves: [(path: String, verb: Verb)] { all.filter { $0.verb.verbs.isEmpty } }

  private static func below(
    _ verb: Verb, _ path: [String], where isWanted: (Verb) -> Bool
  ) -> [(path: String, verb: Verb)] {
    verb.verbs.filter(isWanted).flatMap { verb -> [(path: String, verb: Verb)] in
      let path = path + [verb.commandName]
      return [(path.joined(separator: " "), verb)] + below(verb, path, where: isWanted)
    }
  }
}

/// The pages of Documentation, and the tables in them.
struct DocumentationPage {
  let text: String

  init(_ name: String) throws {
    let path = URL(fileURLWithPath: #filePath)
      .appendingPathComponent("../../../../Documentation/\(name)").standardized.path
    text = try String(contentsOfFile: path, encoding: .utf8)
  }

  /// The rows of the first table below a heading, without its head.
  func rows(below heading: String) -> [[String]] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let start = lines.firstIndex(where: { $0 == "## \(heading)" }) else { return [] }
    let table = lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }
      .drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
    return table.dropFirst(2).map { line in
      line.dropFirst().dropLast().split(separator: " | ", maxSplits: 1)
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  /// The entries of the first list below a heading, each split at its first colon.
  func entries(below heading: String) -> [[String]] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let start = lines.firstIndex(where: { $0 == "## \(heading)" }) else { return [] }
    let list = lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }
      .drop { !$0.hasPrefix("- ") }.prefix { $0.hasPrefix("- ") || $0.hasPrefix("  ") }
    return list.joined(separator: "\n").components(separatedBy: "\n- ").map { entry in
      entry.split(separator: ":", maxSplits: 1).map {
        $0.trimmingCharacters(in: CharacterSet(charactersIn: "- \n"))
      }
    }
  }

  /// The texts between backticks.
  static func codes(_ text: String) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }
}
