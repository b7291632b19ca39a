import Foundation
import TestSupport
import Testing

/// What a move cannot take along: copies beside a file, and other names of it.
struct MovedCopyTests: ClearTextHome {
  let made: ThrowawayVault

  init() throws { made = try Self.make() }

  @Test func copiesBesideAMovedFileAndItsOtherNamesAreSaid() throws {
    for ending in [".bak", "~", ".orig"] {
      try write("//r/:_authToken=c4n4ry", to: ".npmrc\(ending)")
    }
    try FileManager.default.linkItem(atPath: "\(home)/.npmrc", toPath: "\(home)/elsewhere")
    let number = try FileManager.default.attributesOfItem(atPath: "\(home)/elsewhere")[
      .systemFileNumber]
    let moved = try made("connect", "npm", "--move")
    #expect(moved.status == 0, "\(moved.errors)")
    for ending in [".bak", "~", ".orig"] {
      #expect(moved.errors.contains("\(home)/.npmrc\(ending), a copy, may still have them"))
    }
    #expect(moved.errors.contains("shred -u"), "\(moved.errors)")
    #expect(moved.errors.contains(".npmrc has another name, a hard link"), "\(moved.errors)")
    let inode = try #require(number as? NSNumber)
    #expect(moved.errors.contains("find ~ -xdev -inum \(inode)"), "\(moved.errors)")
    #expect(read("elsewhere").contains("c4n4ry"))
  }

  @Test func theWholeHomeSaysSoToo() throws {
    try FileManager.default.linkItem(atPath: "\(home)/.pgpass", toPath: "\(home)/elsewhere")
    let swept = try made("import", "home", "--yes")
    #expect(swept.errors.contains(".pgpass has another name, a hard link"), "\(swept.errors)")
    #expect(!swept.errors.contains(".npmrc has another name"), "\(swept.errors)")
  }

  /// gh has the token of its user twice: two items, each under a name that says which it is.
  @Test func theTwoPlacesOfGHsTokenHaveTwoNames() throws {
    try write(
      "github.com:\n    users:\n        ann:\n            oauth_token: c4n4ry\n"
        + "    oauth_token: c4n4ry\n    user: ann\n", to: ".config/gh/hosts.yml")
    #expect(try made("connect", "gh", "--move").status == 0)
    let names = try made("list", "gh/").text
    #expect(names == "gh/github.com\ngh/github.com/ann\n", "\(names)")
  }

  @Test func thePlainConnectionListsWhatWasSkipped() throws {
    let run = try made("connect", "git", "--json")
    let document = try JSONSerialization.jsonObject(with: run.output) as? [String: Any]
    #expect((document?["skipped"] as? [Any])?.isEmpty == true, "\(run.text)")
    let back = try made("disconnect", "git", "--json")
    let other = try JSONSerialization.jsonObject(with: back.output) as? [String: Any]
    #expect((other?["skipped"] as? [Any])?.isEmpty == true, "\(back.text)")
  }
}
