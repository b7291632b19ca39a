import Foundation
import TestSupport
import Testing

/// A move or its way back that was ended anywhere, and is run again: it is whole, and goes back.
@Suite(
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace"), "needs strace"))
struct KilledMoveTests {
  private static let text = #"{"auths":{"r":{"auth":"dTpwNQ=="}}}"#

  @Test(arguments: [["connect", "docker", "--move"], ["disconnect", "docker"]])
  func isRunAgain(_ words: [String]) throws {
    let made = try ThrowawayVault()
    let file = URL(fileURLWithPath: "\(made.home.path)/.docker/config.json")
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    let strace = VaultProcess(
      home: made.home.path, environment: made.command.environment, executable: "/usr/bin/strace")
    let calls = "renameat,renameat2,rename"
    var number = 0
    var isEnded = false
    while !isEnded {
      number += 1
      try Data(Self.text.utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
      if words[0] == "disconnect" {
        try #require(try made("connect", "docker", "--move").status == 0)
      }
      let run = try strace.run(
        [
          "-f", "-o", "/dev/null", "-e", "trace=\(calls)", "-e",
          "inject=\(calls):signal=KILL:when=\(number)", VaultProcess.path,
        ] + words)
      isEnded = run.status == 0
      if words[0] == "connect" {
        let moved = try made("connect", "docker", "--move")
        #expect(moved.status == 0, "\(number): \(moved.errors)")
      }
      let back = try made("disconnect", "docker")
      #expect(back.status == 0, "\(number): \(back.errors)")
      #expect(made.home.names(in: ".docker") == ["config.json"], "\(number)")
      let object = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? NSDictionary
      #expect(object == ["auths": ["r": ["auth": "dTpwNQ=="]]], "\(number): \(object ?? [:])")
      #expect(try made("get", "docker/r").text == "p5")
    }
    #expect(number > 3)
  }
}
