import VaultCommandCore
import VaultCredentials
import VaultProtocols
import VaultStorage
import VaultTerminal

/// Moves secrets that programs keep in plain text into the vault, has the programs get them there, and
/// looks a second time; and the way back.
struct ClearTextMoving {
  let settings: VaultSettings
  /// The profile or registry that alone is meant; `nil` for all.
  var part: String?
  /// Whether nothing is changed.
  var dryRun = false

  // MARK: - Into the vault

  /// The files of programs that can be set up, and why others cannot: another helper is set, or the
  /// program cannot select a vault.
  ///
  /// What is moved without that would be lost to its program.
  ///
  /// - Parameter sweep: The files.
  /// - Returns: The files whose programs can be set up, and the others by their paths.
  func settable(
    _ sweep: ClearTextSweep
  ) -> (sweep: ClearTextSweep, refused: [(path: String, reason: any Error)]) {
    var refused: [(path: String, reason: any Error)] = []
    for file in sweep.files {
      do {
        for connection in try connections(of: [file]) { _ = try connection.connecting() }
      } catch {
        refused.append((file.path, error))
      }
    }
    return (sweep.leavingOut(Set(refused.map(\.path))), refused)
  }

  /// Moves what was found.
  ///
  /// - Parameter sweep: The files.
  /// - Returns: What was moved, what was written to the programs' configurations, and the files that
  ///   could not be changed, and keep what they have.
  /// - Throws: What storing throws; ``CommandError`` for a configuration that cannot be changed.
  func move(_ sweep: ClearTextSweep) throws -> Moved {
    guard !dryRun else {
      let stored = try settings.withVaultIfAny {
        try sweep.stored(in: $0.read(), replaces: true)
      }
      return Moved(
        stored: try stored ?? sweep.stored(in: nil, replaces: true),
        changes: try connections(of: sweep.files).flatMap { try $0.connecting() }, kept: [])
    }
    var changes: [Connection.Change] = []
    let (stored, kept) = try settings.withVaultMade { vault in
      try sweep.move(
        into: vault, notedIn: MovedSecrets(settings), unasked: unaskedPrograms()
      ) { files in
        var connected: Set<String> = []
        var failed: [(file: ClearTextSweep.Found, reason: any Error)] = []
        for (connection, itsFiles) in try connectionsWithFiles(of: files) {
          do {
            // One by one: two profiles are in one file.
            for change in try connection.connecting() {
              try change.perform()
              changes.append(change)
              connected.insert(connection.program.rawValue)
            }
          } catch {
            // One program that cannot be set up stops no other one.
            failed += itsFiles.filter { file in
              !failed.contains { $0.file.path.isSame(as: file.path) }
            }.map { ($0, error) }
          }
        }
        return (connected, failed)
      }
    }
    return Moved(stored: stored, changes: changes, kept: kept)
  }

  /// Programs that no longer read their files: git, once its helper `store` is ended.
  private func unaskedPrograms() throws -> Set<ClearTextProgram> {
    let git = try? Connection("git", part: nil, settings: settings)
    return try git?.hasEndedClearTextHelper() == true ? [.git] : []
  }

  /// What became of a sweep.
  struct Moved {
    /// The secrets that are in the vault now.
    let stored: [ClearTextSweep.Stored]
    /// What was written to the programs' configurations.
    let changes: [Connection.Change]
    /// The files that still have their secrets, and why.
    let kept: [(file: ClearTextSweep.Found, reason: any Error)]

    /// The number of secrets that are in the vault alone.
    var count: Int {
      let paths = Set(kept.map(\.file.path))
      return stored.count { !paths.contains($0.file.path) }
    }

    /// The files that keep what they have, with the reasons.
    var skipped: [(path: String, reason: String)] {
      kept.map { ($0.file.path, ErrorReport($0.reason).message) }
    }

    /// Tells which files keep what they have.
    func tellKept() {
      for (file, reason) in kept {
        let report = ErrorReport(reason)
        let isStored = stored.contains { $0.file.path.isSame(as: file.path) }
        ClearTextMoving.tellSkipped(
          file.path,
          report.message + (isStored ? ": it still has what the vault has, too" : ""),
          hint: report.hint)
      }
    }
  }

  /// Tells which files could not be read, and which comments stay.
  static func tellUnreadable(_ sweep: ClearTextSweep) {
    for (path, reason) in sweep.unreadable { tellSkipped(path, reason) }
    for (path, lines) in sweep.comments {
      let numbers = lines.prefix(5).map(String.init).joined(separator: ", ")
      StandardError.note(
        "\(StandardOutput.shown(path)): \(lines.count == 1 ? "line" : "lines") \(numbers)"
          + "\(lines.count > 5 ? " and more" : ""): a comment that may hold a secret, and stays",
        hint: "if it is of no more use, take it out")
    }
  }

