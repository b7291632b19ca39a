import ArgumentParser
import VaultCredentials
import VaultExchange
package import VaultProtocols
import VaultSealing
import VaultTerminal

/// `vault run`.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a command with secrets in its environment.",
    discussion: """
      The command replaces this program: same process, terminal, signals and exit status. The item \
      api-token becomes $API_TOKEN. Missing items are listed before anything starts.

      \(ProgramName.current) run NAME… -- COMMAND ARGUMENT…

      \(ProgramName.current) run api-token -- ./deploy.sh
      \(ProgramName.current) run --env PGPASSWORD=secret://database#password -- psql
      \(ProgramName.current) run --env-file .env --only -- ./server
      \(ProgramName.current) run --file tls/key -- nginx
      """)

  @Argument(help: "Items and references; each sets the variable of its name.", completion: .live)
  var names: [String] = []

  @Option(
    help: ArgumentHelp(
      "A variable and its value: an item, a reference, or text with references; repeatable.",
      valueName: "name=ref"), completion: .live)
  var env: [String] = []

  @Option(
    help: ArgumentHelp(
      "A .env file, whose values may hold references; repeatable, later ones win.",
      valueName: "path"), completion: .file())
  var envFile: [String] = []

  @Option(
    help: ArgumentHelp(
      "An open file in memory with the secret; its number is in NAME_FD, or the one given.",
      valueName: "name=n"), completion: .live)
  var fd: [String] = []

  @Option(
    help: ArgumentHelp(
      "A path to a file in memory with the secret, in NAME_FILE.", valueName: "name"),
    completion: .live)
  var file: [String] = []

  @Option(
    help: ArgumentHelp("What the command reads from its stdin.", valueName: "ref"),
    completion: .live)
  var stdin: String?

  @Flag(
    help: "Leave out the rest of the environment, except HOME, PATH, TERM and the like.")
  var only = false

  // The words after `--`: CommandLineParsing replaces `--` with this option's name, because the
  // parser accepts only one list of words.
  @Option(name: .customLong(Self.commandOption), parsing: .remaining, help: .hidden)
  var command: [String] = []

  static let commandOption = "run-command"

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    guard !command.isEmpty else {
      throw CommandError.usage(
        "there is no command to run", hint: "\(ProgramName.current) run NAME… -- COMMAND ARGUMENT…")
    }
    let asked = try RunVariable.all(names: names, assignments: env)
    let variables = try RunVariable.inFiles(envFile, besides: asked) + asked
    let files =
      try fd.map { try RunFile.descriptor($0) } + file.map { try RunFile.path($0) }
      + (stdin.map { [try RunFile.standardInput($0)] } ?? [])
    let reading = ReferenceReading(settings)
    try reading.open(variables.flatMap(\.references) + files.map(\.reference))
    let values = try values(of: variables, reading)
    let contents = try files.compactMap { try reading.value(of: $0.reference) }
    try reading.throwIfMissing()
    // Now or never: a successful execve(2) does not return.
    Notices.tell(isAtEnd: true)
    let made = try RunFile.make(files, values: contents)
    try Execution(
      // The parser's words are text; these are the bytes that were typed.
      command: RawArguments.last(command.count),
      secrets: values + made.variables.map { (variable: $0.0, value: $0.1) },
      removedVariables: PrivateVariables.all, keepsLittle: only, files: made.placements
    ).replaceProcess()
  }

  private func values(
    of variables: [RunVariable], _ reading: ReferenceReading
  ) throws -> [(variable: String, value: SecretBytes)] {
    var values: [(variable: String, value: SecretBytes)] = []
    for variable in variables {
      guard let value = try reading.value(of: variable.parts) else { continue }
      let hasNUL = value.withBytes { bytes in
        (0..<bytes.byteCount).contains { bytes.byte(at: $0) == 0 }
      }
      guard !hasNUL else {
        throw CommandError.usage(
          "the secret for \(variable.name) contains a NUL byte, which an environment cannot hold",
          hint: "use an encoding: --env \(variable.name)='secret://NAME?encoding=base64'")
      }
      values.append((variable.name, value))
    }
    return values
  }
}

