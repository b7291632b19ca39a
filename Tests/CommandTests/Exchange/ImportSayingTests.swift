import Foundation
import TestSupport
import Testing

/// What an import says: enough to act on, and no more lines than a person reads.
struct ImportSayingTests {
  private let vault: ThrowawayVault

  init() throws { vault = try ThrowawayVault() }

  private func file(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    let path = "\(vault.home.path)/\(name)"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test func thousandsOfSkippedRowsAreAFewLines() throws {
    let rows = (1...5000).map { "t\($0),u,p,too,many\n" }.joined()
    let path = try file("x.csv", "title,username,password\n\(rows)".utf8)
    let run = try vault("import", "csv", path)
    #expect(run.status == 1)
    #expect(run.errors.split(separator: "\n").count < 15, "\(run.errors)")
    #expect(run.errors.contains("skipped: row 2: "), "\(run.errors)")
    #expect(run.errors.contains("vault: and 4,990 more; all of them: --json"), "\(run.errors)")
    #expect(run.errors.contains("5000 skipped"), "\(run.errors)")
    let json = try vault("import", "csv", path, "--json")
    #expect(json.text.contains("row 5001"))
  }

  /// A line that counts one more would take the room of that one.
  @Test func elevenAreAllSaid() throws {
    let rows = (1...11).map { "t\($0),u,p,too,many\n" }.joined()
    let path = try file("x.csv", "title,username,password\n\(rows)".utf8)
    let run = try vault("import", "csv", path)
    #expect(run.errors.contains("row 12: ") && !run.errors.contains(" more"), "\(run.errors)")
  }

  @Test func anAccountThatIsSpelledInTwoWaysIsSaid() throws {
    let csv = try file("x.csv", "title,username,password\nGit Hub,ann,p1\nMail,bob,p2\n".utf8)
    #expect(try vault("import", "csv", csv).status == 0)
    let json = try file(
      "x.json",
      #"""
      {"encrypted":false,"items":[
      {"id":"1","type":1,"name":"github","login":{"username":"Ann","password":"p1"}},
      {"id":"2","type":1,"name":"GITHUB","login":{"username":"eve","password":"p3"}},
      {"id":"3","type":1,"name":"mail ","login":{"username":"bob","password":"p2"}}]}
      """#.utf8)
    let run = try vault("import", "bitwarden", json)
    #expect(run.errors.contains("github: it may be the account that is here as 'Git Hub'"))
    #expect(!run.errors.contains("GITHUB: it may"), "\(run.errors)")
    #expect(try vault("get", "Git Hub").text == "p1" && vault("get", "github").text == "p1")
    // Again, nothing is new, and nothing is said.
    #expect(try !vault("import", "bitwarden", json).errors.contains("it may be"))
  }

  @Test(arguments: ["bitwarden", "json", "aegis"])
  func aDocumentInAnotherEncodingIsSaidToBeThat(format: String) throws {
    let path = try file(
      "x.json",
      Array(#"{"encrypted":false,"items":[{"name":"caf"#.utf8) + [0xE9] + Array("\"}]}".utf8))
    let run = try vault("import", format, path)
    #expect(run.status == 65, "\(run.errors)")
    #expect(run.errors.contains("it is not UTF-8"), "\(run.errors)")
    #expect(run.errors.contains("hint: save the file as UTF-8"), "\(run.errors)")
  }
}
