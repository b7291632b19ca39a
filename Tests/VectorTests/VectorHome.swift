import Foundation
import TestSupport
import Testing

/// A home that an earlier version wrote, copied so that a test may change it.
struct VectorHome {
  /// The versions of which there are files.
  static let versions = ["0.1.0"]

  /// The folder with the original and with what the earlier version answered on it.
  let original: String
  let home: String

  /// Copies `name` of `version` to `target`, with the modes that a repository does not keep.
  init(_ name: String, of version: String, to target: String) throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
    original = "\(folder)/\(version)/\(name)"
    home = target
    try copy("")
  }

  private func copy(_ path: String) throws {
    let files = FileManager.default
    let (source, target) = ("\(original)/home/\(path)", "\(home)/\(path)")
    if !files.fileExists(atPath: target) {
      try files.createDirectory(
        atPath: target, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    for name in try files.contentsOfDirectory(atPath: source) {
      let child = path.isEmpty ? name : "\(path)/\(name)"
      let type = try files.attributesOfItem(atPath: "\(original)/home/\(child)")[.type]
      guard type as? FileAttributeType != .typeDirectory else {
        try copy(child)
        continue
      }
      let isMade = files.createFile(
        atPath: "\(home)/\(child)",
        contents: try Data(contentsOf: URL(fileURLWithPath: "\(original)/home/\(child)")),
        attributes: [.posixPermissions: 0o600])
      try #require(isMade, "\(child)")
    }
  }

  /// What the earlier version answered, step by step.
  func transcript(_ name: String) throws -> [Transcript.Step] {
    try Transcript.steps(in: String(contentsOfFile: "\(original)/\(name)", encoding: .utf8))
  }

  /// A file of the home as text, without its last newline.
  func text(_ name: String) throws -> String {
    try String(contentsOfFile: "\(home)/\(name)", encoding: .utf8).filter { $0 != "\n" }
  }

  var data: String { "\(home)/.local/share" }
}
