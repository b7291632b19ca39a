import FoundationEssentials
public import VaultSealing
public import VaultStorage

/// The preferences of an application: typed values by key, through all layers.
///
/// Values are looked up in the administrator's, the arguments', the application's, the suites', the
/// global domain, in the defaults that the site, packages and a schema have, and in the registered
/// domain; the first that has the key wins. Changes go to the
/// application's domain. This process sees them at once, others within milliseconds; they are
/// durable within a second, after ``synchronize()``, and when the process exits.
///
/// ```swift
/// let preferences = PreferenceStore.standard
/// preferences.register(defaults: ["theme": "system"])
/// preferences.set("dark", forKey: "theme")
/// print(preferences.string(forKey: "theme") ?? "")
/// for await changes in preferences.changes() { print(changes) }
/// ```
///
/// A store may be used from any thread. Members that UserDefaults has, too, behave like
/// UserDefaults', except for the differences that Documentation/preferences.md lists.
public final class PreferenceStore: Sendable {
  let core: PreferenceCore

  /// The preferences of this program, in the user's own store.
  ///
  /// The domain has the name of the program's file. Where the store cannot be opened, values stay
  /// in memory, ``problem`` says why and ``synchronize()`` answers false.
  public static let standard: PreferenceStore = {
    let arguments = CommandLine.arguments
    return PreferenceStore(
      openingAnyway: processName, arguments: ArgumentDomain.parse(Array(arguments.dropFirst())))
  }()

  /// Opens the preferences of a domain.
  ///
  /// A service may have no home, or one that it can neither read nor write. Then the user's layer
  /// is empty, the administrator's and the packages' values are read as ever, and ``problem`` says
  /// why; what is set stays in memory.
  ///
  /// - Parameters:
  ///   - domain: The application's id, such as `com.example.editor`.
  ///   - location: Where the store is; `nil` for the user's own.
  ///   - arguments: The program's arguments, for `-key value` pairs.
  ///   - managedDirectory: Where the administrator's files are.
  ///   - siteDirectories: Where the site's defaults are, the strongest first; `nil` for
  ///     `/etc/vault/defaults` and `vault/defaults` below each of `XDG_CONFIG_DIRS`.
  ///   - packageDirectories: Where the packages' defaults are, the strongest first; `nil` for
  ///     `vault/defaults` below `XDG_DATA_HOME` and each of `XDG_DATA_DIRS`.
  ///   - keys: The keys of protected domains.
  /// - Throws: ``PreferenceError`` with code `.storage` if a store that was named cannot be opened,
  ///   or if one is damaged (see ``PreferenceRecovery``); `.syntax` if a managed file cannot be
  ///   read.
  public init(
    domain: String, location: StoreLocation? = nil, arguments: [String] = [],
    managedDirectory: String = "/etc/vault/managed", siteDirectories: [String]? = nil,
    packageDirectories: [String]? = nil, keys: (any DataKeyProvider)? = nil
  ) throws(PreferenceError) {
    core = try PreferenceError.wrapping {
      let policy = ManagedPreferences(directory: managedDirectory)
      let managed = try policy.entries(for: domain)
      let standard = DefaultsDirectories()
      let directories = DefaultsDirectories(
        site: siteDirectories ?? standard.site, packages: packageDirectories ?? standard.packages)
      var problem: PreferenceError?
      var opened: PreferenceDatabase?
      var signal: ChangeSignal?
      do {
        let place = try location ?? StoreLocation()
        (opened, problem) = try PreferenceDatabase.openForAsMuchAsPossible(
          place, process: Self.processName, keys: keys, managed: policy)
        signal = ChangeSignal(place)
      } catch {
        problem = PreferenceError(wrapping: error)
        guard location == nil, let problem,
          problem.isOfMissingHome || (error as? PreferenceError)?.isOfNoPlaceToWrite == true
        else { throw error }
      }
      let core = PreferenceCore(
        name: domain, database: opened, signal: signal, policy: policy, managed: managed,
        directories: directories, arguments: ArgumentDomain.parse(arguments), problem: problem)
      try core.start()
      return core
    }
  }

  /// Opens the preferences that several applications share.
  ///
  /// - Parameter suiteName: The suite's domain; `nil` for the program's own. The global domain and
  ///   the program's own name are refused, as UserDefaults does: they are searched already.
  public convenience init?(suiteName: String?) {
    guard let suiteName else {
      self.init(openingAnyway: Self.standard.core.name, arguments: [:])
      return
    }
    if suiteName == PreferenceDomain.globalName || suiteName == Self.standard.core.name {
      return nil
    }
    self.init(openingAnyway: suiteName, arguments: [:])
  }

