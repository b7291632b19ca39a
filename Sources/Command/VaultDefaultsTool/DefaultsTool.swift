import Glibc
package import VaultPreferences
package import VaultSealing
package import VaultStorage

/// `vault defaults`: the grammar, the words and the exit statuses of macOS's `defaults`.
///
/// It parses its own words, because any of them may be a value, even `-x`. It runs as a subcommand
/// of `vault` and under a link named `defaults`. A line goes in with its streams, a status comes
/// out; nothing here prints or reads elsewhere, so tests run lines in process.
package final class DefaultsTool {
  /// How a line ended, as macOS's `defaults` exits: 255 for a line that makes no sense, 1 for every
  /// other failure, whatever its code.
  package enum Status: Int32, Sendable {
    /// Done.
    case done = 0
    /// Not found, or refused, or failed.
    case failed = 1
    /// What is stored differs from a file.
    case drift = 2
    /// The words make no sense; the help text was written.
    case usage = 255
  }

  /// The streams of a line.
  package struct Streams {
    package var output: ([UInt8]) -> Void
    package var error: ([UInt8]) -> Void
    package var input: () throws -> [UInt8]

    package init(
      output: @escaping ([UInt8]) -> Void, error: @escaping ([UInt8]) -> Void,
      input: @escaping () throws -> [UInt8]
    ) {
      self.output = output
      self.error = error
      self.input = input
    }
  }

  /// What is done after a change of some domains: their names, which are asked for before something
  /// is written, and what is done when the store is closed.
  package typealias Following = (domains: () -> Set<String>, changed: () -> Void)

  let location: () throws -> StoreLocation
  let streams: Streams
  let managed: ManagedPreferences
  /// Where the defaults are that packages and the site installed.
  let directories: DefaultsDirectories
  /// The folders of schemas, the strongest first.
  let schemas: [String]
  /// The schemas that are there without a file, by their domains; they come before files.
  let ownSchemas: [String: PreferenceSchema]
  /// The environment, for layers that a schema makes of it.
  private(set) lazy var environment = variables()
  private let variables: () -> [String: String]
  /// Lets a person edit a text.
  let editor: ([UInt8]) throws -> [UInt8]
  /// What the conditions of sections in files are compared with.
  let machine: () -> DefaultsMachine
  let keys: () throws -> (any DataKeyProvider)?
  let home: () -> String?
  /// The name of the writer in the journal; asked for when the store is opened for writing.
  let origin: () -> String
  /// The name that the command was called by, for lines to type.
  let program: String
  /// What an error of a library says, without what it says to do about it.
  private let message: (any Error) -> String
  /// The desktop whose settings the line is about.
  private(set) var desktop: (any DesktopSource)?
  private(set) lazy var dconf = DConfSource(environment: environment)
  private(set) lazy var kconfig = KConfigSource(environment: environment)
  private(set) lazy var portal = PortalSource(environment: environment)
  /// The schemas that this line has read.
  var schemaCache: [String: PreferenceSchema?] = [:]
  /// The copies that this line has brought up to date, and what of them it named.
  var caughtUp: Set<String> = []
  var caughtUpNames: Set<String> = []
  /// Why the copies could not be brought up to date; `nil` as far as they could.
  var reasonOfOldCopy: String?
  /// Held while this line is between a copy and the desktop.
  private var desktopLock: FileLock?
  /// The host that `-currentHost` or `-host` names.
  private(set) var host: PreferenceDomain.Host = .any
  /// The store; opened when the first verb needs it.
  var database: PreferenceDatabase?
  private var isWritable = false
  /// Why the user's settings cannot be read; `nil` as far as the line knows that they can.
  private(set) var reasonOfNoHome: String?
  /// Whether the line has found that there is no home to read.
  var isWithoutHome: Bool { reasonOfNoHome != nil }
  /// The warnings that were written.
  private var warned: Set<String> = []
  /// What the recorder's look before this one said: what stays wrong is said once.
  private var saidBefore: Set<String> = []
  /// Whether the line records the desktop's changes until it is stopped.
  var isRecording = false
  /// Whether a part of the desktop is gone, and nobody knows yet whether that is a reset.
  var isWaitingForAbsent = false
  /// Why parts of the desktop could not be read, by their names with the prefix.
  var unread: [String: DefaultsRefusal] = [:]
  /// Why nothing of a desktop could be read, by its prefix.
  var unreadWholly: [String: DefaultsRefusal] = [:]
  /// The signal that interrupted what the line set on the desktop.
  var interruption: Int32?
  /// A schema of the desktop's that the line names, and that is not installed.
  private(set) var unknownSchema: String?
  private let following: Following?
  /// The domains that are followed, and the number of the latest change before the line.
  private var followed: (domains: Set<String>, start: Int64)?

  /// - Parameters:
  ///   - location: The store's location; asked for when the store is opened.
  ///   - streams: The streams.
  ///   - keys: The keys of protected domains; asked for when the first one is met, since it may
  ///     prompt.
  ///   - following: What is done after a change of some domains.
  ///   - managed: The values that the administrator has fixed.
  ///   - directories: Where the defaults are that packages and the site installed.
  ///   - schemas: The folders of schemas, the strongest first.
  ///   - ownSchemas: The schemas that are there without a file, by their domains.
  ///   - environment: The environment, for layers that a schema makes of it.
  ///   - editor: Lets a person edit a text.
  ///   - home: The user's home, for paths that begin with `~`.
  ///   - machine: What the conditions of sections in files are compared with.
  ///   - origin: The name of the writer in the journal.
  ///   - program: The name that the command was called by, for lines to type.
  ///   - message: What an error of a library says, without what it says to do about it.
  package init(
    location: @escaping () throws -> StoreLocation, streams: Streams,
    keys: @escaping () throws -> (any DataKeyProvider)? = { nil },
    following: Following? = nil,
    managed: ManagedPreferences = ManagedPreferences(),
    directories: DefaultsDirectories = DefaultsDirectories(),
    schemas: [String] = PreferenceSchema.directories(),
    ownSchemas: [String: PreferenceSchema] = [:],
    environment: @autoclosure @escaping () -> [String: String] = StoreLocation.variables,
    editor: @escaping ([UInt8]) throws -> [UInt8] = DefaultsTool.runEditor,
    home: @escaping () -> String? = { StoreLocation.namedHome() },
    machine: @escaping () -> DefaultsMachine = { DefaultsMachine.current },
    origin: @escaping () -> String = { "defaults" }, program: String = "vault",
    message: @escaping (any Error) -> String = { "\($0)" }
  ) {
    self.location = location
    self.streams = streams
    self.keys = keys
    self.following = following
    self.managed = managed
    self.directories = directories
    self.schemas = schemas
    self.ownSchemas = ownSchemas
    variables = environment
    self.editor = editor
    self.home = home
    self.machine = machine
    self.origin = origin
    self.program = program
    self.message = message
  }

  // MARK: Lines

  /// Runs one line.
  ///
  /// - Parameter arguments: The words after `vault defaults`.
  /// - Returns: How it ended; with ``Status/usage`` the help text has been written.
  package func run(_ arguments: [String]) -> Status {
    defer { finish() }
    do {
      try runThrowing(arguments)
      try pushToDesktop()
      return .done
    } catch {
      if error is DefaultsDrift { return .drift }
      report(error)
      return error is DefaultsUsage || error is UnknownVerb ? .usage : .failed
    }
  }

  /// Closes the store, and lets the signal that interrupted the line take effect.
  func finish() {
    close()
    // It was caught until everything was put back, and said.
    if let interruption { kill(getpid(), interruption) }
    interruption = nil
  }

  /// Writes what macOS's `defaults` would: the help text, or a line as NSLog writes it.
  private func report(_ error: any Error) {
    switch error {
    case let usage as DefaultsUsage:
      if let reason = usage.reason {
        let line = program == "defaults" ? program : "\(program) defaults"
        streams.error(
          Array(
            ("\(line)\(usage.verb.map { " \($0)" } ?? ""): error: \(Quoting.visible(reason))\n"
              + "\(line): hint: its help says what may be written\n")
              .utf8))
      }
      print(usage.verb.flatMap(DefaultsHelp.ofVerb) ?? DefaultsHelp.text)
    case let unknown as UnknownVerb:
      streams.error(Array(unknown.text(program).utf8))
    case let refusal as DefaultsRefusal:
      if let message = refusal.message { log(message) }
    default:
      log(message(error))
      if let advice = advice(for: error) ?? remedy(for: error) { log(advice) }
    }
  }

  private func runThrowing(_ arguments: [String]) throws {
    var words = arguments[...]
    // Options of the host are the first word; later they would be a domain's name.
    switch words.first {
    case "-currentHost":
      words.removeFirst()
      host = .current
    case "-host":
      words.removeFirst()
      guard let name = words.popFirst() else { throw DefaultsUsage() }
      host = .named(name)
    default: break
    }
    switch words.first {
    case "--dconf": desktop = dconf
    case "--kconfig": desktop = kconfig
    case "--portal": desktop = portal
    default: desktop = nil
    }
    if let desktop {
      let option = words.removeFirst()
      guard host == .any, words.first != "-currentHost", words.first != "-host" else {
        throw DefaultsRefusal("The desktop's settings have no parts for single hosts.")
      }
      if let second = words.first, ["--dconf", "--kconfig", "--portal"].contains(second) {
        throw DefaultsRefusal(
          "A line is about the domains of \(option) or of \(second); write one of them.")
      }
      if words.first != "record" { try catchUp(desktop) }
      if desktop is KConfigSource { try checkFilesAreKnown(for: words) }
    }
    guard let verb = words.popFirst()?.lowercased() else { throw DefaultsUsage() }
    if try runMacVerb(verb, words) { return }
    guard let help = DefaultsHelp.ofVerb(verb) else { throw UnknownVerb(word: verb) }
    if words.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
      return print(help)
    }
    do {
      try runOwnVerb(verb, words)
    } catch let usage as DefaultsUsage {
      throw DefaultsUsage(verb: verb, reason: usage.reason)
    }
  }

  /// Runs one of macOS's verbs, which take `--help` for a word like any other.
  ///
  /// - Returns: Whether it is one.
  private func runMacVerb(_ verb: String, _ words: ArraySlice<String>) throws -> Bool {
    switch verb {
    case "read": try read(words)
    case "read-type": try readType(words)
    case "write": try write(words)
    case "rename": try rename(words)
    case "delete", "remove": try delete(words, everyHost: false)
    case "delete-all": try delete(words, everyHost: true)
    case "domains": try domains(words)
    case "find": try find(words)
    case "import": try importFile(words)
    case "export": try exportFile(words)
    case "help", "-help", "--help", "-h": print(DefaultsHelp.text)
    case "printhostidentifier": print(HostIdentity.current)
    default: return false
    }
    return true
  }

  private func runOwnVerb(_ verb: String, _ words: ArraySlice<String>) throws {
    switch verb {
    case "apply": try apply(words)
    case "edit": try edit(words)
    case "watch": try watch(words)
    case "history": try history(words)
    case "undo": try undo(words)
    case "snapshot": try snapshot(words)
    case "diff": try diff(words)
    case "dump": try dump(words)
    case "describe": try describe(words)
    case "migrate": try migrate(words)
    case "profile": try profile(words)
    case "record": try record(words)
    case "protect": try protect(words, isOn: true)
    case "recover": try recover(words)
    case "unprotect": try protect(words, isOn: false)
    default: throw DefaultsUsage()
    }
  }

  func take(_ words: inout ArraySlice<String>) throws -> DefaultsTarget {
    if let word = words.first, let target = try desktopTarget(word) {
      words.removeFirst()
      // Who names a path of dconf needs no schema.
      if desktop is DConfSource, !word.utf8.contains(0x2f), try schema(of: target) == nil {
        unknownSchema = word
      }
      return target
    }
    let target = try current(DefaultsTarget.take(&words, host: host, home: home()))
    guard target != .stored(Self.handedOn) else {
      throw DefaultsRefusal(
        "\(Self.handedOn.name) is the program's own.\nDefaults have not been changed.")
    }
    return target
  }

  private func remedy(for error: any Error) -> String? {
    guard let error = error as? PreferenceError else { return nil }
    switch error.code {
    case .managed:
      return "Defaults have not been changed. Only the administrator can change that file."
    case .locked:
      return
        "The vault has the key: \(program) unlock opens it, \(program) init makes one."
    default: return nil
    }
  }

  // MARK: Output

  func print(_ text: String) { streams.output(Array((text + "\n").utf8)) }

  /// One message as NSLog writes it.
  func log(_ message: String) {
    streams.error(Array("\(LogPrefix.now()) \(message)\n".utf8))
  }

  /// Writes a warning beside the answer, once until the store is closed; the recorder, which looks
  /// again and again, writes it once until it is over.
  func warn(_ message: String) {
    guard warned.insert(message).inserted, !saidBefore.contains(message) else { return }
    streams.error(Array("defaults: warning: \(message)\n".utf8))
  }

  // MARK: The store

  /// The store for reading; `nil` if it does not exist.
  func reading() throws -> PreferenceDatabase? {
    if let database { return database }
    if isWithoutHome { return nil }
    do {
      database = try PreferenceDatabase.open(
        location(), mode: .read, process: "defaults", keys: LazyKeys(keys),
        managed: managed)
      // As services have it. What does not exist yet below a home that is there is no problem.
      if database == nil, let home = home(), try location().data.begins(with: "\(home)/"),
        !UserFile.exists(home)
      {
        reasonOfNoHome = "there is no folder \(home)"
        warn("no settings of the user are read: there is no folder \(home)")
      }
    } catch {
      // The administrator's and the packages' values do not depend on a home.
      let problem = PreferenceError(wrapping: error)
      guard problem.isOfMissingHome else { throw error }
      reasonOfNoHome = problem.message
      warn("no settings of the user are read: \(problem.message)")
    }
    database?.prepareForShortUse()
    return database
  }

  /// Refuses to write out as empty what could not be read.
  ///
  /// What a copy has of a part of the desktop is as it was.
  ///
  /// - Parameters:
  ///   - name: A domain; `nil` for all that the line is about.
  ///   - desktop: The desktop that is meant.
  /// - Throws: ``DefaultsRefusal``.
  func checkIsRead(_ name: String? = nil, wholly desktop: (any DesktopSource)? = nil) throws {
    _ = try reading()
    if let reasonOfNoHome {
      throw DefaultsRefusal(
        "The settings of the user cannot be read: \(reasonOfNoHome)\nNothing was written.")
    }
    let meant = name.flatMap { source(of: $0) } ?? (name == nil ? desktop ?? self.desktop : nil)
    guard let source = meant else { return }
    let prefix = type(of: source).prefix
    var refusal = unreadWholly[prefix]
    if refusal == nil, let name, try reading()?.contents(of: PreferenceDomain(name)) == nil {
      refusal = unread[prefix + source.part(of: String(name.dropFirst(prefix.count)))]
    }
    guard let refusal else { return }
    throw DefaultsRefusal("\(refusal.message ?? prefix)\nNothing was written.")
  }

  /// Refuses to replace a file that has contents where there is no store: what belongs into the
  /// file is not known.
  ///
  /// - Throws: ``DefaultsRefusal``.
  func checkIsNotEmptied(_ path: String) throws {
    guard try reading() == nil, !isWithoutHome,
      let there = try? System.targetStatus(of: path, in: AT_FDCWD),
      there.isRegular, there.size > 0
    else { return }
    throw DefaultsRefusal(
      "There are no settings of the user yet: there is no \(try location().store)\n"
        + "\(path) was left as it is; remove it first if nothing belongs into it.")
  }

  /// The entries of the journal that this line wrote.
  var ownEntries: [ClosedRange<Int64>] { database?.commits ?? [] }

  /// The desktop has what this line has written until now.
  func forgetOwnEntries() { if isWritable { database?.commits = [] } }

  /// The store for writing; created if it does not exist.
  func writing() throws -> PreferenceDatabase {
    if let database, isWritable { return database }
    database?.close()
    database = nil
    guard
      let opened = try PreferenceDatabase.open(
        location(), mode: .write, process: origin(), keys: LazyKeys(keys),
        managed: managed)
    else { throw DefaultsRefusal("Could not write domain; there is no store") }
    opened.prepareForShortUse()
    database = opened
    isWritable = true
    // From the change of the copy until the desktop has it, no other line looks at both.
    if !caughtUp.isEmpty { desktopLock = try lockOfDesktop() }
    opened.commits = []
    opened.versionOfNew = { [unowned self] in (try? schema(of: .stored($0)))?.version }
    if let domains = following?.domains(), !domains.isEmpty {
      followed = (domains, (try? opened.latestSequence()) ?? 0)
    }
    return opened
  }

  /// Runs something while no other line is between a copy and the desktop.
  func whileNobodySets<Result>(_ body: () throws -> Result) throws -> Result {
    guard desktopLock == nil else { return try body() }
    let lock = try lockOfDesktop()
    defer { withExtendedLifetime(lock) {} }
    return try body()
  }

  /// Another line may wait for the desktop's own program.
  private func lockOfDesktop() throws -> FileLock {
    try FileLock("desktop.lock", in: Directory(location().data), timeout: .seconds(60))
  }

  /// The store for writing under the name of another program.
  func openWriter(as process: String) throws -> PreferenceDatabase? {
    let opened = try PreferenceDatabase.open(
      location(), mode: .write, process: process, keys: LazyKeys(keys), managed: managed)
    opened?.prepareForShortUse()
    return opened
  }

  func value(_ key: String, in target: DefaultsTarget) throws -> PreferenceValue? {
    return switch target {
    case .stored(let domain): try reading()?.value(key, in: domain)
    case .file(let path): try PropertyListFile.contents(of: path)?[key]
    }
  }

  package func contents(of target: DefaultsTarget) throws -> [String: PreferenceValue]? {
    return switch target {
    case .stored(let domain): try reading()?.contents(of: domain)
    case .file(let path): try PropertyListFile.contents(of: path)
    }
  }

  /// Changes a domain in one transaction.
  func edit<Result>(
    _ target: DefaultsTarget, _ body: (any DefaultsEditing) throws -> Result
  ) throws -> Result {
    switch target {
    case .stored(let domain):
      return try writing().transaction { transaction in
        try body(StoredDomain(transaction: transaction, domain: domain))
      }
    case .file(let path):
      return try PropertyListFile.edit(path) { entries in
        let file = FileDomain(entries: entries)
        let result = try body(file)
        entries = file.entries
        return result
      }
    }
  }

  /// Changes several domains in one transaction where they are in the store, one by one in files.
  func edit<Result>(
    _ targets: [DefaultsTarget], _ body: (any DefaultsEditing) throws -> Result
  ) throws -> [Result] {
    let domains = targets.compactMap { target -> PreferenceDomain? in
      if case .stored(let domain) = target { domain } else { nil }
    }
    guard domains.count > 1, domains.count == targets.count else {
      return try targets.map { try edit($0, body) }
    }
    return try writing().transaction { transaction in
      try domains.map { try body(StoredDomain(transaction: transaction, domain: $0)) }
    }
  }

  /// Closes the store; after writing, refreshes its last good copy.
  package func close() {
    let isFollowed = hasFollowedChange
    followed = nil
    if isWritable {
      // At most once a day. A failed copy must not fail the write, which is already durable.
      try? database?.refreshLastGoodCopy()
      try? database?.shortenLog()
    }
    database?.close()
    database = nil
    isWritable = false
    caughtUp = []
    schemaCache = [:]
    caughtUpNames = []
    reasonOfOldCopy = nil
    isWaitingForAbsent = false
    if isRecording { saidBefore = warned }
    warned = []
    unread = [:]
    unreadWholly = [:]
    desktopLock = nil
    host = .any
    if isFollowed { following?.changed() }
  }

  /// Whether the line has changed a domain that is followed.
  private var hasFollowedChange: Bool {
    guard let followed, let database else { return false }
    return followed.domains.contains { name in
      let changes = try? database.changes(after: followed.start, in: PreferenceDomain(name))
      return changes?.isEmpty == false
    }
  }
}

