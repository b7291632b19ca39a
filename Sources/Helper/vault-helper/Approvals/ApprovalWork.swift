import VaultCredentials
import VaultDBus
import VaultProtocols
import VaultStorage
import VaultTerminal

/// The work of an ``ApprovalDesk``, on its thread.
final class ApprovalWork {
  /// How long one who shows questions may take to connect.
  private static let grace = Duration.seconds(5)
  /// How long a question stays whose program has left, and how long one is shown at least before
  /// another takes its place that nobody has seen: a program that asks and leaves, again and again,
  /// leaves a person the time to say no.
  private static let lingering = Duration.seconds(3)
  /// Ways that are being tried at the same time: one that was ended needs a moment.
  private static let maximumWays = 8

  /// A request that waits.
  private struct Waiting {
    let number: Int
    let question: ApprovalQuestion
    let since = ContinuousClock.now
    let answer: @Sendable (Approval) -> Void
  }

  /// A question, and the requests that wait for its answer, the oldest first.
  ///
  /// What is shown is the question of the first request. An answer by its number is for that one, and
  /// for those that have joined when it was shown.
  private final class Open {
    let identity: String
    let isKept: Bool
    private(set) var question: ApprovalQuestion
    var deadline: ContinuousClock.Instant
    let began = ContinuousClock.now
    private(set) var shownSince = ContinuousClock.now
    var waiting: [Waiting] = []
    /// The last request that was there when a count was first said of this number.
    private var last: [Int: Int] = [:]
    /// When the request left whose question is shown; the answer can only be no from then on.
    private(set) var left: ContinuousClock.Instant?
    /// Whether one who shows questions has been told of it.
    var wasShown = false
    /// The ways that were tried.
    var ways = 0
    /// Ends the way that is being tried.
    var cancel: (@Sendable () -> Void)?

    init(_ request: ApprovalRequest, _ first: Waiting, number: Int, patience: Duration) {
      (identity, question, isKept) = (request.identity, request.question, request.isKept)
      deadline = first.since + patience
      question.number = number
      waiting = [first]
      count()
    }

    /// Shows the question of the first request by another number.
    func renew(number: Int, patience: Duration) {
      guard let first = waiting.first else { return }
      (question, deadline) = (first.question, first.since + patience)
      question.number = number
      (left, last, shownSince) = (nil, [:], .now)
      (cancel, ways) = (nil, 0)
      count()
    }

    /// Adds a request.
    func join(_ one: Waiting) {
      waiting.append(one)
      // Asked again by the same program, for the same reason: that is what is shown.
      if left != nil, waiting.count == 1, question.shows(one.question) { left = nil }
      count()
    }

    /// Removes a request.
    func leave(_ number: Int) {
      if waiting.first?.number == number, left == nil { left = .now }
      waiting.removeAll { $0.number == number }
      count()
    }

    /// The requests that have been seen by one who was told of so many.
    func seen(_ count: Int) -> ArraySlice<Waiting> {
      guard left == nil, let first = waiting.first else { return [] }
      let last = max(first.number, self.last[count] ?? 0)
      return waiting.prefix { $0.number <= last }
    }

    private func count() {
      question.count = left == nil ? waiting.count : 0
      question.isMixed = waiting.contains { !question.shows($0.question) }
      if question.count > 0, last[question.count] == nil {
        last[question.count] = waiting.last?.number
      }
    }
  }

  private let desk: ApprovalDesk
  private let access: ApprovalAccess
  private let sockets: ApprovalSocket
  private let ways: [ApprovalWay]
  private var open: [Open] = []
  private var lastNumber = 0
  /// How many ways are being tried, also of questions that have ended since.
  private var tried = 0
  private var patience: Duration { .seconds(access.patience) }

  init(
    _ desk: ApprovalDesk, _ access: ApprovalAccess, _ ways: [ApprovalWay]
  ) {
    (self.desk, self.access, self.ways) = (desk, access, ways)
    sockets = ApprovalSocket(access)
  }

