import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultExchange
import VaultProtocols
import VaultRedaction
import VaultSealing
import VaultStorage
import VaultTerminal

/// `vault run`.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a command with secrets in its environment.",
    usage:
      "\(ProgramName.current) run [NAME…] [FOLDER/…] [--env V=REF…] [<options>] -- COMMAND [ARG…]",
    discussion: """
      Without --mask, the command replaces this program: same process, terminal, signals and exit \
      status. The item api-token becomes $API_TOKEN; of a folder, each item sets the variable of its \
      last part: app/STRIPE_KEY is $STRIPE_KEY. Missing items are listed before anything starts.

      \(ProgramName.current) run api-token -- ./deploy.sh
      \(ProgramName.current) run app/ -- ./server
      \(ProgramName.current) run --env PGPASSWORD=secret://database#password -- psql
      \(ProgramName.current) run --env-file .env --only -- ./server
      \(ProgramName.current) run --as-file tls/key -- nginx
      \(ProgramName.current) run api-token --mask -- ./deploy.sh
      """)

  @Argument(
    help: "Items and references; each sets the variable of its name. Folders and patterns, too.",
    completion: .live)
  var names: [String] = []

  @Flag(help: "Name a folder's variables by whole names: app/STRIPE_KEY is $APP_STRIPE_KEY.")
  var prefixNames = false

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
  var asFile: [String] = []

  @Option(
    help: ArgumentHelp("What the command reads from its stdin.", valueName: "ref"),
    completion: .live)
  var toStdin: String?

  // The names of the first release, which `set` uses for something else.
  @Option(help: .hidden, completion: .live) var file: [String] = []
  @Option(help: .hidden, completion: .live) var stdin: String?

  @Flag(
    help: "Leave out the rest of the environment, except HOME, PATH, TERM and the like.")
  var only = false

  @Flag(help: "Replace the secrets in what the command writes, in every common encoding.")
  var mask = false

  @Flag(
    name: [.long, .customShort("n")],
    help: "Print the names of the variables, and run nothing.")
  var dryRun = false

  // The words after `--`: CommandLineParsing replaces `--` with this option's name, because the
  // parser accepts only one list of words.
  @Option(name: .customLong(Self.commandOption), parsing: .remaining, help: .hidden)
  var command: [String] = []

  static let commandOption = "run-command"

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws { try request.run() }

  /// What the line asks for.
  var request: RunRequest {
    RunRequest(
      names: names, prefixNames: prefixNames, env: env, envFile: envFile, fd: fd, asFile: asFile,
      toStdin: toStdin, file: file, stdin: stdin, only: only, mask: mask, dryRun: dryRun,
      command: command, common: common.given)
  }
}

/// The parsed line of `vault run`.
struct RunRequest: Equatable, Sendable {
  var names: [String] = []
  var prefixNames = false
  var env: [String] = []
  var envFile: [String] = []
  var fd: [String] = []
  var asFile: [String] = []
  var toStdin: String?
  var file: [String] = []
  var stdin: String?
  var only = false
  var mask = false
  var dryRun = false
  /// The words behind `--`.
  var command: [String] = []
  var common = CommonOptions()

  /// Thrown where nothing stands behind `--`, or where it was forgotten: what helps depends on the
  /// line as it was typed.
  struct NoCommand: Error {}