/// A usage error: the help text, exit 255.
struct DefaultsUsage: Error {
  /// The verb whose own help to print; `nil` for the whole help.
  var verb: String?
  /// What is wrong with it; `nil` if the help text says enough.
  var reason: String?
}

/// A verb that there is not: told with the nearest one, exit 255.
struct UnknownVerb: Error {
  let word: String

  /// Verbs of other tools of settings: git config, dconf, gsettings, reg.
  private static let habits = [
    "get": "read", "show": "read", "cat": "read", "print": "read", "query": "read",
    "dump": "export",
    "set": "write", "add": "write", "put": "write", "list": "domains", "ls": "domains",
    "list-schemas": "domains", "rm": "delete", "unset": "delete",
    "search": "find", "grep": "find", "load": "import", "log": "history", "mv": "rename",
  ]

  func text(_ program: String) -> String {
    let line = program == "defaults" ? program : "\(program) defaults"
    let nearest = Self.habits[word] ?? Suggestion.nearest(to: word, among: DefaultsHelp.verbs)
    return "\(line): error: there is no verb '\(Quoting.visible(word))'\n"
      + "\(line): hint: "
      + (nearest.map { "did you mean '\($0)'? " } ?? "")
      + "all verbs: \(line) help\n"
  }
}

/// What is stored differs from a file: exit 2, when everything has been said.
struct DefaultsDrift: Error {}

/// A request that cannot be met: a message, or none if there is nothing to say, exit 1.
struct DefaultsRefusal: Error {
  let message: String?

  init(_ message: String?) { self.message = message }

  /// What is wrong, without what to do about it.
  var reason: String { message?.parts(at: "\n").first.map { String($0) } ?? "" }
}