/// A variable of the command's environment and its value.
package struct RunVariable: Equatable, Sendable {
  package let name: String
  package let parts: [ReferenceText.Part]

  var references: [SecretReference] {
    parts.compactMap { if case .reference(let reference) = $0 { reference } else { nil } }
  }

  /// Returns the variables that a line asks for.
  ///
  /// - Throws: ``CommandError`` with code `usage` for an invalid name of a variable, or one that
  ///   occurs twice.
  package static func all(names: [String], assignments: [String]) throws -> [RunVariable] {
    var variables: [RunVariable] = []
    for text in names {
      let reference = try SecretReference(nameOrReference: text)
      variables.append(
        RunVariable(name: try variableName(for: reference), parts: [.reference(reference)]))
    }
    for text in assignments {
      guard let equals = text.unicodeScalars.firstIndex(of: "="), isVariable(text[..<equals]) else {
        throw CommandError.usage(
          "--env takes a variable and a reference", hint: "such as: --env TOKEN=secret://api-token")
      }
      let value = String(text[text.unicodeScalars.index(after: equals)...])
      let parts: [ReferenceText.Part] =
        value.contains(SecretReference.scheme)
        ? try ReferenceText.parts(of: value) : [.reference(SecretReference(name: value))]
      variables.append(RunVariable(name: String(text[..<equals]), parts: parts))
    }
    var seen: Set<String> = []
    for variable in variables where !seen.insert(variable.name).inserted {
      throw CommandError.usage(
        "the variable \(variable.name) is set twice", hint: "give one another name with --env"
      )
    }
    return variables
  }

  /// Returns the variables of `.env` files; for their syntax see Documentation/cli.md.
  ///
  /// - Parameters:
  ///   - paths: The files; the last one that has a variable wins.
  ///   - asked: The variables of the line itself, which override the files.
  /// - Returns: The variables, in no particular order.
  /// - Throws: ``CommandError`` with code `usage` if a line is not `NAME=value`.
  static func inFiles(_ paths: [String], besides asked: [RunVariable]) throws -> [RunVariable] {
    var found: [String: RunVariable] = [:]
    for path in paths {
      let bytes = try SecretInput.read(file: path, limit: 1 << 20)
      guard let text = bytes.withBytes({ $0.text(0..<$0.byteCount) }) else {
        throw CommandError.usage("\(path) is not UTF-8 text")
      }
      for entry in DotenvImport.entries(text) {
        switch entry {
        case .damaged(let line, let reason):
          throw CommandError.usage("\(path), line \(line): \(reason)")
        case .value(let name, let value):
          guard isVariable(name[...]) else {
            throw CommandError.usage("\(path) has an invalid variable name")
          }
          found[name] = RunVariable(name: name, parts: try ReferenceText.parts(of: value))
        }
      }
    }
    for variable in asked { found[variable.name] = nil }
    return found.values.sorted { $0.name < $1.name }
  }

  /// The name of the variable for a reference.
  static func variableName(for reference: SecretReference) throws -> String {
    try variableName(for: reference.name + (reference.field.map { "_\($0)" } ?? ""))
  }

  /// The name of the variable for an item: `api-token` is `API_TOKEN`.
  package static func variableName(for item: String) throws -> String {
    var name = ""
    for scalar in item.unicodeScalars {
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9": name += String(scalar).uppercased()
      default: name += "_"
      }
    }
    if let first = name.utf8.first, (0x30...0x39).contains(first) { name = "_" + name }
    guard name.utf8.contains(where: { $0 != UInt8(ascii: "_") }) else {
      throw CommandError.usage(
        "an item's name is not valid for a variable", hint: "choose one: --env VARIABLE=NAME")
    }
    return name
  }

  private static func isVariable(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
      default: false
      }
    }
  }
}
