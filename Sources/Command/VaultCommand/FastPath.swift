import VaultCommandCore
import VaultStorage
import VaultTerminal

/// The lines that are recognised without the argument parser, which costs more than a `get` does.
///
/// Only where every word is plain: anything else, and anything that could be meant otherwise, goes
/// through the parser. ``table`` lists the lines that have a form of their own, ``PlainVerb`` the
/// verbs with their options; tests hold both ways equal for each row and option.
enum FastPath: Equatable {
  case version
  case get(GetRequest)
  case run(RunRequest)
  case set(SetRequest)
  case list(ListRequest)
  case show(ShowRequest)
  case read(ReadRequest)
  case otp(OTPRequest)
  case status(StatusRequest)
  case history(HistoryRequest)
  case move(MoveRequest)
  case remove(RemoveRequest)
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
    Row(form: "[OPTIONS] VERB [OPTIONS] WORD…") { PlainLine.read($0) },
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
    switch try CommandLineParsing.command(for: arguments, typed: arguments) {
    case let verb as GetCommand: self = .get(try verb.request())
    case let verb as RunCommand: self = .run(verb.request)
    case let verb as SetCommand: self = .set(try verb.request())
    case let verb as ListCommand: self = .list(verb.request)
    case let verb as ShowCommand: self = .show(verb.request)
    case let verb as ReadCommand: self = .read(verb.request)
    case let verb as OTPCommand: self = .otp(verb.request)
    case let verb as StatusCommand: self = .status(verb.request)
    case let verb as HistoryCommand: self = .history(verb.request)
    case let verb as RenameCommand: self = .move(verb.request)
    case let verb as CopyCommand: self = .move(verb.request)
    case let verb as RemoveCommand: self = .remove(verb.request)
    case let verb as DefaultsCommand:
      guard let line = verb.line() else { return nil }
      self = .defaults(line)
    case let verb as CredentialCommand: self = .credential(try verb.line())
    default: return nil
    }
  }

  func run() throws {
    switch self {
    case .version: try StandardOutput.line(VaultTool.version)
    case .get(let request): try request.run()
    case .run(let request): try request.run()
    case .set(let request): try request.run()
    case .list(let request): try request.run()
    case .show(let request): try request.run()
    case .read(let request): try request.run()
    case .otp(let request): try request.run()
    case .status(let request): try request.run()
    case .history(let request): try request.run()
    case .move(let request): try request.run()
    case .remove(let request): try request.run()
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

  /// A verb that is read without the parser, as the test needs it.
  package struct Verb: Sendable, CustomStringConvertible {
    package let name: String
    package let words: ClosedRange<Int>
    package let flags: [String]
    /// The options with a value.
    package let options: [String]
    /// Those of the options that may be repeated.
    package let lists: [String]

    package var description: String { name }

    init(_ verb: PlainVerb) {
      func withLetters(_ options: [String]) -> [String] {
        options + verb.letters.filter { options.contains($0.option) }.map(\.letter)
      }
      name = verb.name
      words = verb.words
      flags = withLetters(verb.flags)
      options = withLetters(verb.options + verb.lists)
      lists = withLetters(verb.lists)
    }
  }

  /// The verbs that are read without the parser.
  package static var verbs: [Verb] { PlainVerb.all.map(Verb.init) }

  /// The options that each of them takes, and that may stand before it.
  package static var common: Verb { Verb(.common) }

  /// Whether the parser makes of a line what the table makes of it.
  package static func meansTheSameToTheParser(_ line: [String]) throws -> Bool {
    try FastPath(line) == FastPath(parsing: line)
  }
}
