public import VaultCredentials
import VaultSealing
import VaultStorage

/// A prompt of ssh, git or sudo to its askpass program.
///
/// ssh(1), "SSH_ASKPASS". A rule says which item answers, nothing is guessed: the item with the
/// attribute ``attribute``, or for git the one of the credential helper, or the item of the
/// documented name. If there is none, or there are several, the prompt is cancelled.
public struct AskpassRequest: CredentialRequest {
  /// The attribute that makes an item answer: a key's path, `user@host`, or `sudo:user`.
  public static let attribute = "askpass"

  private let prompt: AskpassPrompt?

  /// Reads a request.
  ///
  /// - Parameters:
  ///   - words: The arguments of the askpass program: the prompt alone.
  ///   - kind: The value of `SSH_ASKPASS_PROMPT`: `none` only shows a text, `confirm` takes the
  ///     exit status for an answer.
  /// - Throws: ``ProtocolError`` with code `.askpassCancelled` for a prompt that is not known.
  public init(_ words: [String], kind: String?) throws(ProtocolError) {
    switch kind {
    case "none":
      prompt = nil
      return
    case "confirm": throw Self.cancelled("a confirmation must come from a person")
    default: break
    }
    guard words.count == 1, let text = words.first, let prompt = AskpassPrompt(text) else {
      throw Self.cancelled("this prompt is not known, so it gets no answer")
    }
    self.prompt = prompt
  }

  /// The access to a vault: none for a text that is only shown.
  public var access: VaultAccess { prompt == nil ? .none : .ifExists }

  /// Returns the answer.
  ///
  /// - Parameter snapshot: The vault, if there is one.
  /// - Returns: One line.
  /// - Throws: ``ProtocolError`` with code `.askpassCancelled`; `CredentialError` with code
  ///   `.damaged`.
  public func response(in snapshot: VaultSnapshot?) throws -> CredentialResponse {
    guard let prompt else { return CredentialResponse() }
    guard let answer = try snapshot.flatMap({ try answer(to: prompt, in: $0) }) else {
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
      // A relative path means another file in another folder.
      guard path.begins(with: "/") else { return nil }
      return try secret(marked: path, named: "ssh\(path)", in: snapshot)
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
    marked mark: String, named name: String, in snapshot: VaultSnapshot
  ) throws -> Answer? {
    var query = ItemQuery()
    query.attributes = [Self.attribute: mark]
    let marked = snapshot.items(matching: query)
    guard marked.count <= 1 else {
      throw Self.cancelled("several items have the attribute of this prompt")
    }
    let named = (try? ItemName(name)).flatMap { snapshot[$0] }
    return try (marked.first ?? named).map {
      Answer(line: try snapshot.secret(of: $0).bytes, item: $0)
    }
  }

  private static func cancelled(_ why: String) -> ProtocolError {
    ProtocolError(.askpassCancelled, why, remedy: .markItem)
  }
}
