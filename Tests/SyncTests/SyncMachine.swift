import Foundation
import Synchronization
import TestSupport
import Testing
import VaultCredentials
import VaultSealing
import VaultStorage
import VaultSync

/// A machine of a space: its own home, its own vault under its own key.
struct SyncMachine {
  /// A clock that a test moves; each look at it is a millisecond later.
  final class TestTime: Sendable {
    private let value: Mutex<Int64>

    init(_ start: Int64 = 1_790_000_000_000) { value = Mutex(start) }

    func next() -> Int64 {
      value.withLock {
        $0 += 1
        return $0
      }
    }

    func advance(_ milliseconds: Int64) { value.withLock { $0 += milliseconds } }
  }

  let label: String
  let home: TemporaryHome
  let key: SecretBytes
  let time: TestTime
  let vault: UnlockedVault

  init(
    _ label: String, _ time: TestTime = TestTime(), in home: TemporaryHome? = nil
  ) throws {
    self.label = label
    self.time = time
    let home = try home ?? TemporaryHome()
    self.home = home
    key = try SecretBytes.random(count: 32)
    vault = try Self.locked(home, time).blocking.create(slots: [.keyFile(key)])
  }

  /// The same vault after its files were put back or copied.
  init(at home: TemporaryHome, like other: SyncMachine) throws {
    try self.init(other.label, other.time, at: home, opens: other.key)
  }

  /// A vault that is there.
  init(_ label: String, _ time: TestTime, at home: TemporaryHome, opens key: SecretBytes) throws {
    self.label = label
    self.time = time
    self.home = home
    self.key = key
    vault = try Self.locked(home, time).blocking.unlock(with: [.key { key }])
  }

  /// The same under another name.
  init(_ other: SyncMachine, called label: String) {
    self.label = label
    home = other.home
    key = other.key
    time = other.time
    vault = other.vault
  }

  private static func locked(_ home: TemporaryHome, _ time: TestTime) throws -> LockedVault {
    var options = VaultOptions.alone
    options.historyLimit = 200
    options.acceptsRollback = true
    options.now = { time.next() }
    return try LockedVault(location: home.location, options: options)
  }

  /// A copy of this machine's home, in folders of its own.
  func copied() throws -> SyncMachine {
    let copy = try TemporaryHome()
    try FileManager.default.removeItem(atPath: copy.path)
    try FileManager.default.copyItem(atPath: home.path, toPath: copy.path)
    return try SyncMachine(at: copy, like: self)
  }

  /// This machine with the files that its home had before, perhaps in the folders that there are.
  func puttingBack(_ files: HomeFiles, keepsFolders: Bool = false) throws -> SyncMachine {
    try files.put(into: home, keepsFolders: keepsFolders)
    return try SyncMachine(at: home, like: self)
  }

  /// Takes what the vault's machine remembers for written in this home: it was prepared in another.
  func takeOverState() throws {
    let path = vault.blocking.path
    let seed = try #require(try vault.blocking.key(for: "sync-device"))
    let key = try KeyPairs(seed: seed).own
    var state = try SyncState(
      sealed: Array(Data(contentsOf: URL(fileURLWithPath: path + ".sync"))), key: key)
    state.machine = try HomeIdentity(
      machine: vault.blocking.machineID(),
      folder: URL(fileURLWithPath: path).deletingLastPathComponent().path
    ).bytes
    try Data(state.sealed(key)).write(to: URL(fileURLWithPath: path + ".sync"))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path + ".sync")
  }

  /// Makes a space and brings it to the store.
  func founding(_ engine: any SyncEngine) throws -> SyncedVault {
    let synced = try SyncedVault.create(vault, in: engine, at: "memory", label: label)
    try synced.synchronize()
    return synced
  }

  /// Joins by an invitation of another machine, and takes what is there.
  func joining(
    _ other: SyncedVault, _ engine: any SyncEngine, role: SyncRole = .writer
  ) throws -> SyncedVault {
    let code = try other.invite(role: role)
    let synced = try SyncedVault.join(
      vault, in: engine, at: "memory", invitation: code.text, label: label)
    try synced.synchronize()
    return synced
  }

  func set(_ name: String, _ value: String) throws {
    try vault.blocking.set(ItemName(name), to: Secret(value))
  }

  func get(_ name: String) throws -> String {
    try vault.blocking.get(ItemName(name)).string()
  }

  /// Names with their values, and what is known beside them.
  func contents() throws -> [String: String] {
    let snapshot = try vault.blocking.read()
    var all: [String: String] = [:]
    for item in snapshot.items() {
      let secrets = try snapshot.secrets(of: item)
      let fields = try secrets.fields.sorted { $0.key < $1.key }.map {
        "\($0.key)=\(try $0.value.string())"
      }
      all[item.name.text] =
        ([try secrets.main.string()] + fields + item.tags.sorted() + [item.note]
        + item.attributes.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" })
        .joined(separator: "|")
    }
    return all
  }

  /// All values that an item has or had.
  func values(of name: String) throws -> Set<String> {
    let snapshot = try vault.blocking.read()
    let item = try snapshot.item(ItemName(name))
    return Set(
      try snapshot.history(of: item).map {
        try snapshot.secret(of: item, version: $0.isCurrent ? nil : $0.version).string()
      })
  }
}

extension Secret {
  func string() throws -> String { try #require(text) }
}

extension ItemQuery {
  /// What is in the trash.
  static var trash: ItemQuery {
    var query = ItemQuery()
    query.isInTrash = true
    return query
  }
}
