package import VaultSealing

/// An edit of a vault by what other machines have changed.
///
/// `VaultSync` reads the items with it and merges the state of a space into them; it knows nothing
/// of files, indexes and history blobs.
package struct SharedVault {
  fileprivate var edit: VaultEdit
  /// Whether the file is to be written.
  package fileprivate(set) var isChanged = false

  /// The time of the edit, milliseconds since 1970.
  package var now: Int64 { edit.now }

  /// The file as it was when the edit began.
  package var fileMark: VaultFileMark { VaultFileMark(edit.file) }

  /// Which state of a space the items were brought to; written with the items, in one file.
  package var mark: String? {
    get { edit.index.settings[VaultIndex.sharedSetting] }
    set {
      guard newValue != mark else { return }
      edit.index.settings[VaultIndex.sharedSetting] = newValue
      isChanged = true
    }
  }

  /// All items, with their secrets and earlier versions.
  ///
  /// - Returns: The items by id; and the ids of those that cannot be read, which are to be left as
  ///   they are.
  /// - Throws: ``CredentialError`` but for damaged items.
  package func items() throws -> (items: [[UInt8]: SharedItem], unreadable: Set<[UInt8]>) {
    var items: [[UInt8]: SharedItem] = [:]
    var unreadable: Set<[UInt8]> = []
    for position in edit.index.items.indices {
      let record = edit[position]
      do {
        items[record.id.bytes] = try item(record, at: position)
      } catch let error as CredentialError where error.code == .damaged {
        unreadable.insert(record.id.bytes)
      }
    }
    return (items, unreadable)
  }

  private func item(_ record: ItemRecord, at position: Int) throws -> SharedItem {
    var earlier = record.earlier
    let head: SharedItem.Version
    if record.trashed == 0 {
      head = SharedItem.Version(
        try edit.contents(at: position), version: record.version, kind: record.kind,
        written: record.modified)
    } else {
      guard let first = earlier.first else {
        throw VaultHeader.damaged("a secret in the trash is missing")
      }
      earlier.removeFirst()
      head = SharedItem.Version(
        try edit.earlierContents(of: record, first), version: first.version, kind: first.kind,
        written: first.written)
    }
    var item = SharedItem(
      id: record.id.bytes, name: record.name, created: record.created, modified: record.modified,
      head: head)
    item.expires = record.expires
    item.trashed = record.trashed
    item.note = record.note
    item.tags = Set(record.tags)
    for attribute in record.attributes.all where attribute.name != ItemConflict.attribute {
      item.attributes[attribute.name] = attribute.text
    }
    item.isMarked = ItemConflict.version(in: record.attributes) != nil
    item.earlier = earlier.compactMap { version in
      // One that is lost here may be whole elsewhere.
      (try? edit.earlierContents(of: record, version)).map {
        SharedItem.Version(
          $0, version: version.version, kind: version.kind, written: version.written)
      }
    }
    return item
  }

  /// Merges the state of a space, by the rules of ``UnlockedVault/merge(_:base:with:)``.
  ///
  /// - Parameters:
  ///   - items: The state.
  ///   - removals: Items that were removed for good, by id, and when.
  ///   - base: The state that this vault was brought to before, and what was changed in it since;
  ///     `nil` if that is not known.
  /// - Returns: The changes.
  /// - Throws: ``CredentialError``.
  package mutating func merge(
    _ items: [SharedItem], removals: [[UInt8]: Int64], base: [SharedItem]?
  ) throws -> MergeReport {
    let theirs = SharedState(items, removals: removals)
    let ancestor = base.map { SharedState($0, removals: [:]) }
    let known = Set(edit.index.items.map(\.id))
    let unchanged = (base ?? []).filter { item in
      guard let position = edit.index.items.position(of: Bytes16(item.id)) else { return false }
      return edit[position].modified == item.modified
    }
    // Whether a removal or a change comes first, the space has decided, and no clock.
    if base != nil {
      let there = Set(items.map(\.id))
      edit.index.tombstones.removeAll { there.contains($0.itemID.bytes) }
    }
    var merge = VaultMerge(theirs, base: ancestor, relation: base == nil ? .apart : .newer)
    try merge.run(in: &edit)
    var report = merge.report
    // What was not changed here has the time of the change that it follows, also where a clock is
    // wrong: else it would look changed here.
    let followed = Set(unchanged.map(\.id))
    for item in items where followed.contains(item.id) {
      guard let position = edit.index.items.position(of: Bytes16(item.id)),
        edit[position].modified != item.modified
      else { continue }
      edit[position].modified = item.modified
    }
    // What comes into the trash here stays in it for its time by this clock, not by another's.
    for item in items where item.trashed != 0 && !known.contains(Bytes16(item.id)) {
      guard let position = edit.index.items.position(of: Bytes16(item.id)),
        edit[position].trashed != 0
      else { continue }
      edit[position].trashed = edit.now
    }
    // Two values that met elsewhere are told where they become known.
    let formerly = Set((base ?? []).filter { $0.other != nil }.map(\.id))
    for item in items {
      guard let position = edit.index.items.position(of: Bytes16(item.id)) else { continue }
      let isMarked = ItemConflict.version(in: edit[position].attributes) != nil
      if let other = item.other {
        let marked = try mark(other, at: position)
        if marked, !formerly.contains(item.id) {
          let name = ItemName(stored: item.name)
          report.conflicts.removeAll { $0.kind == .secret && $0.name == name }
          report.conflicts.append(
            .init(.secret, name, version: ItemConflict.version(in: edit[position].attributes)))
        }
      } else if isMarked, formerly.contains(item.id) {
        edit[position].attributes[ItemConflict.attribute] = nil
      }
    }
    report.sort()
    if !edit.index.items.changes.isEmpty || edit.index.items.hasRemoved { isChanged = true }
    return report
  }

  /// Marks an item with the version that has another value, if it is kept and not current.
  private mutating func mark(_ other: SharedItem.Version, at position: Int) throws -> Bool {
    let record = edit[position]
    guard record.trashed == 0 else { return false }
    for earlier in record.earlier {
      guard let contents = try? edit.earlierContents(of: record, earlier) else { continue }
      guard contents.main.isEqual(to: other.main), contents.isEqual(to: other.contents) else {
        continue
      }
      ItemConflict.mark(&edit[position], earlier.version)
      return true
    }
    return false
  }
}

