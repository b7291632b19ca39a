import ArgumentParser
import VaultCommandCore
import VaultProtocols
import VaultStorage
import VaultTerminal

/// The arguments of `connect` and `disconnect`.
struct ConnectionOptions: ParsableArguments {
  @Argument(
    help:
      """
      git, docker, podman, aws, pip, ssh, kubectl, git-sign, keyring, session, sync or browser; of what was moved also netrc, \
      npmrc, pypirc, cargo, gh and pgpass.
      """,
    completion: .list(
      Connection.Program.allCases.map(\.rawValue)
        + ["netrc", "npmrc", "pypirc", "cargo", "gh", "pgpass"]))
  var program: String

  @Argument(
    help: ArgumentHelp(
      """
      The profile for aws, 'default' if omitted; a registry for docker, all if omitted; a user of its file for \
      kubectl, the only one if omitted; the key's item for git-sign, if there are several; 'socket' for keyring, \
      for a bus of its own; 'watch' for sync, all the time in place of every ten minutes; firefox, chromium, chrome, brave, edge or \
      vivaldi for browser, all that are here if omitted.
      """,
      valueName: "part"))
  var part: String?

  @Flag(name: [.long, .customShort("n")], help: "Only show what would be written.")
  var dryRun = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  /// Takes the program's word for that of its file, where the file is its alone: `kube` is kubectl's.
  mutating func validate() {
    guard Connection.Program(rawValue: program) == nil,
      let word = ClearTextProgram(word: program)?.connection,
      Connection.Program(rawValue: word) != nil,
      ClearTextProgram.allCases.count(where: { $0.connection == word }) == 1
    else { return }
    program = word
  }

  func connection() throws -> Connection {
    try Connection(program, part: part, settings: common.settings())
  }

  /// Removes what a killed command has left, unless this is a dry run.
  ///
  /// - Returns: What is still there, and why.
  func removeLeftovers() throws -> [(path: String, reason: String)] {
    let kept = Leftovers.remove(dryRun: dryRun)
    for (path, reason) in kept { ClearTextMoving.tellSkipped(path, reason) }
    return kept
  }

  /// Makes the changes, unless this is a dry run, and prints them.
  func perform(
    _ changes: [Connection.Change], verbs: (done: String, planned: String),
    _ more: [(String, JSONValue)] = [], isAll: Bool = true
  ) throws {
    if !dryRun { for change in changes { try change.perform() } }
    if common.json { return try writeJSON(changes, more) }
    try write(changes, verbs)
    if changes.isEmpty, isAll { StandardError.note("there is nothing to do") }
  }

  /// Prints changes as an object, with further members before them.
  func writeJSON(
    _ changes: [Connection.Change], _ more: [(String, JSONValue)] = []
  ) throws {
    try StandardOutput.write(
      [("program", .string(program)), ("isDryRun", .bool(dryRun))] + more + [
        (
          "changes",
          .array(
            changes.map {
              .object([("path", .string($0.path)), ("lines", .strings($0.lines))])
            })
        )
      ])
  }

  /// Prints changes with their lines.
  func write(_ changes: [Connection.Change], _ verbs: (done: String, planned: String)) throws {
    for change in changes {
      let place = "\(dryRun ? verbs.planned : verbs.done) \(StandardOutput.shown(change.path)):"
      try StandardOutput.line(LineWrap.wrapped(place, to: StandardOutput.columns))
      for line in change.lines {
        try StandardOutput.line(
          LineWrap.wrapped("  \(StandardOutput.shown(line))", to: StandardOutput.columns))
      }
    }
  }
}

