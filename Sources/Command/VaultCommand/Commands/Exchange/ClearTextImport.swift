import VaultCommandCore
import VaultCredentials
import VaultProtocols
import VaultStorage
import VaultTerminal

/// `vault import aws` and its like: the secrets of a program's own file; and `vault import home`.
struct ClearTextImport {
  /// The word for all of them.
  static let home = "home"
  /// The words.
  static let words = ClearTextProgram.allCases.map(\.rawValue) + [home]

  let settings: VaultSettings
  /// The program; `nil` for all.
  let program: ClearTextProgram?
  let path: String?
  let dryRun: Bool
  let replaces: Bool
  let yes: Bool
  let only: NameChoice?

  func run() throws {
    guard let program else { return try sweepHome() }
    var sweep = try ClearTextSweep([program], path: path)
    let all = sweep
    sweep = sweep.keeping(isWanted)
    ClearTextMoving.tellUnreadable(sweep)
    guard !sweep.files.isEmpty else {
      if !all.files.isEmpty {
        tellEntries(of: all)
        throw ExitStatusOnly(status: .no)
      }
      let places = path.map { [$0] } ?? program.paths { ProcessState.variable($0) }
      guard sweep.unreadable.isEmpty else { throw ExitStatusOnly(status: .no) }
      StandardError.note(
        "nothing is in plain text in \(places.map(StandardOutput.shown).joined(separator: " or "))",
        hint: path == nil
          ? "name the file: \(ProgramName.current) import \(program.rawValue) FILE; or one secret: "
            + "\(ProgramName.current) set NAME" : nil)
      throw ExitStatusOnly(status: .no)
    }
    let stored =
      dryRun
      ? try settings.withVaultIfAny { try sweep.stored(in: $0.read(), replaces: replaces) }
        ?? sweep.stored(in: nil, replaces: replaces)
      : try settings.withVaultMade { vault in
        try sweep.store(in: vault, replaces: replaces)
      }
    if settings.writesJSON {
      try StandardOutput.write([
        ("isDryRun", .bool(dryRun)), ("items", ClearTextMoving.json(stored)),
      ])
    } else {
      try report(stored, program)
    }
    if stored.contains(where: { $0.outcome == .exists }) || !sweep.unreadable.isEmpty {
      throw ExitStatusOnly(status: .no)
    }
  }

  private func report(_ stored: [ClearTextSweep.Stored], _ program: ClearTextProgram) throws {
    try ClearTextMoving(settings: settings, dryRun: dryRun).tell(stored)
    func count(_ outcome: ClearTextSweep.Outcome) -> Int { stored.count { $0.outcome == outcome } }
    let left = count(.exists)
    StandardError.note(
      "\(dryRun ? "would import" : "imported") \(count(.new) + count(.changed)) "
        + "(\(count(.unchanged)) unchanged, \(left) with another secret here)",
      hint: left > 0 ? "--replace gives existing items a new version" : nil)
    guard path != SecretInput.standardInput else { return }
    let files = Set(stored.map(\.file.path)).sorted().map(StandardOutput.shown)
    // What `connect` moves are the program's own files.
    let isOwn = path.map { program.paths { ProcessState.variable($0) }.contains($0) } ?? true
    StandardError.note(
      "\(files.joined(separator: ", ")) still \(files.count == 1 ? "has" : "have") them in plain text",
      hint: isOwn
        ? "to move them: \(ProgramName.current) connect \(program.connection) --move"
        : "once nothing needs that file: shred -u \(files.joined(separator: " "))")
  }

  // MARK: - The whole home

