import FoundationEssentials
import VaultSealing

/// Changes to a vault that are written together: all of them or none.
///
/// ``UnlockedVault/edit(_:)`` gives one to its closure, with the vault as it is under the writers'
/// lock. Each call changes the edit alone; the file is written once, after the closure has
/// returned. A closure that throws leaves the vault as it was. One ``UnlockedVault/undo(steps:of:)`` takes
/// the whole edit back.
///
/// ```swift
/// try await vault.edit { edit in
///   try edit.set(ItemName("api-token"), to: token)
///   try edit.rename(ItemName("github.com"), to: ItemName("github.com/me"))
///   try edit.remove(ItemName("old-token"))
/// }
/// ```
///
/// An edit holds the lock that all writers of the vault wait for: ask people and services before it
/// begins.
public struct VaultEdit {
  let vault: UnlockedVault
  /// The file as it was when the edit began.
  let file: VaultFile
  /// Its index, as it was.
  let former: VaultIndex
  let keys: VaultKeys
  private let states: CopyStates
  let now: Int64
  let historyLimit: Int
  /// The earlier versions that were stored before this edit.
  let history: HistoryReader
  var header: VaultHeader
  var index: VaultIndex
  /// Sealed bytes of the items that this edit sealed, by id.
  var changedItems: [Bytes16: [UInt8]] = [:]
  /// Blobs to be stored before the file that names them.
  var newBlobs: [HistoryBlob] = []
  /// Hashes of blobs that the new index no longer names, to be removed afterwards.
  var retiredBlobs: [[UInt8]] = []
  /// The keys of a new epoch, once ``rotate(to:slots:progress:)`` has sealed everything under them.
  var newKeys: VaultKeys?
  /// Whether the generation before must go: it holds what was purged.
  var removesPrevious = false
  /// Whether something goes for good, from every file.
  var isPurging = false
  /// What is to be done in the keyring afterwards.
  var copies = CopyChanges()
  /// Names of removed items that were to have a copy: it must be reported if the keyring still
  /// holds one.
  var removedCopies: Set<String> = []
  var notices: [VaultNotice] = []
  /// Who makes the changes.
  var origin: ChangeOrigin
  /// If the edit takes back changes, how many of the older steps; else `nil`.
  var undoneSteps: Int?

  init(vault: UnlockedVault, file: VaultFile, index: VaultIndex) {
    self.vault = vault
    self.file = file
    former = index
    keys = vault.keys
    states = CopyStates(of: vault)
    now = vault.locked.options.now()
    historyLimit = vault.locked.options.historyLimit
    origin = vault.locked.options.origin
    history = HistoryReader(vault.history)
    self.index = index
    header = file.header
  }

  func item(_ record: ItemRecord) -> Item { Item(record, states) }

  /// Whether the edit began with the file that a snapshot was made of.
  func began(with snapshot: VaultSnapshot) -> Bool {
    snapshot.file.header.generation == file.header.generation && snapshot.file.tag == file.tag
  }

  /// The vault as it was when the edit began.
  var formerSnapshot: VaultSnapshot { VaultSnapshot(vault: vault, file: file, index: former) }
}

// MARK: - Reading

extension VaultEdit {
  /// Returns the items that match a query, sorted by name, with the changes made so far.
  ///
  /// - Parameter query: The conditions; by default, all live items match.
  /// - Returns: The items, without their secrets.
  public func items(matching query: ItemQuery = .all) -> [Item] {
    index.items.matching(query).map(item)
  }

  /// The live item with a name, with the changes made so far, or `nil` if there is none.
  ///
  /// - Parameter name: The item's name.
  public subscript(name: ItemName) -> Item? { position(of: name).map { item(self[$0]) } }

  /// Returns a current secret of an item, with the changes made so far.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - field: The name of a further field; `nil` for the main secret.
  /// - Returns: The secret, in locked memory.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, `.fieldNotFound`, `.damaged`.
  public func secret(of name: ItemName, field: String? = nil) throws -> Secret {
    try contents(at: requirePosition(of: name)).secret(field: field)
  }

