public import FoundationEssentials
import VaultSealing

/// What is to be changed of an item beside its secret; `nil` leaves a thing as it is.
public struct ItemChanges: Sendable {
  /// What the item is for.
  public var kind: Item.Kind?
  /// Free text about it; empty removes it.
  public var note: String?
  /// All its tags.
  public var tags: [String]?
  /// All its attributes.
  public var attributes: [String: String]?
  /// When the secret stops being valid; `.some(nil)` for never.
  public var expires: Date??

  /// No change.
  public init() {}

  func apply(to record: inout ItemRecord) throws {
    if let kind { record.kind = kind.rawValue }
    if let note {
      guard note.utf8.count <= ItemLimits.note else { throw Self.tooLong("a note", "64 KiB") }
      record.note = note
    }
    if let tags {
      guard tags.count <= ItemLimits.tags else { throw Self.tooLong("an item", "256 tags") }
      for tag in tags {
        guard !tag.isEmpty, tag.utf8.count <= ItemLimits.tag else {
          throw Self.tooLong("a tag", "255 bytes, and at least one")
        }
        guard ItemLimits.isPlain(tag) else { throw Self.notPlain("a tag") }
      }
      record.tags = Set(tags).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
    if let attributes {
      guard attributes.count <= ItemLimits.attributes else {
        throw Self.tooLong("an item's attributes", "64 entries")
      }
      for (name, value) in attributes {
        guard !name.isEmpty, name.utf8.count <= ItemLimits.attributeName,
          value.utf8.count <= ItemLimits.attributeValue
        else { throw Self.tooLong("an attribute", "255 bytes of name and 4 KiB of value") }
        guard ItemLimits.isPlain(name) else { throw Self.notPlain("an attribute's name") }
      }
      record.attributes = attributes
    }
    if let expires { record.expires = expires?.milliseconds ?? 0 }
  }

  private static func tooLong(_ what: String, _ limit: String) -> CredentialError {
    CredentialError(.invalidValue, "\(what) has at most \(limit)")
  }

  private static func notPlain(_ what: String) -> CredentialError {
    CredentialError(
      .invalidValue, "\(what) cannot hold a control character", hint: "leave it out")
  }
}

/// What a change did.
public struct ItemChange: Sendable {
  /// The item as it is now.
  public let item: Item
  /// Whether it was not there before.
  public let isNew: Bool
  /// Length and short hash of the secret that was stored.
  public let fingerprint: Fingerprint
}

extension UnlockedVault.Blocking {
  /// Stores a secret: a new item, or a new version of one that is there.
  ///
  /// When this returns, the secret is on the disk; the version before can be restored. If it throws, what
  /// was there before is unchanged, but for code `.notDurable`.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - secret: 0 bytes to 1 MiB, kept exactly.
  ///   - field: One of its further fields; `nil` for the main secret.
  ///   - changes: What else is to be changed.
  /// - Returns: The item and the secret's fingerprint.
  /// - Throws: ``CredentialError`` with code `.cannotCreate` beyond a limit, `.invalidValue`,
  ///   `.rolledBack`, `.forked`, `.damaged`, `.busy`, `.inputOutput`, `.notDurable`.
  @discardableResult
  public func set(
    _ name: ItemName, to secret: Secret, field: String? = nil, changes: ItemChanges = ItemChanges()
  ) throws -> ItemChange {
    try set(name, to: secret, field: field, changes: changes) { _ in }
  }

  /// Stores a secret in the place of the one that was read, and of no other.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - secret: 0 bytes to 1 MiB, kept exactly.
  ///   - field: One of its further fields; `nil` for the main secret.
  ///   - item: The item as it was read; `nil` where there was none.
  /// - Returns: The item and the secret's fingerprint.
  /// - Throws: ``CredentialError`` with code `.changedMeanwhile`, or as the other does.
  package func set(
    _ name: ItemName, to secret: Secret, field: String?, replacing item: Item?
  ) throws -> ItemChange {
    try set(name, to: secret, field: field, changes: ItemChanges()) { draft in
      let record = draft.position(of: name).map { Item(draft.index.items[$0]) }
      guard record?.id == item?.id, record?.version == item?.version else {
        throw CredentialError(
          .changedMeanwhile,
          record == nil
            ? "the item was removed meanwhile: nothing was saved"
            : "the item was changed meanwhile, by another command: nothing was saved",
          hint: "'vault history' shows its versions")
      }
    }
  }

  private func set(
    _ name: ItemName, to secret: Secret, field: String?, changes: ItemChanges,
    checking check: (VaultDraft) throws -> Void
  ) throws -> ItemChange {
    guard secret.count <= Secret.maximumLength else {
      throw CredentialError(
        .cannotCreate, "a secret has at most 1 MiB, this one has \(secret.count) bytes",
        hint: "keep large files elsewhere and only their key in the vault")
    }
    let field = field.flatMap { $0.isEmpty ? nil : $0 }
    if let field {
      guard field.utf8.count <= ItemLimits.fieldName else {
        throw CredentialError(.invalidName, "the name of a field has at most 255 bytes")
      }
      guard ItemLimits.isPlain(field) else {
        throw CredentialError(
          .invalidName, "the name of a field cannot hold a control character", hint: "leave it out")
      }
    }
    let (record, isNew) = try vault.commit { draft in
      try check(draft)
      if vault.locked.options.remindsOfSingleSlot { draft.countTowardsReminder() }
      return try Self.store(secret.bytes, name: name, field: field, changes: changes, in: &draft)
    }
    let synchronised = try vault.synchroniseCopies(after: record)
    return ItemChange(
      item: Item(synchronised), isNew: isNew, fingerprint: try vault.fingerprint(of: secret.bytes))
  }

