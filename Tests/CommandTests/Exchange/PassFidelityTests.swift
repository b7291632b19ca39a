import Foundation
import TestSupport
import Testing
import VaultCommand

/// pass → vault → pass: the same files, byte for byte, with the real gpg and the real pass.
struct PassFidelityTests {
  /// Numbers that are the same in every run.
  private struct Series: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }

  /// Files as people, other programs and bad luck write them.
  private static let odd: [[UInt8]] = [
    [], [0x0A], Array("pw".utf8), Array("pw\n\n".utf8), Array("pw\n\n\n\nnote\n".utf8),
    Array("p\nuser: a\nuser: b\n".utf8), Array("p\nuser: a\nuser: b".utf8),
    Array("p\nlogin: a\nusername: b\nuser: c\n".utf8), Array("p\nLogin:a\nURL:   x\n".utf8),
    Array("p\notpauth://totp/a?secret=AAAA\notpauth://totp/b?secret=BBBB\n".utf8),
    Array("p\nnote\nuser: late\nmore\nurl: x\n".utf8), Array("p\nuser: \nuser:\nuser\n".utf8),
    Array("pw\r\nuser: a\r\n".utf8), Array("p\nuser: '\u{301}\nurl:\u{301}x\n".utf8),
    (0...255).map { UInt8($0) }, [0x63, 0x61, 0x66, 0xE9, 0x0A], [0, 0, 0], [0x61, 0x0A, 0, 0x0A],
    Array("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\nuser: no\n-----END\n".utf8),
    Array("\nuser: a\n".utf8), Array("p\n\nuser: a\n".utf8),
    Array("p\npass-layout: x\nnotes: y\n".utf8),
    Array("p\nuser:\(String(repeating: " ", count: 1200))far\n".utf8),
    Array(repeating: 0x0A, count: 40),
  ]

  private static let corpus: [[UInt8]] = {
    var series = Series(state: 7)
    let pieces = [
      "user: david", "user: dävid ", "login: me", "username:x", "url: https://x/y?z=1",
      "website:  w",
      "otpauth://totp/Bank:me?secret=JBSWY3DPEHPK3PXP", "free: text", "", "  indented", "two words",
      "é e\u{301}",
      "user: ", "USER: loud", "note: 'q\u{301}'", "\t", "a\rb", "notes: n",
    ]
    var files = odd
    while files.count < 200 {
      var lines = ["pässwörd \(files.count)"]
      for _ in 0..<Int.random(in: 0...7, using: &series) {
        lines.append(pieces.randomElement(using: &series) ?? "")
      }
      let end = Int.random(in: 0...4, using: &series) == 0 ? "" : "\n"
      files.append(Array((lines.joined(separator: "\n") + end).utf8))
    }
    return files
  }()

  @Test(
    .enabled(
      if: HelperLinks.isInstalled("pass") && HelperLinks.isInstalled("gpg"),
      "pass or gpg is not installed"))
  func twoHundredFilesComeBackByteForByte() throws {
    let vault = try ThrowawayVault()
    let home = vault.home.path
    let shell = VaultProcess(
      home: home, environment: ["LC_ALL": "C.UTF-8"], executable: "/bin/sh")
    defer { _ = try? shell.run(["-c", "gpgconf --kill all"]) }
    try FileManager.default.createDirectory(
      atPath: "\(home)/plain", withIntermediateDirectories: false)
    for (number, file) in Self.corpus.enumerated() {
      try Data(file).write(to: URL(fileURLWithPath: "\(home)/plain/e\(number)"))
    }
    let made = try shell.run([
      "-c",
      """
      mkdir -m 700 .gnupg && mkdir store out &&
      gpg -q --batch --passphrase '' --quick-generate-key t@example.com future-default default never &&
      PASSWORD_STORE_DIR="$HOME/store" pass init t@example.com >/dev/null &&
      PASSWORD_STORE_DIR="$HOME/out" pass init t@example.com >/dev/null &&
      gpg -q --batch --trust-model always -r t@example.com --encrypt-files plain/* &&
      mv plain/*.gpg store/
      """,
    ])
    try #require(made.status == 0, "\(made.errors)")
    let done = try vault("import", "pass", "\(home)/store")
    #expect(done.status == 0, "\(done.errors)")
    #expect(try vault("export", "pass", "--out", "\(home)/out").status == 0)
    let opened = try shell.run(["-c", "gpg -q --batch --decrypt-files out/*.gpg"])
    try #require(opened.status == 0, "\(opened.errors)")
    for (number, file) in Self.corpus.enumerated() {
      let back = FileManager.default.contents(atPath: "\(home)/out/e\(number)")
      #expect(back == Data(file), "e\(number): \(String(decoding: file, as: UTF8.self))")
    }
    let shown = try shell.run([
      "-c",
      "PASSWORD_STORE_DIR=\"$HOME/out\" pass show e6; PASSWORD_STORE_DIR=\"$HOME/out\" pass show e14",
    ])
    #expect(shown.output == Data(Self.corpus[6] + Self.corpus[14]))
    _ = try shell.run(["-c", "find out -type f ! -name '*.gpg' ! -name '.*' -delete"])
    // The other way round it is the same data.
    let again = try vault("import", "pass", "\(home)/out")
    #expect(again.status == 0 && again.errors.contains("\(Self.corpus.count) unchanged"))
    #expect(try vault("get", "e5", "--field", "user").text == "a")
    #expect(try vault("get", "e9", "--field", "otp").text == "otpauth://totp/a?secret=AAAA")
    #expect(try vault("get", "e18").output == Data(Self.corpus[18]))
    // What is changed here is changed there, in its old place.
    #expect(try vault("set", "e10", "--field", "user", "--stdin", input: "new").status == 0)
    #expect(try vault("set", "e10", "--field", "pin", "--stdin", input: "12").status == 0)
    _ = try shell.run(["-c", "rm out/e10*"])
    #expect(try vault("export", "pass", "e10", "--out", "\(home)/out").status == 0)
    let changed = try shell.run(["-c", "gpg -q -d out/e10.gpg"])
    #expect(changed.text == "p\npin: 12\nnote\nuser: new\nmore\nurl: x\n")
  }

  @Test(.enabled(if: HelperLinks.isInstalled("gpg"), "gpg is not installed"))
  func aSecretThatLooksLikeFieldsIsNotWrittenBesideFields() throws {
    let vault = try ThrowawayVault()
    let shell = VaultProcess(home: vault.home.path, executable: "/bin/sh")
    defer { _ = try? shell.run(["-c", "gpgconf --kill all"]) }
    let made = try shell.run([
      "-c",
      """
      mkdir -m 700 .gnupg && mkdir out && echo t@example.com >out/.gpg-id &&
      gpg -q --batch --passphrase '' --quick-generate-key t@example.com future-default default never
      """,
    ])
    try #require(made.status == 0, "\(made.errors)")
    try vault.set("evil", "p\nuser: evil")
    #expect(try vault("set", "evil", "--field", "user", "--stdin", input: "good").status == 0)
    try vault.set("lines", "a\nb")
    let done = try vault("export", "pass", "--out", "\(vault.home.path)/out")
    #expect(done.status == 1)
    #expect(done.errors.contains("not exported: evil: "))
    #expect(vault.home.names(in: "out").filter { $0.hasSuffix(".gpg") } == ["lines.gpg"])
    #expect(try shell.run(["-c", "gpg -q -d out/lines.gpg"]).text == "a\nb\n")
    // What no file can have keeps the others from nothing.
    let long = String(repeating: "n", count: 252)
    for name in ["app/.env", "../../x", long, "a", "a.gpg/b", "was/c", "last"] {
      _ = try vault("set", name, "--stdin", input: "v")
    }
    try Data().write(to: URL(fileURLWithPath: "\(vault.home.path)/out/was"))
    try FileManager.default.removeItem(atPath: "\(vault.home.path)/out/lines.gpg")
    let names = try vault("list").text.split(separator: "\n").map(String.init)
    let again = try vault("export", "pass", "--out", "\(vault.home.path)/out")
    let written = ["a", "last", "lines"]
    #expect(again.status == 1)
    for name in Set(names).subtracting(written) {
      #expect(again.errors.contains("not exported: \(name): "), "\(name): \(again.errors)")
    }
    let files = vault.home.names(in: "out").filter { $0.hasSuffix(".gpg") }
    #expect(files.sorted() == written.map { "\($0).gpg" })
  }
}
