import VaultSealing
import VaultStorage

/// Mends what is damaged in a vault that opens.
struct Salvage {
  let open: UnlockedVault
  let base: SalvageReport.Base
  /// What this machine had seen last, before anything was put in place.
  var record: [UInt8]?

  func mend() throws -> SalvageReport {
    let snapshot = try open.snapshot()
    let (sealed, index) = (snapshot.file, snapshot.index)
    var report = SalvageReport(base: base)
    let damaged = try index.items.filter { record in
      try record.trashed == 0 && isDamaged { try sealed.contents(of: record, keys: open.keys) }
    }
    report.whole = index.items.count { $0.trashed == 0 } - damaged.count
    let lostVersions = try lostVersions(of: index)
    let copies = copies(of: index, names: damaged.map(\.name))
    let newer = base == .previousGeneration ? open.newerCopies(snapshot, copies) : [:]
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
      // What is not here any more was not removed by anybody: other machines have it.
      if edit.index.dataKeys.contains(where: { VaultIndex.isOfDevice($0.purpose) }) {
        edit.index.settings[VaultIndex.sharedSetting] = Hexadecimal.text(
          RandomBytes.bytes(count: 8))
      }
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

  /// Whether something was read and is damaged; what keeps it from being read is thrown.
  private func isDamaged(_ read: () throws -> ItemContents) throws -> Bool {
    do {
      _ = try read()
      return false
    } catch let error as CredentialError where error.code == .damaged {
      return true
    }
  }

  /// The hashes of earlier versions that are gone, or damaged.
  ///
  /// A store that cannot be opened says nothing of what is in it, nor does one that is not there: it
  /// may be on another disk.
  private func lostVersions(of index: VaultIndex) throws -> Set<[UInt8]> {
    let history = HistoryReader(open.history)
    defer { history.close() }
    guard try open.history.isThere() else { return [] }
    var lost: Set<[UInt8]> = []
    for record in index.items {
      for earlier in record.earlier where !lost.contains(earlier.hash) {
        // What this throws is of the store as a whole.
        let sealed = try history.blob(earlier.hash)
        let isLost = try isDamaged {
          try open.contents(of: record, earlier: earlier, index: index, sealed: sealed)
        }
        if isLost { lost.insert(earlier.hash) }
      }
    }
    return lost
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
        at: position, ItemContents(main: copy, fields: contents?.fields ?? SecretFields()),
        keepsEarlier: false)
      report.fromKeyring += 1
    } else if let contents {
      try edit.addVersion(at: position, contents, keepsEarlier: false)
      report.fromPrevious += 1
    } else if let earlier = record.earlier.first(where: {
      (try? edit.earlierContents(of: record, $0)) != nil
    }) {
      try edit.addVersion(
        at: position, try edit.earlierContents(of: record, earlier),
        keepsEarlier: false)
      report.fromHistory += 1
    } else {
      report.lost.append(ItemName(stored: record.name))
      edit.purge(at: position)
      edit.index.tombstones.removeAll { $0.itemID == record.id }
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
}

extension VaultEdit {
  /// Takes earlier versions out of an item's list, whose blobs are gone; says how many.
  mutating func forget(_ hashes: Set<[UInt8]>, at position: Int) -> Int {
    let before = self[position].earlier.count
    self[position].earlier.removeAll { hashes.contains($0.hash) }
    return before - self[position].earlier.count
  }
}
