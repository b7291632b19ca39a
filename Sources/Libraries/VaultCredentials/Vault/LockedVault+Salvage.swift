import VaultSealing
import VaultStorage

extension LockedVault.Blocking {
  /// Mends a damaged or lost vault by what can be read: the file, the generation before it, its
  /// earlier versions, and the copies in the keyring.
  ///
  /// The damaged file is kept under another name. Where nothing is damaged, nothing is changed. A
  /// vault that is mended from the generation before succeeds the lost one: it is no rollback to
  /// who has seen that. A file that is not the generation right before the lost one is taken only
  /// where ``VaultOptions/acceptsRollback`` says so.
  ///
  /// - Parameter sources: What may open the file that is asked about, by its key slots.
  /// - Returns: What was found, and what is lost.
  /// - Throws: ``CredentialError``: `.damaged` or `.noVault` if nothing at all can be read;
  ///   `.rolledBack`, `.forked`, `.otherVault` if all there is is an older file, or one of another
  ///   history; `.unsafeFile`, `.newerVersion`, `.inputOutput` and others for a file that is there
  ///   and may be whole: it is no reason to go back; what ``unlock(with:)`` and writing throw.
  public func salvage(
    with sources: ([KeySlot]) throws -> [KeySource]
  ) throws -> SalvageReport {
    let failure: CredentialError
    switch try opened(readUnlessDamaged(), with: sources) {
    case .success(let open):
      var report = try Salvage(open: open, base: .vaultFile).mend()
      report.notices = open.blocking.takeNotices()
      return report
    case .failure(let error): failure = error
    }
    let damaged = try? OutsideFile.read(folder.path, limit: VaultHeader.maximumFile)
    let previous = try folder.readPrevious()
    if case .success(let old) = try opened(previous, with: sources), let previous {
      // A store that cannot be read is mended first: nothing is changed before.
      _ = try old.history.isThere()
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

  /// The vault file; `nil` if there is none, or its header is damaged.
  private func readUnlessDamaged() throws -> VaultFile? {
    do {
      return try folder.read()
    } catch let error as CredentialError where error.code == .damaged {
      return nil
    }
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

  /// The secret of each name's copy: what carries our attributes before what another program put
  /// beside it, and of several the newest.
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
    // The id keeps its place in every version of the file; a checksum that fails says nothing of
    // it.
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
