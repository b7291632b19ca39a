import ArgumentParser
import VaultCommandCore
import VaultProtocols
import VaultStorage
import VaultTerminal

/// `vault approve`.
struct ApproveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "approve",
    abstract: "Allow uses that a person is asked about, in another terminal.",
    discussion: """
      Where guard, ssh-agent or keyring serve has --confirm, the first use of an item is a question. With \
      --watch it is shown here: which item, by which program, in which folder, and why. Return alone refuses.

      \(ProgramName.current) approve --watch           show questions as they come
      \(ProgramName.current) approve                   what waits for an answer
      \(ProgramName.current) approve --list            what is allowed or refused for longer
      \(ProgramName.current) approve --forget all      ask again from now on
      """)

  @Flag(help: "Show questions as they come, and take the answers, until Ctrl-C.")
  var watch = false

  @Flag(help: "List the answers that hold for longer, with their numbers.")
  var list = false

  @Option(
    help: ArgumentHelp("Forget an answer by its number, or 'all'.", valueName: "number"))
  var forget: String?

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    guard [watch, list, forget != nil].filter(\.self).count <= 1 else {
      throw CommandError.usage(
        "--watch, --list and --forget exclude each other",
        hint: "\(ProgramName.current) approve --list")
    }
    if watch {
      guard !settings.writesJSON else {
        throw CommandError.usage(
          "--watch asks on a terminal", hint: "\(ProgramName.current) approve --json")
      }
      return try ApprovalWatch().run()
    }
    if let forget { return try forgetAnswers(forget, settings) }
    let answers = try ApprovalServers().ask(.list)
    if list {
      try write(kept: answers.compactMap(Self.kept), settings)
    } else {
      try write(
        questions: answers.compactMap { server, event in
          if case .question(let question) = event { (server, question) } else { nil }
        }, settings)
    }
  }

  private typealias Kept = (server: ApprovalServers.Server, answer: KeptAnswer)
  private typealias Question = (server: ApprovalServers.Server, question: ApprovalQuestion)

  private static func kept(
    _ server: ApprovalServers.Server, _ event: ApprovalEvent
  ) -> Kept? {
    if case .kept(let answer) = event { (server, answer) } else { nil }
  }

  private func forgetAnswers(_ text: String, _ settings: VaultSettings) throws {
    let parts = text.parts(at: ".").map { String($0) }
    let number = parts.count == 2 ? Int(parts[1]) : nil
    guard text == "all" || number != nil else {
      throw CommandError.usage(
        "'\(Sanitizer.visible(text))' is not the number of an answer",
        hint: "see their numbers: \(ProgramName.current) approve --list")
    }
    let servers = try ApprovalServers()
    let forgotten = try servers.ask(.forget(number: number)) { number == nil || $0 == parts[0] }
      .compactMap(Self.kept)
    if number != nil, forgotten.isEmpty {
      throw CommandError(
        .itemNotFound, "there is no answer '\(Sanitizer.visible(text))' any more",
        hint: "see their numbers: \(ProgramName.current) approve --list")
    }
    if settings.writesJSON { return try write(kept: forgotten, settings) }
    StandardError.confirmation("forgot \(Plural.of(forgotten.count, "answer"))")
  }

  private func write(questions: [Question], _ settings: VaultSettings) throws {
    if settings.writesJSON {
      return try StandardOutput.write("questions", questions) { writer, one in
        writer.object { object in
          object.next("serves", .string(one.server.serves))
          object.next("server", .string(one.server.name))
          for (name, value) in one.question.members { object.next(name, value) }
        }
      }
    }
    let lines = questions.map { server, question in
      [
        StandardOutput.shown(question.item), question.use,
        question.chain.isEmpty ? "-" : Sanitizer.visible(question.chain),
        question.folder.map(Sanitizer.visible) ?? "-",
        "\(server.serves), \(TimeSpan.text(question.seconds)) left",
      ]
    }
    try show(lines, ["ITEM", "HOW", "BY", "IN", "WHERE"])
    if lines.isEmpty, StandardError.isTerminal { StandardError.note("nothing waits for an answer") }
  }

  private func write(kept: [Kept], _ settings: VaultSettings) throws {
    if settings.writesJSON {
      return try StandardOutput.write("answers", kept) { writer, one in
        writer.object { object in
          object.next("id", .string("\(one.server.name).\(one.answer.number)"))
          object.next("serves", .string(one.server.serves))
          for (name, value) in one.answer.members { object.next(name, value) }
        }
      }
    }
    let lines = kept.map { server, answer in
      [
        "\(server.name).\(answer.number)", StandardOutput.shown(answer.item), answer.use,
        answer.isAllowed ? "allowed" : "refused",
        answer.seconds.map { "for \(TimeSpan.text($0))" } ?? "for this run", server.serves,
        // Whole: of two commands, nobody sees which one is meant by their beginning.
        (answer.command ?? answer.purpose).map(Sanitizer.visible) ?? "-",
      ]
    }
    try show(lines, ["NUMBER", "ITEM", "HOW", "ANSWER", "UNTIL", "WHERE", "FOR"])
    if lines.isEmpty, StandardError.isTerminal {
      StandardError.note("no answer holds for longer")
    }
  }

  private func show(_ lines: [[String]], _ titles: [String]) throws {
    guard !lines.isEmpty else { return }
    try StandardOutput.write(
      TextTable.aligned((StandardOutput.isTerminal ? [titles] : []) + lines))
  }
}
