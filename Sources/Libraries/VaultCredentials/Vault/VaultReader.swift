import VaultSealing

/// Reads a vault file with its key, and holds it against what this machine saw last.
struct VaultReader {
  let vault: LockedVault
  let keys: VaultKeys
  let vaultID: [UInt8]
  /// The key slots when the vault was opened: a rotation replaces all of them.
  let slots: [SlotRecord]
  /// The items to decode; `nil` for all.
  var wanted: VaultIndex.Wanted?
  /// The file that unlocking has read, to be used if it is still in place.
  var opened: OpenedFile?
  /// Another file of the vault, which a merge takes in.
  var branch: VaultBranch?

  /// The file for reading; what is odd about its age comes as a notice.
  func open() throws -> (sealed: VaultFile, index: VaultIndex, notices: [VaultNotice]) {
    // The record is read before the file: else a writer in between looks like a rollback.
    var seen = try vault.folder.seen(vaultID: vaultID)
    var (sealed, index) = try openedIndex() ?? openIndex()
    var verdict = try verdict(seen.record, sealed, index)
    if verdict.isSuspicious {
      seen = try vault.folder.seen(vaultID: vaultID)
      (sealed, index) = try openIndex()
      verdict = try self.verdict(seen.record, sealed, index)
    }
    if let here = seen.vaultHere, here != vaultID {
      if vault.options.acceptsRollback { try accept(sealed) }
      return (
        sealed, index,
        [VaultNotice(.otherVault, otherVaultMessage, remedies: [.acceptRollback])]
      )
    }
    switch verdict {
    case .current:
      if seen.vaultHere == nil { try accept(sealed) }
      return (sealed, index, [])
    case .newer:
      try accept(sealed)
      return (sealed, index, Self.notices(of: seen.record))
    case .rolledBack(let seen):
      if vault.options.acceptsRollback { try accept(sealed) }
      return (
        sealed, index,
        [
          VaultNotice(
            .rolledBack, Self.rolledBackMessage(sealed, seen), remedies: [.acceptRollback])
        ]
      )
    case .forked(let seen):
      if vault.options.acceptsRollback { try accept(sealed) }
      return (
        sealed, index,
        [
          VaultNotice(
            .forked, Self.forkedMessage(seen), remedies: [.mergeOther, .acceptRollback])
        ]
      )
    }
  }

  /// The whole file for a change; the caller holds the lock, so nobody writes meanwhile.
  func openForWriting() throws -> (
    sealed: VaultFile, index: VaultIndex, notices: [VaultNotice]
  ) {
    // The file that was opened is still open, so no other one has its number: if it is in place
    // under the lock, it is what a second look would find.
    let (sealed, index) = try openedIndex() ?? openIndex()
    guard !sealed.header.isReadOnly else {
      throw CredentialError(
        .newerVersion, "the vault file was written by a newer version and can only be read here",
        hint: "install a newer version of this software to change it")
    }
    if vault.options.acceptsRollback { return (sealed, index, []) }
    let seen = try vault.folder.seen(vaultID: vaultID)
    if let here = seen.vaultHere, here != vaultID {
      throw CredentialError(.otherVault, otherVaultMessage, remedies: [.acceptRollback])
    }
    let verdict = try verdict(seen.record, sealed, index)
    if verdict.isSuspicious, let branch, try isKnown(seen.record, to: branch, index) {
      // A syncer put another file into this one's place, and this one comes back by the merge.
      return (sealed, index, [])
    }
    switch verdict {
    case .current, .newer: return (sealed, index, Self.notices(of: seen.record))
    case .rolledBack(let seen):
      throw CredentialError(
        .rolledBack, Self.rolledBackMessage(sealed, seen), remedies: [.acceptRollback])
    case .forked(let seen):
      throw CredentialError(
        .forked, Self.forkedMessage(seen), remedies: [.mergeOther, .acceptRollback])
    }
  }

