import VaultSealing
import VaultStorage

/// What a salvage found, and where.
public struct SalvageReport: Sendable, Equatable {
  /// The file that the vault was mended from.
  public enum Base: String, Sendable {
    /// The vault file itself: it opens.
    case vaultFile = "vault-file"
    /// The generation before it: the vault file does not open, or is gone.
    case previousGeneration = "previous-generation"
    /// The keyring's copies alone: neither opens.
    case copies
  }

  /// What the vault was mended from.
  public internal(set) var base: Base
  /// Items that could be read where they lay.
  public internal(set) var whole = 0
  /// Damaged items that the generation before holds as they were.
  public internal(set) var fromPrevious = 0
  /// Items whose secret the keyring's copy gave; further fields are not in it.
  public internal(set) var fromKeyring = 0
  /// Damaged items that have an earlier version now.
  public internal(set) var fromHistory = 0
  /// Items that nothing holds any more; they are gone from the vault.
  public internal(set) var lost: [ItemName] = []
  /// Earlier versions that nothing holds any more.
  public internal(set) var lostVersions = 0
  /// How many changes of the vault lie between the generation before, which took the lost file's place, and that:
  /// 1 where it is the one right before, 0 where the vault file itself opens.
  public internal(set) var lostGenerations: UInt64 = 0
  /// Where the damaged file is kept; `nil` if nothing had to be mended, or none was there.
  public internal(set) var damagedFile: String?
  /// What is odd about the file that was mended, or left alone: that it is older than one seen before, above all.
  public internal(set) var notices: [VaultNotice] = []

  /// Whether the vault had to be changed at all.
  public var isMended: Bool {
    base != .vaultFile || fromPrevious + fromKeyring + fromHistory + lost.count + lostVersions > 0
  }
}

extension LockedVault {
  /// Mends a damaged or lost vault by what can be read: the file, the generation before it, its earlier
  /// versions, and the copies in the keyring.
  ///
  /// The damaged file is kept under another name. Where nothing is damaged, nothing is changed. A vault that is
  /// mended from the generation before succeeds the lost one: it is no rollback to who has seen that. A file that
  /// is not the generation right before the lost one is taken only where ``VaultOptions/acceptsRollback`` says so.
  ///
  /// - Parameter sources: What may open the file that is asked about, by its key slots.
  /// - Returns: What was found, and what is lost.
  /// - Throws: ``CredentialError``: `.damaged` or `.noVault` if nothing at all can be read; `.rolledBack`,
  ///   `.forked`, `.otherVault` if all there is is an older file, or one of another history; what
  ///   ``unlock(with:)`` and writing throw.
  public func salvage(
    with sources: @escaping @Sendable ([KeySlot]) throws -> [KeySource]
  ) async throws -> SalvageReport {
    try await waiting { try $0.salvage(with: sources) }
  }
}

extension LockedVault.Blocking {
  /// ``LockedVault/salvage(with:)``, on the calling thread.
  public func salvage(
    with sources: ([KeySlot]) throws -> [KeySource]
  ) throws -> SalvageReport {
    let failure: CredentialError
    switch try opened(try? folder.read(), with: sources) {
    case .success(let open):
      var report = try Salvage(open: open, base: .vaultFile).mend()
      report.notices = open.blocking.takeNotices()
      return report
    case .failure(let error): failure = error
    }
    let damaged = try? OutsideFile.read(folder.path, limit: VaultHeader.maximumFile)
    let previous = try folder.readPrevious()
    if case .success(let old) = try opened(previous, with: sources), let previous {
      // Before the generation that takes the lost one's place becomes the one seen last.
      let seen = try folder.seen(vaultID: previous.header.vaultID)
      let lost = try SalvageDistance(
        vault: vault, previous: previous, index: previous.openIndex(old.keys), keys: old.keys,
        damaged: damaged
      ).lostGenerations(seen.record, vaultHere: seen.vaultHere)
      let kept = try putInPlace(try previous.wholeFile(), keeping: damaged)
      var accepting = vault
      accepting.options.acceptsRollback = true
      let open = try accepting.blocking.unlock(
        with: sources(previous.header.slots.map { KeySlot($0, label: "") }))
      var report = try Salvage(open: open, base: .previousGeneration, record: seen.record).mend()
      report.damagedFile = kept
      report.lostGenerations = lost
      return report
    }
    return try salvageFromCopies(keeping: damaged, failure: failure)
  }

