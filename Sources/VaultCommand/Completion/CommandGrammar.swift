import ArgumentParser
import FoundationEssentials
import VaultCommandCore

/// The verbs, their options and values, as the argument parser describes them.
///
/// The parser's own description is the only table, so completion cannot fall behind the verbs. Only
/// the verb on the line is described: describing all of them would take too long for a key press.
final class CommandGrammar {
  private let type: any ParsableCommand.Type

  /// The verb's name on a line.
  var name: String { type.verbName }
  /// The description of the verb.
  var abstract: String { type.configuration.abstract }
  /// Whether completion offers it.
  var isVisible: Bool { type.configuration.shouldDisplay }
  /// Its subcommands.
  private(set) lazy var verbs = type.configuration.allVerbs.map { CommandGrammar($0) }
  /// Its options and arguments.
  private(set) lazy var arguments: [Argument] = described()

  init(_ type: any ParsableCommand.Type) { self.type = type }

  /// The grammar of `vault`.
  static var root: CommandGrammar { CommandGrammar(VaultTool.self) }

  struct Argument: Decodable {
    enum Kind: String, Decodable { case positional, option, flag }

    struct Name: Decodable {
      let kind: String
      let name: String

      /// The name as on a line.
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

    /// The kind of value for ``Completer/NameSource``: the option's long name, or the placeholder.
    var liveName: String? {
      guard completionKind?.custom != nil else { return nil }
      return names?.first { $0.kind == "long" }?.name ?? valueName
    }

    /// Whether `word` is one of its names.
    func isNamed(_ word: String) -> Bool { names?.contains { $0.text == word } ?? false }
  }

  private struct Description: Decodable {
    struct Command: Decodable { let arguments: [Argument]? }
    let command: Command
  }

  private func described() -> [Argument] {
    let text = type._dumpHelp()
    let description = try? JSONDecoder().decode(Description.self, from: Data(text.utf8))
    return description?.command.arguments ?? []
  }
}
