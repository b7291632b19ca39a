import Foundation
import TestSupport
import Testing

/// `vault redact`: a pipe or a file without the vault's secrets.
struct RedactTests {
  private static let secret = "canary/Secret+1234"

  private func made() throws -> ThrowawayVault {
    let vault = try ThrowawayVault()
    try vault.set("api-token", Self.secret)
    try vault.set("app/other", "another-Secret-5678")
    try vault.set("pin", "1234")
    return vault
  }

  @Test func withoutNamesAllSecretsAreReplaced() throws {
    let vault = try made()
    let result = try vault("redact", input: "a \(Self.secret) b another-Secret-5678 1234\n")
    #expect(result.text == "a <redacted> b <redacted> 1234\n")
    #expect(result.errors == "vault: 1 secret is shorter than 6 bytes and not masked\n")
    #expect(try vault("--quiet", "redact", input: "1234").errors.isEmpty)
  }

  @Test func encodingsAreReplaced() throws {
    let vault = try made()
    let bytes = Data(Self.secret.utf8)
    let hex = bytes.map { String($0, radix: 16) }.joined()
    let text = "\(bytes.base64EncodedString()) \(hex) canary%2FSecret%2B1234 canary\\/Secret+1234"
    #expect(
      try vault("redact", "api-token", input: text).text
        == "<redacted> <redacted> <redacted> <redacted>")
  }

  @Test func namesAndFoldersSayWhichSecrets() throws {
    let vault = try made()
    let text = "\(Self.secret) another-Secret-5678"
    #expect(
      try vault("redact", "app/", input: text).text == "\(Self.secret) <redacted>")
    #expect(
      try vault("redact", "secret://api-token", input: text).text
        == "<redacted> another-Secret-5678")
    let missing = try vault("redact", "nothing", input: text)
    #expect(missing.status == 1)
    #expect(missing.text.isEmpty)
  }

  @Test func openFieldsAreLeftAndConcealedOnesReplaced() throws {
    let vault = try made()
    #expect(
      try vault(
        "set", "login", "--field", "username=somebody", "--stdin", input: "password-12345"
      ).status == 0)
    #expect(
      try vault("set", "login", "--field", "backup", "--stdin", input: "backup-98765").status == 0)
    #expect(
      try vault("redact", input: "somebody password-12345 backup-98765").text
        == "somebody <redacted> <redacted>")
  }

  @Test func aFileIsReadAndBytesThatAreNoTextAreKept() throws {
    let vault = try made()
    let path = "\(vault.home.path)/log"
    let bytes = Data([0xFF, 0x00, 0xFE]) + Data(Self.secret.utf8) + Data([0xC3])
    try bytes.write(to: URL(fileURLWithPath: path))
    let result = try vault("redact", "--in", path)
    #expect(result.output == Data([0xFF, 0x00, 0xFE]) + Data("<redacted>".utf8) + Data([0xC3]))
    #expect(try vault("redact", "--in", "-", input: Self.secret).text == "<redacted>")
    let missing = try vault("redact", "--in", "\(path).no")
    #expect(missing.status == 66)
    #expect(missing.errors.contains("does not exist"))
    #expect(try vault("redact", "--in", vault.home.path).status == 74)
    // The text stays a text; an error is an object.
    #expect(try vault("redact", "--json", input: Self.secret).text == "<redacted>")
    let told = try vault("redact", "--json", "--in", "\(path).no")
    #expect(told.errors.contains("\"file-not-found\""))
  }
}
