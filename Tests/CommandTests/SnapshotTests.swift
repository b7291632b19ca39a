import Foundation
import TestSupport
import Testing

private let hasPython = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

/// The help of every command and every man page are in the repository, as they are read.
@Suite(.enabled(if: hasPython, "needs python3"))
struct SnapshotTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  /// The files below a folder, by their paths in it.
  private func files(_ folder: String) throws -> [String: String] {
    var files: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder)
    where [".txt", ".1", ".7"].contains(where: name.hasSuffix) {
      files[name] = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    }
    return files
  }

  @Test func theHelpAndTheManualAreThoseOfTheRepository() throws {
    let home = try TemporaryHome()
    let made = try VaultProcess(home: home.path, executable: "\(Self.root)/scripts/snapshots").run([
      VaultProcess.path, "\(home.path)/snapshots",
    ])
    try #require(made.status == 0, "\(made.errors)")
    let found = try files("\(home.path)/snapshots")
    let kept = try files("\(Self.root)/Tests/CommandTests/Snapshots")
    #expect(found.count > 60)
    for name in Set(found.keys).union(kept.keys).sorted() where found[name] != kept[name] {
      let lines = [kept[name], found[name]].map { ($0 ?? "").components(separatedBy: "\n") }
      let before = lines[0].filter { !lines[1].contains($0) }.map { "- \($0)" }
      let after = lines[1].filter { !lines[0].contains($0) }.map { "+ \($0)" }
      let changes = (before + after).joined(separator: "\n")
      Issue.record("\(name) is another; look at it, then renew it: make snapshots\n\(changes)")
    }
  }

  @Test func theReferenceIsThatOfTheCommand() throws {
    let home = try TemporaryHome()
    let path = "\(home.path)/reference.md"
    let made = try VaultProcess(home: home.path, executable: "\(Self.root)/scripts/reference").run([
      VaultProcess.path, path,
    ])
    try #require(made.status == 0, "\(made.errors)")
    let found = try String(contentsOfFile: path, encoding: .utf8)
    let kept = try String(
      contentsOfFile: "\(Self.root)/Documentation/reference.md", encoding: .utf8)
    #expect(found == kept, "Documentation/reference.md is not current: make snapshots")
  }
}
