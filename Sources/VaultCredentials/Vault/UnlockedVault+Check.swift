import VaultSealing
import VaultStorage

extension UnlockedVault {
  /// Verifies every seal of the vault and of its earlier versions, and what surrounds them.
  ///
  /// Nothing is changed.
  ///
  /// - Returns: What was found; names appear nowhere.
  /// - Throws: ``CredentialError`` if the file cannot be read at all.
  public func check() async throws -> CheckReport {
    try await waiting { try $0.check() }
  }
}

extension UnlockedVault.Blocking {
  /// ``UnlockedVault/check()``, on the calling thread.
  public func check() throws -> CheckReport {
    let snapshot = try vault.snapshot()
    let (sealed, index) = (snapshot.file, snapshot.index)
    var report = CheckReport()
    for notice in takeNotices() {
      switch notice.code {
      case .rolledBack, .forked, .otherVault:
        report.findings.append(
          CheckFinding(
            .damage, notice.code.rawValue, notice.message, hint: notice.hint,
            remedies: notice.remedies))
      default:
        report.findings.append(
          CheckFinding(
            .warning, notice.code.rawValue, notice.message, hint: notice.hint,
            remedies: notice.remedies))
      }
    }
    checkStore(&report)
    checkItems(sealed, index, &report)
    checkSlots(sealed.header, &report)
    checkSession(&report)
    checkKeyring(sealed.header, index, &report)
    report.findings += try Self.checkMemory()
    report.findings.sort { Self.rank($0.severity) < Self.rank($1.severity) }
    return report
  }

  private func checkItems(_ sealed: VaultFile, _ index: VaultIndex, _ report: inout CheckReport) {
    var damaged = 0
    var damagedEarlier = 0
    for (done, record) in index.items.enumerated() {
      vault.locked.options.tell(.verifying, done, of: index.items.count)
      if record.trashed == 0 {
        report.items += 1
        if (try? sealed.contents(of: record, keys: vault.keys)) == nil { damaged += 1 }
      }
      for earlier in record.earlier where report.isComplete {
        do {
          _ = try vault.contents(of: record, earlier: earlier, index: index)
        } catch  where Self.isOutOfReach(error) {
          report.findings.append(Self.unchecked(error))
          continue
        } catch {
          damagedEarlier += 1
        }
        report.earlierVersions += 1
      }
    }
    if damaged > 0 {
      report.findings.append(
        CheckFinding(
          .damage, "item-damaged", "\(damaged) of \(report.items) items cannot be read",
          remedies: [.salvage]))
    }
    if damagedEarlier > 0 {
      report.findings.append(
        CheckFinding(
          .damage, "version-damaged",
          "\(damagedEarlier) of \(report.earlierVersions) earlier versions are missing or changed",
          hint: "the current secrets are not affected"))
    }
  }

  private func checkStore(_ report: inout CheckReport) {
    do {
      let problems = try HistoryStore(
        location: vault.locked.folder.location, vaultID: vault.vaultID
      ).check()
      for problem in problems {
        report.findings.append(
          CheckFinding(.damage, "store-damaged", "store.sqlite: \(problem)"))
      }
    } catch  where Self.isOutOfReach(error) {
      report.findings.append(Self.unchecked(error))
    } catch {
      report.findings.append(
        CheckFinding(
          .damage, "store-unreadable", "store.sqlite cannot be read: \(Self.message(of: error))"))
    }
  }

  /// The disk, the system or another process is in the way: what is in the store may be whole.
  private static func isOutOfReach(_ error: any Error) -> Bool {
    guard let code = (error as? CredentialError)?.code else { return false }
    return [.inputOutput, .busy, .cannotCreate, .permissionDenied].contains(code)
  }

  private static func unchecked(_ error: any Error) -> CheckFinding {
    CheckFinding(
      .warning, CheckFinding.storeUnchecked,
      "earlier versions were not checked: store.sqlite cannot be read: \(message(of: error))",
      hint: (error as? CredentialError)?.hint, remedies: (error as? CredentialError)?.remedies ?? []
    )
  }

  private static func message(of error: any Error) -> String {
    (error as? CredentialError)?.message ?? "\(error)"
  }

  private func checkSlots(_ header: VaultHeader, _ report: inout CheckReport) {
    for slot in header.slots where KeySlot.Kind(type: slot.type) == .passphrase {
      if !slot.cost.isAboveFloor || !slot.cost.isBelowCap {
        report.findings.append(
          CheckFinding(
            .damage, "weak-slot", "the cost of a passphrase slot is not accepted",
            remedies: [.upgradeKeys]))
      }
    }
    if header.slots.count == 1 {
      report.findings.append(
        CheckFinding(
          .warning, "single-slot", VaultNotice.singleSlotWords,
          remedies: [.addRecoveryCode]))
    }
  }

  private static func checkMemory() throws -> [CheckFinding] {
    var findings: [CheckFinding] = []
    let protection = try LockedMemory.protection()
    if !protection.isLocked {
      findings.append(
        CheckFinding(
          .warning, "memory-not-locked", "memory that holds secrets may be swapped out here",
          hint: "raise RLIMIT_MEMLOCK: ulimit -l"))
    } else if !protection.areLongBlocksLocked {
      findings.append(
        CheckFinding(
          .warning, "memory-not-locked",
          "memory that holds long secrets, from 8 KiB on, may be swapped out here",
          hint: "raise RLIMIT_MEMLOCK: ulimit -l"))
    }
    findings.append(
      CheckFinding(
        .information, "memory",
        protection.isSecretMemory
          ? "secrets are in memory that no other process can read (memfd_secret)"
          : "secrets are in locked memory (memfd_secret is not available here)"))
    return findings
  }

  private static func rank(_ severity: CheckFinding.Severity) -> Int {
    switch severity {
    case .damage: 0
    case .warning: 1
    case .information: 2
    }
  }
}
