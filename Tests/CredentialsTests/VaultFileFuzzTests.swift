import Foundation
import TestSupport
import Testing
import VaultCredentials
import VaultSealing

/// A vault file that was made to look right: its checksum fits, what it says does not.
@Suite(.timeLimit(.minutes(10)))
struct VaultFileFuzzTests {
  private static let inputs = 1500 * Mutations.rounds
  /// Where the header says how long it is; its checksum is at its end.
  private static let lengthOffset = 12
  private static let checksumLength = 32

  private static let expected: Set<CredentialError.Code> = [
    .damaged, .newerVersion, .weakSlot, .wrongKey, .locked, .unsafeFile, .rolledBack, .forked,
  ]

  @Test func headersWithAChecksumThatFits() throws {
    let vault = try ThrowawayVault()
    try vault.open.blocking.set(name("k"), to: Secret("secret"))
    let whole = try [UInt8](Data(contentsOf: URL(fileURLWithPath: vault.path)))
    let length = whole[Self.lengthOffset..<16].reversed().reduce(0) { $0 << 8 | Int($1) }
    let body = Array(whole[..<(length - Self.checksumLength)])
    let key = vault.key
    let locked = try vault.locked.blocking
    var mutations = Mutations("vault headers", corpus: [body])
    var refused = 0
    for number in 0..<Self.inputs {
      var header = mutations.input()
      // Mostly with a length that fits, or nothing behind it would ever be read.
      if header.count > 16, Int.random(in: 0..<4, using: &mutations) > 0 {
        let total = header.count + Self.checksumLength
        for byte in 0..<4 { header[Self.lengthOffset + byte] = UInt8(total >> (8 * byte) & 0xFF) }
      }
      let checksum = try header.withRawSpan { try Hash.blake2b($0) }
      try rewrite(header + checksum + whole[length...], at: vault.path)
      let seen = code {
        let open = try locked.unlock(with: [.key { key }])
        #expect(try open.blocking.get(name("k")).text == "secret")
      }
      if let seen {
        refused += 1
        #expect(
          Self.expected.contains(seen),
          "input \(number) of seed \(Mutations.seed): \(seen.rawValue)")
      }
    }
    #expect(refused > Self.inputs / 2)
  }

  @Test func backups() throws {
    let vault = try ThrowawayVault()
    for text in ["one", "two"] { try vault.open.blocking.set(name("k"), to: Secret(text)) }
    let path = "\(vault.home.path)/backup"
    _ = try vault.open.blocking.backUp(to: path)
    let whole = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    let key = vault.key
    let locked = try vault.locked.blocking
    var mutations = Mutations("backups", corpus: [whole])
    for number in 0..<Self.inputs {
      try rewrite(mutations.input(), at: path)
      let seen = code { _ = try locked.checkBackup(path, with: [.key { key }]) }
      if let seen {
        #expect(
          Self.expected.contains(seen),
          "input \(number) of seed \(Mutations.seed): \(seen.rawValue)")
      }
    }
  }
}