  /// Tells where copies of files keep the secrets in plain text that are moved: beside them, or under
  /// another name.
  static func tellCopies(_ sweep: ClearTextSweep) {
    StandardError.tellSome(sweep.links + sweep.copies) {
      StandardError.note($0.text, hint: $0.hint)
    }
  }

  /// Tells that a file stays as it is.
  static func tellSkipped(_ path: String, _ reason: String, hint: String? = nil) {
    StandardError.line(
      "\(ProgramName.current): skipped: \(StandardOutput.shown(path)): \(reason)")
    if let hint { StandardError.line("\(ProgramName.current): hint: \(hint)") }
  }

  /// Looks at the files once more.
  ///
  /// - Parameters:
  ///   - sweep: What was moved.
  ///   - moved: What became of it.
  /// - Throws: ``CommandError`` with code `.movedFileChanged`.
  func checkNothingIsLeft(_ sweep: ClearTextSweep, _ moved: Moved) throws {
    let kept = Set(moved.kept.map(\.file.path))
    if let left = Leftovers.found().first {
      throw CommandError(
        .movedFileChanged,
        "\(StandardOutput.shown(left)) was left by a command that was killed: it may have secrets in "
          + "plain text", hint: "remove it: rm \(StandardOutput.shown(Quoting.shell(left)))")
    }
    for file in sweep.files where !kept.contains(file.path) {
      let left = try ClearTextSweep([file.program]).files.filter { left in
        left.path.isSame(as: file.path)
          && left.secrets.contains { one in file.secrets.contains { $0.entry.isSame(as: one.entry) }
          }
      }
      guard left.isEmpty else {
        throw CommandError(
          .movedFileChanged, "\(StandardOutput.shown(file.path)) has secrets in plain text again",
          hint: "another program wrote them: run it again")
      }
    }
  }

  /// The programs that can be set up, one for each profile of AWS, and for each registry of docker if
  /// others stay in its file: docker asks one helper for all, or one for each.
  private func connections(of files: [ClearTextSweep.Found]) throws -> [Connection] {
    try connectionsWithFiles(of: files).map(\.connection)
  }

  /// How the programs of files are set up, each with the files that it is for.
  private func connectionsWithFiles(
    of files: [ClearTextSweep.Found]
  ) throws -> [(connection: Connection, files: [ClearTextSweep.Found])] {
    var found: [(connection: Connection, files: [ClearTextSweep.Found])] = []
    var places: [String: Int] = [:]
    for file in files {
      for (word, part) in words(of: file) {
        let key = "\(word) \(part ?? "")"
        if let place = places[key] {
          if found[place].files.last?.path != file.path { found[place].files.append(file) }
          continue
        }
        var connection = try Connection(word, part: part, settings: settings)
        connection.keepsClearTextHelper = word == "git" && Self.isGitsFileKept(files)
        places[key] = found.count
        found.append((connection, [file]))
      }
    }
    return found
  }

  /// By which words of `connect` a file's program is set up.
  private func words(of file: ClearTextSweep.Found) -> [(word: String, part: String?)] {
    switch file.program {
    case .aws: file.secrets.map { ("aws", file.program.part(of: $0.entry)) }
    case .kube: file.secrets.map { ("kubectl", $0.entry) }
    case .git, .netrc: [("git", nil)]
    case .gh where Connection.givesTokensToGit(): [("git", nil)]
    case .docker where file.isWhole && part == nil: [("docker", nil)]
    case .docker: file.secrets.map { ("docker", file.program.part(of: $0.entry)) }
    case .podman: [("podman", nil)]
    case .npm, .pypi, .cargo, .gh, .postgres: []
    }
  }

  /// Whether a file of git's helper `store` has something when some files have been moved.
  private static func isGitsFileKept(_ files: [ClearTextSweep.Found]) -> Bool {
    ClearTextProgram.git.paths { ProcessState.variable($0) }.contains { path in
      !files.contains { $0.path.isSame(as: path) && $0.isWhole }
        && (try? ConfigurationFile(path: path).text()).map { !$0.trimmingBlanks.isEmpty } ?? true
    }
  }

  /// Says that git's helper `store` goes on beside the vault, if it does.
  func tellKeptHelper(_ sweep: ClearTextSweep) throws {
    guard sweep.files.contains(where: { [.git, .netrc].contains($0.program) }) else { return }
    let others = Connection.otherGitHelpers()
    if !others.isEmpty {
      StandardError.note(
        "git asks its other helpers beside the vault: "
          + others.map(StandardOutput.shown).joined(separator: ", "))
    }
    Self.tellClearTextHelpers()
    guard Self.isGitsFileKept(sweep.files),
      try Connection("git", part: nil, settings: settings).hasClearTextHelper()
    else { return }
    StandardError.note(
      "git's helper 'store' goes on beside the vault, since its file has more than what is moved: "
        + "git writes new passwords there, too, in plain text",
      hint: "once that file is empty: \(ProgramName.current) connect git")
  }

