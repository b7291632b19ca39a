import TestSupport
import Testing
import VaultSSHAgent
import VaultSSHKeys
import VaultSealing

/// Whatever a client or a file says: a value or one of our errors, never a crash or a hang.
@Suite(.timeLimit(.minutes(10)))
struct AgentFuzzTests {
  private static let inputs = 20_000 * Mutations.rounds

  private func parse(_ mutations: Mutations, _ parser: ([UInt8]) throws -> Void) {
    var mutations = mutations
    for number in 0..<Self.inputs {
      let input = mutations.input()
      do {
        try parser(input)
      } catch is WireError, is SSHKeyError, is SealingError {
      } catch {
        Issue.record("input \(number) of seed \(Mutations.seed): \(error), \(input)")
        return
      }
    }
  }

  private static func string(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.append(string: bytes)
    return result
  }

  /// Messages of every kind, from a real key.
  private static func messages() throws -> [[UInt8]] {
    let key = try SSHPrivateKey(.ed25519)
    let blob = key.publicKey.blob
    let sign = [13] + string(blob) + string(Array("data".utf8)) + [0, 0, 0, 0]
    let session = Array("session".utf8)
    let bind =
      [27] + string(Array("session-bind@openssh.com".utf8)) + string(blob) + string(session)
      + string(try key.signature(of: session)) + [1]
    let hop = { (host: String) in
      string([]) + string(Array(host.utf8)) + string([])
        + (host.isEmpty ? [] : string(blob) + [0])
    }
    let way = string(string(hop("")) + string(hop("host")) + string([]))
    let seed = [UInt8](repeating: 7, count: 32)
    let added = string(Array("ssh-ed25519".utf8)) + string(seed) + string(seed + seed)
    let limits =
      [1, 0, 0, 0, 9, 2, 255] + string(Array("restrict-destination-v00@openssh.com".utf8))
      + string(way)
    return [
      [11], sign, [17] + added + string([0x61]), [25] + added + string([0x61]) + limits,
      [18] + string(blob), [19], [22] + string([1, 2]), [23] + string([1, 2]), bind,
      [27] + string(Array("query".utf8)), [26] + string([]) + string([]),
    ]
  }

  @Test func messagesAreBounded() throws {
    let messages = try Self.messages()
    for message in messages where ![17, 25].contains(message[0]) {
      _ = try message.withRawSpan { try AgentRequest($0) }
    }
    parse(Mutations("agent messages", corpus: messages)) { input in
      _ = try input.withRawSpan { try AgentRequest($0) }
    }
  }

  @Test func publicKeysAreBounded() throws {
    let keys = try [SSHPrivateKey.Kind.ed25519, .ecdsaP256].map {
      try SSHPrivateKey($0).publicKey.blob
    }
    parse(Mutations("public keys", corpus: keys)) { input in
      let key = try SSHPublicKey(blob: input)
      _ = key.isValid(input, of: input)
      _ = key.line(comment: "")
    }
  }

  @Test func purposesAreBounded() throws {
    let key = try SSHPrivateKey(.ed25519).publicKey
    let file =
      Array("SSHSIG".utf8) + Self.string(Array("git".utf8)) + Self.string([])
      + Self.string(Array("sha512".utf8)) + Self.string([1, 2, 3])
    let login =
      Self.string([1]) + [50] + Self.string([0x75]) + Self.string(Array("ssh-connection".utf8))
      + Self.string(Array("publickey".utf8)) + [1] + Self.string(Array("ssh-ed25519".utf8))
      + Self.string(key.blob)
    var isKnown = false
    if case .file(namespace: "git") = SignaturePurpose(file, by: key),
      case .login(user: "u", sessionID: [1], hostKey: nil) = SignaturePurpose(login, by: key)
    {
      isKnown = true
    }
    #expect(isKnown, "the corpus is what it should be")
    parse(Mutations("what is signed", corpus: [file, login])) { input in
      _ = SignaturePurpose(input, by: key)
    }
  }

  @Test func knownHostsAreBounded() throws {
    let key = try SSHPrivateKey(.ed25519).publicKey
    let line = key.line(comment: "")
    parse(
      Mutations(
        "known hosts",
        texts: [
          "host,other \(line)\n", "@revoked * \(line)\n@cert-authority * \(line)\n",
          "|1|aGVsbG8=|d29ybGQ= \(line) me\n# \(line)\n",
        ], words: ["|", "|1|", ",", "!", "@revoked", " "])
    ) { input in
      _ = KnownHosts(input).host(key, candidates: ["host", ""], now: 0)
    }
  }
}
