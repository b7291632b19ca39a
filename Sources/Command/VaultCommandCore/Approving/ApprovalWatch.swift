import Glibc
import VaultDBus
import VaultProtocols
import VaultStorage
import VaultTerminal

/// Shows questions on this terminal, one after the other, and takes the answers.
///
/// Nothing is allowed by Return alone, by silence, or by what was typed before a question was shown.
package final class ApprovalWatch {
  /// What is typed so soon after a question has taken the place of another was meant for that one.
  private static let settling = Duration.seconds(1)

  private struct Asked {
    let server: ApprovalServers.Server
    var question: ApprovalQuestion
  }

  private let servers: ApprovalServers
  private let terminal: TerminalDevice
  private let wakeUp: WakeUp
  private var asked: [Asked] = []
  /// The question that is shown, as it is shown.
  private var shown: Asked?
  /// When it was shown, if it has taken the place of one that was not answered here.
  private var replaced: ContinuousClock.Instant?
  private var typed: [UInt8] = []
  private var hasBeenRefused = false

  /// A watch on the controlling terminal.
  ///
  /// - Throws: ``CommandError`` with code `.noTerminal`, `.noLocation`.
  package init() throws {
    guard let terminal = TerminalDevice(echoes: true), let wakeUp = WakeUp() else {
      throw CommandError(
        .noTerminal, "there is no terminal to ask on",
        hint: "run it in a terminal of your own: \(ProgramName.current) approve --watch")
    }
    (self.terminal, self.wakeUp) = (terminal, wakeUp)
    servers = try ApprovalServers()
  }

  /// Shows questions until the input ends; a signal ends the process.
  package func run() throws {
    // By this lock those who serve know that somebody is here.
    guard let lock = servers.place.watch() else {
      throw CommandError(
        .inputOutput, "the folder for questions cannot be written: \(servers.place.path)",
        hint: "look at its owner and mode: ls -ld \(servers.place.path)")
    }
    defer { close(lock) }
    let wakeUp = wakeUp
    let watch = try FileSignal.watch(ApprovalPlace.changed, in: servers.place.path) {
      wakeUp.call()
    }
    defer { watch.stop() }
    say("Questions are shown here; Ctrl-C ends it.")
    servers.connect(.watch)
    while true {
      let all = servers.all
      let waits: [(descriptor: Int32, reads: Bool, writes: Bool)] =
        [(terminal.descriptor, true, false), (wakeUp.descriptor, true, false)]
        + all.map { ($0.connection.socket, true, $0.connection.wantsToWrite) }
      let ready = LocalSocket.wait(for: waits, milliseconds: nil)
      if ready[1].reads {
        wakeUp.clear()
        servers.connect(.watch)
      }
      for (server, ready) in zip(all, ready[2...]) {
        if ready.writes { server.connection.write() }
        if ready.reads { servers.events(of: server).forEach { take($0, from: server) } }
      }
      for server in servers.removeEnded() { forget { $0.server === server } }
      guard readTerminal() else { return }
      showNext()
    }
  }

  // MARK: Questions

  private func take(_ event: ApprovalEvent, from server: ApprovalServers.Server) {
    switch event {
    case .question(let question):
      if let index = asked.firstIndex(where: {
        $0.server === server && $0.question.number == question.number
      }) {
        asked[index].question = question
      } else {
        asked.append(Asked(server: server, question: question))
      }
    case .closed(let number, let words):
      forget(words) { $0.server === server && $0.question.number == number }
    case .refused(let words):
      // The same words of many lines would hide the questions.
      if !hasBeenRefused { say("Not asked here: \(words).") }
      hasBeenRefused = true
    case .serving, .kept, .end: break
    }
  }

  private func forget(_ words: String = "its line has ended", _ isGone: (Asked) -> Bool) {
    asked.removeAll(where: isGone)
    guard let current = shown, isGone(current) else { return }
    shown = nil
    replaced = .now
    typed = []
    terminal.forgetTyped()
    terminal.write("\n")
    say("  \(words)")
  }

  private func showNext() {
    guard shown == nil, let next = asked.first else { return }
    shown = next
    // Nobody has answered what was not there.
    typed = []
    terminal.forgetTyped()
    show(next)
  }

  private func show(_ one: Asked) {
    let question = one.question
    say("")
    say(
      "\(ProgramName.current) \(one.server.serves) (process \(one.server.process)) asks: "
        + question.sentence)
    var details: [[String]] = []
    if let purpose = question.purpose { details.append(["  for", purpose]) }
    if !question.chain.isEmpty { details.append(["  by", question.chain]) }
    if let folder = question.folder { details.append(["  in", folder]) }
    if let reason = question.reason { details.append(["  why", "\"\(reason)\", it says"]) }
    if question.count > 1 {
      let mixed = question.isMixed ? ", not all by these programs, there, or for that reason" : ""
      details.append(["  asked", "\(Plural.of(question.count, "time"))\(mixed)"])
    }
    for detail in details {
      let name = detail[0] + String(repeating: " ", count: 9 - detail[0].utf8.count)
      sayInOneLine("\(name)\(detail[1])")
    }
    let choice =
      question.isOnlyRefused
      ? "once, or never? (o/n, Return refuses it)"
      : "once, for this run, for an hour, or never? (o/r/h/n, Return refuses it)"
    terminal.write(terminal.wrapped("Allow it: \(choice)") + " ")
  }

  // MARK: Answers

  /// Takes what was typed; `false` at the end of the input.
  private func readTerminal() -> Bool {
    while let event = terminal.next(within: 0) {
      switch event {
      case .end: return false
      case .resumed:
        typed = []
        if let shown { show(shown) }
      case .byte(0x0A), .byte(0x0D):
        let line = typed
        typed = []
        answer(line)
      case .byte(let byte): if typed.count < 64 { typed.append(byte) }
      }
    }
    return true
  }

  private func answer(_ line: [UInt8]) {
    guard let current = shown else { return }
    let answer = ApprovalAnswer(letter: line.first { $0 > 0x20 })
    if answer.isAllowed, let replaced, .now - replaced < Self.settling {
      say("  This question is another one than before. Read it, and answer again.")
      return show(current)
    }
    replaced = nil
    shown = nil
    asked.removeAll {
      $0.server === current.server && $0.question.number == current.question.number
    }
    current.server.send(
      .answer(number: current.question.number, answer, count: current.question.count))
    say("  \(answer.words)")
  }

  /// Writes a line of which a program has chosen a part: broken in two, it could look like another.
  private func sayInOneLine(_ text: String) {
    let columns = ProcessState.columns(of: terminal.descriptor) ?? 80
    terminal.write(DisplayWidth.cut(Sanitizer.visible(text), to: max(20, columns - 1)) + "\n")
  }

  private func say(_ text: String) {
    terminal.write(terminal.wrapped(Sanitizer.visible(text)) + "\n")
  }
}

extension ApprovalAnswer {
  fileprivate var words: String {
    switch self {
    case .once: "allowed once"
    case .run: "allowed for this run"
    case .hour: "allowed for an hour"
    case .refused: "refused"
    case .never: "refused for this run"
    }
  }
}
