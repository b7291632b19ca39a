/// The lines that are recognised without the argument parser, which costs more than a `get` does.
///
/// Only where every word is plain: anything else, and anything that could be meant otherwise, goes through
/// the parser. A test holds both ways equal.
package enum PlainLine: Equatable {
  case version
  case get(GetRequest)

  /// The request of a plain line; `nil` where the line is for the parser.
  package init?(_ arguments: [String]) {
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
    }
  }
}
