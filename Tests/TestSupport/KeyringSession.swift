package import Foundation

/// A session bus with a keyring in a given state, in a temporary home; all of it is removed with
/// the test.
///
/// The keyring is a real gnome-keyring where it can be brought into that state. A small service in
/// `Tests/KeyringRig` misbehaves in ways that gnome-keyring never does.
package final class KeyringSession: Sendable {
  /// The state of the keyring: a state of `session.sh`, or a mode of `secret_service.py`.
  package struct State: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    package let name: String

    package init(stringLiteral name: String) { self.name = name }
    package init(_ name: String) { self.name = name }
    package var description: String { name }

    package static let unlocked: State = "unlocked"
    package static let locked: State = "locked"
    package static let coldLocked: State = "cold-locked"
    package static let noPassword: State = "no-password"
    package static let noKeyring: State = "no-keyring"
    package static let noProvider: State = "no-provider"
    package static let mute: State = "mute"
    package static let sleepy: State = "sleepy"
    package static let noBus: State = "no-bus"
    package static let deadBus: State = "dead-bus"
    package static let keePassXC: State = "keepassxc"
    package static let kWallet: State = "kwallet"
  }

  package struct CannotStart: Error, CustomStringConvertible {
    package let description: String
  }

  /// The outcome of a command.
  package struct Run: Sendable {
    package let status: Int32
    package let output: Data
    package let errors: String
    package let duration: Duration

    /// The output as text, without its last newline.
    package var text: String {
      var text = String(decoding: output, as: UTF8.self)
      if text.hasSuffix("\n") { text.removeLast() }
      return text
    }

    /// The output without whitespace, for tests that search a document.
    package var compactText: String { text.filter { !$0.isWhitespace } }
  }

  /// The home, 0700.
  package let home: String
  /// Variables by which a program sees this session and nothing of the outer one.
  package let environment: [String: String]
  private let supervisor: Process
  private let lifeline: Pipe

  /// The password of the real keyring.
  package static let password = "test"

  /// Whether dbus, gnome-keyring and secret-tool are installed.
  package static let isAvailable = [
    "dbus-daemon", "gnome-keyring-daemon", "secret-tool", "dbus-send",
  ].allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }

  /// Whether the misbehaving service can run too.
  package static let canMisbehave: Bool = {
    guard isAvailable else { return false }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = ["-c", "import jeepney, cryptography"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitOrKill()
    return process.terminationStatus == 0
  }()

  package static let missing: String =
    "needs dbus-daemon, gnome-keyring, libsecret-tools, python3-jeepney and python3-cryptography"

  /// Whether KeePassXC can serve as the keyring, on a display of its own.
  package static let hasKeePassXC =
    isAvailable
    && ["keepassxc", "keepassxc-cli", "Xvfb", "setpriv"].allSatisfy {
      FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
    }

  /// Whether KWallet can serve as the keyring, with the plugin that it encrypts sessions by.
  package static let hasKWallet =
    isAvailable
    && ["kwalletd5", "python3", "setpriv"].allSatisfy {
      FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
    }
    && ((try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []).contains {
      FileManager.default.fileExists(atPath: "/usr/lib/\($0)/qca-qt5/crypto/libqca-ossl.so")
    }

  /// - Parameters:
  ///   - state: The state of the keyring.
  ///   - seed: A directory with its contents: `login.keyring` and `items.json`.
  /// - Throws: ``CannotStart`` if it does not come up.
  package init(_ state: State, seed: String? = nil) throws {
    home = "/tmp/vk-\(UUID().uuidString.prefix(13))"
    var variables = [
      "HOME": home, "XDG_RUNTIME_DIR": "\(home)/run", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8",
      "XDG_DATA_HOME": "\(home)/.local/share",
    ]
    if state != .noBus { variables["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=\(home)/run/bus" }
    // A wallet counts as locked until the caller's prompt was answered. Where the wallet is open, the
    // prompt shows nothing; but only who has a display asks for one.
    if state == .kWallet { variables["DISPLAY"] = ":none" }
    environment = variables
    lifeline = Pipe()
    supervisor = Process()
    supervisor.executableURL = URL(fileURLWithPath: "/bin/sh")
    supervisor.arguments = ["\(Self.rig)/session.sh", state.name, home]
    supervisor.environment = variables.merging(seed.map { ["RIG_SEED": $0] } ?? [:]) { $1 }
    supervisor.standardInput = lifeline
    let output = Pipe()
    supervisor.standardOutput = output
    let errors = Pipe()
    supervisor.standardError = errors
    try supervisor.run()
    // Daemons inherit standard error and keep it open, so it is read only after a failure.
    guard output.fileHandleForReading.availableData == Data("ready\n".utf8) else {
      try? lifeline.fileHandleForWriting.close()
      let said = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
      throw CannotStart(description: "no keyring session '\(state)': \(said)")
    }
  }

  deinit {
    try? lifeline.fileHandleForWriting.close()
    supervisor.waitOrKill()
  }

  private static let rig = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("KeyringRig").path

  /// Runs a program in this session and waits for it.
  package func run(
    _ program: String, _ arguments: [String] = [], input: Data = Data(),
    adding variables: [String: String] = [:]
  ) throws -> Run {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = environment.merging(variables) { $1 }
    // Files, not pipes: a pipe's end may be inherited by another test's child, and never close.
    let files = "\(home)-\(UUID().uuidString.prefix(8))"
    let (stdin, stdout, errors) = ("\(files).in", "\(files).out", "\(files).err")
    for (path, contents) in [(stdin, input), (stdout, Data()), (errors, Data())] {
      _ = FileManager.default.createFile(atPath: path, contents: contents)
    }
    defer {
      for path in [stdin, stdout, errors] { try? FileManager.default.removeItem(atPath: path) }
    }
    process.standardInput = FileHandle(forReadingAtPath: stdin)
    process.standardOutput = FileHandle(forWritingAtPath: stdout)
    process.standardError = FileHandle(forWritingAtPath: errors)
    let start = ContinuousClock.now
    try process.run()
    process.waitOrKill()
    let output = FileManager.default.contents(atPath: stdout) ?? Data()
    return Run(
      status: process.terminationStatus, output: output,
      errors: (try? String(contentsOfFile: errors, encoding: .utf8)) ?? "",
      duration: ContinuousClock.now - start)
  }

  /// The path of a program of this package, which is built beside the tests.
  package static func product(_ name: String) -> String {
    let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(fileURLWithPath: tests ?? "").deletingLastPathComponent()
      .appendingPathComponent(name).path
  }
}
