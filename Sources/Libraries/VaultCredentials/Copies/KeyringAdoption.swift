import VaultSealing

/// The effect of ``UnlockedVault/adoptAll()`` on one item of the keyring.
public struct KeyringAdoption: Sendable {
  /// The effect.
  public enum Outcome: Sendable {
    /// It is this item now.
    case adopted(Item)
    /// The vault has an item of that name with the same secret.
    case same(ItemName)
    /// It could not be taken; the keyring has it as before.
    case refused(CredentialError)
  }

  /// The item of the keyring.
  public let entry: KeyringEntry
  /// The effect.
  public let outcome: Outcome
}

extension UnlockedVault.Blocking {
  /// Takes the items of all other programs in the keyring into the vault, in one write.
  ///
  /// Each is treated as ``adopt(_:as:replacing:)`` does; the keyring's items stay where they are.
  /// Two that would have the same name get numbers, such as `github.com/me~2`. An item of the vault
  /// is never replaced. A second call finds what the first one has taken.
  ///
  /// - Returns: The effect on each item, in the order of ``keyringEntries()``; items of the vault
  ///   itself are not among them.
  /// - Throws: ``CredentialError`` with a keyring's code, or what writing throws.
  @discardableResult
  public func adoptAll() throws -> [KeyringAdoption] {
    let entries = try keyringEntries().filter {
      !$0.isOurs && $0.attributes["service"] != "vault-key"
    }
    let secrets: [String: SecretBytes]
    do {
      secrets = try vault.locked.keyring.secrets(of: entries.filter { !$0.isLocked }.map(\.id))
    } catch {
      throw CredentialError(error)
    }
    return try edit { edit in
      var claimed: Set<String> = []
      return try entries.map { entry in
        KeyringAdoption(
          entry: entry, outcome: try adopt(entry, secrets[entry.id], &claimed, in: &edit))
      }
    }
  }

  /// Takes one item; `claimed` are the names that items of the keyring have got, or have already.
  private func adopt(
    _ entry: KeyringEntry, _ secret: SecretBytes?, _ claimed: inout Set<String>,
    in edit: inout VaultEdit
  ) throws -> KeyringAdoption.Outcome {
    guard let secret else {
      return .refused(
        CredentialError(KeyringError(entry.isLocked ? .itemLocked : .itemMissing)))
    }
    guard secret.count <= Secret.maximumLength else {
      return .refused(CredentialError(.cannotCreate, "its secret is longer than 1 MiB"))
    }
    let base: ItemName
    do {
      base = try entry.itemName(copyService: vault.copyService)
    } catch let error as CredentialError {
      return .refused(error)
    }
    var name = base
    var number = 2
    while edit[name] != nil {
      if try edit.secret(of: name).bytes.isEqual(to: secret) {
        claimed.insert(name.text)
        return .same(name)
      }
      name = try ItemName("\(base.text)~\(number)")
      number += 1
    }
    guard name == base || claimed.contains(base.text) else {
      return .refused(
        CredentialError(
          .itemExists, "an item of the name '\(base.text)' has another secret",
          remedies: [.replaceItem, .chooseOtherName]))
    }
    let becomesCopy =
      entry.attributes["service"] == vault.copyService
      && entry.attributes["username"] == name.text
    let hash = try vault.snapshot(only: .noItems).index.copyHash(of: secret)
    let item = try edit.set(
      name, to: Secret(secret), changes: becomesCopy ? ItemChanges() : entry.changes
    ).item
    if becomesCopy { edit.adoptCopy(at: try edit.requirePosition(of: name), hash: hash) }
    claimed.insert(name.text)
    return .adopted(item)
  }
}
