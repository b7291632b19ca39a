import Foundation
import TestSupport

/// The command as it runs on another machine: one with another machine-id(5), in a mount namespace
/// of its own.
struct OtherMachine {
  /// Whether this machine has an id over which another may be mounted.
  static let isPossible: Bool = {
    guard let home = try? TemporaryHome() else { return false }
    let machine = OtherMachine(home: home.path, id: "a")
    return (try? machine.start(["cat", "/etc/machine-id"]))?.text == machine.id
  }()
  static let needs = "needs a machine-id(5), and a mount namespace of its own"

  /// 32 digits.
  let id: String
  private let process: VaultProcess

  /// - Parameters:
  ///   - home: The home there.
  ///   - id: One digit, of which the machine's id is made.
  ///   - environment: Further variables.
  init(home: String, id: Character, _ environment: [String: String] = [:]) {
    self.id = String(repeating: id, count: 32)
    process = VaultProcess(home: home, environment: environment, executable: "/usr/bin/unshare")
  }

  func run(_ arguments: [String], input: Data = Data()) throws -> VaultProcess.Result {
    try start([VaultProcess.path] + arguments, input: input)
  }

  private func start(_ line: [String], input: Data = Data()) throws -> VaultProcess.Result {
    let file = try TemporaryHome()
    try Data(id.utf8).write(to: URL(fileURLWithPath: "\(file.path)/id"))
    let script = "mount --bind \"$0\" /etc/machine-id && exec \"$@\""
    return try process.run(
      ["--map-root-user", "--mount", "sh", "-c", script, "\(file.path)/id"] + line, input: input)
  }
}
