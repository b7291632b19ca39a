import Foundation
import TestSupport
import Testing

/// `vault guard --only`: git, docker and aws behind the wall, and whoever else asks.
@Suite(.enabled(if: GuardBench.canBuild, "bubblewrap cannot make namespaces here"))
struct GuardProtocolTests {
  private static let fill = "printf 'protocol=https\\nhost=%s\\n\\n'"

  @Test(.enabled(if: HelperLinks.isInstalled("git"), "git is not installed"))
  func gitGetsWhatIsLetOutAndNothingElse() throws {
    let bench = try GuardBench()
    let run = try bench.inside(
      "--only 'git/good.example/*'",
      """
      \(Self.fill) good.example | git credential fill | grep ^password
      \(Self.fill) bad.example | git credential fill 2>/dev/null | grep ^password || echo none
      vault --version >/dev/null && echo version
      """)
    #expect(run.text == "password=secret-a\nnone\nversion\n", "\(run.text) \(run.errors)")
    #expect(try bench.isClean())
  }

  @Test func onlyWhatIsLetOutIsChanged() throws {
    let bench = try GuardBench()
    let run = try bench.inside(
      "--only 'git/good.example/*' --store",
      """
      H=git-credential-vault
      printf 'protocol=https\\nhost=good.example\\nusername=me\\npassword=new\\n\\n' | $H store; echo $?
      printf 'protocol=https\\nhost=good.example\\nusername=you\\npassword=y\\n\\n' | $H store; echo $?
      printf 'protocol=https\\nhost=bad.example\\nusername=me\\npassword=new\\n\\n' | $H store; echo $?
      printf 'protocol=https\\nhost=bad.example\\nusername=me\\n\\n' | $H erase; echo $?
      printf 'protocol=https\\nhost=good.example\\nusername=you\\n\\n' | $H erase; echo $?
      """)
    #expect(run.text == "0\n0\n77\n0\n0\n", "\(run.text) \(run.errors)")
    #expect(try bench.vault("list").text == "git/bad.example/me\ngit/good.example/me\n")
    #expect(try bench.vault("get", "git/good.example/me", "--no-session").text == "new")
    #expect(try bench.vault("get", "git/bad.example/me", "--no-session").text == "secret-b")
  }

