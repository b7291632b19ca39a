package import FoundationEssentials
import VaultSealing

/// The contents of a vault at one moment.
///
/// Reading the vault file once gives a snapshot; it never changes afterwards, whatever this or
/// other processes write. Items and current secrets are answered from memory. Only earlier versions
/// of an item (``secret(of:field:version:)`` with a version) are read from `store.sqlite` when they
/// are asked for, and may be gone by then.
///
/// An ``Item`` taken from a snapshot identifies the item that answers: a rename between two calls
/// cannot make another item answer in its place.
///
/// ```swift
/// let snapshot = try await vault.read()
/// for item in snapshot.items(matching: query) {
///   let secret = try snapshot.secret(of: item)
///   // …
/// }
/// ```
///
/// A snapshot keeps the sealed bytes of the whole file (64 MiB at most) and the vault's keys in
/// memory for as long as it exists. Secrets are opened one by one, each when it is asked for. A
/// snapshot can be used from any thread.
///
/// Of the snapshots inside this package some leave the sealed bytes in the file that they have read,
/// which stays open, and answer from there (`readInPlace()`).
public struct VaultSnapshot: Sendable {
  let vault: UnlockedVault
  let file: VaultFile
  let index: VaultIndex
  private let states: CopyStates

  init(vault: UnlockedVault, file: VaultFile, index: VaultIndex) {
    self.vault = vault
    self.file = file
    self.index = index
    states = CopyStates(of: vault)
  }

  /// Returns the items that match a query, sorted by name.
  ///
  /// - Parameter query: The conditions; by default, all live items match.
  /// - Returns: The items, without their secrets.
  public func items(matching query: ItemQuery = .all) -> [Item] {
    index.items.matching(query).map(item)
  }

  /// Returns the names of the items that match a query, sorted as ``items(matching:)`` sorts them.
  ///
  /// Where the query asks for nothing but names, nothing else of an item is decoded.
  package func names(matching query: ItemQuery = .all) -> [String] {
    guard query.isOfNames else { return items(matching: query).map(\.name.text) }
    let names = index.items.sortedLiveNames()
    return query.hasNoConditions ? names : names.filter(query.matches(name:))
  }

  /// Returns what ``names(matching:)`` returns as UTF-8, with a line feed behind each name.
  package func nameLines(matching query: ItemQuery = .all) -> [UInt8] {
    if query.isOfNames, query.hasNoConditions { return index.items.sortedLiveNameLines() }
    return names(matching: query).flatMap { $0.utf8 + [UInt8(ascii: "\n")] }
  }

  /// The live item with a name, or `nil` if there is none.
  ///
  /// - Parameter name: The item's name.
  public subscript(name: ItemName) -> Item? { record(named: name).map(item) }

  /// Returns the live item with a name.
  ///
  /// - Parameter name: The item's name.
  /// - Returns: The item, without its secrets.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`.
  public func item(_ name: ItemName) throws -> Item { item(try requireRecord(named: name)) }

  /// Returns the live item with an id.
  ///
  /// - Parameter id: The id, as ``Item/id`` writes it.
  /// - Returns: The item; `nil` if there is none.
  package func item(withID id: String) -> Item? {
    guard let bytes = Hexadecimal.bytes(id), bytes.count == 16,
      let position = index.items.position(of: Bytes16(bytes)),
      index.items.trashed(at: position) == 0
    else { return nil }
    let item = item(index.items[position])
    // In lower case alone.
    return item.id == id ? item : nil
  }

  /// Returns the items in the trash that match a query, by name, and of one name the one that was
  /// removed last first: its number for ``VaultEdit/restoreFromTrash(_:number:)``.
  package func trash(matching query: ItemQuery = .all) -> [(item: Item, number: Int)] {
    var query = query
    query.isInTrash = true
    var records = Array(index.items.matching(query))
    records.sort {
      $0.name == $1.name ? VaultEdit.wasRemovedLater($0, $1) : $0.name.precedes($1.name)
    }
    var numbers: [String: Int] = [:]
    return records.map { record in
      numbers[record.name, default: 0] += 1
      return (item(record), numbers[record.name] ?? 1)
    }
  }