  private init(openingAnyway name: String, arguments: [String: PreferenceValue]) {
    var problem: PreferenceError?
    var opened: PreferenceDatabase?
    var signal: ChangeSignal?
    var managed: [String: ManagedPreferences.Entry] = [:]
    do {
      managed = try ManagedPreferences().entries(for: name)
      let location = try StoreLocation()
      (opened, problem) = try PreferenceDatabase.openForAsMuchAsPossible(
        location, process: Self.processName)
      signal = ChangeSignal(location)
    } catch {
      problem = PreferenceError(wrapping: error)
    }
    core = PreferenceCore(
      name: name, database: opened, signal: signal, policy: ManagedPreferences(),
      managed: managed, directories: DefaultsDirectories(), arguments: arguments, problem: problem)
    do {
      try core.start()
    } catch {
      core.withState { $0.problem = PreferenceError(wrapping: error) }
    }
  }

  private init(core: PreferenceCore) { self.core = core }

  deinit { core.flush() }

  /// Creates preferences in memory, private to the returned object: for tests and previews.
  ///
  /// - Parameters:
  ///   - domain: The application's id.
  ///   - arguments: The program's arguments.
  /// - Returns: An empty store.
  /// - Throws: ``PreferenceError`` with code `.storage` if there is not enough memory.
  public static func inMemory(
    domain: String = "in-memory", arguments: [String] = []
  ) throws(PreferenceError) -> PreferenceStore {
    try PreferenceError.wrapping {
      let database = try PreferenceDatabase(try Store.inMemory(), process: processName)
      return PreferenceStore(
        core: PreferenceCore(
          name: domain, database: database, signal: nil, policy: nil, managed: [:],
          directories: nil, arguments: ArgumentDomain.parse(arguments), problem: nil))
    }
  }

  private static var processName: String {
    CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "unknown"
  }

  /// The application's domain, which changes go to.
  public var domain: PreferenceDomain { PreferenceDomain(core.name) }

  /// The error of the last read or write of the store; `nil` if it succeeded.
  ///
  /// A change that was refused stays the problem at least until ``synchronize()`` has answered,
  /// whatever is written after it.
  public var problem: PreferenceError? { core.withState { $0.problem } }

  /// Why files with defaults, the text file or variables of the environment were left out; empty if
  /// all that exist were read.
  ///
  /// Of a text file that cannot be read, the last state that could be is in use.
  public var defaultsProblems: [PreferenceError] {
    core.withState { $0.defaults.problems + $0.outer.problems($0.schema) }
  }

  // MARK: Values

  /// The key's value in the strongest layer that has it; `nil` if none has.
  public func value(forKey key: String) -> PreferenceValue? { core.effective(key) }

  /// The values of all keys, each from the strongest layer that has it.
  package var effectiveValues: [String: PreferenceValue] { core.merged() }

  /// Sets a key in the application's domain, or removes it.
  ///
  /// - Parameters:
  ///   - value: The new value; `nil` removes the key.
  ///   - key: Any text.
  /// - Throws: ``PreferenceError`` with code `.managed` if the administrator has fixed the key,
  ///   `.tooDeep` if more than 512 arrays and dictionaries are inside each other, `.notAllowed` if
  ///   the schema in use (``use(_:environment:)``) does not allow the value; nothing is changed then.
  public func setValue(_ value: PreferenceValue?, forKey key: String) throws(PreferenceError) {
    try checkManaged(key)
    try value?.checkDepth(of: key)
    try checkSchema(value, key)
    core.set(value, key, in: domain)
  }

  private func checkManaged(_ key: String) throws(PreferenceError) {
    try ManagedPreferences.check(
      key, in: core.name, against: core.withState { $0.managed })
  }

  /// Writes pending changes, waits until they are durable, and reads what others wrote.
  ///
  /// - Returns: Whether all changes since the last call are durable; ``problem`` says why not.
  @discardableResult
  public func synchronize() -> Bool {
    let isWritten = core.flush(isSynchronizing: true)
    core.refresh(retries: true)
    return isWritten
  }

  // MARK: Observing

  /// Returns a stream of a domain's changes, by any process, with one element for each transaction.
  ///
  /// Changes of other domains do not wake its reader. The stream ends when the store is
  /// deallocated.
  ///
  /// - Parameter domain: The domain; `nil` for every domain that this store searches.
  /// - Returns: The changes from now on.
  public func changes(in domain: PreferenceDomain? = nil) -> AsyncStream<[PreferenceChange]> {
    core.observe(domains: domain.map { [$0] }, keys: nil)
  }

  /// Returns a stream of a key's changes in the domains that this store searches.
  ///
  /// - Parameter key: The key.
  /// - Returns: The changes from now on, one element for each transaction.
  public func changes(of key: String) -> AsyncStream<[PreferenceChange]> { changes(of: [key]) }

  /// Returns a stream of several keys' changes in the domains that this store searches.
  ///
  /// - Parameter keys: The keys.
  /// - Returns: The changes from now on, one element for each transaction that changed one of them.
  public func changes(of keys: Set<String>) -> AsyncStream<[PreferenceChange]> {
    core.observe(domains: nil, keys: keys)
  }

