import Foundation
import TestSupport
import Testing

/// A home with plain text in many places: moved by one line, each client still logs in, a second look
/// finds nothing, and `disconnect` brings each back.
struct ClearTextVerbTests {
  let made: ThrowawayVault
  private var home: String { made.home.path }
  private var vault: VaultProcess { made.command }

  /// Where the secrets are; each has the canary in it.
  private static let files: [(path: String, text: String)] = [
    (
      ".aws/credentials",
      "[default]\naws_access_key_id = AKIA1\naws_secret_access_key = c4n4ry-aws\nregion = eu\n\n"
        + "[work]\naws_access_key_id = AKIA2\naws_secret_access_key = c4n4ry-work\naws_session_token = c4n4ry-t\n"
    ),
    (".git-credentials", "https://ann:c4n4ry%40git@git.example\n"),
    (
      ".docker/config.json",
      "{\"auths\":{\"ghcr.io\":{\"auth\":\"\(Data("ann:c4n4ry-docker".utf8).base64EncodedString())\"}}}"
    ),
    (
      ".netrc",
      "machine netrc.example login bob password c4n4ry-netrc\n"
        + "machine two.example login bob password c4n4ry-two\n"
    ),
    (".npmrc", "//registry.npmjs.org/:_authToken=npm_c4n4ry\n"),
    (
      ".pypirc",
      "[pypi]\nusername = __token__\npassword = pypi-c4n4ry\n"
        + "[test]\nrepository = https://test.example/\nusername = ann\npassword = test-c4n4ry\n"
    ),
    (".cargo/credentials.toml", "[registry]\ntoken = \"cio-c4n4ry\"\n"),
    (".config/gh/hosts.yml", "github.com:\n    user: ann\n    oauth_token: gho_c4n4ry\n"),
    (".pgpass", "db.example:5432:shop:ann:c4n4ry\\:pg\n"),
    (
      ".aws/config",
      "[profile ci]\naws_access_key_id = AKIA3\naws_secret_access_key = c4n4ry-ci\nregion = eu\n"
    ),
    (".config/git/credentials", "https://eve:c4n4ry-xdg@xdg.example\n"),
    (".cargo/credentials", "[registries.mine]\ntoken = \"mine-c4n4ry\"\n"),
    (
      ".kube/config",
      "apiVersion: v1\nkind: Config\nusers:\n- name: prod\n  user:\n    token: c4n4ry-kube\n"
    ),
  ]

  init() throws {
    made = try ThrowawayVault()
    for (path, text) in Self.files {
      let url = URL(fileURLWithPath: "\(made.home.path)/\(path)")
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
    }
  }

  private func read(_ path: String) -> String {
    FileManager.default.contents(atPath: "\(home)/\(path)").map {
      String(decoding: $0, as: UTF8.self)
    }
      ?? ""
  }

  /// The files of the home in which something is in plain text.
  private func canaries() throws -> [String] {
    let words = ["c4n4ry", Data("ann:c4n4ry-docker".utf8).base64EncodedString()].map {
      Data($0.utf8)
    }
    let paths = try FileManager.default.subpathsOfDirectory(atPath: home)
    return paths.filter { path in
      guard let data = FileManager.default.contents(atPath: "\(home)/\(path)") else { return false }
      return words.contains { data.range(of: $0) != nil }
    }.sorted()
  }

  private func git(_ host: String) throws -> String {
    let git = VaultProcess(
      home: home, environment: vault.environment.merging(["GIT_TERMINAL_PROMPT": "0"]) { $1 },
      executable: "/usr/bin/git")
    return try git.run(
      ["credential", "fill"], input: Data("protocol=https\nhost=\(host)\n\n".utf8)
    ).text
  }

