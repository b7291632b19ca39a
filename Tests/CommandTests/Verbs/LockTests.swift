import Foundation
import TestSupport
import Testing

/// `vault lock` needs no file: whatever became of it, no session stays.
///
/// A user namespace of its own has keys of its own, so that no other session of the user ends.
@Suite(.enabled(if: PythonScript.mountsItsOwn, "no user namespaces are allowed"))
struct LockTests {
  private func shell(_ script: String, in vault: ThrowawayVault) throws -> VaultProcess.Result {
    let prelude =
      "unset VAULT_KEY_FILE; v=$HOME/.local/share/vault; \"$0\" unlock -q --key-file key; "
    return try VaultProcess(
      home: vault.home.path, environment: vault.command.environment, executable: "/usr/bin/env"
    ).run(["unshare", "--user", "--map-root-user", "sh", "-c", prelude + script, VaultProcess.path])
  }

  @Test(
    .enabled(if: KernelKeys.areAvailable, "\(KernelKeys.missing)"),
    arguments: [
      ("chmod 775 $v", "chmod 700 $v"), ("mv $v $v.away", "mv $v.away $v"),
      ("cp -p $v/secrets.vault kept; echo x > $v/secrets.vault", "cp -p kept $v/secrets.vault"),
      ("chmod 644 $v/secrets.vault", "chmod 600 $v/secrets.vault"), ("true", "true"),
      ("mv $v/secrets.vault away; ln -s /dev/null $v/secrets.vault", "mv away $v/secrets.vault"),
    ])
  func noSessionOutlivesIt(_ breaking: String, _ mending: String) throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "s3cr3t")
    let open = try shell("\"$0\" get a", in: vault)
    try #require(open.text == "s3cr3t", "\(open.errors)")
    let locked = try shell(
      "\(breaking); \"$0\" lock; echo $?; \(mending); \"$0\" get a; echo $?", in: vault)
    #expect(locked.text == "0\n77\n", "\(breaking): \(locked.errors)")
    #expect(locked.errors.contains("vault: locked\n"))
  }

  @Test func withoutAnyVaultThereIsNoSessionToEnd() throws {
    let vault = try ThrowawayVault()
    let run = try shell(
      "\"$0\" lock -q; \"$0\" lock --home \"$HOME/none\" --json", in: vault)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text.contains("\"hadSession\": false"))
  }

  @Test func anotherVaultStaysOpenWhereTheFileCanBeRead() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "s3cr3t")
    let run = try shell(
      "\"$0\" --vault other init -q --key-file key --no-recovery; \"$0\" --vault other lock; \"$0\" get a",
      in: vault)
    #expect(run.text == "s3cr3t", "\(run.errors)")
  }
}

/// `vault lock --watch`: the session ends when the person leaves.
@Suite(
  .enabled(
    if: PythonScript.mountsItsOwn && KernelKeys.areAvailable && KeyringSession.canMisbehave,
    "needs user namespaces, the kernel's keys, dbus-daemon and python3-jeepney"))
struct LockWatchTests {
  @Test func itLocksWhenThePersonLeavesAndNotWhenAnotherOneDoes() throws {
    let vault = try ThrowawayVault()
    try vault.set("a", "s3cr3t")
    let run = try VaultProcess(
      home: vault.home.path, environment: vault.command.environment, executable: "/usr/bin/env"
    ).run([
      "unshare", "--user", "--map-root-user", "python3", PythonScript.location("session_watch.py"),
      VaultProcess.path,
    ])
    #expect(
      run.text == """
        without a watch 64
        until logout True
        delay 1
        wake True
        sleep False
        served True
        served asleep False
        screen False
        unscreen True
        lock False
        login True
        lock True
        logout True
        login True
        logout True
        logout False
        next logind False
        lock True
        login True
        sleep False
        ended 0 False
        without its buses 1 False
        sleep False
        next bus 0

        """, "\(run.errors)")
  }

  @Test func withoutAnyBusItSaysSo() throws {
    let vault = try ThrowawayVault()
    let run = try VaultProcess(
      home: vault.home.path,
      environment: vault.command.environment.merging([
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(vault.home.path)/none",
        "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(vault.home.path)/none",
      ]) { $1 }
    ).run(["lock", "--watch"])
    #expect(run.status == 69 && run.errors.contains("neither a system bus"), "\(run.errors)")
  }

  @Test func theUnitIsWrittenAndTakenBack() throws {
    let vault = try ThrowawayVault()
    let connected = try vault("connect", "session")
    #expect(
      connected.status == 0 && connected.errors.contains("opens again"), "\(connected.errors)")
    let unit = "\(vault.home.path)/.config/systemd/user/vault-session.service"
    let text = try String(contentsOfFile: unit, encoding: .utf8)
    #expect(text.contains("lock --watch\n"))
    #expect(try vault("connect", "session").errors.contains("nothing to do"))
    #expect(try vault("disconnect", "session").status == 0)
    #expect(!FileManager.default.fileExists(atPath: unit))
  }
}
