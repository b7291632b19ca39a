import Foundation
import TestSupport
import Testing

/// A home with plain text in many places: moved by one line, each client still logs in, a second look
/// finds nothing, and `disconnect` brings each back.
struct ClearTextVerbTests: ClearTextHome {
  let made: ThrowawayVault

  init() throws { made = try Self.make() }

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
    #expect(refused.says(64, "17 secrets would be moved"), "\(refused.errors)")
    #expect(try canaries() == before)
    let moved = try made("import", "home", "--yes")
    #expect(moved.status == 0, "\(moved.errors)")
    #expect(!(moved.text + moved.errors).contains("c4n4ry"))
    #expect(try canaries().isEmpty)
    // docker and podman find the command by a link, in a folder which PATH has not.
    #expect(moved.errors.contains("export PATH=\(home)/.local/bin:$PATH"), "\(moved.errors)")
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
    #expect(
      try made("credential", "docker", "get", input: "quay.example").text.contains("c4n4ry-podman"))
    #expect(read(".config/containers/auth.json").contains("\"auths\": {}"))
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
    for program in [
      "aws", "git", "docker", "podman", "npm", "twine", "cargo", "gh", "psql", "kubectl",
    ] {
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

  /// podman asks a helper for a registry, before it looks for a part of it in its file.
  @Test func aPartOfARegistryStaysAndSoDoesItsRegistry() throws {
    func auth(_ secret: String) -> String {
      "{\"auth\":\"\(Data("ann:\(secret)".utf8).base64EncodedString())\"}"
    }
    let file = ".config/containers/auth.json"
    try Data(
      "{\"auths\":{\"a.example\":\(auth("c4n4ry")),\"a.example/team\":\(auth("c4n4ry2")),\"b.example\":\(auth("c4n4ry3"))}}"
        .utf8
    ).write(to: URL(fileURLWithPath: "\(home)/\(file)"))
    let moved = try made("connect", "podman", "--move")
    #expect(moved.status == 1, "\(moved.errors)")
    #expect(moved.errors.contains("a.example/team is a part of a registry"), "\(moved.errors)")
    let text = read(file)
    #expect(text.contains("a.example/team") && !text.contains("b.example"), "\(text)")
    #expect(try made("credential", "docker", "get", input: "b.example").text.contains("c4n4ry3"))
    #expect(try made("credential", "docker", "get", input: "a.example").status == 1)
    #expect(try made("disconnect", "podman").status == 0)
    #expect(read(file).contains("b.example"))
    // A file that is named is the only one.
    let other = "\(home)/auth.json"
    try Data("{\"auths\":{\"c.example\":\(auth("c4n4ry4"))}}".utf8).write(
      to: URL(fileURLWithPath: other))
    let named = try vault.run(
      ["connect", "podman", "--move"], adding: ["REGISTRY_AUTH_FILE": other])
    #expect(named.status == 0 && named.text.contains("docker/c.example"), "\(named.errors)")
    #expect(read(file).contains("b.example") && !read("auth.json").contains("c.example"))
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

  /// What `--only` names is the entry of a file, or the item as the list prints it.
  @Test(arguments: ["default", "aws/default", "aws/*"])
  func onlyNamesEntriesAndItems(name: String) throws {
    let moved = try made("import", "home", "--yes", "--only", name)
    #expect(moved.status == 0, "\(moved.errors)")
    #expect(!read(".aws/credentials").contains("AKIA1"))
    #expect(read(".pypirc").contains("pypi-c4n4ry"))
  }

  @Test(arguments: ["home", "pypirc"]) func onlyOfNothingIsNoSuccess(what: String) throws {
    let none = try made("import", what, "--yes", "--only", "nothing/of/that")
    #expect(none.status == 1)
    let first = what == "home" ? "aws/default" : "pypi/pypi"
    #expect(none.errors.contains("there are: \(first)"), "\(none.errors)")
    #expect(read(".pypirc").contains("pypi-c4n4ry"))
  }
}
