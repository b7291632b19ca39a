package import VaultStorage

/// What a process that serves tells those that show questions: one JSON object a line.
package enum ApprovalEvent: Sendable, Equatable {
  /// Who serves: `guard`, `ssh-agent` or `keyring`, and the process that it serves.
  case serving(String, process: Int32)
  /// A question, or one that is known with another count.
  case question(ApprovalQuestion)
  /// A question is over: how, and by whom.
  case closed(number: Int, words: String)
  case kept(KeptAnswer)
  /// The list is complete.
  case end
  /// The connection is not let in, and why.
  case refused(String)

  /// Reads a line; `nil` if it is none that is known.
  package init?(_ line: [UInt8]) {
    guard let object = try? JSONValue.parse(line) else { return nil }
    switch object["event"]?.scalarText {
    case "serving":
      guard let serves = object["serves"]?.scalarText, let process = object.number("process") else {
        return nil
      }
      self = .serving(serves, process: Int32(clamping: process))
    case "question":
      guard let question = ApprovalQuestion(object) else { return nil }
      self = .question(question)
    case "closed":
      guard let number = object.number("number"), let words = object["words"]?.scalarText else {
        return nil
      }
      self = .closed(number: number, words: words)
    case "kept":
      guard let kept = KeptAnswer(object) else { return nil }
      self = .kept(kept)
    case "end": self = .end
    case "refused": self = .refused(object["words"]?.scalarText ?? "")
    default: return nil
    }
  }

  /// The line, without its end.
  package var line: [UInt8] {
    let members: [(String, JSONValue)] =
      switch self {
      case .serving(let serves, let process):
        [
          ("event", .string("serving")), ("serves", .string(serves)),
          ("process", .number(Int64(process))),
        ]
      case .question(let question): [("event", .string("question"))] + question.members
      case .closed(let number, let words):
        [
          ("event", .string("closed")), ("number", .number(Int64(number))),
          ("words", .string(words)),
        ]
      case .kept(let kept): [("event", .string("kept"))] + kept.members
      case .end: [("event", .string("end"))]
      case .refused(let words): [("event", .string("refused")), ("words", .string(words))]
      }
    return Array(JSONValue.object(members).text().utf8)
  }
}

/// What those that show questions say: one JSON object a line.
package enum ApprovalOrder: Sendable, Equatable {
  /// Show me all questions from now on; I can be asked.
  case watch
  /// Tell me what waits and what is kept.
  case list
  /// An answer to the first requests of a question, as many as were shown.
  case answer(number: Int, ApprovalAnswer, count: Int)
  /// Forget an answer that is kept; all of them without a number.
  case forget(number: Int?)

  /// Reads a line; `nil` if it is none that is known.
  package init?(_ line: [UInt8]) {
    guard let object = try? JSONValue.parse(line) else { return nil }
    switch object["order"]?.scalarText {
    case "watch": self = .watch
    case "list": self = .list
    case "answer":
      guard let number = object.number("number"), let count = object.number("count"),
        let answer = object["answer"]?.scalarText.flatMap(ApprovalAnswer.init(rawValue:))
      else { return nil }
      self = .answer(number: number, answer, count: count)
    case "forget": self = .forget(number: object.number("number"))
    default: return nil
    }
  }

  /// The line, without its end.
  package var line: [UInt8] {
    let members: [(String, JSONValue)] =
      switch self {
      case .watch: [("order", .string("watch"))]
      case .list: [("order", .string("list"))]
      case .answer(let number, let answer, let count):
        [
          ("order", .string("answer")), ("number", .number(Int64(number))),
          ("answer", .string(answer.rawValue)), ("count", .number(Int64(count))),
        ]
      case .forget(let number):
        [
          ("order", .string("forget")),
          ("number", number.map { .number(Int64($0)) } ?? .null),
        ]
      }
    return Array(JSONValue.object(members).text().utf8)
  }
}

extension ApprovalQuestion {
  init?(_ object: JSONValue) {
    guard let number = object.number("number"), let item = object["item"]?.scalarText,
      let use = object["use"]?.scalarText, let sentence = object["sentence"]?.scalarText,
      let count = object.number("count"), let seconds = object.number("seconds")
    else { return nil }
    self.init(
      item: item, use: use, purpose: object["purpose"]?.scalarText,
      command: object["command"]?.scalarText, sentence: sentence,
      programs: (object["programs"]?.elements ?? []).compactMap { program in
        guard let process = program.number("pid"),
          let name = program["path"]?.scalarText ?? program["name"]?.scalarText
        else { return nil }
        return Program(
          process: Int32(clamping: process), name: name, isPath: program["path"] != nil,
          isUnknown: program["isUnknown"] == .bool(true))
      }, folder: object["folder"]?.scalarText, reason: object["reason"]?.scalarText)
    (self.number, self.count, self.seconds) = (number, count, seconds)
    isMixed = object["isMixed"] == .bool(true)
    isOnlyRefused = object["isOnlyRefused"] == .bool(true)
    mayBeAlways = object["mayBeAlways"] == .bool(true)
  }

  /// The members of its JSON.
  package var members: [(String, JSONValue)] {
    [
      ("number", .number(Int64(number))), ("item", .string(item)), ("use", .string(use)),
      ("purpose", .optional(purpose)), ("command", .optional(command)),
      ("sentence", .string(sentence)),
      (
        "programs",
        .array(
          programs.map { .object($0.members) })
      ),
      ("folder", .optional(folder)), ("reason", .optional(reason)),
      ("count", .number(Int64(count))), ("isMixed", .bool(isMixed)),
      ("seconds", .number(Int64(seconds))), ("isOnlyRefused", .bool(isOnlyRefused)),
      ("mayBeAlways", .bool(mayBeAlways)),
    ]
  }
}

extension ApprovalQuestion.Program {
  fileprivate var members: [(String, JSONValue)] {
    var members: [(String, JSONValue)] = [
      ("pid", .number(Int64(process))), (isPath ? "path" : "name", .string(name)),
    ]
    if isUnknown { members.append(("isUnknown", .bool(true))) }
    return members
  }
}

extension KeptAnswer {
  init?(_ object: JSONValue) {
    guard let number = object.number("number"), let item = object["item"]?.scalarText,
      let use = object["use"]?.scalarText
    else { return nil }
    self.init(
      ApprovalQuestion(
        item: item, use: use, purpose: object["purpose"]?.scalarText,
        command: object["command"]?.scalarText, sentence: ""),
      number: number, isAllowed: object["isAllowed"] == .bool(true),
      seconds: object.number("seconds"))
    chain = object["programs"]?.scalarText ?? ""
  }

  /// The members of its JSON.
  package var members: [(String, JSONValue)] {
    [
      ("number", .number(Int64(number))), ("item", .string(item)), ("use", .string(use)),
      ("purpose", .optional(purpose)), ("command", .optional(command)),
      ("programs", .string(chain)),
      ("isAllowed", .bool(isAllowed)),
      ("seconds", seconds.map { .number(Int64($0)) } ?? .null),
    ]
  }
}

extension JSONValue {
  fileprivate func number(_ name: String) -> Int? {
    guard case .number(let digits)? = self[name] else { return nil }
    return Int(digits)
  }
}