  func run() {
    while let notes = desk.take() {
      for note in notes { take(note) }
      goOn()
      let connections = sockets.clients.map(\.connection)
      var waits: [(descriptor: Int32, reads: Bool, writes: Bool)] = [
        (desk.descriptor, true, false)
      ]
      if let listening = sockets.listening { waits.append((listening, true, false)) }
      let first = waits.count
      waits += connections.map { ($0.socket, true, $0.wantsToWrite) }
      let ready = LocalSocket.wait(for: waits, milliseconds: milliseconds)
      for (client, ready) in zip(sockets.clients, ready[first...]) {
        if ready.writes { client.connection.write() }
        guard ready.reads else { continue }
        client.connection.read()
        while let line = client.connection.next() { take(line, from: client) }
      }
      if first == 2, ready[1].reads { sockets.accept() }
      sockets.removeEnded()
    }
    for one in open {
      end(one, "it ended", Approval(isAllowed: false, by: "nobody", refusal: "it has ended"))
    }
    for client in sockets.clients { client.connection.write() }
    sockets.close()
    desk.hasClosed()
  }

  /// When there is something to do without a word from anyone.
  private var milliseconds: Int? {
    let ends = open.map(\.deadline)
    // One who shows questions is on its way, or has gone without a word; or a program has.
    let next = open.contains { $0.left != nil || $0.cancel == nil && !$0.wasShown } ? 50 : nil
    let left = ends.min().map { Int((($0 - .now) / .milliseconds(1)).rounded(.up)) }
    return [left.map { max(0, $0) }, next].compactMap(\.self).min()
  }

  // MARK: Requests

  private func take(_ note: ApprovalDesk.Note) {
    switch note {
    case .ask(let number, let request, let answer): ask(number, request, answer)
    case .cancel(let number):
      guard let one = open.first(where: { $0.waiting.contains { $0.number == number } }) else {
        return
      }
      one.leave(number)
      if one.left == nil || !moveOn(one) { tell(one) }
      let empty = open.filter(\.waiting.isEmpty)
      if empty.count > Self.maximumWays { end(empty[0], Self.hasLeft, nil) }
    case .answered(let number, let answer, let by, let count):
      tried -= 1
      guard let one = open.first(where: { $0.question.number == number }) else { return }
      one.cancel = nil
      // Without an answer the next way is tried.
      if let answer { take(answer, for: one, by: by, count: count) }
    }
  }

  private func ask(
    _ number: Int, _ request: ApprovalRequest, _ answer: @escaping @Sendable (Approval) -> Void
  ) {
    if request.isKept, let approval = desk.kept.standing(request.identity) {
      return answer(approval)
    }
    guard open.reduce(0, { $0 + $1.waiting.count }) < ApprovalDesk.maximumWaiting else {
      return answer(
        Approval(
          isAllowed: false, by: "nobody",
          refusal: "\(ApprovalDesk.maximumWaiting) requests wait for a person's answer already"))
    }
    if let one = open.first(where: { $0.identity == request.identity }) {
      one.join(Waiting(number: number, question: request.question, answer: answer))
      return tell(one)
    }
    lastNumber += 1
    let one = Open(
      request, Waiting(number: number, question: request.question, answer: answer),
      number: lastNumber, patience: patience)
    open.append(one)
    tell(one)
  }

  /// Lets the next request take the place of one that has left, or ends the question; `false` while
  /// it is shown to those who show questions, and may still be refused.
  private func moveOn(_ one: Open) -> Bool {
    guard let left = one.left else { return false }
    let isShown = one.wasShown && !sockets.watchers.isEmpty
    let since = one.waiting.isEmpty ? left : one.shownSince
    guard !isShown || .now - since >= Self.lingering else { return false }
    if one.waiting.isEmpty { end(one, Self.hasLeft, nil) } else { renew(one, Self.hasLeft) }
    return true
  }

  private static let hasLeft = "the program has left"

  /// Ends what is shown of a question, and shows that of its first request.
  private func renew(_ one: Open, _ words: String) {
    one.cancel?()
    for client in sockets.watchers {
      client.send(.closed(number: one.question.number, words: words))
    }
    lastNumber += 1
    one.renew(number: lastNumber, patience: patience)
    tell(one)
  }

  /// Shows a question to those who show questions, or what has become of it.
  private func tell(_ one: Open) {
    let watchers = sockets.watchers
    one.wasShown = !watchers.isEmpty
    let shown = current(one)
    for client in watchers { client.send(.question(shown)) }
  }

  private func current(_ one: Open) -> ApprovalQuestion {
    var question = one.question
    question.seconds = max(0, Int((one.deadline - .now).components.seconds))
    return question
  }

  // MARK: Ways

