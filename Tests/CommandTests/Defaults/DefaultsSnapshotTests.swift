import Foundation
import TestSupport
import Testing
import VaultDefaultsTool
import VaultPreferences
import VaultStorage

/// Snapshots of preferences: their names, and files of them.
struct DefaultsSnapshotTests: DefaultsFiles {
  let defaults: DefaultsRunner

  init() throws { defaults = try DefaultsRunner() }

  @Test func aSnapshotOfANameIsNotReplacedSilently() throws {
    defaults("write", "a", "k", "1")
    #expect(defaults("snapshot", "before").status == 0)
    defaults("write", "a", "k", "2")
    let refused = defaults("snapshot", "before")
    #expect(refused.status == 1)
    #expect(refused.message.contains("there is a snapshot 'before' of "))
    #expect(refused.message.contains("--replace"))
    #expect(defaults("diff", "before").output.contains("+ a\t\"k\"\t\"2\""))
    #expect(defaults("snapshot", "--replace", "before").status == 0)
    #expect(defaults("diff", "before").status == 0)
  }

  @Test func snapshotsWithoutANameAreNumberedByTime() throws {
    defaults("write", "a", "k", "1")
    for _ in 0..<3 { #expect(defaults("snapshot").status == 0) }
    let names = defaults("snapshot", "--list").output.split(separator: "\n")
      .map { String($0.prefix { $0 != "\t" }) }
    #expect(Set(names).count == 3)
    #expect(names.allSatisfy { $0.hasPrefix("20") })
    defaults("write", "a", "k", "2")
    #expect(defaults("diff").output == "- a\t\"k\"\t\"1\"\n+ a\t\"k\"\t\"2\"\n")
    #expect(defaults("snapshot", "--restore", "latest").status == 0)
    #expect(try defaults.value("k", "a") == "1")
  }

  @Test func snapshotsGoToFilesAndComeFromThem() throws {
    defaults.keys = FixedDataKeys()
    defaults("write", "com.pw", "token", "S3CRET")
    defaults("protect", "com.pw")
    defaults("write", "a", "k", "1")
    defaults("-currentHost", "write", "a", "here", "1")
    let path = "\(folder)/all.json"
    #expect(defaults("snapshot", "--output", path).status == 0)
    #expect(try !text(path).contains("S3CRET"))
    defaults("delete", "a")
    defaults("delete", "com.pw")
    let taken = defaults("snapshot", "--input", path, "from-file")
    #expect(taken.output == "Snapshot 'from-file' taken.\n")
    #expect(defaults("snapshot", "--restore", "from-file").status == 0)
    #expect(try defaults.value("k", "a") == "1")
    #expect(defaults("-currentHost", "read", "a", "here").output == "1\n")
    #expect(defaults("read", "com.pw", "token").output == "S3CRET\n")
    #expect(defaults("snapshot", "--output", "\(folder)/again.json", "from-file").status == 0)
    #expect(defaults("snapshot", "--input", try file("{}", "w.json"), "w").status == 1)
  }

  @Test(arguments: ["latest", ""])
  func noSnapshotTakesTheNameOfTheLatest(name: String) {
    defaults("write", "a", "k", "1")
    let refused = defaults("snapshot", name)
    #expect(refused.status == 1)
    #expect(refused.message.contains("Nothing was taken."))
    #expect(defaults("snapshot", "--list").output == "")
  }

  @Test func aSnapshotMayBeCalledAsAFileIs() throws {
    defaults("write", "a", "k", "1")
    for name in ["a/b", "x.toml"] { #expect(defaults("snapshot", name).status == 0) }
    defaults("write", "a", "k", "2")
    for name in ["a/b", "x.toml"] { #expect(defaults("diff", name).output.contains("+ a\t\"k\"")) }
    let refused = defaults("snapshot", "two\nlines")
    #expect(refused.status == 1)
    #expect(refused.message.contains("no control characters"))
  }
}
