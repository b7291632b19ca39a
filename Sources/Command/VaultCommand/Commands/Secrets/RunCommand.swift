import ArgumentParser
import Glibc
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
      Without --mask and --watch, the command replaces this program: same process, terminal, \
      signals and exit status. The item api-token becomes $API_TOKEN; of a folder, each item sets the variable of its \
      last part: app/STRIPE_KEY is $STRIPE_KEY. Missing items are listed before anything starts.

      \(ProgramName.current) run api-token -- ./deploy.sh
      \(ProgramName.current) run app/ -- ./server
      \(ProgramName.current) run --env PGPASSWORD=secret://database#password -- psql
      \(ProgramName.current) run --env-file .env --only -- ./server
      \(ProgramName.current) run --as-file tls/key -- nginx
      \(ProgramName.current) run api-token --mask -- ./deploy.sh
      \(ProgramName.current) run app/ --watch -- ./server
      \(ProgramName.current) run --as-file tls/key --watch=signal -- nginx -g 'daemon off;'
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

  @OptionGroup(title: "Following changes") var watching: RunWatchOptions
  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws { try request.run() }

  /// What the line asks for.
  var request: RunRequest {
    RunRequest(
      names: names, prefixNames: prefixNames, env: env, envFile: envFile, fd: fd, asFile: asFile,
      toStdin: toStdin, file: file, stdin: stdin, only: only, mask: mask, dryRun: dryRun,
      command: command, watch: watching.request, common: common.given)
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
  var watch = RunWatchRequest()
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
    let plan = RunPlan(
      folders: folders, asked: asked, inFiles: inFiles, files: files, usesWholeNames: prefixNames)
    let watch = try watch.options()
    if let watch { try check(watch, plan, settings) }
    let reading = ReferenceReading(settings, for: .run)
    reading.keepsSecrets = mask
    let variables = try plan.variables(reading)
    if dryRun {
      try reading.check(variables.flatMap(\.references) + files.map(\.reference))
      try plan.throwIfMissing(reading, variables)
      return try tell(variables, files, settings)
    }
    let given = try plan.given(variables, reading)
    reading.recordUses()
    if names.isEmpty, folders.isEmpty, env.isEmpty, envFile.isEmpty, files.isEmpty {
      StandardError.note(
        "nothing of the vault is given to the command: the line names no item",
        hint:
          "\(ProgramName.current) run NAME… -- \(StandardOutput.shown(Quoting.shell(command[0])))"
          + (command.count > 1 ? " …" : "") + "; a folder: FOLDER/; a file: --env-file PATH")
    }
    // Now or never: a successful execve(2) does not return.
    Notices.tell(isAtEnd: true)
    if let watch { try follow(plan, given, settings, watch) }
    let values = given.contents.map(\.value)
    guard mask else {
      let made = try RunFile.make(files, values: values, place: .process(getpid()))
      try execution(given, made).replaceProcess()
    }
    // Nobody may look into this process, which stays: another one holds the files.
    let held = try WatchedFiles(files)
    let execution = execution(given, try held.make(values))
    let redactor = try Redactor(given.secrets)
    MaskedSecrets.tellUnmasked(given.secrets)
    let end = try execution.run(masking: redactor)
    withExtendedLifetime(held) {}
    end.endProcess()
  }

  /// The command with what it is given.
  private func execution(_ given: RunPlan.Given, _ made: RunFile.Made) -> Execution {
    Execution(
      // The parser's words are text; these are the bytes that were typed.
      command: RawArguments.last(command.count),
      secrets: given.values.map { ($0.variable, $0.value) }
        + made.variables.map { (variable: $0.0, value: $0.1) },
      removedVariables: PrivateVariables.all, keepsLittle: only, files: made.placements)
  }

  // MARK: - Following changes

  /// Refuses what cannot be followed.
  private func check(
    _ watch: RunWatch.Options, _ plan: RunPlan, _ settings: VaultSettings
  ) throws {
    _ = try settings.openingAgain()
    guard watch.action == .signal else { return }
    let hint = "use --watch, which starts the command again"
    guard (plan.asked + plan.inFiles).allSatisfy({ $0.references.isEmpty }), plan.folders.isEmpty
    else {
      throw CommandError.usage(
        "a signal cannot change the variables of a command that runs",
        hint: "give the secrets by --as-file, or \(hint)")
    }
    guard plan.files.allSatisfy({ $0.use == .path }), !plan.files.isEmpty else {
      throw CommandError.usage(
        "a signal can only tell of new files that have a path",
        hint: "give the secrets by --as-file, or \(hint)")
    }
  }

  /// Runs the command as often as it takes, and ends this process as it ended.
  private func follow(
    _ plan: RunPlan, _ given: RunPlan.Given, _ settings: VaultSettings, _ options: RunWatch.Options
  ) throws -> Never {
    let files = try WatchedFiles(plan.files)
    let watch = try RunWatch(
      plan, given: given, settings, options, isMasked: mask,
      replaceFiles: { try files.replace($0) })
    var secrets: [SecretBytes] = []
    let end = try watch.run(given) { given, handle, signals in
      let made = try files.make(given.contents.map(\.value))
      let execution = execution(given, made)
      defer { for placed in made.placements { SealedMemoryFile.close(placed.file) } }
      guard mask else {
        return try execution.run(
          beside: handle, signals: signals, deathSignal: options.stopSignal)
      }
      // What was written before the change may still come.
      secrets += given.secrets.filter { one in !secrets.contains { $0.isEqual(to: one) } }
      MaskedSecrets.tellUnmasked(given.secrets)
      return try execution.run(masking: Redactor(secrets), beside: handle, signals: signals)
    }
    guard let end else {
      StandardError.note("the secrets have changed: the command was stopped")
      exit(RunWatch.changedStatus)
    }
    end.endProcess()
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
}
