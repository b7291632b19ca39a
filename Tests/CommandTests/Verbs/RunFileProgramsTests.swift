import Foundation
import TestSupport
import Testing

/// Programs that look at the mode, the kind and the path of the file that holds a secret.
struct RunFileProgramsTests {
  /// A vault with a private key of ssh as the item `key`.
  private func vaultWithKey() throws -> ThrowawayVault {
    let vault = try ThrowawayVault()
    let path = "\(vault.home.path)/made"
    let made = try vault.shell("ssh-keygen -q -t ed25519 -N '' -C me -f \"$1\"", path)
    try #require(made.status == 0, "\(made.errors)")
    let key = try #require(FileManager.default.contents(atPath: path))
    #expect(try vault.command.run(["set", "key", "--stdin", "--exact"], input: key).status == 0)
    try FileManager.default.removeItem(atPath: path)
    return vault
  }

  private func run(
    _ vault: ThrowawayVault, _ script: String, options: [String] = []
  ) throws -> VaultProcess.Result {
    try vault.command.run(["run"] + options + ["--as-file", "key", "--", "sh", "-c", script])
  }

  /// Also beside this program, which masks what the command writes.
  @Test(
    .enabled(if: HelperLinks.isInstalled("ssh-keygen"), "ssh-keygen is not installed"),
    arguments: [[], ["--mask"]])
  func sshKeygenReadsAKey(_ options: [String]) throws {
    // It closes what descriptors it has.
    let read = try run(
      try vaultWithKey(), "ssh-keygen -y -f \"$KEY_FILE\"", options: options)
    #expect(read.status == 0 && read.text.hasPrefix("ssh-ed25519 "), "\(read.errors)")
  }

  @Test(
    .enabled(
      if: ["ssh-keygen", "ssh-agent", "ssh-add"].allSatisfy(HelperLinks.isInstalled),
      "OpenSSH's client is not installed"))
  func sshAddTakesAKey() throws {
    let added = try run(
      try vaultWithKey(),
      "ssh-agent sh -c 'ssh-add -q \"$KEY_FILE\" && ssh-add -l && ssh-add -q - <\"$KEY_FILE\"'")
    #expect(added.status == 0 && added.text.contains("ED25519"), "\(added.errors)")
    #expect(!added.errors.contains("too open"))
  }

  @Test(.enabled(if: LoopbackSSH.works, "openssh-server is not installed"))
  func sshConnectsWithAKey() throws {
    let vault = try ThrowawayVault()
    _ = try LoopbackSSH(in: vault)
    let folder = "\(vault.home.path)/ssh"
    let key = try #require(FileManager.default.contents(atPath: "\(folder)/key"))
    #expect(try vault.command.run(["set", "key", "--stdin", "--exact"], input: key).status == 0)
    try FileManager.default.removeItem(atPath: "\(folder)/key")
    let connected = try vault(
      "run", "--as-file", "key", "--", "sh", "-c",
      "grep -v IdentityFile \"$0\" >\"$0.new\" && ssh -F \"$0.new\" -i \"$KEY_FILE\" store echo there",
      "\(folder)/client-key")
    #expect(connected.text == "there\n", "\(connected.errors)")
  }

  /// psql looks at the file before it connects, and says so if it passes it over.
  @Test(.enabled(if: HelperLinks.isInstalled("psql"), "psql is not installed"))
  func psqlAcceptsThePasswordFile() throws {
    let vault = try ThrowawayVault()
    try vault.set("pw", "a:b\\c")
    let line = "localhost:*:*:me:{{ secret://pw?encoding=pgpass }}\n"
    let filled = try vault("inject", input: line)
    #expect(filled.text == "localhost:*:*:me:a\\:b\\\\c\n")
    _ = try vault("set", "pgpass", "--stdin", "--exact", input: filled.text)
    let tried = try vault(
      "run", "--as-file", "pgpass", "--", "sh", "-c",
      "PGPASSFILE=$PGPASS_FILE exec psql -w -h localhost -p 1 -U me -c 'select 1'")
    #expect(tried.status == 2, "\(tried.errors)")
    #expect(
      tried.errors.contains("refused") && !tried.errors.contains("WARNING"), "\(tried.errors)")
  }

  /// The client prints the options that it read, from a file that others may not write.
  @Test(
    .enabled(
      if: HelperLinks.isInstalled("my_print_defaults"), "no client of MySQL or MariaDB is installed"
    ))
  func mysqlReadsItsOptions() throws {
    let vault = try ThrowawayVault()
    let password = "a\"b\\c #;d\te"
    try vault.set("pw", password)
    let filled = try vault(
      "inject", input: "[client]\npassword={{ secret://pw?encoding=ini }}\n")
    _ = try vault("set", "options", "--stdin", "--exact", input: filled.text)
    let read = try vault(
      "run", "--as-file", "options", "--", "sh", "-c",
      // MySQL's hides passwords otherwise, MariaDB's does not know the option.
      """
      my_print_defaults --defaults-file="$OPTIONS_FILE" --show client 2>/dev/null ||
        my_print_defaults --defaults-file="$OPTIONS_FILE" client
      """)
    #expect(read.text == "--password=\(password)\n", "\(read.errors)")
  }
}
