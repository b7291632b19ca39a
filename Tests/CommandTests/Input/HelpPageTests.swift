import Foundation
import TestSupport
import Testing

/// Help in the order in which people read it.
struct HelpPageTests {
  private func text(_ words: String...) throws -> String {
    let home = try TemporaryHome()
    let run = try VaultProcess(home: home.path).run(words)
    #expect(run.status == 0, "\(run.errors)")
    return run.text
  }

  /// The headings of a page, in their order.
  private func headings(_ page: String) -> [String] {
    page.split(separator: "\n").compactMap { line in
      line.firstMatch(of: /^([A-Z][A-Z '&-]*):/).map { String($0.output.1) }
    }
  }

  @Test func theVerbsOwnOptionsComeFirstAndTheCommonOnesAreALine() throws {
    let page = try text("set", "--help")
    let found = headings(page)
    #expect(Array(found.prefix(4)) == ["OVERVIEW", "USAGE", "ARGUMENTS", "OPTIONS"])
    #expect(!found.contains("COMMON OPTIONS"))
    #expect(!page.contains("--keyring-timeout"))
    #expect(!page.contains("Show the version"))
    #expect(page.hasSuffix("\nAnd the common options: vault help options\n"))
    #expect(try text("help", "set") == page)
  }

  @Test func theUsageOfRunShowsTheCommandAndThatOfLockIsShort() throws {
    #expect(
      try text("help", "run").contains(
        "USAGE: vault run [NAME…] [FOLDER/…] [--env V=REF…] [<options>] -- COMMAND [ARG…]\n"))
    #expect(try text("lock", "--help").contains("USAGE: vault lock [<options>]\n"))
  }

  @Test func theCommonOptionsHaveAPage() throws {
    let page = try text("help", "options")
    for option in ["--home", "--vault", "--json", "-q, --quiet", "--key-file", "--no-session"] {
      #expect(page.contains(option), "\(option)")
    }
  }

  @Test func allVerbsAreListedBelowTheirSections() throws {
    let page = try text("help", "all")
    #expect(try text("--help") == page)
    #expect(try text("help") == page)
    #expect(
      headings(page) == [
        "OVERVIEW", "USAGE", "OPTIONS", "KEEP SECRETS", "USE SECRETS", "MANAGE THE VAULT",
        "PREFERENCES", "APP DATA", "INTEGRATIONS", "SETUP",
      ])
    #expect(try text("key", "--help").contains("SUBCOMMANDS:\n"))
  }

  @Test func theCommandAloneIsShort() throws {
    let page = try text()
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 21)
    #expect(lines.allSatisfy { $0.count <= 80 })
    #expect(page.hasSuffix("\nno vault yet: vault init\n"))
    #expect(try text("--json") == page)
  }
}
