import Foundation
import TestSupport

/// A home with plain text in many places, as people have them, and the vault that takes it in.
protocol ClearTextHome {
  var made: ThrowawayVault { get }
}

extension ClearTextHome {
  var home: String { made.home.path }
  var vault: VaultProcess { made.command }

  /// Where the secrets are; each has the canary in it.
  static var files: [(path: String, text: String)] {
    [
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
        ".config/containers/auth.json",
        "{\"auths\":{\"quay.example\":{\"auth\":\"\(Data("ann:c4n4ry-podman".utf8).base64EncodedString())\"}}}"
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
  }

  /// Makes the home.
  static func make() throws -> ThrowawayVault {
    let made = try ThrowawayVault()
    for (path, text) in Self.files {
      let url = URL(fileURLWithPath: "\(made.home.path)/\(path)")
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
    }
    return made
  }

  func read(_ path: String) -> String {
    FileManager.default.contents(atPath: "\(home)/\(path)").map {
      String(decoding: $0, as: UTF8.self)
    }
      ?? ""
  }

  /// The files of the home in which something is in plain text.
  func canaries() throws -> [String] {
    // Of base64 as much as the secrets have in common.
    let words = ["c4n4ry", Data("ann:c4n4r".utf8).base64EncodedString()].map { Data($0.utf8) }
    let manager = FileManager.default
    let paths = try manager.subpathsOfDirectory(atPath: home)
    return paths.filter { path in
      let isLink = (try? manager.destinationOfSymbolicLink(atPath: "\(home)/\(path)")) != nil
      guard !isLink, let data = FileManager.default.contents(atPath: "\(home)/\(path)") else {
        return false
      }
      return words.contains { data.range(of: $0) != nil }
    }.sorted()
  }

  func git(_ host: String) throws -> String {
    let git = VaultProcess(
      home: home, environment: vault.environment.merging(["GIT_TERMINAL_PROMPT": "0"]) { $1 },
      executable: "/usr/bin/git")
    return try git.run(
      ["credential", "fill"], input: Data("protocol=https\nhost=\(host)\n\n".utf8)
    ).text
  }

  func write(_ text: String, to path: String) throws {
    let url = URL(fileURLWithPath: "\(home)/\(path)")
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  /// Removes all files that the home begins with.
  func clear() throws {
    for (path, _) in Self.files { try FileManager.default.removeItem(atPath: "\(home)/\(path)") }
  }

  func write(_ path: String, _ text: String) throws {
    let url = URL(fileURLWithPath: "\(home)/\(path)")
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  func git(_ scheme: String, _ host: String) throws -> String {
    let git = VaultProcess(
      home: home, environment: vault.environment.merging(["GIT_TERMINAL_PROMPT": "0"]) { $1 },
      executable: "/usr/bin/git")
    return try git.run(
      ["credential", "fill"], input: Data("protocol=\(scheme)\nhost=\(host)\n\n".utf8)
    ).text
  }
}
