import Foundation
import TestSupport
import Testing

/// Items in a real gnome-keyring: exact, found by others, and nobody else's touched.
@Suite(.enabled(if: KeyringSession.isAvailable, "\(KeyringSession.missing)"))
struct KeyringItemTests {
  static let secrets: [Data] = [
    Data(), Data("x".utf8), Data([0]), Data("a\0b".utf8), Data("line\r\n".utf8),
    Data([0xff, 0x80, 0xfe]), Data(repeating: 0x61, count: 8193),
    Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }),
  ]

  @Test func everySecretComesBackByteForByte() throws {
    let keyring = try ProbedKeyring(.unlocked)
    for (number, secret) in Self.secrets.enumerated() {
      let created = try keyring.ask("create", "vault", "item\(number)", input: secret)
      #expect(created.status == 0)
      let read = try keyring.ask("secret", "vault", "item\(number)")
      #expect(read.status == 0)
      #expect(read.output == secret)
    }
  }

  @Test func aSecretSurvivesAChangeByItsPath() throws {
    let keyring = try ProbedKeyring(.unlocked)
    let path = try keyring.ask("create", "vault", "a", input: Data("old".utf8)).text
    #expect(try keyring.ask("change", path, "vault", "a", input: Data("new".utf8)).status == 0)
    #expect(try keyring.ask("secret", "vault", "a").text == "new")
    #expect(try keyring.ask("delete", path, "vault", "a").status == 0)
    #expect(try keyring.ask("secret", "vault", "a").text == "error item-missing")
  }

  @Test func theItemCarriesExactlyItsAttributes() throws {
    let keyring = try ProbedKeyring(.unlocked)
    _ = try keyring.ask("create", "vault", "api-token", input: Data("x".utf8))
    #expect(
      try keyring.ask("items").text.hasSuffix(
        " unlocked [vault: api-token] application=vault,service=vault,username=api-token,"
          + "xdg:schema=org.freedesktop.Secret.Generic vault"))
  }

  @Test func secretToolFindsWhatWasCreated() throws {
    let keyring = try ProbedKeyring(.unlocked)
    _ = try keyring.ask("create", "vault", "api-token", input: Data("s3cr3t".utf8))
    let found = try keyring.secretTool("lookup", "service", "vault", "username", "api-token")
    #expect(found.text == "s3cr3t")
  }

  @Test func anItemOfOtherAttributesIsNeitherReadNorChangedNorDeleted() throws {
    let keyring = try ProbedKeyring(.unlocked)
    _ = try keyring.secretTool(
      "store", "--label=theirs", "service", "mail", "username", "me",
      input: Data("theirs".utf8))
    let path = String(try keyring.ask("items").text.prefix { $0 != " " })
    let changed = try keyring.ask("change", path, "vault", "me", input: Data("ours".utf8))
    #expect(changed.text == "error item-missing")
    #expect(try keyring.ask("delete", path, "vault", "me").text == "error item-missing")
    #expect(try keyring.secretTool("lookup", "service", "mail", "username", "me").text == "theirs")
  }

  @Test func creatingNeverReplacesAnother() throws {
    let keyring = try ProbedKeyring(.unlocked)
    let first = try keyring.ask("create", "vault", "a", input: Data("1".utf8)).text
    let second = try keyring.ask("create", "vault", "a", input: Data("2".utf8)).text
    #expect(first != second)
  }

  @Test func thePasswordOpensALockedKeyringWithoutAPrompt() throws {
    for state in [KeyringSession.State.locked, .coldLocked] {
      let keyring = try ProbedKeyring(state)
      let wrong = try keyring.ask("unlock-password", input: Data("wrong".utf8))
      #expect(wrong.text == "error wrong-password")
      #expect(try keyring.ask("secret", "vault", "api-token").text == "error item-locked")
      let right = try keyring.ask(
        "unlock-password", input: Data(KeyringSession.password.utf8))
      #expect(right.text == "unlocked")
      #expect(try keyring.ask("secret", "vault", "api-token").text == "right secret")
    }
  }

  @Test func aPasswordThatWasSetWithANewlineIsFound() throws {
    let keyring = try ProbedKeyring("newline-trap")
    let right = try keyring.ask("unlock-password", input: Data(KeyringSession.password.utf8))
    #expect(right.text == "unlocked-with-newline")
  }
}