  @Test func dockerAndAWSFindTheirHelper() throws {
    let bench = try GuardBench()
    for (server, secret) in [("https://one.example", "d-1"), ("https://two.example", "d-2")] {
      let stored = try bench.vault(
        "credential", "docker", "--no-session", "store",
        input: #"{"ServerURL":"\#(server)","Username":"me","Secret":"\#(secret)"}"#)
      try #require(stored.status == 0, "\(stored.errors)")
    }
    for (profile, secret) in [("work", "s-1"), ("home", "s-2")] {
      let stored = try bench.vault(
        "credential", "aws", "--no-session", profile, "store",
        input: #"{"Version":1,"AccessKeyId":"AK","SecretAccessKey":"\#(secret)"}"#)
      try #require(stored.status == 0, "\(stored.errors)")
    }
    let run = try bench.inside(
      "--only 'docker/one*' --only aws/work",
      """
      cat ~/.docker/config.json ~/.aws/config
      echo https://one.example | docker-credential-vault get; echo
      echo https://two.example | docker-credential-vault get
      docker-credential-vault list; echo
      docker-credential-vault version >/dev/null && echo version
      $(sed -n 's/^credential_process = //p' ~/.aws/config); echo
      vault credential aws home; echo $?
      """)
    let expected = [
      #"{"credsStore":"vault"}"#, "[profile work]",
      "credential_process = /run/vault-guard/bin/vault credential aws work",
      #"{"Secret":"d-1","ServerURL":"https://one.example","Username":"me"}"#,
      "credentials not found in native keychain", #"{"https://one.example":"me"}"#, "version",
      #"{"AccessKeyId":"AK","SecretAccessKey":"s-1","Version":1}"#, "1",
    ]
    #expect(
      run.text.split(separator: "\n").map(String.init) == expected, "\(run.text) \(run.errors)")
    #expect(!run.errors.contains("s-2"))
  }

  @Test(
    arguments: [
      "get git/good.example/me", "--no-session get git/good.example/me", "list", "list --json",
      "read secret://git/good.example/me", "show git/good.example/me --reveal", "export json --yes",
      "run git/good.example/me -- env", "otp git/good.example/me", "edit git/good.example/me",
      "status",
      "inject", "unlock", "ssh-agent -- env", "keyring serve -- env", "guard -- env", "log",
      "credential askpass Password", "credential keyring set a b",
      "credential keyring get vault git/good.example/me", "--vault x get y",
    ])
  func readingVerbsAreRefusedInside(line: String) throws {
    let bench = try GuardBench()
    let run = try bench.inside(
      "--only '*'",
      """
      vault \(line) </dev/null; echo $?
      cp "$(command -v vault)" /tmp/other; env -u VAULT_GUARD /tmp/other \(line) </dev/null; echo $?
      """)
    let lines = run.text.split(separator: "\n").map(String.init)
    #expect(lines.first == "77", "\(run.text)")
    #expect(!run.text.contains("secret-"), "\(run.text)")
    #expect(!run.errors.contains("secret-"), "\(run.errors)")
    #expect(run.errors.contains("inside vault guard"), "\(run.errors)")
  }

  @Test func withoutOnlyNothingIsLetOut() throws {
    let bench = try GuardBench()
    let run = try bench.inside(
      "",
      "\(Self.fill) good.example | git-credential-vault get; echo $?; ls -A ~; env | grep -c GIT_")
    #expect(run.text == "77\nproject\n0\n", "\(run.text)")
    #expect(run.errors.contains("nothing of the vault is let out"), "\(run.errors)")
    #expect(run.errors.contains("no item is let out"), "\(run.errors)")
  }

  @Test func theLogNamesTheProgramInside() throws {
    let bench = try GuardBench()
    let run = try bench.inside(
      "--only 'git/good.example/*'",
      "readlink /proc/self/ns/pid; \(Self.fill) good.example | git-credential-vault get >/dev/null")
    #expect(run.status == 0, "\(run.errors)")
    let namespace = run.text.trimmingCharacters(in: .newlines)
    let log = try bench.vault("log", "git/good.example/me", "--no-session", "--json").text
    #expect(namespace.hasPrefix("pid:["))
    #expect(log.contains(#""verb": "git by guard in \#(namespace)""#), "\(log)")
    #expect(log.contains("bwrap"), "\(log)")
  }

  /// Also where the environment has what would open it again.
  @Test(arguments: [false, true]) func aLockedVaultAnswersNothing(namesKey: Bool) throws {
    let bench = try GuardBench()
    let run = try bench.shell(
      """
      cat >loop <<'END'
      \(Self.fill) good.example | git-credential-vault get
      echo asked; touch first; until [ -e locked ]; do sleep 0.01; done
      \(Self.fill) good.example | git-credential-vault get; echo $?
      END
      "$VAULT" -q guard --key-file "$HOME/key" --only 'git/*' -- /bin/sh loop >said & guard=$!
      n=0; until [ -e first ]; do n=$((n+1)); [ $n -lt 6000 ] || exit 9; sleep 0.01; done
      "$VAULT" lock -q; touch locked; wait $guard; cat said
      """, adding: ["VAULT_KEY_FILE": namesKey ? bench.vault.keyFile : ""])
    #expect(
      run.text == "username=me\npassword=secret-a\nasked\n77\n", "\(run.text) \(run.errors)")
  }

  /// With a secret that the line passes on, so that it is seen to look.
  @Test(.timeLimit(.minutes(15)), arguments: [false, true])
  func aHostileProgramFindsNoSecret(leaks: Bool) throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../..").standardized.path
    let home = try TemporaryHome()
    let run = try VaultProcess(home: home.path, executable: "/usr/bin/python3").run(
      ["\(root)/scripts/guard-canary", VaultProcess.path, "--short"] + (leaks ? ["--leak"] : []),
      adding: ["TMPDIR": home.path, "PYTHONDONTWRITEBYTECODE": "1"])
    #expect(run.status == (leaks ? 1 : 0), "\(run.text) \(run.errors)")
    #expect(run.text.contains("git                      found"), "\(run.text)")
    #expect(
      run.text.contains(leaks ? "environment              found    WRONG" : " 0 wrong"),
      "\(run.text)")
  }
}
