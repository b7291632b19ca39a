import Testing
import VaultProtocols
import VaultSealing

struct SecretReferenceTests {
  @Test func aReferenceHasNameFieldVaultAndQuery() throws {
    let plain = try SecretReference("secret://work/github#user")
    #expect(plain.name == "work/github")
    #expect(plain.field == "user")
    let full = try SecretReference(
      "secret://@work/a%20b%23c?encoding=base64&default=x%26y&attribute=expiry")
    #expect(full.vaultName == "work")
    #expect(full.name == "a b#c")
    #expect(full.encoding == .base64)
    #expect(full.fallback == "x&y")
    #expect(full.attribute == .expiry)
  }

  @Test(arguments: [
    "vault://x", "secret://", "secret://@work", "secret://x?encoding=rot13", "secret://x?y=z",
    "secret://x%2", "secret://x%FF", "secret://x?attribute=otp2",
  ])
  func otherTextsAreRefused(text: String) {
    let error = #expect(throws: ProtocolError.self) { try SecretReference(text) }
    #expect(error?.code == .invalidRequest)
  }

  @Test func referencesAreFoundInText() throws {
    let parts = try ReferenceText.parts(of: "postgres://me:secret://db#pw@host/x secret://@v/n,y")
    #expect(
      parts == [
        .text("postgres://me:"), .reference(try SecretReference("secret://db#pw")),
        .text("@host/x "), .reference(try SecretReference("secret://@v/n")), .text(",y"),
      ])
  }

  @Test(arguments: [
    (SecretEncoding.base64, "Man", "TWFu"), (.base64, "Ma", "TWE="), (.base64, "M", "TQ=="),
    (.base64, "", ""), (.hex, "\u{0}a~", "00617e"), (.url, "a b/é", "a%20b%2F%C3%A9"),
    (.json, "a\"b\\\n", "\"a\\\"b\\\\\\u000a\""),
  ])
  func encodingsAreExact(encoding: SecretEncoding, secret: String, expected: String) throws {
    let encoded = try encoding.encode(SecretBytes(copying: Array(secret.utf8)))
    #expect(encoded.withBytes { $0.text(0..<$0.byteCount) } == expected)
  }
}
