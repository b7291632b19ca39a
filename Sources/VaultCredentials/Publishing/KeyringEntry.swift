import VaultSealing

/// An item of the desktop keyring, whichever program's, but for its secret.
public struct KeyringEntry: Sendable, Identifiable {
  /// Its path on the bus, by which it is found again.
  public let id: String
  /// What people see of it; text of another program's, to be escaped before a terminal gets it.
  public let label: String
  /// What programs find it by; hashed by a keyring that was never unlocked.
  public let attributes: [String: String]
  /// Which program seems to have written it, by its attributes; `nil` if they do not tell.
  public let owner: String?
  /// Whether its secret cannot be read now.
  public let isLocked: Bool
  /// Whether it is what this vault published, or the key of one of its slots.
  public let isOurs: Bool

  init(_ item: KeyringItem, isOurs: Bool) {
    id = item.path
    label = item.label
    attributes = item.ownAttributes
    owner = item.ownerHint
    isLocked = item.isLocked
    self.isOurs = isOurs
  }
}

extension UnlockedVault.Blocking {
  /// Every item of the desktop keyring, whichever program's, by owner and label.
  ///
  /// - Returns: The items; their secrets are not read.
  /// - Throws: ``CredentialError`` with a keyring's code.
  public func keyringEntries() throws -> [KeyringEntry] {
    let index = try open.read().1
    var ours = Set(index.items.filter { $0.trashed == 0 && $0.copy != .none }.map(\.name))
    ours.formUnion(index.withdrawals.map(\.name))
    let found: KeyringMatches
    do {
      found = try open.vault.keyring.allItems()
      if found.unlocked.isEmpty, found.locked.isEmpty,
        let obstacle = open.vault.keyring.probe(openingSession: false).obstacle
      {
        throw obstacle
      }
    } catch let error as KeyringError {
      throw CredentialError(error)
    }
    let key = "\(open.id):"
    return (found.unlocked + found.locked).map { item in
      let user = item.attributes["username"] ?? ""
      let isOurs =
        switch item.attributes["service"] {
        case "vault-key": user.hasPrefix(key)
        case open.copyService: ours.contains(user)
        default: false
        }
      return KeyringEntry(item, isOurs: isOurs)
    }
    .sorted { ($0.owner ?? "~", $0.label, $0.id) < ($1.owner ?? "~", $1.label, $1.id) }
  }

  /// Takes an item of another program's into the vault.
  ///
  /// The keyring's item stays where it is. Where it has the place of a copy of this vault, it is that copy from
  /// now on; otherwise its attributes are kept with the new item, so that it is found by them.
  ///
  /// - Parameters:
  ///   - entry: One of ``keyringEntries()``.
  ///   - name: What it is called here; `nil` for what its attributes or its label say.
  ///   - isReplacing: Whether an item of that name gets the secret as a new version.
  /// - Returns: The item.
  /// - Throws: ``CredentialError`` with code `.itemExists`, `.invalidName`, `.invalidValue` if it is ours
  ///   already, a keyring's code, or what writing throws.
  @discardableResult
  public func adopt(
    _ entry: KeyringEntry, as name: ItemName? = nil, replacing isReplacing: Bool = false
  ) throws -> Item {
    guard !entry.isOurs, entry.attributes["service"] != "vault-key" else {
      throw CredentialError(
        .invalidValue, "that item is the vault's own", hint: "vault keyring sync --take")
    }
    let secret: SecretBytes
    do {
      guard !entry.isLocked else { throw KeyringError(.itemLocked) }
      guard let found = try open.vault.keyring.secrets(of: [entry.id])[entry.id] else {
        throw KeyringError(.itemMissing)
      }
      secret = found
    } catch let error as KeyringError {
      throw CredentialError(error)
    }
    guard secret.count <= Secret.maximumLength else {
      throw CredentialError(.cannotCreate, "the item's secret is longer than 1 MiB")
    }
    let isInPlace = entry.attributes["service"] == open.copyService
    let name =
      try name
      ?? (isInPlace
        ? ItemName(entry.attributes["username"] ?? "") : ItemName(joiningPartsOf: entry.ownName))
    let becomesCopy = isInPlace && entry.attributes["username"] == name.text
    let hash = try open.read(onlyItemsNamed: []).1.copyHash(of: secret)
    let changes = becomesCopy ? ItemChanges() : entry.changes
    let record = try open.commit { draft in
      if draft.position(of: name) != nil, !isReplacing { throw Self.exists() }
      let (record, _) = try Self.store(secret, name: name, field: nil, changes: changes, in: &draft)
      guard becomesCopy, let position = draft.position(of: name) else { return record }
      draft.index.items[position].copy = .published
      draft.index.items[position].copyHash = hash
      return draft.index.items[position]
    }
    return Item(try open.synchroniseCopies(after: record))
  }
}

extension KeyringEntry {
  /// Where it is for, and for whom: `github.com/me`; its label where the attributes do not tell.
  fileprivate var ownName: String {
    let place = ["server", "service", "host", "domain", "hostname"].lazy.compactMap(value).first
    let user = ["username", "account", "user"].lazy.compactMap(value).first
    switch (place, user) {
    case (let place?, let user?): return "\(place)/\(user)"
    case (let place?, nil): return place
    default: return label
    }
  }

  private func value(_ name: String) -> String? {
    attributes[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  fileprivate var changes: ItemChanges {
    var changes = ItemChanges()
    changes.attributes = attributes
    if attributes["server"] != nil {
      changes.kind = .internetPassword
    } else if attributes["service"] != nil {
      changes.kind = .genericPassword
    }
    return changes
  }
}
