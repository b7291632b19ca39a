import ArgumentParser
import FoundationEssentials

/// Verbs, options and what they take, as the argument parser describes them.
///
/// The parser's own description is the one table: completion cannot fall behind the verbs.
struct CommandGrammar: Decodable {
  let command: Verb

  struct Verb: Decodable {
    let commandName: String
    let abstract: String?
    let shouldDisplay: Bool
    let arguments: [Argument]?
    let subcommands: [Verb]?
  }

  struct Argument: Decodable {
    enum Kind: String, Decodable { case positional, option, flag }

    struct Name: Decodable {
      let kind: String
      let name: String

      /// As it stands on a line.
      var text: String { kind == "long" ? "--\(name)" : "-\(name)" }
    }

    struct Value: Decodable {
      struct List: Decodable { let values: [String] }
      struct Anything: Decodable {}

      let list: List?
      let file: Anything?
      let directory: Anything?
      let custom: Anything?
    }

    let kind: Kind
    let names: [Name]?
    let valueName: String?
    let abstract: String?
    let shouldDisplay: Bool
    let isRepeating: Bool
    let parsingStrategy: String
    let completionKind: Value?

    /// What the value is called where it is looked up live: the option's long name, or the placeholder.
    var liveName: String? {
      guard completionKind?.custom != nil else { return nil }
      return names?.first { $0.kind == "long" }?.name ?? valueName
    }

    /// Whether `word` is one of its names.
    func isNamed(_ word: String) -> Bool { names?.contains { $0.text == word } ?? false }
  }

  /// The grammar of this command; `nil` only if the parser changed the form of its description.
  static func current() -> CommandGrammar? {
    try? JSONDecoder().decode(
      CommandGrammar.self, from: Data(VaultTool._dumpHelp().utf8))
  }
}
