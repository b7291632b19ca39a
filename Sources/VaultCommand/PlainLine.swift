/// The lines that are recognised without the argument parser, which costs more than a `get` does.
///
/// Only where every word is plain: anything else, and anything that could be meant otherwise, goes through
/// the parser. A test holds both ways equal.
enum PlainLine: Equatable {
  case version
  case get(GetRequest)
  case defaults(DefaultsLine)
  case completion(CompletionLine)
  case credential(CredentialLine)

  /// The request of a plain line; `nil` where the line is for the parser.
  init?(_ arguments: [String]) {
    if let line = DefaultsLine(arguments) {
      self = .defaults(line)
      return
    }
    if let line = CompletionLine(arguments) {
      self = .completion(line)
      return
    }
    if let line = CredentialLine(arguments) {
      self = .credential(line)
      return
    }
    switch arguments.count {
    case 1 where arguments[0] == "--version": self = .version
    case 2 where arguments[0] == "get" && Self.isPlain(arguments[1]):
      self = .get(GetRequest(name: arguments[1], settings: VaultSettings()))
    default: return nil
    }
  }

  private static func isPlain(_ word: String) -> Bool { !word.isEmpty && !word.hasPrefix("-") }

  func run() throws {
    switch self {
    case .version: try StandardOutput.line(VaultTool.version)
    case .get(let request): try request.run()
    case .defaults(let line): try line.run()
    case .completion(let line): try line.run()
    case .credential(let line): try line.run()
    }
  }
}

extension GetRequest {
  /// The request of a line that is recognised before the argument parser; `nil` where it is not.
  package init?(plain arguments: [String]) {
    guard case .get(let request) = PlainLine(arguments) else { return nil }
    self = request
  }

  /// The request that the argument parser makes of a line.
  package init?(parsing arguments: [String]) throws {
    guard let verb = try CommandLineParsing.command(for: arguments) as? GetVerb else { return nil }
    self = try verb.request()
  }
}