  /// Opens a file that was read, or says why it cannot be; a wrong key is an error.
  private func opened(
    _ sealed: VaultFile?, with sources: ([KeySlot]) throws -> [KeySource]
  ) throws -> Result<UnlockedVault, CredentialError> {
    guard let sealed else {
      let isThere = try folder.exists()
      return .failure(
        isThere
          ? VaultHeader.damaged("its header cannot be read")
          : CredentialError(.noVault, "there is no vault at \(folder.path)"))
    }
    do {
      let slots = sealed.header.slots.map { KeySlot($0, label: "") }
      let open = try VaultOpening(vault: vault, sealed: sealed).open(with: sources(slots))
      _ = try sealed.openIndex(open.keys)
      return .success(open)
    } catch let error as CredentialError where error.code == .damaged {
      return .failure(error)
    } catch is VaultFile.IndexRejected {
      return .failure(VaultHeader.damaged("its index was changed"))
    }
  }

  /// Puts `bytes` in the vault file's place, and keeps the damaged ones beside it.
  private func putInPlace(_ bytes: [UInt8]?, keeping damaged: [UInt8]?) throws -> String? {
    try folder.locked(timeout: vault.options.lockTimeout) { directory in
      let kept = try damaged.map { try folder.keepDamaged($0, in: directory) }
      if let bytes {
        try folder.replace(bytes, in: directory, keepingPrevious: false)
      } else {
        try folder.removeFile(in: directory)
      }
      return kept
    }
  }

  /// The secret of each name's copy: what carries our attributes before what another program put beside it, and of
  /// several the newest.
  static func secretsByName(
    _ items: [KeyringItem], _ secrets: [String: SecretBytes], service: String
  ) -> [String: SecretBytes] {
    func rank(_ item: KeyringItem, _ name: String) -> (Int, Int64) {
      let identity = KeyringIdentity(service: service, username: name)
      return (identity.isCarried(by: item) ? 1 : 0, item.modified)
    }
    var best: [String: KeyringItem] = [:]
    for item in items where secrets[item.path] != nil {
      guard let name = item.attributes["username"] else { continue }
      if let other = best[name], rank(other, name) >= rank(item, name) { continue }
      best[name] = item
    }
    return best.compactMapValues { secrets[$0.path] }
  }

  /// A new vault that the keyring opens, made of the copies that the old one published.
  private func salvageFromCopies(
    keeping damaged: [UInt8]?, failure: CredentialError
  ) throws -> SalvageReport {
    // The id keeps its place in every version of the file; a checksum that fails says nothing of it.
    let id = damaged.map { Array($0.dropFirst(16).prefix(16)) }
    guard vault.options.usesKeyring,
      let service = vault.copyService(vaultID: id.flatMap { $0.count == 16 ? $0 : nil })
    else { throw failure }
    let secrets: [String: SecretBytes]
    do {
      let items = try vault.keyring.items(matching: ["service": service]).unlocked
      let found = try vault.keyring.secrets(of: items.map(\.path))
      secrets = Self.secretsByName(items, found, service: service)
    } catch {
      throw CredentialError(
        failure.code, "\(failure.message), and \(error.message)",
        hint: error.state.hint, remedies: error.state.remedies, underlying: error)
    }
    guard !secrets.isEmpty else { throw failure }
    let kept = try putInPlace(nil, keeping: damaged)
    let open = try create(slots: [.keyring()]).blocking
    var report = SalvageReport(base: .copies)
    report.damagedFile = kept
    for (name, secret) in secrets.sorted(by: { $0.key < $1.key }) {
      guard let name = try? ItemName(name), secret.count <= Secret.maximumLength else { continue }
      try open.set(name, to: Secret(secret))
      report.fromKeyring += 1
    }
    return report
  }
}

/// Mends what is damaged in a vault that opens.
private struct Salvage {
  let open: UnlockedVault
  let base: SalvageReport.Base
  /// What this machine had seen last, before anything was put in place.
  var record: [UInt8]?

  func mend() throws -> SalvageReport {
    let snapshot = try open.snapshot()
    let (sealed, index) = (snapshot.file, snapshot.index)
    let isDamaged = { (record: ItemRecord) in
      record.trashed == 0 && (try? sealed.contents(of: record, keys: open.keys)) == nil
    }
    var report = SalvageReport(base: base)
    let damaged = index.items.filter(isDamaged)
    report.whole = index.items.count { $0.trashed == 0 } - damaged.count
    let lostVersions = Set(index.items.flatMap(\.earlier).map(\.hash)).filter { hash in
      index.items.contains { record in
        record.earlier.contains { earlier in
          earlier.hash == hash
            && (try? open.contents(of: record, earlier: earlier, index: index)) == nil
        }
      }
    }
    let copies = copies(of: index, names: damaged.map(\.name))
    let newer = base == .previousGeneration ? newerCopies(snapshot, copies) : [:]
    guard base != .vaultFile || !damaged.isEmpty || !lostVersions.isEmpty else { return report }
    if base == .vaultFile {
      let bytes = try sealed.wholeFile()
      report.damagedFile = try open.locked.folder.locked(timeout: open.locked.options.lockTimeout) {
        try open.locked.folder.keepDamaged(bytes, in: $0)
      }
    }
    let previous = base == .vaultFile ? previousGeneration(of: index) : nil
    return try open.commit(after: lostGeneration(index)) { edit in
      var report = report
      for position in edit.index.items.indices.reversed() {
        report.lostVersions += edit.forget(lostVersions, at: position)
        let record = edit[position]
        if damaged.contains(where: { $0.id == record.id }) {
          try mend(position, copies[record.name], previous, in: &edit, &report)
        } else if let secret = newer[record.name], record.trashed == 0 {
          try edit.addVersion(at: position, ItemContents(main: secret))
          report.fromKeyring += 1
        }
      }
      return report
    }
  }

