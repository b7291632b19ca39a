import Foundation
import Glibc
import TestSupport
import Testing
import VaultPreferences
import VaultStorage

/// Property lists of the user's as files: links, modes, sizes, what is on the disk.
struct DefaultsFilesTests {
  private let defaults: DefaultsRunner

  init() throws { defaults = try DefaultsRunner() }

  private func path(_ name: String) -> String { "\(defaults.home.path)/\(name)" }

  private func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
    return try #require(attributes[.posixPermissions] as? Int)
  }

  @Test func aTooLargeFileIsRefusedAndNotEmptied() throws {
    let big = path("big.plist")
    try Data("{old = value;}".utf8).write(to: URL(fileURLWithPath: big))
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: big))
    // The file is sparse, so it takes no space.
    try handle.truncate(atOffset: 256 << 20 | 1)
    try handle.close()
    for words in [
      ["read", big], ["write", big, "new", "1"], ["write", big, "{new = 1;}"],
      ["delete", big, "old"],
      ["import", "d", big],
    ] {
      let result = defaults.run(words)
      #expect(result.status == 1, "\(words)")
      #expect(result.error.contains("File too large"), "\(words)")
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: big)
    #expect(attributes[.size] as? Int == 256 << 20 | 1)
    #expect(defaults.home.names() == ["big.plist"])
  }

  @Test func aLinkStaysAndItsTargetIsChanged() throws {
    #expect(defaults("write", path("real.plist"), "a", "1").status == 0)
    unsafe chmod(path("real.plist"), 0o640)
    try FileManager.default.createDirectory(
      atPath: path("folder"), withIntermediateDirectories: true)
    for (link, target) in [("link", "real.plist"), ("folder/up", "../link.plist")] {
      try FileManager.default.createSymbolicLink(
        atPath: path("\(link).plist"), withDestinationPath: target)
      #expect(defaults("write", path(link), "\(link)", "2").status == 0)
      #expect(
        try FileManager.default.destinationOfSymbolicLink(atPath: path("\(link).plist")) == target)
    }
    #expect(try mode("real.plist") == 0o640)
    #expect(
      defaults("read", path("real")).output
        == "{\n    a = 1;\n    \"folder/up\" = 2;\n    link = 2;\n}\n")
    // A link whose target does not exist yet.
    try FileManager.default.createSymbolicLink(
      atPath: path("dangling.plist"), withDestinationPath: "later.plist")
    #expect(defaults("write", path("dangling"), "k", "1").status == 0)
    #expect(defaults("read", path("later"), "k").output == "1\n")
    #expect(defaults("write", "d", "k", "1").status == 0)
    #expect(defaults("export", "d", path("dangling.plist")).status == 0)
    #expect(try mode("later.plist") == 0o600)
  }

  /// Otherwise anyone who can write to `/tmp` could choose which file of another user is replaced.
  @Test(.enabled(if: getuid() == 0, "only root can make another user's link"))
  func aLinkOfAnotherUserInASharedDirectoryIsNotFollowed() throws {
    let shared = path("shared")
    try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: false)
    #expect(unsafe chmod(shared, 0o1777) == 0)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: path("victim")))
    for (link, target) in [("x.plist", path("victim")), ("y.plist", path("absent"))] {
      try FileManager.default.createSymbolicLink(
        atPath: "\(shared)/\(link)", withDestinationPath: target)
      #expect(unsafe lchown("\(shared)/\(link)", 65_534, 65_534) == 0)
      #expect(defaults("export", "d", "\(shared)/\(link)").status == 1)
      #expect(defaults("write", "\(shared)/\(link)", "k", "1").status == 1)
    }
    #expect(try String(contentsOfFile: path("victim"), encoding: .utf8) == "mine")
    #expect(!FileManager.default.fileExists(atPath: path("absent")))
  }

  @Test func theModeOfAFileStays() throws {
    #expect(defaults("write", path("f.plist"), "a", "1").status == 0)
    #expect(try mode("f.plist") == 0o600)
    unsafe chmod(path("f.plist"), 0o644)
    #expect(defaults("write", path("f.plist"), "a", "2").status == 0)
    #expect(try mode("f.plist") == 0o644)
  }

  @Test func aPipeIsWrittenIntoAndNotReplaced() throws {
    defaults("write", "d", "k", "1")
    let pipe = path("pipe")
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    let reader = unsafe open(pipe, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    #expect(defaults("export", "d", pipe).status == 0)
    var status = stat()
    unsafe stat(pipe, &status)
    #expect(status.st_mode & S_IFMT == S_IFIFO)
    var bytes = [UInt8](repeating: 0, count: 8)
    #expect(unsafe read(reader, &bytes, 8) == 8)
    #expect(bytes == Array("bplist00".utf8))
  }

  /// Who made it would read what is written.
  @Test(.enabled(if: geteuid() == 0, "needs root"))
  func aPipeOfAnotherUserIsRefused() throws {
    defaults("write", "d", "k", "1")
    let pipe = path("pipe")
    #expect(unsafe mkfifo(pipe, 0o666) == 0)
    #expect(unsafe chown(pipe, 65_534, 65_534) == 0)
    // Nobody reads: the command neither waits nor writes.
    #expect(defaults("export", "d", pipe).status != 0)
    let reader = unsafe open(pipe, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    #expect(defaults("export", "d", pipe).status != 0)
    var bytes = [UInt8](repeating: 0, count: 8)
    #expect(unsafe read(reader, &bytes, 8) <= 0)
  }

  /// So would the owner of a file or of a link that others can replace.
  @Test(.enabled(if: geteuid() == 0, "needs root"))
  func aFileAndALinkOfAnotherUserAreRefused() throws {
    defaults("write", "d", "k", "1")
    let (file, own, link) = (path("file"), path("own"), path("link"))
    for each in [file, own] { try Data("old".utf8).write(to: URL(fileURLWithPath: each)) }
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: own)
    #expect(unsafe chown(file, 65_534, 65_534) == 0 && lchown(link, 65_534, 65_534) == 0)
    for each in [file, link] {
      let refused = defaults("export", "d", each)
      #expect(refused.status != 0 && refused.error.contains("another user's"), "\(refused.error)")
    }
    for each in [file, own] {
      #expect(try String(contentsOfFile: each, encoding: .utf8) == "old")
    }
    #expect(defaults("export", "d", own).status == 0)
  }

  /// The file is synced, and after the rename its directory; both failures are reported.
  @Test(arguments: [1, 2]) func aFailedSyncIsReported(number: Int) throws {
    defaults("write", path("f.plist"), "a", "1")
    let plan = FaultPlan(.error(EIO), at: number, of: [.sync])
    let result = System.withFaults(plan) { defaults("write", path("f.plist"), "a", "2") }
    #expect(plan.hasFired)
    #expect(result.status == 1)
    #expect(result.message.contains("Could not write domain"))
    // The old or the new, and nothing beside it.
    #expect(["1\n", "2\n"].contains(defaults("read", path("f.plist"), "a").output))
    #expect(defaults.home.names() == ["f.plist"])
  }

  @Test func bytesInsideAContainerAreBareInTheSummaryToo() {
    defaults("write", "d", "book", "-array", "-data", String(repeating: "00", count: 32))
    #expect(
      defaults("read", "--data-summary", "d").output.contains(
        "{length = 32, bytes = 0x00000000 00000000 00000000 00000000 ... 00000000 00000000 }\n"))
    #expect(!defaults("read", "--data-summary", "d").output.contains("\"{length"))
  }
}
