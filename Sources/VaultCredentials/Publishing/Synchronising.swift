import Synchronization
import VaultSealing
import VaultStorage

extension UnlockedVault {
  /// Brings the copies in the keyring up to date, after the vault file is durable.
  ///
  /// What cannot be done now stays marked in the index, and is told as a notice: the next command that finds the
  /// keyring does it. Returns the item as the index has it afterwards.
  @discardableResult
  func synchroniseCopies(after record: ItemRecord) throws -> ItemRecord {
    guard hasCopyWork.load(ordering: .relaxed) else { return record }
    try synchroniseCopies()
    let name = ItemName(stored: record.name)
    return try read(onlyItemsNamed: [name]).1.items.first { $0.id == record.id } ?? record
  }

  /// Publishes and withdraws everything that is marked.
  ///
  /// - Parameters:
  ///   - overwriting: Whether copies that others changed are overwritten.
  ///   - names: Names whose withdrawal is no matter for a notice, since the caller tells of it.
  /// - Returns: Why something had to be left undone; `nil` if nothing had.
  /// - Throws: ``CredentialError``: what reading and writing throw.
  @discardableResult
  func synchroniseCopies(
    overwriting: Bool = false, withoutTelling names: Set<String> = []
  ) throws -> String? {
    let (sealed, index) = try read()
    let pending = index.items.filter { $0.trashed == 0 && $0.copy == .pending }
    guard !pending.isEmpty || !index.withdrawals.isEmpty else { return nil }
    guard vault.options.usesKeyring else {
      let reason = "the keyring is switched off"
      let told = index.withdrawals.filter { !names.contains($0.name) }
      noteWaiting(stored: pending.count, removed: told.count, reason)
      return reason
    }
    let publisher = publisher(for: index)
    var published: [[UInt8]: [UInt8]] = [:]
    var withdrawn: [VaultIndex.Withdrawal] = []
    var inexact: Set<[UInt8]> = []
    var reason: String?
    do {
      for withdrawal in index.withdrawals {
        let outcome = try publisher.withdraw(withdrawal.name, known: withdrawal.copyHash)
        if outcome == .changedByOthers { noteForeign() }
        withdrawn.append(withdrawal)
      }
      for (done, record) in pending.enumerated() {
        vault.options.tell(.publishing, done, of: pending.count)
        let contents = try sealed.contents(of: record, keys: keys)
        let outcome = try publisher.publish(
          record.name, secret: contents.main, known: record.copyHash, overwriting: overwriting)
        switch outcome {
        case .published(let hash): published[record.id] = hash
        case .changedByOthers: noteChanged(1)
        case .foreign: noteForeign()
        case .inexact: inexact.insert(record.id)
        case .withdrawn: break
        }
      }
    } catch let error as KeyringError {
      let left = index.withdrawals.filter { !withdrawn.contains($0) && !names.contains($0.name) }
      noteWaiting(
        stored: pending.count - published.count - inexact.count, removed: left.count, error.message)
      reason = error.message
    }
    noteInexact(inexact.count)
    try markAsDone(published: published, withdrawn: withdrawn, inexact: inexact)
    return reason
  }

  private func markAsDone(
    published: [[UInt8]: [UInt8]], withdrawn: [VaultIndex.Withdrawal], inexact: Set<[UInt8]>
  ) throws {
    guard !published.isEmpty || !withdrawn.isEmpty || !inexact.isEmpty else { return }
    try commit { draft in
      for position in draft.index.items.indices {
        if inexact.contains(draft.index.items[position].id) {
          draft.index.items[position].copy = .none
          draft.index.items[position].copyHash = [UInt8](
            repeating: 0, count: ItemRecord.hashLength)
        }
        guard let hash = published[draft.index.items[position].id] else { continue }
        draft.index.items[position].copyHash = hash
        // Another process may have set a newer secret meanwhile: then its own publishing follows.
        if draft.index.items[position].copy == .pending,
          try draft.index.copyHash(of: draft.contents(at: position).main) == hash
        {
          draft.index.items[position].copy = .published
        }
      }
      draft.index.withdrawals.removeAll { withdrawn.contains($0) }
    }
  }