  /// Refuses what has waited too long, and asks by the next way what nobody shows.
  private func goOn() {
    let hasWatchers = !sockets.watchers.isEmpty
    for one in open {
      guard one.deadline > .now else {
        end(
          one, "nobody has answered in time",
          Approval(
            isAllowed: false, by: "nobody", refusal: "nobody has answered in time"))
        continue
      }
      if one.left != nil, moveOn(one), one.waiting.isEmpty { continue }
      if hasWatchers {
        if !one.wasShown { tell(one) }
        continue
      }
      one.wasShown = false
      guard one.cancel == nil, !(sockets.isAwaited && .now - one.began < Self.grace) else {
        continue
      }
      guard one.ways < ways.count else {
        // A way has ended with its time, which is in whole seconds.
        if one.ways > 0, current(one).seconds == 0 { continue }
        end(
          one, "nobody can be asked",
          Approval(
            isAllowed: false, by: "nobody",
            refusal: "a person has to allow it, and none can be asked"
          ))
        continue
      }
      guard tried < Self.maximumWays else { continue }
      let way = ways[one.ways]
      one.ways += 1
      tried += 1
      let (number, count, desk) = (one.question.number, one.question.count, desk)
      let question = current(one)
      one.cancel = way.ask(question, max(1, question.seconds)) { answer in
        desk.post(.answered(question: number, answer, by: way.name, count: count))
      }
    }
  }

  // MARK: Answers

  private func take(_ line: [UInt8], from client: ApprovalSocket.Client) {
    guard let order = ApprovalOrder(line) else { return client.connection.end() }
    switch order {
    case .list:
      for one in open where !one.waiting.isEmpty { client.send(.question(current(one))) }
      for kept in desk.kept.list { client.send(.kept(kept)) }
      client.send(.end)
    case .forget(let number):
      for kept in desk.kept.forget(number) { client.send(.kept(kept)) }
      client.send(.end)
    case .watch:
      if let refusal = access.refusalOfAnswers(of: client.peer) {
        client.send(.refused(refusal))
        return client.connection.end()
      }
      client.watches = true
      for one in open {
        one.wasShown = true
        client.send(.question(current(one)))
      }
    case .answer(let number, let answer, let count):
      guard client.watches, access.refusalOfAnswers(of: client.peer) == nil else {
        return client.connection.end()
      }
      guard let one = open.first(where: { $0.question.number == number }) else { return }
      let terminal = UsageCaller(process: client.peer.process, user: client.peer.user).terminal
      take(
        answer, for: one, by: terminal.map { "the terminal \($0)" } ?? "a terminal", count: count)
    }
  }

  /// Answers the first requests of a question, as many as were shown; the rest is asked again.
  private func take(_ answer: ApprovalAnswer, for one: Open, by: String, count: Int) {
    var answer = answer
    // What was not offered is no answer.
    if answer == .always, !one.question.mayBeAlways { answer = .refused }
    if answer.isAllowed, one.left != nil {
      // What was shown is not there any more, and nothing else was.
      if one.waiting.isEmpty { end(one, Self.hasLeft, nil) } else { renew(one, Self.hasLeft) }
      return
    }
    if answer.isAllowed, one.question.isOnlyRefused || !one.isKept { answer = .once }
    if answer == .never, !one.isKept { answer = .refused }
    lastNumber += 1
    let until = desk.kept.keep(
      answer, to: one.question, one.identity, number: lastNumber, by: by)
    let words = until.map { "\(by), until \($0)" } ?? by
    let refusal = answer.isAllowed ? nil : "a person has refused it"
    let approval = Approval(
      isAllowed: answer.isAllowed, by: words, refusal: refusal, isByPerson: true,
      isAlways: answer == .always)
    let said = "\(answer.words) by \(by)"
    let answered = one.seen(count)
    guard answer == .once, answered.count < one.waiting.count else {
      return end(one, said, approval)
    }
    one.waiting.removeFirst(answered.count)
    for waiting in answered { waiting.answer(approval) }
    renew(one, said)
  }

  /// Ends a question; without an answer its requests have gone.
  private func end(_ one: Open, _ words: String, _ approval: Approval?) {
    open.removeAll { $0 === one }
    one.cancel?()
    for client in sockets.watchers {
      client.send(.closed(number: one.question.number, words: words))
    }
    if let approval { for waiting in one.waiting { waiting.answer(approval) } }
  }
}
