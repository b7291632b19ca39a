import Foundation
import TestSupport
import Testing
import VaultSyncEngines

/// A bare repository in a test's home, and engines on it as different machines have them.
struct BareRepository {
  let home: TemporaryHome
  let path: String

  init(in home: TemporaryHome) throws {
    self.home = home
    path = "\(home.path)/remote.git"
    _ = try Self.git(["init", "--quiet", "--bare", "--template=", path])
  }

  /// The cache of a machine.
  func cache(_ machine: String) -> String { "\(home.path)/cache-\(machine)" }

  /// The engine of a machine.
  func engine(
    _ machine: String, program: String = "git", patience: Int = 60
  ) throws -> GitEngine {
    try GitEngine(
      remote: GitRemote(path: path), cache: cache(machine), asks: false, program: program,
      patience: patience)
  }

  /// The machine's copy of the repository.
  func copy(_ machine: String) throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: cache(machine))
    return "\(cache(machine))/\(try #require(names.first { $0.hasSuffix(".git") }))"
  }

  /// Runs git on the repository.
  func git(_ arguments: String...) throws -> String {
    try Self.git(["--git-dir=\(path)"] + arguments)
  }

  /// Runs git without the settings of whoever runs the tests; returns what it wrote.
  static func git(_ arguments: [String], input: Data = Data()) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["git"] + arguments
    process.environment = [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
      "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
    ]
    let (output, typed) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = typed
    try process.run()
    try? typed.fileHandleForWriting.write(contentsOf: input)
    try? typed.fileHandleForWriting.close()
    let text = String(decoding: process.output(of: output), as: UTF8.self)
    try #require(process.terminationStatus == 0, "git \(arguments)")
    return text
  }
}