  func publisher(for index: VaultIndex) -> CopyPublisher {
    CopyPublisher(keyring: vault.keyring, service: copyService) { try index.copyHash(of: $0) }
  }

  var copyService: String { vault.copyService(vaultID: vaultID) ?? "vault" }

  private func noteWaiting(stored: Int, removed: Int, _ reason: String) {
    let count = stored + removed
    guard count > 0 else { return }
    note([
      VaultNotice(
        .copiesPending,
        count == 1 && stored == 1
          ? "stored; its copy in the keyring is still to be brought up to date: \(reason)"
          : count == 1
            ? "a copy in the keyring is still to be removed: \(reason)"
            : "\(count) copies in the keyring are still to be brought up to date: \(reason)",
        hint: "it is done by the next command that finds the keyring: vault keyring sync")
    ])
  }

  private func noteInexact(_ count: Int) {
    guard count > 0 else { return }
    note([
      VaultNotice(
        .copyInexact,
        count == 1
          ? "stored; the keyring cannot hold this secret exactly, and has no copy of it"
          : "the keyring cannot hold \(count) of the secrets exactly, and has no copy of them",
        hint: "other programs get it by: vault run, vault get")
    ])
  }

  private func noteForeign() {
    note([
      VaultNotice(
        .copyForeign,
        "another program's item in the keyring has the name of a copy; it was left alone",
        hint: "'vault keyring sync' shows what can be done")
    ])
  }

  private func noteChanged(_ count: Int) {
    note([
      VaultNotice(
        .copyChanged, "another program changed a copy in the keyring; it was left as it is",
        hint: "take it, or overwrite it: vault keyring sync --take, vault keyring sync --overwrite")
    ])
  }
}

extension LockedVault {
  /// The attribute `service` of copies: attributes carry no home, so only the default vault in its default
  /// place is plain `vault`; a throwaway vault must not overwrite the real one's items.
  ///
  /// - Returns: `nil` where it takes the id of a vault, and that is not known.
  func copyService(vaultID: [UInt8]?) -> String? {
    let isDefault = folder.name == nil && (try? StoreLocation()) == folder.location
    return isDefault ? "vault" : vaultID.map { "vault:" + Hexadecimal.text(Array($0.prefix(4))) }
  }
}

/// How the copies in the keyring stand.
public struct CopyReport: Sendable, Equatable {
  /// Copies that hold what the vault holds.
  public internal(set) var current = 0
  /// Copies that are still to be made, brought up to date or removed.
  public internal(set) var pending = 0
  /// Names of items whose copy another program changed.
  public internal(set) var changedByOthers: [ItemName] = []
  /// Names of items whose copy is gone from the keyring.
  public internal(set) var missing: [ItemName] = []
  /// Names under which another program keeps an item in the place of a copy.
  public internal(set) var foreign: [String] = []
}

extension UnlockedVault.Blocking {
  /// Brings the copies in the keyring up to date now.
  ///
  /// - Parameter overwriting: Whether copies that other programs changed are overwritten, and those that they
  ///   removed are made again.
  /// - Returns: How they stand afterwards.
  /// - Throws: ``CredentialError`` with a keyring's code, or what writing throws.
  @discardableResult
  public func synchroniseCopies(overwriting: Bool = false) throws -> CopyReport {
    if overwriting {
      let report = try copies()
      let changed = Set((report.changedByOthers + report.missing).map(\.text))
      if !changed.isEmpty {
        try open.commit { draft in
          for position in draft.index.items.indices
          where changed.contains(draft.index.items[position].name) {
            if draft.index.items[position].trashed == 0 {
              draft.index.items[position].copy = .pending
            }
          }
        }
      }
    }
    try open.synchroniseCopies(overwriting: overwriting)
    return try copies()
  }