  // MARK: Several at once

  /// Makes several changes, in any domains: all of them or none, with one notification.
  ///
  /// Other writers wait until `body` ends, so what it reads stays current. The changes are durable
  /// when this returns.
  ///
  /// ```swift
  /// try preferences.transaction { batch in
  ///   let count = try batch.value(forKey: "count") ?? 0
  ///   guard case .integer(let n) = count else { return }
  ///   try batch.set(.integer(n + 1), forKey: "count")
  /// }
  /// ```
  ///
  /// - Parameter body: Reads and changes; if it throws, nothing is changed.
  /// - Returns: The result of `body`.
  /// - Throws: ``PreferenceError`` with code `.storage`, `.managed`, `.locked`; any error of
  ///   `body`.
  @discardableResult
  public func transaction<Result>(
    _ body: (PreferenceBatch) throws -> Result
  ) throws -> Result {
    do {
      return try core.transaction { transaction in
        try body(PreferenceBatch(transaction: transaction, store: self))
      }
    } catch let error as StorageError {
      throw PreferenceError(wrapping: error)
    }
  }

  /// Sets a key if it has the expected value.
  ///
  /// - Parameters:
  ///   - value: The new value; `nil` removes the key.
  ///   - expected: The current value in the application's domain; `nil` if it must be absent.
  ///   - key: The key.
  /// - Throws: ``PreferenceError`` with code `.conflict` if it holds something else.
  public func setValue(
    _ value: PreferenceValue?, expecting expected: PreferenceValue?, forKey key: String
  ) throws {
    try transaction { batch in
      guard try batch.value(forKey: key) == expected else {
        throw PreferenceError(.conflict, "\(key) in \(core.name) has another value than expected")
      }
      if let value { try batch.set(value, forKey: key) } else { try batch.remove(key) }
    }
  }

  // MARK: Journal

  /// The latest changes of a domain, the oldest first.
  ///
  /// - Parameters:
  ///   - domain: The domain; `nil` for the application's.
  ///   - limit: The maximum number of changes.
  /// - Returns: Changes, at most as far back as the journal goes: for each domain 20,000 changes, 32
  ///   MiB of values and 90 days.
  /// - Throws: ``PreferenceError`` with code `.storage`.
  public func history(
    in domain: PreferenceDomain? = nil, limit: Int = 100
  ) throws -> [PreferenceChange] {
    let domain = domain ?? self.domain
    return try core.withDatabase { try $0.changes(in: domain, limit: limit) }
  }

  /// Undoes transactions of the journal: all of them or none.
  ///
  /// - Parameter transactions: Their numbers, from ``PreferenceChange/transaction``.
  /// - Returns: The number of changes that were undone.
  /// - Throws: ``PreferenceError`` with code `.notFound` if the journal does not have one of them as
  ///   a whole, or `.conflict` if a key was changed since.
  @discardableResult
  public func undo(_ transactions: [Int64]) throws -> Int {
    try core.withDatabase { try $0.undo(transactions).count }
  }

  /// Seals the application's keys and values from now on, with a key of the store's key provider.
  ///
  /// - Throws: ``PreferenceError`` with code `.locked` if there is no key.
  public func protect() throws {
    try core.withDatabase { database in
      if try database.protect([domain]) { try database.scrub() }
    }
  }
}

/// Several changes that are committed together.
public struct PreferenceBatch {
  let transaction: PreferenceTransaction
  let store: PreferenceStore

  /// The value of a key in one domain, without other layers.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - domain: The domain; `nil` for the application's.
  /// - Returns: The value; `nil` if there is none.
  /// - Throws: ``PreferenceError`` with code `.locked`, `.damaged`, `.storage`.
  public func value(
    forKey key: String, in domain: PreferenceDomain? = nil
  ) throws -> PreferenceValue? {
    try transaction.value(key, in: domain ?? store.domain)
  }

  /// Sets a key.
  ///
  /// - Parameters:
  ///   - value: The new value.
  ///   - key: The key.
  ///   - domain: The domain; `nil` for the application's.
  /// - Throws: ``PreferenceError`` with code `.managed`, `.locked`, `.storage`.
  public func set(
    _ value: PreferenceValue, forKey key: String, in domain: PreferenceDomain? = nil
  ) throws {
    try transaction.set(value, key, in: domain ?? store.domain)
  }

  /// Removes a key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - domain: The domain; `nil` for the application's.
  /// - Returns: Whether it was there.
  /// - Throws: ``PreferenceError`` with code `.managed`, `.locked`, `.storage`.
  @discardableResult
  public func remove(_ key: String, in domain: PreferenceDomain? = nil) throws -> Bool {
    try transaction.remove(key, in: domain ?? store.domain)
  }
}
