import Foundation
import TestSupport
import Testing
import VaultCommand
import VaultCommandCore

/// The help and the pages of the command say what is so: all of it, and nothing else.
struct DocumentedTests {
  @Test func everyVerbsHelpHasAnExample() throws {
    let grammar = try CommandGrammarDump()
    #expect(grammar.leaves.count > 35)
    for (path, verb) in grammar.all {
      let lines = (verb.discussion ?? "").split(separator: "\n")
      let isExample = { (line: Substring) in
        line.hasPrefix("vault \(path)") || line.contains("| vault \(path)")
      }
      #expect(lines.contains(where: isExample), "no example of: vault \(path)")
    }
  }

  @Test func theTableOfVerbsIsComplete() throws {
    let grammar = try CommandGrammarDump()
    var documented: Set<String> = []
    for row in try DocumentationPage("cli.md").rows(below: "Verbs") {
      for code in DocumentationPage.codes(row[0]) {
        let words = code.split { " ,".contains($0) }.map(String.init)
        var verb = try #require(
          grammar.root.verbs.first { $0.commandName == words.first }, "no such verb: \(code)")
        guard !verb.verbs.isEmpty else {
          documented.insert(verb.commandName)
          continue
        }
        // `sync subscription create` lies one step deeper than `sync init`.
        var (path, rest) = (verb.commandName, words.dropFirst())
        while let next = verb.verbs.first(where: { $0.commandName == rest.first }),
          !next.verbs.isEmpty
        {
          (verb, path, rest) = (next, "\(path) \(next.commandName)", rest.dropFirst())
        }
        let inner = rest.filter { word in
          verb.verbs.contains { $0.commandName == word }
        }
        #expect(!inner.isEmpty, "\(code)")
        documented.formUnion(inner.map { "\(path) \($0)" })
      }
    }
    let there = Set(grammar.leaves.map(\.path))
    #expect(documented.subtracting(there) == [], "documented, and not there")
    #expect(there.subtracting(documented) == [], "there, and not documented")
  }

  @Test func everyOptionIsDocumentedAndEveryDocumentedOptionIsThere() throws {
    let grammar = try CommandGrammarDump()
    let page = try ["cli.md", "statuses.md", "json.md", "monitoring.md"]
      .map { try DocumentationPage($0).text }.joined()
    let others = try ["helpers.md", "import.md", "data.md"].map { try DocumentationPage($0).text }
    let pages = ([page] + others).joined()
    let there = grammar.all.reduce(into: Set<String>()) { $0.formUnion($1.verb.longOptions) }
    for option in there.subtracting(["--help", "--version"]) {
      #expect(
        pages.firstRange(of: try Regex("\(option)(?![a-z-])")) != nil, "\(option) is undocumented")
    }
    for match in page.matches(of: /(?:^|[^a-z-])(--[a-z][a-z-]+)/) {
      let option = String(match.output.1)
      #expect(there.union(["--help", "--version"]).contains(option), "\(option) is not there")
    }
  }

  /// The lines of a block; of one with prompts of several machines only those that are typed.
  private func typed(_ block: String) -> [String] {
    let lines = block.components(separatedBy: "\n")
    let typed = lines.filter { $0.prefixMatch(of: #/[a-z]+\$ /#) != nil }
    return typed.isEmpty ? lines : typed
  }

  /// The lines of the guides that call the command, word by word, up to what follows it.
  private func calls(in text: String) -> [[String]] {
    let code = text.components(separatedBy: "```").enumerated().flatMap { offset, part in
      offset.isMultiple(of: 2) ? DocumentationPage.codes(part) : typed(part)
    }
    return code.flatMap { line in
      line.matches(of: /(?:^|[ (|;&])vault ([^|;&>)]+)/).compactMap { match -> [String]? in
        // The word is another program's, or a sentence's: `service vault`, `no vault`.
        let before = line[..<match.range.lowerBound]
        if ["service", "no", " a"].contains(where: before.hasSuffix) { return nil }
        let words = match.output.1.split(separator: " ").map(String.init)
        return Array(words.prefix { $0 != "--" && !$0.hasPrefix("#") })
      }
    }
  }

  @Test func theGuidesCallVerbsAndOptionsThatAreThere() throws {
    let grammar = try CommandGrammarDump()
    let folder = URL(fileURLWithPath: #filePath)
      .appendingPathComponent("../../../../Documentation/guides").standardized.path
    let guides = try FileManager.default.contentsOfDirectory(atPath: folder).map { "guides/\($0)" }
    #expect(guides.count >= 4)
    let pages = ["../README.md", "quick-start.md", "faq.md", "servers.md"] + guides
    let valued: Set = ["--home", "--vault", "--passphrase", "--key-file", "--color"]
    let every = grammar.all.reduce(into: Set<String>()) { $0.formUnion($1.verb.longOptions) }
    var count = 0
    for page in pages {
      for call in calls(in: try DocumentationPage(page).text) {
        var words = call[...]
        while let option = words.first, option.hasPrefix("-") {
          #expect(every.contains(option), "\(page): \(option) of vault \(call)")
          words = words.dropFirst(valued.contains(option) ? 2 : 1)
        }
        guard let word = words.first, word.allSatisfy({ $0.isLowercase && $0.isASCII }),
          word != "help"
        else { continue }
        count += 1
        guard var verb = grammar.root.verbs.first(where: { $0.commandName == word }) else {
          Issue.record("\(page): there is no verb of: vault \(call.joined(separator: " "))")
          continue
        }
        words = words.dropFirst()
        while !verb.verbs.isEmpty, !words.isEmpty {
          let inner = verb.verbs.first { $0.commandName == words.first }
          verb = try #require(inner, "\(page): vault \(call.joined(separator: " "))")
          words = words.dropFirst()
        }
        if verb.commandName == "defaults" { continue }
        for option in words where option.hasPrefix("--") {
          let name = option.split(separator: "=").first.map(String.init) ?? option
          #expect(
            verb.longOptions.contains(name),
            "\(page): \(name) of vault \(call.joined(separator: " "))")
        }
      }
    }
    #expect(count > 100)
  }

  @Test func theCommonOptionsAreListed() throws {
    let grammar = try CommandGrammarDump()
    let sets = grammar.leaves.filter { $0.path != "defaults" && $0.path != "completions" }
      .map(\.verb.longOptions)
    let first = try #require(sets.first)
    let common = sets.reduce(first) { $0.intersection($1) }.subtracting(["--help", "--version"])
    let page = try DocumentationPage("cli.md").text
    let paragraph = try #require(
      page.components(separatedBy: "\n\n").first { $0.contains("before or after the verb") })
    let listed = Set(
      DocumentationPage.codes(paragraph).map { String($0.prefix { $0 != " " }) }
        .filter { $0.hasPrefix("--") })
    #expect(listed == common)
    for option in common {
      let words = CommandLineParsing.movingGlobalOptions(
        ["--home=none", option, "value", "status"])
      #expect(words.first == "status" || words.first == "--home=none", "\(option)")
    }
  }

  @Test func theVariablesAreThoseThatAreRead() throws {
    let page = try DocumentationPage("statuses.md")
    let listed = Set(
      page.rows(below: "Variables").flatMap { DocumentationPage.codes($0[0]) })
    #expect(listed == Set(EnvironmentNames.all))
    let sources = URL(fileURLWithPath: #filePath)
      .appendingPathComponent("../../../../Sources").standardized.path
    var named: Set<String> = []
    for case let file as String in FileManager.default.enumerator(atPath: sources)?.allObjects ?? []
    where file.hasSuffix(".swift") {
      let text = try String(contentsOfFile: "\(sources)/\(file)", encoding: .utf8)
      named.formUnion(text.matches(of: /"(VAULT_[A-Z_]+)"/).map { String($0.output.1) })
    }
    #expect(named == listed)
  }

  @Test func theExitStatusesAreThoseOfTheCodes() throws {
    let there = Set(CommandError.Code.allCases.map(\.status.code)).union([ExitStatus.done.code])
    let listed = try DocumentationPage("statuses.md").rows(below: "Exit status").flatMap {
      $0[0].split(separator: ", ").compactMap { Int32($0) }
    }
    #expect(Set(listed) == there)
  }
}
