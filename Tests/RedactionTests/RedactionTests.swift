import Testing
import VaultRedaction
import VaultSealing

/// What a person relies on, one by one.
struct RedactionTests {
  private func redactor(_ secrets: String...) throws -> Redactor {
    try Redactor(try secrets.map { try SecretBytes(copying: Array($0.utf8)) })
  }

  private func redacted(_ text: String, _ redactor: Redactor) throws -> String {
    let output = try RandomRedactionTests.redacted([Array(text.utf8)[...]], redactor)
    return String(decoding: output, as: UTF8.self)
  }

  @Test func theLongestOfTwoThatBeginAlikeIsReplaced() throws {
    let redactor = try redactor("secret-1", "secret-1234")
    #expect(
      try redacted("secret-1234 secret-12 secret-", redactor) == "<redacted> <redacted>2 secret-")
  }

  @Test func secretsThatOverlapBecomeOneReplacement() throws {
    let redactor = try redactor("abcdefgh", "fghijklm")
    #expect(try redacted("-abcdefghijklm-abcdefgh", redactor) == "-<redacted>-<redacted>")
  }

  @Test func theLinesOfAKeyAreSecretsButNotItsMarks() throws {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"
    let key = "-----BEGIN PRIVATE KEY-----\n\(line)\nshort==\n-----END PRIVATE KEY-----\n"
    let redactor = try redactor(key)
    #expect(
      try redacted("x \(line)\n-----BEGIN PRIVATE KEY-----", redactor)
        == "x <redacted>\n-----BEGIN PRIVATE KEY-----")
    #expect(try redacted(key, redactor) == "<redacted>\n")
    let terminal = key.split(separator: "\n", omittingEmptySubsequences: false)
      .joined(separator: "\r\n")
    #expect(try redacted(terminal, redactor) == "<redacted>\r\n")
  }

  @Test func colorsAndLineEndsWithinASecretAreKept() throws {
    let redactor = try redactor("s3cr3t-token")
    #expect(
      try redacted("a s3c\u{1B}[31mr3t\u{1B}[0m-to\r\nken b", redactor)
        == "a <redacted>\u{1B}[31m\u{1B}[0m\r\n b")
  }

  @Test func shortSecretsAreNotLookedFor() throws {
    #expect(try redacted("abcde", redactor("abcde")) == "abcde")
    #expect(try redacted("abcdef", redactor("abcdef")) == "<redacted>")
    #expect(try redactor("abcde\n").table.isEmpty)
  }

  @Test func onlyTheBeginningOfASecretIsHeldBack() throws {
    let stream = try RedactingStream(redactor("s3cr3t-token-1234"))
    var output: [UInt8] = []
    func add(_ text: String) throws -> String {
      output = []
      try Array(text.utf8).withRawSpan { try stream.append($0) }
      stream.take(into: &output)
      return String(decoding: output, as: UTF8.self)
    }
    func pause() -> String {
      output = []
      stream.takeAfterPause(&output)
      return String(decoding: output, as: UTF8.self)
    }
    #expect(try add("Name: ") == "Name: ")
    #expect(try add("s") == "")
    // A letter that was typed must be seen.
    #expect(pause() == "s")
    #expect(try add("3") == "")
    #expect(pause() == "3")
    #expect(try add("cr3t-t") == "")
    // A quarter of the secret, and four bytes at most.
    #expect(pause() == "cr")
    #expect(pause() == "")
    #expect(stream.isHolding)
    #expect(try add("oken-1234!") == "<redacted>!")
    #expect(try add("s3cr3t-tomato") == "s3cr3t-tomato")
  }
}
