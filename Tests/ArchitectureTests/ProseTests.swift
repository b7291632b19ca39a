import Foundation
import Testing

/// The pages: their lines, their words, and the files that they and the comments refer to.
struct ProseTests {
  /// Words that are not used any more, and why.
  static let replaced: [(pattern: String, reason: String)] = [
    (#"\bdoors?\b"#, "say 'unlock source': 'door' is nobody's term but ours"),
    (#"\b(?:is|are|was|were|be) told\b"#, "say who reports it: 'the command reports …'"),
    (#"(?<!there )\b(?:is|are) no (?!longer|more than)"#, "say 'is not a …'"),
    (#"\bmend(?:s|ed|ing)?\b"#, "say 'repair' or 'fix'"),
    (#"\bwhoever\b"#, "name them: 'a program that …', 'anyone who …'"),
    (#"\bin clear\b"#, "say 'in plain text'"),
    (#"\bkey-files?\b"#, "say 'key file'; the option is code: `--key-file`"),
    (#"\btak(?:e|es|en) back\b"#, "say 'undo' or 'revert'"),
    (
      #"\b(?:colour|behaviour|neighbour|licence|synchronise|capitalise|spelt|misspelt)"#,
      "US spelling"
    ),
  ]

  /// A record of findings, which quotes them: its words are those of the time.
  private static let records: Set<String> = ["Documentation/design/reviewed.md"]

  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../..").standardized.path

  /// The pages, by their paths below the root.
  private static let pages: [(path: String, lines: [String])] = {
    let folders = [
      "", "Documentation/", "Documentation/guides/", "Documentation/design/",
      "Documentation/design/decisions/", "Benchmarks/", "Examples/",
    ]
    let articles = files(below: "Sources").filter { $0.contains(".docc/") }
    let pages = folders.flatMap { folder in
      ((try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)")) ?? [])
        .map { folder + $0 }
    }
    return (pages + articles).filter { $0.hasSuffix(".md") }.sorted().map { path in
      (path, text(path).components(separatedBy: "\n"))
    }
  }()

  private static func files(below folder: String) -> [String] {
    let found = FileManager.default.enumerator(atPath: "\(root)/\(folder)")?
      .compactMap { $0 as? String }
    return (found ?? []).map { "\(folder)/\($0)" }
  }

  private static func text(_ path: String) -> String {
    (try? String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)) ?? ""
  }

  /// The lines of a page that are neither code nor tables nor remarks, with their numbers.
  private static func prose(_ lines: [String]) -> [(number: Int, text: String)] {
    var isCode = false
    return lines.enumerated().compactMap { offset, line in
      if line.drop(while: { $0 == " " }).hasPrefix("```") {
        isCode.toggle()
        return nil
      }
      // What scripts/page-session is told; no reader sees it.
      let isRemark = line.hasPrefix("<!-- ")
      let isExempt = isCode || isRemark || line.hasPrefix("|") || line.hasPrefix("    ")
      return isExempt ? nil : (offset + 1, line)
    }
  }

  @Test func noLineOfProseIsLongerThan100Columns() {
    #expect(Self.pages.count > 40)
    for page in Self.pages {
      for line in Self.prose(page.lines) where line.text.count > 100 {
        // A link cannot be wrapped.
        let isLink = line.text.contains("](") || line.text.contains("://")
        #expect(isLink, "\(page.path):\(line.number) has \(line.text.count) columns")
      }
    }
  }

  @Test func wordsThatWereReplacedDoNotComeBack() throws {
    let code = try NSRegularExpression(pattern: "`[^`]*`")
    let rules = try Self.replaced.map {
      let pattern = try NSRegularExpression(pattern: $0.pattern, options: .caseInsensitive)
      return (pattern: pattern, reason: $0.reason)
    }
    for page in Self.pages where !Self.records.contains(page.path) {
      // Joined, since a term may be wrapped; terms in code are the program's own.
      let text = Self.prose(page.lines).map(\.text).joined(separator: " ")
      let plain = code.stringByReplacingMatches(
        in: text, range: NSRange(text.startIndex..., in: text), withTemplate: "`")
      for rule in rules {
        for match in rule.pattern.matches(
          in: plain, range: NSRange(plain.startIndex..., in: plain))
        {
          let found = Range(match.range, in: plain).map { String(plain[$0]) } ?? ""
          Issue.record("\(page.path) says '\(found)': \(rule.reason)")
        }
      }
    }
  }

  @Test func filesThatAreReferredToAreThere() throws {
    let link = try NSRegularExpression(pattern: #"\]\(([^)#:]+)(?:#[^)]*)?\)"#)
    for page in Self.pages {
      let text = page.lines.joined(separator: "\n")
      let folder =
        page.path.contains("/")
        ? String(page.path[..<(page.path.lastIndex(of: "/") ?? page.path.endIndex)]) : ""
      for match in link.matches(in: text, range: NSRange(text.startIndex..., in: text)) {
        guard let range = Range(match.range(at: 1), in: text) else { continue }
        let path = "\(Self.root)/\(folder)/\(text[range])"
        let isThere = FileManager.default.fileExists(atPath: path)
        #expect(isThere, "\(page.path) links to \(text[range])")
      }
    }
    // A page that a comment names is in the repository, or an address says where it is.
    let citation = try NSRegularExpression(pattern: #"(?<![\w/.:-])([\w./-]+\.md)\b"#)
    for path in Self.files(below: "Sources") where path.hasSuffix(".swift") || path.hasSuffix(".h")
    {
      for line in Self.text(path).split(separator: "\n") where line.contains("//") {
        let line = String(line)
        for match in citation.matches(in: line, range: NSRange(line.startIndex..., in: line)) {
          guard let range = Range(match.range(at: 1), in: line) else { continue }
          let isThere = FileManager.default.fileExists(atPath: "\(Self.root)/\(line[range])")
          let isElsewhere = line[range].hasPrefix("swift/docs/")
          #expect(isThere || isElsewhere, "\(path) cites \(line[range])")
        }
      }
    }
  }
}
