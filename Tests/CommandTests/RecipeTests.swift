import Foundation
import TestSupport
import Testing

/// Each recipe of Documentation/servers.md, run as it stands there. (The unit of systemd:
/// `SystemdTests`.)
struct RecipeTests {
  private let home: TemporaryHome
  private let key: String

  init() throws {
    home = try TemporaryHome()
    key = "\(home.path)/vault.key"
  }

  private static func has(_ program: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)")
  }

  private static let readsYAML =
    (try? PythonScript.run("/usr/bin/python3", ["-c", "import yaml"]).status) == 0

  /// Variables for the programs of a recipe: the command is found, and the key file opens the
  /// vault.
  private var variables: [String: String] {
    let folder = URL(fileURLWithPath: VaultProcess.path).deletingLastPathComponent().path
    return [
      "PATH": "\(folder):/usr/local/bin:/usr/bin:/bin", "VAULT_KEY_FILE": key,
      "LC_ALL": "C.UTF-8",
    ]
  }

  private func run(
    _ program: String, _ arguments: [String], adding more: [String: String] = [:]
  ) throws -> VaultProcess.Result {
    try VaultProcess(home: home.path, executable: "/usr/bin/\(program)").run(
      arguments, adding: variables.merging(more) { $1 })
  }

  private func vault(_ arguments: String..., input: String = "") throws {
    let done = try VaultProcess(home: home.path).run(
      arguments, input: Data(input.utf8), adding: variables)
    try #require(done.status == 0, "\(done.errors)")
  }

  /// The block of the page that begins with a comment, which names its file; writes it there.
  private func write(_ file: String) throws -> String {
    let page = try DocumentationPage("servers.md").text
    let start = try #require(page.firstRange(of: "# \(file)\n"), "no \(file) on the page")
    let end = try #require(page[start.lowerBound...].firstRange(of: "```")).lowerBound
    let text = String(page[start.lowerBound..<end])
    let path = "\(home.path)/\(file.split(separator: "/").last ?? "")"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  /// A value of a YAML file, by an expression of Python on what it holds, `it`.
  private func value(_ expression: String, of path: String) throws -> String {
    let code = "import sys, yaml; it = yaml.safe_load(open(sys.argv[1])); print(\(expression))"
    let read = try run("python3", ["-c", code, path])
    try #require(read.status == 0, "\(read.errors)")
    return read.text.trimmingCharacters(in: .newlines)
  }

  @Test(.enabled(if: has("direnv"), "needs direnv"))
  func direnvLoadsTheReferences() throws {
    try vault("init", "-q", "--key-file", key, "--no-recovery")
    try vault("set", "api-token", "--stdin", input: "made-up")
    _ = try write(".envrc")
    try Data("API_TOKEN=secret://api-token\nPORT=3000\n".utf8).write(
      to: URL(fileURLWithPath: "\(home.path)/.env.vault"))
    #expect(try run("direnv", ["allow", "."]).status == 0)
    let loaded = try run("direnv", ["exec", ".", "printenv", "API_TOKEN", "PORT"])
    #expect(loaded.text == "made-up\n3000\n", "\(loaded.errors)")
  }

  @Test(.enabled(if: readsYAML, "needs python3 with yaml"))
  func composeGetsTheVariableThatItReads() throws {
    let file = try write("compose.yaml")
    let used = try value("it['services']['web']['secrets'][0]", of: file)
    #expect(try value("list(it['secrets'])[0]", of: file) == used)
    #expect(
      try value("it['services']['web']['environment']['API_TOKEN_FILE']", of: file)
        == "/run/secrets/\(used)")
    let variable = try value("it['secrets']['\(used)']['environment']", of: file)
    try vault("init", "-q", "--key-file", key, "--no-recovery")
    try vault("set", used, "--stdin", input: "made-up")
    let started = try run("env", ["vault", "run", used, "--", "printenv", variable])
    #expect(started.text == "made-up\n", "\(started.errors)")
  }

  private static let readsCompose =
    (try? PythonScript.run("/usr/bin/env", ["python3", "-c", "import compose_spec"]).status) == 0

  @Test(.enabled(if: readsCompose, "needs python3 with compose-spec, of PyPI"))
  func aParserOfTheComposeSpecificationTakesTheFile() throws {
    let code = """
      import sys, compose_spec
      file = compose_spec.PyCompose.from_yaml(open(sys.argv[1]).read())
      file.validate()
      print(file.to_yaml())
      """
    let file = try write("compose.yaml")
    let path = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"]
    let read = try run("env", ["python3", "-c", code, file], adding: path)
    #expect(read.status == 0 && read.text.contains("environment: API_TOKEN"), "\(read.errors)")
    // A name that the format does not have is refused: the parser looks.
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try Data(text.replacing("environment: API_TOKEN", with: "enviroment: API_TOKEN").utf8).write(
      to: URL(fileURLWithPath: file))
    #expect(try run("env", ["python3", "-c", code, file], adding: path).status == 1)
  }

  private static let hasCompose =
    (try? VaultProcess(home: "/", executable: "/usr/bin/env").run(["docker", "compose", "version"])
      .status) == 0

  @Test(.enabled(if: hasCompose, "needs docker compose 2"))
  func composeTakesItsFileInTheVaultsRun() throws {
    try vault("init", "-q", "--key-file", key, "--no-recovery")
    try vault("set", "api-token", "--stdin", input: "made-up")
    let file = try write("compose.yaml")
    let read = try run(
      "env", ["vault", "run", "api-token", "--", "docker", "compose", "-f", file, "config"])
    #expect(read.status == 0 && read.text.contains("environment: API_TOKEN"), "\(read.errors)")
    #expect(!read.text.contains("made-up"))
  }

  @Test(.enabled(if: readsYAML, "needs python3 with yaml"))
  func theStepOfTheWorkflowDeploys() throws {
    let passphrase = try home.privateFile("passphrase", "four words of ours, generated")
    let source = "file:\(passphrase)"
    let folder = ["--home", "ci", "--no-session"]
    for (words, input) in [
      (["init", "--passphrase", source, "--no-recovery"], ""),
      (["set", "deploy-key", "--stdin", "--passphrase", source], "made-up"),
    ] {
      let made = try VaultProcess(home: home.path).run(folder + words, input: Data(input.utf8))
      try #require(made.status == 0, "\(made.errors)")
    }
    #expect(home.names(in: "ci").contains("secrets.vault"))
    // What the job gets is what git keeps of it: not that the file is for its user alone.
    let git = """
      cd "$HOME" && git init -q && git add ci/secrets.vault && umask 022 &&
      git -c user.name=a -c user.email=a@example.org commit -q -m a && git clone -q . checkout &&
      rm -r ci && mv checkout/ci . && stat -c %a ci/secrets.vault
      """
    let checkedOut = try run("sh", ["-c", git])
    try #require(checkedOut.text == "644\n", "\(checkedOut.errors)")
    let file = try write(".github/workflows/deploy.yml")
    let deploy = "it['jobs']['deploy']['steps'][-1]"
    #expect(try value("list(\(deploy)['env'])", of: file) == "['VAULT_PASSPHRASE']")
    let script = "\(home.path)/deploy.sh"
    try Data("#!/bin/sh\necho ${#DEPLOY_KEY} ${VAULT_PASSPHRASE-unset}\n".utf8).write(
      to: URL(fileURLWithPath: script))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
    let step = try run(
      "env", ["-u", "VAULT_KEY_FILE", "sh", "-ec", value("\(deploy)['run']", of: file)],
      adding: [
        "VAULT_HOME": value("it['jobs']['deploy']['env']['VAULT_HOME']", of: file),
        "VAULT_PASSPHRASE": "four words of ours, generated",
      ])
    #expect(step.text == "7 unset\n", "\(step.errors)")
  }

  @Test(.enabled(if: has("ansible-playbook"), "needs ansible-core"))
  func ansiblePutsTheSecretIntoTheVaultOfAHost() throws {
    try vault("init", "-q", "--key-file", key, "--no-recovery")
    try vault("set", "db/prod", "--stdin", input: "made-up")
    let host = "\(home.path)/host"
    try vault("init", "-q", "--home", host, "--key-file", key, "--no-recovery")
    let file = try write("secrets.yml")
    // The host is this machine, with a vault of its own.
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let here = text.replacing(
      "  gather_facts: false\n",
      with: "  gather_facts: false\n  environment: {VAULT_HOME: \(host), VAULT_KEY_FILE: \(key)}\n")
    #expect(here != text)
    try Data(here.utf8).write(to: URL(fileURLWithPath: file))
    let inventory = "\(home.path)/hosts"
    try Data("[servers]\nlocalhost ansible_connection=local\n".utf8).write(
      to: URL(fileURLWithPath: inventory))
    let played = try run(
      "ansible-playbook", ["-i", inventory, file],
      adding: ["ANSIBLE_LOCAL_TEMP": home.path, "ANSIBLE_NOCOWS": "1"])
    #expect(played.status == 0, "\(played.text)\(played.errors)")
    #expect(!played.text.contains("made-up") && !played.errors.contains("made-up"))
    let stored = try VaultProcess(home: home.path).run(
      ["--home", host, "get", "db/prod"], adding: variables)
    #expect(stored.text == "made-up", "\(stored.errors)")
  }

  /// The lines of guides/fleet.md up to a server that is removed: typed on the administrator's machine
  /// and on a server, with a bare repository between them.
  @Test(.enabled(if: has("git"), "needs git"))
  func theFleetPageTakesAServerInAndOut() throws {
    let page = try DocumentationPage("guides/fleet.md").text
    let end = try #require(page.firstRange(of: "## Watch")).lowerBound
    let typed = page[..<end].split(separator: "\n").map(String.init).filter {
      $0.hasPrefix("$ ") || $0.hasPrefix("# ") && !$0.hasPrefix("# Many")
    }
    #expect(typed.count == 14, "\(typed)")
    let here = [
      ("git@git.example.org:ops/fleet.git", "$W/fleet.git"), ("/etc/vault", "$W/etc"),
      ("/var/lib/vault", "$W/lib"), ("ssh admin cat code", "cat $W/code"),
      // What a person types at the prompt, and reads.
      ("set db/prod", "set db/prod --stdin <$W/secret"), ("--for 1d", "--for 1d >$W/code"),
      ("remove web3", "remove web1"), ("--exposed-to web3", "--exposed-to web1"),
    ]
    var script = "set -e; W=$HOME; git init -q --bare $W/fleet.git; printf made-up >$W/secret\n"
    script += "vault --vault fleet init -q --key-file $VAULT_KEY_FILE --no-recovery\n"
    for line in typed {
      let words = here.reduce(String(line.dropFirst(2))) { $0.replacing($1.0, with: $1.1) }
      // The server's lines have its own home; the shell's settings stay.
      script +=
        line.hasPrefix("$ ")
        ? "env -u VAULT_HOME VAULT_KEY_FILE=$W/vault.key \(words)\n" : "\(words)\n"
    }
    let played = try run("env", ["bash", "-c", script])
    #expect(played.status == 0, "\(played.text)\(played.errors)")
    #expect(played.text.contains("made-up") && played.text.hasSuffix("db/prod\n"), "\(played.text)")
  }
}
