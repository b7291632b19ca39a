/// The work to do in the keyring under one name.
///
/// Work goes by names: an item that was removed and set again has one copy.
struct CopyWork {
  /// Tells work from later work under the same name.
  struct Identity: Hashable {
    var name: String
    var item: Bytes16?
    var version: UInt64?
    var mark: Int64
  }

  let name: String
  /// The item whose copy is wanted; `nil` if nothing of ours is to stay.
  var record: ItemRecord?
  /// Keyed hashes of what was published under this name.
  var known: Set<[UInt8]> = []
  /// The mark of the ledger that this work answers.
  var mark: Int64

  var identity: Identity {
    Identity(name: name, item: record?.id, version: record?.version, mark: mark)
  }

  /// Whether the keyring held a copy at some time, as far as is known.
  var wasPublished: Bool { !known.isEmpty }
}

extension [UInt8] {
  /// Whether this keyed hash stands for anything: zeros stand for "not published yet".
  var isSomeHash: Bool { contains { $0 != 0 } }
}

extension VaultIndex {
  /// The live items that are to have a copy, by name.
  func publishedRecords() -> [String: ItemRecord] {
    Dictionary(
      items.lazy.filter { $0.trashed == 0 && $0.copy != .none }.map { ($0.name, $0) },
      uniquingKeysWith: { $1 })
  }
}

extension CopyLedger {
  /// The entries of all names, with what an older version noted in the index.
  func entries(with index: VaultIndex) throws -> [String: Entry] {
    var entries = try entries()
    var changes = CopyChanges()
    changes.takeOver(index)
    func add(_ name: String, _ hashes: [[UInt8]], _ mark: Int64?) {
      var entry = entries[name] ?? Entry(name: name, mark: Self.settled)
      entry.hashes += hashes.filter(\.isSomeHash)
      if let mark { entry.mark = mark }
      entries[name] = entry
    }
    for (name, hash) in changes.settled { add(name, [hash], nil) }
    for (name, hashes) in changes.marked { add(name, hashes, Self.newMark()) }
    return entries
  }

  /// What is to be done in the keyring, by name: what is marked, and items that the ledger does not
  /// know.
  func work(for index: VaultIndex) throws -> [String: CopyWork] {
    if index.carriesCopies { return Self.work(for: index, try entries(with: index)) }
    let marked = try entries(onlyMarked: true)
    let records = index.publishedRecords()
    let leaving = marked.keys.count { records[$0] == nil }
    // Opening every row costs time: only if some item has none.
    guard try count() - leaving < records.count else {
      return Self.work(for: index, marked, isWhole: false)
    }
    return Self.work(for: index, try entries())
  }

  static func work(
    for index: VaultIndex, _ entries: [String: Entry], isWhole: Bool = true
  ) -> [String: CopyWork] {
    let records = index.publishedRecords()
    var work: [String: CopyWork] = [:]
    for entry in entries.values where entry.isMarked {
      work[entry.name] = CopyWork(
        name: entry.name, record: records[entry.name], known: Set(entry.hashes), mark: entry.mark)
    }
    guard isWhole else { return work }
    for (name, record) in records where entries[name] == nil {
      work[name] = CopyWork(name: name, record: record, mark: settled)
    }
    return work
  }
}
