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
      let answer = shown(output, home: home) + end
      if let before = json(step.answer), let now = json(answer) {
        // A later version may say more.
        #expect(contains(now, before), "\(comment): \(answer)")
      } else {
        #expect(answer == step.answer, comment)
      }
    }
  }

  private static func json(_ text: String) -> NSDictionary? {
    (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? NSDictionary
  }

  /// Whether every member of `part` is in `whole`, with the same value.
  private static func contains(_ whole: Any, _ part: Any) -> Bool {
    switch (whole, part) {
    case (let whole as NSDictionary, let part as NSDictionary):
      part.allKeys.allSatisfy { key in
        guard let value = whole[key], let expected = part[key] else { return false }
        return contains(value, expected)
      }
    case (let whole as NSArray, let part as NSArray):
      whole.count == part.count && zip(whole, part).allSatisfy { contains($0, $1) }
    default: (whole as? NSObject) == (part as? NSObject)
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
