import Foundation
import TestSupport
import Testing

/// The files that secrets are moved out of: links, those that cannot be written, and the way back to
/// the byte.
struct MovedFileTests: ClearTextHome {
  let made: ThrowawayVault

  init() throws { made = try Self.make() }

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
    (".pypirc", "pypirc", "[pypi]\nusername: a\npassword: c4n4ry:of=two\n"),
    (".pypirc", "pypirc", "[pypi]\nusername = a:b\npassword=c4n4ry:more\n"),
    (
      ".cargo/credentials.toml", "cargo",
      "# all\n[registry]\ntoken = \"c4n4ry\" # of mine\n\n[registries.b]\ntoken = 'c4n4ry-b'#b\n"
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
      ".git-credentials", "git",
      "https://glpat-c4n4ryabcdefghijkl:@gitlab.com\nhttps://glpat-c4n4ryabcdefghijkm:x@gitlab.example\n"
        + "https://ATBBc4n4ryabcdefghijklmno:x-token-auth@bitbucket.org\n"
        + "https://ghp_c4n4ryabcdefghijklmno:oauth2@github.com\n"
    ),
    (
      ".netrc", "netrc", "machine gitlab.com login glpat-c4n4ryabcdefghijkl password x\n"
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

  /// What is not understood is named, and is no reason to say that all is well.
  @Test(arguments: [
    (".pypirc", "[pypi]\npassword =\n  c4n4ry\n", [2]),
    (".cargo/credentials.toml", "[registry]\ntoken = \"c4n4ry\\u0021\" # mine\n", [2]),
    (".cargo/credentials.toml", "registry.token = \"c4n4ry\"\n", [1]),
    (".cargo/credentials.toml", "[registries]\nmine = { token = \"c4n4ry\" }\n", [2]),
    (".git-credentials", "https://c4n4ry-and-twenty-more@github.com\n", [1]),
    (".npmrc", "proxy=http://u:c4n4ry@proxy.example:8080/\n", [1]),
    (".aws/credentials", "[default]\naws_secret_access_key = c4n4ry\n", [2]),
    (
      ".aws/credentials",
      "[default]\naws_access_key_id = A\naws_secret_access_key = c4n4ry\naws_session_token =\n    c4n4ry-t\n",
      [3, 4]
    ),
    (
      ".aws/credentials",
      "[default]\naws_access_key_id = A\naws_secret_access_key = c4n4ry\n\n# more\n  c4n4ry-2\n",
      [3]
    ),
    (".pypirc", "[pypi]\npassword = c4n4ry\n  c4n4ry-2\n", [2]),
    (".netrc", "password c4n4ry\n\npassword c4n4ry-2\n", [1, 3]),
    (
      ".cargo/credentials.toml",
      "registry.token = \"c4n4ry\"\n[registries]\nmine = { token = \"c4n4ry-2\" }\n", [1, 3]
    ),
    (".pypirc", "[pypi]\n  password = c4n4ry\n\n   c4n4ry-2\n", [2]),
  ])
  func whatIsNotUnderstoodIsNamed(_ path: String, _ text: String, _ lines: [Int]) throws {
    try clear()
    try write(text, to: path)
    for words in [["import", "home", "--dry-run"], ["import", "home", "--yes"]] {
      let swept = try vault.run(words)
      #expect(swept.status == 1, "\(swept.errors)")
      let shown =
        lines.count == 1
        ? "line \(lines[0]) may hold a secret"
        : "lines \(lines.map(String.init).joined(separator: ", ")) may hold secrets"
      #expect(swept.errors.contains(shown), "\(swept.errors)")
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
    // What a person left beside references is no secret; what looks like one is.
    try write("A=secret://a\nPORT=3000\n# TOKEN=x\n", to: ".env")
    #expect(try !made("import", "home").errors.contains("may have"))
    try write("A=secret://a\nPORT=3000\nAPI_TOKEN=c4n4ry\n", to: ".env")
    #expect(try made("import", "home").errors.contains(".env may have secrets"))
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

  /// Each file that is known has a form in which it is named: a word in capitals, a shell that sets
  /// its variables otherwise.
  @Test(arguments: [
    (".yarnrc.yml", "npmAuthToken: \"c4n4ry\"\n"),
    (".nuget/NuGet/NuGet.Config", "<add key=\"ClearTextPassword\" value=\"c4n4ry\"/>\n"),
    (".config/fish/config.fish", "set -gx GITHUB_TOKEN c4n4ry\n"),
    (
      ".config/fish/config.fish",
      "if status is-login\n  set --export --global API_KEY 'c4n4ry'\nend\n"
    ),
    (".zshrc", "export GITHUB_TOKEN=c4n4ry\n"),
    (".gradle/gradle.properties", "repoPassword=c4n4ry\n"),
    (".config/glab-cli/config.yml", "hosts:\n  gitlab.com:\n    token: c4n4ry\n"),
    (".curlrc", "-H \"Authorization: c4n4ry\"\n"),
  ])
  func aFileOfTheListIsNamed(_ path: String, _ text: String) throws {
    try clear()
    try write(text, to: path)
    let told = try made("import", "home", "--dry-run")
    #expect(told.errors.contains("\(path) may have secrets"), "\(told.errors)")
  }

  @Test(arguments: [
    (".config/fish/config.fish", "set -gx GITHUB_TOKEN (vault get t)\nset -e API_KEY\n"),
    (".zshrc", "# export GITHUB_TOKEN=x\nexport GITHUB_TOKEN=$OTHER\n"),
  ])
  func aStartFileWithoutASecretIsNot(_ path: String, _ text: String) throws {
    try clear()
    try write(text, to: path)
    #expect(try !made("import", "home", "--dry-run").errors.contains("may have secrets"))
  }

  /// A file that is skipped is said by the status, and its program is not set up.
  @Test(arguments: [
    ("pgpass", ".pgpass", "h:5432:d:u:C1\nh:5432:d:u:C2\n"),
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
    let json = try made("connect", program, "--move", "--json")
    #expect(json.status == 1)
    let object = try #require(
      JSONSerialization.jsonObject(with: json.output) as? [String: Any], "\(json.text)")
    let skipped = object["skipped"] as? [[String: String]]
    #expect(skipped?.first?["path"] == "\(home)/\(path)")
    #expect(skipped?.first?["reason"]?.isEmpty == false)
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

  /// A program whose configuration cannot be written keeps its file, and stops no other one.
  @Test(.enabled(if: PythonScript.mountsItsOwn, "this user may not mount"))
  func aConfigurationThatCannotBeWrittenStopsNoOtherProgram() throws {
    let script = """
      for file in .docker/config.json .gitconfig; do
        touch "$HOME/$file"; mount --bind "$HOME/$file" "$HOME/$file"
      done
      "$0" import home --yes --no-keyring
      """
    let shell = VaultProcess(
      home: home, environment: vault.environment, executable: "/usr/bin/unshare")
    let moved = try shell.run(
      ["--user", "--map-root-user", "--mount", "sh", "-c", script, VaultProcess.path])
    #expect(moved.status == 1, "\(moved.errors)")
    #expect(moved.errors.contains("config.json"), "\(moved.errors)")
    let left = try canaries()
    #expect(left.contains(".docker/config.json") && left.contains(".git-credentials"), "\(left)")
    #expect(!left.contains(".pypirc") && !left.contains(".aws/credentials"), "\(left)")
    // Without the mounts the rest follows.
    #expect(try made("import", "home", "--yes").status == 0)
    #expect(try canaries().isEmpty)
  }

  /// Nothing is made where a link leads to nothing: its disk may not be there.
  @Test func aLinkToNothingIsNotFollowed() throws {
    try #require(try made("import", "home", "--yes").status == 0)
    try? FileManager.default.removeItem(atPath: "\(home)/.npmrc")
    try FileManager.default.createSymbolicLink(
      atPath: "\(home)/.npmrc", withDestinationPath: "\(home)/stick/npmrc")
    let back = try made("disconnect", "npm")
    #expect(back.status != 0 && back.errors.contains("leads to nothing"), "\(back.errors)")
    #expect(!FileManager.default.fileExists(atPath: "\(home)/stick"))
    try FileManager.default.removeItem(atPath: "\(home)/.npmrc")
    #expect(try made("disconnect", "npm").status == 0)
    #expect(read(".npmrc").contains("npm_c4n4ry"))
  }
}
