import Glibc
import VaultCredentials
import VaultDBus
import VaultProtocols
import VaultStorage
import VaultTerminal

/// Answers one client of MCP on stdin and stdout.
///
/// It belongs to one thread, which never waits for a person or a command: other requests are answered
/// meanwhile.
final class MCPServer {
  /// The versions of MCP that are spoken, the newest first.
  private static let versions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
  /// The version with arrays of messages.
  private static let batchVersion = "2025-03-26"
  private static let maximumBatch = 64
  /// Calls that wait for a person or run, at the same time.
  private static let maximumCalls = 8
  /// The most that is kept of each stream of a command.
  private static let maximumOutput = 64 << 10
  /// How often a client hears of a call that takes longer.
  private static let progressPause = Duration.seconds(5)

  private let connection = MCPConnection()
  private let vault: MCPVault
  private let desk: ApprovalDesk
  private let outcomes: MCPOutcomes
  private let order: ServingOrder
  /// The process that has started this one, whose model asks.
  private let client: Int32
  private var permissions: MCPPermissions
  private var version: String?
  private var calls: [MCPCall] = []
  private var lastNumber = 0
  private var lastProgress = ContinuousClock.now

  init(
    _ vault: MCPVault, desk: ApprovalDesk, outcomes: MCPOutcomes, client: Int32,
    _ order: ServingOrder
  ) {
    (self.vault, self.desk, self.outcomes) = (vault, desk, outcomes)
    (self.client, self.order) = (client, order)
    permissions = MCPPermissions(desk.kept)
  }

  /// Serves until the client leaves, or one of the descriptors can be read; then nothing runs any more.
  func run(until ends: [Int32]) {
    defer { endAll() }
    while !connection.hasEnded {
      var waits: [(descriptor: Int32, reads: Bool, writes: Bool)] = ends.map { ($0, true, false) }
      waits.append((outcomes.wakeUp.descriptor, true, false))
      let reads = connection.wantsToRead
      if reads { waits.append((STDIN_FILENO, true, false)) }
      if connection.wantsToWrite { waits.append((STDOUT_FILENO, false, true)) }
      let wantsProgress = calls.contains { $0.progressToken != nil }
      let ready = LocalSocket.wait(for: waits, milliseconds: wantsProgress ? 1000 : nil)
      if ready[..<ends.count].contains(where: \.reads) { return }
      if ready[ends.count].reads { outcomes.wakeUp.clear() }
      vault.lockIfAsked()
      takeOutcomes()
      if reads, ready[ends.count + 1].reads {
        connection.read()
        takeLines()
      }
      connection.write()
      tellProgress()
      takeLines()
    }
  }

  /// Takes in what has come, as long as the client reads the answers.
  private func takeLines() {
    while connection.wantsToRead, let line = connection.next() { take(line) }
  }

  /// Withdraws all questions and ends all commands, and waits until they have ended.
  private func endAll() {
    for call in calls { call.end() }
    while calls.contains(where: \.isRunning) {
      _ = LocalSocket.wait(for: [(outcomes.wakeUp.descriptor, true, false)], milliseconds: nil)
      outcomes.wakeUp.clear()
      for (number, outcome) in outcomes.take() {
        if case .run = outcome { calls.removeAll { $0.number == number } }
      }
    }
  }

  private func tellProgress() {
    guard .now - lastProgress >= Self.progressPause else { return }
    lastProgress = .now
    for progress in calls.compactMap({ $0.nextProgress() }) { connection.send(progress) }
  }

  // MARK: Messages

  private func take(_ line: MCPConnection.Line) {
    let send: (JSONValue) -> Void = { [connection] in connection.send($0) }
    guard case .text(let bytes) = line else {
      return send(
        MCPReply.failure(
          .invalid("a message is longer than \(MCPConnection.maximumLine >> 20) MiB"), nil))
    }
    guard String(validating: bytes, as: UTF8.self) != nil, let value = try? JSONValue.parse(bytes)
    else { return send(MCPReply.failure(.unreadable, nil)) }
    guard case .array(let values) = value else {
      let batch = MCPBatch(isArray: false, send)
      take(MCPMessage(value), in: batch)
      return batch.complete()
    }
    guard version == Self.batchVersion, (1...Self.maximumBatch).contains(values.count) else {
      return send(
        MCPReply.failure(
          .invalid(
            version == Self.batchVersion
              ? "an array has 1 to \(Self.maximumBatch) messages"
              : "this version of MCP has no arrays of messages"), nil))
    }
    let batch = MCPBatch(isArray: true, send)
    for value in values { take(MCPMessage(value), in: batch) }
    batch.complete()
  }

