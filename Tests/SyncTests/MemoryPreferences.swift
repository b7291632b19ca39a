import Synchronization
import VaultSync

/// Preferences in memory: values by domain and key, and when each was changed.
final class MemoryPreferences: SyncedPreferences {
  struct Contents: Sendable {
    var domains: [String: SyncedDomain] = [:]
    var times: [String: [String: Int64]] = [:]
    /// The machine from which each key's value is, where it is another one.
    var origins: [String: String] = [:]
  }

  struct Refusal: Error {}

  private let contents = Mutex(Contents())
  /// Makes each change fail.
  private let refuses = Mutex(false)
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

  func meanwhile(_ body: (@Sendable () -> Void)?) { before.withLock { $0 = body } }

  /// Changes a key as a program does.
  func set(_ key: String, _ value: String?, at time: Int64, in domain: String = "tool") {
    contents.withLock { contents in
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
    contents.withLock { contents in
      var known = contents.domains[domain] ?? SyncedDomain(values: [:])
      known.isProtected = known.isProtected || isProtected
      for change in changes where known.values[change.key] == change.old {
        known.values[change.key] = change.new
        contents.origins[change.key] = machine
      }
      contents.domains[domain] = known
    }
  }
}
