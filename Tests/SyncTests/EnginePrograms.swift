import Foundation
import TestSupport
import Testing
import VaultSyncEngines

/// Programs that speak the protocol of engines, for tests.
struct EnginePrograms {
  let home: TemporaryHome

  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  /// The example of Documentation/engines.md, as it is printed there.
  static func example() throws -> String {
    let page = try String(contentsOfFile: "\(root)/Documentation/engines.md", encoding: .utf8)
    let start = try #require(page.range(of: "```python\n"))
    let end = try #require(page.range(of: "```", range: start.upperBound..<page.endIndex))
    return String(page[start.upperBound..<end.lowerBound])
  }

  /// Writes a program; returns its path.
  func program(_ text: String, mode: Int = 0o700, named name: String = "engine") throws -> String {
    try home.program(text, mode: mode, named: name)
  }

  /// A program in Python that has the example's functions for messages, and then `body`.
  func python(_ body: String, named name: String = "engine") throws -> String {
    let example = try Self.example()
    let end = try #require(example.range(of: "class Failure"))
    return try program(String(example[..<end.lowerBound]) + body, named: name)
  }

  /// An engine of the example.
  func engine(_ name: String = "engine") throws -> ProgramEngine {
    let store = "\(home.path)/store"
    try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
    return ProgramEngine(path: try program(Self.example(), named: name), store: store)
  }
}

extension TemporaryHome {
  /// Writes a program into the home; returns its path.
  func program(_ text: String, mode: Int = 0o700, named name: String) throws -> String {
    let path = "\(self.path)/\(name)"
    // Another process writes it: a child that this one forks meanwhile would hold it open for
    // writing, and such a file cannot be run: execve(2), ETXTBSY.
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["install", "-m", String(mode, radix: 8), "/dev/stdin", path]
    let pipe = Pipe()
    process.standardInput = pipe
    try process.run()
    try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    try pipe.fileHandleForWriting.close()
    process.waitOrKill()
    try #require(process.terminationStatus == 0)
    return path
  }
}