  /// Returns the items that are not as they were in an earlier snapshot of this vault.
  ///
  /// Only these are decoded: it takes a thousandth of a second for ten thousand items.
  ///
  /// - Parameter former: The earlier snapshot.
  /// - Returns: Each as it was and as it is, if it was or is a live item.
  package func changes(since former: VaultSnapshot) -> [(before: Item?, after: Item?)] {
    func live(_ position: Int?, in snapshot: VaultSnapshot) -> Item? {
      guard let position, snapshot.index.items.trashed(at: position) == 0 else { return nil }
      return snapshot.item(snapshot.index.items[position])
    }
    return index.items.differences(from: former.index.items).compactMap { before, after in
      let change = (before: live(before, in: former), after: live(after, in: self))
      return change.before == nil && change.after == nil ? nil : change
    }
  }

  /// Returns a secret of an item.
  ///
  /// - Parameters:
  ///   - item: An item of this snapshot; one of another snapshot is found by its id.
  ///   - field: The name of a further field; `nil` for the main secret.
  ///   - version: An earlier version, which is read from `store.sqlite`; `nil` for the current one.
  ///     Items in the trash have earlier versions only.
  /// - Returns: The secret, in locked memory.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, `.fieldNotFound`, `.versionNotFound`,
  ///   `.damaged`.
  public func secret(
    of item: Item, field: String? = nil, version: UInt64? = nil
  ) throws -> Secret {
    try contents(of: try record(of: item), version: version).secret(field: field)
  }

  /// Returns the main secret and all fields of an item.
  ///
  /// - Parameters:
  ///   - item: An item of this snapshot; one of another snapshot is found by its id.
  ///   - version: An earlier version, which is read from `store.sqlite`; `nil` for the current one.
  /// - Returns: The item as it is in this snapshot, and its secrets.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, `.damaged`; `.versionNotFound` for an
  ///   item in the trash.
  public func secrets(of item: Item, version: UInt64? = nil) throws -> ItemWithSecrets {
    let record = try record(of: item)
    let contents = try contents(of: record, version: version)
    return ItemWithSecrets(
      item: self.item(record), main: Secret(contents.main),
      fields: contents.fields.all.reduce(into: [:]) { $0[$1.name] = Secret($1.value) })
  }

  /// Returns the names of an item's further fields.
  ///
  /// - Parameter item: An item of this snapshot; one of another snapshot is found by its id.
  /// - Returns: The names, sorted. The main secret has none.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, `.damaged`; `.versionNotFound` for an
  ///   item in the trash.
  public func fields(of item: Item) throws -> [String] {
    try contents(of: try record(of: item)).fields.all.map(\.name).sorted()
  }

  /// Returns the length and a short keyed hash of a secret, to compare it without showing it.
  ///
  /// - Parameters:
  ///   - item: An item of this snapshot; one of another snapshot is found by its id.
  ///   - field: The name of a further field; `nil` for the main secret.
  ///   - version: An earlier version; `nil` for the current one.
  /// - Returns: The fingerprint.
  /// - Throws: As ``secret(of:field:version:)``.
  public func fingerprint(
    of item: Item, field: String? = nil, version: UInt64? = nil
  ) throws -> Fingerprint {
    try vault.fingerprint(of: try secret(of: item, field: field, version: version).bytes)
  }

  /// Returns the versions of an item that can be read, newest first.
  ///
  /// - Parameter item: An item of this snapshot; one of another snapshot is found by its id.
  /// - Returns: The current version, then earlier ones; an item in the trash has earlier ones only.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`.
  public func history(of item: Item) throws -> [ItemVersion] { versions(of: try record(of: item)) }