  func run() throws {
    let settings = try common.settings()
    guard !command.isEmpty || dryRun, command.first?.begins(with: "-") != true else {
      throw NoCommand()
    }
    guard stdin == nil || toStdin == nil else {
      throw CommandError.usage("--stdin and --to-stdin are one option", hint: "give --to-stdin")
    }
    let (folders, names) = try RunFolders.split(names)
    let asked = try RunVariable.all(names: names, assignments: env)
    let inFiles = try RunVariable.inFiles(envFile)
    let files =
      try fd.map { try RunFile.descriptor($0) } + (asFile + file).map { try RunFile.path($0) }
      + ((toStdin ?? stdin).map { [try RunFile.standardInput($0)] } ?? [])
    let reading = ReferenceReading(settings, for: .run)
    reading.keepsSecrets = mask
    try reading.open(
      (asked + inFiles).flatMap(\.references) + files.map(\.reference),
      readsAll: !folders.isEmpty)
    // What stands on the line itself wins over a folder, and a folder over a file.
    let onLine = try asked.map { try reading.named($0) }
    try RunVariable.checkNames(onLine)
    let inFolders = try folders.variables(
      reading, usesWholeNames: prefixNames, besides: onLine)
    let variables = inFiles.besides(onLine + inFolders) + inFolders + onLine
    if dryRun {
      try reading.check(variables.flatMap(\.references) + files.map(\.reference))
      try throwIfMissing(reading, variables)
      return try tell(variables, files, settings)
    }
    let values = try values(of: variables, reading)
    let contents = try files.compactMap { try reading.value(of: $0.reference) }
    try throwIfMissing(reading, variables)
    reading.recordUses()
    // Now or never: a successful execve(2) does not return.
    Notices.tell(isAtEnd: true)
    let made = try RunFile.make(files, values: contents, isReplacing: !mask)
    let execution = Execution(
      // The parser's words are text; these are the bytes that were typed.
      command: RawArguments.last(command.count),
      secrets: values + made.variables.map { (variable: $0.0, value: $0.1) },
      removedVariables: PrivateVariables.all, keepsLittle: only, files: made.placements)
    guard mask else { try execution.replaceProcess() }
    let redactor = try Redactor(reading.secrets)
    MaskedSecrets.tellUnmasked(reading.secrets)
    try execution.run(masking: redactor).endProcess()
  }

  /// Throws one error for all that is missing; what a file asks for has its line.
  private func throwIfMissing(
    _ reading: ReferenceReading, _ variables: [RunVariable]
  ) throws {
    let places = variables.filter { $0.place != nil && !$0.references.isEmpty }
    guard places.contains(where: { !reading.missing.isDisjoint(with: $0.references) }) else {
      return try reading.throwIfMissing()
    }
    let onLine = reading.missing.filter { reference in
      !places.contains { $0.references.contains(reference) }
    }
    let sentences =
      onLine.map { reading.reason(for: $0) }
      + places.flatMap { variable in
        variable.references.filter(reading.missing.contains).map {
          "\(variable.place ?? ""): \(reading.reason(for: $0))"
        }
      }
    throw CommandError(
      .itemNotFound, sentences.joined(separator: "; "),
      hint: reading.hintForMissing())
  }

  /// Prints the names of all variables, for `--dry-run`.
  private func tell(
    _ variables: [RunVariable], _ files: [RunFile], _ settings: VaultSettings
  ) throws {
    let named =
      variables.map { ($0.name, $0.references.map(\.fullText)) }
      + files.filter { $0.use != .standardInput && $0.use.number == nil }
      .map { ($0.variable, [$0.reference.fullText]) }
    guard settings.writesJSON else {
      return try StandardOutput.write(named.map { $0.0 + "\n" }.sorted().joined())
    }
    let objects = named.sorted { $0.0 < $1.0 }.map { name, references -> JSONValue in
      .object([("name", .string(name)), ("references", .strings(references))])
    }
    try StandardOutput.write([("variables", .array(objects)), ("isDryRun", .bool(true))])
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
      // Linux takes no longer text: execve(2), "Limits on size of arguments and environment".
      guard variable.name.utf8.count + value.count + 2 <= 32 * 4096 else {
        let source = variable.references.first?.text ?? variable.name
        throw CommandError.usage(
          "the secret for \(variable.name) is longer than an environment can hold, 128 KiB",
          hint:
            "give it as a file: --as-file \(Quoting.shell(source)), or --fd \(Quoting.shell(source))"
        )
      }
      values.append((variable.name, value))
    }
    return values
  }
}

extension [RunVariable] {
  /// The variables without those that are set elsewhere.
  fileprivate func besides(_ others: [RunVariable]) -> [RunVariable] {
    let names = Set(others.map(\.name))
    return filter { !names.contains($0.name) }
  }
}

extension [SecretReference] {
  fileprivate func isDisjoint(with others: [SecretReference]) -> Bool {
    !others.contains(where: contains)
  }
}
