import ArgumentParser
import Glibc
import VaultCommandCore
import VaultCompletion
import VaultCredentials
import VaultExchange
import VaultProtocols
import VaultStorage
import VaultTerminal

/// `vault import`.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import the secrets of another program.",
    discussion: """
      Writes all items at once, or none. Whatever could not be imported is listed, and makes the status 1. \
      With --dry-run nothing is written.

      'home' finds what programs keep in plain text in the home (aws, git-credentials, docker, netrc, npmrc, pypirc, cargo, \
      gh, pgpass, kube), moves it into the vault, and has the programs get it there; '\(ProgramName.current) disconnect' \
      puts it back. The word of one of them only imports its file, which stays as it is.

      \(ProgramName.current) import pass --dry-run
      \(ProgramName.current) import home --dry-run
      \(ProgramName.current) import bitwarden export.json --prefix bitwarden/
      \(ProgramName.current) import dotenv .env --prefix app/ --references .env.vault
      \(ProgramName.current) import csv table.csv --columns name,url,user,secret
      \(ProgramName.current) import keepassxc passwords.kdbx --kdbx-key-file passwords.key
      """)

  @Argument(
    help: "\((ImportSource.words + ClearTextImport.words).joined(separator: ", ")).",
    completion: .list(ImportSource.words + ClearTextImport.words))
  var format: String

  @Argument(
    help: """
      The file, or the folder of pass and gopass, which are found by themselves; '-' for stdin. \
      KeePassXC: .csv, .xml or .kdbx.
      """,
    completion: .file())
  var path: String?

  @Flag(name: [.long, .customShort("n")], help: "Only show what would be done.")
  var dryRun = false

  @Flag(help: "Give existing items with other secrets a new version.")
  var replace = false

  @Option(help: ArgumentHelp("A prefix for all names, such as old/.", valueName: "text"))
  var prefix = ""

  @Option(
    help: ArgumentHelp(
      "Only names that match one of these shell patterns, in any case.", valueName: "patterns"))
  var only: String?

  @Option(
    help: ArgumentHelp(
      "Write the .env file with references in place of its secrets; '-' for stdout.",
      valueName: "path"), completion: .file())
  var references: String?

  @Flag(
    name: [.long, .customShort("y")],
    help: """
      With --references: store every variable, and replace the file, without asking. With home: move \
      everything.
      """)
  var yes = false

  @Option(
    help: ArgumentHelp(
      "The columns of a csv: name, folder, secret, user, url, otp, notes, tags, another field, or '-'; "
        + "in their order, or as MEANING=HEADING or MEANING=NUMBER.",
      valueName: "list"))
  var columns: String?

  @Flag(help: "The first row of a csv is an item, too.")
  var noHeadings = false

  @Option(
    help: ArgumentHelp("The key file of a KeePassXC database.", valueName: "path"),
    completion: .file())
  var kdbxKeyFile: String?

  @Flag(help: "The KeePassXC database has no password: its key file alone opens it.")
  var kdbxNoPassword = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    let settings = try common.settings()
    guard let source = ImportSource(word: format) else { return try importClearText(settings) }
    let format = try source.described(by: columns, hasHeadings: !noHeadings)
    guard format == .file(.keepassxc) || (kdbxKeyFile == nil && !kdbxNoPassword) else {
      throw CommandError.usage("--kdbx-key-file and --kdbx-no-password are for keepassxc")
    }
    guard references == nil || format == .file(.dotenv) else {
      throw CommandError.usage(
        "--references is for dotenv",
        hint: "such as: \(ProgramName.current) import dotenv .env --references .env.vault")
    }
    let choice = try only.map { try NameChoice($0) }
    // The file's name is a word for its format, too.
    if path == nil, self.format == ".env" {
      throw CommandError.usage(
        "the format is missing", hint: "\(ProgramName.current) \(Self.verbName) dotenv .env")
    }
    let path = try format.path(path)
    var reading: ImportReading
    var file: ReferencesFile?
    if let references {
      // Read once: it may come from stdin, and may be the file to replace.
      let bytes = try ImportSource.bytes(path)
      let steering: [String]
      (reading, steering) = ReferencesFile.withoutReferences(try ImportFormat.dotenv.read(bytes))
      if !steering.isEmpty {
        StandardError.note(
          "as before in the file: \(steering.map(Sanitizer.visible).joined(separator: ", ")): "
            + (steering.count == 1 ? "it makes" : "they make")
            + " programs run other code or read other files",
          hint:
            "from the vault only a line gives such a variable: \(ProgramName.current) run --env "
            + "\(steering[0])=ITEM")
      }
      // Ports and host names are better left in the file, where people change them.
      if choice == nil, asksWhatIsSecret { reading = try SecretGuess(reading).confirmed() }
      file = try ReferencesFile(path: references, of: bytes, isConfirmed: yes || dryRun)
    } else {
      reading = try format.read(path, keyFile: kdbxKeyFile, hasPassword: !kdbxNoPassword)
      if format == .file(.dotenv) { reading = ReferencesFile.losingReferences(reading) }
    }
    if let choice { reading = reading.keeping { choice.contains($0.name) } }
    try run(settings, reading, file)
    if file == nil { tellFile(path, format) }
  }

  /// Says to a person that the file still has what the vault has now.
  private func tellFile(_ path: String, _ format: ImportSource) {
    guard !dryRun, !OutputOptions.isQuiet, StandardError.isTerminal,
      let status = try? System.targetStatus(of: path, in: AT_FDCWD), status.isRegular,
      !path.lowercased().ends(with: ".kdbx")
    else { return }
    let typed = Quoting.typed(path)
    let line =
      "\(ProgramName.current) \(Self.verbName) dotenv \(typed)"
      + (prefix.isEmpty ? "" : " --prefix \(Quoting.typed(prefix))") + " --references \(typed)"
    StandardError.note(
      "\(StandardOutput.shown(path)) still has them in plain text",
      hint: format == .file(.dotenv)
        ? "references in their place: \(line)" : "once it is of no use: shred -u \(typed)")
  }

  /// Reads the files in which programs keep their secrets.
  private func importClearText(_ settings: VaultSettings) throws {
    let program = ClearTextProgram(word: format)
    guard program != nil || format == ClearTextImport.home else {
      let words = ImportSource.words + ClearTextImport.words
      throw CommandError.usage(
        "unknown format",
        hint: Habit.hint(for: [Self.verbName, format], path: [Self.verbName])
          ?? Self.hint(forFile: format, path)
          ?? Suggestion.nearest(to: format, among: words).map { "did you mean: \($0)" }
          ?? "known: \(words.joined(separator: ", "))")
    }
    guard references == nil, columns == nil, !noHeadings, prefix.isEmpty, kdbxKeyFile == nil,
      !kdbxNoPassword
    else {
      throw CommandError.usage(
        "'\(format)' takes --dry-run, --replace, --only and --yes",
        hint: "its items are named so that the program finds them")
    }
    try ClearTextImport(
      settings: settings, program: program, path: path, dryRun: dryRun, replaces: replace,
      yes: yes, only: only.map { try NameChoice($0) }
    ).run()
  }

  private static let verbName = "import"

  /// What helps where the file stands in the format's place, or before the format.
  ///
  /// Only a file that is there is named: any other word may be a secret.
  private static func hint(forFile word: String, _ second: String?) -> String? {
    let isThere = SecretInput.exists(word)
    let file = isThere ? Quoting.typed(word) : "FILE"
    func line(_ format: String) -> String {
      "the format comes first: \(ProgramName.current) \(verbName) \(format) \(file)"
    }
    let words = ImportSource.words + ClearTextImport.words
    if let second, words.contains(second) { return line(second) }
    let name = String(word.lastComponent).lowercased()
    // The files that programs keep in the home are known by their names, or their folders'.
    if isThere, ClearTextProgram(word: name) != nil {
      return line(String(name.unicodeScalars.drop { $0 == "." }))
    }
    let places = [
      ".aws/credentials": "aws", ".docker/config.json": "docker", "gh/hosts.yml": "gh",
      "containers/auth.json": "podman",
      ".kube/config": "kube", ".cargo/credentials.toml": "cargo", ".cargo/credentials": "cargo",
    ]
    if isThere, let (_, format) = places.first(where: { word.ends(with: $0.key) }) {
      return line(format)
    }
    let endings = [
      ".csv": "csv", ".tsv": "csv", ".kdbx": "kdbx", ".env": "dotenv", ".1pux": "1password",
    ]
    if let (_, format) = endings.first(where: { name.ends(with: $0.key) }) { return line(format) }
    // `.env.local`, `.env.production`.
    if name.begins(with: ".env") { return line("dotenv") }
    guard isThere else { return nil }
    return "\(line("FORMAT")); the formats: \(ProgramName.current) help \(verbName)"
  }

  /// Whether a person is there to say which variables are secrets.
  private var asksWhatIsSecret: Bool {
    !yes && !dryRun && !common.json && !OutputOptions.isQuiet && Prompt.isPossible
      && StandardError.isTerminal
  }

  private func run(
    _ settings: VaultSettings, _ reading: ImportReading, _ file: ReferencesFile?
  ) throws {
    let plan: ImportPlan
    if dryRun {
      plan =
        try settings.withVaultIfAny { try planned(reading, in: $0.readInPlace()) }
        ?? planned(reading, in: nil)
    } else {
      plan = try settings.withVaultMade { vault in
        try vault.edit(planning: { try planned(reading, in: $0) }) { edit, plan in
          try file?.check(plan)
          return plan.drafts.isEmpty ? nil : try edit.store(plan.drafts, marking: plan.marks)
        }.plan
      }
    }
    // Stdout has one document: the file of references, if it goes there.
    try report(plan, onStandardOutput: dryRun || file?.isStandardOutput != true)
    if !dryRun { try file?.write(plan) }
    let isIncomplete = !plan.losses.isEmpty || plan.steps.contains { $0.action == .exists }
    if isIncomplete { throw ExitStatusOnly(status: .no) }
  }

  private func planned(
    _ reading: ImportReading, in snapshot: VaultSnapshot?
  ) throws -> ImportPlan {
    let progress = ProgressLine("comparing item")
    return try ImportPlan(
      reading, into: snapshot, prefix: prefix, replaces: replace,
      progress: { progress.show($0, of: reading.items.count) })
  }

  private func report(_ plan: ImportPlan, onStandardOutput isShown: Bool) throws {
    var arrived = ArrivedVariables()
    for step in plan.steps where step.action != .exists && step.action != .twice {
      arrived.look(
        at: step.name.text, variable: step.item.attributes[EnvironmentVariable.attribute])
    }
    if common.json, isShown {
      return try StandardOutput.write(
        [
          ("isDryRun", .bool(dryRun)),
          (
            "items",
            .array(
              plan.steps.map {
                .object([
                  ("origin", .string($0.item.origin)), ("name", .string($0.name.text)),
                  ("action", .string($0.action.rawValue)),
                  ("fields", .strings($0.item.fields.keys.sorted())),
                ])
              })
          ),
          (
            "notTaken",
            .array(
              plan.losses.map {
                .object([("origin", .string($0.origin)), ("reason", .string($0.reason))])
              })
          ),
          (
            "notes",
            .array(
              plan.notes.map {
                .object([("origin", .string($0.origin)), ("reason", .string($0.reason))])
              })
          ),
        ] + arrived.members)
    }
    let rows = plan.steps.map { step in
      [
        step.action.rawValue, StandardOutput.shown(step.name.text),
        step.item.fields.keys.sorted().map(StandardOutput.shown).joined(separator: ", "),
      ]
    }
    if !rows.isEmpty, isShown, dryRun || !OutputOptions.isQuiet {
      try StandardOutput.write(TextTable.aligned(rows))
    }
    arrived.tell()
    if !OutputOptions.isQuiet {
      StandardError.tellSome(plan.notes) { StandardError.note("\($0.origin): \($0.reason)") }
    }
    StandardError.tellSome(plan.losses) { loss in
      StandardError.line("\(ProgramName.current): skipped: \(loss.origin): \(loss.reason)")
    }
    let written = plan.drafts.count
    let left = plan.steps.filter { $0.action == .exists }.count
    let twice = plan.steps.filter { $0.action == .twice }.count
    StandardError.note(
      "\(dryRun ? "would import" : "imported") \(written) "
        + "(\(plan.steps.count - written - left - twice) unchanged, "
        + "\(left) with another secret here, \(plan.losses.count) skipped"
        + (twice > 0 ? ", \(twice) twice in the file" : "") + ")",
      hint: left > 0 ? "--replace gives existing items a new version" : nil)
  }
}
