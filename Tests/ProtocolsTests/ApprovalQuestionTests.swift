import Testing
import VaultProtocols

struct ApprovalQuestionTests {
  private func question(
    _ program: ApprovalQuestion.Program, purpose: String? = nil, folder: String? = nil,
    reason: String? = nil
  ) -> ApprovalQuestion {
    ApprovalQuestion(
      item: "git/good.example/me", use: "git", purpose: purpose, sentence: "It wants something.",
      programs: [program], folder: folder, reason: reason)
  }

  private func file(_ path: String) -> ApprovalQuestion.Program {
    .init(process: 1, name: path, isPath: true)
  }

  // MARK: Answers

  @Test(arguments: [
    ("o", ApprovalAnswer.once), ("Once", .once), (" y ", .once), ("YES", .once), ("r", .run),
    ("run", .run), ("h", .hour), ("hour", .hour), ("n", .never), ("No", .never),
    ("  never  ", .never),
  ])
  func aWholeWordIsAnAnswer(typed: String, answer: ApprovalAnswer) {
    #expect(ApprovalAnswer(typed: Array(typed.utf8)) == answer)
  }

  /// Also a word that begins as a yes does, and the sequence of a key.
  @Test(arguments: [
    "", " ", "refuse", "refused", "reject", "help", "off", "on", "only once", "\u{1B}OP",
    "\u{1B}o", "\to", "o\u{7}", "o\0", "\u{F}", "/", "o o", "ö", "y\u{301}",
    "o" + String(repeating: " ", count: 64),
  ])
  func anythingElseIsARefusal(typed: String) {
    #expect(ApprovalAnswer(typed: Array(typed.utf8)) == .refused)
  }

  // MARK: Names

  @Test(arguments: [
    ("/usr/bin/git", "git"), ("/usr/bin/g++-12_x.1", "g++-12_x.1"),
    (
      "/tmp/git (process 1, started by bash) wants to use 'x'.",
      "\"git (process 1, started by bash)\u{2026}\""
    ),
    ("/tmp/a\" < b", "\"a\\u{22} < b\""), ("/tmp/a\u{201D} < b", "\"a\\u{201d} < b\""),
    ("/tmp/a\u{1B}[2J", "\"a\\u{1b}[2J\""), ("/tmp/größe", "\"größe\""),
    ("/tmp/" + String(repeating: "x", count: 40), String(repeating: "x", count: 32) + "\u{2026}"),
  ])
  func aNameOfAFileIsNoPartOfTheQuestion(path: String, shown: String) {
    #expect(file(path).shown == shown)
  }

  /// Only what is marked as our own words stands without quotes.
  @Test func aNameOfAProcessIsNoWordOfOurs() throws {
    let words = "a program in another namespace"
    let own = ApprovalQuestion.Program(process: 1, name: words, isPath: false, isUnknown: true)
    let other = ApprovalQuestion.Program(process: 1, name: words, isPath: false)
    #expect(own.shown == words && other.shown == "\"\(words)\"")
    #expect(
      ApprovalQuestion.Program(process: 1, name: "\u{1B}[2J", isPath: false, isUnknown: true).shown
        == "\\u{1b}[2J")
    for program in [own, other] {
      let event = ApprovalEvent.question(question(program))
      #expect(ApprovalEvent(event.line) == event)
    }
  }

  @Test func whatAProgramSaysIsQuotedAndLast() {
    var one = question(
      file("/bin/sh"), purpose: "https://good.example", folder: "/tmp/a. It works in /home",
      reason: "x\". It works in /etc. It says why: \"\u{1B}[2J")
    one.count = 2
    #expect(
      one.line
        == "It wants something. It is for https://good.example."
        + " It works in \"/tmp/a. It works in /home\". It asks 2 times. It says why: "
        + "\"x\\u{22}. It works in /etc. It says why: \\u{22}\\u{1b}[2J\".")
  }

  // MARK: Requests that are one question

  @Test func aQuestionSaysThatNotAllIsAsItShows() {
    var one = question(file("/bin/sh"))
    #expect(one.times == nil)
    (one.count, one.isMixed) = (2, true)
    #expect(one.line.contains("It asks 2 times, not all for that, by these programs"))
  }

  @Test func whatIsShownIsCompared() {
    let one = question(file("/bin/sh"), purpose: "a", folder: "/b", reason: "c")
    var same = question(
      .init(process: 2, name: "/bin/sh", isPath: true), purpose: "a", folder: "/b", reason: "c")
    same.number = 7
    #expect(one.shows(same))
    for other in [
      question(file("/opt/sh"), purpose: "a", folder: "/b", reason: "c"),
      question(file("/bin/sh"), purpose: "b", folder: "/b", reason: "c"),
      question(file("/bin/sh"), purpose: "a", folder: "/c", reason: "c"),
      question(file("/bin/sh"), purpose: "a", folder: "/b"),
    ] { #expect(!one.shows(other)) }
  }

  // MARK: Lines

  /// What a connection takes is 64 KiB; the longest escape of a scalar has six bytes.
  @Test(arguments: ["\u{1}", "\u{2028}", "\u{1F600}"])
  func theLongestQuestionIsALine(scalar: String) {
    let long = String(repeating: scalar, count: 70_000)
    let one = ApprovalQuestion(
      item: long, use: "git", purpose: long, sentence: long,
      programs: (0..<16).map { .init(process: $0, name: "/\(long)", isPath: true) },
      folder: long, reason: long)
    let event = ApprovalEvent.question(one)
    #expect(event.line.count < 60 << 10)
    #expect(ApprovalEvent(event.line) == event)
  }

  /// What is drawn over, takes no room, or only room; a line break, and what looks like one.
  @Test func aCommandIsSeenWholeAndIsNoOther() {
    func shown(_ words: String...) -> String { ApprovalQuestion.quotedCommand(words) }
    #expect(shown("/bin/echo", "a b") == "\"/bin/echo 'a b'\"")
    #expect(shown("a\nb") == "\"'a\\nb'\"")
    #expect(shown("a\\u{a}b") == "\"'a\\\\u{a}b'\"")
    #expect(shown("a\\nb") != shown("a\nb") && shown("a", "b") != shown("a b"))
    #expect(shown("x" + String(repeating: " ", count: 900) + "y") == "\"'x\\u{20 x 900}y'\"")
    #expect(shown("a    b") == "\"'a    b'\"")
    for scalar in [
      "\u{3000}", "\u{a0}", "\u{200b}", "\u{ad}", "\u{e0041}", "\u{2800}", "\u{3164}",
      "\u{301}", "\u{201d}", "\u{e000}",
    ] as [Unicode.Scalar] {
      let hex = String(scalar.value, radix: 16)
      #expect(shown("a\(scalar)b") == "\"'a\\u{\(hex)}b'\"")
      #expect(shown("a\\u{\(hex)}b") == "\"'a\\\\u{\(hex)}b'\"")
    }
    #expect(shown("\u{202e}\u{1b}") == "\"'\\u202e\\u001b'\"")
    let one = question(file("/bin/sh"), reason: "a\u{200b}\u{e0041}\u{2800}b").line
    let isASCII = one.utf8.allSatisfy { $0 < 0x80 }
    #expect(isASCII, "\(one)")
  }
}
