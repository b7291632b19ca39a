import Foundation
import TestSupport
import Testing

/// What is typed in a wrong place may be a secret: no message repeats it.
struct MistypedSecretTests {
  private static let canary = "CANARYtyped123"

  private static let lines = [
    "set x C", "set x --stdin=C", "--passphrase C get a", "get a --passphrase=C", "unlock C",
    "key add --new-passphrase C", "C", "-C", "--C", "get a C", "set x -pC", "set --C x",
    "set x --C=y", "set x --exact=C", "set x --generate=C", "set x --no-upper=C",
    "generate --length C",
    "generate --length=C", "otp a C", "run a --env C -- true", "read secret://a?C", "read C",
    "import C C", "keyring unlock C", "credential git C", "credential C", "settings session C",
    "defaults import C", "key change-passphrase C", "get a --clipboard C --copy", "get a -oC C",
    "get a -cC", "get a --color C", "get --version C a", "set x --expires C", "set x --kind C",
    "inject --mode C", "-qC list", "help C", "--home C C", "set x --stdin=C --stdin=C",
    "generate --upper --no-upper=C", "generate --upper --C --no-upper", "data fetch C C",
    "data schema C", "generate C", "set x --open C --field C=y", "show a --copy C", "get a@C",
    "set x --field pin=C", "remove a --field C", "set x=C", "set C=", "run a env C",
    "run a env -pC",
    "run a env --password=C", "find-generic-password -s api -w C", "add-generic-password -w C -s x",
    "security add-generic-password -s x -a me -wC", "C/x", "kv put a b=C", "login -u x -p C",
    "--vault C x", "--vault C C", "add -u bob C", "store C", "unlock -p C", "get a -oC",
  ]

  @Test func noMessageRepeatsIt() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    // A quote in it must not end what is left out, nor an equals sign.
    for secret in [Self.canary, "it's '\(Self.canary)' = \(Self.canary)"] {
      for line in Self.lines {
        let words = line.split(separator: " ").map { String($0).replacing("C", with: secret) }
        let run = try vault.run(words)
        #expect(!run.errors.contains(Self.canary), "\(line): \(run.errors)")
        #expect(!run.text.contains(Self.canary), "\(line): \(run.text)")
        #expect(run.status == 0 || !run.errors.isEmpty, "\(line)")
      }
    }
  }

  /// With a vault that is open: what stands behind an equals sign, or before an at sign, is a value in
  /// other programs.
  @Test(arguments: [
    "run --env X=C -- true", "run a --env X=C -- true", "run X=C -- true",
    "run --as-file X=C -- true",
    "run --fd X=C -- true", "run --stdin X=C -- true", "run --env-file X=C -- true",
    "run --watch --env X=C -- true", "run --mask --env X=C -- true", "get X=C", "show X=C",
    "read X=C",
    "otp X=C", "edit X=C", "history X=C", "remove X=C", "export docker X=C --yes", "inject X=C",
    "inject --set X=C", "settings session=C", "set password=C",
    "sync init https://bob:C@r.invalid/x",
    "connect docker https://bob:C@r.invalid", "connect docker bob:C@r.invalid", "connect aws X=C",
    "import dotenv X=C", "backup --keep X=C", "generate --length=C", "get a --attribute=C",
    "copy a https://bob:C@r.invalid/", "merge https://bob:C@r.invalid/x", "ssh import X=C",
    "set x --file X=C", "inject --in X=C", "redact --in X=C", "check X=C", "merge X=C",
    "init --vault n --from X=C", "--key-file X=C get a --no-session",
    "set x --file https://u:C@h/x",
    "audit --breached X=C", "import csv X=C", "run a --env-file X=C -- true",
    "get a --no-session --passphrase file:X=C",
  ])
  func noMessageRepeatsAValueOfTheLine(line: String) throws {
    let made = try ThrowawayVault()
    try made.set("a", "s3cr3t")
    let words = line.split(separator: " ").map { String($0).replacing("C", with: Self.canary) }
    let run = try made.command.run(words)
    #expect(run.status != 0, "\(run.text)")
    #expect(!(run.errors + run.text).contains(Self.canary), "\(run.errors)")
  }

  @Test func whoGivesAValueIsToldHowToSetIt() throws {
    let made = try ThrowawayVault()
    let run = try made("run", "--env", "X=hunter2", "--", "true")
    #expect(run.status == 1 && run.errors.contains("X=VALUE vault run"), "\(run.errors)")
    // A reference is no value.
    let reference = try made("run", "--env", "X=secret://tokn", "--", "true")
    #expect(reference.errors.contains("an item is missing: tokn"), "\(reference.errors)")
  }

  /// Before anybody types a passphrase for a slot that is not there.
  @Test func whoNamesAnItemForItsPassphraseIsLedToItsSecret() throws {
    let made = try ThrowawayVault()
    try made.set("work/github", "x")
    for words in [["passwd", "work/github"], ["key", "change-passphrase", "work/github"]] {
      let run = try made.command.run(words)
      #expect(run.status == 1 && run.errors.contains("vault set work/github"), "\(run.errors)")
    }
    let other = try made("passwd", Self.canary)
    #expect(other.status == 1 && other.errors.contains("vault set NAME"), "\(other.errors)")
    #expect(!other.errors.contains(Self.canary))
    #expect(try made("passwd").errors.contains("no passphrase opens this vault"))
  }

  @Test func whatTheCommandKnowsItselfIsNamed() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    func said(_ words: String...) throws -> String { try vault.run(words).errors }
    #expect(try said("set", "x", "--stdin=y").contains("'--stdin' does not take any value"))
    #expect(try said("generate", "--length", "x").contains("invalid for '--length <number>'"))
    #expect(try said("get", "a", "--color", "x").contains("'auto', 'always' or 'never'"))
    #expect(try said("get", "a", "--revisio", "1").contains("Did you mean '--revision'"))
    #expect(try said("get").contains("'<name>'"))
    #expect(try said("get", "a", "--revision").contains("'--revision <number>'"))
  }
}