  /// The times at which items' secrets or fields last changed, as far as they are known.
  ///
  /// A change of a name, tag or note alone does not count. Where the version before is no longer
  /// kept, the item's last change of any kind is all that is known.
  ///
  /// - Parameter items: Items of this snapshot.
  /// - Returns: The times in the order of `items`, none after its ``Item/modified``.
  /// - Throws: ``CredentialError`` with code `.itemNotFound`, or what reading `store.sqlite`
  ///   throws.
  package func secretsChanged(of items: [Item]) throws -> [Date] {
    let arrivals = try vault.history.arrivals()
    return try items.map { item in
      let record = try record(of: item)
      if record.version == 1 { return Date(milliseconds: record.created) }
      guard let before = record.earlier.first, before.version == record.version - 1,
        let replaced = arrivals[before.hash]
      else { return item.modified }
      // After a restore from a backup it is the time of that.
      return min(Date(milliseconds: replaced), item.modified)
    }
  }
}

// MARK: - A part of it

extension VaultSnapshot {
  /// Returns a snapshot in which only some of the items are: nothing that it is asked for, by name,
  /// query or id, comes from another one, and no answer says whether there is another one.
  ///
  /// - Parameter isWithin: Whether an item of this name is among them.
  /// - Returns: The snapshot; it has no trash.
  package func narrowed(to isWithin: (String) -> Bool) -> VaultSnapshot {
    var index = index
    index.items.keepLive(where: isWithin)
    return VaultSnapshot(vault: vault, file: file, index: index)
  }
}

// MARK: - Records

extension VaultSnapshot {
  func item(_ record: ItemRecord) -> Item { Item(record, states) }

  /// The record of an item, by its id.
  func record(of item: Item) throws -> ItemRecord {
    guard let position = index.items.position(of: item.recordID) else {
      throw UnlockedVault.notFound(item.name)
    }
    return index.items[position]
  }

  /// The record of the live item with a name.
  func record(named name: ItemName) -> ItemRecord? {
    index.items.position(ofLive: name.text).map { index.items[$0] }
  }

  func requireRecord(named name: ItemName) throws -> ItemRecord {
    guard let record = record(named: name) else { throw UnlockedVault.notFound(name) }
    return record
  }

  /// Opens the current or an earlier version of an item.
  func contents(of record: ItemRecord, version: UInt64? = nil) throws -> ItemContents {
    guard let version, version != record.version || record.trashed != 0 else {
      guard record.trashed == 0 else {
        throw CredentialError(
          .versionNotFound, "the item is in the trash: only its earlier versions can be read")
      }
      return try file.contents(of: record, keys: vault.keys)
    }
    guard let earlier = record.earlier.first(where: { $0.version == version }) else {
      throw CredentialError(
        .versionNotFound, "the item has no version \(version) that is still kept",
        remedies: [.showHistory])
    }
    return try vault.contents(
      of: record, earlier: earlier, index: index, HistoryReader(vault.history))
  }

  func versions(of record: ItemRecord) -> [ItemVersion] {
    let current = ItemVersion(
      version: record.version, written: Date(milliseconds: record.modified), isCurrent: true,
      isConcurrent: false, machine: nil)
    let machines = ItemConflict.machines(in: record.attributes)
    let other = ItemConflict.version(in: record.attributes)
    return (record.trashed == 0 ? [current] : [])
      + record.earlier.map { earlier in
        let machine = machines[earlier.version]
        return ItemVersion(
          version: earlier.version, written: Date(milliseconds: earlier.written), isCurrent: false,
          isConcurrent: machine != nil || earlier.version == other, machine: machine)
      }
  }
}

extension ItemContents {
  /// The main secret, or a field that must exist.
  func secret(field: String?) throws -> Secret {
    guard let field, !field.isEmpty else { return Secret(main) }
    guard let value = fields[field] else {
      throw CredentialError(
        .fieldNotFound, "the item has no field with that name",
        hint: Self.namesOfMain.contains(field.lowercased())
          ? "the item's own secret is no field: leave the field out" : nil,
        remedies: [.showItem])
    }
    return Secret(value)
  }

  /// Names by which other programs know the main secret.
  private static let namesOfMain: Set<String> = ["password", "secret", "pass", "value", "main"]
}
