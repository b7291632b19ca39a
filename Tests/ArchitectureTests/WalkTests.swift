import Foundation
import Testing

/// The walks at the head of ARCHITECTURE.md lead through files that are there, in an order in which
/// one uses the next.
struct WalkTests {
  /// A file of a walk, with the name to look for.
  private struct Step {
    let file: String
    let name: String
  }

  private static func walks() throws -> [(title: String, steps: [Step])] {
    let page = try SourceTree(".").lines(of: "ARCHITECTURE.md").joined(separator: "\n")
    let head = page.components(separatedBy: "\n## ")[0]
    return head.components(separatedBy: "\n\n").filter { $0.hasPrefix("**") }.map { paragraph in
      let steps = paragraph.matches(of: /`([^`\s]+\.swift)`\s+\(`(\w+)`\)/).map {
        Step(file: String($0.1), name: String($0.2))
      }
      return (String(paragraph.prefix(40)), steps)
    }
  }

  @Test func eachWalkLeadsFromAFileToTheNext() throws {
    let walks = try Self.walks()
    #expect(walks.count == 4)
    let sources = SourceTree.sources
    for (title, steps) in walks {
      #expect(steps.count >= 4, "\(title)")
      var before = ""
      for step in steps {
        let text = try sources.lines(of: step.file).joined(separator: "\n")
        let declaration = try Regex("\\b(func|struct|enum|class|protocol) \(step.name)\\b")
          .wordBoundaryKind(.simple)
        #expect(text.contains(declaration), "\(step.file) declares no \(step.name)")
        let use = try Regex("\\b\(step.name)\\b").wordBoundaryKind(.simple)
        #expect(
          before.isEmpty || before.contains(use),
          "\(title): nothing before \(step.file) uses \(step.name)")
        before += text
      }
    }
  }

  /// The ten scripts that a contributor needs are there, and say at their heads what they do.
  @Test func theScriptsOfTheirPageAreThere() throws {
    let scripts = SourceTree("scripts")
    let named = try scripts.lines(of: "README.md").compactMap {
      $0.firstMatch(of: /^\| `([\w.-]+)` \|/).map { String($0.1) }
    }
    #expect(named.count == 10)
    for name in named {
      let head = try scripts.lines(of: name).prefix(3).joined(separator: "\n")
      #expect(head.contains(name), "\(name) does not say at its head what it does")
    }
  }
}
