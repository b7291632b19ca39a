package import VaultCredentials

/// The hint below an error, a notice or a finding: what helps, with the line to type.
///
/// Only here do the libraries' remedies become words of a shell. A line begins with the name that
/// the command was called by: ``ProgramName``.
package enum Advice {
  /// The hint, or `nil` if there is nothing to say.
  package static func text(_ hint: String?, _ remedies: [Remedy]) -> String? {
    let lines = remedies.map { line(for: $0, ProgramName.current) }.joined(separator: "; or ")
    guard let hint else { return lines.isEmpty ? nil : lines }
    return lines.isEmpty ? hint : "\(hint); \(lines)"
  }

  /// One remedy, as an imperative clause with the line to type.
  package static func line(for remedy: Remedy, _ program: String) -> String {
    switch remedy {
    case .makeVault: "create one: \(program) init"
    // The line's own options say which.
    case .makeNamedVault:
      "create it: \(program) \(HintLine.namesVault ? "init" : "--vault NAME init")"
    case .switchOffUsageLog: "if that is so on purpose: \(program) settings log off"
    case .listVaults: "list your vaults: \(program) list --vaults"
    case .chooseOtherVault: "choose another vault: --vault NAME"
    case .unlock: "unlock it: \(program) unlock; in scripts: --passphrase SOURCE or --key-file PATH"
    case .check: "see what can still be read: \(program) check"
    case .salvage: "look for intact copies: \(program) check --salvage"
    case .recoverStore: "put the store's last good copy back: \(program) defaults recover"
    case .restoreBackup: "restore it: \(program) init --from FILE"
    case .acceptRollback: "if that was on purpose, run the command again with --accept-rollback"
    case .mergeOther: "to keep both, merge the other file: \(program) merge FILE"
    case .useRecoveryCode:
      "forgotten? use the recovery code: \(program) unlock --recovery, then "
        + "\(program) key change-passphrase"
    case .addKey: "add a key slot: \(program) key add"
    case .addPassphrase: "add a passphrase: \(program) key add --new-passphrase SOURCE"
    case .addKeyFile: "create a key file: \(program) key add --new-key-file PATH"
    case .trustKeyFile:
      "if you trust all who can read it, say so once: --trust-key-file; or open the vault for a "
        + "while: \(program) unlock --key-file - <FILE"
    case .addKeyringSlot: "then let the keyring of today open it: \(program) key add --keyring"
    case .addRecoveryCode: "add a recovery code: \(program) key add --recovery"
    case .listKeys: "list the key slots: \(program) key list"
    case .upgradeKeys: "strengthen weak slots: \(program) key upgrade"
    case .rotateKey: "make a new vault key: \(program) key rotate"
    case .listItems: "list all names: \(program) list"
    case .listTrash: "list the trash: \(program) list --trash"
    case .restoreBeside: "restore it beside that one: \(program) restore NAME --trash 1"
    case .showItem: "list its fields: \(program) show NAME"
    case .showHistory: "list its versions: \(program) history NAME"
    case .restoreNewest: "restore it without a version"
    case .chooseOtherName: "choose another name: --as NAME"
    case .replaceItem: "store it as a new version: --replace"
    case .readFromVault: "other programs can read it with: \(program) run, \(program) get"
    case .unlockKeyring: "unlock the keyring: \(program) keyring unlock"
    case .requireEncryptedSession: "refuse such a keyring: --require-encrypted-session"
    case .allowPlainSession: "accept it: leave out --require-encrypted-session"
    case .listKeyringEntries: "list the keyring's items: \(program) keyring list"
    case .adoptKeyringEntry: "take one into the vault: \(program) keyring adopt ID"
    case .synchronizeCopies: "bring the copies up to date: \(program) keyring sync"
    case .takeCopies: "take it into the vault: \(program) keyring sync --take"
    case .overwriteCopies: "replace it in the keyring: \(program) keyring sync --overwrite"
    case .stopPublishing: "keep no copies: \(program) keyring publish off"
    }
  }
}

extension CredentialError {
  /// The hint of the error, with its remedies as lines to type.
  package var advice: String? { Advice.text(hint, remedies) }
}

extension VaultNotice {
  /// The hint of the notice, with its remedies as lines to type.
  package var advice: String? { Advice.text(hint, remedies) }
}

extension CheckFinding {
  /// The hint of the finding, with its remedies as lines to type.
  package var advice: String? { Advice.text(hint, remedies) }
}

extension KeyringStatus {
  /// The hint of the status, with its remedies as lines to type.
  package var advice: String? { Advice.text(hint, remedies) }
}