  private func take(_ message: MCPMessage, in batch: MCPBatch) {
    switch message {
    case .answer: break
    case .invalid(let failure, let id): batch.addFailure(failure, id)
    case .notification(let method, let parameters):
      if method == "notifications/cancelled",
        let id = parameters?["requestId"].flatMap({ MCPID($0) })
      {
        cancel(id)
      }
    case .request(let id, let method, let parameters):
      let reply = MCPReply(id, in: batch)
      do {
        guard !calls.contains(where: { $0.reply.id == id }) else {
          throw MCPFailure.invalid("a request of this id is under way")
        }
        if let parameters, !parameters.isObject {
          throw MCPFailure.parameters("'params' is an object")
        }
        try answer(method, parameters, reply)
      } catch let failure as MCPFailure {
        reply.failure(failure)
      } catch {
        reply.failure(MCPFailure(code: -32603, message: "the request could not be answered"))
      }
    }
  }

  private func answer(_ method: String, _ parameters: JSONValue?, _ reply: MCPReply) throws {
    if method == "ping" { return reply.result(.object([])) }
    if method == "initialize" { return try initialize(parameters, reply) }
    guard version != nil else { throw MCPFailure.invalid("the first request is 'initialize'") }
    switch method {
    case "tools/list":
      guard parameters?["cursor"] == nil else {
        throw MCPFailure.parameters("there is one page: 'cursor' leads nowhere")
      }
      reply.result(.object([("tools", MCPTools.all)]))
    case "tools/call":
      guard let name = parameters?["name"]?.text else {
        throw MCPFailure.parameters("'name' is missing: the tool")
      }
      do {
        try call(name, parameters?["arguments"], parameters?["_meta"]?["progressToken"], reply)
      } catch let error as MCPToolError {
        reply.result(MCPResult(error: error.message).value)
      }
    default: throw MCPFailure.unknownMethod
    }
  }

  private func initialize(_ parameters: JSONValue?, _ reply: MCPReply) throws {
    guard version == nil else { throw MCPFailure.invalid("'initialize' was there already") }
    guard let wanted = parameters?["protocolVersion"]?.text else {
      throw MCPFailure.parameters("'protocolVersion' is missing")
    }
    let version = Self.versions.first { $0.isSame(as: wanted) } ?? Self.versions[0]
    self.version = version
    reply.result(
      .object([
        ("protocolVersion", .string(version)),
        ("capabilities", .object([("tools", .object([]))])),
        (
          "serverInfo",
          .object([
            ("name", .string("vault")), ("title", .string("vault")),
            ("version", .string(order.version)),
          ])
        ),
        ("instructions", .string(MCPTools.instructions)),
      ]))
  }

  private func cancel(_ id: MCPID) {
    guard let call = calls.first(where: { $0.reply.id == id }) else { return }
    if call.endQuestion != nil, let plan = call.asked?.plan,
      !calls.contains(where: {
        $0 !== call && $0.endQuestion != nil && $0.asked?.plan.identity == plan.identity
      })
    {
      permissions.withdraw()
    }
    call.end()
    // A command that runs is waited for, so that nothing is left of it when its place is free.
    if !call.isRunning { finish(call) { $0.nothing() } }
  }

  // MARK: Tools

  private func call(
    _ name: String, _ arguments: JSONValue?, _ progressToken: JSONValue?, _ reply: MCPReply
  ) throws {
    let request: MCPRequest
    switch name {
    case MCPTools.listItems:
      let arguments = try MCPArguments(arguments, known: ["matching", "after"])
      return reply.result(
        MCPResult(
          try vault.list(
            matching: arguments.text("matching"), after: arguments.text("after"))
        ).value)
    case MCPTools.status:
      _ = try MCPArguments(arguments, known: [])
      return reply.result(MCPResult(state).value)
    case MCPTools.requestAccess: request = try MCPRequest(access: arguments)
    case MCPTools.runWith: request = try MCPRequest(run: arguments)
    default: throw MCPFailure.parameters("there is no such tool")
    }
    guard calls.count < Self.maximumCalls else {
      throw MCPToolError(
        message: "\(Self.maximumCalls) calls are under way: wait until one of them has ended")
    }
    lastNumber += 1
    let isToken =
      switch progressToken {
      case .string(let text)?: text.utf8.count <= 256
      case .number?: true
      default: false
      }
    let call = MCPCall(
      lastNumber, reply, request, progressToken: isToken ? progressToken : nil)
    calls.append(call)
    goOn(call)
  }

  private var state: JSONValue {
    let isOpen = vault.isOpen
    var members: [(String, JSONValue)] = [("isLocked", .bool(!isOpen))]
    if !isOpen {
      members.append(
        ("hint", .string("the person has to type, in a terminal of their own: \(vault.unlockLine)"))
      )
    }
    return .object(
      members + [
        ("running", .number(Int64(calls.count))), ("version", .string(order.version)),
      ])
  }

  /// Ends a call: its place is free, and the next question is put.
  private func finish(_ call: MCPCall, _ body: (MCPReply) -> Void) {
    calls.removeAll { $0 === call }
    body(call.reply)
    askNext()
  }

  private func fail(_ call: MCPCall, _ message: String) {
    finish(call) { $0.result(MCPResult(error: message).value) }
  }

  // MARK: From the question to the command