  private func sweepHome() throws {
    guard path == nil else {
      throw CommandError.usage(
        "'home' is the home of the user: it takes no path",
        hint: "one file: \(ProgramName.current) import aws FILE, or another of: "
          + ClearTextProgram.allCases.map(\.rawValue).joined(separator: ", "))
    }
    let leftovers = dryRun ? Leftovers.found() : []
    let stuck = Leftovers.remove(dryRun: dryRun)
    for (path, reason) in stuck { ClearTextMoving.tellSkipped(path, reason) }
    var sweep = try ClearTextSweep(ClearTextProgram.allCases)
    let all = sweep
    sweep = sweep.keeping(isWanted)
    let moving = ClearTextMoving(settings: settings, dryRun: dryRun)
    let refused: [(path: String, reason: any Error)]
    (sweep, refused) = moving.settable(sweep)
    defer { tellOthers(sweep) }
    for (path, reason) in refused {
      let report = ErrorReport(reason)
      ClearTextMoving.tellSkipped(path, report.message, hint: report.hint)
    }
    let isLeft = !refused.isEmpty || !sweep.unreadable.isEmpty || !stuck.isEmpty
    let skipped =
      stuck + sweep.unreadable
      + refused.map { (path: $0.path, reason: ErrorReport($0.reason).message) }
    guard !sweep.files.isEmpty else {
      if settings.writesJSON {
        try write([], isDryRun: dryRun, skipped: skipped)
      } else if only != nil {
        tellEntries(of: all)
      } else if ClearTextMoving.tellClearTextHelpers() {
        // Its file may have what nobody has looked at: this is no all-clear.
        throw ExitStatusOnly(status: .no)
      } else if !isLeft, leftovers.isEmpty {
        StandardError.note("no program whose files are known here keeps a secret in plain text")
      }
      if isLeft || only != nil { throw ExitStatusOnly(status: .no) }
      return
    }
    if !dryRun, !yes {
      guard !settings.isUnattended, !settings.writesJSON, Prompt.isPossible else {
        let line = "\(ProgramName.current) import home"
        throw CommandError.usage(
          "\(Plural.secrets(sweep.count)) would be moved, and nobody can be asked",
          hint: "see them: \(line) --dry-run; do it: \(line) --yes")
      }
      sweep = try chosen(of: sweep)
      guard !sweep.files.isEmpty else { return StandardError.note("nothing was moved") }
    }
    let moved = try moving.move(sweep)
    let (stored, changes) = (moved.stored, moved.changes)
    moved.tellKept()
    if !dryRun { try moving.checkNothingIsLeft(sweep, moved) }
    if settings.writesJSON {
      try write(
        stored, isDryRun: dryRun,
        skipped: skipped + moved.skipped)
      if isLeft || !moved.kept.isEmpty { throw ExitStatusOnly(status: .no) }
      return
    }
    try moving.tell(stored)
    for path in Set(changes.map(\.path)).sorted() {
      StandardError.note(
        "\(dryRun ? "would write" : "wrote") to \(StandardOutput.shown(path)): "
          + "the program asks the vault")
    }
    for (text, hint) in try moving.lines(stored) { StandardError.note(text, hint: hint) }
    for (text, hint) in sweep.links { StandardError.note(text, hint: hint) }
    try moving.tellKeptHelper(sweep)
    StandardError.note(
      dryRun
        ? "would move \(Plural.secrets(stored.count))"
        : "moved \(Plural.secrets(moved.count))"
          + (moved.kept.isEmpty ? "; a second look finds none of them in plain text" : ""),
      hint: dryRun
        ? "do it: \(ProgramName.current) import home"
        : "backups and the history of the shell may still have them; back: \(ProgramName.current) disconnect PROGRAM, one of: "
          + Set(stored.map(\.file.program.rawValue)).sorted().joined(separator: ", ")
    )
    if isLeft || !moved.kept.isEmpty { throw ExitStatusOnly(status: .no) }
  }

  /// Whether a secret is one of those that the line names: by its entry in the file, or by the name
  /// that its item gets.
  private func isWanted(_ secret: ClearTextSecret) -> Bool {
    guard let only else { return true }
    return only.contains(secret.entry) || secret.itemName.map { only.contains($0.text) } == true
  }

  /// Says that nothing has a name that was given, and which names there are.
  private func tellEntries(of sweep: ClearTextSweep) {
    let names = sweep.files.flatMap(\.secrets).map { $0.itemName?.text ?? $0.entry }
    let shown = names.prefix(8).map(StandardOutput.shown).joined(separator: ", ")
    StandardError.note(
      "nothing of that name is in plain text in files that are known here",
      hint: names.isEmpty ? nil : "there are: \(shown)\(names.count > 8 ? ", …" : "")")
  }

  /// Asks about each file.
  private func chosen(of sweep: ClearTextSweep) throws -> ClearTextSweep {
    var refused: Set<String> = []
    for file in sweep.files {
      let names = file.secrets.map(\.entry)
      let shown = names.prefix(4).map(StandardOutput.shown).joined(separator: ", ")
      let more = names.count > 4 ? ", and \(names.count - 4) more" : ""
      let question =
        "Move \(Plural.secrets(names.count)) of \(StandardOutput.shown(file.path)) into the vault (\(shown)\(more))?"
      if try Prompt.confirm(question, default: true) != true { refused.insert(file.path) }
    }
    return sweep.leavingOut(refused)
  }

  /// What is known, and stays where it is.
  private func tellOthers(_ sweep: ClearTextSweep) {
    guard !settings.writesJSON else { return }
    ClearTextMoving.tellUnreadable(sweep)
    for (path, hint) in OtherClearText.found() {
      StandardError.note("\(StandardOutput.shown(path)) may have secrets, and stays", hint: hint)
    }
  }

  private func write(
    _ stored: [ClearTextSweep.Stored], isDryRun: Bool, skipped: [(path: String, reason: String)]
  ) throws {
    try StandardOutput.write([
      ("isDryRun", .bool(isDryRun)), ("items", ClearTextMoving.json(stored)),
      ClearTextMoving.json(skipped: skipped),
      (
        "others",
        .array(
          OtherClearText.found().map {
            .object([("path", .string($0.path)), ("hint", .string($0.hint))])
          })
      ),
    ])
  }
}
