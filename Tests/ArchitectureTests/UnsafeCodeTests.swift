import Foundation
import Testing

/// Unsafe code lives where C lives: the command's few files that may hold it.
struct UnsafeCodeTests {
  static let allowed: Set<String> = [
    // The name of an error code, no code.
    "Errors/CommandErrorCode.swift",
    // lstat(2): a link is told from a device.
    "Output/OutputFile.swift",
    // What defaults prints and takes: local times, files by their paths; waiting for a signal or a change.
    "Commands/Defaults/DefaultsTool+Journal.swift", "Commands/Defaults/LazyKeys.swift",
    "Commands/Defaults/LogPrefix.swift", "Commands/Defaults/PropertyListFile.swift",
  ]

  @Test func onlyTheNamedFilesOfTheCommandAreUnsafe() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Sources/VaultCommand").standardized.path
    let files = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    #expect(files.count > 40)
    for file in files where file.hasSuffix(".swift") && !Self.allowed.contains(file) {
      let text = try String(contentsOfFile: "\(root)/\(file)", encoding: .utf8)
      let code = text.split(separator: "\n").map { $0.prefix(while: { $0 != "/" }) }
      for line in code where line.split(whereSeparator: { !$0.isLetter }).contains("unsafe") {
        Issue.record("\(file): \(line)")
      }
    }
  }
}
