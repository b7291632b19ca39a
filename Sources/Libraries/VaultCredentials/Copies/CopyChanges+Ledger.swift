import VaultStorage

extension CopyChanges {
  /// Writes the marks into the ledger.
  func write(to ledger: CopyLedger, in connection: SQLiteConnection) throws {
    for (name, hash) in settled {
      try ledger.add([hash], to: name, mark: nil, in: connection)
    }
    let mark = CopyLedger.newMark()
    for (name, hashes) in marked {
      try ledger.add(hashes, to: name, mark: mark, in: connection)
    }
    if retriesUnpublishable { try ledger.retryUnpublishable(in: connection) }
  }
}
