import VaultSealing

/// One look into the vault, and what it says about copies.
struct CopyPass {
  /// Work that the keyring has answered.
  struct Done {
    var work: CopyWork
    var outcome: CopyPublisher.Outcome.Kind
  }

  let snapshot: VaultSnapshot
  let publisher: CopyPublisher
  let isOverwriting: Bool

  /// Does what is to be done under one name.
  func run(_ work: CopyWork) throws -> CopyPublisher.Outcome {
    guard let record = work.record else {
      return try publisher.withdraw(work.name, known: work.known)
    }
    return try publisher.publish(
      CopyPublisher.Wanted(
        name: work.name, secret: try snapshot.contents(of: record).main,
        known: work.known, wasHeld: { wasHeld($0, by: record) }, isOverwriting: isOverwriting))
  }

  /// Whether an earlier version of the item had this keyed hash.
  func wasHeld(_ hash: [UInt8], by record: ItemRecord) -> Bool {
    let history = HistoryReader(snapshot.vault.history)
    return record.earlier.contains { earlier in
      let contents = try? snapshot.vault.contents(
        of: record, earlier: earlier, index: snapshot.index, history)
      return contents.flatMap { try? snapshot.index.copyHash(of: $0.main) } == hash
    }
  }
}
