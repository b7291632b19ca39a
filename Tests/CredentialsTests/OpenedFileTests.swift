import Foundation
import Glibc
import TestSupport
import Testing
import VaultCredentials
import VaultSealing

/// What opening a vault has read is used only while it is still the file.
struct OpenedFileTests {
  /// Another file may have the number and the size of the one that was read: a file system uses
  /// numbers again, and a tool that copies may write in place.
  @Test func aFileOfTheSameNumberAndSizeIsReadAnew() throws {
    let vault = try ThrowawayVault()
    let name = try ItemName("k")
    let url = URL(fileURLWithPath: vault.path)
    try vault.open.blocking.set(name, to: Secret("one"))
    let first = try Data(contentsOf: url)
    try vault.open.blocking.set(name, to: Secret("two"))
    let second = try Data(contentsOf: url)
    try #require(first.count == second.count)
    for round in 0..<20 {
      let reader = try vault.reopened().blocking
      // The clock of files moves in steps.
      let read = try changed(vault.path)
      let scratch = "\(vault.home.path)/scratch"
      repeat {
        try Data([0]).write(to: URL(fileURLWithPath: scratch))
      } while try changed(scratch) == read
      let file = try FileHandle(forWritingTo: url)
      try file.write(contentsOf: round % 2 == 0 ? first : second)
      try file.close()
      #expect(try reader.get(name).text == (round % 2 == 0 ? "one" : "two"), "\(round)")
    }
  }

  private func changed(_ path: String) throws -> [Int] {
    var status = stat()
    try #require(unsafe stat(path, &status) == 0)
    return [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
  }
}
