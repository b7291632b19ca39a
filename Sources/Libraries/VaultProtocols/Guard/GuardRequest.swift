package import VaultSealing
import VaultStorage

/// What a program behind `vault guard` asks: the words and the input of a credential helper, on their
/// way through the one socket that leads out.
///
/// A message is four bytes with the length of what follows, the smallest first; two with the length
/// of the head; the head, a JSON object; and the input. One request and one answer are all that a
/// connection carries.
package struct GuardRequest: Sendable {
  /// The most bytes of a message, with its length.
  package static let maximumLength = 64 << 10
  /// The variable that names the socket, and by which a program knows where it is.
  package static let variable = "VAULT_GUARD"
  /// The programs that are answered.
  package static let faces: Set<CredentialProtocol> = [.git, .docker, .aws, .keyring]

  package let face: CredentialProtocol
  package let words: [String]
  package let input: SecretBytes
  /// Why it is asked, in the program's own words; see ``ApprovalQuestion/reasonVariable``.
  package let reason: String?

  /// A request.
  ///
  /// - Parameters:
  ///   - face: The program's protocol.
  ///   - words: What follows the helper's name on the line.
  ///   - input: What the program has written to the helper.
  ///   - reason: Why it asks.
  package init(
    face: CredentialProtocol, words: [String], input: SecretBytes, reason: String? = nil
  ) {
    (self.face, self.words, self.input) = (face, words, input)
    self.reason = reason.flatMap(ApprovalQuestion.bounded)
  }

  /// Whether an action comes with an input.
  package static func hasInput(_ face: CredentialProtocol, _ words: [String]) -> Bool {
    switch face {
    case .git, .docker: ["get", "store", "erase"].contains(words.last)
    case .aws: words.count > 1 && words.last == "store"
    case .askpass, .keyring, .kubectl: false
    }
  }

  /// Reads a message without its length.
  ///
  /// - Throws: ``ProtocolError`` with code `.invalidRequest`.
  package init(_ bytes: RawSpan) throws {
    let (head, rest) = try GuardMessage.parts(bytes)
    guard let face = head["face"]?.scalarText.flatMap(CredentialProtocol.init(rawValue:)),
      let words = head["words"]?.elements, words.count <= 8
    else { throw GuardMessage.unreadable }
    // A word that is left out would make another request of it.
    let texts = try words.map { word in
      guard case .string(let text) = word else { throw GuardMessage.unreadable }
      return text
    }
    self.init(
      face: face, words: texts,
      input: try SecretBytes(copying: bytes.extracting(rest)),
      reason: head["reason"]?.scalarText)
  }

  /// The message.
  ///
  /// - Throws: ``ProtocolError`` with code `.invalidRequest` if it is too long.
  package func message() throws -> SecretBytes {
    try GuardMessage.made(
      .object([
        ("face", .string(face.rawValue)), ("words", .strings(words)), ("reason", .optional(reason)),
      ]), input, limit: Self.maximumLength)
  }

  /// Where a request's secret is for, in the program's words: a remote, a registry, a profile.
  package static func place(of request: any CredentialRequest) -> String? {
    switch request {
    case let request as GitRequest: request.place
    case let request as DockerRequest: request.place
    case let request as KeyringRequest: request.place
    default: nil
    }
  }

  /// The request as a vault answers it.
  ///
  /// - Parameter version: The helper's version, for docker.
  /// - Returns: The request.
  /// - Throws: What reading it throws; ``ProtocolError`` with code `.invalidRequest` for a program
  ///   that is not answered.
  package func request(version: String) throws -> any CredentialRequest {
    switch face {
    case .git where words.count == 1: return try GitRequest(words[0], input: input)
    case .docker where words.count == 1:
      return try DockerRequest(words[0], version: version, input: input)
    case .aws where (1...2).contains(words.count) && !words[0].isEmpty:
      switch words.count == 1 ? "get" : words[1] {
      case "get": return try AWSRequest.get(profile: words[0])
      case "store": return try AWSRequest.store(profile: words[0], input: input)
      case "erase": return try AWSRequest.erase(profile: words[0])
      default: throw GuardMessage.unreadable
      }
    case .keyring:
      let line = try KeyringLine(words)
      guard KeyringRequest.readsOthers(line) else { throw Self.isForOthers }
      return KeyringRequest(line)
    default: throw GuardMessage.unreadable
    }
  }

  private static let isForOthers = ProtocolError(
    .invalidRequest, "behind the guard, only passwords of other services are read by keyring")
}

