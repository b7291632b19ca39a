import Synchronization
import VaultSealing
import VaultStorage

/// Verifies a vault: every seal, the store beside it, its key slots, and what surrounds it.
struct VaultCheck {
  let vault: UnlockedVault
  private var report = CheckReport()

  init(_ vault: UnlockedVault) { self.vault = vault }

  /// Examines everything.
  ///
  /// - Returns: What was found, the worst first.
  /// - Throws: ``CredentialError`` if the file cannot be read at all.
  mutating func run() throws -> CheckReport {
    let snapshot = try vault.snapshot()
    let (sealed, index) = (snapshot.file, snapshot.index)
    // The look at the copies names them.
    vault.hasSoughtBreakingCopies.store(true, ordering: .relaxed)
    for notice in vault.blocking.takeNotices() {
      let severity: CheckFinding.Severity =
        [.rolledBack, .forked, .otherVault].contains(notice.code) ? .damage : .warning
      add(severity, notice.code.rawValue, notice.message, hint: notice.hint, notice.remedies)
    }
    checkStore()
    checkItems(sealed, index)
    checkSlots(sealed.header, hasCopies: snapshot.hasCopies)
    checkSession()
    checkKeyring(sealed.header, index)
    try checkMemory()
    report.findings.sort { Self.rank($0.severity) < Self.rank($1.severity) }
    return report
  }

  private mutating func add(
    _ severity: CheckFinding.Severity, _ code: String, _ message: String, hint: String? = nil,
    _ remedies: [Remedy] = []
  ) {
    report.findings.append(
      CheckFinding(severity, code, message, hint: hint, remedies: remedies))
  }

  private mutating func checkItems(_ sealed: VaultFile, _ index: VaultIndex) {
    var damaged = 0
    var damagedEarlier = 0
    let history = HistoryReader(vault.history)
    for (done, record) in index.items.enumerated() {
      vault.locked.options.tell(.verifying, done, of: index.items.count)
      if record.trashed == 0 {
        report.items += 1
        if (try? sealed.contents(of: record, keys: vault.keys)) == nil { damaged += 1 }
      }
      for earlier in record.earlier where report.isComplete {
        do {
          _ = try vault.contents(of: record, earlier: earlier, index: index, history)
        } catch  where Self.isOutOfReach(error) {
          addUnchecked(error)
          continue
        } catch let error as CredentialError where error.code == .versionNotFound {
          continue
        } catch {
          damagedEarlier += 1
        }
        report.earlierVersions += 1
      }
    }
    if damaged > 0 {
      add(
        .damage, "item-damaged", "\(damaged) of \(Plural.of(report.items, "item")) cannot be read",
        [.salvage])
    }
    if damagedEarlier > 0 {
      add(
        .damage, "version-damaged",
        "\(damagedEarlier) of \(Plural.of(report.earlierVersions, "earlier version")) "
          + "\(damagedEarlier == 1 ? "is" : "are") missing or changed",
        hint: "the current secrets are not affected")
    }
  }

  private mutating func checkStore() {
    do {
      for problem in try vault.history.check() {
        add(.damage, "store-damaged", "store.sqlite: \(problem)", [.recoverStore])
      }
    } catch  where Self.isOutOfReach(error) {
      addUnchecked(error)
    } catch {
      add(
        .damage, "store-unreadable", "store.sqlite cannot be read: \(Self.message(of: error))",
        [.recoverStore])
    }
  }

  /// The disk, the system or another process is in the way: what is in the store may be whole.
  private static func isOutOfReach(_ error: any Error) -> Bool {
    guard let code = (error as? CredentialError)?.code else { return false }
    return [.inputOutput, .busy, .cannotCreate, .permissionDenied].contains(code)
  }

  private mutating func addUnchecked(_ error: any Error) {
    let known = error as? CredentialError
    add(
      .warning, CheckFinding.storeUnchecked,
      "earlier versions were not checked: store.sqlite cannot be read: \(Self.message(of: error))",
      hint: known?.hint, known?.remedies ?? [])
  }

  private static func message(of error: any Error) -> String {
    (error as? CredentialError)?.message ?? "\(error)"
  }

  private mutating func checkSlots(_ header: VaultHeader, hasCopies: Bool) {
    for slot in header.slots where KeySlot.Kind(type: slot.type) == .passphrase {
      if !slot.cost.isAboveFloor || !slot.cost.isBelowCap {
        add(
          .damage, "weak-slot", "the cost of a passphrase slot is not accepted", [.upgradeKeys])
      }
    }
    let kinds = header.slots.map { KeySlot.Kind(type: $0.type) }
    let clear = ClearKeyring(opensVault: kinds.contains(.keyring), hasCopies: hasCopies)
    if let clear, vault.locked.options.usesKeyring,
      vault.locked.keyring.probe(openingSession: false).protection == .inClear
    {
      add(.warning, ClearKeyring.code, clear.message, hint: clear.hint, clear.remedies)
    }
    if header.slots.count == 1 {
      add(.warning, "single-slot", VaultNotice.singleSlotWords, [.addRecoveryCode])
    }
  }

