import FoundationEssentials
import VaultPreferences
import VaultSealing
import VaultStorage
import VaultSync

/// The preferences of a location, as a space reads and changes them.
struct StoredPreferences: SyncedPreferences {
  let location: StoreLocation
  /// The keys of protected domains.
  let keys: any DataKeyProvider

  /// The names of the domains that are stored here.
  static func names(in location: StoreLocation) throws -> [String] {
    guard
      let database = try PreferenceDatabase.open(
        location, mode: .read, process: ProgramName.current)
    else { return [] }
    defer { database.close() }
    return try database.domains().map(\.name)
  }

  /// Opens the store; its journal says who writes.
  private func database(
    _ mode: Store.Mode, from machine: String = ""
  ) throws -> PreferenceDatabase? {
    let database = try PreferenceDatabase.open(
      location, mode: mode, process: "\(ProgramName.current) sync from \(machine)", keys: keys)
    database?.prepareForShortUse()
    return database
  }

  func contents(of name: String) throws -> SyncedDomain? {
    let domain = PreferenceDomain(name)
    guard let database = try database(.read) else { return nil }
    defer { database.close() }
    let values = try database.contents(of: domain)
    // Who removed a domain has changed it; nothing of it is known where the store was lost.
    if values == nil, try database.changes(in: domain, limit: 1).isEmpty { return nil }
    return SyncedDomain(
      values: (values ?? [:]).mapValues { PropertyList.binary($0) },
      fixed: Set(try ManagedPreferences().entries(for: name).keys),
      isProtected: try database.isProtected(domain))
  }

  func changes(in name: String) throws -> [String: Int64] {
    guard let database = try database(.read) else { return [:] }
    defer { database.close() }
    return try database.changes(in: PreferenceDomain(name)).reduce(into: [:]) { times, change in
      guard let key = change.key else { return }
      times[key] = Int64(change.date.timeIntervalSince1970 * 1000)
    }
  }

  func apply(
    _ changes: [SyncedPreferenceChange], to name: String, isProtected: Bool, from machine: String
  ) throws {
    let domain = PreferenceDomain(name)
    guard let database = try database(.write, from: machine) else { return }
    defer { database.close() }
    // Before anything lies there in plain text.
    if isProtected { try database.protect([domain]) }
    try database.transaction { transaction in
      for change in changes {
        let old = try transaction.value(change.key, in: domain)
        guard old.map({ PropertyList.binary($0) }) == change.old else { continue }
        // What another version can write and this one cannot read is left as it was.
        guard let bytes = change.new else {
          try transaction.remove(change.key, in: domain)
          continue
        }
        guard let new = try? PropertyList.parse(bytes, as: .binary) else { continue }
        try transaction.set(new, change.key, in: domain)
      }
    }
  }
}
