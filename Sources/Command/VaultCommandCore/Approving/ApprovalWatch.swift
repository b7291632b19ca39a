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
  /// How long the next question waits for what has become of an answer.
  private static let deciding = Duration.seconds(2)
  /// How long one is left alone that has ended the connection.
  private static let pause = Duration.seconds(1)

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
  /// When the one before was over, or when this one was shown if that was soon after.
  private var replaced: ContinuousClock.Instant?
  /// The question that was answered here, until it is known what has become of it.
  private var answered: (asked: Asked, answer: ApprovalAnswer, at: ContinuousClock.Instant)?
  /// When those are looked for again that have ended the connection.
  private var again: ContinuousClock.Instant?
  /// Those that ask elsewhere.
  private var refused: Set<String> = []
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
        // A signal that comes while this thread does not wait would be noticed with the next event.
        [
          (terminal.descriptor, true, false), (terminal.signalDescriptor, true, false),
          (wakeUp.descriptor, true, false),
        ] + all.map { ($0.connection.socket, true, $0.connection.wantsToWrite) }
      let ready = LocalSocket.wait(
        for: waits, milliseconds: answered != nil || again != nil ? 100 : nil)
      if ready[2].reads {
        wakeUp.clear()
        servers.connect(.watch)
      }
      if let time = again, .now - time >= Self.pause {
        again = nil
        servers.connect(.watch) { !refused.contains($0) }
      }
      for (server, ready) in zip(all, ready[3...]) {
        if ready.writes { server.connection.write() }
        if ready.reads { servers.events(of: server).forEach { take($0, from: server) } }
      }
      for server in servers.removeEnded() {
        forget { $0.server === server }
        // It may serve still: what it has to ask is not lost with a line.
        again = .now
      }
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
      refused.insert(server.name)
    case .serving, .kept, .end: break
    }
  }

  private func forget(_ words: String = "its line has ended", _ isGone: (Asked) -> Bool) {
    asked.removeAll(where: isGone)
    if let last = answered?.asked, isGone(last) {
      (answered, replaced) = (nil, .now)
      say("  \(words)")
      return
    }
    guard let current = shown, isGone(current) else { return }
    shown = nil
    replaced = .now
    typed = []
    terminal.forgetTyped()
    terminal.write("\n")
    say("  \(words)")
  }

  private func showNext() {
    if let (_, answer, time) = answered {
      guard .now - time >= Self.deciding else { return }
      (answered, replaced) = (nil, .now)
      say("  \(answer.words), and nothing has been heard since")
    }
    guard shown == nil, let next = asked.first else { return }
    shown = next
    if let time = replaced { replaced = .now - time < Self.settling ? ContinuousClock.now : nil }
    // Nobody has answered what was not there.
    typed = []
    terminal.forgetTyped()
    show(next)
  }

  private func show(_ one: Asked) {
    let question = one.question
    say("")
    // What is asked about comes first, before any name that a program has.
    sayInOneLine(
      "\(ProgramName.current) \(one.server.serves) (process \(one.server.process)) asks about: "
        + question.item)
    say(question.sentence)
    var details: [[String]] = []
    if let purpose = question.purpose { details.append(["  for", purpose]) }
    if !question.chain.isEmpty { details.append(["  by", question.chain]) }
    if let folder = question.folder { details.append(["  in", folder]) }
    if let reason = question.reason { details.append(["  why", "\"\(reason)\", it says"]) }
    if let times = question.times { details.append(["  asked", times]) }
    for detail in details {
      let name = detail[0] + String(repeating: " ", count: 9 - detail[0].utf8.count)
      sayInOneLine("\(name)\(detail[1])")
    }
    terminal.write(
      terminal.wrapped("Allow it: \(question.choices), Return refuses it)") + " ")
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
      case .byte(let byte):
        // One more than any word has: a long line is none.
        if typed.count <= ApprovalAnswer.maximumTyped { typed.append(byte) }
      }
    }
    return true
  }

  private func answer(_ line: [UInt8]) {
    guard let current = shown else { return }
    let answer = ApprovalAnswer(typed: line)
    if answer.isAllowed, let replaced, .now - replaced < Self.settling {
      say("  This question is another one than before. Read it, and answer again.")
      return show(current)
    }
    shown = nil
    answered = (current, answer, .now)
    asked.removeAll {
      $0.server === current.server && $0.question.number == current.question.number
    }
    current.server.send(
      .answer(number: current.question.number, answer, count: current.question.count))
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
