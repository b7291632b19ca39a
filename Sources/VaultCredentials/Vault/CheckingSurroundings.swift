/// What a check says of what surrounds the vault: the session in the kernel, and the desktop keyring.
extension UnlockedVault.Blocking {
  func checkSession(_ report: inout CheckReport) {
    guard case .unavailable(let reason)? = try? vault.locked.blocking.session() else { return }
    report.findings.append(
      CheckFinding(
        .information, VaultNotice.Code.noSession.rawValue,
        "the vault does not stay open: \(reason)",
        hint: "a key-file opens it quickest: vault key add --new-key-file PATH"))
  }

  func checkKeyring(_ index: VaultIndex, _ report: inout CheckReport) {
    guard vault.locked.options.usesKeyring else { return }
    let status = vault.locked.blocking.keyringStatus()
    if let message = status.message {
      let hasCopies =
        index.items.contains { $0.copy != .none } || ((try? vault.ledger().count()) ?? 0) > 0
      report.findings.append(
        CheckFinding(
          hasCopies ? .warning : .information, "keyring-\(status.state)", message,
          hint: status.hint))
    } else if status.isEncrypted == false {
      report.findings.append(
        CheckFinding(
          .warning, VaultNotice.Code.plainKeyringSession.rawValue,
          "the keyring offers no encrypted connection: secrets pass the bus in clear",
          hint: "switch copies off: vault keyring publish off"))
    }
    guard status.message == nil, let copies = try? copies() else {
      return checkMarks(index, &report)
    }
    func find(_ count: Int, _ code: String, _ what: String, hint: String) {
      guard count > 0 else { return }
      report.findings.append(CheckFinding(.warning, code, "\(count) \(what)", hint: hint))
    }
    find(
      copies.pending, VaultNotice.Code.copiesPending.rawValue,
      "copies in the keyring are still to be brought up to date", hint: "vault keyring sync")
    find(
      copies.changedByOthers.count, VaultNotice.Code.copyChanged.rawValue,
      "copies in the keyring were changed by another program", hint: "vault keyring sync --take")
    find(
      copies.missing.count, "copy-missing", "copies are gone from the keyring",
      hint: "vault keyring sync --overwrite")
    find(
      copies.foreign.count, VaultNotice.Code.copyForeign.rawValue,
      "items in the keyring have the name of a copy and are another program's",
      hint: "'vault keyring list' shows them, 'vault keyring adopt' takes one in")
    find(
      copies.leftovers.count, "copy-left",
      "copies in the keyring are of items that the vault does not publish",
      hint: "take them in, or remove them: vault keyring adopt, vault keyring sync --overwrite")
  }

  /// What the ledger says where the keyring cannot be asked.
  private func checkMarks(_ index: VaultIndex, _ report: inout CheckReport) {
    let pending = (try? vault.ledger().work(for: index).count) ?? 0
    guard pending > 0 else { return }
    report.findings.append(
      CheckFinding(
        .warning, VaultNotice.Code.copiesPending.rawValue,
        "\(pending) copies in the keyring are still to be brought up to date",
        hint: "vault keyring sync"))
  }
}
