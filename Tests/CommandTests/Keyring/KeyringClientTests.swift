import Foundation
import TestSupport
import Testing

/// Programs of others that find the vault as their keyring: `vault keyring serve -- PROGRAM`.
///
/// Between them they use libdbus, sd-bus, GDBus, jeepney and Go's implementation of D-Bus.
struct KeyringClientTests {
  private static func hasProgram(_ name: String) -> Bool {
    (try? PythonScript.run("/usr/bin/env", ["sh", "-c", "command -v \(name)"]).status) == 0
  }

  private static func hasModules(_ names: String) -> Bool {
    (try? PythonScript.run("/usr/bin/env", ["python3", "-c", "import \(names)"]).status) == 0
  }

  /// Runs lines of shell with the vault as their keyring; the first that fails ends them.
  private func run(_ lines: String, _ vault: ThrowawayVault) throws -> VaultProcess.Result {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return try vault.command.run(
      ["keyring", "serve", "--no-session", "--", "sh", "-euc", lines], adding: ["PATH": path])
  }

  @Test(.enabled(if: hasProgram("secret-tool"), "needs secret-tool of libsecret-tools"))
  func secretTool() throws {
    let vault = try ThrowawayVault()
    try vault.set("api-token", "s3cr3t")
    let run = try run(
      """
      secret-tool lookup service vault username api-token; echo
      printf one | secret-tool store --label='A label' service svc username me
      printf two | secret-tool store --label='A label' service svc username me
      secret-tool lookup service svc username me; echo
      secret-tool search --all service svc 2>&1 | grep -c '^secret = '
      printf gone | secret-tool store --label=Gone service gone
      secret-tool clear service gone
      secret-tool lookup service gone && exit 9
      true
      """, vault)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text == "s3cr3t\ntwo\n1\n")
    // What was stored is in the vault, and what was cleared is in its trash.
    #expect(try vault.get("keyring/A label").text == "two")
    #expect(try vault.command.run(["list", "--trash", "--no-session"]).text.contains("Gone"))
  }

  @Test(.enabled(if: hasProgram("dbus-send"), "needs dbus-send: libdbus"))
  func libdbus() throws {
    let run = try run(
      """
      dbus-send --session --print-reply=literal --dest=org.freedesktop.secrets \
        /org/freedesktop/secrets org.freedesktop.Secret.Service.ReadAlias string:default
      """, ThrowawayVault())
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text.contains("/org/freedesktop/secrets/collection/login"))
  }

  @Test(.enabled(if: hasProgram("busctl"), "needs busctl: sd-bus"))
  func sdBus() throws {
    let run = try run(
      """
      busctl --user get-property org.freedesktop.secrets /org/freedesktop/secrets \
        org.freedesktop.Secret.Service Collections
      busctl --user tree --list org.freedesktop.secrets
      """, ThrowawayVault())
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text.contains("ao 2 \"/org/freedesktop/secrets/collection/login\""))
    #expect(run.text.contains("\n/org/freedesktop/secrets/collection/login\n"))
  }

  @Test(.enabled(if: hasProgram("gdbus"), "needs gdbus: GDBus"))
  func gdbus() throws {
    let run = try run(
      """
      gdbus introspect --session --dest org.freedesktop.secrets \
        --object-path /org/freedesktop/secrets
      gdbus call --session --dest org.freedesktop.secrets --object-path /org/freedesktop/secrets \
        --method org.freedesktop.Secret.Service.SearchItems "{'service': 'none'}"
      """, ThrowawayVault())
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text.contains("OpenSession(in  s algorithm"))
    #expect(run.text.contains("(@ao [], @ao [])"))
  }

  @Test(
    .enabled(
      if: hasModules("keyring, secretstorage, jeepney"),
      "needs the Python packages keyring and SecretStorage"))
  func pythonKeyring() throws {
    let script = """
      from keyring.backends import SecretService
      keyring = SecretService.Keyring()
      keyring.set_password("svc", "me", "one")
      keyring.set_password("svc", "me", "two")
      assert keyring.get_password("svc", "me") == "two"
      found = keyring.get_credential("svc", None)
      assert (found.username, found.password) == ("me", "two")
      keyring.delete_password("svc", "me")
      assert keyring.get_password("svc", "me") is None
      """
    let run = try run("python3 -c '\(script)'", ThrowawayVault())
    #expect(run.status == 0, "\(run.errors)")
  }

  @Test(
    .enabled(
      if: hasProgram("docker-credential-secretservice"),
      "needs golang-docker-credential-helpers"))
  func docker() throws {
    let vault = try ThrowawayVault()
    let run = try run(
      """
      printf '{"ServerURL":"https://reg/v1","Username":"david","Secret":"pw"}' |
        docker-credential-secretservice store
      echo https://reg/v1 | docker-credential-secretservice get
      docker-credential-secretservice list
      echo https://reg/v1 | docker-credential-secretservice erase
      docker-credential-secretservice list
      """, vault)
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.text == """
        {"ServerURL":"https://reg/v1","Username":"david","Secret":"pw"}
        {"https://reg/v1":"david"}
        {}

        """)
  }

  /// The other backend of Python's keyring: libsecret through GObject introspection.
  @Test(
    .enabled(
      if: hasModules("keyring.backends.libsecret, gi"),
      "needs the Python packages keyring and PyGObject, and libsecret's introspection"))
  func pythonKeyringWithLibsecret() throws {
    let script = """
      import gi
      gi.require_version("Secret", "1")
      from keyring.backends import libsecret
      keyring = libsecret.Keyring()
      keyring.set_password("svc", "me", "one")
      assert keyring.get_password("svc", "me") == "one"
      keyring.delete_password("svc", "me")
      assert keyring.get_password("svc", "me") is None
      """
    let run = try run("python3 -c '\(script)'", ThrowawayVault())
    #expect(run.status == 0, "\(run.errors)")
  }

  /// A root that holds the command, its helper, the client, and the libraries that they name: no
  /// bus, no keyring, no /etc; /proc, and of /dev what has no secret.
  @Test(
    .enabled(
      if: geteuid() == 0 && PythonScript.mountsItsOwn && hasProgram("secret-tool")
        && hasProgram("ldd"), "needs root that may mount, ldd and secret-tool"))
  func aRootWithNothingElse() throws {
    let vault = try ThrowawayVault()
    try vault.set("api-token", "s3cr3t")
    let root = "\(vault.home.path)/root"
    let lines = """
      exec >&2
      mkdir -p "$1/bin" "$1/tmp" "$1/home" "$1/dev"
      cp -L "$2" "$2-helper" "$(command -v secret-tool)" "$1/bin"
      for program in "$2" "$2-helper" "$(command -v secret-tool)"; do ldd "$program"; done |
        grep -o '/[^ ]*' | sort -u | while read -r file; do
          mkdir -p "$1$(dirname "$file")"; cp -L "$file" "$1$file"
        done
      mknod -m 666 "$1/dev/null" c 1 3 2>/dev/null || : >"$1/dev/null"
      mknod -m 666 "$1/dev/urandom" c 1 9 2>/dev/null || true
      cp -a "$HOME/.local" "$HOME/key" "$1/home"
      mkdir "$1/proc"
      PATH=$PATH:/usr/sbin:/sbin
      root=$(command -v chroot)
      exec unshare --mount sh -c 'mount --rbind /proc "$1/proc" && shift && exec "$@"' sh "$1" \
        env -i PATH=/bin HOME=/home TMPDIR=/tmp VAULT_KEY_FILE=/home/key "$root" "$1" \
        /bin/vault keyring serve --no-session -- \
        /bin/secret-tool lookup service vault username api-token
      """
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let run = try PythonScript.run(
      "/usr/bin/env",
      [
        "-i", "PATH=\(path)", "HOME=\(vault.home.path)", "sh", "-euc", lines, "sh",
        root, VaultProcess.path,
      ])
    #expect(run.status == 0, "\(run)")
    #expect("\(run)".contains("s3cr3t"))
  }

  // MARK: The session bus

  /// `--bus`: the keyring of a bus that somebody else serves.
  @Test(
    .enabled(
      if: hasProgram("dbus-run-session") && hasProgram("gdbus") && hasProgram("secret-tool"),
      "needs dbus-run-session, gdbus and secret-tool"))
  func onTheSessionBus() throws {
    let vault = try ThrowawayVault()
    try vault.set("api-token", "s3cr3t")
    let lines = """
      exec >&2
      "$0" keyring serve --bus --no-session & served=$!
      has() { gdbus call --session --dest org.freedesktop.DBus --object-path /org/freedesktop/DBus \
        --method org.freedesktop.DBus.NameHasOwner org.freedesktop.secrets | grep -q true; }
      until has; do kill -0 $served; done
      secret-tool lookup service vault username api-token; echo
      printf one | secret-tool store --label='On the bus' service svc
      "$0" get 'keyring/On the bus' --no-session; echo
      "$0" keyring status --json
      "$0" keyring serve --bus --no-session && exit 9
      "$0" lock
      gdbus call --session --dest org.freedesktop.secrets \
        --object-path /org/freedesktop/secrets/collection/login \
        --method org.freedesktop.DBus.Properties.Get org.freedesktop.Secret.Collection Locked
      secret-tool lookup service svc; echo
      kill $served
      wait $served && while has; do :; done
      "$0" get api-token --no-session
      """
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let run = try PythonScript.run(
      "/usr/bin/env",
      [
        "-i", "PATH=\(path)", "HOME=\(vault.home.path)",
        "VAULT_KEY_FILE=\(vault.home.path)/key",
        "dbus-run-session", "--", "sh", "-euc", lines, VaultProcess.path,
      ])
    let output = "\(run)"
    #expect(run.status == 0, "\(run)")
    #expect(output.contains("s3cr3t"))
    #expect(output.contains("no-provider"))
    #expect(output.contains("(<true>,)"))
    // Unlocked again for the client, by the key file; then its own end.
    #expect(output.contains("one"))
  }
}
