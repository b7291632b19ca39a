import VaultStorage

/// The id of a request, as the client wrote it: a text or a whole number.
enum MCPID: Hashable {
  /// The bytes of UTF-8: texts are compared by what they look like, and ids are not.
  case text([UInt8])
  case number(String)

  private static let maximumText = 256
  private static let maximumDigits = 20

  /// The id that a message has; `nil` if that is none.
  init?(_ value: JSONValue) {
    switch value {
    case .string(let text) where text.utf8.count <= Self.maximumText: self = .text(Array(text.utf8))
    case .number(let digits)
    where digits.utf8.count <= Self.maximumDigits
      && digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }):
      self = .number(digits)
    default: return nil
    }
  }

  var value: JSONValue {
    switch self {
    case .text(let bytes): .string(String(decoding: bytes, as: UTF8.self))
    case .number(let digits): .number(digits: digits)
    }
  }
}

/// An error of the protocol: JSON-RPC 2.0, section 5.1.
struct MCPFailure: Error {
  let code: Int64
  let message: String

  static let unreadable = MCPFailure(code: -32700, message: "the message is not JSON")
  static func invalid(_ message: String) -> MCPFailure {
    MCPFailure(code: -32600, message: message)
  }
  static let unknownMethod = MCPFailure(code: -32601, message: "there is no such method")
  static func parameters(_ message: String) -> MCPFailure {
    MCPFailure(code: -32602, message: message)
  }
}

/// One message of a client: JSON-RPC 2.0, section 4.
enum MCPMessage {
  case request(MCPID, method: String, parameters: JSONValue?)
  case notification(method: String, parameters: JSONValue?)
  /// An answer to something that was never asked, which is not answered.
  case answer
  /// What is none, with the id if there is one.
  case invalid(MCPFailure, MCPID?)

  init(_ value: JSONValue) {
    guard case .object = value else {
      self = .invalid(.invalid("a message is a JSON object"), nil)
      return
    }
    let id = value["id"].flatMap { MCPID($0) }
    guard value["jsonrpc"]?.text == "2.0" else {
      self = .invalid(.invalid("a message has \"jsonrpc\": \"2.0\""), id)
      return
    }
    guard let method = value["method"] else {
      let isAnswer = value.has("result") || value.has("error")
      self = isAnswer ? .answer : .invalid(.invalid("a message has a method"), id)
      return
    }
    guard let name = method.text else {
      self = .invalid(.invalid("a method is a text"), id)
      return
    }
    // An id that is null is one that may not be.
    guard value.has("id") else {
      self = .notification(method: name, parameters: value["params"])
      return
    }
    guard let id else {
      self = .invalid(.invalid("an id is a text of at most 256 bytes or a whole number"), nil)
      return
    }
    self = .request(id, method: name, parameters: value["params"])
  }
}

extension JSONValue {
  /// The text of a string alone.
  var text: String? { if case .string(let text) = self { text } else { nil } }

  /// Whether it has a member of this name, also one that is null.
  func has(_ name: String) -> Bool {
    guard case .object(let members) = self else { return false }
    return members.contains { $0.0.isSame(as: name) }
  }

  /// Whether it is an object.
  var isObject: Bool { if case .object = self { true } else { false } }
}

/// Where the answer to one request goes: to the client at once, or into the array for a batch.
final class MCPReply {
  let id: MCPID
  private let batch: MCPBatch

  init(_ id: MCPID, in batch: MCPBatch) {
    (self.id, self.batch) = (id, batch)
    batch.expected += 1
  }

  func result(_ value: JSONValue) {
    batch.add(
      .object([("jsonrpc", .string("2.0")), ("id", id.value), ("result", value)]))
  }

  func failure(_ failure: MCPFailure) { batch.add(Self.failure(failure, id)) }

  /// Says nothing: the request was cancelled.
  func nothing() { batch.add(nil) }

  static func failure(_ failure: MCPFailure, _ id: MCPID?) -> JSONValue {
    .object([
      ("jsonrpc", .string("2.0")), ("id", id?.value ?? .null),
      (
        "error",
        .object([("code", .number(failure.code)), ("message", .string(failure.message))])
      ),
    ])
  }
}

/// The messages that came in one line, and the answers to them: several only in an array, which
/// version 2025-03-26 of MCP has and no other.
final class MCPBatch {
  var expected = 0
  private let isArray: Bool
  private var answers: [JSONValue] = []
  private var isComplete = false
  private let send: (JSONValue) -> Void

  init(isArray: Bool, _ send: @escaping (JSONValue) -> Void) {
    (self.isArray, self.send) = (isArray, send)
  }

  /// Adds an answer to one of its requests.
  func add(_ answer: JSONValue?) {
    expected -= 1
    if let answer { answers.append(answer) }
    sendIfDone()
  }

  /// Adds what is said to something that was no request.
  func addFailure(_ failure: MCPFailure, _ id: MCPID?) {
    answers.append(MCPReply.failure(failure, id))
  }

  /// All of the line has been looked at.
  func complete() {
    isComplete = true
    sendIfDone()
  }

  private func sendIfDone() {
    guard isComplete, expected == 0, !answers.isEmpty else { return }
    defer { answers = [] }
    if isArray { return send(.array(answers)) }
    for answer in answers { send(answer) }
  }
}
