import VaultSealing

/// How far the file that is to take a lost vault's place lies behind it.
///
/// Whoever can write the folder can break the vault file and put any older one beside it as the
/// generation before: salvaging must not be a way around the record of what was seen last.
struct SalvageDistance {
  let vault: LockedVault
  /// What lies there as the generation before, and opens.
  let previous: VaultFile
  let index: VaultIndex
  let keys: VaultKeys
  /// The bytes of the vault file that does not open; `nil` if there is none.
  let damaged: [UInt8]?

  /// How many generations are lost, as far as anything tells.
  ///
  /// - Parameters:
  ///   - record: The last-seen record.
  ///   - vaultHere: The vault that was in this place.
  /// - Returns: 0 where none is.
  /// - Throws: ``CredentialError`` with code `.rolledBack` if more than one is, `.forked` or
  ///   `.otherVault` if it is no predecessor of the lost one, `.damaged` if the record is forged;
  ///   none of them where a rollback is accepted.
  func lostGenerations(_ record: [UInt8]?, vaultHere: [UInt8]?) throws -> UInt64 {
    let generation = previous.header.generation
    if let vaultHere, vaultHere != previous.header.vaultID {
      try refuse(.otherVault, "the file of the generation before is another vault's")
    }
    let seen = try lastSeen(record)
    let latest = max(seen?.generation ?? 0, lostGeneration(hasRecord: seen != nil) ?? 0)
    let isUnknown = latest == 0 && damaged != nil
    if latest > generation + 1 {
      try refuse(
        .rolledBack,
        "what lies there as the generation before is \(latest - generation) changes older (generation "
          + "\(generation)) than the vault that is lost (generation \(latest))")
    }
    if let seen, case .forked = verdict(of: seen) {
      try refuse(.forked, VaultReader.forkedMessage(seen.generation))
    }
    return latest > generation ? latest - generation : isUnknown ? 1 : 0
  }

  private func verdict(of seen: LastSeen) -> LastSeen.Verdict {
    seen.verdict(
      generation: previous.header.generation, tag: previous.tag, index: index)
  }

  private func lastSeen(_ record: [UInt8]?) throws -> LastSeen? {
    guard let record, LastSeen.isRecord(record) else { return nil }
    let states = [try keys.state()] + index.formerKeys.map(\.state)
    do {
      return try LastSeen(decoding: record, vaultID: previous.header.vaultID, keys: states)
    } catch {
      if vault.options.acceptsRollback { return nil }
      throw error
    }
  }

  /// The generation that the lost file's header names.
  ///
  /// Where the header's checksum is broken, the number counts only in want of better: it may be
  /// what is damaged.
  private func lostGeneration(hasRecord: Bool) -> UInt64? {
    guard let damaged, damaged.count >= VaultHeader.fixedLength,
      damaged.starts(with: VaultHeader.magic)
    else { return nil }
    let header = try? VaultFile(bytes: damaged).header
    guard header != nil || !hasRecord, Array(damaged[16..<32]) == previous.header.vaultID else {
      return nil
    }
    return damaged[32..<40].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func refuse(_ code: CredentialError.Code, _ message: String) throws {
    if vault.options.acceptsRollback { return }
    throw CredentialError(
      code, message,
      hint: "a backup may be newer", remedies: [.acceptRollback]
    )
  }
}
