import Foundation
import TestSupport
import Testing

/// `undo` does not take back a move: the files have the secrets no more.
struct MovedUndoTests {
  private let made: ThrowawayVault
  private var credentials: String { "\(made.home.path)/.aws/credentials" }
  private var netrc: String { "\(made.home.path)/.netrc" }

  init() throws {
    made = try ThrowawayVault()
    try FileManager.default.createDirectory(
      atPath: "\(made.home.path)/.aws", withIntermediateDirectories: true)
    try Data("[default]\naws_access_key_id = A\naws_secret_access_key = c4n4ry\n".utf8)
      .write(to: URL(fileURLWithPath: credentials))
    try Data("machine h.example login ann password n3trc\n".utf8)
      .write(to: URL(fileURLWithPath: netrc))
    for file in [credentials, netrc] {
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }
    try made.set("other", "1")
  }

  private func text(_ path: String) -> String {
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }

  @Test(arguments: [["undo"], ["undo", "--steps", "2"], ["undo", "--steps", "9"]])
  func afterAMoveItSaysWhatPutsItBack(line: [String]) throws {
    #expect(try made("import", "home", "--yes").status == 0)
    let items = try made("list", "--json", "--no-session").text
    let refused = try made.command.run(line)
    #expect(
      refused.says(64, "moved secrets between files and the vault"), "\(refused.errors)")
    #expect(refused.errors.contains("vault disconnect aws, and netrc"), "\(refused.errors)")
    #expect(try made("list", "--json", "--no-session").text == items)
    // And that does.
    for program in ["aws", "netrc"] { #expect(try made("disconnect", program).status == 0) }
    #expect(text(credentials).contains("c4n4ry") && text(netrc).contains("n3trc"))
  }

  @Test func aChangeAfterAMoveIsUndone() throws {
    #expect(try made("import", "home", "--yes").status == 0)
    try made.set("aws/default", "changed")
    #expect(try made("undo").status == 0)
    #expect(try made.get("aws/default").text == "c4n4ry")
    try made.set("other", "2")
    #expect(try made("undo").status == 0)
    #expect(try made.get("other").text == "1")
    // The move again is next.
    #expect(try made("undo", "--steps", "3").errors.contains("vault disconnect"))
  }

  @Test func onceAllIsBackTheVaultIsFreeAgain() throws {
    #expect(try made("connect", "aws", "--move").status == 0)
    #expect(try made("disconnect", "aws").status == 0)
    try made.set("other", "2")
    #expect(try made("undo").status == 0)
    #expect(try made.get("other").text == "1")
  }
}