  private mutating func checkMemory() throws {
    let protection = try LockedMemory.protection()
    let hint = "raise RLIMIT_MEMLOCK: ulimit -l"
    guard protection.isLocked else {
      return add(
        .warning, "memory-not-locked", "memory that holds secrets may be swapped out here",
        hint: hint)
    }
    if !protection.areLongBlocksLocked {
      add(
        .warning, "memory-not-locked",
        "memory that holds long secrets, from 8 KiB on, may be swapped out here", hint: hint)
    }
    add(
      .information, "memory",
      protection.isSecretMemory
        ? "secrets are in memory that no other process can read (memfd_secret)"
        : "secrets are in locked memory (memfd_secret is not available here)")
  }

  private static func rank(_ severity: CheckFinding.Severity) -> Int {
    switch severity {
    case .damage: 0
    case .warning: 1
    case .information: 2
    }
  }

  // MARK: - The session in the kernel, and the desktop keyring

  private mutating func checkSession() {
    guard case .unavailable(let reason)? = try? vault.locked.blocking.session() else { return }
    add(
      .information, VaultNotice.Code.noSession.rawValue, "the vault does not stay open: \(reason)",
      hint: "a key file opens it fastest", [.addKeyFile])
  }

  private mutating func checkKeyring(_ header: VaultHeader, _ index: VaultIndex) {
    guard vault.locked.options.usesKeyring else { return }
    let status = vault.locked.blocking.keyringStatus()
    let needsKeyring = header.slots.allSatisfy { KeySlot.Kind(type: $0.type) == .keyring }
    if let message = status.message {
      let hasCopies =
        index.items.contains { $0.trashed == 0 && $0.copy != .none }
        || ((try? vault.ledger().count()) ?? 0) > 0
      // Where something else unlocks the vault and no copies are kept, nothing has to be done.
      let matters = needsKeyring || hasCopies
      add(
        hasCopies ? .warning : .information, "keyring-\(status.state)", message,
        hint: matters ? status.hint : nil, matters ? status.remedies : [])
    } else if status.isEncrypted == false {
      add(
        .warning, VaultNotice.Code.plainKeyringSession.rawValue,
        "the keyring offers no encrypted connection: secrets cross the session bus in plain text",
        [.stopPublishing])
    }
    guard status.message == nil, let copies = try? vault.blocking.copies() else {
      return checkMarks(index)
    }
    if !copies.breaking.isEmpty {
      let notice = VaultNotice.copiesBreaking(copies.breaking)
      add(.warning, notice.code.rawValue, notice.message, hint: notice.hint, notice.remedies)
    }
    addCount(
      copies.pending - copies.breaking.count, .copiesPending,
      one: "copy in the keyring is still to be brought up to date",
      more: "copies in the keyring are still to be brought up to date",
      [.synchronizeCopies])
    addCount(
      copies.changedByOthers.count, .copyChanged,

      one: "copy in the keyring was changed by another program",
      more: "copies in the keyring were changed by another program", [.takeCopies])
    addCount(
      copies.missing.count, "copy-missing",
      one: "copy is gone from the keyring",
      more: "copies are gone from the keyring", [.overwriteCopies])
    addCount(
      copies.foreign.count, .copyForeign,

      one: "item in the keyring has the name of a copy and is another program's",
      more: "items in the keyring have the name of a copy and are another program's",
      [.listKeyringEntries, .adoptKeyringEntry])
    addCount(
      copies.leftovers.count, "copy-left",

      one: "copy in the keyring is of an item that the vault does not publish",
      more: "copies in the keyring are of items that the vault does not publish",
      [.adoptKeyringEntry, .overwriteCopies])
  }

  private mutating func addCount(
    _ count: Int, _ code: VaultNotice.Code, one: String, more: String,
    _ remedies: [Remedy]
  ) {
    addCount(count, code.rawValue, one: one, more: more, remedies)
  }

  private mutating func addCount(
    _ count: Int, _ code: String, one: String, more: String, _ remedies: [Remedy]
  ) {
    if count > 0 { add(.warning, code, Plural.of(count, one, more), remedies) }
  }

  /// What the ledger says where the keyring cannot be asked.
  private mutating func checkMarks(_ index: VaultIndex) {
    addCount(
      (try? vault.ledger().work(for: index).count) ?? 0, .copiesPending,

      one: "copy in the keyring is still to be brought up to date",
      more: "copies in the keyring are still to be brought up to date", [.synchronizeCopies])
  }
}
