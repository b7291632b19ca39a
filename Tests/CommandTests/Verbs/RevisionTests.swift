import Foundation
import TestSupport
import Testing

/// Earlier versions by `NAME@3` and `--revision`, and what expired.
struct RevisionTests {
  private func threeVersions() throws -> ThrowawayVault {
    let vault = try ThrowawayVault()
    for secret in ["one", "two", "three"] { try vault.set("a", secret) }
    return vault
  }

  @Test func aVersionIsNamedBehindTheItem() throws {
    let vault = try threeVersions()
    #expect(try vault("get", "a@1").text == "one")
    #expect(try vault("get", "a@3").text == "three")
    #expect(try vault("get", "a", "--revision", "2").text == "two")
    #expect(try vault("get", "a", "--revision=2").text == "two")
    #expect(try vault("show", "a@1", "--reveal").text.contains(/secret +one\n/))
    #expect(try vault("read", "secret://a@2").text == "two")
    #expect(try vault("get", "a@9").status == 1)
    #expect(try vault("get", "b@1").errors.contains("there is no such item"))
    #expect(try vault("restore", "a@1").status == 0)
    #expect(try vault("get", "a").text == "one")
    #expect(try vault("restore", "a", "--revision", "2").status == 0)
    #expect(try vault("get", "a").text == "two")
  }

  @Test func anItemOfThatNameComesFirst() throws {
    let vault = try threeVersions()
    try vault.set("a@1", "literal")
    #expect(try vault("get", "a@1").text == "literal")
    #expect(try vault("show", "a@1", "--reveal").text.contains("literal"))
    #expect(try vault("read", "secret://a@1").text == "literal")
    #expect(try vault("get", "a@2").text == "two")
  }

  @Test func theOlderOptionStillWorksAndAloneItIsTheProgramsVersion() throws {
    let vault = try threeVersions()
    #expect(try vault("get", "a", "--version", "1").text == "one")
    #expect(try vault("get", "a", "--version=1").text == "one")
    #expect(try vault("get", "--version", "1", "a").text == "one")
    let version = try vault("--version").text
    for line in [["get", "--version"], ["restore", "--version"], ["get", "a", "--version"]] {
      #expect(try vault.command.run(line).text == version, "\(line)")
    }
    #expect(try !vault("get", "--help").text.contains("--version"))
  }

  @Test func theCurrentVersionIsNotRestored() throws {
    let vault = try threeVersions()
    let refused = try vault("restore", "a@3")
    #expect(refused.status == 1)
    #expect(refused.errors.contains("version 3 is the current one"))
  }

  @Test func whatExpiredIsToldButNotQuietly() throws {
    let vault = try ThrowawayVault()
    try vault.set("u", "s3cr3t")
    #expect(try vault("get", "u").errors == "")
    #expect(try vault("set", "u", "--expires", "2020-01-01").status == 0)
    let told = "vault: note: u expired on 2020-01-01\n"
    #expect(try vault("get", "u").errors == told)
    #expect(try vault("get", "u").text == "s3cr3t")
    #expect(try vault("run", "u", "--env", "V=u", "--", "true").errors == told)
    for line in [["get", "u", "-q"], ["run", "u", "-q", "--", "true"]] {
      #expect(try vault.command.run(line).errors == "")
    }
    #expect(try vault("set", "u", "--expires", "2100-01-01").status == 0)
    #expect(try vault("get", "u").errors == "")
  }

  @Test func aLengthIsAnArgument() throws {
    let vault = try ThrowawayVault()
    #expect(try vault("generate", "32", "-q").text.count == 32)
    #expect(try vault("generate", "6", "--lower", "-q").text.wholeMatch(of: /[a-z]{6}/) != nil)
    for line in [
      ["8", "--length", "9"], ["8", "--words", "2"], ["0"], ["x"], ["8", "-c", "--count", "2"],
    ] {
      #expect(try vault.command.run(["generate"] + line).status == 64, "\(line)")
    }
  }

  @Test func aCodeIsDrawnByTheSystemsProgram() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "s3cr3t\n")
    let seed = "otpauth://totp/a?secret=GEZDGNBVGY3TQOJQ"
    try vault.set("b", "other")
    #expect(try vault("set", "b", "--otp", "--stdin", input: seed).status == 0)
    let bare = try vault.command.run(
      ["get", "a", "--qr"], adding: ["PATH": "\(vault.home.path)/nowhere"])
    #expect(bare.status == 69)
    #expect(bare.errors.contains("apt install qrencode"))
    let folder = "\(vault.home.path)/bin"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let script = "#!/bin/sh\necho \"$@\" > \(folder)/words\ncat > \(folder)/drawn\necho DRAWN\n"
    try Data(script.utf8).write(to: URL(fileURLWithPath: "\(folder)/qrencode"))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o700], ofItemAtPath: "\(folder)/qrencode")
    func drawn(_ line: String...) throws -> String {
      let result = try vault.command.run(line, adding: ["PATH": "\(folder):/usr/bin:/bin"])
      #expect(result.text == "DRAWN\n", "\(result.errors)")
      let words = try String(contentsOfFile: "\(folder)/words", encoding: .utf8)
      #expect(!words.contains("s3cr3t") && !words.contains("otpauth"))
      return try String(contentsOfFile: "\(folder)/drawn", encoding: .utf8)
    }
    #expect(try drawn("get", "a", "--qr") == "s3cr3t\n")
    #expect(try drawn("show", "a", "--qr") == "s3cr3t\n")
    #expect(try drawn("show", "b", "--qr").hasPrefix("otpauth://totp/"))
    #expect(try drawn("get", "b", "--qr") == "other")
  }
}