  private func mend(
    _ position: Int, _ copy: SecretBytes?, _ previous: Generation?, in edit: inout VaultEdit,
    _ report: inout SalvageReport
  ) throws {
    let record = edit[position]
    let former = previous?.index.items.first { $0.id == record.id && $0.trashed == 0 }
    let contents = former.flatMap { former in
      previous.flatMap { try? $0.sealed.contents(of: former, keys: open.keys) }
    }
    if let contents, former?.version == record.version, former?.kind == record.kind {
      try edit.seal(contents, at: position)
      report.fromPrevious += 1
    } else if let copy {
      try edit.addVersion(
        at: position, ItemContents(main: copy, fields: contents?.fields ?? [:]),
        keepsEarlier: false)
      report.fromKeyring += 1
    } else if let contents {
      try edit.addVersion(at: position, contents, keepsEarlier: false)
      report.fromPrevious += 1
    } else if let earlier = record.earlier.first(where: {
      (try? open.contents(of: record, earlier: $0, index: edit.index)) != nil
    }) {
      try edit.addVersion(
        at: position, try open.contents(of: record, earlier: earlier, index: edit.index),
        keepsEarlier: false)
      report.fromHistory += 1
    } else {
      report.lost.append(ItemName(stored: record.name))
      edit.purge(at: position)
    }
  }

  /// The generation that is lost, where this machine has seen it.
  private func lostGeneration(_ index: VaultIndex) throws -> LastSeen? {
    guard let record else { return nil }
    let states = [try open.keys.state()] + index.formerKeys.map(\.state)
    return try? LastSeen(decoding: record, vaultID: open.vaultID, keys: states)
  }

  private struct Generation {
    let sealed: VaultFile
    let index: VaultIndex
  }

  /// The generation before `current`; `nil` where the file by that name is another one.
  private func previousGeneration(of current: VaultIndex) -> Generation? {
    // Two, since the newest ancestor of a mended vault is the one that was lost.
    guard let sealed = try? open.locked.folder.readPrevious(),
      current.ancestors.suffix(2).contains(
        .init(generation: sealed.header.generation, tag: sealed.tag)),
      let index = try? sealed.openIndex(open.keys)
    else { return nil }
    return Generation(sealed: sealed, index: index)
  }

  /// The secrets of the copies of this vault; none where the keyring cannot be asked.
  private func copies(of index: VaultIndex, names: [String]) -> [String: SecretBytes] {
    guard open.locked.options.usesKeyring, base == .previousGeneration || !names.isEmpty,
      let items = try? open.locked.keyring.items(matching: ["service": open.copyService]).unlocked,
      let secrets = try? open.locked.keyring.secrets(of: items.map(\.path))
    else { return [:] }
    return LockedVault.Blocking.secretsByName(items, secrets, service: open.copyService)
  }

  /// Copies of what this generation never held: the lost one published them.
  private func newerCopies(
    _ snapshot: VaultSnapshot, _ copies: [String: SecretBytes]
  ) -> [String: SecretBytes] {
    let index = snapshot.index
    let marked = (try? open.ledger().entries(onlyMarked: true)) ?? [:]
    let pass = CopyPass(
      snapshot: snapshot, publisher: open.publisher(for: index), isOverwriting: false)
    return index.items.reduce(into: [:]) { newer, record in
      // A copy that was still to be brought up to date holds what is older.
      guard record.trashed == 0, record.copy != .none, marked[record.name] == nil,
        let secret = copies[record.name], let hash = try? index.copyHash(of: secret),
        let current = try? index.copyHash(of: snapshot.contents(of: record).main),
        hash != current, !pass.wasHeld(hash, by: record)
      else { return }
      newer[record.name] = secret
    }
  }
}

extension VaultEdit {
  /// Takes earlier versions out of an item's list, whose blobs are gone; says how many.
  mutating func forget(_ hashes: Set<[UInt8]>, at position: Int) -> Int {
    let before = self[position].earlier.count
    self[position].earlier.removeAll { hashes.contains($0.hash) }
    return before - self[position].earlier.count
  }
}
