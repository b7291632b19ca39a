/// What is to be done in the keyring under one name.
///
/// Work goes by names and not by marks: an item that was removed and set again has one copy, whichever of its
/// marks is looked at first.
struct CopyWork {
  /// Tells work from later work under the same name.
  struct Identity: Hashable {
    var name: String
    var item: [UInt8]?
    var version: UInt64?
    var withdrawals: Int
  }

  let name: String
  /// The item whose copy is wanted; `nil` where nothing of ours is to stay.
  var record: ItemRecord?
  /// What the index remembers of copies under this name that are to go.
  var withdrawals: [VaultIndex.Withdrawal] = []

  var identity: Identity {
    Identity(
      name: name, item: record?.id, version: record?.version, withdrawals: withdrawals.count)
  }

  /// Keyed hashes of what was published under this name.
  var known: Set<[UInt8]> {
    Set(([record?.copyHash].compactMap { $0 } + withdrawals.map(\.copyHash)).filter(\.isSomeHash))
  }

  /// Whether the keyring held a copy at some time, as far as is known.
  var wasPublished: Bool { !known.isEmpty }
}

extension [UInt8] {
  /// Whether this keyed hash stands for anything: zeros stand for "not published yet".
  var isSomeHash: Bool { contains { $0 != 0 } }
}

extension VaultIndex {
  /// What is marked to be done in the keyring, by name.
  func copyWork() -> [String: CopyWork] {
    guard hasCopyWork else { return [:] }
    var work: [String: CopyWork] = [:]
    for withdrawal in withdrawals {
      work[withdrawal.name, default: CopyWork(name: withdrawal.name)].withdrawals.append(withdrawal)
    }
    for record in items where record.trashed == 0 && record.copy != .none {
      guard record.copy == .pending || work[record.name] != nil else { continue }
      work[record.name, default: CopyWork(name: record.name)].record = record
    }
    return work
  }

  /// The names under which this index marks more to be done than `before` did.
  func namesOfCopyWork(since before: VaultIndex) -> Set<String> {
    guard hasCopyWork else { return [] }
    let old = before.copyWork()
    return Set(
      copyWork().values.filter { $0.identity != old[$0.name]?.identity }.map(\.name))
  }
}
