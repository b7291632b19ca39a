import ArgumentParser
import VaultCommandCore
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultTerminal

/// `vault unlock`.
struct UnlockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock",
    abstract: "Keep the vault unlocked for a while.",
    discussion: """
      For 15 minutes, or as long as --for says; '\(ProgramName.current) lock' ends it everywhere.

      \(ProgramName.current) unlock --for 8h
      """)

  /// 30 days, in seconds.
  private static let longest = 30 * 86_400

  @Option(name: .customLong("for"), help: ArgumentHelp("How long, such as 8h.", valueName: "time"))
  var duration: String?

  @Flag(help: "Until the person logs out; 'connect session' has that end it.")
  var untilLogout = false

  @Flag(help: "Open it with the recovery code; asks for it.")
  var recovery = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    var settings = try common.settings()
    if let duration {
      guard let seconds = TimeSpan.seconds(duration), (1...Self.longest).contains(seconds) else {
        throw CommandError.usage(
          "--for must be between 1s and 30d", hint: "such as: --for 8h")
      }
      settings.sessionSeconds = seconds
    }
    if untilLogout {
      guard duration == nil else {
        throw CommandError.usage(
          "--for and --until-logout are two lengths", hint: "give one of them")
      }
      guard SessionWatch.isRunning(in: ProcessState.variable("XDG_RUNTIME_DIR")) else {
        throw CommandError.usage(
          "nothing here would end the session at logout",
          hint: "\(ProgramName.current) connect session, and log in again; or a time: "
            + "\(ProgramName.current) unlock --for 8h")
      }
      settings.sessionSeconds = Self.longest
    }
    let vault = try settings.locked()
    let open = try vault.blocking.unlock(with: sources(settings, vault))
    // Only this command reports why there is no session: its purpose is to start one.
    for notice in open.blocking.takeNotices() {
      StandardError.note(notice.message, hint: notice.advice)
    }
    try report(try vault.blocking.session(), settings)
  }

  private func sources(_ settings: VaultSettings, _ vault: LockedVault) -> [KeySource] {
    if recovery {
      let kinds = (try? vault.blocking.summary().slots.map(\.kind)) ?? []
      return kinds.contains(.recovery)
        ? UnlockSources.recoverySources(vault) : [.recoveryCode { try SecretBytes(copying: []) }]
    }
    let doors = UnlockSources(settings: settings, vault: vault)
    // A session of another length needs a key; the existing session does not count.
    return duration == nil && !untilLogout ? doors.sources() : doors.sourcesWithoutSession()
  }

  private func report(_ session: SessionState, _ settings: VaultSettings) throws {
    var seconds: Int?
    if case .active(let left) = session { seconds = left }
    if settings.writesJSON {
      return try StandardOutput.write([
        ("unlocked", .bool(true)), ("secondsLeft", seconds.map { .number(Int64($0)) } ?? .null),
      ])
    }
    guard let seconds else { return }
    // Some seconds may have gone by.
    let isLess = settings.sessionSeconds.map { seconds < $0 - 60 } ?? false
    StandardError.note(
      untilLogout && !isLess
        ? "unlocked until you log out" : "unlocked for \(TimeSpan.text(seconds))",
      hint: isLess ? "that is the most here: \(ProgramPreferences.hint)" : nil)
  }
}

/// `vault lock`.
struct LockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock", abstract: "End the session, in every terminal at once.",
    discussion: """
      With --watch, stays and ends the sessions of all vaults whenever the machine goes to sleep, the screen is \
      locked, or the last login ends; '\(ProgramName.current) connect session' has systemd do that.

      \(ProgramName.current) lock
      """)

  @Flag(help: "Stay, and lock whenever the person leaves.")
  var watch = false

  @OptionGroup(title: "Common options") var common: GlobalOptions

  func run() throws {
    if watch {
      // What serves the vaults of this home forgets their keys, too.
      let state = (try? common.settings().location().state) ?? ""
      try HelperProgram.replaceProcess("session-watch", keys: [], order: Array(state.utf8))
    }
    let settings = try common.settings()
    let vault = try settings.locked().blocking
    let hadSession = try vault.lock()
    if hadSession, (try? vault.summary()) == nil {
      let isThere = (try? vault.exists()) ?? true
      StandardError.note(
        (isThere ? "the vault file cannot be read" : "there is no vault file")
          + ": the sessions of all your vaults were ended",
        hint: "'\(ProgramName.current) status' says why")
    }
    if settings.writesJSON {
      try StandardOutput.write([("hadSession", .bool(hadSession))])
    } else {
      StandardError.note(hadSession ? "locked" : "there was no session to end")
    }
  }
}