  /// Names the helpers of git that write each password in plain text to files which are not looked at.
  ///
  /// - Returns: Whether there are such.
  @discardableResult
  static func tellClearTextHelpers() -> Bool {
    let helpers = Connection.otherClearTextHelpers()
    for helper in helpers {
      StandardError.note(
        "\(StandardOutput.shown(helper)): it has a file of its own, which was not looked at, and writes "
          + "each password there in plain text",
        hint:
          "move that file: \(ProgramName.current) import git-credentials FILE; then take the helper "
          + "out of git's configuration")
    }
    return !helpers.isEmpty
  }

  /// What to type from now on, for programs that have no setting for it, and what others need beside
  /// their settings.
  func lines(_ stored: [ClearTextSweep.Stored]) throws -> [(text: String, hint: String)] {
    let words = Set(stored.map(\.file.program.connection))
    return try Self.lines(stored)
      + words.sorted().filter { Connection.Program(rawValue: $0) != nil }.flatMap {
        try Connection($0, part: nil, settings: settings).stepsOutsideOfItsSettings()
      }
  }

  private static func lines(
    _ stored: [ClearTextSweep.Stored]
  ) -> [(text: String, hint: String)] {
    var seen: Set<String> = []
    return stored.compactMap { one in
      let command: String
      switch one.file.program {
      case .aws, .git, .docker, .podman, .kube: return nil
      case .netrc where one.secret.entry.begins(with: "(default)"):
        return (
          "what .netrc had for 'default' is given to no host by itself",
          "to a command, as NETRC_PASSWORD: \(ProgramName.current) run "
            + "\(Quoting.shell(one.name.text)) -- COMMAND"
        )
      case .netrc:
        guard seen.insert("netrc").inserted else { return nil }
        return (
          "git gets what was in .netrc from the vault; curl and others that read that file do not",
          "for curl: echo 'machine HOST login USER password {{ secret://\(one.name.text)?encoding=netrc }}' | "
            + "\(ProgramName.current) inject | curl --netrc-file /dev/stdin URL"
        )
      case .npm: command = "npm publish"
      case .pypi: command = "twine upload dist/*"
      case .cargo: command = "cargo publish"
      case .gh: command = "gh repo list"
      case .postgres: command = "psql"
      }
      guard seen.insert(one.file.program.rawValue).inserted else { return nil }
      return (
        "\(one.file.program.rawValue): the secret is given for each run",
        "such as: \(ProgramName.current) run \(Quoting.shell(one.name.text)) -- \(command)"
      )
    }
  }

  /// Tells what was moved.
  func tell(_ stored: [ClearTextSweep.Stored]) throws {
    let rows = stored.map { one in
      [
        one.outcome.rawValue, StandardOutput.shown(one.name.text),
        "\(StandardOutput.shown(one.file.path)): \(StandardOutput.shown(one.secret.entry))",
      ]
    }
    if !OutputOptions.isQuiet || dryRun { try StandardOutput.write(TextTable.aligned(rows)) }
  }

  // MARK: - Back

  /// Puts back what was moved out of the files of some programs.
  ///
  /// - Parameter programs: The programs.
  /// - Returns: What was restored, nothing where nothing of them was moved; and whether the record is
  ///   not what this machine has written.
  /// - Throws: What opening the vault throws; ``CommandError`` for a file that cannot be written.
  func restore(
    _ programs: [ClearTextProgram]
  ) throws -> (restored: [MovedSecrets.Restored], isChanged: Bool) {
    var record = try MovedSecrets(settings)
    let wanted = record.programs.intersection(programs)
    guard !wanted.isEmpty else { return ([], false) }
    let restored = try settings.withVaultIfAny { vault in
      if let absence = try record.absence(of: wanted, in: vault) {
        throw Self.nothingToRestore(absence)
      }
      return try record.restore(from: vault, dryRun: dryRun) { entry in
        wanted.contains(entry.program)
          && part.map { $0.isSame(as: entry.program.part(of: entry.entry)) } ?? true
      }
    }
    if let name = record.changedRecord {
      let shown = StandardOutput.shown(Quoting.shell(name.text))
      StandardError.note(
        "\(StandardOutput.shown(name.text)) does not say what this machine wrote into it: nothing goes "
          + "back by it",
        hint: "the versions before: \(ProgramName.current) history \(shown)")
    }
    return (restored ?? [], record.changedRecord != nil)
  }

