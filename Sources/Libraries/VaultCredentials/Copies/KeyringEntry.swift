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
  /// A Boolean value that says whether its secret cannot be read now.
  public let isLocked: Bool
  /// A Boolean value that says whether it is a copy of this vault or the key of one of its slots.
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

extension KeyringEntry {
  fileprivate static func items(of keyring: any DesktopKeyring) throws -> [KeyringItem] {
    do {
      let found = try keyring.allItems()
      if found.unlocked.isEmpty, found.locked.isEmpty,
        let obstacle = keyring.probe(openingSession: false).obstacle
      {
        throw obstacle
      }
      return found.unlocked + found.locked
    } catch let error as KeyringError {
      throw CredentialError(error)
    }
  }

  fileprivate static func sorted(_ entries: [KeyringEntry]) -> [KeyringEntry] {
    entries.sorted { ($0.owner ?? "~", $0.label, $0.id) < ($1.owner ?? "~", $1.label, $1.id) }
  }
}

extension LockedVault.Blocking {
  /// Every item of the desktop keyring, whichever program's, where there is no vault that could
  /// call one its own.
  ///
  /// - Returns: The items, none of them ``KeyringEntry/isOurs``; their secrets are not read.
  /// - Throws: ``CredentialError`` with a keyring's code.
  public func keyringEntries() throws -> [KeyringEntry] {
    KeyringEntry.sorted(
      try KeyringEntry.items(of: vault.keyring).map { KeyringEntry($0, isOurs: false) })
  }
}

extension UnlockedVault.Blocking {
  /// Every item of the desktop keyring, whichever program's, by owner and label.
  ///
  /// - Returns: The items; their secrets are not read.
  /// - Throws: ``CredentialError`` with a keyring's code.
  public func keyringEntries() throws -> [KeyringEntry] {
    let index = try vault.snapshot().index
    // What was published under each name.
    var known: [String: Set<[UInt8]>] = [:]
    for name in index.publishedRecords().keys { known[name] = [] }
    for entry in try vault.ledger().entries(with: index).values {
      known[entry.name, default: []].formUnion(entry.hashes)
    }
    let service = vault.copyService
    let items = try KeyringEntry.items(of: vault.locked.keyring)
    func identity(_ item: KeyringItem) -> KeyringIdentity? {
      guard item.attributes["service"] == service else { return nil }
      return KeyringIdentity(service: service, username: item.attributes["username"] ?? "")
    }
    let named = Dictionary(grouping: items) { identity($0) }
    return KeyringEntry.sorted(
      items.map { item in
        KeyringEntry(
          item,
          isOurs: item.attributes["service"] == "vault-key"
            ? (item.attributes["username"] ?? "").hasPrefix("\(vault.id):")
            : identity(item).map { identity in
              guard let known = known[identity.username] else { return false }
              if item.isLocked || identity.isCarried(by: item) { return true }
              // The only one of that name that was published, or was taken over from another
              // program.
              return named[identity]?.count == 1 && !known.isEmpty
            } ?? false)
      })
  }

  /// Takes an item of another program's into the vault.
  ///
  /// The keyring's item stays where it is. Where it has the place of a copy of this vault, it is
  /// that copy from now on; otherwise its attributes are kept with the new item, so that it is
  /// found by them.
  ///
  /// - Parameters:
  ///   - entry: One of ``keyringEntries()``.
  ///   - name: What it is called here; `nil` for what its attributes or its label say.
  ///   - isReplacing: Whether an item of that name gets the secret as a new version.
  /// - Returns: The item.
  /// - Throws: ``CredentialError`` with code `.itemExists`, `.invalidName`, `.invalidValue` if it
  ///   is ours already, a keyring's code, or what writing throws.
  @discardableResult
  public func adopt(
    _ entry: KeyringEntry, as name: ItemName? = nil, replacing isReplacing: Bool = false
  ) throws -> Item {
    guard !entry.isOurs, entry.attributes["service"] != "vault-key" else {
      throw CredentialError(
        .invalidValue, "that item is the vault's own", remedies: [.takeCopies])
    }
    let secret: SecretBytes
    do {
      guard !entry.isLocked else { throw KeyringError(.itemLocked) }
      guard let found = try vault.locked.keyring.secrets(of: [entry.id])[entry.id] else {
        throw KeyringError(.itemMissing)
      }
      secret = found
    } catch let error as KeyringError {
      throw CredentialError(error)
    }
    guard secret.count <= Secret.maximumLength else {
      throw CredentialError(.cannotCreate, "the item's secret is longer than 1 MiB")
    }
    let isInPlace = entry.attributes["service"] == vault.copyService
    let name = try name ?? entry.itemName(copyService: vault.copyService)
    let becomesCopy = isInPlace && entry.attributes["username"] == name.text
    let hash = try vault.snapshot(only: .noItems).index.copyHash(of: secret)
    let changes = becomesCopy ? ItemChanges() : entry.changes
    return try edit { edit in
      guard isReplacing || edit[name] == nil else {
        throw CredentialError(
          .itemExists, "an item with that name already exists",
          remedies: [.replaceItem, .chooseOtherName])
      }
      let item = try edit.set(name, to: Secret(secret), changes: changes).item
      if becomesCopy { edit.adoptCopy(at: try edit.requirePosition(of: name), hash: hash) }
      return item
    }
  }
}

extension KeyringEntry {
  /// The name that an item of the vault gets for it.
  func itemName(copyService: String) throws -> ItemName {
    attributes["service"] == copyService
      ? try ItemName(attributes["username"] ?? "") : try ItemName(joiningPartsOf: ownName)
  }

  /// Where it is for, and for whom: `github.com/me`; its label where the attributes do not tell.
  fileprivate var ownName: String {
    let place = ["server", "service", "host", "domain", "hostname"].lazy.compactMap(value).first
    let user = ["username", "account", "user", "UserName"].lazy.compactMap(value).first
    switch (place, user) {
    case (let place?, let user?): return "\(place)/\(user)"
    case (let place?, nil): return place
    default: return label
    }
  }

  private func value(_ name: String) -> String? {
    attributes[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// What KeePassXC says of every item beside what its programs gave it.
  private static let keePassXC: Set<String> = [
    "Title", "UserName", "URL", "Notes", "Path", "Uuid", "TOTP",
  ]

  var changes: ItemChanges {
    var changes = ItemChanges()
    changes.attributes = attributes
    if attributes["Uuid"] != nil, attributes["Path"] != nil {
      changes.attributes = attributes.filter { !Self.keePassXC.contains($0.key) || $0.key == "URL" }
      if let notes = value("Notes") { changes.note = notes }
    }
    if attributes["server"] != nil {
      changes.kind = .internetPassword
    } else if attributes["service"] != nil {
      changes.kind = .genericPassword
    }
    return changes
  }
}
