import Testing
import VaultProtocols
import VaultSealing
import VaultStorage

/// What goes through the one socket that leads out of `vault guard`.
struct GuardMessageTests {
  private func body(_ message: SecretBytes) -> [UInt8] {
    message.withBytes { $0.array(4..<$0.byteCount) }
  }

  @Test func aRequestArrivesAsItWasSent() throws {
    let sent = GuardRequest(
      face: .git, words: ["get", "a \"b\"\n"], input: try SecretBytes(text: "host=x\n"))
    let message = try sent.message()
    #expect(message.withBytes { GuardMessage.length($0) } == message.count)
    let read = try body(message).withRawSpan { try GuardRequest($0) }
    #expect(read.face == .git && read.words == ["get", "a \"b\"\n"])
    #expect(read.input.text == "host=x\n")
  }

  @Test func anAnswerArrivesAsItWasSent() throws {
    let secret = try SecretBytes(text: "p\0\u{1}")
    for answer in [
      GuardAnswer.output(secret), .output(nil), .negative, .refusal(.notFound),
      .failure(code: "locked", message: "no \"key\""),
    ] {
      let read = try body(answer.message()).withRawSpan { try GuardAnswer($0) }
      switch (answer, read) {
      case (.output(let one), .output(let other)): #expect(one?.text == other?.text)
      case (.negative, .negative): break
      case (.refusal(let one), .refusal(let other)): #expect(one == other)
      case (.failure(let one, let words), .failure(let other, let others)):
        #expect(one == other && words == others)
      default: Issue.record("\(answer) became \(read)")
      }
    }
  }

  @Test func whatIsTooLongOrNoMessageIsRefused() throws {
    let long = try SecretBytes(copying: [UInt8](repeating: 0x61, count: 64 << 10))
    #expect(throws: ProtocolError.self) {
      try GuardRequest(face: .git, words: ["get"], input: long).message()
    }
    let longer = try SecretBytes(copying: [UInt8](repeating: 0x61, count: 1 << 20))
    #expect(throws: ProtocolError.self) { try GuardAnswer.output(longer).message() }
    for bytes: [UInt8] in [
      [], [1], [9, 0], [255, 255, 0x7B, 0x7D], [2, 0, 0x7B, 0x7D], [0, 0], [1, 0, 0x7B],
    ] {
      #expect(throws: ProtocolError.self) { try bytes.withRawSpan { _ = try GuardRequest($0) } }
      #expect(throws: ProtocolError.self) { try bytes.withRawSpan { _ = try GuardAnswer($0) } }
    }
  }

  /// A word that is no text is not left out: another request would be answered.
  @Test(arguments: [#"["get", 1]"#, #"["get", {}]"#, #"[null, "get"]"#, #"[["get"]]"#])
  func aWordThatIsNoTextIsRefused(words: String) {
    let head = Array(#"{"face": "git", "words": \#(words)}"#.utf8)
    let bytes = [UInt8(head.count), 0] + head
    #expect(throws: ProtocolError.self) { try bytes.withRawSpan { _ = try GuardRequest($0) } }
  }

  @Test func onlyWordsThatReadForAProgramAreRequests() throws {
    let empty = try SecretBytes(text: "")
    for (face, words) in [
      (CredentialProtocol.git, []), (.git, ["get", "get"]), (.aws, []), (.aws, ["a", "list"]),
      (.aws, [""]), (.aws, ["a", "get", "b"]), (.docker, []), (.docker, ["get", "x"]),
      (.askpass, ["Password:"]), (.kubectl, ["user"]), (.keyring, ["set", "a", "b"]),
      (.keyring, ["del", "a", "b"]), (.keyring, ["get", "vault", "b"]), (.keyring, []),
    ] as [(CredentialProtocol, [String])] {
      #expect(throws: (any Error).self) {
        _ = try GuardRequest(face: face, words: words, input: empty).request(version: "0")
      }
    }
  }
}
