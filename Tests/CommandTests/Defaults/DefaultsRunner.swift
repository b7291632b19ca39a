import Foundation
import TestSupport
import VaultDefaultsTool
import VaultPreferences
import VaultSealing
import VaultStorage

/// Runs `defaults` lines in process, in a home of its own.
final class DefaultsRunner {
  struct Result: Equatable {
    var status: Int32
    var output: String
    var error: String

    /// The message without NSLog's time and process.
    var message: String {
      guard let range = error.range(of: "] ") else { return error }
      return String(error[range.upperBound...])
    }
  }

  let home: TemporaryHome
  var managed: String
  var keys: (any DataKeyProvider)?
  /// What a person does to the text in the editor.
  var editor: ([UInt8]) throws -> [UInt8] = { $0 }

  /// The environment of layers.
  var environment: [String: String] = [:]
  /// What is done after a change of some domains.
  var following: DefaultsTool.Following?

  init() throws {
    home = try TemporaryHome()
    managed = "\(home.path)/managed"
  }

  @discardableResult
  func callAsFunction(_ arguments: String..., input: String = "") -> Result {
    run(arguments, input: Array(input.utf8))
  }

  func run(_ arguments: [String], input: [UInt8] = []) -> Result {
    var output: [UInt8] = []
    var error: [UInt8] = []
    let tool = tool(
      DefaultsTool.Streams(output: { output += $0 }, error: { error += $0 }, input: { input }))
    let status = tool.run(arguments)
    return Result(
      status: status.rawValue, output: String(decoding: output, as: UTF8.self),
      error: String(decoding: error, as: UTF8.self))
  }

  /// What runs the lines.
  func tool(
    _ streams: DefaultsTool.Streams = .init(output: { _ in }, error: { _ in }, input: { [] })
  ) -> DefaultsTool {
    DefaultsTool(
      location: { self.home.location }, streams: streams,
      keys: { self.keys }, following: following,
      managed: ManagedPreferences(directory: managed),
      directories: DefaultsDirectories(
        site: ["\(home.path)/site"], packages: ["\(home.path)/package"]),
      schemas: ["\(home.path)/schemas", "\(home.path)/more-schemas"],
      environment: self.environment.merging(["HOME": self.home.path]) { own, _ in own },
      editor: editor, home: { self.home.path },
      machine: {
        DefaultsMachine(
          hosts: ["laptop.example.org", "laptop"], systems: ["linux", "debian", "debian-12"],
          users: ["bob"])
      })
  }

  /// The stored value, with its type.
  func value(_ key: String, _ domain: String = "d") throws -> PreferenceValue? {
    try PreferenceDatabase.open(home.location, mode: .read, process: "test")?
      .value(key, in: PreferenceDomain(domain))
  }
}
