/// Which messages a client wants to see: `AddMatch`.
///
/// D-Bus specification, "Match Rules".
package struct MatchRule: Equatable, Sendable {
  /// The most bytes of a rule.
  static let maximumLength = 1024

  private enum Condition: Equatable {
    case kind(DBusMessage.Kind)
    case sender(String)
    case interface(String)
    case member(String)
    case path(String)
    case pathNamespace(String)
    case destination(String)
    case argument(Int, String)
    case argumentPath(Int, String)
    case nameNamespace(String)
  }

  private let conditions: [Condition]

  /// Reads a rule; `nil` if it is none.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.maximumLength, let pairs = Self.pairs(text) else { return nil }
    var conditions: [Condition] = []
    for (key, value) in pairs {
      switch key {
      case "type":
        let kinds: [String: DBusMessage.Kind] = [
          "signal": .signal, "method_call": .call, "method_return": .reply, "error": .error,
        ]
        guard let kind = kinds[value] else { return nil }
        conditions.append(.kind(kind))
      case "sender": conditions.append(.sender(value))
      case "interface": conditions.append(.interface(value))
      case "member": conditions.append(.member(value))
      case "path": conditions.append(.path(value))
      case "path_namespace": conditions.append(.pathNamespace(value))
      case "destination": conditions.append(.destination(value))
      case "arg0namespace": conditions.append(.nameNamespace(value))
      // What was sent to somebody else is shown to nobody here.
      case "eavesdrop": break
      default:
        guard key.utf8.starts(with: "arg".utf8) else { return nil }
        let rest = String(key.unicodeScalars.dropFirst(3))
        let isPath = rest.utf8.count > 4 && rest.hasSuffix("path")
        let digits = isPath ? String(rest.unicodeScalars.dropLast(4)) : rest
        guard let index = Int(digits), (0...63).contains(index) else { return nil }
        conditions.append(isPath ? .argumentPath(index, value) : .argument(index, value))
      }
    }
    self.conditions = conditions
  }

  /// `key='value',…`; outside of apostrophes a backslash stands before an apostrophe.
  private static func pairs(_ text: String) -> [(String, String)]? {
    var pairs: [(String, String)] = []
    var rest = Array(text.utf8)[...]
    func isSeparator(_ byte: UInt8) -> Bool {
      byte == UInt8(ascii: ",") || byte == UInt8(ascii: " ")
    }
    while true {
      rest = rest.drop(while: isSeparator)
      if rest.isEmpty { return pairs }
      guard let equals = rest.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      let key = String(decoding: rest[..<equals], as: UTF8.self)
      rest = rest[(equals + 1)...]
      var value: [UInt8] = []
      var isQuoted = false
      while let byte = rest.first, isQuoted || byte != UInt8(ascii: ",") {
        rest.removeFirst()
        switch byte {
        case UInt8(ascii: "'"): isQuoted.toggle()
        case UInt8(ascii: "\\") where !isQuoted && rest.first == UInt8(ascii: "'"):
          value.append(rest.removeFirst())
        default: value.append(byte)
        }
      }
      guard !isQuoted else { return nil }
      pairs.append((key, String(decoding: value, as: UTF8.self)))
    }
  }

  /// Whether a message is one of them.
  ///
  /// - Parameters:
  ///   - message: The message, with its sender.
  ///   - names: All names of the sender.
  ///   - arguments: The arguments, asked for only where the rule looks at them.
  /// - Returns: Whether all conditions hold.
  func matches(
    _ message: DBusMessage, sentBy names: Set<String>, _ arguments: () -> [DBusValue]
  ) -> Bool {
    conditions.allSatisfy { condition in
      switch condition {
      case .kind(let kind): message.kind == kind
      case .sender(let name): names.contains(name)
      case .interface(let name): message.interface == name
      case .member(let name): message.member == name
      case .path(let path): message.path == path
      case .pathNamespace(let path): message.path.map { Self.isBelow($0, path, "/") } == true
      case .destination(let name): message.destination == name
      case .argument(let index, let text):
        if case .string(text) = Self.argument(index, arguments()) { true } else { false }
      case .argumentPath(let index, let path):
        Self.argument(index, arguments())?.text.map { text in
          text == path || (path.hasSuffix("/") && text.hasPrefix(path))
            || (text.hasSuffix("/") && path.hasPrefix(text))
        } == true
      case .nameNamespace(let name):
        Self.argument(0, arguments())?.text.map { Self.isBelow($0, name, ".") } == true
      }
    }
  }

  private static func argument(_ index: Int, _ arguments: [DBusValue]) -> DBusValue? {
    arguments.indices.contains(index) ? arguments[index] : nil
  }

  private static func isBelow(_ text: String, _ top: String, _ separator: String) -> Bool {
    text == top || text.utf8.starts(with: (top == separator ? top : top + separator).utf8)
  }
}