  /// Does what a call asks for, or has a person asked first; the vault is looked at anew each time.
  private func goOn(_ call: MCPCall) {
    do {
      let plan = try call.request.plan(in: vault)
      let confirmed = plan.items.filter { vault.isConfirmed($0) }
      if let approval = call.answer {
        guard call.asked?.plan.identity == plan.identity else {
          return fail(call, "the items have changed meanwhile: ask again")
        }
        return decide(
          call, plan,
          approval.isAllowed ? .allowed(by: approval.by) : .refused(approval, isKept: false))
      }
      let decision = permissions.decision(plan, confirmed)
      guard case .unknown = decision else { return decide(call, plan, decision) }
      guard plan.isShownWhole else {
        return fail(
          call,
          "the command is too long to be shown whole (columns, at most: \(MCPPlan.maximumShown)): use "
            + "fewer words, or a script that the person knows")
      }
      if let reason = permissions.brakeReason() { return fail(call, reason) }
      ask(call, plan)
    } catch let error as MCPToolError {
      fail(call, error.message)
    } catch {
      fail(call, "the request could not be answered")
    }
  }

  private func decide(_ call: MCPCall, _ plan: MCPPlan, _ decision: MCPPermissions.Decision) {
    switch decision {
    case .unknown: break
    case .refused(let approval, let isKept):
      vault.record(
        !isKept && approval.isByPerson ? plan.items : permissions.toRecord(plan.items),
        by: caller, account(plan, by: approval.by), isAllowed: false)
      fail(call, refusal(approval, isByPerson: isKept || approval.isByPerson))
    case .allowed(let by):
      guard plan.command != nil else {
        let standing = desk.kept.standing(plan.identity) != nil || by == nil
        return finish(call) { reply in
          reply.result(
            MCPResult(
              .object([
                ("isAllowed", .bool(true)),
                ("holds", .string(standing ? "several commands" : "one command")),
              ])
            ).value)
        }
      }
      start(call, plan, by: by)
    }
  }

  private func refusal(_ approval: Approval, isByPerson: Bool) -> String {
    let words = approval.refusal ?? "a person has refused it"
    return isByPerson
      ? "\(words): do not try to get it in another way"
      : "\(words). The person can answer in a terminal of their own, outside of this client: "
        + "vault approve --watch"
  }

  private var caller: UsageCaller { UsageCaller(process: client, user: geteuid()) }

  private func account(_ plan: MCPPlan, by: String?) -> UsageAccount {
    UsageAccount(purpose: plan.program, reason: plan.reason, by: by)
  }

  /// Asks a person; one question at a time is shown, for however many calls of the same kind.
  private func ask(_ call: MCPCall, _ plan: MCPPlan) {
    let current = calls.first { $0.endQuestion != nil }?.asked?.plan.identity
    guard current == nil || current == plan.identity else {
      call.isInLine = true
      return
    }
    call.isInLine = false
    call.asked = (plan, .now)
    permissions.ask(plan)
    let (number, outcomes) = (call.number, outcomes)
    call.endQuestion = desk.ask(plan.question(by: caller)) { outcomes.add(.answer($0), of: number) }
  }

  /// Goes on with what has waited for another question.
  private func askNext() {
    guard !calls.contains(where: { $0.endQuestion != nil }),
      let next = calls.first(where: \.isInLine)
    else { return }
    next.isInLine = false
    goOn(next)
  }

  private func takeOutcomes() {
    for (number, outcome) in outcomes.take() {
      // Otherwise it was cancelled.
      guard let call = calls.first(where: { $0.number == number }) else { continue }
      switch outcome {
      case .answer(let approval):
        guard let (plan, since) = call.asked, call.endQuestion != nil else { continue }
        call.endQuestion = nil
        call.answer = approval
        let wasAsked =
          approval.isByPerson || .now - since >= .seconds(max(1, order.patience - 2))
        permissions.take(approval, for: plan, wasAsked: wasAsked)
        goOn(call)
        askNext()
      case .run(let result):
        call.stop = nil
        finish(call) { reply in
          if result?.ending == .stopped { return reply.nothing() }
          reply.result(MCPResult(result, seconds: call.request.seconds).value)
        }
      }
    }
  }

  /// Starts the command of a plan; each use is recorded before.
  private func start(_ call: MCPCall, _ plan: MCPPlan, by: String?) {
    do {
      guard let stop = WakeUp() else { throw HelperFailure("there are no descriptors left") }
      let given = try vault.secrets(for: plan.variables)
      vault.record(plan.items, by: caller, account(plan, by: by))
      permissions.use(plan)
      let capture = try MCPCommand.start(
        plan.command ?? [], given, hidden: Set(order.hidden), limit: Self.maximumOutput)
      call.stop = stop
      let (number, outcomes, seconds) = (call.number, outcomes, call.request.seconds)
      BlockingThread.start(name: "vault-mcp-run") {
        let result = try? capture.wait(seconds: seconds, until: stop.descriptor)
        outcomes.add(.run(result), of: number)
      }
    } catch let error as MCPToolError {
      fail(call, error.message)
    } catch {
      fail(call, "the command could not be started")
    }
  }
}
