import VaultStorage

/// The verbs, their options and values, for completion.
///
/// They are a table that is written from what the argument parser says of itself, and a test holds
/// both equal. Asking the parser at each key press would take several times as long as the rest.
package struct CommandGrammar {
  /// The verb with those that it stands below; empty for the command itself.
  package let path: String
  /// The description of the verb.
  package let abstract: String
  /// Whether completion offers it.
  package let isVisible: Bool
  /// A line for each argument: see ``Argument/init(_:)``.
  private let lines: String

  package init(_ path: String, _ abstract: String, isVisible: Bool = true, _ lines: String) {
    self.path = path
    self.abstract = abstract
    self.isVisible = isVisible
    self.lines = lines
  }

  /// Every row: the command itself, then the verbs in the order of its help.
  package static var all: [CommandGrammar] { table }

  /// The grammar of `vault`.
  package static var root: CommandGrammar { table[0] }

  /// The verb's name on a line.
  package var name: String { path.parts(at: " ").last.map(String.init) ?? "" }

  /// Its subcommands.
  package var verbs: [CommandGrammar] {
    let prefix = path.isEmpty ? "" : "\(path) "
    return Self.table.filter { verb in
      !verb.path.isEmpty && verb.path.begins(with: prefix)
        && !verb.path.utf8.dropFirst(prefix.utf8.count).contains(UInt8(ascii: " "))
    }
  }

  /// Its options and arguments.
  package var arguments: [Argument] {
    lines.parts(at: "\n").flatMap { line in
      line == "*" ? Self.common.parts(at: "\n").map(Argument.init) : [Argument(line)]
    }
  }

  /// Its arguments that are not options, in their order; none of the common ones is among them.
  ///
  /// The other lines are not read: that would be a tenth of what a key press costs.
  package var positionals: [Argument] {
    let text = lines.utf8
    let bytes = text.span
    var found: [Argument] = []
    var start = 0
    while start < bytes.count {
      var end = start
      while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
      if bytes[start] == UInt8(ascii: "<") {
        let first = text.index(text.startIndex, offsetBy: start)
        found.append(Argument(lines[first..<text.index(first, offsetBy: end - start)]))
      }
      start = end + 1
    }
    return found
  }

  package struct Argument: Equatable {
    package enum Kind: Equatable { case positional, option, flag }

    /// What may be completed as a value.
    package enum Value: Equatable {
      case anything, file, directory
      /// What ``Completer/NameSource`` knows.
      case live
      case list([String])
    }

    package var kind = Kind.flag
    /// The names as on a line; none for a positional argument.
    package private(set) var names: [String] = []
    /// The placeholder of the value.
    package private(set) var valueName: String?
    package private(set) var value = Value.anything
    package private(set) var isRepeating = false
    /// Whether it takes all that follows, of whatever form.
    package private(set) var takesRest = false
    package private(set) var isVisible = true
    package let explanation: String

    /// Reads a line of the table: `--field -f <name> =live +: The field`.
    ///
    /// `<name>` is a value, `=` what is known of it; `+` may be repeated, `++` takes the rest of
    /// the line, and `!` is hidden. A line without a hyphen is a positional argument.
    package init(_ line: Substring) {
      let end = line.utf8.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
      explanation = String(line[end...].utf8.dropFirst(2)) ?? ""
      for word in line[..<end].parts(at: " ") {
        switch word {
        case "+": isRepeating = true
        case "++": (isRepeating, takesRest) = (true, true)
        case "!": isVisible = false
        case _ where word.begins(with: "<"):
          kind = names.isEmpty ? .positional : .option
          valueName = String(word.dropFirst().dropLast())
        case _ where word.begins(with: "="):
          value = Self.value(word.dropFirst())
        default: names.append(String(word))
        }
      }
    }

    private static func value(_ word: Substring) -> Value {
      switch word {
      case "": .anything
      case "file": .file
      case "directory": .directory
      case "live": .live
      default: .list(word.parts(at: ",").map(String.init))
      }
    }

    /// The kind of value for ``Completer/NameSource``: the option's long name, or the placeholder.
    package var liveName: String? {
      guard value == .live else { return nil }
      return names.first { $0.begins(with: "--") }.map { String($0.dropFirst(2)) } ?? valueName
    }
  }
}
