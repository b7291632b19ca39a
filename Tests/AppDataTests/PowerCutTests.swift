import TestSupport
import Testing

/// A save that returned is there after a power cut: another process's saves, each the last thing
/// that happened.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct PowerCutTests {
  private func saves(_ type: PowerCut.FileSystem) throws {
    let disk = try PowerCut(type)
    let writer = VaultProcess(
      home: disk.path, executable: KeyringSession.product("appdata-writer"))
    for round in 1...30 {
      // A new store now and then: the first save makes the file.
      let store = (round - 1) / 6
      let file = "\(disk.path)/\(store).store"
      let saved = try writer.run([file, "\(round)", "1", "1"])
      try #require(saved.status == 0, "\(saved.text)")
      try disk.cut()
      let count = try writer.run([file, "-", "0", "1"]).text
      try #require(count == "\(round - store * 6)\n", "round \(round)")
    }
  }

  @Test(.enabled(if: PowerCut.isPossible(.ext4), Comment(rawValue: PowerCut.needs)))
  func aSaveIsThereOnExt4() throws { try saves(.ext4) }

  @Test(.enabled(if: PowerCut.isPossible(.xfs), Comment(rawValue: PowerCut.needs)))
  func aSaveIsThereOnXFS() throws { try saves(.xfs) }
}