/// `vault connect`.
struct ConnectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "connect",
    abstract: "Have another program get its credentials from the vault.",
    discussion: """
      Changes its configuration and reports the change; '\(ProgramName.current) disconnect' undoes exactly \
      that.

      \(ProgramName.current) connect git
      \(ProgramName.current) connect docker ghcr.io
      \(ProgramName.current) connect aws work --dry-run
      \(ProgramName.current) connect kubectl prod --move
      \(ProgramName.current) connect ssh
      \(ProgramName.current) connect git-sign github
      \(ProgramName.current) connect keyring --key-file ~/.config/vault.key
      \(ProgramName.current) connect keyring socket --key-file ~/.config/vault.key
      \(ProgramName.current) connect session
      \(ProgramName.current) connect sync
      \(ProgramName.current) connect sync watch --key-file ~/.config/vault.key
      \(ProgramName.current) connect browser
      """)

  private static let verbs = (done: "wrote to", planned: "would write to")

  @OptionGroup var options: ConnectionOptions

  @Flag(
    help:
      "Move what the program keeps in plain text into the vault first; also npm, cargo, gh, psql and others."
  )
  var move = false

  func run() throws {
    let kept = try options.removeLeftovers()
    if move { return try moveClearText(besides: kept) }
    let connection = try options.connection()
    try options.perform(
      try connection.connecting(), verbs: Self.verbs, [ClearTextMoving.json(skipped: kept)])
    for step in try connection.nextSteps() { StandardError.note(step.text, hint: step.hint) }
  }

  private func moveClearText(besides stuck: [(path: String, reason: String)]) throws {
    let settings = try options.common.settings()
    guard let program = ClearTextProgram(word: options.program) else {
      throw CommandError.usage(
        "no file is known in which \(StandardOutput.shown(options.program)) keeps secrets in plain text",
        hint: "known: \(ClearTextProgram.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    var sweep = try ClearTextSweep([program])
    if let part = options.part {
      sweep = sweep.keeping { program.part(of: $0.entry).isSame(as: part) }
    }
    ClearTextMoving.tellUnreadable(sweep)
    let moving = ClearTextMoving(
      settings: settings, part: options.part, dryRun: options.dryRun)
    guard !sweep.files.isEmpty else {
      // What stays in its file is as it was, and so is the program.
      guard sweep.unreadable.isEmpty else {
        if options.common.json {
          try options.writeJSON(
            [], [("moved", .array([])), ClearTextMoving.json(skipped: stuck + sweep.unreadable)])
        }
        throw ExitStatusOnly(status: .no)
      }
      guard Connection.Program(rawValue: options.program) != nil else {
        return StandardError.note("nothing is in plain text that could be moved")
      }
      let connection = try options.connection()
      let others = try connection.clearText()
      if others.isEmpty { StandardError.note("nothing is in plain text that could be moved") }
      try options.perform(
        try connection.connecting(), verbs: Self.verbs,
        [("moved", .array([])), ClearTextMoving.json(skipped: stuck)])
      // What the program itself has to take out.
      for (text, hint) in others { StandardError.note(text, hint: hint) }
      return
    }
    if let first = moving.settable(sweep).refused.first { throw first.reason }
    let moved = try moving.move(sweep)
    let (stored, changes) = (moved.stored, moved.changes)
    moved.tellKept()
    if !options.dryRun { try moving.checkNothingIsLeft(sweep, moved) }
    let isLeft = !moved.kept.isEmpty || !sweep.unreadable.isEmpty
    if options.common.json {
      try options.writeJSON(
        changes,
        [
          ("moved", ClearTextMoving.json(stored)),
          ClearTextMoving.json(skipped: stuck + sweep.unreadable + moved.skipped),
        ])
      if isLeft { throw ExitStatusOnly(status: .no) }
      return
    }
    try moving.tell(stored)
    try options.write(changes, Self.verbs)
    for (text, hint) in try moving.lines(stored) { StandardError.note(text, hint: hint) }
    ClearTextMoving.tellCopies(sweep)
    try moving.tellKeptHelper(sweep)
    if isLeft { throw ExitStatusOnly(status: .no) }
    guard !options.dryRun else { return }
    StandardError.note(
      "moved \(Plural.secrets(moved.count)); a second look finds none of them in plain text",
      hint: "back: \(ProgramName.current) disconnect \(StandardOutput.shown(options.program))")
  }
}

/// `vault disconnect`.
struct DisconnectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disconnect",
    abstract: "Undo what 'connect' wrote, and nothing else.",
    discussion: """
      What 'connect --move' or 'import home' took out of the program's files goes back into them, with \
      the present values; not with --keep. The stored credentials stay.

      \(ProgramName.current) disconnect git
      """)

  @OptionGroup var options: ConnectionOptions

  @Flag(help: "Leave what was moved in the vault: nothing is in plain text again.")
  var keep = false

  func run() throws {
    let kept = ClearTextMoving.json(skipped: try options.removeLeftovers())
    let moving = ClearTextMoving(
      settings: try options.common.settings(), part: options.part, dryRun: options.dryRun)
    let programs = ClearTextProgram.allCases.filter {
      $0.connection == options.program || $0 == ClearTextProgram(word: options.program)
    }
    let (restored, isChanged) = keep ? ([], false) : try moving.restore(programs)
    let forgotten = keep ? try moving.forget(programs) : 0
    if forgotten > 0 {
      StandardError.note(
        "\(Plural.secrets(forgotten)) \(options.dryRun ? "would stay" : "will stay") in the vault alone: "
          + "nothing puts \(forgotten == 1 ? "it" : "them") back by itself any more")
    }
    if let part = options.part, restored.isEmpty, forgotten == 0, !isChanged,
      Connection.Program(rawValue: options.program) == nil, try moving.hasMoved(programs)
    {
      throw CommandError.usage(
        "nothing of \(StandardOutput.shown(options.program)) that was moved is called "
          + "'\(StandardOutput.shown(part))'",
        hint:
          "all of it: \(ProgramName.current) disconnect \(StandardOutput.shown(options.program)); "
          + "one program at a time")
    }
    if !keep, restored.isEmpty, !isChanged, !programs.isEmpty, try !moving.hasMoved(programs),
      try moving.tellOtherVaults(programs, options.program)
    {
      throw ExitStatusOnly(status: .no)
    }
    if !keep, restored.isEmpty, !isChanged, !programs.isEmpty,
      Connection.Program(rawValue: options.program) == nil, moving.tellForeign(programs)
    {
      throw ExitStatusOnly(status: .no)
    }
    // A program whose secret did not go back still needs the vault.
    if isChanged || restored.contains(where: { $0.problem != nil }) {
      try options.perform(
        [], verbs: ("took out of", "would take out of"),
        [("restored", .array(restored.map(\.json))), kept], isAll: false)
      if !options.common.json { moving.tell(restored) }
      let word = StandardOutput.shown(options.program)
      StandardError.note(
        Connection.Program(rawValue: options.program) == nil
          ? "what does not go back is in the vault alone"
          : "\(word) goes on asking the vault",
        hint: "without what does not go back: \(ProgramName.current) disconnect \(word) --keep")
      throw ExitStatusOnly(status: .no)
    }
    // Of a program that is set up by hand there is nothing else to undo.
    let isKnown = programs.isEmpty || Connection.Program(rawValue: options.program) != nil
    let changes =
      isKnown ? try disconnecting(restored) : try disconnectingOther(restored, programs)
    if changes.isEmpty, restored.isEmpty, forgotten == 0, try tellConnectedProfiles() {
      throw ExitStatusOnly(status: .no)
    }
    try options.perform(
      changes, verbs: ("took out of", "would take out of"),
      [("restored", .array(restored.map(\.json))), kept], isAll: restored.isEmpty && forgotten == 0)
    if !options.common.json { moving.tell(restored) }
  }

  /// Says which profiles of aws ask a vault, where the one that is meant does not.
  ///
  /// - Returns: Whether there are such.
  /// - Throws: What reading throws.
  private func tellConnectedProfiles() throws -> Bool {
    guard options.program == Connection.Program.aws.rawValue, options.part == nil else {
      return false
    }
    let profiles = try options.connection().connectedProfiles()
    for (profile, words) in profiles {
      StandardError.note(
        "the profile \(StandardOutput.shown(profile)) asks a vault",
        hint: "\(ProgramName.current)\(StandardOutput.shown(words)) disconnect aws "
          + StandardOutput.shown(profile))
    }
    return !profiles.isEmpty
  }

  /// What takes the settings of another program back that the move of this one's file has made: git's
  /// for `.netrc`; not while something else that it gets from the vault was moved.
  private func disconnectingOther(
    _ restored: [MovedSecrets.Restored], _ programs: [ClearTextProgram]
  ) throws -> [Connection.Change] {
    let settings = try options.common.settings()
    let left =
      options.dryRun
      ? [] : Set(try MovedSecrets(settings).programs.map(\.connection))
    let all = restored.isEmpty ? programs : restored.map(\.entry.program)
    let words = Set(all.map(\.connection)).filter {
      Connection.Program(rawValue: $0) != nil
    }
    return try words.sorted().flatMap { word -> [Connection.Change] in
      let changes = try Connection(word, part: nil, settings: settings).disconnecting()
      guard !changes.isEmpty, !left.contains(word) else { return [] }
      let isOurs = restored.contains { $0.entry.connects && $0.entry.program.connection == word }
      guard !isOurs else { return changes }
      StandardError.note(
        "\(word) goes on asking the vault, as it did before",
        hint: "if it should not: \(ProgramName.current) disconnect \(word)")
      return []
    }
  }

  /// What takes the program's settings back; of AWS those of each profile that was restored, too.
  private func disconnecting(_ restored: [MovedSecrets.Restored]) throws -> [Connection.Change] {
    var profiles: [String] = []
    if options.program == Connection.Program.aws.rawValue, options.part == nil {
      profiles = restored.map { $0.entry.program.part(of: $0.entry.entry) }
    }
    let others = try profiles.filter { $0 != "default" }.flatMap { profile in
      // Each change is made on the file that the one before has left.
      let changes = try Connection("aws", part: profile, settings: options.common.settings())
        .disconnecting()
      if !options.dryRun { for change in changes { try change.perform() } }
      return changes
    }
    return others.map { Connection.Change(path: $0.path, lines: $0.lines) {} }
      + (try options.connection().disconnecting())
  }
}
