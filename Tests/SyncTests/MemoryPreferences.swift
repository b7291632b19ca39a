import Glibc
import Synchronization
import VaultSealing
import VaultStorage
import VaultSync

/// Preferences in memory: values by domain and key, and when each was changed.
final class MemoryPreferences: SyncedPreferences {
  struct Contents: Sendable {
    var domains: [String: SyncedDomain] = [:]
    var times: [String: [String: Int64]] = [:]
    /// The machine from which each key's value is, where it is another one.
    var origins: [String: String] = [:]
    /// What was replaced or removed, the oldest first.
    var journal: [Entry] = []
  }

  /// A value that is there no longer.
  struct Entry: Sendable, Equatable {
    let domain: String
    let key: String
    let old: String
    /// The machine that has replaced it; `nil` for this one.
    let machine: String?
  }

  struct Refusal: Error {}

  private let contents = Mutex(Contents())
  /// Makes each change fail.
  private let refuses = Mutex(false)
  /// Keeps no journal, as none should do it.
  private let forgets = Mutex(false)
  /// Runs before changes are applied.
  private let before = Mutex<(@Sendable () -> Void)?>(nil)

  var all: Contents {
    get { contents.withLock { $0 } }
    set { contents.withLock { $0 = newValue } }
  }

  var isRefusing: Bool {
    get { refuses.withLock { $0 } }
    set { refuses.withLock { $0 = newValue } }
  }

  var isForgetting: Bool {
    get { forgets.withLock { $0 } }
    set { forgets.withLock { $0 = newValue } }
  }

  func meanwhile(_ body: (@Sendable () -> Void)?) { before.withLock { $0 = body } }

  /// Changes a key as a program does.
  func set(_ key: String, _ value: String?, at time: Int64, in domain: String = "tool") {
    contents.withLock { contents in
      if let old = contents.domains[domain]?.values[key] {
        contents.journal.append(
          Entry(
            domain: domain, key: key, old: String(decoding: old, as: UTF8.self), machine: nil))
      }
      contents.domains[domain, default: SyncedDomain(values: [:])].values[key] =
        value.map { Array($0.utf8) }
      contents.times[domain, default: [:]][key] = time
      contents.origins[key] = nil
    }
  }

  /// The values of a domain as texts.
  func values(of domain: String = "tool") -> [String: String] {
    (all.domains[domain]?.values ?? [:]).mapValues { String(decoding: $0, as: UTF8.self) }
  }

  func contents(of domain: String) throws -> SyncedDomain? { all.domains[domain] }

  func changes(in domain: String) throws -> [String: Int64] { all.times[domain] ?? [:] }

  func apply(
    _ changes: [SyncedPreferenceChange], to domain: String, isProtected: Bool, from machine: String
  ) throws {
    guard !isRefusing else { throw Refusal() }
    before.withLock { $0 }?()
    try touchDisk()
    let isForgetting = isForgetting
    contents.withLock { contents in
      var known = contents.domains[domain] ?? SyncedDomain(values: [:])
      known.isProtected = known.isProtected || isProtected
      for change in changes where known.values[change.key] == change.old {
        known.values[change.key] = change.new
        contents.origins[change.key] = machine
        guard let old = change.old, !isForgetting else { continue }
        contents.journal.append(
          Entry(
            domain: domain, key: change.key, old: String(decoding: old, as: UTF8.self),
            machine: machine))
      }
      contents.domains[domain] = known
    }
    try touchDisk()
  }

  /// A call of the system, at which a process may be killed: before a change, and after it.
  private func touchDisk() throws {
    let file = try System.open("/dev/null", in: AT_FDCWD, flags: O_WRONLY, mode: 0)
    defer { System.close(file) }
    let byte: [UInt8] = [0]
    try byte.withRawSpan { span throws(System.Failure) in try System.writeAll(file, span) }
  }
}
