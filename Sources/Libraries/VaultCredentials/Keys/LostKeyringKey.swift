/// A keyring that answers and does not hold the key of the vault: most of all one that was reset,
/// which is what people do when its password no longer fits.
enum LostKeyringKey {
  /// The error, which says which file of the keyring's folder has such a key, and what else opens
  /// the vault.
  ///
  /// - Parameters:
  ///   - header: The vault's.
  ///   - provider: The program that is the keyring; `nil` where that is not known.
  /// - Returns: The error.
  static func error(_ header: VaultHeader, provider: KeyringProvider?) -> CredentialError {
    let others = Set(header.slots.map { KeySlot.Kind(type: $0.type) })
      .subtracting([.keyring]).map(\.words).sorted().joined(separator: ", ")
    // Those that are looked at are gnome-keyring's.
    let files = [nil, .gnomeKeyring].contains(provider) ? KeyringFiles.withVaultKeys() : []
    let folder = (provider ?? .gnomeKeyring).files.map { ", the folder \($0)," } ?? ""
    let again =
      KeyringFiles.hint(for: files)
      ?? "put the keyring's files of before\(folder) back from a backup, and log in anew"
    return CredentialError(
      .locked,
      "the keyring does not hold the key of this vault: it was reset, or is another user's or "
        + "machine's",
      hint: others.isEmpty ? again : "it is unlocked by: \(others); or \(again)",
      remedies: others.isEmpty ? [] : [.unlock, .addKeyringSlot])
  }

  /// The error if the keyring, which is unlocked, holds none of the keys that the vault's slots
  /// need; `nil` also where that cannot be told.
  static func found(
    by keyring: KeyringSlotKeys, in header: VaultHeader, provider: KeyringProvider?
  ) -> CredentialError? {
    let slots = header.slots.filter { KeySlot.Kind(type: $0.type) == .keyring }
    guard !slots.isEmpty else { return nil }
    for slot in slots {
      guard
        let holds = try? keyring.holdsSlotKey(vaultID: header.vaultID, slotID: slot.id), !holds
      else { return nil }
    }
    return error(header, provider: provider)
  }
}