  @Test func aWholeHomeIsSweptAndComesBack() throws {
    let before = try canaries()
    #expect(before.count == Self.files.count)
    let shown = try made("import", "home", "--dry-run")
    #expect(
      shown.status == 0 && shown.text.contains("aws/work") && shown.text.contains("cargo/crates-io")
    )
    #expect(!(shown.text + shown.errors).contains("c4n4ry"))
    #expect(try canaries() == before)
    // Nobody can be asked.
    let refused = try made("import", "home")
    #expect(refused.says(64, "16 secrets would be moved"), "\(refused.errors)")
    #expect(try canaries() == before)
    let moved = try made("import", "home", "--yes")
    #expect(moved.status == 0, "\(moved.errors)")
    #expect(!(moved.text + moved.errors).contains("c4n4ry"))
    #expect(try canaries().isEmpty)
    // Each client gets it.
    #expect(try git("git.example").contains("password=c4n4ry@git"))
    #expect(try git("two.example").contains("password=c4n4ry-two"))
    #expect(try git("xdg.example").contains("password=c4n4ry-xdg"))
    #expect(try made("credential", "aws", "ci").text.contains("c4n4ry-ci"))
    #expect(try git("netrc.example").contains("password=c4n4ry-netrc"))
    #expect(try made("credential", "aws", "work").text.contains("c4n4ry-t"))
    #expect(read(".aws/config").contains("credential aws work"))
    #expect(try made("credential", "kubectl", "prod").text.contains("\"token\":\"c4n4ry-kube\""))
    #expect(read(".kube/config").contains("    - kubectl\n      - prod\n"))
    #expect(
      try made("credential", "docker", "get", input: "ghcr.io").text.contains("c4n4ry-docker"))
    for (item, variable, secret) in [
      ("npm/registry.npmjs.org", "NPM_TOKEN", "npm_c4n4ry"),
      ("pypi/pypi", "TWINE_PASSWORD", "pypi-c4n4ry"),
      ("pypi/test", "TWINE_PASSWORD", "test-c4n4ry"),
      ("cargo/crates-io", "CARGO_REGISTRY_TOKEN", "cio-c4n4ry"),
      ("cargo/mine", "CARGO_REGISTRIES_MINE_TOKEN", "mine-c4n4ry"),
      ("gh/github.com/ann", "GH_TOKEN", "gho_c4n4ry"),
      ("postgresql/db.example:5432/shop/ann", "PGPASSWORD", "c4n4ry:pg"),
    ] {
      let run = try made("run", item, "--", "sh", "-c", "test \"$\(variable)\" = '\(secret)'")
      #expect(run.status == 0, "\(item) \(run.errors)")
    }
    // A second look finds nothing.
    let again = try made("import", "home", "--yes")
    #expect(again.status == 0 && again.errors.contains("no program"), "\(again.errors)")
    // What was changed meanwhile goes back as it is now.
    try made.set("cargo/crates-io", "cio-c4n4ry-new")
    for program in ["aws", "git", "docker", "npm", "twine", "cargo", "gh", "psql", "kubectl"] {
      let back = try made("disconnect", program)
      #expect(back.status == 0, "\(program) \(back.errors)")
      #expect(!(back.text + back.errors).contains("c4n4ry"))
    }
    #expect(try canaries() == before)
    #expect(read(".cargo/credentials.toml").contains("cio-c4n4ry-new"))
    #expect(read(".pgpass").contains("db.example:5432:shop:ann:c4n4ry\\:pg"))
    #expect(!read(".aws/config").contains("credential aws"))
    let mode = try FileManager.default.attributesOfItem(atPath: "\(home)/.pgpass")[
      .posixPermissions]
    #expect(mode as? Int == 0o600)
    // And in again.
    #expect(try made("import", "home", "--yes").status == 0)
    #expect(try canaries().isEmpty)
  }

  @Test func oneProgramIsMovedOrItsFileOnlyImported() throws {
    let imported = try made("import", "npmrc")
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(imported.errors.contains("connect npm --move"))
    #expect(read(".npmrc").contains("npm_c4n4ry"))
    #expect(try made("import", "npmrc").errors.contains("1 unchanged"))
    let moved = try made("connect", "npm", "--move")
    #expect(moved.status == 0 && read(".npmrc").contains("${NPM_TOKEN}"), "\(moved.errors)")
    #expect(try made("connect", "aws", "work", "--move").status == 0)
    #expect(read(".aws/credentials").contains("c4n4ry-aws"))
    #expect(!read(".aws/credentials").contains("c4n4ry-work"))
    let kept = try made("disconnect", "aws", "work", "--keep")
    #expect(kept.status == 0 && !read(".aws/credentials").contains("c4n4ry-work"))
    // Another file of that kind, and one that is none.
    try Data("[x]\naws_access_key_id = A\naws_secret_access_key = B\n".utf8)
      .write(to: URL(fileURLWithPath: "\(home)/other"))
    #expect(try made("import", "aws", "\(home)/other").status == 0)
    #expect(try made.get("aws/x").text == "B")
    #expect(try made("import", "aws", "\(home)/missing").status != 0)
    #expect(try made("import", "home", "\(home)").status == 64)
    #expect(try made("import", "hom").errors.contains("did you mean: home"))
    #expect(try made("connect", "sync", "--move").says(64, "no file is known"))
  }

  /// What was moved of one profile alone goes back alone, and an import again changes nothing.
  @Test func aProfileThatIsDisconnectedBringsBackItsOwnSecret() throws {
    #expect(try made("connect", "aws", "--move").status == 0)
    #expect(!read(".aws/credentials").contains("c4n4ry"))
    #expect(try made("disconnect", "aws", "work").status == 0)
    #expect(read(".aws/credentials").contains("c4n4ry-work"))
    #expect(read(".aws/credentials").contains("c4n4ry-t"))
    #expect(!read(".aws/credentials").contains("c4n4ry-aws"))
    // What it has is there already, with its token.
    let again = try made("import", "aws")
    #expect(again.status == 0 && again.errors.contains("1 unchanged"), "\(again.errors)")
    #expect(try made("disconnect", "aws").status == 0)
    #expect(read(".aws/credentials").contains("c4n4ry-aws"))
  }

  /// docker asks one helper for all registries, or one for each: those that stay are not logged out.
  @Test func aRegistryThatIsMovedAloneLeavesTheOthersTheirs() throws {
    let other = Data("bob:other".utf8).base64EncodedString()
    let both = read(".docker/config.json").replacing(
      "\"auths\":{", with: "\"auths\":{\"h.example\":{\"auth\":\"\(other)\"},")
    try Data(both.utf8).write(to: URL(fileURLWithPath: "\(home)/.docker/config.json"))
    #expect(try made("connect", "docker", "ghcr.io", "--move").status == 0)
    let after = read(".docker/config.json")
    #expect(after.contains(other) && !after.contains("credsStore"))
    #expect(after.contains("\"ghcr.io\": \"vault\""), "\(after)")
  }

  /// A vault may be shared: another machine says neither which files are written here, nor what else
  /// they say.
  ///
  /// What this home has not written into the record is not believed.
  @Test(arguments: [
    (".bashrc", "//registry.npmjs.org/:_authToken"), (".npmrc", "x=1\nregistry"),
    ("../npmrc", "//registry.npmjs.org/:_authToken"),
  ])
  func whatAnotherMachineWroteIntoTheRecordDoesNoHarm(_ path: String, _ entry: String) throws {
    #expect(try made("connect", "npm", "--move").status == 0)
    let before = read(".npmrc")
    let record = try JSONSerialization.jsonObject(with: made.get("moved-files").output)
    var entries = try #require(record as? [[String: String]])
    entries[0]["path"] = "\(home)/\(path)"
    entries[0]["entry"] = entry
    let changed = try JSONSerialization.data(withJSONObject: entries)
    #expect(try made.command.run(["set", "moved-files", "--stdin"], input: changed).status == 0)
    let back = try made("disconnect", "npm")
    #expect(
      back.status == 1 && back.errors.contains("moved-files does not say what this machine wrote"),
      "\(back.errors)")
    #expect(read(".npmrc") == before && read(path) == (path == ".npmrc" ? before : ""))
    // The record as it was brings the secret back.
    #expect(try made("restore", "moved-files").status == 0)
    #expect(try made("disconnect", "npm").errors.contains("is in plain text again"))
    #expect(read(".npmrc").contains("npm_c4n4ry"))
  }

  /// Another member's record, in the name of this machine: no file is written by it.
  @Test func aRecordOfAnotherMachineIsNotUsedHere() throws {
    #expect(try made("connect", "cargo", "--move").status == 0)
    let own = try made("show", "moved-files", "--json").text
    let home = try #require(own.firstMatch(of: #/"home": "([0-9a-f]{32})"/#)).output.1
    let item = try made("show", "cargo/crates-io", "--json").text
    let id = try #require(item.firstMatch(of: #/"id": "([0-9a-f-]+)"/#)).output.1
    let entry = [
      "program": "npmrc", "path": "\(self.home)/.npmrc", "entry": "//evil.example/:_authToken",
      "item": String(id),
    ]
    let forged = try JSONSerialization.data(withJSONObject: [entry])
    let before = read(".npmrc")
    for words in [["set", "moved-files"], ["set", "aa", "--attribute", "client=moved"]] {
      let more = words[1] == "aa" ? ["--attribute", "home=\(home)"] : []
      #expect(try made.command.run(words + more + ["--stdin"], input: forged).status == 0)
      for program in ["npm", "cargo"] { _ = try made("disconnect", program) }
      #expect(read(".npmrc") == before && read(".cargo/credentials.toml").isEmpty)
    }
  }

  /// Two machines of one vault have files of the same names: each has its own record, and the first
  /// one that disconnects leaves the other its way back.
  @Test func twoMachinesOfOneVaultEachHaveTheirOwnWayBack() throws {
    let store = try TemporaryHome()
    let other = try ThrowawayVault()
    for (path, text) in Self.files where path == ".npmrc" || path == ".pgpass" {
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(other.home.path)/\(path)"))
    }
    try SyncedHomes.join(made, other, at: store.path)
    for program in ["npm", "psql"] {
      #expect(try made("connect", program, "--move").status == 0)
      #expect(try made("sync", "now").status == 0)
      #expect(try other("sync", "now").status == 0)
      let moved = try other("connect", program, "--move")
      #expect(moved.status == 0, "\(moved.errors)")
      #expect(try other("sync", "now").status == 0)
      #expect(try made("sync", "now").status == 0)
    }
    let first = try made("disconnect", "npm")
    #expect(first.status == 0 && read(".npmrc").contains("npm_c4n4ry"), "\(first.errors)")
    #expect(try made("sync", "now").status == 0)
    #expect(try other("sync", "now").status == 0)
    for program in ["npm", "psql"] {
      let back = try other("disconnect", program)
      #expect(
        back.status == 0 && back.errors.contains("is in plain text again"), "\(back.errors)")
    }
    let text = try String(contentsOfFile: "\(other.home.path)/.npmrc", encoding: .utf8)
    #expect(text.contains("npm_c4n4ry"))
    #expect(try other("sync", "now").status == 0)
    #expect(try made("sync", "now").status == 0)
    #expect(try made("disconnect", "psql").status == 0)
    #expect(read(".pgpass").contains("c4n4ry"))
  }

  /// What would go back is said, and nothing is changed.
  @Test func aDryRunSaysWhatWouldGoBack() throws {
    #expect(try made("import", "home", "--yes").status == 0)
    let before = try canaries()
    for (program, words) in [
      ("aws", [".aws/credentials: default", ".aws/credentials: work"]),
      ("psql", [".pgpass: db.example:5432:shop:ann"]),
    ] {
      let shown = try made("disconnect", program, "--dry-run")
      #expect(shown.status == 0)
      for word in words {
        #expect(shown.errors.contains("\(word) would be in plain text again"), "\(shown.errors)")
      }
    }
    let document = try made("disconnect", "npm", "--dry-run", "--json")
    #expect(document.text.contains("\"restored\": ["), "\(document.text)")
    #expect(document.text.contains("\"problem\": null"), "\(document.text)")
    #expect(try canaries() == before && before.isEmpty)
    #expect(try made("disconnect", "psql").status == 0)
    #expect(read(".pgpass").contains("c4n4ry"))
  }

  /// An item with another secret keeps it by an import, and gets a version by a move.
  @Test func whatIsInTheVaultAlreadyIsNotLost() throws {
    try made.set("cargo/crates-io", "older")
    // Another item of that name: the imported one gets a name of its own.
    #expect(try made("import", "cargo").status == 0)
    #expect(try made.get("cargo/crates-io").text == "older")
    #expect(try made.get("cargo/crates-io~2").text == "cio-c4n4ry")
    try made.set("cargo/crates-io~2", "newer")
    let clash = try made("import", "cargo")
    #expect(clash.status == 1 && clash.errors.contains("1 with another secret here"))
    #expect(try made.get("cargo/crates-io~2").text == "newer")
    #expect(try made("import", "cargo", "--replace").status == 0)
    #expect(try made.get("cargo/crates-io~2").text == "cio-c4n4ry")
  }

  /// Which of two secrets counts is the program's affair: such a file stays as it is, and is named.
  @Test func aFileWithTwoSecretsForOneEntryIsLeftAlone() throws {
    let text = "db:5432:shop:ann:c4n4ry-1\ndb:5432:shop:ann:c4n4ry-2\n"
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(home)/.pgpass"))
    let moved = try made("import", "home", "--yes")
    #expect(moved.status == 1 && moved.errors.contains("two secrets for one entry"))
    #expect(read(".pgpass") == text)
  }

  /// gh takes the token of a company's server from another variable than that of github.com.
  @Test(arguments: [
    ("github.com", "GH_TOKEN"), ("a.ghe.com", "GH_TOKEN"),
    ("git.example.com", "GH_ENTERPRISE_TOKEN"), ("github.com.example", "GH_ENTERPRISE_TOKEN"),
  ])
  func ghGetsTheVariableOfItsHost(_ host: String, _ variable: String) throws {
    let text = "\(host):\n    user: ann\n    oauth_token: c4n4ry-gh\n"
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(home)/.config/gh/hosts.yml"))
    #expect(try made("connect", "gh", "--move").status == 0)
    let run = try made("run", "gh/\(host)/ann", "--", "printenv", variable)
    #expect(run.text == "c4n4ry-gh\n", "\(run.errors)")
  }

  /// A program that asks somebody else already, or cannot select a vault, keeps what it has.
  @Test func whatCannotBeSetUpIsNotMoved() throws {
    let docker =
      "{\"credsStore\":\"pass\",\"auths\":{\"h.example\":{\"auth\":\"\(Data("ann:c4n4ry".utf8).base64EncodedString())\"}}}"
    try Data(docker.utf8).write(to: URL(fileURLWithPath: "\(home)/.docker/config.json"))
    let moved = try made("import", "home", "--yes")
    #expect(moved.status == 1 && moved.errors.contains("config.json"), "\(moved.errors)")
    #expect(moved.errors.contains("another store"))
    #expect(read(".docker/config.json") == docker)
    #expect(!read(".npmrc").contains("npm_c4n4ry"))
    #expect(try made("connect", "docker", "--move").status == 1)
    #expect(read(".docker/config.json") == docker)
  }

  /// A file that is a link stays one, and one that cannot be written loses nothing.
  @Test func linksStayLinksAndAFileThatCannotBeWrittenLosesNothing() throws {
    try FileManager.default.moveItem(atPath: "\(home)/.npmrc", toPath: "\(home)/dotfiles-npmrc")
    try FileManager.default.createSymbolicLink(
      atPath: "\(home)/.npmrc", withDestinationPath: "dotfiles-npmrc")
    #expect(try made("connect", "npm", "--move").status == 0)
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: "\(home)/.npmrc")
        == "dotfiles-npmrc")
    #expect(read("dotfiles-npmrc").contains("${NPM_TOKEN}"))
    try Data("{ no json".utf8).write(to: URL(fileURLWithPath: "\(home)/.docker/config.json"))
    let swept = try made("import", "home", "--yes")
    #expect(swept.status == 1 && swept.errors.contains("config.json"), "\(swept.errors)")
    #expect(read(".docker/config.json") == "{ no json")
  }

  private func write(_ text: String, to path: String) throws {
    let url = URL(fileURLWithPath: "\(home)/\(path)")
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  /// Removes all files that the home begins with.
  private func clear() throws {
    for (path, _) in Self.files { try FileManager.default.removeItem(atPath: "\(home)/\(path)") }
  }

  /// A program is set up before its file loses anything, and a file that cannot be changed keeps all
  /// and stops no other: a single file that a container mounts is one.
  @Test(.enabled(if: PythonScript.mountsItsOwn, "this user may not mount"))
  func aFileThatCannotBeReplacedStopsNoOtherProgram() throws {
    let script = """
      mount --bind "$HOME/.npmrc" "$HOME/.npmrc"
      "$0" import home --yes --no-keyring
      """
    let shell = VaultProcess(
      home: home, environment: vault.environment, executable: "/usr/bin/unshare")
    let moved = try shell.run(
      ["--user", "--map-root-user", "--mount", "sh", "-c", script, VaultProcess.path])
    #expect(moved.status == 1, "\(moved.errors)")
    #expect(moved.errors.contains("it still has what the vault has, too"))
    #expect(!moved.errors.contains("a second look"))
    #expect(try canaries() == [".npmrc"])
    #expect(try made("credential", "aws", "work").text.contains("c4n4ry-t"))
    #expect(read(".aws/config").contains("credential aws work"))
    // Without the mount the rest follows.
    #expect(try made("import", "home", "--yes").status == 0)
    #expect(try canaries().isEmpty)
  }

  /// A file that nobody has changed since comes back to the byte: comments, order, line ends.
  @Test(arguments: [
    (
      ".netrc", "netrc",
      "machine a.example login ann password c4n4ry account acc\nmacdef init\ncd /x\n\n# more\n"
        + "default login eve password c4n4ry-d\n"
    ),
    (
      ".pypirc", "pypirc",
      "[a]\r\nusername=u\r\npassword=c4n4ry\r\n\r\n[b]\r\npassword=c4n4ry2\r\n"
    ),
    (".pgpass", "pgpass", "# mine\nh:5432:d:u:c4n4ry\n# all\n*:*:*:u:c4n4ry-all"),
    (
      ".docker/config.json", "docker",
      #"{"auths":{"h.example":{"identitytoken":"c4n4ry"}}, "detachKeys": "ctrl-e"}"#
    ),
    (
      ".config/gh/hosts.yml", "gh",
      "github.com:\n  users:\n    ann:\n      oauth_token: c4n4ry\n  oauth_token: c4n4ry\n  user: ann\n"
    ),
    (".npmrc", "npm", "; mine\n//r.example/:_authToken = \"c4n4ry\"\r\nsave-exact=true\n"),
    (
      ".git-credentials", "git",
      "https://c4n4ry-a-token:x-oauth-basic@github.com\nhttps://ann:c4n4ry@git.example\n"
    ),
    (
      ".aws/credentials", "aws",
      "[default]\naws_access_key_id=A\naws_secret_access_key=c4n4ry\n\n; end\n[b]\n"
        + "aws_access_key_id=B\naws_secret_access_key=c4n4ry-b\n"
    ),
  ])
  func aFileComesBackToTheByte(_ path: String, _ program: String, _ text: String) throws {
    try clear()
    try write(text, to: path)
    let moved = try made("import", "home", "--yes")
    #expect(moved.status == 0, "\(moved.errors)")
    #expect(try canaries().isEmpty)
    // A token is no name.
    #expect(try !made("list").text.contains("c4n4ry"))
    #expect(try made("disconnect", program).status == 0)
    #expect(read(path) == text)
  }

  /// Where a value was changed meanwhile, the program still takes the line that it took before.
  @Test func whatGoesBackByLinesStandsBeforeWhatIsWider() throws {
    try clear()
    try write(
      "machine a.example login ann password c4n4ry\ndefault login eve password c4n4ry-d\n",
      to: ".netrc")
    try write("h:5432:d:u:c4n4ry\n*:*:*:u:c4n4ry-all\n", to: ".pgpass")
    #expect(try made("import", "home", "--yes").status == 0)
    try made.set("git/a.example/ann", "new")
    try made.set("postgresql/h:5432/d/u", "new")
    #expect(try made("disconnect", "netrc").status == 0)
    #expect(try made("disconnect", "pgpass").status == 0)
    #expect(
      read(".netrc")
        == "machine a.example login ann password new\ndefault login eve password c4n4ry-d\n")
    #expect(read(".pgpass") == "h:5432:d:u:new\n*:*:*:u:c4n4ry-all\n")
  }

  /// Two lines at once each keep the other's way back.
  @Test func movesAtOnceWaitForEachOther() throws {
    let before = try canaries()
    let programs = ["npm", "psql", "cargo", "gh"]
    let running = try programs.map { try vault.start(["connect", $0, "--move"]) }
    for one in running {
      let result = one.finish()
      #expect(result.status == 0, "\(result.errors)")
    }
    #expect(try canaries().count == before.count - programs.count - 1)
    for program in programs {
      let back = try made("disconnect", program)
      #expect(back.status == 0 && back.errors.contains("is in plain text again"), "\(program)")
    }
    #expect(try canaries() == before)
  }

  /// A secret that came into the file anew goes back as the newer one, and nothing is said of a record
  /// that somebody has changed.
  @Test func aSecretThatIsMovedTwiceGoesBackOnce() throws {
    #expect(try made("connect", "npm", "--move").status == 0)
    try write("//registry.npmjs.org/:_authToken=npm_c4n4ry_2\n", to: ".npmrc")
    #expect(try made("connect", "npm", "--move").status == 0)
    let back = try made("disconnect", "npm")
    #expect(back.status == 0 && !back.errors.contains("does not say"), "\(back.errors)")
    #expect(read(".npmrc") == "//registry.npmjs.org/:_authToken=npm_c4n4ry_2\n")
  }

  /// A program whose secret cannot go back still needs the vault.
  @Test func whatDoesNotGoBackKeepsItsHelper() throws {
    #expect(try made("connect", "git", "--move").status == 0)
    let gone = try made("remove", "git/git.example/ann", "--purge", "--yes")
    try #require(gone.status == 0, "\(gone.errors)")
    let refused = try made("disconnect", "git")
    #expect(refused.status == 1 && refused.errors.contains("goes on asking the vault"))
    #expect(read(".gitconfig").contains("credential git"))
    #expect(try made("disconnect", "git", "--keep").status == 0)
    #expect(!read(".gitconfig").contains("credential git"))
  }

  /// The way back is not lost by an `undo`, nor silently with the state folder.
  @Test func withoutItsRecordNothingIsDisconnected() throws {
    let before = read(".aws/credentials")
    #expect(try made("import", "home", "--yes").status == 0)
    #expect(try made("undo").status == 0)
    for _ in 0..<2 {
      let refused = try made("disconnect", "aws")
      #expect(refused.status == 1 && refused.errors.contains("restore moved-files"))
      #expect(read(".aws/config").contains("credential aws work"))
    }
    #expect(try made("restore", "moved-files").status == 0)
    #expect(try made("disconnect", "aws").status == 0)
    #expect(read(".aws/credentials") == before)
    for name in try FileManager.default.contentsOfDirectory(atPath: made.state)
    where name.hasPrefix("moved") {
      try FileManager.default.removeItem(atPath: "\(made.state)/\(name)")
    }
    let lost = try made("disconnect", "netrc")
    #expect(lost.status == 1 && lost.errors.contains("nothing goes back by it"), "\(lost.errors)")
  }

  /// What is not understood is named, and is no reason to say that all is well.
  @Test(arguments: [
    (".pypirc", "[pypi]\nusername: a\npassword: c4n4ry\n", 3),
    (".pypirc", "[pypi]\npassword =\n  c4n4ry\n", 2),
    (".cargo/credentials.toml", "[registry]\ntoken = \"c4n4ry\" # mine\n", 2),
    (".cargo/credentials.toml", "registry.token = \"c4n4ry\"\n", 1),
    (".cargo/credentials.toml", "[registries]\nmine = { token = \"c4n4ry\" }\n", 2),
    (".git-credentials", "https://c4n4ry-and-twenty-more@github.com\n", 1),
    (".npmrc", "proxy=http://u:c4n4ry@proxy.example:8080/\n", 1),
    (".aws/credentials", "[default]\naws_secret_access_key = c4n4ry\n", 2),
  ])
  func whatIsNotUnderstoodIsNamed(_ path: String, _ text: String, _ line: Int) throws {
    try clear()
    try write(text, to: path)
    for words in [["import", "home", "--dry-run"], ["import", "home", "--yes"]] {
      let swept = try vault.run(words)
      #expect(swept.status == 1, "\(swept.errors)")
      #expect(swept.errors.contains("line \(line) may hold a secret"), "\(swept.errors)")
      #expect(!swept.errors.contains("no program"))
      #expect(!(swept.text + swept.errors).contains("c4n4ry"))
    }
    #expect(read(path) == text)
  }

  /// Files that are known and not moved are named where they hold something.
  @Test func otherFilesAreNamedWhereTheyHoldSomething() throws {
    try clear()
    try write("A=secret://a\nB=\n", to: ".env")
    try write("[global]\nindex-url = https://pypi.example/simple\n", to: ".config/pip/pip.conf")
    try write("[user]\n  name = Ann\n", to: ".gitconfig")
    let well = try made("import", "home")
    #expect(well.status == 0 && !well.errors.contains("may have"), "\(well.errors)")
    try write("A=c4n4ry\n", to: ".env")
    try write(
      "[global]\nindex-url = https://u:c4n4ry@pypi.example/simple\n", to: ".config/pip/pip.conf")
    try write("[http]\n  extraHeader = Authorization: c4n4ry\n", to: ".gitconfig")
    try write("[default]\nsecret_key = c4n4ry\n", to: ".s3cfg")
    let told = try made("import", "home")
    for path in [".env", ".config/pip/pip.conf", ".gitconfig", ".s3cfg"] {
      #expect(told.errors.contains("\(path) may have secrets"), "\(path): \(told.errors)")
    }
  }

  // MARK: - What other programs go on with

  private func write(_ path: String, _ text: String) throws {
    let url = URL(fileURLWithPath: "\(home)/\(path)")
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  private func git(_ scheme: String, _ host: String) throws -> String {
    let git = VaultProcess(
      home: home, environment: vault.environment.merging(["GIT_TERMINAL_PROMPT": "0"]) { $1 },
      executable: "/usr/bin/git")
    return try git.run(
      ["credential", "fill"], input: Data("protocol=\(scheme)\nhost=\(host)\n\n".utf8)
    ).text
  }

  /// A file that stays as it is goes on being read: the moved one beside it does not end git's helper.
  @Test func gitsOwnHelperGoesOnWhileItsFileHasSomething() throws {
    try write(".gitconfig", "[credential]\n\thelper = store\n")
    try write(
      ".git-credentials",
      "https://ann:C1@github.com\nhttps://ann:C1b@github.com\nhttps://bob:C2@gitlab.com\n")
    let moved = try made("connect", "netrc", "--move")
    #expect(moved.status == 0, "\(moved.errors)")
    #expect(moved.errors.contains("'store' goes on beside the vault"), "\(moved.errors)")
    #expect(try git("https", "gitlab.com").contains("password=C2"))
    #expect(try git("https", "two.example").contains("password=c4n4ry-two"))
    // Once nothing is left there, it ends.
    try write(".git-credentials", "")
    #expect(try made("connect", "git").status == 0)
    #expect(read(".gitconfig").contains("helper =\n"))
  }

  /// `.netrc` names no protocol, and says what is for every host.
  @Test func netrcIsForHTTPToo() throws {
    try write(".netrc", "machine h.example login ann password C3\ndefault login u password D\n")
    let moved = try made("connect", "netrc", "--move")
    #expect(moved.status == 0 && moved.errors.contains("'default'"), "\(moved.errors)")
    #expect(try git("http", "h.example").contains("password=C3"))
    #expect(try git("https", "h.example").contains("password=C3"))
    // What git itself has stored for https is no answer over http.
    #expect(
      try made(
        "credential", "git", "store", input: "protocol=https\nhost=o\nusername=u\npassword=p\n"
      ).status == 0)
    #expect(try !git("http", "o").contains("password"))
  }

  /// What the move has written goes, and nothing that was there before.
  @Test(arguments: [false, true])
  func netrcLeavesGitAsItWas(_ isConnected: Bool) throws {
    if isConnected { #expect(try made("connect", "git").status == 0) }
    let before = read(".gitconfig")
    #expect(try made("connect", "netrc", "--move").status == 0)
    let back = try made("disconnect", "netrc")
    #expect(back.status == 0, "\(back.errors)")
    #expect(read(".gitconfig") == before)
    #expect(back.errors.contains("goes on asking the vault") == isConnected, "\(back.errors)")
    #expect(read(".netrc").contains("c4n4ry-two"))
  }

  /// A file that is skipped is said by the status, and its program is not set up.
  @Test(arguments: [
    ("pgpass", ".pgpass", "h:5432:d:u:C1\nh:5432:d:u:C2\n"),
    ("cargo", ".cargo/credentials.toml", "[registry]\ntoken = \"C\" # laptop\n"),
    (
      "aws", ".aws/credentials",
      "[a]\naws_access_key_id=A\naws_secret_access_key=one\n[a]\naws_secret_access_key=two\n"
    ),
  ])
  func aSkippedFileIsNoSuccess(_ program: String, _ path: String, _ text: String) throws {
    for other in [".aws/config", ".cargo/credentials"] {
      try FileManager.default.removeItem(atPath: "\(home)/\(other)")
    }
    try write(path, text)
    let moved = try made("connect", program, "--move")
    #expect(moved.status == 1 && moved.errors.contains("skipped"), "\(moved.errors)")
    #expect(read(path) == text && read(".aws/config").isEmpty)
  }

  /// Two files, a token and a key; the user that another program serves is left alone.
  @Test func kubectlAsksForEachUser() throws {
    let key = "-----BEGIN PRIVATE KEY-----\nc4n4ry\n-----END PRIVATE KEY-----\n"
    let base64 = Data(key.utf8).base64EncodedString()
    let text = """
      apiVersion: v1
      users:
      - name: kind
        user:
          client-certificate-data: TUlJQgo=
          client-key-data: \(base64)
      - name: eks
        user:
          exec:
            apiVersion: client.authentication.k8s.io/v1beta1
            args:
            - eks
            command: aws
      - name: "a b"
        user:
          token: t2

      """
    try write(".kube/config", text)
    #expect(try made("connect", "kubectl").says(64, "several users"))
    #expect(try made("connect", "kubectl", "eks").errors.contains("another program"))
    let moved = try made("connect", "kubectl", "--move")
    #expect(moved.status == 0, "\(moved.errors)")
    #expect(!read(".kube/config").contains(base64) && !read(".kube/config").contains("t2"))
    let answer = try made("credential", "kubectl", "kind").text
    #expect(
      answer.contains("clientKeyData") && answer.contains("MIIB") && !answer.contains("token"))
    #expect(try made("credential", "kubectl", "a b").text.contains("\"token\":\"t2\""))
    #expect(try made("credential", "kubectl", "nobody").says(1, "no item for this user"))
    // One by one, then the rest.
    #expect(try made("disconnect", "kubectl", "a b").status == 0)
    #expect(read(".kube/config").contains("t2") && !read(".kube/config").contains(base64))
    #expect(try made("disconnect", "kubectl").status == 0)
    #expect(read(".kube/config") == text, "\(read(".kube/config"))")
  }

  /// A file for each cluster, in turns: no secret takes the place of another file's.
  @Test func twoFilesOfOneProgramDoNotMeet() throws {
    for cluster in ["a", "b"] {
      try write(
        ".kube/\(cluster)", "users:\n- name: default\n  user:\n    token: TOKEN-\(cluster)\n")
    }
    func kube(_ files: String, _ words: [String]) throws -> VaultProcess.Result {
      var command = vault
      command.environment["KUBECONFIG"] =
        files.split(separator: ":").map { "\(home)/.kube/\($0)" }.joined(separator: ":")
      return try command.run(words)
    }
    #expect(try kube("a", ["connect", "kubectl", "--move"]).status == 0)
    let second = try kube("b", ["connect", "kubectl", "--move"])
    #expect(second.status == 1, "\(second.errors)")
    #expect(second.errors.contains("another secret for default"), "\(second.errors)")
    #expect(second.errors.contains("--vault NAME connect kubectl --move"), "\(second.errors)")
    #expect(read(".kube/b").contains("TOKEN-b") && !read(".kube/b").contains("exec"))
    #expect(try made("credential", "kubectl", "default").text.contains("TOKEN-a"))
    // From the wrong place nothing is lost.
    let wrong = try kube("b", ["disconnect", "kubectl"])
    #expect(wrong.status == 1 && wrong.errors.contains("another file now"), "\(wrong.errors)")
    #expect(try kube("a", ["disconnect", "kubectl"]).status == 0)
    #expect(read(".kube/a").contains("TOKEN-a"))
    // In one list the first one counts, and the other one is said.
    let both = try kube("a:b", ["connect", "kubectl", "--move"])
    #expect(both.status == 1 && both.errors.contains("in a file before it"), "\(both.errors)")
    #expect(read(".kube/b").contains("TOKEN-b") && !read(".kube/a").contains("TOKEN-a"))
  }

  /// git's helpers that the move knows nothing of go on.
  @Test(arguments: ["store --file creds", "!f() { echo username=bob; echo password=C2; }; f"])
  func gitsOtherHelpersGoOn(_ helper: String) throws {
    let value = helper.replacing("creds", with: "\(home)/creds")
    let quoted = value.replacing("\"", with: "\\\"")
    try write(".gitconfig", "[credential]\n\thelper = \"\(quoted)\"\n\thelper = store\n")
    try write("creds", "https://bob:C2@gitlab.com\n")
    let moved = try made("connect", "git", "--move")
    #expect(moved.status == 0, "\(moved.errors)")
    #expect(moved.errors.contains("its other helpers"), "\(moved.errors)")
    #expect(try git("https", "gitlab.com").contains("password=C2"))
    // That one answers for each host.
    let own = helper.hasPrefix("store") ? "password=c4n4ry@git" : "password=C2"
    #expect(try git("https", "git.example").contains(own))
  }

  /// `gh auth setup-git`: git asks gh, and once gh's token has been moved it asks the vault.
  @Test func gitGetsTheTokenThatGhHad() throws {
    try write(
      ".gitconfig",
      "[credential \"https://github.com\"]\n\thelper =\n\thelper = !gh auth git-credential\n")
    #expect(try made("connect", "gh", "--move").status == 0)
    let answer = try git("https", "github.com")
    #expect(answer.contains("username=ann") && answer.contains("password=gho_c4n4ry"), "\(answer)")
  }
}
