public import VaultCredentials
import VaultSealing
import VaultStorage

/// A prompt of ssh, git or sudo to its askpass program.
///
/// ssh(1), "SSH_ASKPASS". A rule says which item answers, nothing is guessed: the item with the
/// attribute ``attribute``, or for git the one of the credential helper, or the item of the
/// documented name. A prompt of any other program is answered by the item that has the prompt
/// itself, to the letter, as that attribute. If there is none, or there are several, the prompt is
/// cancelled; and so is a question whose answer is a decision, or a new passphrase.
public struct AskpassRequest: CredentialRequest {
  /// The attribute that makes an item answer: a key's path, `user@host`, `sudo:user`, or a prompt.
  public static let attribute = "askpass"

  /// What is asked; `nil` for a text that is only shown.
  private enum Question {
    case known(AskpassPrompt)
    case other(String)
  }

  private let question: Question?
  private let caller: AskpassCaller

  /// Reads a request.
  ///
  /// - Parameters:
  ///   - words: The arguments of the askpass program: the prompt alone.
  ///   - kind: The value of `SSH_ASKPASS_PROMPT`: `none` only shows a text, `confirm` takes the
  ///     exit status for an answer.
  ///   - caller: The program that asks.
  /// - Throws: ``ProtocolError`` with code `.askpassCancelled` for a prompt that is never answered.
  public init(
    _ words: [String], kind: String?, caller: AskpassCaller = AskpassCaller()
  ) throws(ProtocolError) {
    self.caller = caller
    switch kind {
    case "none":
      question = nil
      return
    case "confirm": throw Self.cancelled("a confirmation must come from a person")
    default: break
    }
    guard words.count == 1, let text = words.first, ServiceCredential.isPlain(text) else {
      throw Self.cancelled("this prompt is not known, so it gets no answer")
    }
    if let prompt = AskpassPrompt(text) {
      question = .known(prompt)
    } else {
      guard !Self.isDecision(text), !text.trimmingBlanks.isEmpty else {
        throw Self.cancelled("this must be answered by a person")
      }
      question = .other(text.trimmingBlanks)
    }
  }

  /// Whether a prompt asks for a decision, or for a secret that is yet to be made.
  private static func isDecision(_ text: String) -> Bool {
    let text = text.lowercased()
    return [
      "yes/no", "'yes'", "(y/n", "[y/n", "no passphrase", "new pass", "again", "retype", "ssh>",
    ].contains { text.contains(bytes: $0) }
  }

  /// The access to a vault: none for a text that is only shown.
  public var access: VaultAccess { question == nil ? .none : .ifExists }

  /// Returns the answer.
  ///
  /// - Parameter snapshot: The vault, if there is one.
  /// - Returns: One line.
  /// - Throws: ``ProtocolError`` with code `.askpassCancelled`; `CredentialError` with code
  ///   `.damaged`.
  public func response(in snapshot: VaultSnapshot?) throws -> CredentialResponse {
    let answer: Answer?
    switch question {
    case nil: return CredentialResponse()
    case .known(let prompt): answer = try snapshot.flatMap { try self.answer(to: prompt, in: $0) }
    case .other(let text): answer = try snapshot.flatMap { try secret(marked: text, in: $0) }
    }
    guard let answer else {
      throw ProtocolError(
        .askpassCancelled, "no item answers this prompt", remedy: .addItem)
    }
    guard ServiceCredential.isLine(answer.line) else {
      throw Self.cancelled("the answer is not one line")
    }
    return CredentialResponse(
      output: try SecretBytes.joined([answer.line, SecretBytes(text: "\n")]),
      uses: answer.item.map { [.init($0)] } ?? [])
  }

  /// The answer to a prompt.
  private struct Answer {
    let line: SecretBytes
    /// The item whose secret it is; `nil` for what is no secret.
    let item: Item?
  }

  private func answer(
    to prompt: AskpassPrompt, in snapshot: VaultSnapshot
  ) throws -> Answer? {
    switch prompt {
    case .key(let path):
      return try caller.wholePath(path).flatMap {
        try secret(marked: $0, named: "ssh\($0)", in: snapshot)
      }
    case .keyOfCaller:
      return try caller.keyPath.flatMap {
        try secret(marked: $0, named: "ssh\($0)", in: snapshot)
      }
    case .host(let host): return try secret(marked: host, named: "ssh/\(host)", in: snapshot)
    case .sudo(let user):
      return try secret(marked: "sudo:\(user)", named: "sudo/\(user)", in: snapshot)
    case .gitUsername(let scheme, let host, let path):
      let item = gitItem(scheme, host, path, nil, in: snapshot)
      return try item?.attributes[ServiceCredential.account].map {
        Answer(line: try SecretBytes(text: $0), item: nil)
      }
    case .gitPassword(let scheme, let host, let path, let username):
      return try gitItem(scheme, host, path, username, in: snapshot).map {
        Answer(line: try snapshot.secret(of: $0).bytes, item: $0)
      }
    }
  }

  private func gitItem(
    _ scheme: String, _ host: String, _ path: String?, _ username: String?,
    in snapshot: VaultSnapshot
  ) -> Item? {
    let subject = GitSubject(scheme: scheme, host: host, path: path, username: username)
    let items = snapshot.items(matching: subject.query)
    if let found = subject.best(of: items) { return found }
    // git's prompt has the path even if git does not send it to the helper.
    return GitSubject(scheme: scheme, host: host, path: nil, username: username)
      .best(of: items.filter { $0.attributes[GitRequest.path] == nil })
  }

  private func secret(
    marked mark: String, named name: String? = nil, in snapshot: VaultSnapshot
  ) throws -> Answer? {
    var query = ItemQuery()
    query.attributes = [Self.attribute: mark]
    let marked = snapshot.items(matching: query)
    guard marked.count <= 1 else {
      throw Self.cancelled("several items have the attribute of this prompt")
    }
    let named = name.flatMap { try? ItemName($0) }.flatMap { snapshot[$0] }
    return try (marked.first ?? named).map {
      Answer(line: try snapshot.secret(of: $0).bytes, item: $0)
    }
  }

  private static func cancelled(_ why: String) -> ProtocolError {
    ProtocolError(.askpassCancelled, why, remedy: .markItem)
  }
}