  /// Forgets what was moved out of the files of some programs: it stays in the vault alone.
  ///
  /// - Parameter programs: The programs.
  /// - Returns: The number of secrets.
  /// - Throws: What opening the vault throws, where something of them was moved.
  func forget(_ programs: [ClearTextProgram]) throws -> Int {
    var record = try MovedSecrets(settings)
    let wanted = record.programs.intersection(programs)
    guard !wanted.isEmpty else { return 0 }
    return try settings.withVaultIfAny { vault in
      try record.forget(in: vault, dryRun: dryRun) { entry in
        wanted.contains(entry.program)
          && part.map { $0.isSame(as: entry.program.part(of: entry.entry)) } ?? true
      }
    } ?? 0
  }

  private static func nothingToRestore(_ absence: MovedSecrets.Absence) -> CommandError {
    let program = ProgramName.current
    switch absence {
    case .trashed(let name):
      let shown = StandardOutput.shown(Quoting.shell(name.text))
      return CommandError(
        .itemNotFound,
        "\(StandardOutput.shown(name.text)), which says where the secrets go, is in the trash: "
          + "nothing was changed",
        hint: "take it out, and disconnect again: \(program) restore \(shown)")
    case .gone:
      return CommandError(
        .itemNotFound,
        "the item that says where the secrets go is not in the vault: nothing was changed",
        hint: "undo the last step, if that was it: \(program) undo; or leave the secrets in the "
          + "vault: \(program) disconnect PROGRAM --keep")
    }
  }

  /// Whether this home has moved something of some programs, whichever entry is meant.
  func hasMoved(_ programs: [ClearTextProgram]) throws -> Bool {
    try !MovedSecrets(settings).programs.isDisjoint(with: programs)
  }

  /// Says which other vaults have what was moved of some programs, and the line that gives it back.
  ///
  /// - Parameters:
  ///   - programs: The programs.
  ///   - word: What `disconnect` calls them.
  /// - Returns: Whether there is such a vault.
  /// - Throws: What reading the state throws.
  func tellOtherVaults(_ programs: [ClearTextProgram], _ word: String) throws -> Bool {
    let others = try MovedSecrets.otherVaults(with: Set(programs), settings)
    for name in others {
      let program = ProgramName.current
      StandardError.note(
        "what was moved of \(StandardOutput.shown(word)) is in "
          + (name.map { "the vault '\(StandardOutput.shown($0))'" } ?? "the default vault"),
        hint: "from there: "
          + (name.map { "\(program) --vault \(Quoting.shell($0))" }
            ?? "env -u \(EnvironmentNames.vaultName) \(program)")
          + " disconnect \(StandardOutput.shown(word))")
    }
    return !others.isEmpty
  }

  /// Tells that another home has moved secrets of some programs, if the vault opens unasked.
  ///
  /// - Parameter programs: The programs.
  /// - Returns: Whether it has.
  func tellForeign(_ programs: [ClearTextProgram]) -> Bool {
    var quiet = settings
    quiet.isUnattended = true
    let name = try? quiet.withVaultIfAny { try MovedSecrets.foreignRecord(of: programs, in: $0) }
    guard let name = name ?? nil else { return false }
    let shown = StandardOutput.shown(Quoting.shell(name.text))
    StandardError.note(
      "\(StandardOutput.shown(name.text)) says what another home has moved, or this one before its "
        + "state was lost: nothing goes back by it",
      hint: "what it says: \(ProgramName.current) get \(shown)")
    return true
  }

  /// Tells what was restored.
  func tell(_ restored: [MovedSecrets.Restored]) {
    for one in restored {
      let place =
        "\(StandardOutput.shown(one.entry.path)): \(StandardOutput.shown(one.entry.entry))"
      if let problem = one.problem {
        StandardError.note(
          "\(place) \(dryRun ? "would stay" : "stays") in the vault alone: \(problem)")
      } else {
        StandardError.note("\(place) \(dryRun ? "would be" : "is") in plain text again")
      }
    }
  }

  /// The JSON of secrets that are moved.
  static func json(_ stored: [ClearTextSweep.Stored]) -> JSONValue {
    .array(
      stored.map {
        .object([
          ("path", .string($0.file.path)), ("entry", .string($0.secret.entry)),
          ("name", .string($0.name.text)), ("action", .string($0.outcome.rawValue)),
        ])
      })
  }

  /// The member of a JSON object that says which files keep what they have, and why.
  static func json(skipped: [(path: String, reason: String)]) -> (String, JSONValue) {
    (
      "skipped",
      .array(
        skipped.map { .object([("path", .string($0.path)), ("reason", .string($0.reason))]) })
    )
  }
}