  /// The result of a change that would change nothing; `nil` if it would change something.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - secrets: The secrets to set.
  ///   - changes: Further changes to the item.
  /// - Returns: The item as it is, with the fingerprint of the secret that was to be set if it is
  ///   one alone, or else of the main one.
  /// - Throws: ``CredentialError`` with code `.invalidValue`.
  package func unchanged(
    _ name: ItemName, _ secrets: SecretChanges, _ changes: ItemChanges
  ) throws -> ItemChange? {
    guard secrets.removedFields.isEmpty, let position = position(of: name),
      // What cannot be read is not equal.
      let contents = try? contents(at: position),
      secrets.main.map({ $0.bytes.isEqual(to: contents.main) }) ?? true,
      secrets.fields.allSatisfy({ field, value in
        contents.fields[field]?.isEqual(to: value.bytes) ?? false
      }), try !changes.wouldChange(self[position])
    else { return nil }
    let set = [secrets.main].compactMap(\.self) + secrets.fields.values
    let only = set.count == 1 ? set[0].bytes : contents.main
    return ItemChange(
      item: item(self[position]), isNew: false, fingerprint: try vault.fingerprint(of: only),
      isChanged: false)
  }
}

// MARK: - Storing

extension VaultEdit {
  /// Stores a secret: in a new item, or as a new version of the one that has the name.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - secret: 0 bytes to 1 MiB, kept exactly.
  ///   - field: The name of a further field; `nil` for the main secret. All other fields stay.
  ///   - changes: Further changes to the item.
  /// - Returns: The item and the secret's fingerprint.
  /// - Throws: ``CredentialError`` with code `.cannotCreate` beyond a limit, `.invalidName`,
  ///   `.invalidValue`; `.damaged` if a field is set and the others cannot be read.
  @discardableResult
  public mutating func set(
    _ name: ItemName, to secret: Secret, field: String? = nil, changes: ItemChanges = ItemChanges()
  ) throws -> ItemChange {
    guard secret.count <= Secret.maximumLength else {
      throw CredentialError(
        .cannotCreate, "a secret has at most 1 MiB, this one has \(secret.count) bytes",
        hint: "keep large files elsewhere and only their key in the vault")
    }
    let field = field.flatMap { $0.isEmpty ? nil : $0 }
    if let field { try ItemLimits.check(fieldName: field) }
    if vault.locked.options.remindsOfSingleSlot { countTowardsReminder() }
    let known = position(of: name)
    let position: Int
    if let known {
      var contents: ItemContents
      if let field {
        contents = try self.contents(at: known)
        contents.fields[field] = secret.bytes
      } else {
        // A damaged secret must not prevent setting a new one.
        contents = ItemContents(
          main: secret.bytes, fields: (try? self.contents(at: known))?.fields ?? SecretFields())
      }
      try addVersion(at: known, contents, changesMain: field == nil) { try changes.apply(to: &$0) }
      position = known
    } else {
      let contents =
        if let field {
          ItemContents(
            main: try SecretBytes(copying: []), fields: SecretFields([field: secret.bytes]))
        } else {
          ItemContents(main: secret.bytes)
        }
      position = try insert(name, contents: contents) { try changes.apply(to: &$0) }
    }
    return ItemChange(
      item: item(self[position]), isNew: known == nil,
      fingerprint: try vault.fingerprint(of: secret.bytes))
  }

  /// Stores an item with all its fields: a new item, or a new version of the one that has the name.
  ///
  /// - Parameter draft: The item; its fields replace all fields that the item has.
  /// - Returns: The item and the main secret's fingerprint.
  /// - Throws: ``CredentialError`` with code `.cannotCreate` beyond a limit, `.invalidName`,
  ///   `.invalidValue`.
  @discardableResult
  public mutating func store(_ draft: ItemDraft) throws -> ItemChange {
    for name in draft.fields.keys { try ItemLimits.check(fieldName: name) }
    let contents = ItemContents(
      main: draft.main.bytes, fields: SecretFields(draft.fields.mapValues(\.bytes)))
    let known = position(of: draft.name)
    let position: Int
    if let known {
      try addVersion(at: known, contents) { try draft.changes.apply(to: &$0) }
      position = known
    } else {
      position = try insert(draft, contents)
    }
    return ItemChange(
      item: item(self[position]), isNew: known == nil,
      fingerprint: try vault.fingerprint(of: draft.main.bytes))
  }

