import Foundation
import TestSupport
import Testing

/// `vault keyring serve -- COMMAND`: the vault as the command's keyring, on a bus of its own.
struct ServedKeyringTests {
  /// A client of our own, which also does what no library lets one do.
  private func client(
    _ test: [String], options: [String] = [], _ vault: ThrowawayVault,
    adding more: [String: String] = [:]
  ) throws -> VaultProcess.Result {
    let variables = [
      "TEST_VAULT": VaultProcess.path, "TEST_KEY": "\(vault.home.path)/key",
      "PYTHONDONTWRITEBYTECODE": "1",
    ]
    return try serve(
      ["python3", PythonScript.location("served_keyring.py")] + test, options: options, vault,
      adding: variables.merging(more) { $1 })
  }

  private func serve(
    _ command: [String], options: [String] = [], _ vault: ThrowawayVault,
    adding more: [String: String] = [:]
  ) throws -> VaultProcess.Result {
    // Where the socket's folder is made, so that what is left behind is seen.
    var variables = more
    variables["TMPDIR"] = "/tmp"
    variables["XDG_RUNTIME_DIR"] = try variables["XDG_RUNTIME_DIR"] ?? runtimeFolder(vault)
    return try vault.command.run(
      ["keyring", "serve", "--no-session"] + options + ["--"] + command, adding: variables)
  }

  private func runtimeFolder(_ vault: ThrowawayVault) throws -> String {
    let path = "\(vault.home.path)/run"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return path
  }

  /// Waits until the folder of the socket is gone.
  private func expectNothingLeft(_ vault: ThrowawayVault) throws {
    let path = try runtimeFolder(vault)
    for _ in 0..<6000 {
      // The program's own folders stay; `expectNoPermit` looks into one of them.
      let left = try FileManager.default.contentsOfDirectory(atPath: path)
      if left.allSatisfy({ ["vault", "vault-approve"].contains($0) }) { return }
      usleep(10_000)
    }
    Issue.record("the folder of the socket is still there")
  }

  /// Waits until no permit to keep the vault open is left.
  private func expectNoPermit(_ vault: ThrowawayVault) throws {
    let folders = ["\(vault.home.path)/.local/state/vault", "\(try runtimeFolder(vault))/vault"]
    for _ in 0..<6000 {
      let permits = try folders.flatMap {
        try FileManager.default.contentsOfDirectory(atPath: "\($0)/serving")
      }
      if permits.isEmpty { return }
      usleep(10_000)
    }
    Issue.record("a permit is still there")
  }

