import Foundation
import TestSupport
import Testing
import VaultStorage

/// A save that returned is there after a power cut: another process's saves, each the last thing
/// that happened before it was killed.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct PowerCutTests {
  private static let killed: Int32 = 128 + 9

  private func saves(
    _ type: PowerCut.FileSystem, _ durability: String, at once: Int, rounds: Int
  ) throws {
    let disk = try PowerCut(type)
    let writer = VaultProcess(
      home: disk.path, executable: KeyringSession.product("appdata-writer"))
    for round in 1...rounds {
      // A new store now and then: the first save makes the file.
      let store = (round - 1) / 6
      let file = "\(disk.path)/\(store).store"
      let saved = try writer.run([file, "\(round)", "\(once)", "1", durability])
      try #require(saved.status == Self.killed, "\(saved.text)")
      try disk.cut()
      let count = try writer.run([file, "-", "0", "1"]).text
      try #require(count == "\((round - store * 6) * once)\n", "round \(round)")
    }
  }

  /// What is not on disk when a save returns may be lost: the last saves, and nothing before them.
  private func lastSaves(_ type: PowerCut.FileSystem) throws {
    let disk = try PowerCut(type)
    let writer = VaultProcess(
      home: disk.path, executable: KeyringSession.product("appdata-writer"))
    var lost = 0
    for round in 1...10 {
      let file = "\(disk.path)/\(round).store"
      // A process that ends as usual has everything on disk.
      try #require(try writer.run([file, "a", "5", "1"]).status == 0)
      let saved = try writer.run([file, "b", "20", "1", "onCheckpoint"])
      try #require(saved.status == Self.killed, "\(saved.text)")
      try disk.cut()
      let connection = try SQLiteConnection(path: file, mode: .readWrite)
      defer { connection.close() }
      try #require(try connection.integrityCheck() == [])
      let all = (0..<5).map { "a-\($0)" } + (0..<20).map { "b-\($0)" }
      let found = try connection.strings("SELECT text FROM Note ORDER BY _id")
      try #require(found == Array(all.prefix(found.count)), "round \(round)")
      try #require(found.count >= 5)
      lost += all.count - found.count
    }
    // Otherwise the power was not cut, and the other tests show nothing.
    #expect(lost > 0)
  }

  @Test(.enabled(if: PowerCut.isPossible(.ext4), Comment(rawValue: PowerCut.needs)))
  func aSaveIsThereOnExt4() throws { try saves(.ext4, "full", at: 1, rounds: 24) }

  @Test(.enabled(if: PowerCut.isPossible(.xfs), Comment(rawValue: PowerCut.needs)))
  func aSaveIsThereOnXFS() throws { try saves(.xfs, "full", at: 1, rounds: 24) }

  @Test(.enabled(if: PowerCut.isPossible(.ext4), Comment(rawValue: PowerCut.needs)))
  func savesThatShareAFlushAreThereOnExt4() throws {
    try saves(.ext4, "grouped", at: 8, rounds: 12)
  }

  @Test(.enabled(if: PowerCut.isPossible(.xfs), Comment(rawValue: PowerCut.needs)))
  func savesThatShareAFlushAreThereOnXFS() throws {
    try saves(.xfs, "grouped", at: 8, rounds: 12)
  }

  @Test(.enabled(if: PowerCut.isPossible(.ext4), Comment(rawValue: PowerCut.needs)))
  func onlyTheLastSavesAreLostOnExt4() throws { try lastSaves(.ext4) }

  @Test(.enabled(if: PowerCut.isPossible(.xfs), Comment(rawValue: PowerCut.needs)))
  func onlyTheLastSavesAreLostOnXFS() throws { try lastSaves(.xfs) }

  /// Another process's namespace holds the file system that was cut, and ext4 lists its directories
  /// still: the cut has ended only when files open again.
  @Test(
    .enabled(if: PowerCut.isPossible(.ext4), Comment(rawValue: PowerCut.needs)),
    .timeLimit(.minutes(10)))
  func aCutEndsWhenNoNamespaceHoldsTheDisk() throws {
    let disk = try PowerCut(.ext4)
    let file = URL(fileURLWithPath: "\(disk.path)/file")
    try Data("kept".utf8).write(to: file)
    try disk.sync()
    let unshare = VaultProcess(home: "/", executable: "/usr/bin/unshare")
    let holder = try unshare.start(["--mount", "sleep", "2"])
    func namespace(_ process: String) -> String? {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/ns/mnt")
    }
    while let held = namespace("\(holder.pid)"), held == namespace("self") { usleep(1_000) }
    try disk.cut()
    #expect(try Data(contentsOf: file) == Data("kept".utf8))
    #expect(holder.finish().status == 0)
  }
}
