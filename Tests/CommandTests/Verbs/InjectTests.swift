import Foundation
import TestSupport
import Testing

struct InjectTests {
  private let vault: ThrowawayVault

  init() throws {
    vault = try ThrowawayVault()
    try vault.set("api-token", "s3cr3t")
    try vault.set("work/db", "p\"w\n")
  }

  private var folder: String { vault.home.path }

  private func write(_ bytes: Data, _ name: String) throws -> String {
    try bytes.write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    return "\(folder)/\(name)"
  }

  private func mode(_ path: String) throws -> Int {
    let found = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    return try #require(found as? Int)
  }

  @Test func stdinIsFilledToStdoutByteForByte() throws {
    let template =
      Data([0, 0xFF, 0x0A])
      + Data("{{ secret://api-token }}|{{secret://work/db?encoding=json}}|{{ .Values.x }}|".utf8)
      + Data("\\{{ secret://api-token }}|{{ secret://none?default=d%7D }}\r\n".utf8) + Data([0xC3])
    let result = try vault.command.run(["inject"], input: template)
    #expect(result.status == 0, "\(result.errors)")
    let expected =
      Data([0, 0xFF, 0x0A])
      + Data("s3cr3t|\"p\\\"w\\u000a\"|{{ .Values.x }}|{{ secret://api-token }}|d}\r\n".utf8)
      + Data([0xC3])
    #expect(result.output == expected)
    #expect(result.errors == "")
  }

  @Test func aFileIsMadeWholeWithItsMode() throws {
    let template = try write(Data("t={{ secret://api-token }}\n".utf8), "t")
    let output = "\(folder)/out"
    #expect(try vault("inject", "-i", template, "-o", output).status == 0)
    #expect(try String(contentsOfFile: output, encoding: .utf8) == "t=s3cr3t\n")
    #expect(try mode(output) == 0o600)
    let again = try vault(
      "inject", "--in", template, "--out", output, "--mode", "640", "--json")
    #expect(again.text.contains("\"references\": 1") && again.text.contains("\"size\": 9"))
    #expect(try mode(output) == 0o640)
    // Made anew with the mode that is asked for, not with the old file's.
    #expect(try vault("inject", "--in", template, "--out", output).status == 0)
    #expect(try mode(output) == 0o600)
    #expect(vault.home.names().filter { $0.hasPrefix(".vault-out") }.isEmpty)
    for nonsense in ["999", "rw", "0040", "1777", ""] {
      #expect(try vault("inject", "-i", template, "-o", output, "--mode", nonsense).status == 64)
    }
  }

  @Test func everythingThatIsMissingIsListedBeforeAnythingIsWritten() throws {
    let template = try write(
      Data("{{ secret://one }}\n {{ secret://api-token#no }}\n{{ secret://one }}\n".utf8), "t")
    let output = "\(folder)/out"
    try Data("old".utf8).write(to: URL(fileURLWithPath: output))
    let result = try vault("inject", "-i", template, "-o", output)
    #expect(result.status == 1)
    #expect(result.errors.contains("2 items are missing: one (1:1, 3:1), api-token#no (2:2)"))
    #expect(try String(contentsOfFile: output, encoding: .utf8) == "old")
    let toStdout = try vault("inject", "-i", template)
    #expect(toStdout.status == 1 && toStdout.output.isEmpty)
    let binary = try vault.command.run(["set", "bin", "--stdin"], input: Data([0xFF, 0xFE]))
    #expect(binary.status == 0)
    let notText = try vault("inject", input: "a\n {{ secret://bin?encoding=json }}")
    #expect(notText.status == 64 && notText.errors.contains("2:2: "), "\(notText.errors)")
  }

