/// What a check says of what surrounds the vault: the session in the kernel, and the desktop
/// keyring.
extension UnlockedVault.Blocking {
  func checkSession(_ report: inout CheckReport) {
    guard case .unavailable(let reason)? = try? vault.locked.blocking.session() else { return }
    report.findings.append(
      CheckFinding(
        .information, VaultNotice.Code.noSession.rawValue,
        "the vault does not stay open: \(reason)",
        hint: "a key file opens it fastest", remedies: [.addKeyFile]))
  }

  func checkKeyring(
    _ header: VaultHeader, _ index: VaultIndex, _ report: inout CheckReport
  ) {
    guard vault.locked.options.usesKeyring else { return }
    let status = vault.locked.blocking.keyringStatus()
    let needsKeyring = header.slots.allSatisfy { KeySlot.Kind(type: $0.type) == .keyring }
    if let message = status.message {
      let hasCopies =
        index.items.contains { $0.copy != .none } || ((try? vault.ledger().count()) ?? 0) > 0
      report.findings.append(
        CheckFinding(
          hasCopies ? .warning : .information, "keyring-\(status.state)", message,
          // Where something else unlocks the vault and no copies are kept, nothing has to be done.
          hint: needsKeyring || hasCopies ? status.hint : nil,
          remedies: needsKeyring || hasCopies ? status.remedies : []))
    } else if status.isEncrypted == false {
      report.findings.append(
        CheckFinding(
          .warning, VaultNotice.Code.plainKeyringSession.rawValue,
          "the keyring offers no encrypted connection: secrets cross the session bus in plain text",
          remedies: [.stopPublishing]))
    }
    guard status.message == nil, let copies = try? copies() else {
      return checkMarks(index, &report)
    }
    func find(_ count: Int, _ code: String, _ what: String, remedies: [Remedy]) {
      guard count > 0 else { return }
      report.findings.append(CheckFinding(.warning, code, "\(count) \(what)", remedies: remedies))
    }
    find(
      copies.pending, VaultNotice.Code.copiesPending.rawValue,
      "copies in the keyring are still to be brought up to date", remedies: [.synchronizeCopies])
    find(
      copies.changedByOthers.count, VaultNotice.Code.copyChanged.rawValue,
      "copies in the keyring were changed by another program", remedies: [.takeCopies])
    find(
      copies.missing.count, "copy-missing", "copies are gone from the keyring",
      remedies: [.overwriteCopies])
    find(
      copies.foreign.count, VaultNotice.Code.copyForeign.rawValue,
      "items in the keyring have the name of a copy and are another program's",
      remedies: [.listKeyringEntries, .adoptKeyringEntry])
    find(
      copies.leftovers.count, "copy-left",
      "copies in the keyring are of items that the vault does not publish",
      remedies: [.adoptKeyringEntry, .overwriteCopies])
  }

  /// What the ledger says where the keyring cannot be asked.
  private func checkMarks(_ index: VaultIndex, _ report: inout CheckReport) {
    let pending = (try? vault.ledger().work(for: index).count) ?? 0
    guard pending > 0 else { return }
    report.findings.append(
      CheckFinding(
        .warning, VaultNotice.Code.copiesPending.rawValue,
        "\(pending) copies in the keyring are still to be brought up to date",
        remedies: [.synchronizeCopies]))
  }
}
