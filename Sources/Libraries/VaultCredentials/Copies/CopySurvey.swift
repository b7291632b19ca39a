/// The items in the keyring under the vault's service, compared with the vault.
struct CopySurvey {
  enum State {
    /// One copy, and it holds what the vault holds.
    case current
    /// Marked in the ledger.
    case pending
    /// Marked as done, and it is not: another secret of the vault's own, or several copies.
    case different
    case changedByOthers
    case missing
    /// A copy of an item that the vault does not publish.
    case leftover
    /// Nothing of ours, and nothing wanted.
    case nothing
  }

  let vault: UnlockedVault
  let index: VaultIndex
  let found: [String: [FoundCopy]]
  /// Live items that have a copy, or are to have one.
  let records: [String: ItemRecord]
  private let entries: [String: CopyLedger.Entry]
  private let work: [String: CopyWork]
  private let wanted: [String: [UInt8]]
  private let pass: CopyPass
  /// Names of items whose secrets the keyring cannot keep.
  ///
  /// What it holds under such a name is no other program's doing, and is never offered as such.
  private let unkept: Set<String>
  /// Whether the keyring has no password.
  private let isInClear: Bool

  init(_ vault: UnlockedVault) throws {
    self.vault = vault
    let snapshot = try vault.snapshot()
    let index = snapshot.index
    self.index = index
    let publisher = vault.publisher(for: index)
    do {
      found = try publisher.all()
    } catch let error as KeyringError {
      throw CredentialError(error)
    }
    let entries = try vault.ledger().entries(with: index)
    self.entries = entries
    records = index.publishedRecords().filter {
      entries[$0.key]?.mark != CopyLedger.unpublishable
    }
    work = CopyLedger.work(for: index, entries)
    wanted = records.compactMapValues { record in
      // A damaged item is another matter: its copy may be what restores it.
      (try? snapshot.contents(of: record)).flatMap { try? index.copyHash(of: $0.main) }
    }
    pass = CopyPass(snapshot: snapshot, publisher: publisher, isOverwriting: false)
    unkept = Set(
      records.values.filter { record in
        (try? snapshot.contents(of: record)).map { !publisher.isKept($0.main) } ?? false
      }.map(\.name))
    isInClear =
      !unkept.isEmpty && vault.locked.keyring.probe(openingSession: false).protection == .inClear
  }

  /// Every name that the vault publishes, marks, or that is in the keyring under its service.
  var names: [String] { Set(found.keys).union(records.keys).union(work.keys).sorted() }

  /// The names on which ledger and vault disagree although nothing is marked.
  ///
  /// They are items without a row, and rows of names that have neither an item nor a copy. An older
  /// `store.sqlite` that was put back leaves both.
  var unnotedNames: [String] {
    let withoutRow = records.keys.filter { entries[$0] == nil }
    let withoutItem = entries.values.filter {
      $0.mark == CopyLedger.settled && records[$0.name] == nil && found[$0.name] == nil
    }
    return withoutRow + withoutItem.map(\.name)
  }

  func finding(_ name: String) -> (state: State, hasForeign: Bool) {
    let there = found[name] ?? []
    guard let record = records[name] else {
      let known = work[name]?.known ?? []
      let ours = there.filter { $0.carriesOurs || known.contains($0.hash) }
      let state: State = work[name] != nil ? .pending : ours.isEmpty ? .nothing : .leftover
      return (state, ours.count < there.count)
    }
    if unkept.contains(name) {
      // Published by an earlier version, or before the keyring lost its password.
      return (.different, there.contains { !$0.carriesOurs })
    }
    let standing = standing(name, record)
    let hasForeign = !standing.foreign.isEmpty
    if work[name] != nil {
      return (standing.changed.isEmpty ? .pending : .changedByOthers, hasForeign)
    }
    let published = entries[name]?.hashes.last
    guard wanted[name] == nil || wanted[name] == published else {
      return (.different, hasForeign)
    }
    if !standing.changed.isEmpty { return (.changedByOthers, hasForeign) }
    guard let kept = standing.ours.first else { return (.missing, hasForeign) }
    let isOne = standing.ours.count == 1 && kept.hash == published
    return (isOne ? .current : .different, hasForeign)
  }

  /// Whether the keyring has a copy of ours under this name that it cannot keep, since it has lost its
  /// password.
  func isBreaking(_ name: String) -> Bool {
    unkept.contains(name) && isInClear && (found[name] ?? []).contains { $0.carriesOurs }
  }

  /// The newest item that another program put beside a copy or in its place.
  func newestOfOthers(_ name: String) -> FoundCopy? {
    guard let record = records[name], !unkept.contains(name) else { return nil }
    let standing = standing(name, record)
    return (standing.changed + standing.foreign).max { $0.modified < $1.modified }
  }

  /// Whether an item of this name, also one in the trash, ever held what has this keyed hash.
  func wasHeld(_ hash: [UInt8], under name: String) -> Bool {
    index.items.contains { record in
      guard record.name == name else { return false }
      if record.trashed == 0,
        let contents = try? pass.snapshot.contents(of: record),
        (try? index.copyHash(of: contents.main)) == hash
      {
        return true
      }
      return pass.wasHeld(hash, by: record)
    }
  }

  private func standing(_ name: String, _ record: ItemRecord) -> CopyStanding {
    var known = work[name]?.known ?? []
    known.formUnion(entries[name]?.hashes ?? [])
    return CopyStanding(
      found[name] ?? [], wanted: wanted[name] ?? entries[name]?.hashes.last ?? [], known: known,
      wasHeld: { work[name] != nil && pass.wasHeld($0, by: record) })
  }
}
