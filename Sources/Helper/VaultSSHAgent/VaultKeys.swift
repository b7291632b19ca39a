import VaultCredentials
import VaultSSHKeys
import VaultSealing
import VaultStorage

/// The keys of a vault that an agent serves: items of the kind `ssh-key`.
///
/// What is kept of them is public; a private key is opened for one signature. It belongs to the
/// agent's thread.
final class VaultKeys {
  /// A key of the vault, without the private one.
  struct Entry {
    let item: Item
    let publicKey: SSHPublicKey
    let comment: String
  }

  /// `nil` while the vault is locked; what is public stays.
  private var vault: UnlockedVault.Blocking?
  private var snapshot: VaultSnapshot?
  private(set) var entries: [Entry] = []
  private let patterns: [NamePattern]

  var isLocked: Bool { vault == nil }

  init(_ vault: UnlockedVault, patterns: [String]) throws {
    self.vault = vault.blocking
    self.patterns = patterns.map { NamePattern($0) }
    try refresh()
  }

  /// Forgets the key of the vault and what was read with it, but for what is public.
  func lock() { (vault, snapshot) = (nil, nil) }

  func unlock(_ vault: UnlockedVault) throws {
    self.vault = vault.blocking
    try refresh()
  }

  /// Reads the file if it is another one.
  func refresh() throws {
    guard let vault, let new = try vault.read(unlessUnchangedSince: snapshot) else { return }
    snapshot = new
    let items = new.items().filter { item in
      item.kind == .sshKey
        && (patterns.isEmpty || patterns.contains { $0.matches(item.name.text) })
    }
    entries = items.compactMap { item in
      // One whose secret came by `set` has no public key beside it.
      if let line = item.attributes[SSHKeyItem.publicKeyAttribute],
        let (key, comment) = SSHKeyItem.publicKey(from: line)
      {
        return Entry(
          item: item, publicKey: key, comment: comment.isEmpty ? item.name.text : comment)
      }
      guard let file = try? SSHKeyFile(new.secret(of: item).bytes) else { return nil }
      let comment = file.comment.isEmpty ? item.name.text : file.comment
      return Entry(item: item, publicKey: file.key.publicKey, comment: comment)
    }
  }

  subscript(blob: [UInt8]) -> Entry? { entries.first { $0.publicKey.blob == blob } }

  /// Opens a private key; `nil` if the vault is locked.
  ///
  /// - Throws: What reading it throws; `SSHKeyError` if it is not the one that was listed.
  func privateKey(of entry: Entry) throws -> SSHPrivateKey? {
    guard let snapshot else { return nil }
    let key = try SSHKeyFile(snapshot.secret(of: entry.item).bytes).key
    guard key.publicKey.plain == entry.publicKey.plain else {
      throw SSHKeyError(.notAKey, "the item has another key than its public one")
    }
    return key
  }

  /// Whether uses are recorded.
  var keepsLog: Bool { snapshot?.keepsUsageLog == true }

  /// Records a use.
  func record(
    _ entry: Entry, verb: UsageRecord.Verb, by caller: UsageCaller, isAllowed: Bool,
    account: UsageAccount
  ) {
    snapshot?.record(
      [Usage(entry.item, verb: verb, isAllowed: isAllowed, account: account)], by: caller)
  }
}