/// Which generation of a vault a file is: two files with one mark have the same bytes.
package struct VaultFileMark: Equatable, Sendable {
  /// Bytes of ``bytes``.
  package static let length = 24

  /// How often the vault was written.
  package let generation: UInt64
  /// The generation, and the tag of the file.
  package let bytes: [UInt8]

  init(_ file: VaultFile) {
    var writer = ByteWriter()
    writer.put(file.header.generation)
    writer.put(file.tag)
    generation = file.header.generation
    bytes = writer.bytes
  }
}

extension UnlockedVault.Blocking {
  /// Edits the vault with what other machines have changed; the file is written only if something
  /// changed.
  ///
  /// - Parameter body: The edit, under the writers' lock.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws, or ``CredentialError``.
  package func shared<Result>(
    _ body: (inout SharedVault) throws -> Result
  ) throws -> Result {
    do {
      return try vault.edited { edit in
        var shared = SharedVault(edit: edit)
        let result = try body(&shared)
        guard shared.isChanged else { throw Untouched(result: result) }
        edit = shared.edit
        return result
      }
    } catch let untouched as Untouched<Result> {
      return untouched.result
    }
  }

  private struct Untouched<Result>: Error, @unchecked Sendable {
    // Only this thread has it, from the throw to the catch.
    let result: Result
  }

  /// This machine's id, 16 bytes; it does not travel with a copied vault.
  ///
  /// - Throws: ``CredentialError``.
  package func machineID() throws -> [UInt8] { try vault.locked.folder.device() }

  /// The wall clock as the vault's options have it.
  package var clock: @Sendable () -> Int64 { vault.locked.options.now }

  /// The vault, for calls that are not of this type.
  package var unlocked: UnlockedVault { vault }

  /// The vault file's path.
  package var path: String { vault.locked.path }

  /// Which file the vault's is now.
  ///
  /// - Throws: ``CredentialError``.
  package func fileMark() throws -> VaultFileMark {
    VaultFileMark(try vault.snapshot(only: .noItems).file)
  }

  /// The number of items, those in the trash too.
  ///
  /// - Throws: ``CredentialError``.
  package func itemCount() throws -> Int { try vault.snapshot(only: nil).index.items.count }

  /// Sets the key for a purpose, in the place of those that there are.
  ///
  /// - Parameters:
  ///   - key: 32 bytes; `nil` takes the keys of the purpose out.
  ///   - purpose: What the key is for.
  /// - Throws: ``CredentialError``.
  package func setKey(_ key: SecretBytes?, for purpose: String) throws {
    try vault.commit { edit in
      edit.index.dataKeys.removeAll { $0.purpose == purpose }
      guard let key else { return }
      edit.index.dataKeys.append(
        VaultIndex.DataKey(
          id: RandomBytes.bytes(count: 16), key: key, created: edit.now, isRetired: false,
          purpose: purpose))
    }
  }

  /// The key that was set for a purpose; `nil` if there is none.
  ///
  /// - Parameter purpose: What the key is for.
  /// - Returns: 32 bytes.
  /// - Throws: ``CredentialError``.
  package func key(for purpose: String) throws -> SecretBytes? {
    // Rotating the vault key retires it and adds another; the first one is this machine's.
    try vault.snapshot(only: .noItems).index.dataKeys.first { $0.purpose == purpose }?.key
  }
}
