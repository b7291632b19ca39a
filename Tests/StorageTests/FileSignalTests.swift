import Foundation
import TestSupport
import Testing
import VaultStorage

/// Changes of a file, told by the kernel, or found by looking where the kernel tells nothing.
struct FileSignalTests {
  /// How many watches of the kernel's this process has on a folder: /proc/PID/fdinfo, proc(5).
  private func watches(on folder: String) throws -> Int {
    let inode = try #require(
      try FileManager.default.attributesOfItem(atPath: folder)[.systemFileNumber] as? UInt64)
    let wanted = "ino:" + String(inode, radix: 16) + " "
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo")
    return descriptors.reduce(0) { count, name in
      let text = (try? String(contentsOfFile: "/proc/self/fdinfo/\(name)", encoding: .utf8)) ?? ""
      return count
        + text.split(separator: "\n").count { $0.hasPrefix("inotify ") && $0.contains(wanted) }
    }
  }

  @Test(arguments: [nil, Duration.milliseconds(10)])
  func everyKindOfChangeIsReported(_ interval: Duration?) async throws {
    let home = try TemporaryHome()
    let path = "\(home.path)/file"
    try Data("one".utf8).write(to: URL(fileURLWithPath: path))
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    let watch = try FileSignal.watch("file", in: home.path, polling: interval) {
      continuation.yield()
    }
    defer { watch.stop() }
    // Looking asks the kernel for nothing.
    #expect(try watches(on: home.path) == (interval == nil ? 1 : 0))
    var changes = stream.makeAsyncIterator()
    // Written in place with as many bytes, replaced, removed, made anew.
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.write(contentsOf: Data("two".utf8))
    try file.close()
    await changes.next()
    try Data("three".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    await changes.next()
    try FileManager.default.removeItem(atPath: path)
    await changes.next()
    try Data("four".utf8).write(to: URL(fileURLWithPath: path))
    await changes.next()
  }
}
