import VaultSealing
import VaultStorage

extension UnlockedVault {
  /// Publishes and withdraws what is marked: what this command marked, and a few that others left.
  ///
  /// Takes no longer than the keyring's time limit, however much there is to be done.
  ///
  /// - Parameters:
  ///   - own: Names that this command marked; they come first.
  ///   - snapshot: The file as it was read or written last.
  ///   - names: Names that the caller reports itself.
  /// - Returns: Why something had to be left undone; `nil` if nothing had.
  /// - Throws: ``CredentialError``: what reading and writing throw.
  @discardableResult
  func synchronizeCopies(
    own: Set<String> = [], from snapshot: VaultSnapshot? = nil,
    withoutTelling names: Set<String> = []
  ) throws -> String? {
    let current = try latest(snapshot)
    // Those harm every program at the next login: they come before what others left.
    let breaking = try markBreakingCopies(in: current)
    let own = own.union(breaking)
    let work = try ledger().work(for: current.index)
    guard !work.isEmpty else { return nil }
    guard locked.options.usesKeyring else {
      return noteWaiting(Array(work.values), withoutTelling: names, "the keyring is switched off")
    }
    let budget = CopyBudget.portion(within: locked.options.keyringTimeout)
    let result: CopiesLeft?
    do {
      result = try withCopiesLocked(within: locked.options.keyringTimeout) {
        try reconcile(own: own, from: current, budget)
      }
    } catch let error as CopiesUnlockable {
      return noteWaiting(Array(work.values), withoutTelling: names, error.cause.message)
    }
    guard let result else {
      return noteWaiting(
        Array(work.values), withoutTelling: names, "another command is bringing them up to date")
    }
    return noteWaiting(result.left, withoutTelling: names, result.reason)
  }

  /// Runs `body` while no other command changes copies.
  ///
  /// The lock is a file beside the vault's own, and is taken before that one and never while that
  /// one is held: two commands cannot wait for each other. It goes with its holder, however that
  /// ends; what the holder had not done is still marked in the ledger.
  ///
  /// - Parameters:
  ///   - limit: How long to wait.
  ///   - body: What is to be done.
  /// - Returns: What `body` returns; `nil` if another command holds the lock for longer.
  /// - Throws: ``CopiesUnlockable``, or what `body` throws.
  func withCopiesLocked<Result>(
    within limit: Duration, _ body: () throws -> Result
  ) throws -> Result? {
    let lock: FileLock
    do {
      lock = try locked.folder.copiesLock(timeout: limit)
    } catch let error as CredentialError {
      guard error.code == .busy else { throw CopiesUnlockable(cause: error) }
      return nil
    }
    defer { withExtendedLifetime(lock) {} }
    return try body()
  }

  /// The lock could not even be tried: what was stored is stored all the same.
  struct CopiesUnlockable: Error {
    let cause: CredentialError
  }

  /// The work that was left undone, and the reason.
  struct CopiesLeft {
    var left: [CopyWork] = []
    var reason: String?
  }

  /// Brings the keyring to what the vault wants, the names of `own` first; the caller holds the
  /// lock for it.
  ///
  /// File and ledger are looked at again until nothing is left: what others marked while this ran,
  /// and gave up waiting for, is done too. Each portion is noted before the next one is begun.
  func reconcile(
    own: Set<String>, from snapshot: VaultSnapshot? = nil, _ budget: CopyBudget,
    overwriting isOverwriting: Bool = false
  ) throws -> CopiesLeft {
    var current = try latest(snapshot)
    if current.index.carriesCopies {
      // An older version wrote the file: what it noted of copies goes into the ledger, once.
      try commit { _ in }
      current = try self.snapshot()
    }
    let ledger = try ledger()
    var budget = budget
    var tried: Set<CopyWork.Identity> = []
    var notices = CopyNotices()
    var result = CopiesLeft()
    defer { note(notices.all) }
    func place(_ work: CopyWork) -> Int { own.contains(work.name) ? 0 : 1 }
    while true {
      let found: [String: CopyWork]
      do {
        (current, found) = try settledWork(after: current, ledger)
      } catch let error as CredentialError where error.code == .busy {
        // What this command stored is stored; its marks wait for a later one.
        result.reason = result.reason ?? error.message
        return result
      }
      let work = found.values.filter { !tried.contains($0.identity) }
        .sorted { (place($0), $0.name) < (place($1), $1.name) }
      guard !work.isEmpty else { return result }
      let pass = CopyPass(
        snapshot: current, publisher: publisher(for: current.index), isOverwriting: isOverwriting)
      var done: [CopyPass.Done] = []
      var hasEnded = false
      for (position, item) in work.prefix(Self.portion).enumerated() {
        guard budget.takes(own: own.contains(item.name)) else {
          result.reason = result.reason ?? "there was no time for more"
          hasEnded = true
          break
        }
        locked.options.tell(.publishing, tried.count, of: tried.count + work.count - position)
        tried.insert(item.identity)
        do {
          let outcome = try KeyringPatience.$end.withValue(budget.end) { try pass.run(item) }
          notices.add(outcome, name: item.name)
          done.append(CopyPass.Done(work: item, outcome: outcome.kind))
        } catch let error as KeyringError {
          result.left.append(item)
          let isLate = budget.end?.hasPassed == true
          result.reason = isLate ? "there was no time for more" : error.message
          guard !error.concernsOneItem else { continue }
          hasEnded = true
          break
        } catch let error as CredentialError where error.code == .damaged {
          // No reason to leave the copies of others; 'check' tells of it.
          result.left.append(item)
          result.reason = error.message
        }
      }
      try ledger.settle(done)
      guard !hasEnded else {
        result.left += work.filter { !tried.contains($0.identity) }
        return result
      }
    }
  }

  /// The vault as it is between two writers, and what is to be done in the keyring then.
  ///
  /// A writer marks names before it writes the file. Without its lock we could see the mark of a
  /// change and the secret from before it, publish that one, and clear the mark.
  private func settledWork(
    after snapshot: VaultSnapshot, _ ledger: CopyLedger
  ) throws -> (VaultSnapshot, [String: CopyWork]) {
    try locked.folder.locked(timeout: locked.options.lockTimeout) { _ in
      let current = try latest(snapshot)
      return (current, try ledger.work(for: current.index))
    }
  }

  /// The number of copies to make before they are noted in the ledger.
  private static let portion = 64

  func publisher(for index: VaultIndex) -> CopyPublisher {
    let keyring = KeyringLook(of: locked.keyring)
    return CopyPublisher(
      keyring: locked.keyring, service: copyService, hash: { try index.copyHash(of: $0) },
      isKept: { keyring.keeps($0) })
  }

  var copyService: String { locked.copyService(vaultID: vaultID) ?? "vault" }
}

extension KeyringError {
  /// A Boolean value that says whether other copies may still succeed.
  fileprivate var concernsOneItem: Bool {
    switch state {
    case .itemLocked, .itemMissing, .refused, .invalidRequest: true
    default: false
    }
  }
}

extension LockedVault {
  /// The attribute `service` of copies: attributes carry no home, so only the default vault in its
  /// default place is plain `vault`; a throwaway vault must not overwrite the real one's items.
  ///
  /// - Returns: `nil` where it takes the id of a vault, and that is not known.
  func copyService(vaultID: [UInt8]?) -> String? {
    let isDefault = folder.name == nil && (try? StoreLocation()) == folder.location
    return isDefault ? "vault" : vaultID.map { "vault:" + Hexadecimal.text(Array($0.prefix(4))) }
  }
}
