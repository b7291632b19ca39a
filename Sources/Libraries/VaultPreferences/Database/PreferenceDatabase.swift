package import FoundationEssentials
package import VaultSealing
package import VaultStorage

/// Preferences in the shared store: domains, values, journal.
///
/// For one thread at a time. It is built on the store alone, and used by the public
/// ``PreferenceStore``, which adds the search list and a cache, and by the command, which opens it
/// for one line.
package final class PreferenceDatabase {
  let store: Store
  /// The name of this process in the journal.
  let process: String
  /// The keys of protected domains.
  let keys: (any DataKeyProvider)?
  /// The values that the administrator has fixed; `nil` for a store in memory.
  private let managed: ManagedPreferences?
  /// The fixed keys of domains that were written to, read once for each domain.
  private var fixed: [String: [String: ManagedPreferences.Entry]] = [:]
  /// The journal entries of this object's latest commit; `nil` if it wrote none.
  var latestCommit: ClosedRange<Int64>? {
    didSet { if let latestCommit { commits?.append(latestCommit) } }
  }
  /// The latest entries of this object that are alone in their transactions: quick writes of one key
  /// are merged with these alone.
  private(set) var ownSingles: [Int64] = []
  /// The journal entries of all of this object's commits; kept only once it is not `nil`.
  package var commits: [ClosedRange<Int64>]?
  /// What the latest undo left as it is, since the administrator has fixed it: a sentence for each.
  package internal(set) var leftByUndo: [String] = []
  /// The clock, for tests.
  package var now: () -> Date = { Date() }
  /// The version of the schema that a domain's values are of, where it is not the first: it is
  /// written beside the first value of a domain that is empty.
  package var versionOfNew: ((PreferenceDomain) throws -> Int?)?
  /// How much the journal keeps of each domain.
  var journalLimit = PreferenceJournal.Limit()
  private var hasSeenTables = false
  private var hasSeenCurrentTables = false

  package init(
    _ store: Store, process: String, keys: (any DataKeyProvider)? = nil,
    managed: ManagedPreferences? = nil
  ) throws(PreferenceError) {
    self.store = store
    self.managed = managed
    self.process = process
    self.keys = keys
    // A store of another major version is refused at once.
    _ = try PreferenceError.wrapping { try hasTables() }
  }

  /// Returns whether the store has our tables; another process may create them at any time.
  func hasTables() throws(StorageError) -> Bool {
    if !hasSeenTables { hasSeenTables = try store.version(of: .preferences) > 0 }
    return hasSeenTables
  }

  /// Returns whether the tables are those of this version; they are brought up to date by the first
  /// change.
  func hasCurrentTables() throws(StorageError) -> Bool {
    if !hasSeenCurrentTables {
      hasSeenCurrentTables = try store.version(of: .preferences) >= ModuleSchema.preferences.minor
    }
    return hasSeenCurrentTables
  }

  /// Keeps only so much of each domain in the journal; for tests.
  package func limitJournal(toChanges count: Int64, bytes: Int64) {
    journalLimit = PreferenceJournal.Limit(count: count, bytes: bytes)
  }

  /// Opens the preferences of a location.
  ///
  /// - Parameters:
  ///   - location: The location of the store.
  ///   - mode: For reading, which creates nothing, or for writing.
  ///   - process: The name of this process in the journal.
  ///   - keys: The keys of protected domains.
  ///   - managed: The values that the administrator has fixed.
  /// - Returns: The preferences; `nil` if they are opened for reading and there is no store.
  /// - Throws: ``PreferenceError`` with code `.storage`.
  package static func open(
    _ location: StoreLocation, mode: Store.Mode, process: String,
    keys: (any DataKeyProvider)? = nil, managed: ManagedPreferences = ManagedPreferences()
  ) throws(PreferenceError) -> PreferenceDatabase? {
    try PreferenceError.wrapping {
      guard let store = try Store.open(location, mode: mode) else { return nil }
      return try PreferenceDatabase(store, process: process, keys: keys, managed: managed)
    }
  }

  /// Opens the preferences of a location for writing, or for reading where nothing can be written,
  /// such as on a read-only file system or a full disk.
  ///
  /// - Returns: The preferences, and why they can only be read.
  /// - Throws: ``PreferenceError`` with code `.storage`.
  static func openForAsMuchAsPossible(
    _ location: StoreLocation, process: String, keys: (any DataKeyProvider)? = nil,
    managed: ManagedPreferences = ManagedPreferences()
  ) throws(PreferenceError) -> (database: PreferenceDatabase?, problem: PreferenceError?) {
    do {
      return (
        try open(location, mode: .write, process: process, keys: keys, managed: managed), nil
      )
    } catch {
      guard error.isOfNoPlaceToWrite,
        let database = try? open(
          location, mode: .read, process: process, keys: keys, managed: managed)
      else { throw error }
      return (database, error)
    }
  }

  /// A copy in memory, to change for what is only to be known; see ``undo(_:isForced:isDryRun:where:)``.
  ///
  /// - Parameter process: The name of the writer in its journal.
  /// - Returns: The copy; the store does not see what is written into it.
  /// - Throws: ``PreferenceError`` with code `.storage`.
  package func inMemoryCopy(as process: String) throws(PreferenceError) -> PreferenceDatabase {
    let copy = try PreferenceError.wrapping { try store.inMemoryCopy() }
    return try PreferenceDatabase(copy, process: process, keys: keys, managed: managed)
  }

  /// Makes opening and closing cheap, for a process that does one thing and ends.
  package func prepareForShortUse() { store.prepareForShortUse() }

  /// Shortens the log after a large transaction; that transaction is durable either way.
  ///
  /// - Throws: ``PreferenceError`` with code `.storage`.
  package func shortenLog() throws(PreferenceError) {
    try PreferenceError.wrapping { try store.shortenLog() }
  }

  /// Closes the store.
  package func close() { store.connection.close() }

  // MARK: Reading

  /// A domain's row; `nil` if there is no such domain.
  func row(of domain: PreferenceDomain) throws -> DomainRow? {
    guard try hasTables() else { return nil }
    let row = try store.connection.cached(
      """
      SELECT id, protection, protection IS NULL
        AND (SELECT type FROM preferences_values WHERE domain=id)='sealed'
      FROM preferences_domains WHERE name=? AND host=?
      """)
    defer { row.reset() }
    try row.bind(domain.name, at: 1)
    try row.bind(domain.storedHost, at: 2)
    guard try row.step() else { return nil }
    return DomainRow(
      id: row.int64(at: 0), domain: domain, keyID: row.isNull(at: 1) ? nil : row.bytes(at: 1),
      lacksItsMark: row.bool(at: 2))
  }

  /// The key's value in this domain alone; `nil` if there is none.
  package func value(
    _ key: String, in domain: PreferenceDomain
  ) throws(PreferenceError) -> PreferenceValue? {
    try PreferenceError.wrapping {
      guard let row = try row(of: domain) else { return nil }
      return try value(key, in: row)
    }
  }

  func value(_ key: String, in row: DomainRow) throws -> PreferenceValue? {
    let sealer = try sealer(for: row)
    guard let stored = try stored(try sealer?.name(of: key) ?? key, in: row.id) else { return nil }
    guard let sealer else { return try stored.preference() }
    return try sealer.open(stored, name: sealer.name(of: key), in: row.domain).value
  }

  func stored(_ name: String, in domain: Int64) throws -> StoredValue? {
    let row = try store.connection.cached(
      "SELECT type, value FROM preferences_values WHERE domain=? AND key=?")
    defer { row.reset() }
    try row.bind(domain, at: 1)
    try row.bind(name, at: 2)
    return try row.step() ? row.stored(at: 0) : nil
  }

  /// All keys and values of a domain; `nil` if there is no such domain.
  package func contents(
    of domain: PreferenceDomain
  ) throws(PreferenceError) -> [String: PreferenceValue]? {
    try PreferenceError.wrapping {
      guard let row = try row(of: domain) else { return nil }
      return try contents(of: row)
    }
  }

  func contents(of row: DomainRow) throws -> [String: PreferenceValue] {
    let sealer = try sealer(for: row)
    var entries: [String: PreferenceValue] = [:]
    let values = try store.connection.cached(
      "SELECT key, type, value FROM preferences_values WHERE domain=?")
    defer { values.reset() }
    try values.bind(row.id, at: 1)
    while try values.step() {
      guard let stored = values.stored(at: 1) else { continue }
      if let sealer {
        let (key, value) = try sealer.open(
          stored, name: values.string(at: 0), in: row.domain)
        Self.add(value, key, to: &entries)
      } else {
        guard stored.type != StoredValue.sealedType else { throw Self.unmarked(row.domain) }
        Self.add(try stored.preference(), values.string(at: 0), to: &entries)
      }
    }
    return entries
  }

  /// All keys and values of a domain, each key with its own value; `nil` if there is no such domain.
  package func entries(of domain: PreferenceDomain) throws(PreferenceError) -> ExactEntries? {
    try PreferenceError.wrapping {
      guard let row = try row(of: domain) else { return nil }
      return try entries(of: row)
    }
  }

  func entries(of row: DomainRow) throws -> ExactEntries {
    let sealer = try sealer(for: row)
    var entries: ExactEntries = [:]
    try store.connection.forEachRow(
      "SELECT key, type, value FROM preferences_values WHERE domain=?", [.integer(row.id)]
    ) { values in
      guard let stored = values.stored(at: 1) else { return }
      let name = values.string(at: 0)
      if let sealer {
        let (key, value) = try sealer.open(stored, name: name, in: row.domain)
        entries[ExactText(key)] = value
      } else {
        guard stored.type != StoredValue.sealedType else { throw Self.unmarked(row.domain) }
        entries[ExactText(name)] = try stored.preference()
      }
    }
    return entries
  }

  /// Adds a value under its own key: a dictionary keeps the first of two normalizations of a key, and
  /// would show it with the value of the other.
  private static func add(
    _ value: PreferenceValue, _ key: String, to entries: inout [String: PreferenceValue]
  ) {
    guard entries.updateValue(value, forKey: key) != nil else { return }
    entries.removeValue(forKey: key)
    entries[key] = value
  }

  /// The current values of some keys, by the names that the journal has for them.
  ///
  /// - Returns: The values; `nil` if the domain is protected, where names do not lead to values.
  func values(
    named names: Set<String>, in domain: PreferenceDomain
  ) throws(PreferenceError) -> [String: PreferenceValue?]? {
    try PreferenceError.wrapping {
      guard let row = try row(of: domain) else {
        return names.reduce(into: [:]) { $0[$1] = .some(nil) }
      }
      guard row.keyID == nil, !row.lacksItsMark else { return nil }
      var values: [String: PreferenceValue?] = [:]
      for name in names { values[name] = .some(try stored(name, in: row.id)?.preference()) }
      return values
    }
  }

  /// Whether a domain is plain, so that its keys lead to their values, and has more than so many.
  func hasMore(
    than count: Int, in domain: PreferenceDomain
  ) throws(PreferenceError) -> Bool {
    try PreferenceError.wrapping {
      guard let row = try row(of: domain), row.keyID == nil, !row.lacksItsMark else { return false }
      return try store.connection.int64(
        "SELECT 1 FROM preferences_values WHERE domain=? LIMIT 1 OFFSET ?",
        [.integer(row.id), .integer(Int64(count))]) != nil
    }
  }

  /// Every domain, in no particular order.
  package func domains() throws(PreferenceError) -> [PreferenceDomain] {
    try PreferenceError.wrapping {
      guard try hasTables() else { return [] }
      let host = HostIdentity.current
      var found: [PreferenceDomain] = []
      try store.connection.forEachRow("SELECT name, host FROM preferences_domains") { row in
        found.append(
          PreferenceDomain(row.string(at: 0), storedHost: row.string(at: 1), current: host))
      }
      return found
    }
  }

  /// Whether there is such a domain.
  package func exists(_ domain: PreferenceDomain) throws(PreferenceError) -> Bool {
    try PreferenceError.wrapping { try row(of: domain) != nil }
  }

  /// Whether a domain's values are sealed.
  package func isProtected(_ domain: PreferenceDomain) throws(PreferenceError) -> Bool {
    try PreferenceError.wrapping { try row(of: domain)?.keyID != nil }
  }

  // MARK: Writing

  /// The keys of a domain that the administrator has fixed.
  func fixedKeys(
    of domain: PreferenceDomain
  ) throws(PreferenceError) -> [String: ManagedPreferences.Entry] {
    if let known = fixed[domain.name] { return known }
    let entries = try managed?.entries(for: domain.name) ?? [:]
    fixed[domain.name] = entries
    return entries
  }

  /// Refuses a key that the administrator has fixed; every way to set or remove a key calls this.
  ///
  /// - Throws: ``PreferenceError`` with code `.managed`.
  func checkManaged(_ key: String, in domain: PreferenceDomain) throws(PreferenceError) {
    try ManagedPreferences.check(key, in: domain.name, against: try fixedKeys(of: domain))
  }

  /// Makes several changes: all of them, or none.
  ///
  /// Other writers wait until it ends, so what `body` reads through the transaction stays current.
  ///
  /// - Parameters:
  ///   - isFirstLook: Whether the values are another program's, which has had them all along, or
  ///     which alone can change them: the journal has them, and they are not undone.
  ///   - body: Reads and changes.
  /// - Returns: What `body` returns.
  /// - Throws: ``PreferenceError``; what `body` throws.
  @discardableResult
  package func transaction<Result>(
    isFirstLook: Bool = false, _ body: (PreferenceTransaction) throws -> Result
  ) throws -> Result {
    latestCommit = nil
    if try !hasCurrentTables() { try store.adopt(.preferences) }
    let (result, entries) = try store.write { _ in
      let transaction = PreferenceTransaction(
        self, undoes: isFirstLook ? PreferenceJournal.firstLook : nil)
      let result = try body(transaction)
      try shortenJournal(of: try transaction.finish(), after: transaction.entries)
      return (result, transaction.entries)
    }
    latestCommit = entries
    if !isFirstLook, let entries, entries.count == 1 {
      ownSingles = ownSingles.suffix(7) + [entries.lowerBound]
    }
    return result
  }

  /// Keeps the journal within its bounds, at the end of everything that reads it.
  func shortenJournal(
    of domains: some Sequence<PreferenceDomain>, after entries: ClosedRange<Int64>?
  ) throws {
    guard let entries, let journal = try journal() else { return }
    for domain in domains { try journal.cut(domain, to: journalLimit) }
    // Looking at the oldest entry at every write would cost more than the bound is worth.
    if entries.upperBound / 256 != (entries.lowerBound - 1) / 256 {
      try journal.removeOld(keeping: entries.upperBound, now: now())
    }
  }

  /// Where the last good copy of the whole store is to be refreshed, if that is due.
  var placeOfDueCopy: StoreLocation? { store.isCopyDue() ? store.location : nil }

  /// Refreshes the last good copy of the whole store if it is older than `age`.
  package func refreshLastGoodCopy(olderThan age: Duration = .seconds(86_400)) throws {
    try store.refreshLastGoodCopy(olderThan: age)
  }
}

/// A domain as the store has it.
struct DomainRow {
  let id: Int64
  let domain: PreferenceDomain
  /// The key that seals it; `nil` for a plain one.
  let keyID: [UInt8]?
  /// Whether its values are sealed although the domain is not marked as protected.
  var lacksItsMark = false
}

extension PreferenceDomain {
  init(_ name: String, storedHost: String, current: String) {
    self.init(
      name,
      host: storedHost.isEmpty ? .any : storedHost == current ? .current : .named(storedHost))
  }
}
