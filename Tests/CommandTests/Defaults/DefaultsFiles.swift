import Foundation
import TestSupport

/// Files that `dump` writes and `apply` reads, in a home of their own.
protocol DefaultsFiles {
  var defaults: DefaultsRunner { get }
}

extension DefaultsFiles {
  var folder: String { defaults.home.path }

  func file(_ text: String, _ name: String = "wanted.toml") throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    return "\(folder)/\(name)"
  }

  func text(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }
}
