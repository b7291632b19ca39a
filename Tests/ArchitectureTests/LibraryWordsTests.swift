import Foundation
import Testing

/// A library says what is wrong and what would help; the command alone says what to type.
///
/// A window that shows an error of `VaultCredentials` must not show a line of shell.
struct LibraryWordsTests {
  /// Files with the options or the files of other programs.
  private static let others = [
    "VaultProtocols/PythonKeyring/KeyringLine.swift",
    "VaultProtocols/Connections/PodmanConfiguration.swift",
    "VaultTerminal/Clipboard/ClipboardProgram.swift", "VaultTerminal/Editor/Editor.swift",
  ]

  private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Sources").standardized.path

  private static func files(below folder: String) -> [String] {
    let all = FileManager.default.enumerator(atPath: "\(sources)/\(folder)")?.allObjects ?? []
    return all.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }
      .map { "\(sources)/\(folder)/\($0)" }
  }

  /// The words that the command takes, from the declarations of its commands.
  private static func commandNames() throws -> Set<String> {
    var names: Set<String> = []
    for file in files(below: "VaultCommand") {
      let text = try String(contentsOfFile: file, encoding: .utf8)
      for match in text.matches(of: /commandName: "([a-z-]+)"/) {
        names.insert(String(match.output.1))
      }
    }
    return names
  }

  /// Lines of code with a string, without comments.
  private static func lines(with file: String) throws -> [Substring] {
    try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
      .map { $0.drop { $0 == " " } }.filter { !$0.hasPrefix("//") }
  }

  @Test func noLibraryNamesACommandOrAnOption() throws {
    let names = try Self.commandNames()
    #expect(names.count > 40)
    let libraries = try FileManager.default.contentsOfDirectory(atPath: Self.sources)
      .filter { $0.hasPrefix("Vault") && $0 != "VaultCommand" }
    #expect(libraries.count > 5)
    var read = 0
    for file in libraries.flatMap(Self.files)
    where !Self.others.contains(where: file.hasSuffix) {
      for line in try Self.lines(with: file) {
        for literal in line.matches(of: /"((?:[^"\\]|\\.)*)"/) {
          read += 1
          let text = literal.output.1
          let command = text.matches(of: /\bvault ([a-z-]+)/).map { String($0.output.1) }
            .first(where: names.contains)
          #expect(command == nil, "\(file): \(text)")
          #expect(text.firstMatch(of: /(?:^|[^A-Za-z0-9-])--[a-z]/) == nil, "\(file): \(text)")
        }
      }
    }
    #expect(read > 1000)
  }
}
