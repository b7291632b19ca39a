import Testing
import VaultSSHAgent
import VaultSSHKeys

/// A host by its key, in the forms of sshd(8).
struct KnownHostsTests {
  private let key: SSHPublicKey

  init() throws { key = try SSHPrivateKey(.ed25519).publicKey }

  private func host(_ text: String, _ candidates: [String] = []) -> KnownHosts.Host {
    let line = key.line(comment: "")
    return KnownHosts(Array(text.replacing("KEY", with: line).utf8))
      .host(key, candidates: candidates, now: 0)
  }

  @Test func namesStandBesideTheKey() throws {
    #expect(host("a,b KEY\nc KEY comment\n") == .named(["a", "b", "c"]))
    #expect(host("a,b KEY\n", ["b"]) == .named(["b", "a"]), "the one that was typed comes first")
    #expect(host("# a KEY\n\na ssh-ed25519 AAAA\n") == .unknown)
    #expect(host("a KEY\r\n") == .named(["a"]))
    #expect(host("a KEY\n@revoked * KEY\n") == .revoked)
    #expect(host("@cert-authority * KEY\n") == .unknown, "a CA's key is no host's")
    #expect(host("a\nKEY\n@other a KEY\n") == .unknown)
  }

  /// The hash of `192.168.1.61` that texts on the format have as their example.
  @Test func hashedNamesAreFoundByWhatWasTyped() throws {
    let line = "|1|F1E1KeoE/eEWhi10WpGv4OdiO6Y=|3988QV0VE8wmZL7suNrYQLITLCg= KEY\n"
    #expect(host(line) == .hashed)
    #expect(host(line, ["example.com"]) == .hashed)
    #expect(host(line, ["192.168.1.61"]) == .named(["192.168.1.61"]))
  }
}