  private func openedIndex() throws -> (VaultFile, VaultIndex)? {
    guard let opened, let identity = opened.sealed.identity, vault.folder.identity() == identity
    else { return nil }
    return (opened.sealed, try VaultFile.decode(opened.index, only: wanted))
  }

  private func openIndex() throws -> (VaultFile, VaultIndex) {
    let sealed = try vault.blocking.sealedFile()
    guard sealed.header.vaultID == vaultID else {
      throw CredentialError(
        .locked, "another vault replaced the one that was opened",
        hint: "open it anew")
    }
    do {
      return (sealed, try sealed.openIndex(keys, only: wanted))
    } catch is VaultFile.IndexRejected {
      guard sealed.header.slots.contains(where: isKnown) else {
        throw CredentialError(
          .changedMeanwhile, "the vault key was rotated after the vault was opened",
          hint: "try again: nothing was changed, and the new keys open it")
      }
      throw VaultHeader.damaged("its index was changed")
    }
  }

  private func isKnown(_ slot: SlotRecord) -> Bool { slots.contains { $0.id == slot.id } }

  private func verdict(
    _ record: [UInt8]?, _ sealed: VaultFile, _ index: VaultIndex
  ) throws -> LastSeen.Verdict {
    guard let record, LastSeen.isRecord(record) else { return .newer }
    let seen: LastSeen
    do {
      seen = try lastSeen(record, index)
    } catch {
      if vault.options.acceptsRollback { return .newer }
      throw error
    }
    return seen.verdict(
      generation: sealed.header.generation, tag: sealed.tag, index: index)
  }

  private func lastSeen(_ record: [UInt8], _ index: VaultIndex) throws -> LastSeen {
    let states = [try keys.state()] + index.formerKeys.map(\.state)
    return try LastSeen(decoding: record, vaultID: vaultID, keys: states)
  }

  /// Whether the file that was seen last is `branch`, or one that it descends from.
  private func isKnown(
    _ record: [UInt8]?, to branch: VaultBranch, _ index: VaultIndex
  ) throws -> Bool {
    guard let record else { return false }
    let seen = try lastSeen(record, index)
    let file = VaultIndex.Ancestor(generation: seen.generation, tag: seen.tag)
    return branch.head == file || branch.index.descends(from: file)
  }

  /// Records a file that this process did not write, once its name is durable: a generation
  /// recorded before it is would look like a rollback after a power cut.
  private func accept(_ sealed: VaultFile) throws {
    let seen = LastSeen(
      vaultID: vaultID, generation: sealed.header.generation, tag: sealed.tag)
    do {
      try vault.folder.syncDirectory()
      try vault.folder.record(seen, key: try keys.state())
    } catch let error as CredentialError
      where [.inputOutput, .cannotCreate, .permissionDenied].contains(error.code)
    {
      // A full or read-only disk must not prevent reading.
    }
  }

  /// What is said of a record that says nothing.
  private static func notices(of record: [UInt8]?) -> [VaultNotice] {
    guard let record, !LastSeen.isRecord(record) else { return [] }
    return [
      VaultNotice(
        .recordRenewed,
        "the record of the last seen vault file was empty, as after a power failure; it was created again",
        hint: "an older vault file restored before now would not have been noticed")
    ]
  }

  private var otherVaultMessage: String {
    "a different vault than before is at \(vault.folder.path)"
  }

  static func rolledBackMessage(_ sealed: VaultFile, _ seen: UInt64) -> String {
    "the vault file is older (generation \(sealed.header.generation)) than one seen before "
      + "(generation \(seen))"
  }

  static func forkedMessage(_ seen: UInt64) -> String {
    "the vault file and the one seen before (generation \(seen)) were written independently"
  }
}

extension LastSeen.Verdict {
  /// A rollback or a fork: to be looked at twice before it is believed.
  var isSuspicious: Bool {
    switch self {
    case .current, .newer: false
    case .rolledBack, .forked: true
    }
  }
}
