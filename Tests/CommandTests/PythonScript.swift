import Foundation
import TestSupport

/// A script below Scripts/ that drives a terminal with pexpect.
struct PythonScript {
  private let path: String

  init(_ name: String) { path = Self.location("\(name).py") }

  /// Where a script lies.
  static func location(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Scripts/\(name)").path
  }

  /// Whether python3 is there.
  static let hasPython: Bool = (try? run("/usr/bin/env", ["python3", "-c", ""]).status) == 0

  /// Whether python3 and pexpect are there.
  static let hasPexpect: Bool =
    (try? run("/usr/bin/env", ["python3", "-c", "import pexpect"]).status) == 0

  /// Whether python3 and libsodium's shared library are there.
  static let hasSodium: Bool =
    (try? run(
      "/usr/bin/env",
      [
        "python3", "-c", "import ctypes.util,sys; sys.exit(not ctypes.util.find_library('sodium'))",
      ]
    ).status) == 0

  /// Whether systemd-analyze is there.
  static let hasSystemdAnalyze: Bool =
    (try? run("/usr/bin/env", ["systemd-analyze", "--version"]).status) == 0

  /// Whether this user may have mounts of their own.
  static let mountsItsOwn: Bool =
    (try? run("/usr/bin/env", ["unshare", "--user", "--map-root-user", "--mount", "true"]).status)
    == 0

  /// Runs the script; its words are on stderr.
  func run(_ arguments: [String]) throws -> (status: Int32, errors: String) {
    try Self.run("/usr/bin/env", ["python3", path] + arguments)
  }

  /// Runs a program to its end.
  static func run(
    _ program: String, _ arguments: [String]
  ) throws -> (status: Int32, errors: String) {
    let folder = try TemporaryHome()
    let errors = "\(folder.path)/errors"
    try Data().write(to: URL(fileURLWithPath: errors))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errors))
    try process.run()
    process.waitOrKill()
    let text = String(
      decoding: FileManager.default.contents(atPath: errors) ?? Data(), as: UTF8.self)
    return (process.terminationStatus, text)
  }
}
