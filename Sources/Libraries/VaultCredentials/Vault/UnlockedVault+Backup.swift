import Glibc
import VaultSealing
import VaultStorage

extension UnlockedVault.Blocking {
  /// Writes the vault file and its earlier versions into one sealed file, and verifies it by
  /// opening it.
  ///
  /// The backup opens by the same key slots. Nothing is there under `path` before it is whole and
  /// durable.
  ///
  /// - Parameter path: Where; a file that is there is replaced.
  /// - Returns: What it holds.
  /// - Throws: ``CredentialError`` with code `.damaged` if something of the vault cannot be read,
  ///   `.cannotCreate`, `.inputOutput`.
  public func backUp(to path: String) throws -> BackupSummary {
    try OutsideFile.replace(path, with: backupFile())
    let summary = try LockedVault.Blocking.verify(
      backup: try OutsideFile.read(path, limit: BackupFile.maximumLength), path: path,
      keys: vault.keys)
    recordBackup()
    return summary
  }

  /// Makes a backup for somewhere that is no file, and verifies it by opening it.
  ///
  /// - Parameter name: What to call the place.
  /// - Returns: The backup's bytes, which are sealed, and what they hold.
  /// - Throws: ``CredentialError`` with code `.damaged`.
  package func backup(named name: String) throws -> (bytes: [UInt8], summary: BackupSummary) {
    let bytes = try backupFile()
    let summary = try LockedVault.Blocking.verify(backup: bytes, path: name, keys: vault.keys)
    recordBackup()
    return (bytes, summary)
  }

  /// A backup is one even where its time cannot be recorded.
  private func recordBackup() {
    try? vault.locked.folder.recordBackup(
      vaultID: vault.vaultID, at: vault.locked.options.now())
  }

  private func backupFile() throws -> [UInt8] {
    var read: [[UInt8]: [UInt8]] = [:]
    while true {
      let snapshot = try vault.snapshot()
      guard let blobs = try blobs(of: snapshot, &read) else { continue }
      return try BackupFile(vault: try snapshot.file.wholeFile(), blobs: blobs).encoded()
    }
  }

  /// Reads the sealed earlier versions of all items.
  ///
  /// - Parameters:
  ///   - snapshot: The vault.
  ///   - read: What was read before; gets what is read.
  /// - Returns: The versions by their hashes; `nil` where another program has dropped one meanwhile:
  ///   then the vault is another one, and little of it has to be read again.
  /// - Throws: ``CredentialError`` with code `.damaged` if one is missing.
  private func blobs(
    of snapshot: VaultSnapshot, _ read: inout [[UInt8]: [UInt8]]
  ) throws -> [[UInt8]: [UInt8]]? {
    let history = HistoryReader(vault.history)
    var blobs: [[UInt8]: [UInt8]] = [:]
    let all = snapshot.index.items.flatMap(\.earlier)
    for (done, earlier) in all.enumerated() {
      vault.locked.options.tell(.reading, done, of: all.count)
      guard let blob = try read[earlier.hash] ?? history.blob(earlier.hash) else {
        if try vault.isDropped(earlier) { return nil }
        throw CredentialError(
          .damaged, "an earlier version of an item is missing",
          remedies: [.check])
      }
      (read[earlier.hash], blobs[earlier.hash]) = (blob, blob)
    }
    return blobs
  }
}

extension LockedVault.Blocking {
  /// Verifies a backup by opening it.
  ///
  /// - Parameters:
  ///   - path: The backup.
  ///   - sources: What may open it, in order.
  /// - Returns: What it holds.
  /// - Throws: ``CredentialError`` with code `.damaged`, or what ``unlock(with:)`` throws.
  public func checkBackup(_ path: String, with sources: [KeySource]) throws -> BackupSummary {
    try checkBackup(
      OutsideFile.read(path, limit: BackupFile.maximumLength), named: path, with: sources)
  }

  /// Verifies a backup that was read from somewhere else than a file.
  ///
  /// - Parameters:
  ///   - bytes: The backup.
  ///   - name: What to call it.
  ///   - sources: What may open it, in order.
  /// - Returns: What it holds.
  /// - Throws: As ``LockedVault/checkBackup(_:with:)`` does.
  package func checkBackup(
    _ bytes: [UInt8], named name: String, with sources: [KeySource]
  ) throws -> BackupSummary {
    let backup = try BackupFile(decoding: bytes)
    let opened = try VaultOpening(vault: vault, sealed: try VaultFile(bytes: backup.vault))
      .open(with: sources)
    return try Self.verify(backup: bytes, path: name, keys: opened.keys)
  }

  /// Restores a backup if there is no vault.
  ///
  /// - Parameter path: The backup.
  /// - Throws: ``CredentialError`` with code `.vaultExists`, `.damaged`, or what writing throws.
  public func restore(from path: String) throws {
    try restore(OutsideFile.read(path, limit: BackupFile.maximumLength))
  }

  /// When the vault was last backed up on this machine, in milliseconds since 1970; `nil` if it was
  /// not, or that is not known.
  package func lastBackup() throws -> Int64? {
    vault.folder.lastBackup(vaultID: try sealedFile().header.vaultID)
  }

  /// Restores a backup that was read from somewhere else than a file.
  ///
  /// - Parameter bytes: The backup.
  /// - Throws: As ``LockedVault/restore(from:)`` does.
  package func restore(_ bytes: [UInt8]) throws {
    let backup = try BackupFile(decoding: bytes)
    let sealed = try VaultFile(bytes: backup.vault)
    let history = HistoryStore(
      location: vault.folder.location, vaultID: sealed.header.vaultID)
    try vault.folder.locked(timeout: vault.options.lockTimeout) { directory in
      guard try !vault.folder.exists() else {
        throw CredentialError(
          .vaultExists, "there is a vault at \(vault.folder.path) already",
          hint: "move it away first", remedies: [.chooseOtherVault])
      }
      try history.insert(
        backup.blobs.map { HistoryBlob(hash: $0.key, sealed: $0.value) },
        written: vault.options.now())
      try vault.folder.separateFromOtherPlaces(vaultID: sealed.header.vaultID)
      try vault.folder.replace(backup.vault, in: directory, keepingPrevious: false)
      try vault.folder.forgetPlace()
    }
  }

  static func verify(
    backup bytes: [UInt8], path: String, keys: VaultKeys
  ) throws -> BackupSummary {
    let backup = try BackupFile(decoding: bytes)
    let sealed = try VaultFile(bytes: backup.vault)
    let index: VaultIndex
    do {
      index = try sealed.openIndex(keys)
    } catch is VaultFile.IndexRejected {
      throw VaultHeader.damaged("the index in the backup does not open")
    }
    var items = 0
    var earlierVersions = 0
    for record in index.items {
      if record.trashed == 0 {
        _ = try sealed.contents(of: record, keys: keys)
        items += 1
      }
      for earlier in record.earlier {
        guard let blob = backup.blobs[earlier.hash] else {
          throw CredentialError(.damaged, "the backup lacks an earlier version of an item")
        }
        _ = try VaultFile.open(
          blob, record: record, version: earlier.version, kind: earlier.kind,
          vaultID: sealed.header.vaultID, parent: try index.dataKey(id: earlier.dataKey))
        earlierVersions += 1
      }
    }
    return BackupSummary(
      path: path, items: items, earlierVersions: earlierVersions, size: bytes.count)
  }
}
