import VaultDBus
package import VaultProtocols
import VaultSealing
import VaultStorage
import VaultTerminal

/// This command behind the wall: it has no vault there, and asks through the one socket.
package enum GuardClient {
  /// What may be said without a vault.
  private static let harmless: Set<String> = [
    "credential", "completions", "help", "--help", "-h", "--version", "__complete",
  ]
  /// How long an answer may take.
  private static let milliseconds = 120_000

  /// Whether this process is behind the wall.
  package static var isInside: Bool { ProcessState.variable(GuardRequest.variable) != nil }

  /// Refuses every verb behind the wall but those that speak for another program.
  ///
  /// Nothing depends on it: there is no vault to be read, and no key. It says so in one line.
  ///
  /// - Parameter words: The line without common options.
  /// - Throws: ``CommandError`` with code `.insideGuard`.
  package static func refuseOthers(_ words: some Sequence<String>) throws {
    guard isInside, let verb = words.first(where: { _ in true }), !harmless.contains(verb) else {
      return
    }
    throw CommandError(
      .insideGuard,
      "inside \(ProgramName.current) guard secrets are for git, docker, aws, pip and uv, by their own protocols",
      hint: "run this line outside of the wall")
  }

  /// Has a request answered, and writes what the program reads.
  ///
  /// - Parameters:
  ///   - face: The program's protocol.
  ///   - words: Its words.
  /// - Throws: ``CommandError`` with the code of what went wrong; `DockerRequest.Refusal`;
  ///   ``ExitStatusOnly`` for a negative answer.
  package static func answer(_ face: CredentialProtocol, _ words: [String]) throws {
    guard GuardRequest.faces.contains(face) else {
      throw CommandError(
        .insideGuard,
        "inside \(ProgramName.current) guard only git, docker, aws, pip and uv are answered",
        hint: "run this line outside of the wall")
    }
    if face == .keyring, let line = try? KeyringLine(words), !KeyringRequest.readsOthers(line) {
      throw CommandError(
        .insideGuard,
        "inside \(ProgramName.current) guard keyring reads passwords of other services, and sets none",
        hint: "run this line outside of the wall")
    }
    let input =
      try GuardRequest.hasInput(face, words)
      ? SecretInput.read(0, limit: GuardRequest.maximumLength) : SecretBytes(copying: [])
    let message = try GuardRequest(
      face: face, words: words, input: input,
      reason: ProcessState.variable(ApprovalQuestion.reasonVariable)
    ).message()
    switch try exchange(message) {
    case .output(let output): if let output { try StandardOutput.write(output) }
    case .negative: throw ExitStatusOnly(status: .no)
    case .refusal(let refusal): throw refusal
    case .failure(code: GuardAnswer.notApproved, let message):
      throw CommandError(
        .notApproved, message,
        hint: "answer in another terminal, outside: \(ProgramName.current) approve --watch")
    case .failure(let code, let message):
      throw CommandError(
        CommandError.Code(rawValue: code) ?? .unexpected, message,
        hint: "what is let out is named outside: \(ProgramName.current) guard --only NAME")
    }
  }

  private static func exchange(_ message: SecretBytes) throws -> GuardAnswer {
    let path = ProcessState.variable(GuardRequest.variable) ?? ""
    guard let socket = LocalSocket.connect(to: Array(path.utf8), milliseconds: milliseconds) else {
      throw CommandError(
        .insideGuard, "inside this \(ProgramName.current) guard no item is let out",
        hint: "name those that are, outside: \(ProgramName.current) guard --only NAME")
    }
    defer { System.close(socket) }
    var sent = 0
    while sent < message.count {
      switch LocalSocket.send(socket, message, from: sent) {
      case .moved(let count): sent += count
      case .later: try wait(for: socket, writes: true)
      case .ended: throw noAnswer
      }
    }
    let answer = try LockedBuffer(capacity: 4096)
    while true {
      if let length = answer.withBytes({ GuardMessage.length($0) }) {
        guard length <= GuardAnswer.maximumLength else { throw noAnswer }
        if answer.count >= length {
          return try answer.withBytes { try GuardAnswer($0.extracting(4..<length)) }
        }
      }
      switch try LocalSocket.receive(socket, into: answer, atMost: 64 << 10) {
      case .moved: break
      case .later: try wait(for: socket, writes: false)
      case .ended: throw noAnswer
      }
    }
  }

  private static func wait(for socket: Int32, writes: Bool) throws {
    // A person may have to be asked, and has the time that the line says.
    let ready = LocalSocket.wait(
      for: [(socket, !writes, writes)], milliseconds: writes ? milliseconds : nil)
    guard ready[0].reads || ready[0].writes else { throw noAnswer }
  }

  private static let noAnswer = CommandError(
    .guardUnavailable, "nobody answers at the socket of the guard",
    hint: "it ends with the command, and takes few at once: try again")
}
