import Foundation
import TestSupport
import Testing

/// A server of a test, behind a script in Python that ends it when this process ends.
final class TestServer: Sendable {
  /// What the script wrote first: a folder, then ports.
  let words: [String]
  private let input: FileHandle
  private let output: FileHandle
  private let process: Process
  /// Tests that share a server ask it one after the other.
  private let turn = NSLock()

  var folder: String { words[0] }
  var ports: [String] { Array(words.dropFirst()) }

  private static let scripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path

  /// Whether programs are installed: in PATH, or at a path.
  static func has(_ programs: String...) -> Bool {
    programs.allSatisfy { program in
      let places = program.hasPrefix("/") ? [""] : ["/usr/bin/", "/usr/local/bin/", "/usr/sbin/"]
      return places.contains { FileManager.default.isExecutableFile(atPath: $0 + program) }
    }
  }

  convenience init(_ script: String, _ arguments: String...) throws {
    try self.init(script, arguments)
  }

  init(_ script: String, _ arguments: [String]) throws {
    process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = ["\(Self.scripts)/\(script)"] + arguments
    process.environment = [
      "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "PYTHONDONTWRITEBYTECODE": "1",
    ]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    self.input = input.fileHandleForWriting
    self.output = output.fileHandleForReading
    words = Self.line(self.output).split(separator: " ").map(String.init)
    try #require(words.count > 1, "the server has started")
  }

  deinit { end() }

  /// Ends the server, and waits until nothing is left.
  func end() {
    try? input.close()
    process.waitOrKill()
  }

  /// Gives the script a line; returns its answer.
  @discardableResult
  func tell(_ line: String) throws -> String {
    try turn.withLock {
      try input.write(contentsOf: Data((line + "\n").utf8))
      return Self.line(output)
    }
  }

  private static func line(_ output: FileHandle) -> String {
    var line: [UInt8] = []
    while let byte = output.readData(ofLength: 1).first, byte != 10 { line.append(byte) }
    return String(decoding: line, as: UTF8.self)
  }
}
