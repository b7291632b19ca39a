import VaultCredentials
import VaultProtocols
import VaultStorage
import VaultTerminal

/// What an agent asks of ``MCPTools/runWith`` or ``MCPTools/requestAccess``, checked.
struct MCPRequest {
  /// The most of names and variables that one question shows, in columns.
  private static let maximumNames = 400

  /// The items by name, each with the variable that the agent has chosen, or `nil`.
  let names: [(name: String, variable: String?)]
  /// The command; `nil` where access alone is asked for.
  let command: [String]?
  let reason: String
  let seconds: Int

  /// A request for access.
  init(access arguments: JSONValue?) throws {
    let arguments = try MCPArguments(arguments, known: ["name", "reason"])
    names = [(try arguments.required("name"), nil)]
    (command, seconds) = (nil, 0)
    reason = try Self.reason(arguments)
  }

  /// A request to run a command.
  init(run arguments: JSONValue?) throws {
    let arguments = try MCPArguments(
      arguments, known: ["names", "variables", "command", "reason", "timeoutSeconds"])
    reason = try Self.reason(arguments)
    seconds =
      try arguments.number("timeoutSeconds", in: 1...MCPTools.maximumSeconds)
      ?? MCPTools.usualSeconds
    let command = try arguments.texts("command")
    guard let program = command.first, !program.isEmpty else {
      throw MCPToolError(message: "'command' is missing: the program and its arguments")
    }
    guard command.count <= MCPTools.maximumWords,
      command.reduce(0, { $0 + $1.utf8.count }) <= MCPTools.maximumCommand
    else {
      throw MCPToolError(
        message: "'command' has at most \(Plural.of(MCPTools.maximumWords, "word")) and "
          + "\(MCPTools.maximumCommand / 1024) KiB: put it into a file")
    }
    guard !command.contains(where: { $0.utf8.contains(0) }) else {
      throw MCPToolError(message: "a word of 'command' has a NUL byte, which none can have")
    }
    self.command = command
    var names: [(name: String, variable: String?)] = try arguments.texts("names").map { ($0, nil) }
    switch arguments.value("variables") {
    case nil: break
    case .object(let members)?:
      for (variable, item) in members {
        guard let name = item.text, EnvironmentVariable.isValid(variable),
          variable.utf8.count <= 128
        else {
          throw MCPToolError(
            message: "'variables' has names of variables, and an item's name for each")
        }
        try MCPVault.checkSteering(variable)
        names.append((name, variable))
      }
    default:
      throw MCPToolError(message: "'variables' is an object, such as {\"TOKEN\": \"api-token\"}")
    }
    guard (1...MCPTools.maximumNames).contains(names.count) else {
      throw MCPToolError(
        message: names.isEmpty
          ? "'names' has no item: commands without secrets are run elsewhere"
          : "a command gets at most \(Plural.of(MCPTools.maximumNames, "item"))")
    }
    self.names = names
  }

  private static func reason(_ arguments: MCPArguments) throws -> String {
    guard let reason = ApprovalQuestion.bounded(try arguments.required("reason")) else {
      throw MCPToolError(message: "'reason' is missing: why it is needed, for the person")
    }
    return reason
  }

  /// The items as they are now, and the variables that they set.
  func plan(in vault: MCPVault) throws -> MCPPlan {
    var variables: [(variable: String, item: Item)] = []
    for (name, chosen) in names {
      let item = try vault.item(name)
      let variable = command == nil ? "" : try chosen ?? MCPVault.variable(of: item)
      guard !variables.contains(where: { $0.variable.isSame(as: variable) }) else {
        throw MCPToolError(
          message: "the variable \(variable) is set twice: choose another one with 'variables'")
      }
      variables.append((variable, item))
    }
    let length = variables.reduce(0) {
      $0 + $1.variable.utf8.count + MCPPlan.room(of: Quoting.visible($1.item.name.text))
    }
    guard length <= Self.maximumNames else {
      throw MCPToolError(message: "these are too many names for one question: use fewer at once")
    }
    return MCPPlan(variables: variables, command: command, reason: reason)
  }
}

/// A request whose items are known.
struct MCPPlan {
  /// The most of a command that a person is asked about, as it is shown, in columns: a question has
  /// room on a terminal of 80 columns and 24 lines.
  static let maximumShown = ApprovalQuestion.maximumCommand

  let variables: [(variable: String, item: Item)]
  let command: [String]?
  let reason: String

  var items: [Item] { variables.map(\.item) }

  /// The item that access was asked for, in any command.
  static func identity(ofAccessTo item: Item) -> String { "mcp \(item.id)" }

  /// What an answer to the question holds for, where it is kept: this command with these items in
  /// these variables, or one item in any command.
  var identity: String {
    guard let command else { return Self.identity(ofAccessTo: variables[0].item) }
    return "mcp "
      + Self.ascii(
        JSONValue.array([
          .strings(variables.map { "\($0.variable)=\($0.item.id)" }.sorted()), .strings(command),
        ]).text())
  }

  /// A text of JSON in ASCII: texts are compared by what they look like, and commands are not.
  private static func ascii(_ text: String) -> String {
    text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
  }

  /// How much room a text takes in a question: nothing in it takes none.
  static func room(of text: String) -> Int {
    max(DisplayWidth.of(text), text.unicodeScalars.count)
  }

  /// The command as it is shown; `nil` where there is none.
  private var shown: String? { command.map { ApprovalQuestion.quotedCommand($0) } }

  /// Whether a person sees all of the command, and at once.
  var isShownWhole: Bool { shown.map { Self.room(of: $0) <= Self.maximumShown } ?? true }

  /// The program, for the log: arguments may hold anything.
  var program: String? { command?.first.flatMap { ApprovalQuestion.bounded($0) } }

  /// The question to the person.
  func question(by caller: UsageCaller) -> ApprovalRequest {
    let names = variables.map { variable, item in
      let name = "'\(Quoting.visible(item.name.text))'"
      return variable.isEmpty ? name : "\(name) as \(variable)"
    }.joined(separator: ", ")
    let wants: String
    if let shown {
      wants = "run a command with \(names): \(shown)."
    } else {
      wants = "use \(names) in any command that it chooses."
    }
    return ApprovalRequest(
      identity: identity,
      question: ApprovalQuestion(
        item: items.map(\.name.text).joined(separator: ", "),
        use: command == nil ? "mcp, any command" : "mcp", purpose: program, command: shown,
        sentence: "\(Person.name(of: caller)) wants to \(wants)",
        programs: caller.approvalPrograms, folder: UserFile.workingDirectory, reason: reason))
  }
}
