import Foundation
import TestSupport
import Testing

/// The lines that helpers.md has for programs without a protocol: each is run as it stands there,
/// with a secret that has blanks, quotes, a backslash and a letter beyond ASCII.
struct ClientLineTests {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../Scripts/clients.sh").standardized.path

  /// The rows of the page's table.
  private static func rows() throws -> [(program: String, line: String)] {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Documentation/helpers.md").standardized
    let text = try String(contentsOf: page, encoding: .utf8)
    let section = try #require(
      text.components(separatedBy: "## Programs with a line of their own\n").last?
        .components(separatedBy: "What does not work").first)
    return section.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2).compactMap {
      row in
      let cells = row.replacingOccurrences(of: "\\|", with: "\u{1}").split(separator: "|")
      // Two backquotes around a line that has one itself.
      let text = cells.last ?? ""
      let quotes = text.contains("``") ? "``" : "`"
      let words = text.components(separatedBy: quotes)
      guard cells.count > 1, words.count > 2 else { return nil }
      return (
        cells[0].trimmingCharacters(in: .whitespaces),
        words[1].replacingOccurrences(of: "\u{1}", with: "|")
      )
    }
  }

  @Test func theScriptHasEachLineOfThePage() throws {
    let script = try String(contentsOfFile: Self.script, encoding: .utf8)
    let rows = try Self.rows()
    #expect(rows.count == 18)
    for row in rows {
      #expect(script.contains(row.line), "\(row.program): \(row.line)")
      #expect(script.contains("\n\(row.program))\n"), "\(row.program)")
    }
  }

  @Test(arguments: [
    "restic", "borg", "rclone", "ansible-vault", "msmtp", "mbsync", "neomutt", "curl", "ssh-add",
    "gpg", "terraform", "make", "envsubst", "direnv", "wget", "svn", "lftp", "s3cmd",
  ])
  func theLineOfThePageGivesTheSecret(_ program: String) throws {
    let home = try TemporaryHome()
    let folder = "\(home.path)/work"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let commands = URL(fileURLWithPath: VaultProcess.path).deletingLastPathComponent().path
    let run = try VaultProcess(home: home.path, executable: "/bin/bash").run(
      ["-c", "cd \"$0\" && exec bash \"$1\" \"$2\"", folder, Self.script, program],
      adding: [
        "VAULT_KEY_FILE": "\(home.path)/key", "LC_ALL": "C.UTF-8",
        "PATH": "\(commands):/usr/local/bin:/usr/bin:/bin",
      ])
    // 3: the program is not installed here.
    #expect(run.status == 3 || run.text.hasSuffix("right\n"), "\(run.text)\(run.errors)")
  }
}