  /// As for `get --out`: the shell that opened a pipe chose who reads it.
  @Test(arguments: ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "-"])
  func stdoutHasItsNames(_ name: String) throws {
    let template = try write(Data("a {{ secret://api-token }} b".utf8), "t")
    let filled = try vault("inject", "--in", template, "--out", name)
    #expect(filled.status == 0 && filled.text == "a s3cr3t b", "\(filled.errors)")
    let asJSON = try vault("inject", "--in", template, "--out", name, "--json")
    #expect(asJSON.status == 64 && asJSON.text.isEmpty, "\(asJSON.text)")
  }

  @Test func aPipeOfOnesOwnIsFilled() throws {
    let template = try write(Data("a {{ secret://api-token }} b".utf8), "t")
    let run = try VaultProcess(
      home: vault.home.path, environment: vault.command.environment, executable: "/bin/sh"
    ).run([
      "-c",
      "mkfifo \"$HOME/p\"; cat \"$HOME/p\" & \"$0\" inject --in \"$1\" --out \"$HOME/p\" -q; wait",
      VaultProcess.path, template,
    ])
    #expect(run.text == "a s3cr3t b" && run.errors.isEmpty, "\(run.errors)")
    #expect(try vault("inject", "--in", template, "--out", "/dev/null").status == 0)
  }

  @Test func linksFoldersAndTheTemplateItselfAreNoOutput() throws {
    let template = try write(Data("{{ secret://api-token }}".utf8), "t")
    let target = try write(Data("target".utf8), "target")
    let link = "\(folder)/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    for (output, status) in [
      (link, 73), (folder, 73), ("\(folder)/none/out", 73), (template, 64),
    ] {
      let result = try vault("inject", "-i", template, "-o", output)
      #expect(result.status == Int32(status), "\(output): \(result.errors)")
      #expect(!result.errors.contains("s3cr3t"))
    }
    #expect(try String(contentsOfFile: target, encoding: .utf8) == "target")
    #expect(try String(contentsOfFile: template, encoding: .utf8).contains("secret://"))
  }

  @Test func aDryRunOpensNoVault() throws {
    let home = try TemporaryHome()
    let command = VaultProcess(home: home.path)
    let template = Data("x {{ secret://@work/a%20b?default=1#f }}\n{{ secret://x }}".utf8)
    let listed = try command.run(["inject", "--dry-run"], input: template)
    #expect(listed.status == 0)
    #expect(listed.text == "1:3  secret://@work/a%20b?default=1#f\n2:1  secret://x\n")
    let document = try command.run(["inject", "--dry-run", "--json"], input: template)
    let object = try #require(
      JSONSerialization.jsonObject(with: document.output) as? [String: Any])
    let references = try #require(object["references"] as? [[String: Any]])
    #expect(references.count == 2)
    #expect(
      references[0]["name"] as? String == "a b" && references[0]["vault"] as? String == "work")
    #expect(references[0]["hasDefault"] as? Bool == true && references[1]["line"] as? Int == 2)
    #expect(home.names().isEmpty)
    #expect(try command.run(["inject"], input: template).status == 78)
  }

  @Test func aLineThatCannotBeMeantIsRefused() throws {
    #expect(try vault("inject", "--json", input: "x").status == 64)
    #expect(try vault("inject", "-i", "\(vault.home.path)/nowhere/t").status == 66)
    #expect(try vault("inject", "--passphrase", "stdin", input: "x").status == 64)
    #expect(try vault("inject", input: "x {{ secret:// }}").status == 64)
    let none = try vault("inject", input: "nothing here")
    #expect(none.text == "nothing here" && none.errors.contains("has no references"))
  }

  /// Values with everything that these files take for something else.
  @Test(
    .enabled(
      if: PythonScript.hasPython && HelperLinks.isInstalled("git"),
      "git or python3 is not installed"))
  func otherProgramsReadTheEncodingOfTheirName() throws {
    let secrets = [
      "plain", "two words", "a\"b\\c", "x;y#z=[q]", " edges ", "it's", "tab\there", "$HOME `id`",
      "ü",
    ]
    for (number, secret) in secrets.enumerated() { try vault.set("s\(number)", secret) }
    try vault.set("json", #"{"db": {"password": "in \"JSON\""}}"#)
    func injected(_ line: (Int) -> String) throws -> String {
      let text = secrets.indices.map(line).joined(separator: "\n") + "\n"
      let path = try write(Data(text.utf8), "template")
      let out = "\(folder)/out-\(UUID().uuidString)"
      let done = try vault("inject", "--in", path, "--out", out)
      try #require(done.status == 0, "\(done.errors)")
      return out
    }
    func run(_ words: [String]) throws -> VaultProcess.Result {
      try VaultProcess(home: folder, executable: "/usr/bin/env").run(words)
    }
    let netrc = try injected {
      "machine h\($0) login u password {{ secret://s\($0)?encoding=netrc }}"
    }
    for (number, secret) in secrets.enumerated() {
      let code = "import netrc,sys; print(netrc.netrc(sys.argv[1]).hosts[sys.argv[2]][2])"
      let read = try run(["python3", "-c", code, netrc, "h\(number)"])
      #expect(read.text == secret + "\n", "\(read.errors)")
    }
    let settings = try injected { "[s \"k\($0)\"]\n v = {{ secret://s\($0)?encoding=ini }}" }
    for (number, secret) in secrets.enumerated() {
      let read = try run(["git", "config", "--file", settings, "--get", "s.k\(number).v"])
      #expect(read.text == secret + "\n", "\(read.errors)")
    }
    let script = try injected { "v\($0)={{ secret://s\($0)?encoding=shell }}" }
    for (number, secret) in secrets.enumerated() {
      let read = try run(["sh", "-c", ". \"$1\"; printf '%s\\n' \"$v\(number)\"", "sh", script])
      #expect(read.text == secret + "\n", "\(read.errors)")
    }
    #expect(try vault("read", "secret://json?json=db.password").text == "in \"JSON\"")
    #expect(try vault("read", "secret://json?json=db.user").says(1, "has no member db.user"))
    #expect(try vault("read", "secret://json?json=db.user&default=me").text == "me")
    #expect(
      try vault("run", "--env", "P=secret://json?json=db.password", "--", "sh", "-c", "echo \"$P\"")
        .text
        == "in \"JSON\"\n")
  }
}
