package import Foundation

/// The built command, run with a home of its own and an otherwise empty environment.
package struct VaultProcess: Sendable {
  /// The outcome of a run.
  package struct Result: Sendable {
    /// The exit status, or 128 + signal.
    package let status: Int32
    /// Standard output, exactly.
    package let output: Data
    /// Standard error as text.
    package let errors: String

    /// Standard output as text.
    package var text: String { String(decoding: output, as: UTF8.self) }
  }

  /// The home of the run; its `HOME`.
  package let home: String
  /// Additional variables.
  package var environment: [String: String]
  private let executable: String

  package init(
    home: String, environment: [String: String] = [:], executable: String = VaultProcess.path
  ) {
    self.home = home
    self.environment = environment
    self.executable = executable
  }

  /// The command beside the test bundle, or the one that `make test-release` puts in its place.
  package static let path: String = {
    if let release = ProcessInfo.processInfo.environment["VAULT_TEST_BINARY"] { return release }
    let bundle = URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0])
    var folder = bundle.deletingLastPathComponent()
    for _ in 0..<4 {
      let candidate = folder.appendingPathComponent("vault").path
      let type = try? FileManager.default.attributesOfItem(atPath: candidate)[.type]
      if type as? FileAttributeType == .typeRegular { return candidate }
      folder.deleteLastPathComponent()
    }
    return Bundle.main.bundleURL.appendingPathComponent("vault").path
  }()

  /// Runs the command and waits for its end.
  ///
  /// Output goes to files, so no pipe can fill up. Standard input is `input`.
  package func run(
    _ arguments: [String], input: Data = Data(), adding more: [String: String] = [:]
  ) throws -> Result {
    let running = try start(arguments, input: input, adding: more)
    return running.finish()
  }

  /// A command that is still running.
  package struct Running: Sendable {
    fileprivate let process: Process
    fileprivate let folder: TemporaryHome

    /// The process's id.
    package var pid: Int32 { process.processIdentifier }

    /// Waits for the end.
    package func finish() -> Result {
      process.waitOrKill()
      let output = FileManager.default.contents(atPath: "\(folder.path)/out")
      let errors = FileManager.default.contents(atPath: "\(folder.path)/err")
      // Out of descriptors, for example: output that could not be read is not empty output.
      guard let output, let errors else {
        return Result(status: -1, output: Data(), errors: "what the command wrote cannot be read")
      }
      let status =
        process.terminationReason == .uncaughtSignal
        ? 128 + process.terminationStatus : process.terminationStatus
      return Result(
        status: status, output: output, errors: String(decoding: errors, as: UTF8.self))
    }
  }

  /// Starts the command.
  package func start(
    _ arguments: [String], input: Data = Data(), adding more: [String: String] = [:]
  ) throws -> Running {
    let folder = try TemporaryHome()
    for (name, contents) in [("in", input), ("out", Data()), ("err", Data())] {
      try contents.write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = arguments
    var environment = ["HOME": home, "PATH": "/usr/local/bin:/usr/bin:/bin"]
    environment.merge(self.environment) { $1 }
    environment.merge(more) { $1 }
    process.environment = environment
    process.currentDirectoryURL = URL(fileURLWithPath: home)
    process.standardInput = try FileHandle(
      forReadingFrom: URL(fileURLWithPath: "\(folder.path)/in"))
    process.standardOutput = try FileHandle(
      forWritingTo: URL(fileURLWithPath: "\(folder.path)/out"))
    process.standardError = try FileHandle(
      forWritingTo: URL(fileURLWithPath: "\(folder.path)/err"))
    try process.run()
    return Running(process: process, folder: folder)
  }
}