  /// Replaces a secret without making a new version, and does not keep the one before.
  ///
  /// That is for a value that is used up, such as the counter of one-time passwords, whose earlier
  /// states are useless.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - field: The name of a further field; `nil` for the main secret.
  ///   - change: Makes the new secret from the current one.
  /// - Returns: What `change` returns beside the secret.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, `.fieldNotFound`, `.damaged`; what
  ///   `change` throws.
  @discardableResult
  public mutating func revise<Result>(
    _ name: ItemName, field: String? = nil, _ change: (Secret) throws -> (Secret, Result)
  ) throws -> Result {
    let field = field.flatMap { $0.isEmpty ? nil : $0 }
    let position = try requirePosition(of: name)
    var contents = try contents(at: position)
    let (secret, result) = try change(try contents.secret(field: field))
    if let field {
      contents.fields[field] = secret.bytes
    } else {
      contents.main = secret.bytes
      copyIsOutdated(at: position)
    }
    try seal(contents, at: position)
    return result
  }

  /// Changes what is known of an item besides its secrets.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - changes: The changes.
  /// - Returns: The item as it is now.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, `.invalidValue`; `.damaged` if the
  ///   kind changes and the secret cannot be read.
  @discardableResult
  public mutating func update(_ name: ItemName, _ changes: ItemChanges) throws -> Item {
    let position = try requirePosition(of: name)
    // The kind is part of what a sealed item is bound to.
    if let kind = changes.kind?.rawValue, kind != self[position].kind {
      try resealed(at: position) { try changes.apply(to: &$0) }
    } else {
      try changes.apply(to: &self[position])
    }
    self[position].modified = now
    return item(self[position])
  }
}

// MARK: - Names

extension VaultEdit {
  /// Renames an item.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - new: The new name, which no other live item may have.
  /// - Returns: The item as it is now.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, `.itemExists`.
  @discardableResult
  public mutating func rename(_ name: ItemName, to new: ItemName) throws -> Item {
    let position = try requirePosition(of: name)
    try rename(at: position, to: new)
    self[position].modified = now
    return item(self[position])
  }

  /// Makes a second item with the same secret, fields, note, tags and attributes.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - new: The name of the second item, which no live item may have.
  /// - Returns: The second item.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, `.itemExists`, `.damaged`,
  ///   `.cannotCreate`.
  @discardableResult
  public mutating func copy(_ name: ItemName, to new: ItemName) throws -> Item {
    let position = try requirePosition(of: name)
    guard self.position(of: new) == nil else { throw Self.exists() }
    let source = self[position]
    let copy = try insert(new, kind: source.kind, contents: contents(at: position)) { record in
      record.note = source.note
      record.tags = source.tags
      record.attributes = source.attributes
      record.attributes.removeAll(where: ItemConflict.isOwn)
      record.attributes[ImportMark.attribute] = nil
      record.expires = source.expires
    }
    return item(self[copy])
  }

  mutating func rename(at position: Int, to new: ItemName) throws {
    if let other = self.position(of: new), other != position { throw Self.exists() }
    withdrawCopy(at: position)
    self[position].attributes[ItemConflict.formerName] = nil
    ItemConflict.settle(in: &self[position].attributes) { $0.property == .name }
    self[position].name = new.text
    copyIsOutdated(at: position)
  }

  static func exists() -> CredentialError {
    CredentialError(
      .itemExists, "an item with that name already exists",
      hint: "choose another name, or remove that item first")
  }
}

// MARK: - Removing and restoring

extension VaultEdit {
  /// Moves an item to the trash.
  ///
  /// - Parameter name: The item.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`.
  public mutating func remove(_ name: ItemName) throws {
    let position = try requirePosition(of: name)
    if self[position].copy != .none { removedCopies.insert(name.text) }
    try moveToTrash(at: position)
  }

