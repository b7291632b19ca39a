import VaultSealing

extension UnlockedVault {
  /// Copies of what a generation never held: the lost one published them.
  func newerCopies(
    _ snapshot: VaultSnapshot, _ copies: [String: SecretBytes]
  ) -> [String: SecretBytes] {
    let index = snapshot.index
    let marked = (try? ledger().entries(onlyMarked: true)) ?? [:]
    let pass = CopyPass(
      snapshot: snapshot, publisher: self.publisher(for: index), isOverwriting: false)
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