  @Test(
    .enabled(if: PythonScript.hasPython, "needs python3"),
    arguments: ["methods", "bus", "news", "crowd", "locks", "locks_elsewhere", "memory_items"])
  func theServiceAnswersAClientOfItsOwn(test: String) throws {
    let vault = try ThrowawayVault()
    try vault.set("api-token", "s3cr3t")
    let run = try client([test], vault)
    #expect(run.status == 0, "\(run.errors)")
    try expectNothingLeft(vault)
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/secret-tool"),
      "needs secret-tool of libsecret-tools"))
  func itGoesOnWhenTheKeyIsRotated() throws {
    let vault = try ThrowawayVault()
    let key = "\(vault.home.path)/key"
    let run = try serve(
      [
        "/bin/sh", "-ec",
        """
        printf a | secret-tool store --label=l k v
        VAULT_KEY_FILE='\(key)' '\(VaultProcess.path)' -q key rotate --new-key-file '\(key)'
        for try in 1 2 3; do secret-tool lookup k v; done
        printf b | secret-tool store --label=m k w
        secret-tool lookup k w
        """,
      ], vault)
    #expect(run.status == 0 && run.text == "aaab", "\(run.text) \(run.errors)")
  }

  /// What a program stores while the key is rotated is stored.
  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/secret-tool"),
      "needs secret-tool of libsecret-tools"))
  func storesBesideRotationsAreKept() throws {
    let vault = try ThrowawayVault()
    let key = "\(vault.home.path)/key"
    let run = try serve(
      [
        "/bin/sh", "-c",
        """
        (for i in 1 2 3 4 5 6; do
          VAULT_KEY_FILE='\(key)' '\(VaultProcess.path)' -q key rotate --new-key-file '\(key)' || echo bad
        done; : >done) &
        n=0
        until [ -e done ]; do
          n=$((n + 1)); printf $n | secret-tool store --label=m k $n || echo failed $n
        done
        wait
        for i in $(seq $n); do [ "$(secret-tool lookup k $i)" = $i ] || echo lost $i; done
        """,
      ], vault)
    #expect(run.status == 0 && run.text == "", "\(run.text) \(run.errors)")
  }

  /// A home on a disk that can only be read: a container's, or a disk after an error.
  @Test(.enabled(if: geteuid() != 0, "root writes everywhere"))
  func itServesWithoutAStateFolder() throws {
    let vault = try ThrowawayVault()
    try vault.set("api-token", "s3cr3t")
    let state = "\(vault.home.path)/.local/state/vault"
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: state)
    defer {
      try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: state)
    }
    let run = try serve(["/bin/sh", "-c", "'\(VaultProcess.path)' lock"], vault)
    #expect(run.status == 0 && run.errors.contains("locked"), "\(run.errors)")
  }

  @Test(.enabled(if: PythonScript.hasPython, "needs python3"))
  func itemsComeIntoTheScopeAndGo() throws {
    let vault = try ThrowawayVault()
    let run = try client(["scoped_news"], options: ["--only", "gh-*"], vault)
    #expect(run.status == 0, "\(run.errors)")
  }

  /// The helper has no key file: a person is asked, or nobody.
  @Test(
    .enabled(if: PythonScript.hasPython, "needs python3"), arguments: ["asks", "asks_nobody"])
  func promptsAlwaysComplete(test: String) throws {
    let vault = try ThrowawayVault()
    try vault.set("api-token", "s3cr3t")
    let (passphrase, answer) = ("correct horse battery staple", "\(vault.home.path)/answer")
    try vault.open.addPassphrase(passphrase)
    // It says who it is, and waits until there is an answer.
    let program = "\(vault.home.path)/askpass"
    try """
    #!/bin/sh
    [ -e '\(answer)' ] && exec cat '\(answer)'
    echo $$ > '\(answer).pid'
    exec sleep 600

    """.write(toFile: program, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
    let run = try client(
      [test], options: ["--key-file", "\(vault.home.path)/key"], vault,
      adding: [
        "VAULT_KEY_FILE": "\(vault.home.path)/none", "TEST_ANSWER": answer,
        "TEST_PASSPHRASE": passphrase, "VAULT_ASKPASS": test == "asks" ? program : "",
      ])
    #expect(run.status == 0, "\(run.errors)")
    try expectNothingLeft(vault)
  }

  /// A person is asked which program may use which item.
  @Test(.enabled(if: PythonScript.hasPython, "needs python3"))
  func aPersonConfirmsUses() throws {
    let vault = try ThrowawayVault()
    try vault.set("api-token", "s3cr3t")
    let (program, answer) = ("\(vault.home.path)/askpass", "\(vault.home.path)/answer")
    // It takes one answer after the other.
    try """
    #!/bin/sh
    echo "$SSH_ASKPASS_PROMPT:$1" >> '\(answer).questions'
    word=$(head -n 1 '\(answer)')
    sed -i 1d '\(answer)'
    case $word in
    no) exit 1 ;;
    wait) exec sleep 600 ;;
    ?*) echo "$word" ;;
    esac

    """.write(toFile: program, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
    let run = try client(
      ["confirms"], options: ["--confirm", "--key-file", vault.keyFile], vault,
      adding: [
        "VAULT_KEY_FILE": "\(vault.home.path)/none", "TEST_ANSWER": answer,
        "VAULT_ASKPASS": program,
      ])
    #expect(run.status == 0, "\(run.errors)")
    try expectNothingLeft(vault)
  }

  /// The adversary runs another program while the person thinks, or right after the answer, and
  /// leaves it the connection.
  @Test(.enabled(if: PythonScript.hasPython, "needs python3"))
  func aProgramThatRunsAnotherOneGetsNoAnswer() throws {
    let vault = try ThrowawayVault()
    try vault.set("api-token", "s3cr3t")
    let (program, answer) = ("\(vault.home.path)/askpass", "\(vault.home.path)/answer")
    try """
    #!/bin/sh
    : >'\(answer).asked'
    until [ -e '\(answer).go' ]; do sleep 0.01; done
    [ -e '\(answer)' ] && exit 1
    echo once

    """.write(toFile: program, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
    let run = try client(
      ["execs"], options: ["--confirm", "--key-file", vault.keyFile], vault,
      adding: [
        "VAULT_KEY_FILE": "\(vault.home.path)/none", "TEST_ANSWER": answer,
        "VAULT_ASKPASS": program,
      ])
    #expect(run.status == 0, "\(run.errors)")
  }

  @Test func withoutAnyoneToAskNothingIsConfirmed() throws {
    let vault = try ThrowawayVault()
    let run = try serve(
      ["echo", "started"], options: ["--confirm"], vault,
      adding: ["VAULT_ASKPASS": "", "XDG_RUNTIME_DIR": ""])
    #expect(run.status == 77)
    #expect(run.text == "")
    #expect(run.errors.contains("neither a terminal nor an askpass program"))
  }

  @Test(.enabled(if: PythonScript.hasPexpect, "python3-pexpect is not installed"))
  func theServingTerminalAsks() throws {
    let vault = try ThrowawayVault()
    try vault.set("api-token", "s3cr3t")
    let passphrase = "correct horse battery staple"
    try vault.open.addPassphrase(passphrase)
    let run = try PythonScript("serving_terminal")
      .run([VaultProcess.path, vault.home.path, passphrase])
    #expect(run.status == 0, "\(run.errors)")
  }

  @Test(.enabled(if: PythonScript.hasPython, "needs python3"))
  func otherVaultsAreCollections() throws {
    let vault = try ThrowawayVault()
    let made = try vault("init", "--vault", "work", "--key-file", vault.keyFile, "--no-session")
    try #require(made.status == 0, "\(made.errors)")
    let run = try client(["collections"], options: ["--collection", "work=work"], vault)
    #expect(run.status == 0, "\(run.errors)")
    try expectNothingLeft(vault)
    try expectNoPermit(vault)
  }

  @Test(arguments: ["work", "=work", "a b=work", "login=work", "session=work", "work="])
  func aCollectionHasANameAndAVault(text: String) throws {
    let vault = try ThrowawayVault()
    let run = try serve(["true"], options: ["--collection", text], vault)
    #expect(run.status == 64, "\(run.errors)")
  }

  /// Its keyring is the vault itself: that is no way to open it.
  @Test func theVaultInsideDoesNotAskItself() throws {
    let vault = try ThrowawayVault()
    try vault.set("api-token", "s3cr3t")
    let key = "\(vault.home.path)/key"
    let script = """
      "$0" keyring status --json; "$0" keyring status; "$0" status
      "$0" get api-token --no-session --key-file "$1"
      """
    let run = try serve(["sh", "-c", script, VaultProcess.path, key], vault)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text.contains("s3cr3t"))
    // Another keyring would take its name.
    #expect(!run.errors.contains("install"), "\(run.errors)")
    #expect(run.text.contains("no-provider"))
  }

  @Test(.enabled(if: PythonScript.hasPython, "needs python3"))
  func memoryStaysTheSame() throws {
    let vault = try ThrowawayVault()
    try vault.set("api-token", "s3cr3t")
    let run = try client(["memory", "\(4_000 * Mutations.rounds)"], vault)
    #expect(run.status == 0, "\(run.errors)")
  }

  @Test(
    .enabled(
      if: PythonScript.hasPython && geteuid() == 0,
      "needs python3, and root to read another process's memory"))
  func noSecretStaysInTheHelper() throws {
    let vault = try ThrowawayVault()
    let run = try client(["heap"], vault)
    #expect(run.status == 0, "\(run.errors)")
  }

  @Test(.enabled(if: PythonScript.hasPython, "needs python3"))
  func onlyHidesEverythingElse() throws {
    let vault = try ThrowawayVault()
    try vault.set("hidden", "s3cr3t")
    let shown = try vault.command.run(["show", "hidden", "--json", "--no-session"])
    let item = try #require(
      JSONSerialization.jsonObject(with: shown.output) as? [String: Any])
    let id = try #require(item["id"] as? String)
    let run = try client(["only", id], options: ["--only", "gh:*"], vault)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try vault.get("hidden").text == "s3cr3t")
  }

  @Test(.enabled(if: PythonScript.hasPython, "needs python3"))
  func readOnlyChangesNothing() throws {
    let vault = try ThrowawayVault()
    try vault.set("api-token", "s3cr3t")
    let before = try Data(contentsOf: URL(fileURLWithPath: "\(vault.data)/secrets.vault"))
    let run = try client(["read_only"], options: ["--read-only"], vault)
    #expect(run.status == 0, "\(run.errors)")
    let after = try Data(contentsOf: URL(fileURLWithPath: "\(vault.data)/secrets.vault"))
    #expect(before == after)
  }

  // MARK: The command

  @Test func theCommandsStatusAndSignalArePassedOn() throws {
    let vault = try ThrowawayVault()
    #expect(try serve(["sh", "-c", "exit 7"], vault).status == 7)
    // One that the threads of this test do not block: the command inherits their mask.
    #expect(try serve(["sh", "-c", "kill -SEGV $$"], vault).status == 128 + SIGSEGV)
    let missing = try serve(["no-such-program"], vault)
    #expect(missing.status == 127)
    try expectNothingLeft(vault)
  }

  @Test func theCommandGetsNoVariableWithAKey() throws {
    let vault = try ThrowawayVault()
    let run = try serve(["env"], vault)
    #expect(run.status == 0)
    #expect(!run.text.contains("VAULT_KEY_FILE"))
    let address = run.text.split(separator: "\n").filter {
      $0.hasPrefix("DBUS_SESSION_BUS_ADDRESS=unix:path=")
    }
    #expect(address.count == 1)
  }

  @Test func nothingIsLeftWhenTheCommandIsKilled() throws {
    let vault = try ThrowawayVault()
    #expect(try serve(["sh", "-c", "kill -KILL $$"], vault).status == 128 + SIGKILL)
    try expectNothingLeft(vault)
  }

  @Test(.enabled(if: PythonScript.hasPython, "needs python3"))
  func nothingIsLeftWhenTheHelperIsKilled() throws {
    let vault = try ThrowawayVault()
    let script = """
      import os, signal, sys
      sys.path.insert(0, os.path.dirname(sys.argv[1]))
      from dbus_client import Client
      client = Client()
      os.kill(client.bus("GetConnectionUnixProcessID", "s", "org.freedesktop.secrets"), signal.SIGKILL)
      try:
          client.read()
      except ConnectionError:
          pass
      """
    let run = try serve(
      ["python3", "-c", script, PythonScript.location("dbus_client.py")], vault,
      adding: ["PYTHONDONTWRITEBYTECODE": "1"])
    #expect(run.status == 0, "\(run.errors)")
    try expectNothingLeft(vault)
    try expectNoPermit(vault)
  }

  @Test func withoutAVaultNothingIsStarted() throws {
    let home = try TemporaryHome()
    let run = try VaultProcess(home: home.path).run(["keyring", "serve", "--", "echo", "started"])
    #expect(run.status == 78)
    #expect(run.text == "")
  }

  @Test func withoutACommandItIsUsage() throws {
    let vault = try ThrowawayVault()
    #expect(try vault.command.run(["keyring", "serve"]).status == 64)
  }

  @Test func aMissingHelperIsNamed() throws {
    let vault = try ThrowawayVault()
    let alone = "\(vault.home.path)/bin/vault"
    try FileManager.default.createDirectory(
      atPath: "\(vault.home.path)/bin", withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: VaultProcess.path, toPath: alone)
    let run = try VaultProcess(
      home: vault.home.path, environment: vault.command.environment, executable: alone
    ).run(["keyring", "serve", "--no-session", "--", "true"])
    #expect(run.status == 69)
    #expect(run.errors.contains("\(vault.home.path)/libexec/vault/vault-helper is missing"))
  }

  /// It is started by `vault` alone.
  @Test func theHelperByHandSaysWhoStartsIt() throws {
    let home = try TemporaryHome()
    let helper = VaultProcess.path + "-helper"
    let run = try VaultProcess(home: home.path, executable: helper).run([])
    #expect(run.status == 64)
    #expect(run.errors.contains("vault keyring serve"))
  }
}
