import Foundation
import TestSupport
import Testing
import VaultCommand
import VaultCommandCore
import VaultSealing
import VaultStorage
import VaultTerminal

struct InputTests {
  /// The program is ended if it never stops printing.
  @Test func aPassphraseCommandThatPrintsTooMuchIsRefused() throws {
    let home = try TemporaryHome()
    let result = try VaultProcess(home: home.path).run(
      ["--passphrase", "cmd:cat /dev/zero", "init"])
    #expect(result.status != 0)
    #expect(result.errors.hasPrefix("vault: error: "))
    let failed = try VaultProcess(home: home.path).run(["--passphrase", "cmd:exit 3", "init"])
    #expect(failed.status == 77)
    #expect(failed.errors.contains("it ended with status 3"))
    let killed = try VaultProcess(home: home.path).run(
      ["--passphrase", "cmd:kill -KILL $$", "init"])
    #expect(killed.errors.contains("signal 9 ended it"))
  }

  @Test func sourcesAreAcceptedAndAPassphraseIsNot() throws {
    #expect(try SecretSource("env:NAME") == .environment("NAME"))
    #expect(try SecretSource("file:/a:b") == .file("/a:b"))
    #expect(try SecretSource("fd:7") == .descriptor(7))
    #expect(try SecretSource("stdin") == .standardInput)
    #expect(try SecretSource("cmd:pass show x") == .command("pass show x"))
    for wrong in ["hunter2", "env:", "env:A=B", "fd:x", "fd:-1", "", "stdin:x", "cmd:", "file:"] {
      let error = #expect(throws: CommandError.self) { try SecretSource(wrong) }
      #expect(error?.code == .usage)
      #expect(wrong.isEmpty || error?.message.contains(wrong) == false)
    }
  }

  @Test func timesAreReadAndWritten() throws {
    let now = Date(timeIntervalSince1970: 1_000_000)
    #expect(Timestamp.text(Date(timeIntervalSince1970: 951_782_400)) == "2000-02-29T00:00:00Z")
    #expect(Timestamp.text(Date(timeIntervalSince1970: 4_107_542_399)) == "2100-02-28T23:59:59Z")
    #expect(Timestamp.text(Date(timeIntervalSince1970: 0)) == "1970-01-01T00:00:00Z")
    #expect(Timestamp.text(Date(timeIntervalSince1970: -1)) == "1969-12-31T23:59:59Z")
    #expect(Timestamp.text(Date(timeIntervalSince1970: -62_135_596_800)) == "0001-01-01T00:00:00Z")
    #expect(Timestamp.text(Date(timeIntervalSince1970: -62_198_755_200)) == "-1-01-01T00:00:00Z")
    #expect(
      Timestamp.text(Date(timeIntervalSince1970: 253_402_300_800)) == "10000-01-01T00:00:00Z")
    for text in ["2000-02-29T00:00:00Z", "2026-12-31T23:59:59Z", "2400-02-29T12:00:01Z"] {
      #expect(Timestamp.date(text).map(Timestamp.text) == text)
    }
    #expect(Timestamp.date("2026-12-31").map(Timestamp.text) == "2026-12-31T00:00:00Z")
    for (zoned, utc) in [
      ("2026-12-31T10:00:00+02:00", "2026-12-31T08:00:00Z"),
      ("2026-12-31T23:30:00.123-01:30", "2027-01-01T01:00:00Z"),
      ("2026-12-31T10:00:00.5Z", "2026-12-31T10:00:00Z"),
    ] {
      #expect(Timestamp.date(zoned).map(Timestamp.text) == utc)
    }
    for wrong in [
      "10:00:00+2", "10:00:00+02:60", "10:00:00+24:00", "10:00:00.Z", "10:00:00.xZ", "10:00",
    ] {
      #expect(Timestamp.date("2026-12-31T" + wrong) == nil, "\(wrong)")
    }
    #expect(TimeSpan.seconds("1y") == 365 * 86_400)
    #expect(Timestamp.date("30d", now: now) == Date(timeIntervalSince1970: 3_592_000))
    for wrong in ["2026-02-30", "2100-02-29", "2026-13-01", "tomorrow", "", "2026-1", "10:00Z"] {
      #expect(Timestamp.date(wrong) == nil, "\(wrong)")
    }
    #expect(TimeSpan.seconds("8h") == 28_800)
    #expect(TimeSpan.seconds("90") == 90)
    for wrong in ["", "h", "-1h", "1x", "9999999999999999999d", "1.5h"] {
      #expect(TimeSpan.seconds(wrong) == nil, "\(wrong)")
    }
  }

  @Test func likelyAccidentsAreReported() throws {
    func oddities(_ text: String) throws -> Int {
      try SecretText.oddities(of: SecretBytes(copying: Array(text.utf8))).count
    }
    #expect(try oddities("plain secret") == 0)
    #expect(try oddities("with\r") == 1)
    #expect(try oddities("\u{FEFF}bom") == 1)
    #expect(try oddities("\u{201C}quoted\u{201D}") == 1)
    #expect(try oddities(" both ") == 2)
  }

  @Test(arguments: [
    (Array("text\n".utf8), true), (Array("é\u{1F511}\n".utf8), true), (Array("a\nb\n".utf8), false),
    (Array("none".utf8), false), ([0x61, 0x00, 0x0A], false), ([0xC3, 0x28, 0x0A], false),
    ([0xED, 0xA0, 0x80, 0x0A], false), ([0xC0, 0x80, 0x0A], false), (Array("\n".utf8), false),
    ([0x1B, 0x5B, 0x0A], false),
  ])
  func aSingleLineOfTextIsRecognized(bytes: [UInt8], isSingleLine: Bool) throws {
    #expect(SecretText.isSingleLine(try SecretBytes(copying: bytes)) == isSingleLine)
  }
}
