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
    "VaultTerminal/Picker/MenuProgram.swift", "VaultTerminal/Clipboard/ClipboardProgram.swift",
    "VaultTerminal/Editor/Editor.swift",
    "VaultSyncEngines/GitRepository.swift", "VaultSyncEngines/GitFailure.swift",
    "VaultServerEngines/Rclone/RcloneCall.swift",
  ]

  /// The command's own parts: they know its words.
  private static let command: Set = [
    "VaultCommand", "VaultCommandCore", "VaultCompletion", "VaultDefaultsTool",
  ]

  /// The words that the command takes, from the declarations of its commands.
  private static func commandNames() throws -> Set<String> {
    var names: Set<String> = []
    for file in SourceTree.sources.swiftFiles(of: "VaultCommand") {
      let text = try SourceTree.sources.text(of: file)
      for match in text.matches(of: /commandName: "([a-z-]+)"/) {
        names.insert(String(match.output.1))
      }
    }
    return names
  }

  /// Lines of code with `text`, without comments: an expression takes its time on each line.
  private static func lines(of file: String, with text: String) throws -> [Substring] {
    try SourceTree.sources.text(of: file).split(separator: "\n")
      .filter { $0.utf8.firstRange(of: text.utf8) != nil }
      .map { $0.drop { $0 == " " } }.filter { !$0.hasPrefix("//") }
  }

  /// Whether a text holds a line to type, such as `vault key list`; a vault key is a thing.
  private static func isTyped(in text: Substring, _ names: Set<String>) -> Bool {
    text.utf8.firstRange(of: "vault ".utf8) != nil
      && text.matches(of: /(?:^|[\s"'`(|])vault ([a-z-]+)( [a-z-]+)?/).contains { match in
        let (word, next) = (String(match.output.1), String(match.output.2?.dropFirst() ?? ""))
        return names.contains(word) && (word != "key" || names.contains(next))
      }
  }

  @Test func noLibraryNamesACommandOrAnOption() throws {
    let names = try Self.commandNames()
    #expect(names.count > 40)
    let libraries = SourceTree.sources.targets.values.joined()
      .filter { $0.hasPrefix("Vault") && !Self.command.contains($0) }.sorted()
    #expect(libraries.count > 5)
    var read = 0
    for file in libraries.flatMap(SourceTree.sources.swiftFiles)
    where !Self.others.contains(file) {
      for line in try Self.lines(of: file, with: "\"") {
        for literal in line.matches(of: /"((?:[^"\\]|\\.)*)"/) {
          read += 1
          let text = literal.output.1
          let isTyped = Self.isTyped(in: text, names)
          let hasOption =
            text.utf8.firstRange(of: "--".utf8) != nil
            && text.contains(/(?:^|[^A-Za-z0-9-])--[a-z]/)
          #expect(!isTyped && !hasOption, "\(file): \(text)")
        }
      }
    }
    #expect(read > 1000)
  }

  /// The command may be installed as `lvault`: what is to be typed takes the name from
  /// `ProgramName`.
  @Test func noTextOfTheCommandSpellsItsNameOut() throws {
    let names = try Self.commandNames().union(["help"])
    // The marks in podman's file stay as they are, whatever the command is called.
    let marks = ["connect podman"]
    for file in Self.command.sorted().flatMap(SourceTree.sources.swiftFiles) {
      for line in try Self.lines(of: file, with: "vault ")
      where !marks.contains(where: line.contains) {
        #expect(!Self.isTyped(in: line, names), "\(file): \(line)")
      }
    }
  }
}
