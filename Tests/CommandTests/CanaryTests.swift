import Foundation
import Glibc
import TestSupport
import Testing
import VaultSealing

/// A secret made for the run is looked for wherever it must not be.
struct CanaryTests {
  private static let secret = "canary-4f2b9c17e6d3a850"
  private static let item = "conspicuous-item-name"

  @Test func neitherSecretNorNameIsInAnyFile() throws {
    let vault = try ThrowawayVault()
    try vault.set(Self.item, Self.secret)
    try vault.set(Self.item, Self.secret + "2")
    _ = try vault.command.run(["remove", Self.item, "--no-session"])
    _ = try vault.command.run(["restore", Self.item, "--no-session"])
    #expect(try vault.get(Self.item).text == Self.secret + "2")
    var looked = 0
    let all = FileManager.default.enumerator(atPath: vault.home.path)
    while let name = all?.nextObject() as? String {
      guard let contents = FileManager.default.contents(atPath: "\(vault.home.path)/\(name)") else {
        continue
      }
      looked += 1
      for form in Self.forms(of: Self.secret) + Self.forms(of: Self.item) {
        #expect(contents.range(of: form) == nil, "\(name)")
      }
    }
    #expect(looked >= 3)
  }

  @Test func noFailureSaysTheSecretOrTheName() throws {
    let vault = try ThrowawayVault()
    try vault.set(Self.item, Self.secret)
    let lines: [[String]] = [
      ["get", Self.item, "--version", "99"], ["get", Self.item, "--field", "none"],
      ["set", Self.item, Self.secret], ["set", Self.item, "--nonsense", Self.secret],
      ["rename", Self.item, Self.item + "\u{7}"], ["remove", Self.item + "/none"],
      ["history", Self.item + "x"], ["run", Self.item + "x", "--", "true"],
      ["get", Self.item, "--passphrase", "env:NOT_THERE"],
    ]
    for line in lines {
      let result = try vault.command.run(line + ["--no-session"])
      #expect(result.status != 0, "\(line[0])")
      #expect(!result.errors.isEmpty, "\(line[0])")
      #expect(!result.errors.contains(Self.secret), "\(line[0]): \(result.errors)")
      #expect(!result.text.contains(Self.secret), "\(line[0])")
      #expect(result.errors.hasPrefix("vault: error: "), "\(line[0]): \(result.errors)")
    }
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace") && geteuid() == 0,
      "needs strace and root: nobody else may read a process that is not dumpable"))
  func noSystemCallButTheAskedOneCarriesTheSecret() throws {
    let vault = try ThrowawayVault()
    let trace = "\(vault.home.path)/trace"
    try Data(Self.secret.utf8).write(to: URL(fileURLWithPath: "\(vault.home.path)/input"))
    for arguments in [
      ["set", "k", "--file", "\(vault.home.path)/input"],
      ["get", "k", "--out", "\(vault.home.path)/output"],
      ["show", "k"], ["list"], ["history", "k"],
    ] {
      let strace = Process()
      strace.executableURL = URL(fileURLWithPath: "/usr/bin/strace")
      strace.arguments =
        [
          "-f", "-s", "65536", "-o", trace, "-e",
          "trace=execve,write,writev,sendto,sendmsg,pwrite64",
        ]
        + [VaultProcess.path] + arguments + ["--no-session"]
      strace.environment = [
        "HOME": vault.home.path, "VAULT_KEY_FILE": "\(vault.home.path)/key",
      ]
      strace.standardOutput = FileHandle.nullDevice
      strace.standardError = FileHandle.nullDevice
      try strace.run()
      strace.waitOrKill()
      #expect(strace.terminationStatus == 0, "\(arguments[0])")
      let said = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
        .filter { $0.contains(Self.secret) }
      // `get` writes it once, where it was asked to: out of secret memory, which not even root's
      // strace can read.
      let isSeen = try !LockedMemory.protection().isSecretMemory && arguments[0] == "get"
      #expect(said.count == (isSeen ? 1 : 0), "\(arguments[0])")
    }
    #expect(
      FileManager.default.contents(atPath: "\(vault.home.path)/output") == Data(Self.secret.utf8))
  }

  private static func forms(of text: String) -> [Data] {
    let bytes = Data(text.utf8)
    var forms = [bytes, Data(bytes.map { String(format: "%02x", $0) }.joined().utf8)]
    // Base64 at its three alignments, without the ends that neighbours change.
    for shift in 0..<3 {
      let encoded = Data(repeating: 0, count: shift) + bytes
      forms.append(Data(encoded.base64EncodedString().dropFirst(4).dropLast(8).utf8))
    }
    forms.append(Data(bytes.flatMap { [$0, 0] }))
    return forms
  }
}
