import Foundation
import TestSupport
import Testing
import VaultOneTimeCodes
import VaultSealing

/// The same codes as another implementation gives: oathtool of the OATH Toolkit.
struct OathtoolTests {
  @Test(
    .enabled(if: Oathtool.isInstalled, "oathtool is not installed"),
    arguments: ["SHA1", "SHA256", "SHA512"])
  func codesAreThoseOfOathtool(algorithm: String) throws {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    for round in 0..<12 {
      let seed = String((0..<(8 * (1 + round % 7))).map { _ in letters[Int.random(in: 0..<32)] })
      let digits = 6 + round % 3
      let period = [15, 30, 60][round % 3]
      let time = Int64.random(in: 0..<4_000_000_000)
      let totp = try OneTimeGenerator(
        SecretBytes(
          copying: Array(
            "otpauth://totp/x?secret=\(seed)&digits=\(digits)&period=\(period)&algorithm=\(algorithm)"
              .utf8)))
      let mine = try totp.code(at: time).text.withBytes { $0.text(0..<$0.byteCount) }
      let theirs = try Oathtool.code([
        "--totp=\(algorithm)", "-b", "-d", "\(digits)", "-s", "\(period)s", "-N", "@\(time)", seed,
      ])
      #expect(mine == theirs, "seed \(seed), \(digits) digits, \(period) s, at \(time)")
      guard algorithm == "SHA1" else { continue }
      let count = UInt64.random(in: 0..<UInt64(Int64.max))
      let counted = try totp.code(count: count).withBytes { $0.text(0..<$0.byteCount) }
      #expect(
        try counted == Oathtool.code(["--hotp", "-b", "-d", "\(digits)", "-c", "\(count)", seed]))
    }
  }
}
