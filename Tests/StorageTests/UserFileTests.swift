import Foundation
import Glibc
import TestSupport
import Testing
import VaultStorage

struct UserFileTests {
  private let home: TemporaryHome

  init() throws { home = try TemporaryHome() }

  private func path(_ name: String) -> String { "\(home.path)/\(name)" }

  private func mode(_ name: String) throws -> UInt32 {
    try System.status(of: path(name), in: AT_FDCWD).permissions
  }

  @Test func foldersAreMadeOnTheWay() throws {
    try UserFile.makeFolders(path("a/b/c"))
    try UserFile.makeFolders(path("a/b/c"))
    #expect(UserFile.isFolder(path("a/b/c")))
    try UserFile.replace(path("file"), with: [1], mode: 0o600)
    let error = #expect(throws: System.Failure.self) { try UserFile.makeFolders(path("file/x")) }
    #expect(error?.errno == ENOTDIR || error?.errno == EEXIST)
  }

  @Test func aNewFileHasItsModeAndAnOldOneKeepsIts() throws {
    try UserFile.replace(path("file"), with: Array("one".utf8), mode: 0o640)
    #expect(try mode("file") == 0o640)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o604], ofItemAtPath: path("file"))
    try UserFile.replace(path("file"), with: Array("two".utf8), mode: 0o600)
    #expect(try mode("file") == 0o604)
    #expect(try UserFile.bytes(of: path("file"), limit: 3) == Array("two".utf8))
    #expect(home.names() == ["file"])
    let error = #expect(throws: System.Failure.self) {
      try UserFile.bytes(of: path("file"), limit: 2)
    }
    #expect(error?.errno == EFBIG)
  }

  @Test func whatAKilledWriterLeftIsFoundAndRemoved() throws {
    let left = path("file.0123456789abcdef~")
    let others = [
      "file.0123456789abcde~", "file.0123456789ABCDEF~", "other.0123456789abcdef~",
      "file.0123456789abcdef",
    ]
    for name in others { try UserFile.make(path(name), with: [1], mode: 0o600) }
    try UserFile.make(left, with: [1], mode: 0o600)
    try System.makeLink(path("file.1111111111111111~"), to: "other.0123456789abcdef~")
    #expect(UserFile.leftovers(of: path("file")) == [left])
    // A writer that lives holds its lock.
    let writer = try System.open(left, in: AT_FDCWD, flags: O_RDONLY)
    #expect(System.lockDirectory(writer))
    #expect(UserFile.leftovers(of: path("file")).isEmpty)
    #expect(UserFile.removeLeftovers(of: path("file")).removed.isEmpty)
    System.close(writer)
    #expect(UserFile.removeLeftovers(of: path("file")).removed == [left])
    // The next writer removes it as well.
    try UserFile.make(left, with: [1], mode: 0o600)
    try UserFile.replace(path("file"), with: [2], mode: 0o600)
    #expect(home.names() == (others + ["file", "file.1111111111111111~"]).sorted())
  }

  /// NFS locks what is open for writing alone; one that cannot be is looked at all the same.
  @Test(arguments: [0o600, 0o400] as [UInt32])
  func aLeftoverThatMayNotBeWrittenIsRemovedToo(mode: UInt32) throws {
    let left = path("file.0123456789abcdef~")
    try UserFile.make(left, with: [1], mode: mode)
    #expect(UserFile.removeLeftovers(of: path("file")).removed == [left])
  }

  @Test func aFileWithoutANameIsWrittenWholeOrNotAtAll() throws {
    struct Stop: Error {}
    // The second time there is an old one.
    for _ in 0..<2 {
      let before = home.names()
      #expect(throws: System.Failure.self) {
        try UserFile.writeUnnamed(path("f"), atCreation: { _ in Stop() }) {
          file throws(System.Failure) in
          #expect(home.names() == before)
          throw System.Failure(errno: EIO)
        }
      }
      #expect(home.names() == before)
      try UserFile.writeUnnamed(path("f"), atCreation: { _ in Stop() }) {
        file throws(System.Failure) in
        try System.writeAll(file, unsafe ([1, 2] as [UInt8]).span.bytes)
      }
      #expect(try UserFile.bytes(of: path("f"), limit: 9) == [1, 2])
      #expect(try System.status(of: path("f"), in: AT_FDCWD).permissions == 0o600)
      #expect(home.names() == ["f"])
    }
    #expect(throws: Stop.self) {
      try UserFile.writeUnnamed(path("none/f"), atCreation: { _ in Stop() }) { _ in }
    }
  }

  @Test func aLinkStaysALink() throws {
    try UserFile.makeFolders(path("real"))
    try System.makeLink(path("real/middle"), to: "target")
    try System.makeLink(path("link"), to: "real/middle")
    // Nothing is there yet.
    #expect(!UserFile.exists(path("link")))
    #expect(UserFile.exists(path("link"), followingLinks: false))
    #expect(try UserFile.target(of: path("link")) == path("real/target"))
    try UserFile.replace(path("link"), with: [7], mode: 0o600)
    #expect(UserFile.isLink(path("link")) && UserFile.isLink(path("real/middle")))
    #expect(try UserFile.bytes(of: path("real/target"), limit: 9) == [7])
  }

  @Test func whatIsNoFileIsWrittenInto() throws {
    try UserFile.replace("/dev/null", with: [1, 2, 3], mode: 0o600)
    #expect(UserFile.exists("/dev/null"))
    let error = #expect(throws: System.Failure.self) {
      try UserFile.replace(path("missing/file"), with: [], mode: 0o600)
    }
    #expect(error?.errno == ENOENT)
  }

  @Test func allThatIsBelowAFolderIsListedAndRemoved() throws {
    try UserFile.makeFolders(path("tree/inner"))
    try UserFile.makeFolders(path("other"))
    for name in ["tree/z", "tree/inner/a", "other/kept"] {
      try UserFile.replace(path(name), with: [], mode: 0o600)
    }
    try System.makeLink(path("tree/inner/link"), to: path("other"))
    #expect(
      try UserFile.paths(below: path("tree")) == ["inner", "inner/a", "inner/link", "z"])
    #expect(try UserFile.names(in: path("tree")) == ["inner", "z"])
    try UserFile.removeAll(path("tree"))
    #expect(home.names() == ["other"])
    #expect(home.names(in: "other") == ["kept"])
    let error = #expect(throws: System.Failure.self) { try UserFile.paths(below: path("tree")) }
    #expect(error?.errno == ENOENT)
  }

  @Test func aNameThatIsNoTextIsListed() throws {
    let shell = VaultProcess(home: home.path, executable: "/bin/sh")
    #expect(try shell.run(["-c", "cd \"$HOME\" && : >b && : >\"$(printf 'a\\377')\""]).status == 0)
    #expect(try UserFile.paths(below: home.path) == ["a\u{FFFD}", "b"])
  }

  @Test(arguments: [("a/b", "a"), ("/a", "/"), ("a", "."), ("/a/b/c", "/a/b")])
  func theFolderOfAPath(path: String, folder: String) {
    #expect(UserFile.folder(of: path) == folder)
  }
}