/// The answer to a ``GuardRequest``.
package enum GuardAnswer: Sendable {
  /// The most bytes of a message, with its length.
  package static let maximumLength = 1 << 20
  /// The code of a failure where a person has not allowed it.
  package static let notApproved = "not-approved"

  /// What the program reads; `nil` for nothing.
  case output(SecretBytes?)
  /// Nothing was found, which the program learns by a status.
  case negative
  /// What docker knows by its text.
  case refusal(DockerRequest.Refusal)
  /// An error's code, as `--json` has it, and its words.
  case failure(code: String, message: String)

  /// Reads a message without its length.
  ///
  /// - Throws: ``ProtocolError`` with code `.invalidRequest`.
  package init(_ bytes: RawSpan) throws {
    let (head, rest) = try GuardMessage.parts(bytes)
    switch head["answer"]?.scalarText {
    case "output":
      let output = rest.isEmpty ? nil : try SecretBytes(copying: bytes.extracting(rest))
      self = .output(output)
    case "negative": self = .negative
    case "refusal":
      guard let text = head["message"]?.scalarText,
        let refusal = DockerRequest.Refusal(rawValue: text)
      else { throw GuardMessage.unreadable }
      self = .refusal(refusal)
    case "failure":
      guard let code = head["code"]?.scalarText, let message = head["message"]?.scalarText else {
        throw GuardMessage.unreadable
      }
      self = .failure(code: code, message: message)
    default: throw GuardMessage.unreadable
    }
  }

  /// The message.
  ///
  /// - Throws: ``ProtocolError`` with code `.invalidRequest` if it is too long.
  package func message() throws -> SecretBytes {
    var head: [(String, JSONValue)]
    var output: SecretBytes?
    switch self {
    case .output(let bytes): (head, output) = ([("answer", .string("output"))], bytes)
    case .negative: head = [("answer", .string("negative"))]
    case .refusal(let refusal):
      head = [("answer", .string("refusal")), ("message", .string(refusal.rawValue))]
    case .failure(let code, let message):
      head = [
        ("answer", .string("failure")), ("code", .string(code)), ("message", .string(message)),
      ]
    }
    return try GuardMessage.made(.object(head), output, limit: Self.maximumLength)
  }
}

/// What requests and answers have in common.
package enum GuardMessage {
  static let unreadable = ProtocolError(
    .invalidRequest, "what was sent through the socket of the guard cannot be read")

  /// The length of the whole message that begins with these bytes; `nil` while too few are there.
  package static func length(_ bytes: RawSpan) -> Int? {
    guard bytes.byteCount >= 4 else { return nil }
    return 4 + Int(bytes.littleEndian(UInt32.self, at: 0))
  }

  /// The head of a message without its length, and where the rest lies.
  fileprivate static func parts(_ bytes: RawSpan) throws -> (JSONValue, Range<Int>) {
    guard bytes.byteCount >= 2 else { throw unreadable }
    let end = 2 + Int(bytes.littleEndian(UInt16.self, at: 0))
    guard end <= bytes.byteCount, let head = try? JSONValue.parse(bytes.array(2..<end)) else {
      throw unreadable
    }
    return (head, end..<bytes.byteCount)
  }

  fileprivate static func made(
    _ head: JSONValue, _ rest: SecretBytes?, limit: Int
  ) throws -> SecretBytes {
    let text = Array(head.text().utf8)
    let count = 2 + text.count + (rest?.count ?? 0)
    guard let headCount = UInt16(exactly: text.count), count + 4 <= limit else {
      throw ProtocolError(
        .invalidRequest, "what is sent through the socket of the guard is too long")
    }
    var start: [UInt8] = []
    start.append(littleEndian: UInt32(count))
    start.append(littleEndian: headCount)
    return try SecretBytes.joined(
      [SecretBytes(copying: start + text)] + [rest].compactMap(\.self))
  }
}