  /// How the copies in the keyring stand; nothing is changed.
  ///
  /// - Returns: Counts, and the names of those that others changed.
  /// - Throws: ``CredentialError`` with a keyring's code.
  public func copies() throws -> CopyReport {
    let index = try open.read().1
    let publisher = open.publisher(for: index)
    var report = CopyReport()
    report.pending =
      index.withdrawals.count + index.items.filter { $0.trashed == 0 && $0.copy == .pending }.count
    let there: [String: [[UInt8]]]
    do {
      there = try publisher.all()
    } catch let error as KeyringError {
      throw CredentialError(error)
    }
    var ours: Set<String> = []
    for record in index.items where record.trashed == 0 && record.copy != .none {
      ours.insert(record.name)
      guard record.copy == .published else { continue }
      let name = ItemName(stored: record.name)
      let copies = there[record.name] ?? []
      if copies.contains(record.copyHash) {
        report.current += 1
      } else if copies.isEmpty {
        report.missing.append(name)
      } else {
        report.changedByOthers.append(name)
      }
    }
    ours.formUnion(index.withdrawals.map(\.name))
    report.foreign = there.keys.filter { !ours.contains($0) }.sorted()
    return report
  }

  /// Takes secrets that other programs changed in the keyring into the vault, as new versions.
  ///
  /// - Returns: The names of the items that were changed.
  /// - Throws: ``CredentialError`` with a keyring's code, or what writing throws.
  @discardableResult
  public func takeChangedCopies() throws -> [ItemName] {
    let names = try copies().changedByOthers
    let index = try open.read(onlyItemsNamed: []).1
    var taken: [(name: ItemName, secret: SecretBytes, hash: [UInt8])] = []
    for name in names {
      let identity = KeyringIdentity(service: open.copyService, username: name.text)
      let secret: SecretBytes?
      do {
        let items = try open.vault.keyring.items(matching: identity.searched).unlocked
        let newest = items.max { $0.modified < $1.modified }
        secret = try newest.flatMap { try open.vault.keyring.secrets(of: [$0.path])[$0.path] }
      } catch let error as KeyringError {
        throw CredentialError(error)
      }
      if let secret { taken.append((name, secret, try index.copyHash(of: secret))) }
    }
    guard !taken.isEmpty else { return [] }
    // One change, which one undo takes back.
    return try open.commit { draft in
      try taken.compactMap { copy in
        guard let position = draft.position(of: copy.name) else { return nil }
        let fields = try draft.contents(at: position).fields
        try draft.keepAsEarlier(at: position)
        draft.index.items[position].version += 1
        draft.index.items[position].modified = draft.now
        draft.index.items[position].copyHash = copy.hash
        draft.index.items[position].copy = .published
        try draft.seal(ItemContents(main: copy.secret, fields: fields), at: position)
        return copy.name
      }
    }
  }

  /// Whether copies of new items go to the keyring.
  ///
  /// - Returns: `true` if publishing is on.
  /// - Throws: ``CredentialError`` with code `.damaged`.
  public func isPublishing() throws -> Bool {
    try open.read(onlyItemsNamed: []).1.isPublishing
  }

  /// Switches publishing on or off, for all items or for some.
  ///
  /// - Parameters:
  ///   - isOn: Whether copies go to the keyring; copies that are there are withdrawn otherwise.
  ///   - names: Only these items; `nil` for all, and those to come.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, or what writing throws.
  public func setPublishing(_ isOn: Bool, of names: [ItemName]? = nil) throws {
    try open.commit { draft in
      if names == nil { draft.index.isPublishing = isOn }
      let positions =
        try names?.map { try draft.requirePosition(of: $0) }
        ?? draft.index.items.indices.filter { draft.index.items[$0].trashed == 0 }
      for position in positions {
        if isOn {
          if draft.index.items[position].copy == .none {
            draft.index.items[position].copy = .pending
          }
        } else {
          draft.withdrawCopy(at: position)
          draft.index.items[position].copy = .none
        }
      }
    }
    try open.synchroniseCopies()
  }
}
