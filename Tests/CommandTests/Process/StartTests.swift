import Foundation
import Glibc
import TestSupport
import Testing
import VaultCommand
import VaultTerminal

/// What the process finds when it starts: its words, its streams, its file systems.
struct StartTests {
  /// Runs a shell script in the vault's home; `$0` is the command.
  private func shell(_ script: String, in vault: ThrowawayVault) throws -> VaultProcess.Result {
    try VaultProcess(
      home: vault.home.path, environment: vault.command.environment, executable: "/bin/sh"
    ).run(["-c", script, VaultProcess.path])
  }

  @Test func theCommandOfRunGetsItsWordsByteForByte() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "s")
    let bytes = try shell(
      #"exec "$0" run a -- printf '[%s]' "$(printf 'caf\351.txt')" '' -- "$(printf '\377')" é"#,
      in: vault)
    #expect(bytes.status == 0, "\(bytes.errors)")
    #expect(
      Array(bytes.output)
        == Array("[caf".utf8) + [0xE9] + Array(".txt][][--][".utf8) + [0xFF]
        + Array("][é]".utf8))
    // The program itself may have such a name.
    let program = try shell(
      #"p="$PWD/$(printf 'p\351')"; printf '#!/bin/sh\necho "$1"' > "$p"; chmod +x "$p"; exec "$0" run a -- "$p" x"#,
      in: vault)
    #expect(program.text == "x\n", "\(program.errors)")
  }

  @Test func wordsAreToldFromBytesThatAreNoText() {
    #expect(RawArguments.isText(Array("é\u{301}🔑".utf8)) && RawArguments.isText([]))
    for bytes: [UInt8] in [[0xE9], [0x61, 0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80]] {
      #expect(!RawArguments.isText(bytes))
      #expect(RawArguments.shown(bytes).unicodeScalars.contains("\u{FFFD}"))
    }
  }

  @Test(.enabled(if: PythonScript.mountsItsOwn, "no mounts of one's own are allowed"))
  func withoutProcThereIsOneClearError() throws {
    let vault = try ThrowawayVault()
    for line in ["get a", "--version", ""] {
      let result = try shell(
        "exec unshare --user --map-root-user --mount "
          + "sh -c 'mount -t tmpfs none /proc && exec \"$0\" \(line)' \"$0\"", in: vault)
      #expect(result.status == 78, "\(result.errors)")
      #expect(result.text.isEmpty)
      #expect(result.errors.split(separator: "\n").count == 2, "\(result.errors)")
      #expect(result.errors.hasPrefix("vault: error: /proc is not mounted here"))
      #expect(result.errors.contains("\nvault: hint: mount it: "))
    }
  }

  /// A text that is searched for in another by the standard library brings the regular expressions
  /// with it, a megabyte: the link of the release refuses that, and `contains(bytes:)` does it.
  @Test(
    .enabled(
      if: (try? PythonScript.run("/usr/bin/env", ["nm", "--version"]).status) == 0,
      "needs nm (binutils)"),
    arguments: ["vault", "vault-helper"])
  func noTextIsSearchedByRegularExpressions(_ program: String) throws {
    let vault = try ThrowawayVault()
    let folder = URL(fileURLWithPath: VaultProcess.path).deletingLastPathComponent().path
    let named = try VaultProcess(home: vault.home.path, executable: "/usr/bin/env")
      .run(["nm", "-D", "--undefined-only", "\(folder)/\(program)"])
    #expect(named.status == 0, "\(named.errors)")
    #expect(named.text.split(separator: "\n").filter { $0.contains("StringProcessing") } == [])
  }

  /// What is opened later gets the lowest free number: a secret for stdout would go there.
  @Test(arguments: [">&-", ">&- 2>&-", "<&- >&- 2>&-"])
  func aSecretForAClosedStdoutGoesNowhere(_ closed: String) throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "s3cr3t")
    let result = try shell("\"$0\" get a \(closed); echo $?", in: vault)
    #expect(result.text == "74\n", "\(result.errors)")
    #expect(!closed.contains("2") == result.errors.contains("standard output is closed"))
  }

  @Test func aClosedStdinIsNoSecret() throws {
    let vault = try ThrowawayVault()
    #expect(try shell("\"$0\" set a --stdin <&-", in: vault).status == 74)
    #expect(try vault("get", "a").status == 1)
  }

  @Test(.enabled(if: geteuid() == 0, "nobody else may look at a process that is not dumpable"))
  func closedStreamsAreTakenBeforeAnythingIsOpened() throws {
    let vault = try ThrowawayVault()
    let during = try shell(
      "\"$0\" get a --no-session --passphrase 'cmd:ls -l /proc/$PPID/fd >&2; echo x' <&- >&-",
      in: vault)
    for stream in [0, 1] {
      #expect(during.errors.contains(" \(stream) -> /\n"), "\(during.errors)")
    }
  }

  @Test func streamsThatWereClosedAreClosedForTheCommandOfRun() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "s3cr3t")
    let child = try shell(
      "\"$0\" run a -- sh -c 'for n in 0 1 2; do [ -e /proc/$$/fd/$n ] || echo $n >> closed; done' <&- >&-; cat closed",
      in: vault)
    #expect(child.text == "0\n1\n", "\(child.errors)")
  }
}
