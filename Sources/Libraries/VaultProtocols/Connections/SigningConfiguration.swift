import VaultStorage

/// The files by which git signs with a key of the vault.
///
/// git-config(1), `gpg.format`, `user.signingKey`, `gpg.ssh.allowedSignersFile`; ssh-keygen(1),
/// "ALLOWED SIGNERS".
package enum SigningConfiguration {
  /// The paths of the files below the user's configuration folder.
  package static let (settingsPath, signersPath) = (
    "git/vault-signing.config", "git/vault-allowed-signers"
  )
  /// By this line a file is known to be ours; git and ssh-keygen both skip it.
  private static let mark = "# Written for the vault, and removed when git-sign is disconnected."

  /// What git includes: a file of its own, so that `git config` changes nothing of ours.
  ///
  /// - Parameters:
  ///   - publicKey: The line of the key.
  ///   - signers: The path of the file with the signers.
  /// - Returns: The file.
  package static func settings(publicKey: String, signers: String) -> String {
    let key = publicKey.utf8.split(separator: 0x20, maxSplits: 2).prefix(2)
      .map { String(decoding: Array($0), as: UTF8.self) }.joined(separator: " ")
    return UnitFile.text([
      mark, "[gpg]", "\tformat = ssh", "[user]",
      "\tsigningKey = \(Quoting.gitSetting("key::\(key)"))", "[gpg \"ssh\"]",
      "\tallowedSignersFile = \(Quoting.gitSetting(signers))",
    ])
  }

  /// Who may have signed: the person, with this key.
  ///
  /// - Parameters:
  ///   - publicKey: The line of the key.
  ///   - email: The person's address, as git has it; anybody's if there is none.
  /// - Returns: The file.
  package static func signers(publicKey: String, email: String?) -> String {
    UnitFile.text([mark, "\(email ?? "*") namespaces=\"git\" \(publicKey)"])
  }

  /// The lines in git's own file.
  package static func block(including path: String) -> MarkedBlock {
    MarkedBlock(
      title: "connect git-sign", section: "[include]",
      settings: ["\tpath = \(Quoting.gitSetting(path))"], allowsOthers: true)
  }

  /// Whether what git includes is what this wrote, for whichever key.
  ///
  /// - Returns: `nil` if it is none of ours; `false` if it was changed since.
  package static func isOwnSettings(_ text: String) -> Bool? {
    UnitFile.isOwn(
      text, mark: mark,
      beginnings: [
        "[gpg]", "\tformat = ssh", "[user]", "\tsigningKey = ", "[gpg \"ssh\"]",
        "\tallowedSignersFile = ",
      ])
  }

  /// Whether the file of signers is what this wrote, for whichever key; as ``isOwnSettings(_:)``.
  package static func isOwnSigners(_ text: String) -> Bool? {
    UnitFile.isOwn(text, mark: mark, beginnings: [""])
  }
}
