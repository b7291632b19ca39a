public import VaultSealing

/// Keys for what lies outside the vault file, such as protected preferences; kept in its sealed
/// index.
extension UnlockedVault.Blocking: DataKeyProvider {
  /// The newest key for a purpose; the first call for one makes it, durably, before anything is
  /// sealed.
  public func currentDataKey(for purpose: String) throws -> (id: [UInt8], key: SecretBytes) {
    func newest(_ index: VaultIndex) -> VaultIndex.DataKey? {
      index.dataKeys.last { $0.purpose == purpose && !$0.isRetired }
    }
    if let key = newest(try vault.snapshot(only: .noItems).index) { return (key.id, key.key) }
    return try vault.commit { edit in
      // Another process may have made one meanwhile.
      if newest(edit.index) == nil {
        try edit.index.addDataKey(purpose: purpose, now: edit.now)
      }
      guard let key = newest(edit.index) else {
        throw VaultHeader.damaged("its key for \(purpose) is missing")
      }
      return (key.id, key.key)
    }
  }

  /// The key with this id, also a retired one.
  public func dataKey(id: [UInt8]) throws -> SecretBytes {
    try vault.snapshot(only: .noItems).index.dataKey(id: id)
  }
}
