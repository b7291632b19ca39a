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

/// How much of the keyring's time a command takes for copies.
struct CopyBudget {
  /// How many copies that an earlier command left a command does, beside its own.
  private static let backlog = 16

  /// When everything has to be done; `nil` where it is done to the end.
  let end: Deadline?
  private let backlogEnd: Deadline
  private var backlogLeft: Int

  /// What a command takes that has other things to do: its own copies within `limit`, and a few that were left.
  static func portion(within limit: Duration) -> CopyBudget {
    CopyBudget(
      end: .after(limit), backlogEnd: .after(min(.seconds(1), limit / 5)), backlogLeft: backlog)
  }

  /// What a command takes that is there for the copies alone.
  static var everything: CopyBudget {
    CopyBudget(end: nil, backlogEnd: .after(.zero), backlogLeft: .max)
  }

  private init(end: Deadline?, backlogEnd: Deadline, backlogLeft: Int) {
    self.end = end
    self.backlogEnd = backlogEnd
    self.backlogLeft = backlogLeft
  }

  /// Whether one more copy may be begun, which is counted.
  mutating func takes(own isOwn: Bool) -> Bool {
    guard let end else { return true }
    guard !end.hasPassed else { return false }
    if isOwn { return true }
    guard backlogLeft > 0, !backlogEnd.hasPassed else { return false }
    backlogLeft -= 1
    return true
  }
}
