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