  /// Changes what is known of an item, not its secret.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - changes: What is to be changed.
  /// - Returns: The item as it is now.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, `.invalidValue`, or what writing throws.
  @discardableResult
  public func update(_ name: ItemName, _ changes: ItemChanges) throws -> Item {
    let record = try vault.commit { draft in
      let position = try draft.requirePosition(of: name)
      let kind = draft.index.items[position].kind
      // The kind is part of what a sealed item is bound to.
      if let changed = changes.kind?.rawValue, changed != kind {
        try Self.reseal(position, in: &draft) { try changes.apply(to: &$0) }
      } else {
        try changes.apply(to: &draft.index.items[position])
      }
      draft.index.items[position].modified = draft.now
      return draft.index.items[position]
    }
    return Item(record)
  }

  /// Gives an item another name.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - new: Its new name, which no other item may have.
  /// - Returns: The item as it is now.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, `.itemExists`, or what writing throws.
  @discardableResult
  public func rename(_ name: ItemName, to new: ItemName) throws -> Item {
    let record = try vault.commit { draft in
      let position = try draft.requirePosition(of: name)
      if let other = draft.position(of: new), other != position { throw Self.exists() }
      draft.withdrawCopy(at: position)
      draft.index.items[position].name = new.text
      draft.index.items[position].modified = draft.now
      draft.copyIsOutdated(at: position)
      return draft.index.items[position]
    }
    return Item(try vault.synchroniseCopies(after: record))
  }

  /// Makes a second item with the same secret, fields, note, tags and attributes.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - new: The name of the copy, which no other item may have.
  /// - Returns: The new item.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, `.itemExists`, or what writing throws.
  @discardableResult
  public func copy(_ name: ItemName, to new: ItemName) throws -> Item {
    let record = try vault.commit { draft in
      let position = try draft.requirePosition(of: name)
      guard draft.position(of: new) == nil else { throw Self.exists() }
      let contents = try draft.contents(at: position)
      let source = draft.index.items[position]
      var record = ItemRecord(
        id: RandomBytes.bytes(count: 16), name: new.text, kind: source.kind,
        device: draft.index.device, now: draft.now)
      record.note = source.note
      record.tags = source.tags
      record.attributes = source.attributes
      record.expires = source.expires
      record.copy = draft.index.isPublishing ? .pending : .none
      draft.index.items.append(record)
      try draft.seal(contents, at: draft.index.items.count - 1)
      return draft.index.items[draft.index.items.count - 1]
    }
    return Item(try vault.synchroniseCopies(after: record))
  }

  static func exists() -> CredentialError {
    CredentialError(
      .itemExists, "an item of that name is there already",
      hint: "choose another name, or remove that item first")
  }

  static func store(
    _ secret: SecretBytes, name: ItemName, field: String?, changes: ItemChanges,
    in draft: inout VaultDraft
  ) throws -> (record: ItemRecord, isNew: Bool) {
    if let position = draft.position(of: name) {
      var contents: ItemContents
      if field == nil {
        // Damage of the old secret must not keep anybody from setting a new one.
        let fields = (try? draft.contents(at: position))?.fields ?? [:]
        contents = ItemContents(main: secret, fields: fields)
      } else {
        contents = try draft.contents(at: position)
      }
      if let field { contents.fields[field] = secret }
      try draft.keepAsEarlier(at: position)
      draft.index.items[position].version += 1
      draft.index.items[position].modified = draft.now
      draft.index.items[position].device = draft.index.device
      try changes.apply(to: &draft.index.items[position])
      try draft.seal(contents, at: position)
      if field == nil { draft.copyIsOutdated(at: position) }
      return (draft.index.items[position], false)
    }
    guard draft.index.items.count < VaultIndex.maximumItems else {
      throw CredentialError(
        .cannotCreate, "the vault is full: it holds at most 20,000 items",
        hint: "keep a part of it in another vault: --vault NAME")
    }
    var record = ItemRecord(
      id: RandomBytes.bytes(count: 16), name: name.text, kind: Item.Kind.secret.rawValue,
      device: draft.index.device, now: draft.now)
    record.copy = draft.index.isPublishing ? .pending : .none
    try changes.apply(to: &record)
    draft.index.items.append(record)
    let contents =
      if let field {
        ItemContents(main: try SecretBytes(copying: []), fields: [field: secret])
      } else {
        ItemContents(main: secret)
      }
    let position = draft.index.items.count - 1
    try draft.seal(contents, at: position)
    return (draft.index.items[position], true)
  }

  /// Seals the current secret again after a change of what its seal is bound to.
  private static func reseal(
    _ position: Int, in draft: inout VaultDraft, _ change: (inout ItemRecord) throws -> Void
  ) throws {
    let contents = try draft.contents(at: position)
    try change(&draft.index.items[position])
    try draft.seal(contents, at: position)
  }
}
