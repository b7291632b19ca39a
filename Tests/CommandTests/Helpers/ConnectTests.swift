import Foundation
import TestSupport
import Testing
import VaultCommand
import VaultProtocols

struct ConnectTests {
  private func write(_ text: String, to path: String) throws {
    let url = URL(fileURLWithPath: path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  private func read(_ path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// A place that is no text would be another one: nothing is made there.
  @Test(arguments: [
    ("GIT_CONFIG_GLOBAL", "connect git"), ("HOME", "connect git"),
    ("VAULT_HOME", "init --key-file key --no-recovery"),
  ])
  func aPlaceThatIsNoTextIsRefused(_ variable: String, _ line: String) throws {
    let vault = try ThrowawayVault()
    let home = vault.home.path
    let shell = VaultProcess(home: home, executable: "/bin/sh")
    let run = try shell.run([
      "-c",
      "export \(variable)=\"$(printf '\(home)/place\\377')\"; '\(VaultProcess.path)' \(line)",
    ])
    #expect(run.status == 78, "\(run.errors)")
    #expect(run.errors.contains(variable), "\(run.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: home)
    #expect(!names.contains { $0.hasPrefix("place") }, "\(names)")
  }

  /// What git itself finds is asked of git: files that others include, lines for the shell, the
  /// repository that one stands in.
  @Test(arguments: ["include", "shell", "repository"])
  func gitsClearTextHelperIsFoundWhereverGitFindsIt(place: String) throws {
    let made = try ThrowawayVault()
    let (home, vault) = (made.home.path, made.command)
    var arguments = ["connect", "git"]
    var executable = VaultProcess.path
    switch place {
    case "include":
      try write("[include]\n\tpath = .more\n", to: "\(home)/.gitconfig")
      try write("[credential \"https://h\"]\n\thelper = store\n", to: "\(home)/.more")
    case "shell":
      try write(
        "[credential]\n\thelper = !git credential-store --file x\n", to: "\(home)/.gitconfig")
    default:
      let repository = "\(home)/repository"
      let git = VaultProcess(
        home: home, environment: vault.environment, executable: "/usr/bin/git")
      try #require(try git.run(["init", "-q", repository]).status == 0)
      try #require(
        try git.run(["-C", repository, "config", "credential.helper", "store"]).status == 0)
      arguments = ["-c", #"cd "$0" && exec "$@""#, repository, executable] + arguments
      executable = "/bin/sh"
    }
    let process = VaultProcess(
      home: home, environment: vault.environment, executable: executable)
    let done = try process.run(arguments)
    let shown = place == "shell" ? "'!git credential-store --file x'" : "'store'"
    #expect(done.status == 0 && done.errors.contains(shown), "\(done.errors)")
    // One of the repository is asked after the vault, and git goes on with it.
    let line = "git config --unset-all credential.helper"
    #expect(done.errors.contains(line) == (place == "repository"), "\(done.errors)")
    #expect(
      done.errors.contains("no longer asks") == !["repository", "shell"].contains(place),
      "\(done.errors)")
    // One with a file of its own goes on writing there.
    #expect(done.errors.contains("goes on giving") == (place == "shell"), "\(done.errors)")
  }

  /// git's helper `store` neither gets new passwords nor answers in the vault's place.
  @Test(arguments: ["store", "store --file x", "/usr/lib/git-core/git-credential-store"])
  func gitsClearTextHelperIsEndedAndSaid(helper: String) throws {
    let made = try ThrowawayVault()
    let (home, vault) = (made.home.path, made.command)
    try write("[credential]\n\thelper = \(helper)\n", to: "\(home)/.gitconfig")
    try write("https://old:plain@h\n", to: "\(home)/.git-credentials")
    let done = try vault.run(["connect", "git"])
    let goesOn = helper.contains("--file")
    #expect(done.status == 0, "\(done.errors)")
    #expect(done.errors.contains(goesOn ? "'store --file x'" : "'store'"), "\(done.errors)")
    #expect(done.errors.contains("no longer asks") == !goesOn)
    #expect(done.errors.contains(".git-credentials"))
    let git = VaultProcess(
      home: home, environment: vault.environment.merging(["GIT_TERMINAL_PROMPT": "0"]) { $1 },
      executable: "/usr/bin/git")
    func ask(_ verb: String, _ text: String) throws -> String {
      try git.run(["credential", verb], input: Data(text.utf8)).text
    }
    _ = try ask("approve", "protocol=https\nhost=h2\nusername=u\npassword=NEW\n")
    #expect(read("\(home)/.git-credentials") == "https://old:plain@h\n")
    #expect(try ask("fill", "protocol=https\nhost=h2\n").contains("password=NEW"))
    #expect(try !ask("fill", "protocol=https\nhost=h\n").contains("plain"))
    #expect(try vault.run(["disconnect", "git"]).status == 0)
    #expect(read("\(home)/.gitconfig") == "[credential]\n\thelper = \(helper)\n")
  }

  /// Another helper, such as a cache in memory, goes on.
  @Test func anotherHelperOfGitGoesOn() throws {
    let home = try TemporaryHome()
    try write("[credential]\n\thelper = cache\n", to: "\(home.path)/.gitconfig")
    let done = try VaultProcess(home: home.path).run(["connect", "git"])
    #expect(done.status == 0 && !done.errors.contains("in clear"), "\(done.errors)")
    #expect(read("\(home.path)/.gitconfig")?.contains("helper =\n") == false)
  }

  @Test func whatDockerAndAWSKeepInClearIsSaid() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    try write(
      #"{"auths":{"reg.example":{"auth":"YWxpY2U6czNjcmV0"},"other.example":{}}}"#,
      to: "\(home.path)/.docker/config.json")
    let docker = try vault.run(["connect", "docker"])
    #expect(
      docker.status == 0 && docker.errors.contains("(auths): reg.example\n"), "\(docker.errors)")
    #expect(!docker.errors.contains("YWxp"))
    try write(
      "[prod]\naws_access_key_id=x\naws_secret_access_key=plain\n",
      to: "\(home.path)/.aws/credentials")
    let keys = try vault.run(["connect", "aws", "prod"])
    #expect(
      keys.status == 0 && keys.errors.contains("has keys of [prod] in clear"), "\(keys.errors)")
    #expect(!keys.errors.contains("plain"))
    for setting in ["sso_session = s", "role_arn = arn:aws:iam::1:role/r"] {
      try write("[profile other]\n\(setting)\n", to: "\(home.path)/.aws/config")
      let other = try vault.run(["connect", "aws", "other"])
      let key = setting.prefix { $0 != " " }
      #expect(
        other.status == 0 && other.errors.contains("has \(key), which wins"), "\(other.errors)")
    }
    try write("[profile third]\nregion = x\n", to: "\(home.path)/.aws/config")
    let none = try vault.run(["connect", "aws", "third"])
    #expect(none.status == 0 && !none.errors.contains("wins"), "\(none.errors)")
  }

  @Test func aPipeInThePlaceOfAConfigurationIsNotWaitedFor() throws {
    let home = try TemporaryHome()
    #expect(unsafe mkfifo("\(home.path)/.gitconfig", 0o600) == 0)
    let refused = try VaultProcess(home: home.path).run(["connect", "git"])
    #expect(refused.status != 0)
    #expect(refused.errors.contains("cannot be read as text"), "\(refused.errors)")
  }

  @Test(arguments: [
    ("git", ".gitconfig", "[user]\n\tname = a\n[credential]\n\thelper = store\n"),
    ("git", ".gitconfig", "[user]\n\tname = a # no end"),
    ("git", ".gitconfig", "[user]\r\n\tname = a\r\n"), ("git", ".gitconfig", ""),
    (
      "aws", ".aws/config",
      "[default]\r\nregion = eu-west-1\r\n\r\n[profile other]\r\nregion = x\r\n"
    ),
    ("docker", ".docker/config.json", "{\n\t\"auths\": {},\n\t\"detachKeys\": \"ctrl-q\"\n}\n"),
    ("docker", ".docker/config.json", "{}"), ("docker", ".docker/config.json", "{\n}\n"),
    ("docker", ".docker/config.json", "{\"psFormat\": \"credsStore\"}"),
    ("docker ghcr.io", ".docker/config.json", "{\n\t\"auths\": {}\n}\n"),
    ("aws", ".aws/config", "[default]\nregion = eu-west-1\n[profile other]\nregion = x\n"),
    ("aws", ".aws/config", "# mine\n[profile other]\nregion = x\n"),
    ("pip", ".config/pip/pip.conf", "[global]\ntimeout = 9\n"),
    ("pip", ".config/pip/pip.conf", "[install]\nuser = true\n"),
  ])
  func disconnectTakesBackExactlyWhatConnectWrote(
    program: String, file: String, before: String
  ) throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    let words = program.split(separator: " ").map(String.init)
    let path = "\(home.path)/\(file)"
    try write(before, to: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    let planned = try vault.run(["connect"] + words + ["--dry-run"])
    #expect(planned.text.contains(path))
    #expect(read(path) == before)
    let done = try vault.run(["connect"] + words)
    #expect(done.status == 0, "\(done.errors)")
    let after = try #require(read(path))
    #expect(after != before)
    #expect(
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
    for line in done.text.split(separator: "\n").dropFirst() where line.hasPrefix("  #") {
      #expect(after.contains(line.dropFirst(2)))
    }
    #expect(try vault.run(["connect"] + words).errors.contains("nothing to do"))
    #expect(read(path) == after)
    let back = try vault.run(["disconnect"] + words)
    #expect(back.status == 0, "\(back.errors)")
    #expect(read(path) == (before.hasPrefix("{\n}") ? "{}\n" : before))
    #expect(try vault.run(["disconnect"] + words).errors.contains("nothing to do"))
    #expect(!FileManager.default.fileExists(atPath: "\(home.path)/.local/bin/keyring"))
  }

  @Test(arguments: [
    "", "{}", "{\n}\n", "{\n\t\"auths\": {},\n\t\"detachKeys\": \"ctrl-q\"\n}\n",
    "{\"credHelpers\":{}}",
    "{\n\t\"credHelpers\": {\n\t\t\"other.io\": \"pass\"\n\t},\n\t\"credsStore\": \"secretservice\"\n}\n",
    "{\"a\": \"\\\"credHelpers\\\": {\", \"credHelpers\" : { \"x\": \"y\" }}",
  ])
  func oneRegistryOfDockersIsConnectedAndNothingElse(before: String) throws {
    let registry = try DockerRegistry("ghcr.io")
    let after = try #require(try registry.added(to: before))
    let object = try JSONSerialization.jsonObject(with: Data(after.utf8)) as? [String: Any]
    #expect((object?["credHelpers"] as? [String: String])?["ghcr.io"] == "vault")
    #expect(try registry.added(to: after) == nil)
    let expected = before.isEmpty || before == "{\n}\n" ? "{}\n" : before
    #expect(try registry.removed(from: after) == expected)
    #expect(try registry.removed(from: before) == nil)
    // As docker writes the file itself.
    let data = try JSONSerialization.data(
      withJSONObject: object ?? [:],
      options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    let rewritten = String(decoding: data, as: UTF8.self).replacing("  ", with: "\t")
      .replacing(" : ", with: ": ")
    let left = try #require(try registry.removed(from: rewritten))
    #expect(!left.contains("ghcr.io"))
  }

  @Test func aRegistryWithAnotherHelperIsLeftAlone() throws {
    let registry = try DockerRegistry("ghcr.io")
    for text in [
      "{\"credHelpers\": {\"ghcr.io\": \"pass\"}}", "{\"credHelpers\": 5}", "[]", "no json",
    ] {
      #expect(throws: (any Error).self) { try registry.added(to: text) }
    }
    #expect(try registry.removed(from: "{\"credHelpers\": {\"ghcr.io\": \"pass\"}}") == nil)
    for name in ["", "a b", "a\"b", "a\\b", "a\nb", "ü"] {
      #expect(throws: (any Error).self) { try DockerRegistry(name) }
    }
  }

  @Test func podmanGetsAFileOfItsOwn() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    let path = "\(home.path)/.config/containers/registries.conf.d/50-vault.conf"
    #expect(try vault.run(["connect", "podman"]).status == 0)
    #expect(
      read(path)?.contains("credential-helpers = [\"vault\", \"containers-auth.json\"]") == true)
    #expect(try vault.run(["connect", "podman"]).errors.contains("nothing to do"))
    #expect(try vault.run(["disconnect", "podman"]).status == 0)
    #expect(read(path) == nil)
    try write("credential-helpers = []\n", to: path)
    #expect(try vault.run(["connect", "podman"]).status == 1)
    #expect(try vault.run(["disconnect", "podman"]).status == 0)
    #expect(read(path) == "credential-helpers = []\n")
    #expect(try vault.run(["connect", "podman", "x"]).status == 64)
  }

  /// docker and podman start the command by a name: connecting makes it, where PATH has none, and the
  /// last of them that is disconnected takes it away.
  @Test func dockerAndPodmanFindTheirHelper() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    let link = "\(home.path)/.local/bin/docker-credential-vault"
    func target() -> String? {
      try? FileManager.default.destinationOfSymbolicLink(atPath: link)
    }
    let planned = try vault.run(["connect", "docker", "--dry-run"])
    #expect(planned.text.contains(link) && target() == nil, "\(planned.text)")
    let made = try vault.run(["connect", "docker", "ghcr.io"])
    #expect(made.status == 0 && target() == VaultProcess.path, "\(made.errors)")
    #expect(made.errors.contains("export PATH=\(home.path)/.local/bin:$PATH"), "\(made.errors)")
    #expect(try vault.run(["connect", "podman"]).status == 0)
    #expect(try vault.run(["connect", "docker", "quay.io"]).status == 0)
    for words in [["docker", "ghcr.io"], ["podman"], ["docker", "quay.io"]] {
      #expect(target() == VaultProcess.path, "\(words)")
      #expect(try vault.run(["disconnect"] + words).status == 0)
    }
    #expect(target() == nil)
    // One that leads nowhere is made anew, another program's is left alone, and where PATH has one
    // already none is made.
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: "\(home.path)/nothing")
    #expect(try vault.run(["connect", "podman"]).status == 0)
    #expect(target() == VaultProcess.path)
    #expect(try vault.run(["disconnect", "podman"]).status == 0)
    try write("another program's\n", to: link)
    #expect(try vault.run(["connect", "podman"]).status == 0)
    #expect(try vault.run(["disconnect", "podman"]).status == 0)
    #expect(read(link) == "another program's\n")
    try FileManager.default.removeItem(atPath: link)
    try write("#!/bin/sh\n", to: "\(home.path)/bin/docker-credential-vault")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: "\(home.path)/bin/docker-credential-vault")
    let there = try vault.run(
      ["connect", "docker"], adding: ["PATH": "\(home.path)/bin:/usr/bin:/bin"])
    #expect(there.status == 0 && !there.errors.contains("from PATH"), "\(there.errors)")
    #expect(target() == nil)
  }

  @Test func theKeyringGetsTwoFilesOfItsOwn() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    let service = "\(home.path)/.local/share/dbus-1/services/org.freedesktop.secrets.service"
    let unit = "\(home.path)/.config/systemd/user/vault-keyring.service"
    let key = "\(home.path)/a key's %h $x.key"
    #expect(try vault.run(["connect", "keyring", "--key-file", key]).status == 0)
    let line = "Exec=\(VaultProcess.path) --key-file '\(home.path)/a key'\\\\''s %h $x.key' keyring"
    #expect(read(service)?.contains("\(line) serve --bus\n") == true)
    #expect(read(service)?.contains("Name=org.freedesktop.secrets\n") == true)
    let start =
      "ExecStart=\(VaultProcess.path) --key-file \"\(home.path)/a key's %%h $$x.key\" keyring"
    #expect(read(unit)?.contains("\(start) serve --bus\n") == true)
    #expect(read(unit)?.contains("BusName=org.freedesktop.secrets\n") == true)
    #expect(
      try vault.run(["connect", "keyring", "--key-file", key]).errors.contains("nothing to do"))
    // Another key file takes its place; without one that is said.
    let other = try vault.run(["connect", "keyring"])
    #expect(other.errors.contains("nobody is asked"))
    #expect(read(service)?.contains("key-file") == false)
    #expect(try vault.run(["connect", "keyring", "--key-file", "-"]).status == 64)
    #expect(try vault.run(["connect", "keyring", "x"]).status == 64)
    // Taken back, whatever the line says.
    #expect(try vault.run(["disconnect", "keyring", "--key-file", key]).status == 0)
    #expect(read(service) == nil && read(unit) == nil)
    #expect(try vault.run(["disconnect", "keyring"]).errors.contains("nothing to do"))
  }

  @Test func aBusOfItsOwnGetsASocket() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    let folder = "\(home.path)/.config/systemd/user"
    let link = "\(folder)/sockets.target.wants/vault-bus.socket"
    let made = try vault.run(["connect", "keyring", "socket", "--key-file", "/k"])
    #expect(made.status == 0)
    #expect(made.errors.contains("=unix:path=$XDG_RUNTIME_DIR/vault-bus/bus"))
    let socket = try #require(read("\(folder)/vault-bus.socket"))
    #expect(socket.contains("ListenStream=%t/vault-bus/bus\nSocketMode=0600\n"))
    let service = try #require(read("\(folder)/vault-bus.service"))
    #expect(
      service.contains("ExecStart=\(VaultProcess.path) --key-file /k keyring serve --socket\n"))
    let manager = FileManager.default
    #expect(try manager.destinationOfSymbolicLink(atPath: link) == "../vault-bus.socket")
    let again = try vault.run(["connect", "keyring", "socket", "--key-file", "/k"])
    #expect(again.errors.contains("nothing to do"))
    #expect(
      try vault.run(["connect", "keyring", "socket"]).errors.contains("connect keyring socket"))
    if PythonScript.hasSystemdAnalyze {
      let verified = try PythonScript.run(
        "/usr/bin/env",
        ["systemd-analyze", "verify", "--user", "--man=no", "\(folder)/vault-bus.socket"])
      #expect(!verified.errors.contains("vault-bus"), "\(verified.errors)")
    }
    #expect(try vault.run(["disconnect", "keyring", "socket"]).status == 0)
    #expect(try manager.contentsOfDirectory(atPath: folder) == ["sockets.target.wants"])
    #expect(try manager.contentsOfDirectory(atPath: "\(folder)/sockets.target.wants").isEmpty)
  }

  @Test func syncGetsATimerThatIsSwitchedOn() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    let folder = "\(home.path)/.config/systemd/user"
    let link = "\(folder)/timers.target.wants/vault-sync.timer"
    #expect(try vault.run(["connect", "sync", "--key-file", "/k"]).status == 0)
    let service = try #require(read("\(folder)/vault-sync.service"))
    #expect(
      service.contains("ExecStart=\(VaultProcess.path) --key-file /k sync now --unattended\n"))
    #expect(read("\(folder)/vault-sync.timer")?.contains("OnUnitInactiveSec=10min\n") == true)
    let manager = FileManager.default
    #expect(try manager.destinationOfSymbolicLink(atPath: link) == "../vault-sync.timer")
    let again = try vault.run(["connect", "sync", "--key-file", "/k"])
    #expect(again.errors.contains("nothing to do"))
    // Another vault has a timer of its own.
    let other = try vault.run(["connect", "sync", "--vault", "work"])
    #expect(other.errors.contains("nobody is asked"))
    #expect(read("\(folder)/vault-sync-work.service")?.contains("--vault work sync now") == true)
    if PythonScript.hasSystemdAnalyze {
      let verified = try PythonScript.run(
        "/usr/bin/env",
        ["systemd-analyze", "verify", "--user", "--man=no", "\(folder)/vault-sync.timer"])
      #expect(!verified.errors.contains("vault-sync"), "\(verified.errors)")
    }
    for name in [[], ["--vault", "work"]] {
      #expect(try vault.run(["disconnect", "sync"] + name).status == 0)
    }
    #expect(try manager.contentsOfDirectory(atPath: folder) == ["timers.target.wants"])
    #expect(try manager.contentsOfDirectory(atPath: "\(folder)/timers.target.wants").isEmpty)
  }

  @Test func syncGetsAServiceThatWatches() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    let folder = "\(home.path)/.config/systemd/user"
    let link = "\(folder)/default.target.wants/vault-watch.service"
    let connected = try vault.run(["connect", "sync", "watch", "--key-file", "/k"])
    #expect(connected.status == 0)
    #expect(connected.errors.contains("systemctl --user start vault-watch.service"))
    let service = try #require(read("\(folder)/vault-watch.service"))
    #expect(service.contains("ExecStart=\(VaultProcess.path) --key-file /k sync watch\n"))
    #expect(service.contains("Type=notify\n"))
    let manager = FileManager.default
    #expect(try manager.destinationOfSymbolicLink(atPath: link) == "../vault-watch.service")
    #expect(
      try vault.run(["connect", "sync", "watch", "--key-file", "/k"]).errors
        .contains("nothing to do"))
    // A vault of this name has a timer, too: neither takes the other's file.
    #expect(try vault.run(["connect", "sync", "--vault", "watch"]).status == 0)
    #expect(try vault.run(["connect", "sync", "watch", "--vault", "work"]).status == 0)
    #expect(read("\(folder)/vault-watch-work.service")?.contains("--vault work sync watch") == true)
    if PythonScript.hasSystemdAnalyze {
      let verified = try PythonScript.run(
        "/usr/bin/env",
        ["systemd-analyze", "verify", "--user", "--man=no", "\(folder)/vault-watch.service"])
      #expect(!verified.errors.contains("vault-watch"), "\(verified.errors)")
    }
    #expect(try vault.run(["disconnect", "sync", "--vault", "watch"]).status == 0)
    #expect(read("\(folder)/vault-watch.service") == service)
    for name in [[], ["--vault", "work"]] {
      #expect(try vault.run(["disconnect", "sync", "watch"] + name).status == 0)
    }
    #expect(
      try manager.contentsOfDirectory(atPath: folder).sorted()
        == ["default.target.wants", "timers.target.wants"])
    #expect(try manager.contentsOfDirectory(atPath: "\(folder)/default.target.wants").isEmpty)
    #expect(try vault.run(["connect", "sync", "often"]).status == 64)
  }

  @Test func anotherProgramsKeyringFilesAreLeftAlone() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    let service = "\(home.path)/.local/share/dbus-1/services/org.freedesktop.secrets.service"
    let unit = "\(home.path)/.config/systemd/user/vault-keyring.service"
    try write("[D-BUS Service]\n", to: service)
    #expect(try vault.run(["connect", "keyring"]).errors.contains("contains something else"))
    #expect(read(unit) == nil)
    #expect(try vault.run(["disconnect", "keyring"]).status == 0)
    #expect(read(service) == "[D-BUS Service]\n")
    try FileManager.default.removeItem(atPath: service)
    // What was changed since is not taken back.
    #expect(try vault.run(["connect", "keyring"]).status == 0)
    let changed = try #require(read(unit)) + "Restart=always\n"
    try write(changed, to: unit)
    #expect(try vault.run(["disconnect", "keyring"]).status == 1)
    #expect(read(unit) == changed && read(service) != nil)
  }

  @Test func whatOthersSetIsNotWrittenOver() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    for (program, file, text) in [
      ("docker", ".docker/config.json", "{\"credsStore\": \"pass\"}"),
      ("docker", ".docker/config.json", "no json"),
      ("aws", ".aws/config", "[default]\ncredential_process = other\n"),
      ("pip", ".config/pip/pip.conf", "[global]\nkeyring-provider = import\n"),
      ("pip", ".local/bin/keyring", "#!/bin/sh\n"),
    ] {
      try write(text, to: "\(home.path)/\(file)")
      for verb in ["connect", "disconnect"] {
        let result = try vault.run([verb, program])
        if verb == "connect" { #expect(result.status != 0, "\(program)") }
        #expect(read("\(home.path)/\(file)") == text)
      }
    }
  }

  @Test func whatIsNoRegistryOrProfileIsRefusedWithTheLineToType() throws {
    let vault = try ThrowawayVault()
    for (line, error, hint) in [
      ("docker git", "docker takes no 'git'", "one program at a time: vault connect git"),
      ("docker ghcr", "docker takes no 'ghcr'", "such as: vault connect docker ghcr.io"),
      ("aws git", "aws has no profile git", "one program at a time: vault connect git"),
      ("aws npm", "aws has no profile npm", "one program at a time: vault connect npm"),
      ("aws work", "aws has no profile work", "vault set aws/work --attribute access-key-id=ID"),
      ("pip git", "only aws has profiles", "one program at a time: vault connect git"),
      ("sync wach", "only aws has profiles", "vault connect sync watch"),
      ("keyring sockt", "only aws has profiles", "vault connect keyring socket"),
    ] {
      let run = try vault.command.run(["connect"] + line.split(separator: " ").map(String.init))
      #expect(run.says(64, error) && run.errors.contains(hint), "\(line): \(run.errors)")
    }
    for file in [".docker/config.json", ".aws/config"] {
      #expect(read("\(vault.home.path)/\(file)") == nil)
    }
    for registry in ["localhost", "localhost:5000", "ghcr.io", "host:5000", "[::1]:5000"] {
      let run = try vault("connect", "docker", registry)
      #expect(run.status == 0, "\(registry): \(run.errors)")
    }
    // The vault has its keys, or may have them.
    try vault.set("aws/work", "s3cr3t")
    #expect(try vault("connect", "aws", "work").status == 0)
    let locked = VaultProcess(home: vault.home.path)
    #expect(try vault("lock").status == 0)
    #expect(try locked.run(["connect", "aws", "other", "--dry-run"]).status == 0)
    // What an earlier version wrote goes again.
    try write(
      "{\"credHelpers\": {\"git\": \"vault\"}}", to: "\(vault.home.path)/.docker/config.json")
    #expect(try vault("disconnect", "docker", "git").status == 0)
    #expect(read("\(vault.home.path)/.docker/config.json")?.contains("git") == false)
  }

  @Test func oneOfSeveralProfilesGoesWithItsSection() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    let path = "\(home.path)/.aws/config"
    try write(
      ["tmp", "work"].map { "[\($0)]\naws_access_key_id=x\n" }.joined(),
      to: "\(home.path)/.aws/credentials")
    #expect(try vault.run(["connect", "aws", "tmp"]).status == 0)
    let alone = try #require(read(path))
    #expect(try vault.run(["disconnect", "aws", "tmp"]).status == 0)
    #expect(try vault.run(["connect", "aws", "work"]).status == 0)
    #expect(try vault.run(["connect", "aws", "tmp"]).status == 0)
    let done = try vault.run(["disconnect", "aws", "work"])
    #expect(done.status == 0 && done.text.contains("[profile work]"))
    #expect(read(path) == alone)
  }

  @Test func aPathThatAShellWouldActOnIsRefused() throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    let names = [
      "q'\u{301}; touch PWNED; '\u{301}", "q\"\u{301}$(touch PWNED)", "q$(touch PWNED)", "q`id`",
      "q\\",
    ]
    for name in names {
      let folder = "\(home.path)/\(name)"
      let aws = try vault.run(["--home", folder, "connect", "aws"])
      #expect(
        aws.status == (name.utf8.contains(UInt8(ascii: "'")) ? 0 : 64), "\(name): \(aws.errors)")
      _ = try vault.run(["--home", folder, "disconnect", "aws"])
      let git = try vault.run(["--home", folder, "connect", "git"])
      #expect(git.status == (name.utf8.contains { $0 == 0x27 || $0 == 0x5C } ? 64 : 0), "\(name)")
      _ = try vault.run(["--home", folder, "disconnect", "git"])
    }
    #expect(try vault.run(["connect", "aws", "p]\u{301}x"]).status == 64)
  }

  /// One line that ssh does not understand, and no host can be reached any more.
  @Test(arguments: ["q\"x", "q'x", "q\\", "q\nHost evil", "q$x", "q\u{1}"])
  func aSocketThatSSHCannotReadIsRefused(name: String) throws {
    let home = try TemporaryHome()
    let vault = VaultProcess(home: home.path)
    let run = try vault.run(["connect", "ssh"], adding: ["XDG_RUNTIME_DIR": "/run/\(name)"])
    #expect(run.status == 64, "\(run.errors)")
    #expect(run.errors.contains("cannot be written into ssh's configuration"), "\(run.errors)")
    #expect(run.errors.contains("hint: set XDG_RUNTIME_DIR"), "\(run.errors)")
    #expect(!FileManager.default.fileExists(atPath: "\(home.path)/.ssh/config"))
    #expect(home.names() == [])
    let plain = try vault.run(["connect", "ssh"], adding: ["XDG_RUNTIME_DIR": "/run/a b%c"])
    #expect(plain.status == 0, "\(plain.errors)")
    #expect(read("\(home.path)/.ssh/config")?.contains("\"/run/a b%%c/vault-ssh/agent\"") == true)
  }

  @Test func aBlockThatSomebodyWroteIntoIsLeftAlone() throws {
    let block = MarkedBlock(
      title: "connect x", section: "[a]", settings: ["k = v"])
    let (text, _) = try block.added(to: "")
    #expect(throws: (any Error).self) {
      try block.removed(from: text.replacing("k = v", with: "k = v\nother = 1"))
    }
    // A setting behind the block keeps its section.
    #expect(try block.removed(from: text + "mine = 1\n") == "[a]\nmine = 1\n")
    #expect(try block.removed(from: text.replacing("k = v", with: "k = old")) == "")
    #expect(try block.removed(from: "[a]\n") == nil)
  }

  @Test func dockersOwnLayoutIsUndone() throws {
    let written = "{\n\t\"auths\": {},\n\t\"credsStore\": \"vault\"\n}"
    #expect(try DockerConfiguration.removed(from: written) == "{\n\t\"auths\": {}\n}")
    #expect(try DockerConfiguration.removed(from: "{\"credsStore\":\"pass\"}") == nil)
    #expect(try DockerConfiguration.added(to: "") == "{\n\t\"credsStore\": \"vault\"\n}\n")
  }

  @Test func aLinkToTheFileStaysALink() throws {
    let home = try TemporaryHome()
    try write("[user]\n", to: "\(home.path)/dotfiles/gitconfig")
    try FileManager.default.createSymbolicLink(
      atPath: "\(home.path)/.gitconfig", withDestinationPath: "\(home.path)/dotfiles/gitconfig")
    #expect(try VaultProcess(home: home.path).run(["connect", "git"]).status == 0)
    #expect(read("\(home.path)/dotfiles/gitconfig")?.contains("credential git") == true)
    let target = try FileManager.default.destinationOfSymbolicLink(
      atPath: "\(home.path)/.gitconfig")
    #expect(target == "\(home.path)/dotfiles/gitconfig")
  }

  @Test(.enabled(if: HelperLinks.isInstalled("git"), "git is not installed"))
  func gitFindsWhatConnectWrote() throws {
    let vault = try ThrowawayVault()
    #expect(try vault("connect", "git").status == 0)
    let links = try HelperLinks()
    let script = """
      printf 'protocol=https\\nhost=example.com\\nusername=a\\npassword=p\\n\\n' | git credential approve
      printf 'protocol=https\\nhost=example.com\\n\\n' | GIT_TERMINAL_PROMPT=0 git credential fill
      """
    _ = try links.call("vault", ["connect", "git"])
    let result = try links.run("sh", ["-c", script])
    #expect(result.text.contains("username=a\npassword=p\n"), "\(result.errors)")
  }

  @Test func aProgramThatIsSetUpByHandIsToldWithItsLine() throws {
    let vault = try ThrowawayVault()
    for (program, part) in [
      ("ssh-add", "SSH_ASKPASS=vault-askpass"), ("sudo", "sudo -A"), ("twine", "TWINE_PASSWORD"),
      ("npm", "NPM_TOKEN"),
    ] {
      let told = try vault("connect", program)
      #expect(told.status == 64 && told.errors.contains("\(program) is set up by hand"))
      #expect(told.errors.contains(part), "\(told.errors)")
    }
    #expect(try vault("connect", "nothing").errors.contains("unknown program"))
  }
}
