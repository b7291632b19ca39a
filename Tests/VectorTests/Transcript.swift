import Foundation
import Testing

/// Commands with what they answered, as `make_vectors.py` writes them.
enum Transcript {
  struct Step: Sendable {
    /// The command's words, with `$HOME` for the home.
    var words: [String]
    /// Its standard output and exit status, in the transcript's form.
    var answer: String
    /// Whether only the command's effect counts: its output holds the time of day.
    var isSilent: Bool
  }

  static func steps(in text: String) -> [Step] {
    let prompt = "$ vault "
    let silently = " > /dev/null"
    var steps: [Step] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      if line.hasPrefix(prompt) {
        let isSilent = line.hasSuffix(silently)
        let command = line.dropFirst(prompt.count).dropLast(isSilent ? silently.count : 0)
        steps.append(
          Step(
            words: command.split(separator: " ").map(String.init), answer: "", isSilent: isSilent))
      } else {
        steps[steps.count - 1].answer += "\(line)\n"
      }
    }
    return steps
  }

  /// The parts of an answer that speak of the files, where others speak of the machine.
  private static let stable = [
    "check": ["isDamaged", "isComplete", "items", "earlierVersions"],
    "status": ["id", "slots", "items", "trash", "earlierVersions", "expired", "copies"],
  ]

  /// Expects that `run` answers each step as before.
  static func compare(
    _ steps: [Step], in home: String,
    running run: (_ words: [String]) throws -> (status: Int32, output: Data)
  ) throws {
    #expect(!steps.isEmpty)
    for step in steps {
      let words = step.words.map { $0.replacing("$HOME", with: home) }
      let (status, output) = try run(words)
      let end = status == 0 ? "" : "exit \(status)\n"
      let comment = Comment(rawValue: "vault \(words.joined(separator: " "))")
      guard !step.isSilent else {
        #expect(end == step.answer, comment)
        continue
      }
      if let kept = stable[words[0]], words[1] == "--json" {
        #expect(try parts(kept, of: output) == parts(kept, of: Data(step.answer.utf8)), comment)
        continue
      }
      #expect(shown(output, home: home) + end == step.answer, comment)
    }
  }

  private static func parts(_ names: [String], of answer: Data) throws -> NSDictionary {
    let object = try JSONSerialization.jsonObject(with: answer)
    let all = try #require(object as? [String: Any])
    #expect(names.allSatisfy { all[$0] != nil })
    return NSDictionary(dictionary: all.filter { names.contains($0.key) })
  }

  private static func shown(_ output: Data, home: String) -> String {
    guard let text = String(data: output, encoding: .utf8) else {
      return "base64 \(output.base64EncodedString())\n"
    }
    let short = text.replacing(home, with: "$HOME")
      .replacing(/[A-Za-z0-9+\/=]{1000,}/) { "<\($0.output.count) characters>" }
    return short.isEmpty || short.hasSuffix("\n") ? short : "\(short)\n<no newline>\n"
  }
}