  /// Removes an item and its earlier versions for good, from every file of the vault.
  ///
  /// - Parameter name: The item.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`.
  public mutating func purge(_ name: ItemName) throws {
    let position = try requirePosition(of: name)
    if self[position].copy != .none { removedCopies.insert(name.text) }
    withdrawCopy(at: position)
    purge(at: position)
  }

  /// Removes items in the trash for good.
  ///
  /// - Parameter name: Only items of this name; `nil` for all.
  /// - Returns: The number of items removed.
  @discardableResult
  public mutating func emptyTrash(of name: ItemName? = nil) -> Int {
    let before = index.items.count
    for position in index.items.indices.reversed()
    where index.items.trashed(at: position) != 0
      && (name == nil || self[position].name == name?.text)
    {
      purge(at: position)
    }
    return before - index.items.count
  }

  /// Makes an earlier version of an item current, or takes an item out of the trash.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - version: The version to restore; `nil` for the version before the current one or, if no
  ///     live item has the name, for the item in the trash that was removed last.
  /// - Returns: The item as it is now.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, `.versionNotFound`, `.damaged`.
  @discardableResult
  public mutating func restore(_ name: ItemName, version: UInt64? = nil) throws -> Item {
    let candidates = index.items.indices.filter {
      index.items.trashed(at: $0) != 0 && self[$0].name == name.text
    }
    if let position = position(of: name) {
      if version == nil, self[position].earlier.isEmpty, !candidates.isEmpty {
        throw CredentialError(
          .versionNotFound,
          "the item has no earlier version, and is in the way of one of its name in the trash",
          remedies: [.restoreBeside])
      }
      try restoreVersion(version, at: position)
      return item(self[position])
    }
    guard let position = candidates.max(by: { self[$0].trashed < self[$1].trashed }) else {
      throw UnlockedVault.notFound(name)
    }
    try takeOutOfTrash(at: position, version: version)
    return item(self[position])
  }

  /// Takes one of several items of a name out of the trash, also where a live item has the name.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - number: Which of that name: 1 for the one that was removed last.
  /// - Returns: The item as it is now; with a number behind its name where another item has that.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, `.versionNotFound` if there are fewer
  ///   of the name, `.damaged`.
  @discardableResult
  public mutating func restoreFromTrash(_ name: ItemName, number: Int = 1) throws -> Item {
    let candidates = index.items.indices.filter {
      index.items.trashed(at: $0) != 0 && self[$0].name == name.text
    }.sorted { Self.wasRemovedLater(self[$0], self[$1]) }
    guard !candidates.isEmpty else { throw UnlockedVault.notFound(name) }
    guard candidates.indices.contains(number - 1) else {
      throw CredentialError(
        .versionNotFound,
        candidates.count == 1
          ? "there is one item of that name in the trash"
          : "there are \(candidates.count) items of that name in the trash",
        remedies: [.listTrash])
    }
    let position = candidates[number - 1]
    self[position].name = try FreeName.like(name.text) { self.position(of: $0) != nil }.text
    try takeOutOfTrash(at: position, version: nil)
    return item(self[position])
  }

  /// Takes an item out of the trash, under its name or, where another item has that, with a number
  /// behind it.
  ///
  /// - Parameter item: An item in the trash.
  /// - Returns: The item as it is now.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, `.versionNotFound`, `.damaged`; nothing
  ///   is changed then.
  package mutating func restoreFromTrash(_ item: Item) throws -> Item {
    guard let position = index.items.position(of: item.recordID),
      index.items.trashed(at: position) != 0
    else { throw UnlockedVault.notFound(item.name) }
    let former = self[position].name
    self[position].name = try FreeName.like(former) { self.position(of: $0) != nil }.text
    do {
      try takeOutOfTrash(at: position, version: nil)
    } catch {
      self[position].name = former
      throw error
    }
    return self.item(self[position])
  }

  /// The order of items of one name in the trash: the one that was removed last comes first.
  static func wasRemovedLater(_ left: ItemRecord, _ right: ItemRecord) -> Bool {
    left.trashed == right.trashed ? left.id < right.id : left.trashed > right.trashed
  }
}
