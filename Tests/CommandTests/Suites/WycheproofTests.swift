import Foundation
import Testing
import VaultKeyringTransport
import VaultOneTimeCodes
import VaultSealing

/// github.com/C2SP/wycheproof: known attacks on each primitive that is used and that it has.
///
/// It has none of BLAKE2b, Argon2id and libsodium's `crypto_kdf`.
@Suite(.enabled(if: Suite.wycheproof.isThere, "needs VAULT_TEST_SUITES with wycheproof"))
struct WycheproofTests {
  /// One test, with what its group has for all.
  private struct Vector {
    let group: [String: Any]
    let test: [String: Any]

    var isValid: Bool { test["result"] as? String == "valid" }
    var name: String { "\(test["tcId"] ?? "") \(test["comment"] ?? "")" }

    func bytes(_ name: String) -> [UInt8] { Self.bytes(test[name] as? String ?? "") }

    static func bytes(_ hex: String) -> [UInt8] { Hexadecimal.bytes(hex) ?? [] }
  }

  private func vectors(_ name: String) throws -> [Vector] {
    let document = try JSONSerialization.jsonObject(
      with: Data(try Suite.wycheproof.bytes("testvectors_v1/\(name)_test.json")))
    let groups = try #require((document as? [String: Any])?["testGroups"] as? [[String: Any]])
    let found = groups.flatMap { group in
      (group["tests"] as? [[String: Any]] ?? []).map { Vector(group: group, test: $0) }
    }
    #expect(!found.isEmpty)
    return found
  }

  private func array(_ secret: SecretBytes) -> [UInt8] {
    secret.withBytes { $0.array(0..<$0.byteCount) }
  }

  @Test func xchacha20Poly1305() throws {
    for vector in try vectors("xchacha20_poly1305") {
      let (nonce, message) = (vector.bytes("iv"), vector.bytes("msg"))
      let key = try SecretBytes(copying: vector.bytes("key"))
      let (context, sealed) = (vector.bytes("aad"), vector.bytes("ct") + vector.bytes("tag"))
      // A nonce of another length cannot be given: it is the beginning of what is sealed.
      guard nonce.count == 24 else { continue }
      let opened = try? AuthenticatedEncryption.open(nonce + sealed, key: key, context: context)
      #expect(opened.map(array) == (vector.isValid ? message : nil), "\(vector.name)")
      guard vector.isValid else { continue }
      let again = try message.withRawSpan {
        try AuthenticatedEncryption.seal($0, key: key, nonce: nonce, context: context)
      }
      #expect(again == sealed, "\(vector.name)")
    }
  }

  @Test func ed25519() throws {
    for vector in try vectors("ed25519") {
      let key = (vector.group["publicKey"] as? [String: Any])?["pk"] as? String ?? ""
      let isValid = SigningKey.isValid(
        vector.bytes("sig"), of: vector.bytes("msg"), by: Vector.bytes(key))
      #expect(isValid == vector.isValid, "\(vector.name)")
    }
  }

  /// Sealing to a key whose every shared secret is zero is refused; to each other one it works.
  @Test func x25519() throws {
    let plaintext = try SecretBytes(copying: [1, 2, 3])
    for vector in try vectors("x25519") {
      let isRefused = (try? SealingKeyPair.seal(plaintext, to: vector.bytes("public"))) == nil
      #expect(isRefused == vector.bytes("shared").allSatisfy { $0 == 0 }, "\(vector.name)")
    }
  }

  @Test(arguments: [
    ("hmac_sha1", OneTimeGenerator.Algorithm.sha1), ("hmac_sha256", .sha256),
    ("hmac_sha512", .sha512),
  ])
  func hmac(_ name: String, _ algorithm: OneTimeGenerator.Algorithm) throws {
    for vector in try vectors(name) {
      let tag = vector.bytes("tag")
      let made = try MessageAuthentication.code(
        algorithm, of: vector.bytes("msg"), key: SecretBytes(copying: vector.bytes("key")))
      #expect((Array(made.prefix(tag.count)) == tag) == vector.isValid, "\(vector.name)")
    }
  }

  @Test func hkdfWithSHA256() throws {
    for vector in try vectors("hkdf_sha256") {
      guard let count = vector.test["size"] as? Int else { continue }
      let made = try? SessionCryptography.derivedKey(
        from: SecretBytes(copying: vector.bytes("ikm")), salt: vector.bytes("salt"),
        info: vector.bytes("info"), count: count)
      #expect(made.map(array) == (vector.isValid ? vector.bytes("okm") : nil), "\(vector.name)")
    }
  }

  /// Of AES in CBC mode with padding, the key length that the Secret Service uses.
  @Test func aes128CBC() throws {
    for vector in try vectors("aes_cbc_pkcs5") where vector.group["keySize"] as? Int == 128 {
      let (message, sealed) = (vector.bytes("msg"), vector.bytes("ct"))
      let key = try SecretBytes(copying: vector.bytes("key"))
      let start = try SecretBytes(copying: vector.bytes("iv"))
      let opened = try SessionCryptography.crypt(
        SecretBytes(copying: sealed), key: key, vector: start, encrypts: false)
      #expect(opened.map(array) == (vector.isValid ? message : nil), "\(vector.name)")
      guard vector.isValid else { continue }
      let again = try SessionCryptography.crypt(
        SecretBytes(copying: message), key: key, vector: start, encrypts: true)
      #expect(again.map(array) == sealed, "\(vector.name)")
    }
  }
}
