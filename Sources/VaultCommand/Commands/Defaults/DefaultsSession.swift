import Synchronization
import VaultPreferences
import VaultSealing
import VaultStorage

/// One run of the command: the host that was asked for, and the store, opened when it is needed.
final class DefaultsSession {
  let tool: DefaultsTool
  private(set) var host: PreferenceDomain.Host = .any
  private var database: PreferenceDatabase?
  private var isWritable = false

  init(_ tool: DefaultsTool) { self.tool = tool }

  func close() {
    // Once a day; a failure to copy is none of the write, which is on the disk.
    if isWritable {
      try? database?.refreshLastGoodCopy()
      try? database?.shortenLog()
    }
    database?.close()
  }

  // MARK: The line

  func run(_ arguments: [String]) throws {
    var words = arguments[...]
    // Only as the first word; later it is a domain's name.
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
    guard let verb = words.popFirst()?.lowercased() else { throw DefaultsUsage() }
    guard let help = DefaultsHelp.ofVerb(verb) else { return try run(verb, words) }
    if words.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
      return tool.print(help)
    }
    do {
      try run(verb, words)
    } catch is DefaultsUsage {
      throw DefaultsUsage(verb: verb)
    }
  }

  private func run(_ verb: String, _ words: ArraySlice<String>) throws {
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
    case "watch": try watch(words)
    case "history": try history(words)
    case "undo": try undo(words)
    case "snapshot": try snapshot(words)
    case "diff": try diff(words)
    case "protect": try protect(words, isOn: true)
    case "recover": try recover(words)
    case "unprotect": try protect(words, isOn: false)
    case "help", "-help", "--help", "-h": tool.print(DefaultsHelp.text)
    case "printhostidentifier": tool.print(HostIdentity.current)
    default: throw DefaultsUsage()
    }
  }

  func take(_ words: inout ArraySlice<String>) throws -> DefaultsTarget {
    try DefaultsTarget.take(&words, host: host, home: tool.home())
  }

  // MARK: The store

  /// For reading; `nil` if there is no store.
  func reading() throws -> PreferenceDatabase? {
    if let database { return database }
    database = try PreferenceDatabase.open(
      tool.location(), mode: .read, process: "defaults", keys: LazyKeys(tool.keys),
      managed: tool.managed)
    database?.prepareForShortUse()
    return database
  }

  /// For writing; made if there is none.
  func writing() throws -> PreferenceDatabase {
    if let database, isWritable { return database }
    database?.close()
    guard
      let opened = try PreferenceDatabase.open(
        tool.location(), mode: .write, process: "defaults", keys: LazyKeys(tool.keys),
        managed: tool.managed)
    else { throw DefaultsRefusal("Could not write domain; there is no store") }
    opened.prepareForShortUse()
    database = opened
    isWritable = true
    return opened
  }

  func value(_ key: String, in target: DefaultsTarget) throws -> PreferenceValue? {
    switch target {
    case .stored(let domain): try reading()?.value(key, in: domain)
    case .file(let path): try PropertyListFile.contents(of: path)?[key]
    }
  }

  func contents(of target: DefaultsTarget) throws -> [String: PreferenceValue]? {
    switch target {
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
}

/// What the verbs do to a domain, in the store or in a file.
protocol DefaultsEditing {
  var exists: Bool { get throws }
  func value(_ key: String) throws -> PreferenceValue?
  func contents() throws -> [String: PreferenceValue]?
  func set(_ value: PreferenceValue, _ key: String) throws
  func remove(_ key: String) throws -> Bool
  func removeDomain() throws -> Bool
  func replace(by entries: [String: PreferenceValue]) throws
}

private struct StoredDomain: DefaultsEditing {
  let transaction: PreferenceTransaction
  let domain: PreferenceDomain

  var exists: Bool { get throws { try transaction.exists(domain) } }

  func value(_ key: String) throws -> PreferenceValue? {
    try transaction.value(key, in: domain)
  }

  func contents() throws -> [String: PreferenceValue]? { try transaction.contents(of: domain) }

  func set(_ value: PreferenceValue, _ key: String) throws {
    try transaction.set(value, key, in: domain)
  }

  func remove(_ key: String) throws -> Bool { try transaction.remove(key, in: domain) }

  func removeDomain() throws -> Bool { try transaction.removeDomain(domain) }

  func replace(by entries: [String: PreferenceValue]) throws {
    try transaction.replace(domain, by: entries)
  }
}

private final class FileDomain: DefaultsEditing {
  var entries: [String: PreferenceValue]?

  init(entries: [String: PreferenceValue]?) { self.entries = entries }

  var exists: Bool { entries != nil }

  func value(_ key: String) -> PreferenceValue? { entries?[key] }

  func contents() -> [String: PreferenceValue]? { entries }

  func set(_ value: PreferenceValue, _ key: String) {
    entries = (entries ?? [:]).merging([key: value]) { $1 }
  }

  func remove(_ key: String) -> Bool { entries?.removeValue(forKey: key) != nil }

  func removeDomain() -> Bool {
    defer { entries = nil }
    return entries != nil
  }

  func replace(by entries: [String: PreferenceValue]) { self.entries = entries }
}

/// Asks for the keys of protected domains when the first one is met: opening a vault may prompt.
private final class LazyKeys: DataKeyProvider {
  private enum State {
    case closed
    case open(any DataKeyProvider)
    case refused(any Error)
  }

  private let make: @Sendable () throws -> (any DataKeyProvider)?
  private let state = Mutex(State.closed)

  init(_ make: @escaping () throws -> (any DataKeyProvider)?) {
    // The command runs on one thread.
    nonisolated(unsafe) let make = make
    self.make = { try unsafe make() }
  }

  private func keys() throws -> any DataKeyProvider {
    try state.withLock { state in
      switch state {
      case .open(let keys): return keys
      // Asked once: a person who gave up is not asked again for each key.
      case .refused(let error): throw error
      case .closed: break
      }
      do {
        guard let keys = try make() else {
          throw PreferenceError(.locked, "there is no vault that has the domain's key")
        }
        state = .open(keys)
        return keys
      } catch {
        state = .refused(error)
        throw error
      }
    }
  }

  func currentDataKey(for purpose: String) throws -> (id: [UInt8], key: SecretBytes) {
    try keys().currentDataKey(for: purpose)
  }

  func dataKey(id: [UInt8]) throws -> SecretBytes { try keys().dataKey(id: id) }
}
