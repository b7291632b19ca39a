import Foundation
import TestSupport
import Testing

/// Secrets of every shape through real keyrings: a copy comes back as it is, or there is none, and
/// that is said; the vault's own value is never another one.
///
/// The items come by one import, and go to the keyring by one `keyring sync`.
@Suite(.enabled(if: KeyringSession.isAvailable, "\(KeyringSession.missing)"))
struct KeyringRoundTripTests {
  private static let secrets: [(name: String, secret: [UInt8])] = {
    var all: [(name: String, secret: [UInt8])] = [
      ("empty", []), ("lines", Array("one\ntwo\r\n\nthree\n".utf8)),
      ("blanks", Array("  a  ".utf8)), ("backslash", Array("a\\nb\\".utf8)),
      ("text", Array("pä\u{1F511}ß".utf8)), ("zero", [0x61, 0, 0x62]),
      ("long", (0..<1 << 20).map { UInt8(truncatingIfNeeded: 0x21 + $0 % 90) }),
    ]
    for byte in UInt8.min...UInt8.max { all.append(("byte\(byte)", [byte])) }
    return all
  }()

  @Test(arguments: [KeyringSession.State.unlocked, .noPassword])
  func gnomeKeyring(state: KeyringSession.State) throws { try roundTrip(state) }

  @Test(.enabled(if: KeyringSession.hasKeePassXC, "needs keepassxc, Xvfb and secret-tool"))
  func keePassXC() throws { try roundTrip(.keePassXC) }

  @Test(.enabled(if: KeyringSession.hasKWallet, "needs kwalletd5, its OpenSSL plugin, secret-tool"))
  func kWallet() throws { try roundTrip(.kWallet) }

  private func roundTrip(_ state: KeyringSession.State) throws {
    let session = try KeyringSession(state)
    func vault(_ arguments: [String], input: Data = Data()) throws -> KeyringSession.Run {
      try session.run(
        VaultProcess.path, arguments + ["--no-session", "--keyring-timeout", "60s"], input: input)
    }
    let items = Self.secrets.map { item in
      [
        "name": item.name, "encoding": "base64",
        "secret": Data(item.secret).base64EncodedString(),
      ]
    }
    let document = try JSONSerialization.data(withJSONObject: [
      "schema": 1, "items": items,
    ])
    let file = "\(session.home)/items.json"
    try document.write(to: URL(fileURLWithPath: file))
    let imported = try vault(["import", "json", file])
    try #require(imported.status == 0, "\(imported.text)\(imported.errors)")
    let synchronized = try vault(["keyring", "sync"])
    let told = imported.errors + synchronized.errors + synchronized.text

    var copies = 0
    for (name, secret) in Self.secrets {
      let copy = try session.run(
        "/usr/bin/secret-tool", ["lookup", "service", "vault", "username", name])
      if copy.status == 0, copy.output == Data(secret) {
        copies += 1
      } else {
        // secret-tool fails, and prints nothing, where there is none.
        #expect(copy.output.isEmpty, "\(state) \(name): \(copy.output.count) bytes")
      }
    }
    // All plain text has its copy; what has none is said. KeePassXC keeps bytes that are no text
    // under a type that secret-tool prints nothing of: they are there all the same.
    #expect(copies >= 100, "\(state): \(copies) copies; \(told)")
    if copies < Self.secrets.count {
      let isWhole = told.contains(try Regex("current +\(Self.secrets.count)\n"))
      #expect(
        isWhole || told.contains("no copy") || told.contains("cannot hold"), "\(state): \(told)")
    }
    // Nothing that came back differently is taken for another program's change.
    _ = try vault(["keyring", "sync", "--take"])
    for (name, secret) in Self.secrets where secret.count < 64 {
      guard
        ["empty", "lines", "blanks", "backslash", "text", "zero", "byte0", "byte255"]
          .contains(name)
      else { continue }
      #expect(try vault(["get", name]).output == Data(secret), "\(state) \(name)")
    }
  }
}
