public import FoundationEssentials
import VaultSealing
import VaultStorage

/// Which items are asked for.
public struct ItemQuery: Sendable {
  /// A pattern of names with `*`, `?` and `[…]`, as shells have it; `nil` for all.
  public var pattern: String?
  /// A tag that the item must have.
  public var tag: String?
  /// Attributes that the item must have, with these values.
  public var attributes: [String: String] = [:]
  /// Whether items in the trash are asked for instead of live ones.
  public var isInTrash = false
  /// The time before which the item must expire.
  public var expiresBefore: Date?

  /// All live items.
  public static let all = ItemQuery()

  /// A query for all live items, to be narrowed.
  public init() {}

  func matches(_ record: ItemRecord) -> Bool {
    guard (record.trashed != 0) == isInTrash else { return false }
    if let tag, !record.tags.contains(tag) { return false }
    for (name, value) in attributes {
      // Byte by byte: two users whose names look alike are two users.
      guard let known = record.attributes[name], known.isSame(as: value) else { return false }
    }
    if let expiresBefore {
      guard record.expires != 0, record.expires < expiresBefore.milliseconds else { return false }
    }
    return pattern.map { NamePattern($0).matches(record.name) } ?? true
  }
}

/// What can be told of a secret without showing it.
public struct Fingerprint: Sendable, Equatable {
  /// Bytes of the secret.
  public let length: Int
  /// A short hash under a key of the vault: equal secrets have equal hashes within one vault only.
  public let hash: String
}

extension UnlockedVault.Blocking {
  /// The secret of an item.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - field: One of its further fields; `nil` for the main secret.
  ///   - version: An earlier version; `nil` for the current one.
  /// - Returns: The secret.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, `.fieldNotFound`, `.versionNotFound`,
  ///   `.damaged`.
  public func get(
    _ name: ItemName, field: String? = nil, version: UInt64? = nil
  ) throws -> Secret {
    let (sealed, index) = try open.read(onlyItemsNamed: [name])
    let record = try Self.live(name, in: index)
    let contents = try open.contents(of: record, version: version, sealed: sealed, index: index)
    return try Self.value(of: contents, field: field)
  }

  /// The main secrets of several items, in one read of the file.
  ///
  /// - Parameter names: The items.
  /// - Returns: The secrets; items that do not exist are absent.
  /// - Throws: ``CredentialError`` with code `.damaged`.
  public func get(_ names: [ItemName]) throws -> [ItemName: Secret] {
    let (sealed, index) = try open.read(onlyItemsNamed: names)
    var result: [ItemName: Secret] = [:]
    for record in index.items where record.trashed == 0 {
      let contents = try sealed.contents(of: record, keys: open.keys)
      result[ItemName(stored: record.name)] = Secret(contents.main)
    }
    return result
  }

  /// What is known of an item.
  ///
  /// - Parameter name: The item.
  /// - Returns: Everything but the secret.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`.
  public func item(_ name: ItemName) throws -> Item {
    Item(try Self.live(name, in: try open.read(onlyItemsNamed: [name]).1))
  }

  /// The items that match, by name.
  ///
  /// - Parameter query: Which ones.
  /// - Returns: The items, sorted by name.
  /// - Throws: ``CredentialError`` with code `.damaged`.
  public func items(matching query: ItemQuery = .all) throws -> [Item] {
    try open.read().1.items.filter(query.matches).map(Item.init).sorted { $0.name < $1.name }
  }

  /// The names of an item's further fields, sorted; the main secret has none.
  ///
  /// - Parameter name: The item.
  /// - Returns: The names.
  /// - Throws: ``CredentialError`` with code `.itemNotFound` or `.damaged`.
  public func fields(of name: ItemName) throws -> [String] {
    let (sealed, index) = try open.read(onlyItemsNamed: [name])
    let record = try Self.live(name, in: index)
    return try sealed.contents(of: record, keys: open.keys).fields.keys.sorted()
  }

  /// Length and short keyed hash of a secret: enough to see that it is the one meant.
  ///
  /// - Parameters:
  ///   - name: The item.
  ///   - field: One of its further fields; `nil` for the main secret.
  /// - Returns: The fingerprint.
  /// - Throws: As ``get(_:field:version:)``.
  public func fingerprint(of name: ItemName, field: String? = nil) throws -> Fingerprint {
    try open.fingerprint(of: get(name, field: field).bytes)
  }

  /// The versions of an item that can be read, newest first.
  ///
  /// - Parameter name: The item.
  /// - Returns: The current version, then earlier ones.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`.
  public func history(of name: ItemName) throws -> [ItemVersion] {
    let record = try Self.live(name, in: try open.read(onlyItemsNamed: [name]).1)
    let current = ItemVersion(
      version: record.version, written: Date(milliseconds: record.modified), isCurrent: true)
    return [current]
      + record.earlier.map {
        ItemVersion(
          version: $0.version, written: Date(milliseconds: $0.written), isCurrent: false)
      }
  }

  static func live(_ name: ItemName, in index: VaultIndex) throws -> ItemRecord {
    let record = index.items.first { $0.trashed == 0 && $0.name == name.text }
    guard let record else { throw UnlockedVault.notFound(name) }
    return record
  }

  static func value(of contents: ItemContents, field: String?) throws -> Secret {
    guard let field, !field.isEmpty else { return Secret(contents.main) }
    guard let value = contents.fields[field] else {
      throw CredentialError(
        .fieldNotFound, "the item has no field of that name",
        hint: "'vault show' lists its fields")
    }
    return Secret(value)
  }
}

extension UnlockedVault {
  /// The contents of the current or an earlier version.
  func contents(
    of record: ItemRecord, version: UInt64?, sealed: VaultFile, index: VaultIndex
  ) throws -> ItemContents {
    guard let version, version != record.version || record.trashed != 0 else {
      return try sealed.contents(of: record, keys: keys)
    }
    guard let earlier = record.earlier.first(where: { $0.version == version }) else {
      throw CredentialError(
        .versionNotFound, "the item has no version \(version) that is still kept",
        hint: "'vault history' lists the versions that are")
    }
    return try contents(of: record, earlier: earlier, index: index)
  }

  func contents(
    of record: ItemRecord, earlier: ItemRecord.Earlier, index: VaultIndex
  ) throws -> ItemContents {
    let history = HistoryStore(location: vault.folder.location, vaultID: vaultID)
    guard let sealed = try history.blob(earlier.hash),
      try Hash.blake2b(sealed, count: ItemRecord.hashLength) == earlier.hash
    else {
      throw CredentialError(
        .damaged, "version \(earlier.version) of this item is missing or was changed",
        hint: "other versions are not affected: 'vault history' lists them")
    }
    return try VaultFile.open(
      sealed, record: record, version: earlier.version, kind: earlier.kind, vaultID: vaultID,
      parent: try index.dataKey(id: earlier.dataKey))
  }

  func fingerprint(of secret: SecretBytes) throws -> Fingerprint {
    let key = try keys.blind()
    let hash = try secret.withBytes { try Hash.blake2b($0, count: 16, key: key) }
    return Fingerprint(length: secret.count, hash: Hexadecimal.text(Array(hash.prefix(4))))
  }
}
