import Foundation
import TestSupport
import VaultSync
import VaultSyncEngines

/// The real rclone, through the helper as the command starts it, with a configuration of its own.
struct Rclone {
  static let isInstalled = TestServer.has("rclone", "python3")

  /// A server that does not lie, for the tests of a process that need no other.
  static let shared = Result { try TestServer("rclone_server.py", []) }

  let home: TemporaryHome
  /// The file of rclone's configuration.
  var configuration: String { "\(home.path)/rclone.conf" }
  /// The folder that the remote `here` begins at.
  var folder: String { "\(home.path)/remote" }

  /// A configuration with the remote `here`, a folder of this machine.
  init(in home: TemporaryHome) throws {
    self.home = home
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try configure("[here]\ntype = alias\nremote = \(folder)\n")
  }

  /// Writes the configuration anew.
  func configure(_ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: configuration))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: configuration)
  }

  /// The engine.
  func engine(
    _ address: String = "rclone:here:vault", adding variables: [String: String] = [:],
    path: String = "/usr/local/bin:/usr/bin:/bin", patience: Int = 300
  ) throws -> ProgramEngine {
    let helper = URL(fileURLWithPath: VaultProcess.path).deletingLastPathComponent().path
    let more = variables.map { "export \($0.key)='\($0.value)'\n" }.joined()
    let program = try EnginePrograms(home: home).program(
      """
      #!/bin/sh
      export HOME='\(home.path)' TMPDIR='\(home.path)' RCLONE_CONFIG='\(configuration)'
      \(more)PATH='\(path)' exec \(helper)/vault-helper engine rclone

      """, named: "engine-\(UUID().uuidString)")
    return ProgramEngine(path: program, store: address, patience: patience)
  }

  /// Runs rclone itself; returns its status.
  func run(_ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["rclone"] + arguments
    process.environment = [
      "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home.path, "RCLONE_CONFIG": configuration,
    ]
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitOrKill()
    return process.terminationStatus
  }

  /// The engine over a WebDAV server of `rclone_server.py`.
  func engine(
    webDAV server: TestServer, folder: String = "vault", password: String = "canary-dav",
    patience: Int = 300
  ) throws -> ProgramEngine {
    let obscuring = Process()
    let output = Pipe()
    obscuring.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    obscuring.arguments = ["rclone", "obscure", "-"]
    obscuring.environment = ["PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home.path]
    let input = Pipe()
    obscuring.standardInput = input
    obscuring.standardOutput = output
    try obscuring.run()
    try input.fileHandleForWriting.write(contentsOf: Data("\(password)\n".utf8))
    try input.fileHandleForWriting.close()
    let word = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    obscuring.waitOrKill()
    try configure(
      """
      [dav]
      type = webdav
      url = http://127.0.0.1:\(server.ports[0])
      vendor = other
      user = laptop
      pass = \(word)
      """)
    return try engine("rclone:dav:\(folder)", patience: patience)
  }
}
