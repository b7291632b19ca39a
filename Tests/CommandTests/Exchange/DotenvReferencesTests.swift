import Foundation
import TestSupport
import Testing

/// `.env` into the vault, and from there into a process or a file, without a difference.
struct DotenvReferencesTests {
  private static let file = """
    # The shop's settings
    export STRIPE_KEY='sk_live_$x' # live
    PORT=3000

    DB_SECRET="two
    lines"
    EMPTY_KEY=
      https_proxy_key = http://x \r
    LAST_KEY=1
    """

  private func vault(_ text: String = file) throws -> ThrowawayVault {
    let vault = try ThrowawayVault()
    try text.write(toFile: "\(vault.home.path)/.env", atomically: true, encoding: .utf8)
    return vault
  }

  private func contents(_ name: String, of vault: ThrowawayVault) throws -> String {
    try String(contentsOfFile: "\(vault.home.path)/\(name)", encoding: .utf8)
  }

  /// What a shell makes of the file, and what the child of `run` gets.
  private static let print =
    "printf '%s|' \"$STRIPE_KEY\" \"$PORT\" \"$DB_SECRET\" \"${EMPTY_KEY-unset}\" \"$https_proxy_key\""

  @Test func theFileOfReferencesKeepsEverythingElse() throws {
    let vault = try vault()
    let done = try vault(
      "import", "dotenv", ".env", "--prefix", "app/", "--references", ".env.vault", "--only",
      "*key*, *SECRET*")
    #expect(done.status == 0, "\(done.errors)")
    #expect(
      try contents(".env.vault", of: vault) == """
        # The shop's settings
        export STRIPE_KEY=secret://app/STRIPE_KEY # live
        PORT=3000

        DB_SECRET=secret://app/DB_SECRET
        EMPTY_KEY=secret://app/EMPTY_KEY
          https_proxy_key = secret://app/https_proxy_key \r
        LAST_KEY=secret://app/LAST_KEY
        """)
    let attributes = try FileManager.default.attributesOfItem(
      atPath: "\(vault.home.path)/.env.vault")
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(done.errors.contains("5 references, 1 value as before"))
    let child = try vault("run", "--env-file", ".env.vault", "--", "sh", "-c", Self.print)
    #expect(child.text == "sk_live_$x|3000|two\nlines||http://x|", "\(child.errors)")
  }

  /// A line that nobody can read may be a secret, and would stay in clear in a file to share.
  @Test(arguments: ["TOKEN='it''s-S3CRET'\n", "TOKEN: S3CRET\n", "TOKEN=\"S3CRET\n"])
  func whatCannotBeReadIsNotWrittenInClear(line: String) throws {
    let vault = try vault("API_KEY=abc\n\(line)")
    for more in [["--yes"], ["--dry-run"]] {
      let done = try vault.command.run(
        ["import", "dotenv", ".env", "--references", ".env.vault"] + more)
      #expect(done.status == 65 && done.errors.contains("line 2"), "\(done.errors)")
      #expect(!done.errors.contains("S3CRET"))
    }
    #expect(!FileManager.default.fileExists(atPath: "\(vault.home.path)/.env.vault"))
    #expect(try vault("list").text.isEmpty)
  }

  /// What was put out of use, wherever it stands: in a line of its own, behind a value, in words.
  @Test func commentsThatMayHoldASecretAreNamed() throws {
    let lines = [
      "API_KEY=abc", "# OLD_API_KEY=S3CRET", "# the key of the shop", "#export X = S3CRET", "A='",
      "#Y=1'", "B=1 # B=S3CRET", "C=\"v\" # was S3CRET", "# use KEY=\"S3CRET\" for staging",
      "#! OLD=S3CRET", "# - OLD=S3CRET", "# postgres://me:S3CRET@host/db",
      "# Authorization: Bearer S3CRET", "# see https://docs.example/keys", "#", "D='a",
      "b' # S3CRET",
    ]
    let vault = try vault(lines.joined(separator: "\n") + "\n")
    let done = try vault("import", "dotenv", ".env", "--references", ".env.vault", "--yes")
    #expect(done.status == 0)
    #expect(
      done.errors.contains("in lines 2, 4, 7, 8, 9, 10, 11, 12, 13, 17, which are"),
      "\(done.errors)")
    #expect(!done.errors.contains("S3CRET"))
  }

  @Test func theWayIntoTheVaultAndBackIsExact() throws {
    let vault = try vault()
    #expect(try vault("import", "dotenv", ".env", "--prefix", "app/").status == 0)
    let child = try vault("run", "app/", "--", "sh", "-c", Self.print)
    #expect(child.text == "sk_live_$x|3000|two\nlines||http://x|", "\(child.errors)")
    let exported = try vault("export", "dotenv", "app/", "-y")
    try exported.output.write(to: URL(fileURLWithPath: "\(vault.home.path)/again.env"))
    let shell = VaultProcess(home: vault.home.path, executable: "/bin/sh")
    #expect(try shell.run(["-c", ". ./again.env; \(Self.print)"]).text == child.text)
    #expect(
      try vault("export", "dotenv", "app/", "-y", "--prefix-names").text.contains("APP_PORT="))
    let other = try ThrowawayVault()
    let again = try other("import", "dotenv", "-", "--prefix", "app/", input: exported.text)
    #expect(again.status == 0, "\(again.errors)")
    #expect(try other("export", "dotenv", "app/", "-y").text == exported.text)
  }

  @Test func anExistingFileIsReplacedOnlyAfterAYes() throws {
    let vault = try vault()
    try "mine".write(toFile: "\(vault.home.path)/refs", atomically: true, encoding: .utf8)
    let refused = try vault("import", "dotenv", ".env", "--references", "refs")
    #expect(refused.status == 73)
    #expect(refused.errors.contains("refs exists already"))
    #expect(try contents("refs", of: vault) == "mine")
    #expect(try vault("list").text.isEmpty, "nothing was imported")
    #expect(try vault("import", "dotenv", ".env", "--references", "refs", "-y").status == 0)
    #expect(try contents("refs", of: vault).contains("PORT=secret://PORT"))
    // In place: the secrets are in the vault before the file loses them.
    #expect(try vault("import", "dotenv", ".env", "--references", ".env", "--yes").status == 0)
    #expect(!(try contents(".env", of: vault).contains("sk_live")))
    // What is a reference already stays one.
    let text = try contents(".env", of: vault)
    #expect(try vault("import", "dotenv", ".env", "--references", ".env", "--yes").status == 0)
    #expect(try contents(".env", of: vault) == text)
  }

  @Test func anItemWithAnotherSecretStopsTheWholeImport() throws {
    let vault = try vault()
    try vault.set("app/PORT", "other")
    let refused = try vault(
      "import", "dotenv", ".env", "--prefix", "app/", "--references", "refs")
    #expect(refused.status == 1)
    #expect(refused.errors.contains("'app/PORT' exists with another secret"))
    #expect(try vault("list").text == "app/PORT\n")
    #expect(!vault.home.names().contains("refs"))
    let dry = try vault(
      "import", "dotenv", ".env", "--prefix", "new/", "--references", "refs", "-n")
    #expect(dry.status == 0)
    #expect(!vault.home.names().contains("refs"))
  }

  @Test func referencesGoToStdoutAndComeFromStdin() throws {
    let vault = try ThrowawayVault()
    let done = try vault(
      "import", "dotenv", "-", "--prefix", "a b/ü/", "--references", "-", "--only", "A",
      input: "A=1\nB=2\nA=3\n")
    #expect(done.text == "A=secret://a%20b/%C3%BC/A\nB=2\nA=secret://a%20b/%C3%BC/A\n")
    #expect(done.errors.contains("line 3 sets it again"))
    #expect(try vault("get", "a b/ü/A").text == "3")
    try done.output.write(to: URL(fileURLWithPath: "\(vault.home.path)/refs"))
    let child = try vault("run", "--env-file", "refs", "--", "sh", "-c", "echo $A$B")
    #expect(child.text == "32\n", "\(child.errors)")
    #expect(try vault("import", "json", "-", "--references", "x", input: "{}").status == 64)
    #expect(try vault("import", "dotenv", "-", "--only", ",", input: "A=1").status == 64)
  }
}
