import VaultCommandCore
import VaultStorage
import VaultTerminal

/// The lines that are recognised without the argument parser, which costs more than a `get` does.
///
/// Only where every word is plain: anything else, and anything that could be meant otherwise, goes
/// through the parser. ``table`` is the one list of them; a test holds both ways equal for each
/// row.
enum FastPath: Equatable {
  case version
  case get(GetRequest)
  case defaults(DefaultsLine)
  case completion(CompletionLine)
  case credential(CredentialLine)
  case clipboardClearing(ClipboardClearing)

  /// A form of line, and how it is read.
  struct Row: Sendable {
    /// The form, for people and for the test that has examples of each.
    let form: String
    /// The line, if it has this form.
    let read: @Sendable ([String]) -> FastPath?
  }

  /// Every form; the first that fits counts.
  ///
  /// OPTIONS are common options.
  static let table = [
    Row(form: "--version") { $0 == ["--version"] ? .version : nil },
    Row(form: "get NAME") { words in
      guard words.count == 2, words[0] == GetCommand.verbName, isPlain(words[1]) else { return nil }
      return .get(GetRequest(name: words[1], settings: VaultSettings()))
    },
    Row(form: "[OPTIONS] defaults WORD…") { DefaultsLine($0).map(FastPath.defaults) },
    Row(form: "__complete INDEX WORD…") { CompletionLine($0).map(FastPath.completion) },
    Row(form: "__clear-clipboard ROUTE SECONDS MARK") {
      ClipboardClearing($0).map(FastPath.clipboardClearing)
    },
    Row(form: "[OPTIONS] credential PROTOCOL [OPTIONS] WORD…") {
      CredentialLine($0).map(FastPath.credential)
    },
  ]

  /// The request of a plain line; `nil` where the line is for the parser.
  init?(_ arguments: [String]) {
    for row in Self.table {
      guard let line = row.read(arguments) else { continue }
      self = line
      return
    }
    return nil
  }

  /// The same request, made by way of the argument parser; `nil` for a line that only the table
  /// knows.
  init?(parsing arguments: [String]) throws {
    switch try CommandLineParsing.command(for: arguments) {
    case let verb as GetCommand: self = .get(try verb.request())
    case let verb as DefaultsCommand:
      guard let line = verb.line() else { return nil }
      self = .defaults(line)
    case let verb as CredentialCommand: self = .credential(try verb.line())
    default: return nil
    }
  }

  private static func isPlain(_ word: String) -> Bool { !word.isEmpty && !word.begins(with: "-") }

  func run() throws {
    switch self {
    case .version: try StandardOutput.line(VaultTool.version)
    case .get(let request): try request.run()
    case .defaults(let line): try line.run()
    case .completion(let line): try line.run()
    case .credential(let line): try line.run()
    case .clipboardClearing(let line): try line.run()
    }
  }
}

/// What a test sees of ``FastPath/table``.
package enum FastPaths {
  /// The forms of all rows.
  package static var forms: [String] { FastPath.table.map(\.form) }

  /// The form of the row that recognises a line; `nil` where it is for the parser.
  package static func form(of line: [String]) -> String? {
    FastPath.table.first { $0.read(line) != nil }?.form
  }

  /// Whether the parser makes of a line what the table makes of it.
  package static func meansTheSameToTheParser(_ line: [String]) throws -> Bool {
    try FastPath(line) == FastPath(parsing: line)
  }
}

extension GetRequest {
  /// The request of a line that is recognised before the argument parser; `nil` where it is not.
  package init?(plain arguments: [String]) {
    guard case .get(let request) = FastPath(arguments) else { return nil }
    self = request
  }

  /// The request that the argument parser makes of a line.
  package init?(parsing arguments: [String]) throws {
    guard let verb = try CommandLineParsing.command(for: arguments) as? GetCommand else {
      return nil
    }
    self = try verb.request()
  }
}
